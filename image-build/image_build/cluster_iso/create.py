"""The sequences of `cluster0 create image` and `create pxe-files`.

The ISO appears, complete or not at all; or the boot artifacts one by one, the iPXE script that starts hosts last. Then
`auth/` appears, and last `rendezvousIP`, by which `wait-for` finds node0.
"""

from __future__ import annotations

from pathlib import Path

from cli.cluster_directory import BOOT_ARTIFACTS, ISO
from image_build.cluster_iso import embed
from image_build.cluster_iso.boot_artifacts import write_ipxe_files, write_served_files
from image_build.cluster_iso.copy_ahead import CopyAhead
from image_build.cluster_iso.minimal_iso import write_minimal_iso
from image_build.cluster_iso.network_medium import second_initramfs
from image_build.cluster_iso.prepare import CreateResult, Prepared, Request, prepare
from image_build.iso_format import kargs
from image_build.iso_format.kargs import BootVariable


class Created(CreateResult, frozen=True, kw_only=True):
    """`iso_size` in bytes. `served`: files that must be at `base_url` while hosts boot; empty for a full ISO."""

    iso: str
    iso_size: int
    served: tuple[str, ...] = ()
    base_url: str = ""


class CreatedPxeFiles(CreateResult, frozen=True, kw_only=True):
    """`public`: files without secrets; `secret`: the file with them."""

    script: str
    public: tuple[str, ...]
    secret: str
    base_url: str


def create_image(request: Request, copy: CopyAhead, *, minimal: bool = False) -> Created:
    """`copy`: of the request's base ISO; it becomes the ISO, unless that is a minimal one.

    Problem: those of `prepare`, `embed.customise`, `write_minimal_iso`.
    """
    prepared = prepare(request)
    iso = request.directory / ISO
    minimal = minimal or prepared.inputs.agent.minimal_iso
    served = _write_minimal(prepared, iso) if minimal else _write(prepared, copy)
    prepared.write_credentials(iso)
    return Created(
        **prepared.common_fields(),
        iso=str(iso),
        iso_size=iso.stat().st_size,
        served=tuple(map(str, served)),
        base_url=prepared.base_url if minimal else "",
    )


def create_pxe_files(request: Request) -> CreatedPxeFiles:
    """Problem: those of `prepare`, `second_initramfs`, `write_served_files`."""
    prepared = prepare(request)
    url, hosts = prepared.base_url, prepared.intent.hosts
    second = second_initramfs(prepared.base, prepared.config, hosts, base_url=url)
    directory = request.directory / BOOT_ARTIFACTS
    public = write_served_files(prepared.base, directory)
    secret, script = write_ipxe_files(
        directory, second,
        cluster=prepared.intent.domain, base_url=url, kernel_arguments=prepared.kernel_arguments,
    )  # fmt: skip
    prepared.write_credentials(secret, script)
    return CreatedPxeFiles(
        **prepared.common_fields(), script=str(script), public=tuple(map(str, public)), secret=str(secret), base_url=url
    )


def _write(prepared: Prepared, copy: CopyAhead) -> tuple[Path, ...]:
    embed.customise(copy, prepared.base, prepared.config, _boot_variables(prepared))
    return ()


def _write_minimal(prepared: Prepared, iso: Path) -> tuple[Path, ...]:
    second = second_initramfs(prepared.base, prepared.config, prepared.intent.hosts, base_url=prepared.base_url)
    served = write_served_files(prepared.base, iso.parent / BOOT_ARTIFACTS)
    write_minimal_iso(prepared.base, iso, second, _boot_variables(prepared, kargs.NETWORK_MEDIUM))
    return served


def _boot_variables(prepared: Prepared, *more: str) -> dict[BootVariable, str]:
    return {
        BootVariable.CLUSTER_ID: prepared.secrets.cluster_id,
        BootVariable.EXTRA_KARGS: " ".join((*more, *prepared.kernel_arguments)),
    }
