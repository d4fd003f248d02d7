"""Copies ingredients into a payload's directory and writes its manifest."""

from __future__ import annotations

import hashlib
import re
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path

import msgspec

from agent.model.payload import Binary, Image, KubeadmApi, PayloadManifest, PayloadSource
from agent.model.problems import Problem
from image_build.payload.kubeadm import name_of
from image_build.payload.oci import write_archive
from image_build.payload.source import Ingredients

MANIFEST = "manifest.json"


def assemble(
    kind: PayloadSource, release: str, required: Sequence[str], ingredients: Ingredients, directory: Path
) -> PayloadManifest:
    """Fill the empty `directory`; `required`: the references that kubeadm requires."""
    programs = _copy_programs(ingredients.programs, directory / "bin")
    plugins = _copy_programs(ingredients.cni, directory / "cni")
    (directory / "images").mkdir()
    images = tuple(_archive(reference, layout, directory) for reference, layout in sorted(ingredients.images.items()))
    named = {name_of(reference): reference for reference in required}
    payload = PayloadManifest(
        kubernetes_version=release,
        source=kind,
        kubeadm_api=KubeadmApi.of(release),
        # kube-apiserver is always directly in kubeadm's repository; CoreDNS may be deeper.
        image_repository=named["kube-apiserver"].rpartition("/")[0],
        binaries=(*programs, *plugins),
        images=images,
        network_plugin=ingredients.network_plugin,
        network_manifests=_copy_files(ingredients.manifests, directory, "manifests"),
        pause=named["pause"],
        etcd=named["etcd"],
        coredns=named.get("coredns"),
        cni_plugins=ingredients.cni_plugins,
        packages=tuple(sorted(ingredients.packages, key=lambda package: (package.use, package.name))),
        licences=_copy_files(sorted(ingredients.licences.iterdir()), directory, "licences"),
        notes=tuple(ingredients.notes),
    )
    (directory / MANIFEST).write_bytes(msgspec.json.format(msgspec.json.encode(payload), indent=2) + b"\n")
    return payload


def read_manifest(directory: Path) -> PayloadManifest:
    """The manifest in a payload's directory. Raises `Problem` (`not-a-payload`) when it is missing or invalid."""
    try:
        return msgspec.json.decode((directory / MANIFEST).read_bytes(), type=PayloadManifest)
    except (OSError, msgspec.ValidationError, msgspec.DecodeError) as error:
        raise Problem(
            code="not-a-payload",
            title=f"{directory} is not a payload",
            detail=str(error),
            remedy="Make one with: cluster0 payload build --source debian -o DIR",
        ) from error


def _copy_programs(programs: Mapping[str, Path], folder: Path) -> tuple[Binary, ...]:
    if programs:
        folder.mkdir()
    return tuple(_copy_program(name, source, folder) for name, source in sorted(programs.items()))


def _copy_program(name: str, source: Path, folder: Path) -> Binary:
    target = folder / name
    shutil.copyfile(source, target)
    target.chmod(0o755)
    with target.open("rb") as content:
        checksum = hashlib.file_digest(content, "sha256").hexdigest()
    return Binary(name=name, path=f"{folder.name}/{name}", sha256=checksum, size=target.stat().st_size)


def _archive(reference: str, layout: Path, directory: Path) -> Image:
    path = f"images/{_file_name(reference)}.tar"
    digest = write_archive(layout, reference, directory / path)
    return Image(reference=reference, archive=path, digest=digest, size=(directory / path).stat().st_size)


def _file_name(reference: str) -> str:
    """Readable, and unique for each reference."""
    readable = re.sub(r"[^A-Za-z0-9.-]", "_", reference.rpartition("/")[2])
    return f"{readable}-{hashlib.sha256(reference.encode()).hexdigest()[:8]}"


def _copy_files(files: Sequence[Path], directory: Path, folder: str) -> tuple[str, ...]:
    (directory / folder).mkdir()
    for file in files:
        shutil.copyfile(file, directory / folder / file.name)
    return tuple(f"{folder}/{file.name}" for file in files)
