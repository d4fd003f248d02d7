"""A network plugin's published YAML manifests, and the images that they name and the payload must contain."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import yaml

from agent.model.problems import Problem

CONTAINER_LISTS = {"containers", "initContainers"}


def manifests_in(directory: Path) -> list[Path]:
    """Its YAML files, sorted by name, which is the order in which they are applied."""
    files = sorted(path for path in directory.iterdir() if path.suffix in {".yaml", ".yml"})
    if not files:
        raise Problem(
            code="no-manifests",
            title=f"{directory} has no *.yaml",
            remedy="Put the network plugin's manifests there, or leave --network-plugin out for host-gateway.",
        )
    return files


def images_in(files: Sequence[Path]) -> list[str]:
    """Every image of containers in the manifests, sorted."""
    return sorted({image for file in files for image in _images_in_file(file)})


def _images_in_file(file: Path) -> Iterator[str]:
    try:
        for document in yaml.safe_load_all(file.read_text()):
            yield from _images_below(document)
    except yaml.YAMLError as error:
        raise Problem(code="manifest-unreadable", title=f"{file} is not YAML", detail=str(error)) from error


def _images_below(node: object) -> Iterator[str]:
    match node:
        case dict():
            for key, value in node.items():
                if key in CONTAINER_LISTS:
                    yield from _images_of(value)
                else:
                    yield from _images_below(value)
        case list():
            for value in node:
                yield from _images_below(value)
        case _:
            pass


def _images_of(containers: object) -> Iterator[str]:
    for container in containers if isinstance(containers, list) else []:
        match container:
            case {"image": str(image)}:
                yield image
            case _:
                pass
