"""Manifests that are applied once the cluster is up: files in `manifests/`, and in `openshift/` as the agent-based
installer has it, of one or more YAML documents each.

An object that plain Kubernetes does not know is an error in `manifests/`. In `openshift/` it is ignored with a warning:
such files were written for OpenShift.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

import msgspec

from inputs.document.findings import Finding, FindingSeverity
from inputs.document.read import duplicates, file_finding, text_of
from inputs.document.source import Place, Source
from inputs.document.yaml_reader import parse_all
from inputs.document.yaml_tree import Tree, YamlError, YamlNode
from inputs.schema.values import is_dns_name

OWN, OPENSHIFT = "manifests", "openshift"
FOLDERS = (OWN, OPENSHIFT)

# Limits of node0's service (node0.changes.manifests), which stores them until it applies them.
MOST_FILES = 100
MOST_BYTES = 1 << 20
_NAME = re.compile(r"[A-Za-z0-9._-]+\.ya?ml")

_SECRETS = (("data",), ("stringData",))
_CONTAINERS = ("containers", "initContainers", "ephemeralContainers")
_OPENSHIFT_GROUP = ".openshift.io"


@dataclass(frozen=True)
class Manifest:
    """One file, applied under `name`. `images`: those that its pods name, with their positions."""

    folder: str
    name: str
    content: str
    images: tuple[Place[str], ...] = ()


def read_manifests(directory: Path) -> tuple[tuple[Manifest, ...], tuple[Finding, ...]]:
    """Every file of both folders, in the order in which they are applied, and the findings about them."""
    manifests: list[Manifest] = []
    findings: list[Finding] = []
    for folder in FOLDERS:
        for path in sorted((directory / folder).glob("*")):
            manifest, found = _read(folder, path)
            findings += found
            if manifest is not None:
                findings += _against_others(path, manifest, manifests)
                manifests.append(manifest)
    return tuple(manifests), tuple(findings)


def _read(folder: str, path: Path) -> tuple[Manifest | None, list[Finding]]:
    if not _NAME.fullmatch(path.name):
        rule = f"This file is ignored: in {folder}/ there are manifests, NAME.yaml or NAME.yml."
        return None, [_about_file(path, "file-ignored", rule, "Rename or remove it.", FindingSeverity.WARNING)]
    try:
        text = text_of(path)
        trees = parse_all(text)
    except YamlError as error:
        return None, [file_finding(path, error)]
    if len(text.encode()) > MOST_BYTES:
        rule = f"The file has more than {MOST_BYTES >> 20} MiB."
        return None, [_about_file(path, "manifest-too-large", rule, "Split it into several.")]
    if not trees:
        return None, [
            _about_file(path, "manifest-empty", "The file holds no document.", "Remove it.", FindingSeverity.WARNING)
        ]
    return _examined(folder, path, text.splitlines(keepends=True), trees)


def _examined(folder: str, path: Path, lines: list[str], trees: list[Tree]) -> tuple[Manifest | None, list[Finding]]:
    kept: list[str] = []
    images: list[Place[str]] = []
    findings: list[Finding] = []
    ends = [*(tree.first_line - 1 for tree in trees[1:]), len(lines)]
    for tree, end in zip(trees, ends, strict=True):
        source = _source(path, lines, tree)
        strange = list(_strange(source))
        findings += duplicates(source, tree)
        findings += _as_warnings(strange) if folder == OPENSHIFT else strange
        if folder == OPENSHIFT and strange:
            continue
        findings += () if strange else _object(source)
        images += _images(source)
        kept.append("".join(lines[tree.first_line - 1 : end]))
    if not kept:
        return None, findings
    content = "".join(lines) if len(kept) == len(trees) else "---\n".join(kept)
    return Manifest(folder, path.name, content, tuple(images)), findings


def _source(path: Path, lines: list[str], tree: Tree) -> Source:
    fields = tree.root.value if isinstance(tree.root.value, dict) else {}
    is_secret = "kind" in fields and fields["kind"].node.value == "Secret"
    return Source(
        str(path), tuple(line.rstrip("\n") for line in lines), tree.root, secrets=_SECRETS if is_secret else ()
    )


def _strange(source: Source) -> Iterator[Finding]:
    """Reasons why a document is not a manifest for plain Kubernetes."""
    fields = source.root.value if isinstance(source.root.value, dict) else {}
    if not fields.keys() & {"apiVersion", "kind"}:
        rule = "This document is not a manifest: it has neither `apiVersion` nor `kind`."
        yield source.finding((), "manifest-invalid", rule, "Write both, or remove the document.")
    for version in source.find(str, "apiVersion"):
        group = version.value.partition("/")[0]
        if group.endswith(_OPENSHIFT_GROUP):
            yield version.error("openshift-only", f"Only OpenShift has kinds of {group}.", "Remove the document.")


def _object(source: Source) -> Iterator[Finding]:
    """Requirements of kubectl and the API server that hold for every kind."""
    for field in ("apiVersion", "kind"):
        value = next(source.find(object, field), None)
        if value is None or not isinstance(value.value, str) or not value.value:
            rule = f"`{field}` is missing or not text."
            yield source.finding((field,), "manifest-invalid", rule, "Write it: see `kubectl explain`.")
    kind = next(source.find(str, "kind"), None)
    if kind is not None and kind.value.endswith("List"):
        return
    name = next(source.find(object, "metadata", "name"), None)
    if name is None or not isinstance(name.value, str) or not name.value:
        rule = "`metadata.name` is missing or not text: a retry would create a second object."
        yield source.finding(("metadata", "name"), "manifest-invalid", rule, "Name the object.")
    for namespace in source.find(str, "metadata", "namespace"):
        if not is_dns_name(namespace.value) or "." in namespace.value:
            yield namespace.error("manifest-invalid", "Not a namespace: it must be a DNS label.", "Correct the name.")


def _images(source: Source) -> Iterator[Place[str]]:
    """The images of all containers in the document: in pods, templates of pods and lists of objects."""
    pending: list[tuple[tuple[str | int, ...], YamlNode]] = [((), source.root)]
    while pending:
        path, node = pending.pop()
        if isinstance(node.value, dict):
            for key, entry in node.value.items():
                if key in _CONTAINERS:
                    yield from source.find(str, *path, key, ..., "image")
                pending.append(((*path, key), entry.node))
        elif isinstance(node.value, tuple):
            pending += [((*path, index), item) for index, item in enumerate(node.value)]


def _against_others(path: Path, manifest: Manifest, others: Iterable[Manifest]) -> Iterator[Finding]:
    names = [other.name for other in others]
    if manifest.name in names:
        rule = f"There is a {manifest.name} in both {' and '.join(FOLDERS)}."
        yield _about_file(path, "manifest-twice", rule, "Rename one of them.")
    if len(names) == MOST_FILES:
        rule = f"There are more than {MOST_FILES} manifests."
        yield _about_file(path, "too-many-manifests", rule, "Join some: a file may hold several documents.")


def _as_warnings(findings: Iterable[Finding]) -> list[Finding]:
    return [
        msgspec.structs.replace(found, severity=FindingSeverity.WARNING, rule=f"{found.rule} It is ignored.")
        for found in findings
    ]


def _about_file(
    path: Path, code: str, rule: str, remedy: str, severity: FindingSeverity = FindingSeverity.ERROR
) -> Finding:
    return Finding(
        file=str(path), line=1, column=1, path="", value="", code=code, rule=rule, remedy=remedy, severity=severity
    )
