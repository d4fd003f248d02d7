"""Reads a file into a tree, with the errors that come before fields are checked."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from inputs.document.findings import Finding, FindingSeverity
from inputs.document.normalize import Normalizer
from inputs.document.source import Pattern, Source
from inputs.document.yaml_reader import parse, parse_all
from inputs.document.yaml_tree import Mark, Tree, YamlError, YamlNode

Normalize = Callable[[Normalizer, YamlNode], YamlNode]
"""`Normalizer.install_config` or `Normalizer.agent_config`."""

MAX_BYTES = 8 << 20

_BYTE_ORDER_MARK = "\ufeff"


def empty(path: Path) -> Source:
    """Represents a file that could not be read: it has no values."""
    return Source(str(path), (), YamlNode({}, Mark(1, 1), 1))


def read(path: Path, normalize: Normalize) -> tuple[Source | None, list[Finding]]:
    """The file at `path` as a mapping, None if it is missing or not YAML; and the findings of reading."""
    try:
        text = text_of(path)
        tree = parse(text.removeprefix(_BYTE_ORDER_MARK))
    except YamlError as error:
        return None, [file_finding(path, error)]
    lines = tuple(text.removeprefix(_BYTE_ORDER_MARK).splitlines())
    if not isinstance(tree.root.value, dict):
        source = Source(str(path), lines, tree.root)
        rule = "The file must be a mapping of fields."
        return None, [source.finding_at(tree.root.start, "yaml-invalid", rule, "Write `key: value` lines.")]
    normalizer = Normalizer(lines)
    source = Source(str(path), lines, normalize(normalizer, tree.root))
    findings = [file_finding(path, error) for error in normalizer.errors]
    findings += duplicates(source, tree)
    if text.startswith(_BYTE_ORDER_MARK):
        findings.append(_byte_order_mark(source))
    return source, findings


def read_all(path: Path, secrets: tuple[Pattern, ...]) -> tuple[list[Source], list[Finding]]:
    """Every document of the file at `path` that is not empty, and the findings of reading."""
    try:
        text = text_of(path).removeprefix(_BYTE_ORDER_MARK)
        trees = parse_all(text)
    except YamlError as error:
        return [], [file_finding(path, error)]
    lines = tuple(text.splitlines())
    sources = [Source(str(path), lines, tree.root, secrets=secrets) for tree in trees]
    return sources, [found for source, tree in zip(sources, trees, strict=True) for found in duplicates(source, tree)]


def duplicates(source: Source, tree: Tree) -> list[Finding]:
    """A finding for each key that a mapping has twice."""
    return [
        source.finding_at(mark, "key-duplicate", f"The key `{key}` is in this mapping twice.", "Keep one of them.")
        for key, mark in tree.duplicates
    ]


def text_of(path: Path) -> str:
    """The file's content. Raises `YamlError`: not there, not readable, too large, not UTF-8."""
    try:
        with path.open("rb") as file:
            content = file.read(MAX_BYTES + 1)
    except FileNotFoundError:
        raise YamlError(Mark(0, 0), "There is no such file.", _where_it_is(path)) from None
    except OSError as error:
        raise YamlError(Mark(0, 0), f"The file cannot be read: {error.strerror}.", "Make it readable.") from error
    if len(content) > MAX_BYTES:
        raise YamlError(Mark(0, 0), f"The file has more than {MAX_BYTES >> 20} MiB.", "Is it the right file?")
    try:
        return content.decode()
    except UnicodeDecodeError as error:
        before = content[: error.start]
        mark = Mark(before.count(b"\n") + 1, len(before) - before.rfind(b"\n"))
        raise YamlError(mark, "The file is not UTF-8 text.", "Save it with the encoding UTF-8.") from error


def _where_it_is(path: Path) -> str:
    other = path.with_suffix(".yml")
    if other != path and other.exists():
        return f"There is {other.name}: rename it to {path.name}."
    return "`cluster0 create config` writes samples; --dir names another directory."


def file_finding(path: Path, error: YamlError) -> Finding:
    """The error that kept the file from being read."""
    # No excerpt: with broken syntax it is unknown which lines belong to the pull secret.
    return Finding(
        file=str(path), line=error.mark.line, column=error.mark.column, path="", value="",
        code="yaml-invalid" if error.mark.line else "file-unreadable", rule=error.rule, remedy=error.remedy,
    )  # fmt: skip


def _byte_order_mark(source: Source) -> Finding:
    return source.finding(
        (), "byte-order-mark", "The file begins with a byte order mark.", "Save it as UTF-8 without one.",
        severity=FindingSeverity.WARNING,
    )  # fmt: skip
