"""The story of `cluster0 create pxe-files`: the files appear one by one, the iPXE script that starts hosts last."""

from __future__ import annotations

from cli.cluster_directory import BOOT_ARTIFACTS
from image_build.cluster_iso.boot_artifacts import write_ipxe_files, write_served_files
from image_build.cluster_iso.medium import second_initramfs
from image_build.cluster_iso.prepare import Made, Request, prepare


class CreatedPxeFiles(Made, frozen=True, kw_only=True):
    """`public`: files without secrets; `secret`: the one with them."""

    script: str
    public: tuple[str, ...]
    secret: str
    base_url: str


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
    prepared.keep(secret, script)
    return CreatedPxeFiles(
        **prepared.facts(), script=str(script), public=tuple(map(str, public)), secret=str(secret), base_url=url
    )
