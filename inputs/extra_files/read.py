"""Extra files that go into the image: `manifests/`, `openshift/`, `mirror/` and `checks/`."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from inputs.document.findings import Finding, FindingSeverity
from inputs.document.read import file_finding, text_of
from inputs.document.yaml_tree import YamlError
from inputs.extra_files.certificates import blocks, check_certificates
from inputs.extra_files.checks import Check, read_checks
from inputs.extra_files.manifests import Manifest, read_manifests
from inputs.extra_files.registries_conf import read_registries
from inputs.schema.registries import MirroredSource

MIRROR = "mirror"
REGISTRIES_CONF = "registries.conf"
CA_BUNDLE = "ca-bundle.crt"


@dataclass(frozen=True)
class ExtraFiles:
    """`certificates`: PEM, one each."""

    manifests: tuple[Manifest, ...] = ()
    mirrors: tuple[MirroredSource, ...] = ()
    certificates: tuple[str, ...] = ()
    checks: tuple[Check, ...] = ()


def read_extra_files(directory: Path) -> tuple[ExtraFiles, tuple[Finding, ...]]:
    """Reads the extra files in `directory`; all are optional."""
    manifests, findings = read_manifests(directory)
    mirror = directory / MIRROR
    mirrors: tuple[MirroredSource, ...] = ()
    certificates: tuple[str, ...] = ()
    for path in sorted(mirror.glob("*")):
        try:
            if path.name == REGISTRIES_CONF:
                mirrors, found = read_registries(str(path), text_of(path))
                findings += found
            elif path.name == CA_BUNDLE:
                text = text_of(path)
                certificates = blocks(text)
                findings += tuple(_certificate_findings(path, text))
            else:
                findings += (_unknown(path),)
        except YamlError as error:
            findings += (file_finding(path, error),)
    checks, wrong = read_checks(directory)
    return ExtraFiles(manifests, mirrors, certificates, checks), (*findings, *wrong)


def _certificate_findings(path: Path, text: str) -> Iterator[Finding]:
    for found in check_certificates(text, datetime.now(UTC)):
        yield Finding(
            file=str(path), line=found.line, column=1, path="", value="", code=found.code,
            rule=found.rule, remedy=found.remedy,
            severity=FindingSeverity.ERROR if found.is_fatal else FindingSeverity.WARNING,
        )  # fmt: skip


def _unknown(path: Path) -> Finding:
    return Finding(
        file=str(path), line=1, column=1, path="", value="", code="file-ignored",
        rule=f"This file is ignored: in {MIRROR}/ there are {REGISTRIES_CONF} and {CA_BUNDLE}.",
        remedy="Rename or remove it.", severity=FindingSeverity.WARNING,
    )  # fmt: skip
