"""`cluster0 image`: the base live ISO, built once per release."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import click
from rich.console import Console

from agent.model.problems import Problem
from cli.progress import already
from image_build.base_iso.build import build_iso, forget_old, gather, kept_iso
from image_build.base_iso.recipe import DEFAULT_EMBED_AREA, DEFAULT_SUITE, Recipe
from image_build.base_iso.sizes import show
from image_build.cache import Cache
from image_build.payload.build import build_payload
from image_build.payload.debian import DebianSource


@click.group()
def image() -> None:
    """The base live ISO, from which `create image` makes a cluster's."""


@image.command(epilog="Prints the ISO's path; everything else goes to standard error.")
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path, dir_okay=False),
    help="The ISO to write.  [default: into the cache, where `create image` finds it]",
)
@click.option(
    "--payload",
    type=click.Path(path_type=Path, file_okay=False),
    help="Directory that `cluster0 payload build` wrote.  [default: the debian payload, built if it is not cached]",
)
@click.option("--suite", default=DEFAULT_SUITE, show_default=True, help="Debian release of the root image.")
@click.option(
    "--mirror",
    "mirrors",
    multiple=True,
    help="apt source: an address, or a whole `deb …` line; may be repeated. A snapshot makes the build reproducible.",
)
@click.option("--release", is_flag=True, help="Compress for size: minutes instead of seconds, about a tenth smaller.")
@click.option("--firmware", is_flag=True, help="Add firmware for server NICs and CPUs (non-free, about 30 MB).")
@click.option(
    "--embed-area",
    type=click.IntRange(1, 256),
    default=DEFAULT_EMBED_AREA >> 20,
    show_default=True,
    metavar="MIB",
    help="Room for a cluster's compressed Ignition config.",
)
def build(
    output: Path | None,
    payload: Path | None,
    suite: str,
    mirrors: tuple[str, ...],
    release: bool,
    firmware: bool,
    embed_area: int,
) -> None:
    """Build the base ISO from Debian packages and a payload. Needs root.

    The ISO boots from CD and, copied with dd, from a USB stick; by BIOS and by UEFI with Secure Boot. It holds every
    container image that the cluster needs, unpacked; the build fails and names the images that are missing.

    \b
    Examples:
      cluster0 image build
      cluster0 image build --payload DIR --release --firmware -o base.iso
      cluster0 image build --mirror http://snapshot.example/archive/debian/20260101T000000Z/ -o base.iso
    """
    _require_root()
    cache = Cache.of_user()
    recipe = Recipe(
        payload=payload or build_payload(DebianSource(None), cache),
        suite=suite, mirrors=mirrors, compress_small=release, firmware=firmware, embed_area=embed_area << 20,
    )  # fmt: skip
    ingredients = gather(recipe, cache)
    path = output or kept_iso(ingredients, cache)
    if output is None and path.exists():
        path.touch()  # `create image` uses the newest
        already("Base ISO", "from the cache")
    else:
        path.parent.mkdir(parents=True, exist_ok=True)
        built = build_iso(ingredients, path, cache)
        show(built.iso, built.tree, Console(file=sys.stderr))
    forget_old(cache)
    click.echo(path)


def _require_root() -> None:
    if os.geteuid() != 0:
        raise Problem(
            code="root-required",
            title="Building the base ISO needs root.",
            detail="A root file system has files of many owners, and containerd mounts while it unpacks images.",
            remedy="Run it again with sudo. `cluster0 create image` needs no root.",
        )
