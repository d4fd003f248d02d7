"""Ways to node0's service, with the CA pinned and a token that may do no more than the command needs."""

from __future__ import annotations

from agent.api.client import Client, pinned_tls, service_url
from client.remote.target import Target


def watching(target: Target) -> Client:
    """A client that may read."""
    return Client(url=service_url(target.address, target.port), tls=pinned_tls(target.ca), token=target.token)


def deciding(target: Target) -> Client:
    """A client that may change something."""
    return Client(url=service_url(target.address, target.port), tls=pinned_tls(target.ca), token=target.user_token)
