"""Converts the inputs to the text of the manifests, in the form of upstream's `agent create cluster-manifests`."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import yaml

from inputs.document.source import Path
from inputs.load import Inputs
from inputs.manifests.field_mappings import FIELD_MAPPINGS, InputFile
from inputs.manifests.hosts import FIELDS, REFERENCE
from inputs.manifests.kinds import (
    AGENT_CLUSTER_INSTALL,
    CLUSTER_DEPLOYMENT,
    CLUSTER_IMAGE_SET,
    INFRA_ENV,
    LABEL,
    NMSTATE_CONFIG,
    PULL_SECRET_KIND,
    SETTINGS,
    Kind,
)
from inputs.manifests.references import REFERENCES, SELECTOR
from inputs.schema.install_config import InstallConfig

Document = dict[str, Any]

_SETTINGS_HEAD = """\
# Fields that the other manifests do not have, with their names in install-config.yaml and agent-config.yaml.
# A host's `nmStateConfig` is the metadata.name of its document in nmstateconfig.yaml.
"""

_NOT_SETTINGS = {
    # Other manifests have the last two in another form.
    InputFile.INSTALL: {"apiVersion", "kind", "compute", "pullSecret"},
    # metadata is not used; `_hosts` writes the hosts.
    InputFile.AGENT: {"apiVersion", "kind", "metadata", "hosts"},
}


def manifests(inputs: Inputs) -> dict[str, str]:
    """Name of each file → its content. Reading them gives the same inputs."""
    files = {InputFile.INSTALL: inputs.install, InputFile.AGENT: inputs.agent}
    documents = _skeletons(inputs.install)
    written: dict[InputFile, Document] = {part: {} for part in InputFile}
    values = {part: model.model_dump(mode="json", by_alias=True) for part, model in files.items()}
    for mapping in FIELD_MAPPINGS:
        value = _without_empty(mapping.write(_at(values[mapping.file], mapping.input_path)))
        if value is not None:
            _set(documents[mapping.kind], mapping.manifest_path, value)
            _set(written[mapping.file], mapping.input_path, mapping.read(value))
    networks, hosts = _hosts(inputs)
    settings: Document = {"apiVersion": SETTINGS.api_version, "kind": SETTINGS.kind}
    for part, model in files.items():
        left_out = {field for field, info in type(model).model_fields.items() if info.alias in _NOT_SETTINGS[part]}
        rest = model.model_dump(mode="json", by_alias=True, exclude_defaults=True, exclude=left_out)
        if rest := _rest(rest, written[part]):
            settings[part.value] = rest
    if hosts:
        settings.setdefault(InputFile.AGENT.value, {})["hosts"] = hosts
    texts = {kind.file: _text([document]) for kind, document in documents.items()}
    texts |= {NMSTATE_CONFIG.file: _text(networks)} if networks else {}
    return {**texts, SETTINGS.file: _SETTINGS_HEAD + _text([settings])}


def _skeletons(install: InstallConfig) -> dict[Kind, Document]:
    """The manifests of the cluster with their names and references only."""
    cluster = install.metadata.name
    names = {
        AGENT_CLUSTER_INSTALL: cluster,
        CLUSTER_DEPLOYMENT: cluster,
        CLUSTER_IMAGE_SET: "-".join(filter(None, ("kubernetes", install.kubernetes.version))),
        INFRA_ENV: cluster,
        PULL_SECRET_KIND: f"{cluster}-pull-secret",
    }
    documents = {kind: _object(kind, name, cluster) for kind, name in names.items()}
    for kind, path, target in REFERENCES:
        _set(documents[kind], path, names[target])
    group, version = AGENT_CLUSTER_INSTALL.api_version.split("/")
    documents[CLUSTER_DEPLOYMENT]["spec"]["clusterInstallRef"] |= {
        "group": group, "version": version, "kind": AGENT_CLUSTER_INSTALL.kind,
    }  # fmt: skip
    _set(documents[INFRA_ENV], ("spec", "clusterRef", "namespace"), cluster)
    _set(documents[INFRA_ENV], (*SELECTOR, "matchLabels"), {LABEL: cluster})
    managed_by_user = install.platform.none is not None
    _set(documents[AGENT_CLUSTER_INSTALL], ("spec", "networking", "userManagedNetworking"), managed_by_user)
    return documents


def _object(kind: Kind, name: str, cluster: str) -> Document:
    return {"apiVersion": kind.api_version, "kind": kind.kind, "metadata": {"name": name, "namespace": cluster}}


def _hosts(inputs: Inputs) -> tuple[list[Document], list[Document]]:
    """The NMStateConfigs, and the other fields of the hosts."""
    cluster = inputs.install.metadata.name
    networks, hosts = [], []
    for index, host in enumerate(inputs.agent.hosts):
        rest = host.model_dump(mode="json", by_alias=True, exclude_defaults=True)
        if host.network_config is not None:
            network = _object(NMSTATE_CONFIG, f"{cluster}-{index}", cluster)
            network["metadata"]["labels"] = {LABEL: cluster}
            given = host.model_dump(mode="json", by_alias=True, exclude_unset=True)
            for field, there in FIELDS.items():
                _set(network, there, given.get(field, []))
                rest.pop(field, None)
            networks.append(network)
            rest = {REFERENCE: network["metadata"]["name"], **rest}
        hosts.append(rest)
    return networks, hosts


def _at(document: Any, path: Path) -> Any:
    for step in path:
        document = document.get(step) if isinstance(document, dict) else None
    return document


def _set(document: Document, path: Path, value: object) -> None:
    """Keeps a value that is there already."""
    for step in path[:-1]:
        document = document.setdefault(str(step), {})
    document.setdefault(str(path[-1]), value)


def _without_empty(value: Any) -> Any:
    """`value` without empty fields; None if nothing is left."""
    if isinstance(value, dict):
        value = {key: inner for key, inner in value.items() if inner not in (None, "")}
    return None if value in (None, "", [], {}) else value


def _rest(values: Document, written: Document) -> Document:
    """What is in `values` and not in `written`."""
    rest: Document = {}
    for key, value in values.items():
        known = written.get(key)
        if isinstance(value, dict) and isinstance(known, dict):
            value = _rest(value, known) or known
        if value != known:
            rest[key] = value
    return rest


class _Dumper(yaml.SafeDumper):
    """Text of several lines as a block; no anchors."""

    def ignore_aliases(self, data: object) -> bool:
        return True


def _string(dumper: yaml.SafeDumper, value: str) -> yaml.Node:
    style = "|" if "\n" in value else None
    return dumper.represent_scalar("tag:yaml.org,2002:str", value, style=style)


_Dumper.add_representer(str, _string)


def _text(documents: Iterable[Document]) -> str:
    return "---\n".join(
        yaml.dump(document, Dumper=_Dumper, sort_keys=False, allow_unicode=True, width=1 << 20)
        for document in documents
    )
