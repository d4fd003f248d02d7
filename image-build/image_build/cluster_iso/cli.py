"""`cluster0 create image` and `create pxe-files`."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from cli.options import Output, directory_option, named, output_option

if TYPE_CHECKING:
    from image_build.cluster_iso.create import Created, CreatedPxeFiles
    from image_build.cluster_iso.prepare import CreateResult

Command = TypeVar("Command", bound=Callable[..., Any])


def _common_options(command: Command) -> Command:
    """The fields of `Request`, and `output`."""
    options: tuple[Callable[[Any], Any], ...] = (
        directory_option,
        click.option(
            "--base-iso",
            type=click.Path(dir_okay=False, path_type=Path),
            envvar="CLUSTER0_BASE_ISO",
            show_envvar=True,
            help="The base live ISO.  [default: the newest in the cache]",
        ),
        click.option("--base-iso-sha256", metavar="HEX", help="Refuse a base ISO with another checksum."),
        click.option(
            "--base-url",
            metavar="URL",
            default="",
            help="The address that serves DIR/boot-artifacts.  [default: bootArtifactsBaseURL of agent-config.yaml]",
        ),
        click.option("--force", is_flag=True, help="Make new credentials, which replace those in DIR/auth."),
        output_option,
    )
    for option in reversed(options):
        command = option(command)
    return command


@click.command("image", epilog="Needs no root and no network. Never changes the inputs.")
@_common_options
@click.option("--minimal", is_flag=True, help="Leave the root image out of the ISO: hosts fetch it from --base-url.")
def create_image(minimal: bool, output: Output, directory: Path, base_iso: Path | None, **request: Any) -> None:
    """Make DIR/agent.x86_64.iso from install-config.yaml and agent-config.yaml, or from DIR/cluster-manifests.

    One ISO serves all hosts. DIR/auth gets the cluster's kubeconfig, which works once the Kubernetes API answers, and
    tokens for node0's API. The same inputs and the same DIR/auth give the same bytes again.

    \b
    Examples:
      cluster0 create image --dir site
      cluster0 create image --dir site --base-iso base.iso
      cluster0 create image --dir site --minimal --base-url http://192.0.2.1/site
    """
    from cli.cluster_directory import ISO
    from image_build.cache import Cache
    from image_build.cluster_iso.copy_ahead import copying_ahead
    from image_build.cluster_iso.find_base_iso import built_base_iso

    base = base_iso or built_base_iso(Cache.of_user())
    with copying_ahead(None if minimal else base, directory / ISO) as copy:
        # Imported while the copy runs: the imports take as long as the work on the inputs.
        from image_build.cluster_iso.create import create_image as make
        from image_build.cluster_iso.prepare import Request

        created = make(Request(directory=directory, base_iso=base, **request), copy, minimal=minimal)
    _print(created, output, created.iso, lambda: _about_iso(created, directory))


@click.command("pxe-files", epilog="Needs no root and no network. Never changes the inputs.")
@_common_options
def create_pxe_files(output: Output, **request: Any) -> None:
    """Make DIR/boot-artifacts for hosts that boot over the network: kernel, initramfs, root image, iPXE script.

    The script loads kernel and initramfs. The initramfs fetches the root image into memory and verifies its checksum.
    For that it sets up NICs, bonds, VLANs and bridges as agent-config.yaml lists them for its MAC addresses. A host
    that is not listed uses DHCP. A host keeps the root image in memory (about 400 MB) until it is installed.

    An installed host that boots from the network again goes on from its disk. The script has the lines that install
    hosts again.

    \b
    Examples:
      cluster0 create pxe-files --dir site --base-url http://192.0.2.1/site
    """
    from image_build.cluster_iso.create import create_pxe_files as make
    from image_build.cluster_iso.prepare import Request

    created = make(Request(**request))
    _print(created, output, created.script, lambda: _about_pxe_files(created, request["directory"]))


def _print(created: CreateResult, output: Output, result: str, about: Callable[[], str]) -> None:
    from cli.findings_text import text
    from cli.json_output import echo_json

    if output is Output.JSON:
        echo_json(created)
        return
    if created.warnings:
        click.echo(f"{text(created.warnings)}\n", err=True)
    click.echo(result)
    click.echo(about(), err=True)


def _about_iso(created: Created, directory: Path) -> str:
    first = "Attach the ISO to every host as virtual media, or write it to a stick:"
    steps = [
        *([_serving(created.served, created.base_url)] if created.served else []),
        f"{first}\n       dd if={named(Path(created.iso))} of=/dev/STICK bs=4M conv=fsync status=progress",
        "Start the hosts from it.",
    ]
    size = f"{created.iso_size / 1e6:.0f} MB, holds the cluster's keys: keep it secret"
    return _about(created, created.iso, {"size": size}, steps, directory)


def _about_pxe_files(created: CreatedPxeFiles, directory: Path) -> str:
    steps = [
        _serving((*created.public, created.secret, created.script), created.base_url),
        f"Let the hosts' iPXE chain to {created.base_url}/{Path(created.script).name}; other boot loaders: kernel\n"
        "     arguments as in the script, and both archives, in its order, as initrd.",
        "Start the hosts from the network. A host that is installed goes on from its disk, also where it tries the\n"
        "     network first.",
    ]
    secret = f"{created.secret} holds the cluster's keys: serve it to the hosts only"
    return _about(created, created.script, {"secret": secret}, steps, directory)


def _serving(files: tuple[str, ...], url: str) -> str:
    return "\n       ".join((f"Serve these files below {url}:", *files))


def _about(created: CreateResult, result: str, facts: dict[str, str], steps: list[str], directory: Path) -> str:
    facts = facts | {
        "kubeconfig": f"{created.kubeconfig}  ({created.api_url})",
        "node0": created.rendezvous_ip,
        "boot before": f"{created.credentials_expire[:16].replace('T', ' ')} UTC, when its tokens expire",
    }
    steps = [*steps, f"cluster0 wait-for install-complete --dir {named(directory)}"]
    return "\n".join([
        f"\n{result} installs {created.cluster}: {', '.join(created.hosts)}",
        *(f"  {name:<13} {value}" for name, value in facts.items()),
        "\nNext:",
        *(f"  {number}. {words}" for number, words in enumerate(steps, start=1)),
    ])  # fmt: skip
