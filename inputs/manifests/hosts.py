"""`hosts` of agent-config.yaml: each host's network is an NMStateConfig, its other fields are in cluster0.yaml."""

from __future__ import annotations

from collections.abc import Iterator

from inputs.document.findings import Finding
from inputs.document.source import Origin, Path, Source
from inputs.document.yaml_tree import Entry, YamlNode
from inputs.manifests.kinds import NMSTATE_CONFIG
from inputs.manifests.merged_tree import MergedTree, entry_at
from inputs.manifests.references import Documents

REFERENCE = "nmStateConfig"
"""The field of a host in cluster0.yaml that has the metadata.name of its NMStateConfig."""

FIELDS: dict[str, Path] = {"interfaces": ("spec", "interfaces"), "networkConfig": ("spec", "config")}
"""Fields of a host → their paths in an NMStateConfig."""


def join_hosts(documents: Documents, tree: MergedTree) -> Iterator[Finding]:
    """Put the networks into the hosts that name them. Each of the others becomes a host of its own, at the end.

    `tree`: of agent-config.yaml, with the fields of cluster0.yaml.
    """
    networks = {_name(source): source for source in documents[NMSTATE_CONFIG]}
    given = entry_at(tree.root, ("hosts",))
    if given and not isinstance(given.node.value, tuple):  # its own error
        return
    hosts: list[YamlNode] = []
    for host in given.node.value if given and isinstance(given.node.value, tuple) else ():
        here: Path = ("hosts", len(hosts))
        name = _reference(host)
        network = networks.pop(name, None)
        yield from _contradictions(tree.source(), here, host, name, network)
        hosts.append(_with_network(host, network))
        _remember(tree, here, network)
    for network in networks.values():
        here = ("hosts", len(hosts))
        tree.origins[here] = Origin(network, ())
        hosts.append(_with_network(YamlNode({}, network.root.start, network.root.end_line), network))
        _remember(tree, here, network)
    if hosts and isinstance(tree.root.value, dict):
        mark = given.key if given else hosts[0].start
        tree.root.value["hosts"] = Entry(mark, YamlNode(tuple(hosts), mark, mark.line))


def _name(source: Source) -> str:
    return next((place.value for place in source.find(str, "metadata", "name")), f"line {source.root.start.line}")


def _reference(host: YamlNode) -> str:
    entry = entry_at(host, (REFERENCE,))
    return entry.node.value if entry and isinstance(entry.node.value, str) else ""


def _contradictions(source: Source, here: Path, host: YamlNode, name: str, network: Source | None) -> Iterator[Finding]:
    if name and network is None:
        yield source.finding(
            (*here, REFERENCE), "manifest-reference",
            f"No {NMSTATE_CONFIG.kind} is called {name}, or another host uses it already.",
            f"Write the metadata.name of a document in {NMSTATE_CONFIG.file}.",
        )  # fmt: skip
    for field in FIELDS:
        if network and entry_at(host, (field,)):
            rule = f"The host has its {field} in {NMSTATE_CONFIG.file} already."
            remedy = f"Keep them there, or remove the {NMSTATE_CONFIG.kind} and {REFERENCE}."
            yield source.finding((*here, field), "manifests-disagree", rule, remedy)


def _with_network(host: YamlNode, network: Source | None) -> YamlNode:
    if not isinstance(host.value, dict):
        return host
    entries = {key: entry for key, entry in host.value.items() if key != REFERENCE}
    for field, there in FIELDS.items():
        if network and (entry := entry_at(network.root, there)):
            entries[field] = entry
    return YamlNode(entries, host.start, host.end_line)


def _remember(tree: MergedTree, here: Path, network: Source | None) -> None:
    for field, there in FIELDS.items():
        if network:
            tree.origins[(*here, field)] = Origin(network, there)
