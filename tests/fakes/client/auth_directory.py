"""DIR as `create image` leaves it, for a site whose service a test runs itself."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import msgspec

from agent.api.operations import TokenRole
from cli.cluster_directory import AUTH, RENDEZVOUS_IP
from image_build.credentials.auth_directory import AuthDirectory
from image_build.credentials.fresh import make
from image_build.credentials.one_time import Identity
from replay.programs import free_port
from replay.site import RENDEZVOUS, Site


def write_directory(site: Site, directory: Path) -> Path:
    """The kubeconfig is for an API server that is not there."""
    directory.mkdir(parents=True)
    identity = Identity(name="demo", base_domain="x", rendezvous_ip=RENDEZVOUS, api_address=RENDEZVOUS)
    data = make(identity, datetime.now(UTC))
    secrets = msgspec.structs.replace(
        data,
        node0_ca=msgspec.structs.replace(data.node0_ca, certificate=site.ca.read_text()),
        agent_token=site.token(TokenRole.AGENT),
        user_token=site.token(TokenRole.USER),
        watcher_token=site.token(TokenRole.WATCHER),
        admin_kubeconfig=data.admin_kubeconfig.replace(":6443", f":{free_port()}"),
    )
    AuthDirectory(directory / AUTH).write(secrets, site.intent)
    (directory / RENDEZVOUS_IP).write_text(f"{RENDEZVOUS}\n")
    return directory
