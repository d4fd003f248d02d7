"""The sequence of a payload build: fetch, check against kubeadm, assemble, copy out of the cache."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterable
from pathlib import Path

from agent.model.problems import Problem
from cli.command import Commands, require_programs
from image_build.cache import Cache, Workplace, cache_key
from image_build.payload import kubeadm
from image_build.payload.assemble import MANIFEST, assemble
from image_build.payload.source import Ingredients, Source


def payload_key(source: Source) -> str:
    """The cache key of `build_payload`. It includes our own code, because a change of it may change the result."""
    own_code = sorted(Path(__file__).parent.glob("*.py"))
    return cache_key([source.kind, *source.inputs(), *own_code])


def build_payload(source: Source, cache: Cache) -> Path:
    """The payload's directory in the cache; built now if it does not exist."""
    return cache.obtain("payload", payload_key(source), lambda place: _make(source, place, cache))


def _make(source: Source, place: Workplace, cache: Cache) -> None:
    require_programs(source.programs_needed())
    ingredients = source.fetch(place, cache)
    commands = Commands(place.log)
    version = kubeadm.version(ingredients.programs["kubeadm"], commands)
    with cache.step(f"Check of the images that kubeadm {version} requires", 1):
        required = _required(ingredients, place, commands)
        refuse_incomplete(required, ingredients.images)
    with cache.step("Payload directory", 3) as assembling:
        payload = assemble(source.kind, version, required, ingredients, place.result)
        assembling.note = f"{len(payload.images)} images, {sum(image.size for image in payload.images) // 1_000_000} MB"


def _required(ingredients: Ingredients, place: Workplace, commands: Commands) -> tuple[str, ...]:
    references = kubeadm.required_images(
        ingredients.programs["kubeadm"], place.scratch, commands,
        image_repository=ingredients.image_repository, etcd_tag=ingredients.etcd_tag,
    )  # fmt: skip
    return tuple(reference for reference in references if kubeadm.name_of(reference) not in ingredients.without)


def refuse_incomplete(required: Iterable[str], present: Iterable[str]) -> None:
    """Raise `Problem` (`payload-incomplete`) that names every required reference which is not present."""
    missing = sorted(set(required) - set(present))
    if missing:
        raise Problem(
            code="payload-incomplete",
            title=f"kubeadm requires images that the payload does not have: {', '.join(missing)}",
            remedy="A cluster made from this payload could not start. Check the release and the registry.",
        )


def deliver(entry: Path, output: Path) -> None:
    """Make `output` a copy of the payload `entry`, by hard links where the file system allows them.

    An older payload there is replaced in one step; anything else is refused: Problem `output-in-use`.
    """
    output = output.resolve()
    if output.exists() and not (output / MANIFEST).exists() and (not output.is_dir() or any(output.iterdir())):
        raise Problem(
            code="output-in-use",
            title=f"{output} exists and is not a payload",
            remedy="Give an empty or a new directory with -o.",
        )
    output.parent.mkdir(parents=True, exist_ok=True)
    fresh, stale = (output.with_name(f".{output.name}.{word}") for word in ("new", "old"))
    for leftover in (fresh, stale):
        shutil.rmtree(leftover, ignore_errors=True)
    try:
        shutil.copytree(entry, fresh, copy_function=_link_or_copy)
        if output.exists():
            output.rename(stale)
        fresh.rename(output)
    finally:
        shutil.rmtree(fresh, ignore_errors=True)
        shutil.rmtree(stale, ignore_errors=True)


def _link_or_copy(source: str, target: str) -> None:
    try:
        os.link(source, target)
    except OSError:
        shutil.copy2(source, target)
