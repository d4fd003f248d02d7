"""Reads YAML into trees (`yaml_tree`).

A deliberately small YAML: a plain scalar is null, true, false or a whole number in decimal, and otherwise the text as
it was written. So a MAC address of digits is not a number in base 60, `1.20` keeps its zero, `0644` is not octal, `no`
is a word. Aliases and `<<` work; documents that grow or nest without limit are rejected while they are read.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import yaml

from inputs.document.yaml_tree import Entry, Mark, Scalar, Tree, YamlError, YamlNode

MAX_NODES = 60_000
"""In one file, with aliases expanded. The inputs of 500 hosts have about 40,000."""
MAX_DEPTH = 50
MAX_ITEMS = 1000
"""In one list. node0's service is designed for this many hosts, and checks of pairs are quadratic."""

_LOADER: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_INTEGER = re.compile(r"-?(0|[1-9][0-9]{0,17})")
_CONSTANTS: dict[str, bool | None] = {"true": True, "false": False, "null": None, "~": None, "": None}
_STRING_TAG = "tag:yaml.org,2002:str"


def parse(text: str) -> Tree:
    """The one document in `text`. Raises `YamlError`."""
    with _errors_of(text):
        return _Composer(yaml.parse(text, Loader=_LOADER)).only_document()


def parse_all(text: str) -> list[Tree]:
    """Every document in `text`; empty ones are left out. Raises `YamlError`."""
    with _errors_of(text):
        trees = list(_Composer(yaml.parse(text, Loader=_LOADER)).documents())
    return [tree for tree in trees if tree.root.value is not None]


@contextmanager
def _errors_of(text: str) -> Iterator[None]:
    """Converts the parser's errors to `YamlError`."""
    try:
        yield
    except yaml.MarkedYAMLError as error:
        raise _syntax_error(text, error) from error
    except yaml.reader.ReaderError as error:
        before = text[: error.position] if isinstance(error.position, int) else ""
        mark = Mark(before.count("\n") + 1, len(before) - before.rfind("\n"))
        raise YamlError(mark, f"Not YAML: {error.reason}.", "Remove the control character.") from error


@dataclass
class _Composer:
    """Builds nodes from the parser's events, so that limits are enforced while reading."""

    events: Iterator[Any]
    anchors: dict[str, YamlNode] = field(default_factory=dict)
    duplicates: list[tuple[str, Mark]] = field(default_factory=list)

    def only_document(self) -> Tree:
        documents = self.documents()
        found = next(documents, None)
        if found is None:
            raise YamlError(Mark(1, 1), "The file is empty.", "`cluster0 create config` writes a sample.")
        for second in documents:
            mark = Mark(second.first_line, 1)
            raise YamlError(mark, "The file holds a second YAML document.", "Keep one document in the file.")
        return found

    def documents(self) -> Iterator[Tree]:
        next(self.events)  # start of the stream
        size = 0
        while not isinstance(event := next(self.events), yaml.StreamEndEvent):
            self.anchors.clear()
            self.duplicates.clear()
            root = self._node(next(self.events), depth=0)
            next(self.events)  # end of the document
            size += root.size
            if size > MAX_NODES:
                raise YamlError(root.start, f"More than {MAX_NODES} values in all documents.", "Make the file smaller.")
            yield Tree(root, tuple(self.duplicates), _mark(event).line)

    def _node(self, event: Any, depth: int) -> YamlNode:
        if depth > MAX_DEPTH:
            raise YamlError(_mark(event), f"Nested more than {MAX_DEPTH} levels deep.", "Flatten this part.")
        if isinstance(event, yaml.AliasEvent):
            return self._alias(event)
        if isinstance(event, yaml.ScalarEvent):
            node = YamlNode(_scalar(event), _mark(event), _last_line(event))
        elif isinstance(event, yaml.SequenceStartEvent):
            node = self._sequence(event, depth)
        else:
            node = self._mapping(event, depth)
        if node.size > MAX_NODES:
            raise YamlError(node.start, f"More than {MAX_NODES} values, aliases expanded.", "Make the file smaller.")
        if node.height > MAX_DEPTH:
            raise YamlError(node.start, f"More than {MAX_DEPTH} levels, aliases expanded.", "Flatten this part.")
        if event.anchor:
            self.anchors[event.anchor] = node
        return node

    def _alias(self, event: Any) -> YamlNode:
        target = self.anchors.get(event.anchor)
        if target is None:
            rule = f"The alias *{event.anchor} refers to no anchor that is complete before it."
            raise YamlError(_mark(event), rule, f"Define it first, with &{event.anchor}.")
        return YamlNode(target.value, _mark(event), _last_line(event), target.size, target.height)

    def _sequence(self, event: Any, depth: int) -> YamlNode:
        _refuse_tag(event)
        items: list[YamlNode] = []
        inner: Any
        while not isinstance(inner := next(self.events), yaml.SequenceEndEvent):
            items.append(self._node(inner, depth + 1))
            if len(items) > MAX_ITEMS:
                raise YamlError(_mark(inner), f"A list of more than {MAX_ITEMS} elements.", "Make it shorter.")
        return _branch(event, inner, tuple(items), items)

    def _mapping(self, event: Any, depth: int) -> YamlNode:
        _refuse_tag(event)
        inner: Any
        entries: dict[str, Entry] = {}
        merged: list[YamlNode] = []
        while not isinstance(inner := next(self.events), yaml.MappingEndEvent):
            if not isinstance(inner, yaml.ScalarEvent):
                raise YamlError(_mark(inner), "A key must be a word.", "Quote the key if it is meant to be text.")
            key, mark = inner.value, _mark(inner)
            node = self._node(next(self.events), depth + 1)
            if key == "<<" and inner.implicit[0]:
                merged.extend(_mappings_to_merge(node))
            elif key in entries:
                self.duplicates.append((key, mark))
            else:
                entries[key] = Entry(mark, node)
        for source in merged:
            assert isinstance(source.value, dict)
            entries = {**source.value, **entries}
        return _branch(event, inner, entries, [entry.node for entry in entries.values()])


