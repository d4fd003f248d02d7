"""The story of a payload: fetch, check against kubeadm, assemble, hand out."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from agent.model.problems import Problem
from cli.command import Commands, require_programs
from cli.progress import step
from image_build.cache import Cache, Workplace, cache_key
from image_build.payload import kubeadm
from image_build.payload.assemble import assemble
from image_build.payload.source import Ingredients, Source


def payload_key(source: Source) -> str:
    """Under which `build_payload` keeps it. Our own code counts too: what it makes of the same inputs may change."""
    own_code = sorted(Path(__file__).parent.glob("*.py"))
    return cache_key([source.kind, *source.inputs(), *own_code])


def build_payload(source: Source, cache: Cache) -> Path:
    """The payload's directory in the cache; built now if it is not there yet."""
    return cache.obtain("payload", payload_key(source), lambda place: _make(source, place, cache))


def _make(source: Source, place: Workplace, cache: Cache) -> None:
    require_programs(source.programs_needed())
    ingredients = source.fetch(place, cache)
    commands = Commands(place.log)
    release = kubeadm.version(ingredients.programs["kubeadm"], commands)
    with step(f"Images that kubeadm {release} asks for are there"):
        required = _required(ingredients, place, commands)
        refuse_incomplete(required, ingredients.images)
    with step("Payload directory") as assembling:
        payload = assemble(source.kind, release, required, ingredients, place.result)
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
            title=f"kubeadm will ask for images that the payload does not have: {', '.join(missing)}",
            remedy="A cluster made from this payload could not start. Check the release and the registry.",
        )
