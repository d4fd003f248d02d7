"""Rewrites alternative spellings to one form before the models check it. Each node keeps its position in the file.

The agent-based installer also accepts other cases of some names, `networkConfig` as a block of text, and hosts in
install-config.yaml, whose fields have other names there.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from types import EllipsisType

from msgspec.structs import replace

from inputs.document.source import Pattern
from inputs.document.yaml_reader import MAX_NODES, parse
from inputs.document.yaml_tree import Entry, Mark, YamlError, YamlNode

Change = Callable[[YamlNode], YamlNode]

BOOT_INTERFACE = "boot"
"""The name of a NIC that has only a `bootMACAddress`."""

_VIPS = {"apiVips": "apiVIPs", "ingressVips": "ingressVIPs"}
_OLD_VIPS = {"apiVIP": "apiVIPs", "ingressVIP": "ingressVIPs"}


@dataclass
class Normalizer:
    """`lines`: of the file. `errors`: in text that should be YAML."""

    lines: tuple[str, ...]
    errors: list[YamlError] = field(default_factory=list)
    _size: int = 0

    def install_config(self, root: YamlNode) -> YamlNode:
        for platform in ("baremetal", "vsphere", "nutanix"):
            root = _changed(root, ("platform", platform), _vips)
        root = _changed(root, ("platform", "baremetal", "hosts", ..., "networkConfig"), self._mapping_of_text)
        return _changed(root, ("platform", "baremetal", "hosts", ...), _host)

    def agent_config(self, root: YamlNode) -> YamlNode:
        root = _changed(root, (), lambda node: _renamed(node, {"ipxeBaseURL": "bootArtifactsBaseURL"}))
        return _changed(root, ("hosts", ..., "networkConfig"), self._mapping_of_text)

    def _mapping_of_text(self, node: YamlNode) -> YamlNode:
        if not isinstance(node.value, str):
            return node
        place = self._place_in(node)
        try:
            inner = parse(node.value).root
            self._size += inner.size
            if self._size > MAX_NODES:
                raise YamlError(Mark(1, 1), f"More than {MAX_NODES} values, aliases expanded.", "Make it smaller.")
        except YamlError as error:
            self.errors.append(YamlError(place(error.mark), error.rule, error.remedy))
            return node
        return _moved(inner, place)

    def _place_in(self, node: YamlNode) -> Callable[[Mark], Mark]:
        """Maps a position in the text to one in the file. Only a literal block keeps its lines as they are."""
        line = self.lines[node.start.line - 1] if node.start.line <= len(self.lines) else ""
        if line[node.start.column - 1 : node.start.column] != "|":
            return lambda _: node.start
        block = (text for text in self.lines[node.start.line :] if text.strip())
        first = next(block, "")
        indent = len(first) - len(first.lstrip(" "))
        return lambda mark: Mark(node.start.line + mark.line, indent + mark.column)


def _changed(node: YamlNode, pattern: Pattern, change: Change) -> YamlNode:
    """The tree with `change` applied at every place of `pattern`."""
    if not pattern:
        return change(node)
    step, rest = pattern[0], pattern[1:]
    if isinstance(step, EllipsisType):
        if not isinstance(node.value, tuple):
            return node
        return replace(node, value=tuple(_changed(item, rest, change) for item in node.value))
    if not isinstance(node.value, dict) or step not in node.value:
        return node
    key = str(step)
    entry = node.value[key]
    changed = Entry(entry.key, _changed(entry.node, rest, change))
    return replace(node, value={**node.value, key: changed})


def _renamed(node: YamlNode, names: Mapping[str, str]) -> YamlNode:
    """If both names are there, the old one stays and the models report it as unknown."""
    if not isinstance(node.value, dict):
        return node
    known = node.value
    return replace(node, value={_new_name(key, names, known): entry for key, entry in known.items()})


def _new_name(key: str, names: Mapping[str, str], known: Mapping[str, Entry]) -> str:
    new = names.get(key, key)
    return key if new in known else new


def _vips(node: YamlNode) -> YamlNode:
    if not isinstance(node.value, dict):
        return node
    listed = {key: _in_a_list(entry) if key in _OLD_VIPS else entry for key, entry in node.value.items()}
    return _renamed(replace(node, value=listed), {**_VIPS, **_OLD_VIPS})


def _in_a_list(entry: Entry) -> Entry:
    if isinstance(entry.node.value, tuple):
        return entry
    return Entry(entry.key, replace(entry.node, value=(entry.node,), size=entry.node.size + 1))


def _host(node: YamlNode) -> YamlNode:
    """A host of install-config.yaml with the names of agent-config.yaml."""
    node = _renamed(node, {"name": "hostname"})
    if not isinstance(node.value, dict) or "bootMACAddress" not in node.value:
        return node
    boot = node.value["bootMACAddress"]
    name = YamlNode(_name_of(boot.node.value, node), boot.key, boot.node.end_line)
    nic = replace(boot.node, value={"name": Entry(boot.key, name), "macAddress": boot})
    interfaces = Entry(boot.key, replace(boot.node, value=(nic,)))
    others = {key: entry for key, entry in node.value.items() if key != "bootMACAddress"}
    return replace(node, value={**others, "interfaces": interfaces})


def _name_of(mac: object, host: YamlNode) -> str:
    """The name in networkConfig of the NIC with this address, or of the only NIC."""
    interfaces = list(_interfaces(host))
    for interface in interfaces:
        if isinstance(mac, str) and str(interface.get("mac-address", "")).lower() == mac.lower():
            return str(interface.get("name", BOOT_INTERFACE))
    only = interfaces[0] if len(interfaces) == 1 else {}
    return str(only.get("name", BOOT_INTERFACE))


def _interfaces(host: YamlNode) -> Iterator[dict[str, object]]:
    plain = host.plain()
    config = plain.get("networkConfig") if isinstance(plain, dict) else None
    interfaces = config.get("interfaces") if isinstance(config, dict) else None
    for interface in interfaces if isinstance(interfaces, list) else ():
        if isinstance(interface, dict):
            yield interface


def _moved(node: YamlNode, place: Callable[[Mark], Mark]) -> YamlNode:
    end = place(Mark(node.end_line, 1)).line
    if isinstance(node.value, dict):
        entries = {key: Entry(place(entry.key), _moved(entry.node, place)) for key, entry in node.value.items()}
        return replace(node, value=entries, start=place(node.start), end_line=end)
    if isinstance(node.value, tuple):
        items = tuple(_moved(item, place) for item in node.value)
        return replace(node, value=items, start=place(node.start), end_line=end)
    return replace(node, start=place(node.start), end_line=end)
