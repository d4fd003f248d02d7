"""`networkConfig` documents of tests/data/nmstate, as one host of otherwise valid inputs."""

from __future__ import annotations

import textwrap
from pathlib import Path

from agent.model.network import NetworkModel
from inputs.cluster_intent import cluster_intent
from inputs.load import AGENT_CONFIG, INSTALL_CONFIG, LoadResult, load_inputs
from tests.fakes.inputs.intents import CLUSTER_ID, INFRA_ENV_ID
from tests.paths import DATA

DOCUMENTS = tuple(sorted((DATA / "nmstate").glob("*.yaml")))
RENDEZVOUS = "192.0.2.10"

INSTALL = """\
apiVersion: v1
baseDomain: example.com
metadata: {name: demo}
controlPlane: {replicas: 1}
networking:
  machineNetwork: [{cidr: 192.0.2.0/24}, {cidr: "2001:db8::/64"}]
platform: {none: {}}
"""
SIX = 'networking:\n  clusterNetwork: [{cidr: "fd01::/48", hostPrefix: 64}]\n  serviceNetwork: ["fd02::/112"]\n'
AGENT = """\
apiVersion: v1beta1
kind: AgentConfig
rendezvousIP: "{rendezvous}"
hosts:
  - hostname: host1
    role: master
"""


def load_network(directory: Path, document: str, *, rendezvous: str = RENDEZVOUS) -> LoadResult:
    """What is found in inputs whose only host has `document`: its `interfaces` and `networkConfig`."""
    (directory / INSTALL_CONFIG).write_text(INSTALL.replace("networking:\n", SIX) if ":" in rendezvous else INSTALL)
    host = AGENT.format(rendezvous=rendezvous) + textwrap.indent(document, "    ")
    (directory / AGENT_CONFIG).write_text(host)
    return load_inputs(directory)


def model_of(directory: Path, document: str) -> NetworkModel:
    """What the host's network is; `document` has 192.0.2.10 or 2001:db8::10 as the rendezvous address."""
    rendezvous = RENDEZVOUS if RENDEZVOUS in document else "2001:db8::10"
    inputs = load_network(directory, document, rendezvous=rendezvous).valid_inputs()
    intent = cluster_intent(inputs, cluster_id=CLUSTER_ID, infra_env_id=INFRA_ENV_ID, created_at="2026-01-02T03:04:05Z")
    return intent.hosts[0].network
