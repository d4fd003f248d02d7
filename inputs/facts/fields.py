"""A mapping of an input file, whose valid fields are found by checked paths."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Generic, cast

from inputs.document.findings import Finding, FindingSeverity
from inputs.document.source import Kind, Path, Place, Source
from inputs.document.yaml_tree import YamlNode
from inputs.facts.field_path import FieldPath, Model, ModelPath, Section, SectionPath


@dataclass(frozen=True)
class Fields(Generic[Model]):
    """The mapping `node` at `path` of `source`. A value that is invalid by itself is not found."""

    source: Source
    path: Path
    node: YamlNode = field(compare=False, repr=False)

    def find(self, path: FieldPath[Model, Kind]) -> Iterator[Place[Kind]]:
        return self.source.find_below(self.path, self.node, path.kind, *path.pattern)

    def first(self, path: FieldPath[Model, Kind]) -> Place[Kind] | None:
        return next(self.find(path), None)

    def get(self, path: FieldPath[Model, Kind], default: Kind) -> Kind:
        place = self.first(path)
        return default if place is None else place.value

    def has(self, path: FieldPath[Model, Any]) -> bool:
        return self.first(path) is not None

    def sections(self, path: SectionPath[Model, Section]) -> Iterator[Fields[Section]]:
        for place in self.source.find_below(self.path, self.node, dict, *path.pattern):
            yield Fields(self.source, place.path, place.node)

    @property
    def keys(self) -> tuple[str, ...]:
        """The keys of this mapping, spelled as in the file."""
        return tuple(self.node.value) if isinstance(self.node.value, dict) else ()

    def has_errors(self, *paths: ModelPath[Model]) -> bool:
        """Whether a value is invalid at, below or above one of `paths`, or in the mapping as a whole without them: what
        seems to be missing there may only be misspelt."""
        return any(self.source.has_errors(self._at(path)) for path in paths or (None,))

    def finding(
        self, path: ModelPath[Model] | None, code: str, rule: str, remedy: str,
        *, severity: FindingSeverity = FindingSeverity.ERROR, at_key: bool = False,
    ) -> Finding:  # fmt: skip
        """About the field at `path`, there or not; None: about the mapping."""
        return self.source.finding(self._at(path), code, rule, remedy, severity=severity, at_key=at_key)

    def key_finding(self, key: str, code: str, rule: str, remedy: str) -> Finding:
        """About one of `keys`."""
        return self.source.finding((*self.path, key), code, rule, remedy, at_key=True)

    def _at(self, path: ModelPath[Model] | None) -> Path:
        pattern = () if path is None else path.pattern
        if ... in pattern:
            raise TypeError(f"{pattern} is not one place")
        return (*self.path, *cast("Path", pattern))
