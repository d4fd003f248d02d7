"""The tree of one input file, assembled from values of several documents."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from inputs.document.findings import Finding
from inputs.document.source import Origin, Path, Source
from inputs.document.yaml_tree import Entry, Mark, YamlNode

Agreement = Callable[[object, object], bool]


@dataclass
class MergedTree:
    """`name`: the file in findings about values without an origin. `frame`: initial values."""

    name: str
    frame: dict[str, object]
    origins: dict[Path, Origin] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.root = node_of(self.frame, Mark(1, 1))

    def source(self) -> Source:
        return Source(self.name, (), self.root, origins=self.origins)

    def expect(self, here: Path, origin: Origin) -> None:
        """Sets the place at which findings report the value as missing."""
        self.origins.setdefault(here, origin)

    def put(
        self, here: Path, entry: Entry, origin: Origin, agrees: Agreement | None = None, *, overrides: bool = False
    ) -> Iterator[Finding]:
        """Merges mappings. A value that is there already must agree, unless this one overrides it."""
        above = self._mapping(here[:-1], entry.key)
        if above is None:  # not a mapping: the models report it
            return
        there, key = above.get(str(here[-1])), str(here[-1])
        if there is None or (overrides and not _are_mappings(there.node, entry.node)):
            above[key] = Entry(entry.key, _own(entry.node))
            self.origins[here] = origin
        elif _are_mappings(there.node, entry.node):
            for step, inner in _entries(entry.node).items():
                below = origin if origin.is_converted else Origin(origin.source, (*origin.path, step))
                yield from self.put((*here, step), inner, below, agrees, overrides=overrides)
        elif not (agrees or _equal)(there.node.plain(), entry.node.plain()):
            yield self._disagreement(here, origin)

    def _mapping(self, path: Path, mark: Mark) -> dict[str, Entry] | None:
        """The mapping at `path`, created if there is nothing."""
        node = self.root
        for step in path:
            if not isinstance(node.value, dict):
                return None
            node = node.value.setdefault(str(step), Entry(mark, YamlNode({}, mark, mark.line))).node
        return node.value if isinstance(node.value, dict) else None

    def _disagreement(self, here: Path, origin: Origin) -> Finding:
        first = self.source().finding(here, "", "", "")
        says = f" ({first.value})" if first.value else ""
        return origin.source.finding(
            origin.path, "manifests-disagree",
            f"{first.file}:{first.line} says something else{says} in {first.path}.",
            "Write the same in both manifests.",
        )  # fmt: skip


def node_of(value: object, mark: Mark) -> YamlNode:
    """Plain values as a tree with one position."""
    if isinstance(value, dict):
        return YamlNode({key: Entry(mark, node_of(inner, mark)) for key, inner in value.items()}, mark, mark.line)
    if isinstance(value, list):
        return YamlNode(tuple(node_of(inner, mark) for inner in value), mark, mark.line)
    assert value is None or isinstance(value, (str, int))
    return YamlNode(value, mark, mark.line)


def entry_at(root: YamlNode, path: Path) -> Entry | None:
    """The entry at `path`, which leads through mappings."""
    entry = Entry(root.start, root)
    for step in path:
        found = _entries(entry.node).get(str(step))
        if found is None:
            return None
        entry = found
    return entry


def _entries(node: YamlNode) -> dict[str, Entry]:
    return node.value if isinstance(node.value, dict) else {}


def _are_mappings(one: YamlNode, other: YamlNode) -> bool:
    return isinstance(one.value, dict) and isinstance(other.value, dict)


def _own(node: YamlNode) -> YamlNode:
    """A copy whose mappings can be merged into without changing the document."""
    if not isinstance(node.value, dict):
        return node
    entries = {key: Entry(entry.key, _own(entry.node)) for key, entry in node.value.items()}
    return YamlNode(entries, node.start, node.end_line, node.size, node.height)


def _equal(one: object, other: object) -> bool:
    return one == other
