"""Assembles the trees of the two input files from manifests; every value keeps the position it comes from."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from inputs.document.findings import Finding, FindingSeverity
from inputs.document.normalize import Normalizer
from inputs.document.read import empty
from inputs.document.source import Origin, Source
from inputs.document.yaml_reader import parse
from inputs.document.yaml_tree import Entry, Mark, YamlError
from inputs.manifests.documents import read_documents
from inputs.manifests.field_mappings import FIELD_MAPPINGS, FieldMapping, InputFile, is_ours
from inputs.manifests.hosts import join_hosts
from inputs.manifests.kinds import AGENT_CLUSTER_INSTALL, CLUSTER_IMAGE_SET, OVERRIDES, SETTINGS, Kind
from inputs.manifests.merged_tree import MergedTree, entry_at, node_of
from inputs.manifests.references import (
    Documents,
    nmstate_config_names_are_unique,
    nmstate_configs_are_selected,
    references_resolve,
)

_RULES = (references_resolve, nmstate_configs_are_selected, nmstate_config_names_are_unique)

_NOT_SET = (None, "")
"""How upstream writes a field that is not set."""


@dataclass(frozen=True)
class Assembled:
    """Both files, as the manifests describe them."""

    install: Source
    agent: Source
    findings: tuple[Finding, ...]


def assemble(directory: Path) -> Assembled:
    """Reads the manifests in `directory`. Their content never raises."""
    documents, findings = read_documents(directory)
    install = MergedTree(str(directory), {"apiVersion": "v1", "metadata": {}, "controlPlane": {}, "networking": {}})
    agent = MergedTree(str(directory), {"apiVersion": "v1beta1"})
    trees = {InputFile.INSTALL: install, InputFile.AGENT: agent}
    for rule in _RULES:
        findings += rule(documents)
    for mapping in FIELD_MAPPINGS:
        source = _document_of(documents, mapping.kind, directory)
        findings += _row(mapping, source, trees[mapping.file])
    findings += _release(_document_of(documents, CLUSTER_IMAGE_SET, directory))
    findings += _overrides(_document_of(documents, AGENT_CLUSTER_INSTALL, directory), install)
    settings = _document_of(documents, SETTINGS, directory)
    for part, tree in trees.items():
        findings += _settings(settings, part, tree)
    install.expect((), Origin(_document_of(documents, AGENT_CLUSTER_INSTALL, directory), ()))
    agent.expect((), Origin(settings, (InputFile.AGENT.value,)))
    if entry_at(install.root, ("platform",)) is None:
        _complete_platform(install)
    findings += join_hosts(documents, agent)
    return Assembled(install.source(), agent.source(), tuple(findings))


def _document_of(documents: Documents, kind: Kind, directory: Path) -> Source:
    return next(iter(documents[kind]), empty(directory / kind.file))


def _row(mapping: FieldMapping, source: Source, tree: MergedTree) -> Iterator[Finding]:
    origin = Origin(source, mapping.manifest_path, mapping.is_converted)
    tree.expect(mapping.input_path, origin)
    entry = entry_at(source.root, mapping.manifest_path)
    if entry is None or entry.node.value in _NOT_SET:
        return
    if mapping.is_converted:
        value = mapping.read(entry.node.plain())
        if value in _NOT_SET:
            return
        entry = Entry(entry.key, node_of(value, entry.node.start))
    yield from tree.put(mapping.input_path, entry, origin, mapping.agrees)


def _settings(settings: Source, part: InputFile, tree: MergedTree) -> Iterator[Finding]:
    entry = entry_at(settings.root, (part.value,))
    for place in settings.find(object, part.value):
        if entry is None or not isinstance(entry.node.value, dict):
            yield place.error("value-invalid", "A mapping is expected here.", "Write `key: value` lines, indented.")
            return
        for field, inner in entry.node.value.items():
            yield from tree.put((field,), inner, Origin(settings, (part.value, field)))


def _overrides(source: Source, tree: MergedTree) -> Iterator[Finding]:
    """Upstream's annotation for fields that its API does not have. It overrides the manifests."""
    for place in source.find(str, *OVERRIDES):
        entry = entry_at(source.root, OVERRIDES)
        assert entry is not None  # it was found
        try:
            root = Normalizer(()).install_config(parse(place.value).root)
        except YamlError as error:
            yield place.error("value-invalid", f"Not JSON: {error.rule}", "Write one JSON object.")
            return
        if not isinstance(root.value, dict):
            yield place.error("value-invalid", "The JSON is not an object.", "Write one JSON object.")
            return
        for field, inner in root.value.items():
            at_entry = Entry(entry.key, node_of(inner.node.plain(), entry.node.start))
            yield from tree.put((field,), at_entry, Origin(source, OVERRIDES, is_converted=True), overrides=True)


def _release(source: Source) -> Iterator[Finding]:
    for place in source.find(str, "spec", "releaseImage"):
        if place.value and not is_ours(place.value):
            yield source.finding(
                place.path, "field-ignored", "This field is ignored: the release is the base ISO's.",
                "Write kubernetes:vX.Y.Z to have that release and no other.", severity=FindingSeverity.WARNING,
            )  # fmt: skip


def _complete_platform(tree: MergedTree) -> None:
    """As in assisted-service: without a platform type it is baremetal if there are virtual addresses, else none."""
    mark = Mark(1, 1)
    platform = tree.source().origin(("platform",))
    assert platform is not None  # a row expects it
    for _ in tree.put(("platform",), Entry(mark, node_of({"none": {}}, mark)), platform):
        raise AssertionError("there was no platform")
