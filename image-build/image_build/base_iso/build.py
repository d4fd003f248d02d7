"""The sequence of a base ISO build. Parts that change rarely come from the cache; the rest takes seconds."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path

import msgspec

from agent.model.payload import PayloadManifest
from cli.command import Commands, require_programs
from cli.progress import say
from image_build import iso_format
from image_build.base_iso import sizes
from image_build.base_iso.debian_root import debian_root
from image_build.base_iso.image_store import image_store, require_every_image
from image_build.base_iso.initramfs import Initramfs, initramfs
from image_build.base_iso.live_iso import LiveFiles, write_live_iso
from image_build.base_iso.programs import require_libnmstate, sources
from image_build.base_iso.recipe import INGREDIENTS, UNITS, Recipe
from image_build.base_iso.root_image import Parts, compose_root, write_squashfs
from image_build.cache import Cache, cache_key
from image_build.iso_format.release import ImageRelease
from image_build.payload.assemble import read_manifest
from image_build.reproducible import source_date_epoch, tree_hash

_PROGRAMS = {
    "mmdebstrap": "mmdebstrap", "mksquashfs": "squashfs-tools", "xorriso": "xorriso", "mcopy": "mtools",
    "mkfs.fat": "dosfstools", "grub-mkimage": "grub-common", "unshare": "util-linux",
}  # fmt: skip

# The step of mksquashfs, and its typical seconds: fast, and small.
_SQUASHFS = {False: ("Root image", 20), True: ("Root image, compressed for size", 300)}

KEPT = 3
"""How many base ISOs the cache keeps: each change of our programs needs a new one."""


@dataclass(frozen=True)
class BuiltIso:
    """The result of a build. Sizes in bytes; `tree`: before compression."""

    path: Path
    iso: list[sizes.Size]
    tree: list[sizes.Size]


@dataclass(frozen=True)
class Ingredients:
    """All inputs of a base ISO; `parts.release.build_id` identifies them."""

    recipe: Recipe
    parts: Parts
    initramfs: Initramfs


def gather(recipe: Recipe, cache: Cache) -> Ingredients:
    """The parts that change rarely, built or from the cache. Needs root.

    Problem: `program-missing`, `library-missing`, `command-failed`, `not-a-payload`, `image-missing`.
    """
    require_programs(_PROGRAMS)
    require_libnmstate()
    payload = read_manifest(recipe.payload)
    debian = debian_root(recipe, cache)
    made = initramfs(debian, cache)
    store = image_store(debian, recipe.payload, payload, cache)
    require_every_image(payload, store.references)
    say(f"{len(store.references)} container images: all that the cluster needs")
    release = _release(recipe, debian, made, payload)
    return Ingredients(recipe, Parts(debian, recipe.payload, payload, store, release), made)


def build_iso(ingredients: Ingredients, output: Path, cache: Cache) -> BuiltIso:
    """Writes the base ISO at `output`, complete or not at all. Problem: `command-failed`."""
    with _workplace(output, cache) as place:
        return _assemble(ingredients.recipe, ingredients.parts, ingredients.initramfs, place)


def kept_iso(ingredients: Ingredients, cache: Cache) -> Path:
    """The path of the ISO of these ingredients in the cache, where `create image` uses the newest."""
    return cache.root / "base-iso" / f"{ingredients.parts.release.build_id}.iso"


def forget_old(cache: Cache) -> None:
    """Removes all but the `KEPT` newest base ISOs from the cache."""
    isos = sorted((cache.root / "base-iso").glob("*.iso"), key=lambda path: path.stat().st_mtime)
    for old in isos[:-KEPT]:
        old.unlink()


@dataclass(frozen=True)
class _Workplace:
    scratch: Path
    partial: Path
    output: Path
    cache: Cache
    commands: Commands


def _assemble(recipe: Recipe, parts: Parts, made: Initramfs, place: _Workplace) -> BuiltIso:
    tree, image = place.scratch / "root", place.scratch / "rootfs.img"
    with place.cache.step("Root tree: configuration, units, programs, payload", 10):
        compose_root(parts, tree, place.commands)
    title, typically = _SQUASHFS[recipe.compress_small]
    with place.cache.step(title, typically) as running:
        write_squashfs(tree, image, small=recipe.compress_small, commands=place.commands)
        running.note = f"{image.stat().st_size / 1e6:.0f} MB"
    (kernel,) = (tree / "boot").glob("vmlinuz-*")
    live = LiveFiles(kernel, made, image)
    with place.cache.step("ISO", 5) as running:
        write_live_iso(
            live, place.partial, root=tree, release=parts.release, embed_area=recipe.embed_area,
            epoch=source_date_epoch(), scratch=place.scratch, commands=place.commands,
        )  # fmt: skip
        place.partial.replace(place.output)
        running.note = f"{place.output.stat().st_size / 1e6:.0f} MB"
    return BuiltIso(place.output, _iso_sizes(live, place.output), sizes.tree_sizes(tree))


def _iso_sizes(live: LiveFiles, output: Path) -> list[sizes.Size]:
    parts = [sizes.Size(f"/{name}", path.stat().st_size) for name, path in live.by_path().items()]
    whole = output.stat().st_size
    rest = whole - sum(part.bytes for part in parts)
    return [*parts, sizes.Size("boot loaders, embed area, file system", rest), sizes.Size("ISO", whole)]


def _release(recipe: Recipe, debian: Path, made: Initramfs, payload: PayloadManifest) -> ImageRelease:
    packages = msgspec.json.decode((debian / "packages.json").read_bytes(), type=dict[str, str])
    ours = [
        tree_hash(path, included=lambda file: "__pycache__" not in file.parts)
        for path in (Path(__file__).parent, Path(iso_format.__file__).parent, INGREDIENTS, UNITS, *sources())
    ]
    build_id = cache_key([
        made.directory.name, *ours, str(recipe.compress_small), str(recipe.embed_area), str(source_date_epoch()),
        msgspec.json.encode(payload).decode(), msgspec.json.encode(packages, order="sorted").decode(),
    ])  # fmt: skip
    return ImageRelease(
        build_id=build_id, version=version("cluster0"), suite=recipe.suite, packages=packages, payload=payload
    )


@contextmanager
def _workplace(output: Path, cache: Cache) -> Iterator[_Workplace]:
    """Scratch space on the file system of the cache, because it gets hard links; the ISO grows next to its place."""
    partial = output.with_name(f".{output.name}.partial")
    log = cache.root / "image-build.log"
    log.write_bytes(b"")
    with tempfile.TemporaryDirectory(dir=cache.root, prefix="image-") as scratch:
        try:
            yield _Workplace(
                Path(scratch), partial, output, cache, Commands(log, {"SOURCE_DATE_EPOCH": str(source_date_epoch())})
            )
        finally:
            partial.unlink(missing_ok=True)
