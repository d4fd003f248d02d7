"""The story of `cluster0 create image`.

Nothing is written before everything is known to be right. Then the ISO appears, whole or not at all; then `auth/`; and
`rendezvousIP`, by which `wait-for` finds node0, last. The inputs are only read.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import msgspec

from agent.api.problems import Problem
from agent.machine.files import Files
from image_build.cache import Cache
from image_build.customise.base import check_sum, newest_base_iso
from image_build.customise.live_config import live_config
from image_build.customise.results import AUTH, ISO, RENDEZVOUS_IP
from image_build.customise.site_files import site_files
from image_build.inputs.findings import Finding
from image_build.inputs.intent import api_address, cluster_intent
from image_build.inputs.load import Inputs, examine
from image_build.iso import embed
from image_build.iso.base_iso import read_base_iso
from image_build.iso.kargs import BootVariable
from image_build.trust.auth_directory import AuthDirectory
from image_build.trust.auth_files import KUBECONFIG
from image_build.trust.kubeconfig import api_url
from image_build.trust.one_time import Identity, OneTimeData


class Created(msgspec.Struct, frozen=True, kw_only=True):
    """What was made. Paths are below the directory that the user named; `iso_size` in bytes; times RFC 3339."""

    schema: int = 1
    iso: str
    iso_size: int
    kubeconfig: str
    api_url: str
    rendezvous_ip: str
    cluster_id: str
    cluster: str
    hosts: tuple[str, ...]
    credentials_expire: str
    base_build_id: str
    warnings: tuple[Finding, ...] = ()


@dataclass(frozen=True)
class Request:
    """`base_iso` None: the newest in the cache. `base_iso_sha256`: what its checksum must be, in hex.

    `force`: replace another cluster's credentials in `directory`.
    """

    directory: Path
    base_iso: Path | None = None
    base_iso_sha256: str | None = None
    force: bool = False


def create_image(request: Request) -> Created:
    """Problem: `ConfigurationError`; those of `AuthDirectory.obtain`, `newest_base_iso`, `live_config`, `customise`."""
    examination = examine(request.directory)
    examination.accepted()
    base_iso = request.base_iso or newest_base_iso(Cache.of_user())
    if request.base_iso_sha256 is not None:
        check_sum(base_iso, request.base_iso_sha256)
    examination = examination.against(read_base_iso(base_iso).release.payload)
    inputs = examination.accepted()
    auth = AuthDirectory(request.directory / AUTH)
    secrets = auth.obtain(_identity(inputs), now=datetime.now(UTC), force=request.force)
    intent = cluster_intent(
        inputs, cluster_id=secrets.cluster_id, infra_env_id=secrets.infra_env_id, created_at=secrets.created_at
    )
    override = inputs.agent.ignition_config_override
    config = live_config(intent, secrets, site_files(inputs, intent), override)
    iso = request.directory / ISO
    base = embed.customise(base_iso, iso, config, _boot_variables(inputs, secrets))
    with _or_no_iso(iso):
        auth.write(secrets, intent)
        Files(request.directory).write(RENDEZVOUS_IP, f"{intent.rendezvous_ip}\n")
    return Created(
        iso=str(iso),
        iso_size=base.size,
        kubeconfig=str(auth.path / KUBECONFIG),
        api_url=api_url(intent.api_address),
        rendezvous_ip=intent.rendezvous_ip,
        cluster_id=intent.cluster_id,
        cluster=intent.domain,
        hosts=tuple(f"{host.hostname} ({host.role})" for host in intent.hosts),
        credentials_expire=secrets.tokens_expire.isoformat(),
        base_build_id=base.release.build_id,
        warnings=examination.findings,
    )


def _boot_variables(inputs: Inputs, secrets: OneTimeData) -> dict[BootVariable, str]:
    return {
        BootVariable.CLUSTER_ID: secrets.cluster_id,
        BootVariable.EXTRA_KARGS: " ".join(inputs.agent.kernel_arguments),
    }


@contextmanager
def _or_no_iso(iso: Path) -> Iterator[None]:
    """An ISO whose credentials could not be kept is worth nothing to anybody."""
    try:
        yield
    except OSError as error:
        iso.unlink()
        raise Problem(
            code="output-not-writable",
            title=f"{error.filename2 or error.filename} cannot be written: {error.strerror}. The ISO is removed.",
            remedy="Make the directory writable, or free some space, and run the command again.",
        ) from error


def _identity(inputs: Inputs) -> Identity:
    return Identity(
        name=inputs.install.metadata.name,
        base_domain=inputs.install.base_domain,
        rendezvous_ip=inputs.agent.rendezvous_ip,
        api_address=api_address(inputs),
        token_lifetime_days=inputs.agent.token_lifetime_days,
    )
