"""Inputs as `cluster-manifests/`: which of them the lab reads for its machines, put together as agent-config.yaml."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec
import yaml

DIRECTORY = "cluster-manifests"
CLUSTER_INSTALL = "agent-cluster-install.yaml"
NETWORKS = "nmstateconfig.yaml"
SETTINGS = "cluster0.yaml"


class _Metadata(msgspec.Struct, frozen=True):
    name: str


class _Network(msgspec.Struct, frozen=True):
    interfaces: tuple[Any, ...] = ()
    config: dict[str, Any] = {}


class _NmStateConfig(msgspec.Struct, frozen=True):
    metadata: _Metadata
    spec: _Network


class _AgentConfig(msgspec.Struct, frozen=True):
    hosts: tuple[dict[str, Any], ...] = ()


class _Settings(msgspec.Struct, frozen=True):
    agent: _AgentConfig = msgspec.field(name="agentConfig", default=_AgentConfig())


def are_present(directory: Path) -> bool:
    return (directory / DIRECTORY / CLUSTER_INSTALL).exists()


def agent_config(directory: Path) -> dict[str, Any]:
    """`hosts`, each with the network it names; a network that no host names is a host of its own, after the others.

    Raises `OSError`, `yaml.YAMLError`, `msgspec.ValidationError`.
    """
    found = msgspec.convert(_documents(directory / DIRECTORY / NETWORKS), tuple[_NmStateConfig, ...])
    networks = {
        each.metadata.name: {"interfaces": each.spec.interfaces, "networkConfig": each.spec.config} for each in found
    }
    settings = msgspec.convert(_documents(directory / DIRECTORY / SETTINGS), tuple[_Settings, ...])
    hosts = [host | networks.pop(host.get("nmStateConfig", ""), {}) for each in settings for host in each.agent.hosts]
    return {"hosts": [*hosts, *networks.values()]}


def ssh_keys(directory: Path) -> str:
    """Raises `OSError`, `yaml.YAMLError`, `KeyError`, `TypeError`."""
    (document,) = _documents(directory / DIRECTORY / CLUSTER_INSTALL)
    return str(document["spec"]["sshPublicKey"])


def _documents(path: Path) -> list[Any]:
    """What is not there says nothing."""
    if not path.exists():
        return []
    return [each for each in yaml.load_all(path.read_text(), yaml.BaseLoader) if each]
