"""`cluster0 create config`: for each topology a pair of files that is valid as it is."""

from __future__ import annotations

from pathlib import Path

import pytest

from agent.model.intent import Platform, Role
from inputs.cluster_intent import cluster_intent
from inputs.load import load_inputs
from inputs.samples import TOPOLOGIES, write_samples


@pytest.mark.parametrize("topology", TOPOLOGIES)
def test_samples_are_valid_unchanged(topology: str, tmp_path: Path) -> None:
    write_samples(topology, tmp_path)
    assert load_inputs(tmp_path).findings == ()


@pytest.mark.parametrize(
    ("topology", "masters", "workers", "platform", "api"),
    [
        ("sno", 1, 0, Platform.NONE, "192.0.2.10"),
        ("compact", 3, 0, Platform.BAREMETAL, "192.0.2.5"),
        ("ha", 3, 2, Platform.BAREMETAL, "192.0.2.5"),
        ("ha5", 5, 0, Platform.BAREMETAL, "192.0.2.5"),
    ],
)
def test_each_sample_has_the_topology_of_its_name(
    topology: str, masters: int, workers: int, platform: Platform, api: str, tmp_path: Path
) -> None:
    write_samples(topology, tmp_path)
    inputs = load_inputs(tmp_path).valid_inputs()
    intent = cluster_intent(inputs, cluster_id="c", infra_env_id="i", created_at="2026-01-02T03:04:05Z")
    assert [host.role for host in intent.hosts] == [Role.MASTER] * masters + [Role.WORKER] * workers
    assert (intent.platform, intent.api_address) == (platform, api)
