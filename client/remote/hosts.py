"""The names of a host, and the host that a name on the command line means."""

from __future__ import annotations

from collections.abc import Iterable

from agent.api.hosts import Host
from agent.model.problems import Problem


def host_name(host: Host) -> str:
    """The hostname from the inputs or its own; its id when it has none yet."""
    return host.requested_hostname or host.id


def macs(host: Host) -> tuple[str, ...]:
    """Lower case; empty before its inventory has arrived."""
    inventory = host.decode_inventory()
    return tuple(nic.mac_address.lower() for nic in inventory.interfaces if nic.mac_address) if inventory else ()


def find_host(hosts: Iterable[Host], word: str) -> Host:
    """The host whose name, MAC address or id (its beginning is enough) is `word`.

    Problem: `host-unknown`, `host-ambiguous`.
    """
    known = list(hosts)
    name = word.lower()
    found = [host for host in known if name in {host_name(host).lower(), *macs(host)}]
    found = found or [host for host in known if name and host.id.startswith(name)]
    if len(found) == 1:
        return found[0]
    if found:
        raise Problem(
            code="host-ambiguous",
            title=f"More than one host is called {word}.",
            detail="\n".join(_line(host) for host in found),
            remedy="Name it by its id.",
        )
    raise Problem(
        code="host-unknown",
        title=f"No registered host is called {word}.",
        detail="\n".join(_line(host) for host in known) or "No host has registered yet.",
        remedy="Name it as `cluster0 hosts list` does, or by a MAC address, or by its id.",
    )


def _line(host: Host) -> str:
    return f"{host_name(host)}  {host.id}  {' '.join(macs(host))}".rstrip()
