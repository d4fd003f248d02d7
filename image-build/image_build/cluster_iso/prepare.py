"""Prepares what every boot medium of a cluster needs: checked inputs, a base ISO, secrets, the Ignition config.

Nothing is written before all checks have succeeded. The inputs are only read.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import msgspec

from agent.machine.files import Files
from agent.model.endpoints import api_url
from agent.model.intent import ClusterIntent
from agent.model.problems import Problem
from agent.model.write_errors import write_problem
from cli.cluster_directory import AUTH, KUBECONFIG, RENDEZVOUS_IP
from image_build.cache import Cache
from image_build.cluster_iso.find_base_iso import check_sum, newest_base_iso
from image_build.cluster_iso.live_config import live_config
from image_build.cluster_iso.site_files import site_files
from image_build.credentials.auth_directory import AuthDirectory
from image_build.credentials.one_time import Identity, OneTimeData
from image_build.credentials.token_expiry import token_expiry
from image_build.iso_format.reader import BaseIso, read_base_iso
from inputs.cluster_intent import api_address, cluster_intent
from inputs.document.findings import Finding
from inputs.load import Inputs, load_inputs

# Without characters that iPXE or URL parsers interpret.
_URL = re.compile(r"https?://[A-Za-z0-9._~:/\[\]%+=@-]+")


@dataclass(frozen=True)
class Request:
    """What `cluster0 create image` and `create pxe-files` are called with.

    directory: the cluster's directory, with its inputs. base_iso: None means the newest in the cache.
    base_iso_sha256: its expected checksum, in hex; None: not checked.
    force: replace another cluster's credentials in `directory`.
    base_url: the URL at which `boot-artifacts/` will be served; empty: the one in the inputs.
    """

    directory: Path
    base_iso: Path | None = None
    base_iso_sha256: str | None = None
    force: bool = False
    base_url: str = ""


class CreateResult(msgspec.Struct, frozen=True, kw_only=True):
    """The fields that all results of `create` have. Paths begin with the directory that the user named.

    credentials_expire: RFC 3339. hosts: "HOSTNAME (ROLE)" each.
    """

    schema: int = 1
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
class Prepared:
    """What `prepare` returns. `config`: the Ignition config of every host, JSON. `warnings`: findings in the inputs."""

    request: Request
    inputs: Inputs
    warnings: tuple[Finding, ...]
    base: BaseIso
    secrets: OneTimeData
    intent: ClusterIntent
    config: bytes

    @property
    def auth(self) -> AuthDirectory:
        return AuthDirectory(self.request.directory / AUTH)

    @property
    def kernel_arguments(self) -> tuple[str, ...]:
        return self.inputs.agent.kernel_arguments

    @property
    def base_url(self) -> str:
        """URL of the boot artifacts, without a slash at its end. Problem: `base-url-missing`, `base-url-invalid`."""
        url = self.request.base_url or self.inputs.agent.boot_artifacts_base_url
        if not url:
            raise Problem(
                code="base-url-missing",
                title="The hosts need the URL of the root image, and none is given.",
                remedy="Give --base-url http://ADDRESS/PATH, or bootArtifactsBaseURL in agent-config.yaml.",
            )
        if not _URL.fullmatch(url):
            raise Problem(
                code="base-url-invalid",
                title=f"{url} cannot be used in boot scripts: it is no http or https URL, or has special characters.",
                remedy="Write one like http://192.0.2.1:8080/site, of letters, digits and . _ ~ : / [ ] % + = @ -",
            )
        return url.rstrip("/")

    def write_credentials(self, *created: Path) -> None:
        """Write `auth/` and, last, `rendezvousIP`. If that fails, remove the `created` files: they are useless then."""
        try:
            self.auth.write(self.secrets, self.intent)
            Files(self.request.directory).write(RENDEZVOUS_IP, f"{self.intent.rendezvous_ip}\n")
        except BaseException as error:
            for path in created:
                path.unlink()
            if isinstance(error, OSError):
                failed = Path(error.filename2 or error.filename or self.request.directory)
                detail = f"Removed again: {', '.join(path.name for path in created)}."
                raise write_problem(failed, error, detail=detail) from error
            raise

    def common_fields(self) -> dict[str, Any]:
        """The fields of `CreateResult`."""
        return {
            "kubeconfig": str(self.auth.path / KUBECONFIG),
            "api_url": api_url(self.intent.api_address),
            "rendezvous_ip": self.intent.rendezvous_ip,
            "cluster_id": self.intent.cluster_id,
            "cluster": self.intent.domain,
            "hosts": tuple(f"{host.hostname} ({host.role})" for host in self.intent.hosts),
            "credentials_expire": self.secrets.tokens_expire.isoformat(),
            "base_build_id": self.base.release.build_id,
            "warnings": self.warnings,
        }


def prepare(request: Request) -> Prepared:
    """Check the inputs, read the base ISO, and obtain the secrets.

    Raises `ConfigurationError`, and the Problems of `AuthDirectory.obtain`, `newest_base_iso`, `live_config` and
    `check_sum`.
    """
    now = datetime.now(UTC)
    loaded = load_inputs(request.directory).with_findings(token_expiry(request.directory / AUTH, now))
    loaded.valid_inputs()
    base_iso = request.base_iso or newest_base_iso(Cache.of_user())
    if request.base_iso_sha256 is not None:
        check_sum(base_iso, request.base_iso_sha256)
    base = read_base_iso(base_iso)
    loaded = loaded.checked_against(base.release.payload)
    inputs = loaded.valid_inputs()
    auth = AuthDirectory(request.directory / AUTH)
    secrets = auth.obtain(_identity(inputs), now=now, force=request.force)
    intent = cluster_intent(
        inputs, cluster_id=secrets.cluster_id, infra_env_id=secrets.infra_env_id, created_at=secrets.created_at
    )
    config = live_config(intent, secrets, site_files(inputs, intent), inputs.agent.ignition_config_override)
    return Prepared(request, inputs, loaded.findings, base, secrets, intent, config)


def _identity(inputs: Inputs) -> Identity:
    return Identity(
        name=inputs.install.metadata.name,
        base_domain=inputs.install.base_domain,
        rendezvous_ip=inputs.agent.rendezvous_ip,
        api_address=api_address(inputs),
        token_lifetime_days=inputs.agent.token_lifetime_days,
    )
