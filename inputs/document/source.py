"""A YAML document with positions, and the findings about its values."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from types import EllipsisType
from typing import Generic, TypeVar, cast

from inputs.document.findings import Finding, FindingSeverity
from inputs.document.yaml_tree import Mark, YamlNode

Path = tuple[str | int, ...]
Pattern = tuple[str | int | EllipsisType, ...]
"""A path in which `...` stands for every element of a list."""

Kind = TypeVar("Kind")

_LONGEST_VALUE = 80

SECRETS: tuple[Pattern, ...] = (
    ("pullSecret",), ("proxy",), ("ignitionConfigOverride",), ("hosts", ..., "ignitionConfigOverride"),
    ("platform", "baremetal", "hosts", ..., "ignitionConfigOverride"),
)  # fmt: skip
"""Paths of the fields with secrets, in both input files."""


@dataclass(frozen=True)
class Source:
    """`name`: the file, as findings call it. `invalid`: paths that the models reject; for an unknown key, the path of
    the known key that it probably means.

    Lines and values at or below `secrets` are never shown. `origins`: for a tree that was assembled from other
    documents, the places from which its values come; findings point there.
    """

    name: str
    lines: tuple[str, ...]
    root: YamlNode
    invalid: frozenset[Path] = field(default=frozenset())
    secrets: tuple[Pattern, ...] = SECRETS
    origins: Mapping[Path, Origin] = field(default_factory=dict)

    def find(self, kind: type[Kind], *pattern: str | int | EllipsisType) -> Iterator[Place[Kind]]:
        """Every valid value of type `kind` at the places that `pattern` describes."""
        return self.find_below((), self.root, kind, *pattern)

    def find_below(
        self, path: Path, node: YamlNode, kind: type[Kind], *pattern: str | int | EllipsisType
    ) -> Iterator[Place[Kind]]:
        """Like `find`, but `pattern` is relative to `node`, which is at `path`."""
        for where, found in _walk(path, node, pattern):
            if issubclass(found.kind, kind) and not self._is_invalid(where):
                yield Place(self, where, found)

    def finding(
        self, path: Path, code: str, rule: str, remedy: str,
        *, severity: FindingSeverity = FindingSeverity.ERROR, at_key: bool = False,
    ) -> Finding:  # fmt: skip
        """A finding about the value at `path`, or about its key; if there is none, at the mapping or list around it."""
        if origin := self.origin(path):
            return origin.source.finding(origin.path, code, rule, remedy, severity=severity, at_key=at_key)
        mark, node = self._locate(path, at_key=at_key)
        hidden = any(_begins(path, pattern) for pattern in self.secrets)
        return Finding(
            file=self.name, line=mark.line, column=mark.column, path=rendered(path),
            value="" if node is None or hidden else _shown(node.plain()),
            code=code, rule=rule, remedy=remedy, severity=severity, excerpt=self._excerpt(mark.line),
        )  # fmt: skip

    def finding_at(self, mark: Mark, code: str, rule: str, remedy: str) -> Finding:
        """A finding about a position in the text."""
        return Finding(
            file=self.name, line=mark.line, column=mark.column, path="", value="",
            code=code, rule=rule, remedy=remedy, excerpt=self._excerpt(mark.line),
        )  # fmt: skip

    def origin(self, path: Path) -> Origin | None:
        """The place that the value at `path` comes from, or would; None in a document that was not assembled."""
        for length in range(len(path), -1, -1):
            if origin := self.origins.get(path[:length]):
                rest = () if origin.is_converted else path[length:]
                return Origin(origin.source, (*origin.path, *rest))
        return None

    def where(self, path: Path) -> str:
        """The path, as the user's file has it."""
        if origin := self.origin(path):
            return f"{origin.source.where(origin.path)} of {origin.source.name}"
        return rendered(path)

    def has_errors(self, path: Path) -> bool:
        """Whether a value at, below or above `path` is invalid."""
        return path in self._invalid_below or self._is_invalid(path)

    def errors_below(self, path: Path) -> tuple[Path, ...]:
        """The invalid paths below `path`, relative to it; the empty path if `path` itself or one above is invalid."""
        if self._is_invalid(path):
            return ((),)
        return tuple(invalid[len(path) :] for invalid in self._invalid_below.get(path, ()))

    @cached_property
    def _invalid_below(self) -> Mapping[Path, list[Path]]:
        below: defaultdict[Path, list[Path]] = defaultdict(list)
        for path in self.invalid:
            for length in range(len(path)):
                below[path[:length]].append(path)
        return dict(below)

    def _is_invalid(self, path: Path) -> bool:
        return bool(self.invalid) and any(path[:length] in self.invalid for length in range(len(path) + 1))

    def _locate(self, path: Path, *, at_key: bool) -> tuple[Mark, YamlNode | None]:
        node, mark = self.root, self.root.start
        for step in path:
            if isinstance(node.value, dict) and step in node.value:
                entry = node.value[str(step)]
                node, mark = entry.node, entry.key if at_key else entry.node.start
            elif isinstance(node.value, tuple) and isinstance(step, int) and step < len(node.value):
                node = node.value[step]
                mark = node.start
            else:
                return mark, None
        return mark, node

    def _excerpt(self, line: int) -> str:
        if any(first <= line <= last for first, last in self._secret_lines):
            return ""
        return self.lines[line - 1] if 0 < line <= len(self.lines) else ""

    @cached_property
    def _secret_lines(self) -> tuple[tuple[int, int], ...]:
        """First and last line of each secret, with its key."""
        holders = (node.value[str(pattern[-1])] for pattern in self.secrets
                   for _, node in _walk((), self.root, pattern[:-1])
                   if isinstance(node.value, dict) and pattern[-1] in node.value)  # fmt: skip
        return tuple((entry.key.line, entry.node.end_line) for entry in holders)

    @property
    def is_absent(self) -> bool:
        """The file is missing or unreadable, so its missing fields need no findings."""
        return not self.lines and not self.origins


