"""A YAML document as a tree with the line and column of every node."""

from __future__ import annotations

from dataclasses import dataclass

import msgspec

Scalar = str | int | bool | None


# Structs, not dataclasses: a site of 500 hosts has 50,000 of them, and these are created in C. They cannot
# form cycles, so the garbage collector need not track them.
class Mark(msgspec.Struct, frozen=True, gc=False):
    """A position in the text; both count from 1."""

    line: int
    column: int


class Entry(msgspec.Struct, frozen=True, gc=False):
    """One `key: value` of a mapping."""

    key: Mark
    node: YamlNode


class YamlNode(msgspec.Struct, frozen=True, gc=False):
    """A value with its position. `end_line`: its last line. `size`, `height`: nodes and levels, aliases expanded."""

    value: Scalar | tuple[YamlNode, ...] | dict[str, Entry]
    start: Mark
    end_line: int
    size: int = 1
    height: int = 1

    @property
    def kind(self) -> type:
        """The type of what `plain` returns."""
        return list if isinstance(self.value, tuple) else type(self.value)

    def plain(self) -> object:
        """The value as Python's own types: dict, list, str, int, bool, None."""
        if isinstance(self.value, dict):
            return {key: entry.node.plain() for key, entry in self.value.items()}
        if isinstance(self.value, tuple):
            return [item.plain() for item in self.value]
        return self.value


class YamlError(Exception):
    """The text is not YAML that cluster0 accepts: it breaks `rule` at `mark`."""

    def __init__(self, mark: Mark, rule: str, remedy: str) -> None:
        super().__init__(rule)
        self.mark, self.rule, self.remedy = mark, rule, remedy


@dataclass(frozen=True)
class Tree:
    """`duplicates`: keys that a mapping has twice; the tree has the first one.

    `first_line`: of the document, including the `---` that begins it.
    """

    root: YamlNode
    duplicates: tuple[tuple[str, Mark], ...]
    first_line: int
