"""Container images as OCI archives, written without a container runtime and the same for the same content.

Times, owners and the order of entries are fixed, layers are not compressed (the image store unpacks them anyway).
Specification: https://github.com/opencontainers/image-spec, version 1.0.
"""

from __future__ import annotations

import hashlib
import json
import tarfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import Any

MANIFEST_TYPE = "application/vnd.oci.image.manifest.v1+json"
CONFIG_TYPE = "application/vnd.oci.image.config.v1+json"
LAYER_TYPE = "application/vnd.oci.image.layer.v1.tar"

LONG_AGO = "1970-01-01T00:00:00Z"


class Layer:
    """A tar that is being written. Entries belong to root and are dated 1970; parents are created as needed."""

    def __init__(self, archive: tarfile.TarFile) -> None:
        self._archive = archive
        self._directories: set[PurePosixPath] = set()

    @classmethod
    @contextmanager
    def writing(cls, path: Path) -> Iterator[Layer]:
        with tarfile.open(path, "w", format=tarfile.PAX_FORMAT) as archive:
            yield cls(archive)

    def add_file(self, target: str, source: Path, mode: int = 0o755) -> None:
        """Put the local file `source` at `target`, a path without a leading slash."""
        entry = self._entry(target, mode)
        entry.size = source.stat().st_size
        with source.open("rb") as content:
            self._archive.addfile(entry, content)

    def add_link(self, target: str, to: str) -> None:
        entry = self._entry(target, 0o777)
        entry.type, entry.linkname = tarfile.SYMTYPE, to
        self._archive.addfile(entry)

    def add_tar(self, path: Path, keep: Callable[[str], bool]) -> None:
        """Copy the entries of another tar whose names (without `./`) satisfy `keep`; never device nodes."""
        with tarfile.open(path) as other:
            for member in other:
                name = member.name.removeprefix("./")
                if not keep(name) or member.isdev():
                    continue
                if member.isdir():
                    self._add_directory(PurePosixPath(name), member.mode)
                    continue
                entry = self._entry(name, member.mode)
                entry.type, entry.size = member.type, member.size
                entry.linkname = member.linkname.removeprefix("./") if member.islnk() else member.linkname
                self._archive.addfile(entry, other.extractfile(member) if member.isreg() else None)

    def _entry(self, name: str, mode: int) -> tarfile.TarInfo:
        self._add_directory(PurePosixPath(name).parent, 0o755)
        entry = tarfile.TarInfo(name)
        entry.mode = mode
        return entry

    def _add_directory(self, path: PurePosixPath, mode: int) -> None:
        if path in self._directories or path == PurePosixPath("."):
            return
        entry = self._entry(str(path), mode)
        entry.type = tarfile.DIRTYPE
        self._archive.addfile(entry)
        self._directories.add(path)


@dataclass(frozen=True)
class ImageConfig:
    """What a container of the image runs. `labels`: for people."""

    entrypoint: Sequence[str]
    environment: Sequence[str] = ("PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",)
    labels: Mapping[str, str] = field(default_factory=dict)

    def document(self, layer_digest: str) -> dict[str, Any]:
        return {
            "created": LONG_AGO,
            "architecture": "amd64",
            "os": "linux",
            "config": {"Env": list(self.environment), "Entrypoint": list(self.entrypoint), "Labels": dict(self.labels)},
            "rootfs": {"type": "layers", "diff_ids": [layer_digest]},
            "history": [{"created": LONG_AGO, "created_by": "cluster0 payload build"}],
        }


def write_layout(layout: Path, layer: Path, config: ImageConfig) -> None:
    """Make the OCI layout directory `layout` with one image of one layer; the file `layer` is moved into it."""
    blobs = layout / "blobs/sha256"
    blobs.mkdir(parents=True)
    layer_entry = _descriptor(LAYER_TYPE, _digest_of_file(layer), layer.stat().st_size)
    layer.rename(layout / _blob(layer_entry["digest"]))
    config_entry = _add_blob(layout, CONFIG_TYPE, config.document(layer_entry["digest"]))
    manifest = {"schemaVersion": 2, "mediaType": MANIFEST_TYPE, "config": config_entry, "layers": [layer_entry]}
    index = {"schemaVersion": 2, "manifests": [_add_blob(layout, MANIFEST_TYPE, manifest)]}
    (layout / "index.json").write_bytes(_json(index))
    (layout / "oci-layout").write_bytes(_json({"imageLayoutVersion": "1.0.0"}))


def write_archive(layout: Path, reference: str, archive: Path) -> str:
    """Pack a layout of one image into a tar that containerd imports under exactly `reference`; return its digest."""
    index = json.loads((layout / "index.json").read_bytes())
    (entry,) = index["manifests"]
    # containerd reads the full name from its own annotation, other tools from the specification's.
    entry["annotations"] = {"io.containerd.image.name": reference, "org.opencontainers.image.ref.name": reference}
    (layout / "index.json").write_bytes(_json(index))
    with Layer.writing(archive) as tar:
        for file in (layout / "oci-layout", layout / "index.json", *sorted((layout / "blobs/sha256").iterdir())):
            tar.add_file(str(file.relative_to(layout)), file, 0o644)
    digest: str = entry["digest"]
    return digest


def _add_blob(layout: Path, media_type: str, document: object) -> dict[str, Any]:
    content = _json(document)
    digest = f"sha256:{hashlib.sha256(content).hexdigest()}"
    (layout / _blob(digest)).write_bytes(content)
    return _descriptor(media_type, digest, len(content))


def _descriptor(media_type: str, digest: str, size: int) -> dict[str, Any]:
    return {"mediaType": media_type, "digest": digest, "size": size}


def _digest_of_file(path: Path) -> str:
    with path.open("rb") as content:
        return f"sha256:{hashlib.file_digest(content, 'sha256').hexdigest()}"


def _blob(digest: str) -> str:
    return f"blobs/sha256/{digest.removeprefix('sha256:')}"


def _json(document: object) -> bytes:
    return json.dumps(document, sort_keys=True, separators=(",", ":")).encode()