def _branch(start: Any, end: Any, value: tuple[YamlNode, ...] | dict[str, Entry], inside: list[YamlNode]) -> YamlNode:
    size = 1 + sum(node.size for node in inside)
    height = 1 + max((node.height for node in inside), default=0)
    return YamlNode(value, _mark(start), _last_line(end), size, height)


def _mappings_to_merge(node: YamlNode) -> list[YamlNode]:
    """The mappings that `<<:` names; of equal keys, the earlier one is used."""
    sources = list(node.value) if isinstance(node.value, tuple) else [node]
    if not all(isinstance(source.value, dict) for source in sources):
        raise YamlError(node.start, "`<<` must name a mapping.", "Give it an alias of a mapping, or a list of them.")
    return sources


def _scalar(event: Any) -> Scalar:
    text: str = event.value
    if event.tag == _STRING_TAG or not event.implicit[0]:
        if event.tag not in (None, "!", _STRING_TAG):
            _refuse_tag(event)
        return text
    if text in _CONSTANTS:
        return _CONSTANTS[text]
    return int(text) if _INTEGER.fullmatch(text) else text


def _refuse_tag(event: Any) -> None:
    if event.tag not in (None, "!", "tag:yaml.org,2002:map", "tag:yaml.org,2002:seq"):
        raise YamlError(_mark(event), f"The YAML tag {event.tag} has no meaning here.", "Remove the tag.")


def _mark(event: Any) -> Mark:
    return Mark(event.start_mark.line + 1, event.start_mark.column + 1)


def _last_line(event: Any) -> int:
    return int(event.end_mark.line) + 1


def _syntax_error(text: str, error: yaml.MarkedYAMLError) -> YamlError:
    found = error.problem_mark or error.context_mark
    mark = Mark(found.line + 1, found.column + 1) if found else Mark(1, 1)
    line = text.splitlines()[mark.line - 1 : mark.line]
    remedy = "Correct the YAML: look at indentation, quotes and colons on this line and the one before."
    if line and line[0][mark.column - 1 : mark.column] == "\t":
        remedy = "Indent with spaces; YAML does not allow tabs."
    context = f"{error.context}: " if error.context else ""
    return YamlError(mark, f"Not YAML: {context}{error.problem or 'cannot be parsed'}.", remedy)
