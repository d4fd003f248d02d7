"""Reads the files of `cluster-manifests/`, and checks each by itself."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from inputs.document.findings import Finding, FindingSeverity
from inputs.document.read import read_all
from inputs.document.source import Path as TreePath
from inputs.document.source import Source
from inputs.document.yaml_tree import YamlNode
from inputs.manifests.field_mappings import FIELD_MAPPINGS, InputFile
from inputs.manifests.hosts import FIELDS
from inputs.manifests.kinds import INFRA_ENV, KINDS, NMSTATE_CONFIG, SETTINGS, Kind
from inputs.manifests.references import REFERENCES, SELECTOR
from inputs.schema.check import unknown_field, unsupported_findings

FILES = tuple(kind.file for kind in KINDS)

_OBJECT: tuple[TreePath, ...] = (("apiVersion",), ("kind",), ("metadata",), ("status",))


def is_present(directory: Path) -> bool:
    """Whether `directory` has a manifest of a known kind."""
    return any((directory / name).exists() for name in FILES)


def read_documents(directory: Path) -> tuple[dict[Kind, list[Source]], list[Finding]]:
    """The documents of each kind, none if the file is missing or unusable; and the findings."""
    documents: dict[Kind, list[Source]] = {}
    findings = [_strange(path) for path in sorted(directory.iterdir()) if _is_strange(path)]
    for kind in KINDS:
        path = directory / kind.file
        documents[kind] = []
        if kind.is_required or path.exists():
            sources, found = read_all(path, kind.secrets)
            findings += [*found, *_further(kind, sources), *(each for source in sources for each in _own(kind, source))]
            documents[kind] = [source for source in sources if isinstance(source.root.value, dict)]
    return documents, findings


def _is_strange(path: Path) -> bool:
    """Backups and swap files of editors are skipped."""
    return path.name not in FILES and not path.name.startswith(".") and not path.name.endswith("~")


def _strange(path: Path) -> Finding:
    return Finding(
        file=str(path), line=0, column=0, path="", value="", code="manifest-unknown",
        rule="This file is not a manifest of a cluster, and it is not used.",
        remedy=f"Move it elsewhere. Known are {', '.join(FILES)}.", severity=FindingSeverity.ERROR,
    )  # fmt: skip


def _further(kind: Kind, sources: Sequence[Source]) -> Iterator[Finding]:
    for source in () if kind.is_list else sources[1:]:
        rule = f"A second {kind.kind} in one file."
        yield source.finding((), "manifest-twice", rule, "Keep one of them.")


def _own(kind: Kind, source: Source) -> Iterator[Finding]:
    if not isinstance(source.root.value, dict):
        yield source.finding((), "yaml-invalid", "The manifest must be a mapping.", "Write `key: value` lines.")
        return
    for field, expected in (("kind", kind.kind), ("apiVersion", kind.api_version)):
        for place in source.find(object, field):
            if place.value != expected:
                rule = f"In {kind.file} the {field} is {expected}."
                yield place.error("manifest-kind", rule, "Correct it, or put the manifest into the file of its kind.")
    yield from _unknown(source, _known(kind))
    yield from unsupported_findings(source, kind.unsupported)


def _known(kind: Kind) -> frozenset[TreePath]:
    references = [path[:-1] for of, path, _ in REFERENCES if of is kind]
    unsupported = [row.pattern for row in kind.unsupported]
    own: list[TreePath] = [(part.value,) for part in InputFile] if kind is SETTINGS else []
    special = {INFRA_ENV: [SELECTOR], NMSTATE_CONFIG: [*FIELDS.values()]}.get(kind, [])
    rows = [mapping.manifest_path for mapping in FIELD_MAPPINGS if mapping.kind is kind]
    return frozenset([*_OBJECT, *rows, *kind.no_effect, *references, *unsupported, *own, *special])  # type: ignore[list-item]  # no list among these patterns


def _unknown(source: Source, known: frozenset[TreePath]) -> Iterator[Finding]:
    ways = {path[:length] for path in known for length in range(len(path))}
    todo: list[tuple[TreePath, YamlNode]] = [((), source.root)]
    while todo:
        path, node = todo.pop()
        if path in known or node.value is None:
            continue
        if path not in ways:
            names = sorted({str(way[len(path) - 1]) for way in known if way[: len(path) - 1] == path[:-1]})
            yield source.finding(path, "unknown-field", *unknown_field(str(path[-1]), names), at_key=True)
        elif isinstance(node.value, dict):
            todo += [((*path, key), entry.node) for key, entry in node.value.items()]
        else:
            yield source.finding(path, "value-invalid", "A mapping is expected here.", "Write `key: value` lines.")