@dataclass(frozen=True)
class Origin:
    """A place in a document. `is_converted`: the value has another shape there, so the paths below it do not apply."""

    source: Source
    path: Path
    is_converted: bool = False


@dataclass(frozen=True)
class Place(Generic[Kind]):
    """A value of an input file with its position. `node` has the type `Kind`."""

    source: Source
    path: Path
    node: YamlNode

    @property
    def value(self) -> Kind:
        """The value in Python's types. It is computed on access, because it may be a large part of the file."""
        return cast("Kind", self.node.plain())

    @property
    def where(self) -> str:
        return self.source.where(self.path)

    def error(self, code: str, rule: str, remedy: str) -> Finding:
        return self.source.finding(self.path, code, rule, remedy)

    def warning(self, code: str, rule: str, remedy: str) -> Finding:
        return self.source.finding(self.path, code, rule, remedy, severity=FindingSeverity.WARNING)


def rendered(path: Path) -> str:
    """`hosts[2].interfaces[0].macAddress`."""
    return "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in path).removeprefix(".")


def _walk(path: Path, node: YamlNode, pattern: Pattern) -> list[tuple[Path, YamlNode]]:
    """Every node that `pattern` leads to. Hundreds of thousands of steps for a few hundred hosts: no recursion."""
    many = pattern.index(...) if ... in pattern else len(pattern)
    steps = cast("Path", pattern[:many])
    inside = _inside(node, steps)
    found: list[tuple[Path, YamlNode]] = [] if inside is None else [((*path, *steps), inside)]
    for step in pattern[many:]:
        if isinstance(step, str):
            found = [((*path, step), node.value[step].node) for path, node in found
                     if isinstance(node.value, dict) and step in node.value]  # fmt: skip
        elif isinstance(step, int):
            found = [((*path, step), node.value[step]) for path, node in found
                     if isinstance(node.value, tuple) and step < len(node.value)]  # fmt: skip
        else:
            found = [((*path, index), item) for path, node in found if isinstance(node.value, tuple)
                     for index, item in enumerate(node.value)]  # fmt: skip
    return found


def _inside(node: YamlNode, steps: Path) -> YamlNode | None:
    for step in steps:
        value = node.value
        if isinstance(step, str) and isinstance(value, dict) and step in value:
            node = value[step].node
        elif isinstance(step, int) and isinstance(value, tuple) and step < len(value):
            node = value[step]
        else:
            return None
    return node


def _begins(path: Path, pattern: Pattern) -> bool:
    steps = zip(path, pattern, strict=False)
    return len(path) >= len(pattern) and all(expected is ... or step == expected for step, expected in steps)


def _shown(value: object) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= _LONGEST_VALUE else f"{text[: _LONGEST_VALUE - 1]}…"
