"""Which Debian packages went in, and their licences, read from the roots that the builds left."""

from __future__ import annotations

import re
import tarfile
from collections.abc import Iterator, Sequence
from pathlib import Path

from agent.model.payload import Package


def packages_listed(listing: Path, use: str) -> list[Package]:
    """From a file with `name version` on each line."""
    pairs = (line.split() for line in listing.read_text().splitlines())
    return [Package(name=name, version=version, use=use) for name, version in pairs]


def upstream_version(packages: Sequence[Package], name: str) -> str:
    """`1:1.35.0-4+deb12u1` is 1.35.0: without Debian's epoch and revision, fit for a tag."""
    version = next(package.version for package in packages if package.name == name)
    return version.rpartition(":")[2].partition("-")[0]


def copy_licences(root: Path, directory: Path, prefix: str) -> None:
    """Put the copyright files from the tar of a root directory into `directory`, as `PREFIX.NAME.copyright`."""
    with tarfile.open(root) as tar:
        for name, text in _copyright_files(tar):
            (directory / f"{prefix}.{name}.copyright").write_bytes(text)


def _copyright_files(tar: tarfile.TarFile) -> Iterator[tuple[str, bytes]]:
    for member in tar:
        found = re.fullmatch(r"\./usr/share/doc/([^/]+)/copyright", member.name)
        content = tar.extractfile(member) if found and member.isfile() else None
        if found and content:
            yield found[1], content.read()
