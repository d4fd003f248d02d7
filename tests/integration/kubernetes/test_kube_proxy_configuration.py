"""The real kubeadm takes the user's patch of kube-proxy's configuration, and adds the rest."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import msgspec
import pytest
import yaml

from agent.kubernetes.client import Kubernetes
from agent.model.intent import KubeadmPatches
from node0.bootstrap.kubeadm import render
from tests.fakes.kubernetes.native_control_plane import NODE, cached_payload, run_to_end, running

pytestmark = [pytest.mark.integration, pytest.mark.timeout(180)]

CONNTRACK = {"maxPerCore": 0, "min": 0}
CONFIG_MAP = "/api/v1/namespaces/kube-system/configmaps/kube-proxy"


class ConfigMap(msgspec.Struct):
    data: dict[str, str]


async def test_kubeadm_gives_kube_proxy_the_patched_configuration(tmp_path: Path) -> None:
    payload, config = cached_payload(), tmp_path / "patched.yaml"
    node = replace(NODE, patches=KubeadmPatches(kube_proxy_configuration={"conntrack": CONNTRACK}))
    config.write_text(render(node, payload.manifest.kubeadm_api))
    async with running(tmp_path, payload) as cluster, Kubernetes.from_kubeconfig(cluster.admin) as api:
        addon = ("init", "phase", "addon", "kube-proxy", f"--config={config}", f"--kubeconfig={cluster.admin}")
        await run_to_end(str(payload.program("kubeadm")), *addon)
        found = await api.get(CONFIG_MAP, ConfigMap)
    document = yaml.safe_load(found.data["config.conf"])
    assert CONNTRACK.items() <= document["conntrack"].items()
    assert document["clusterCIDR"] == ",".join(NODE.pod_subnets)
    assert document["clientConnection"]["kubeconfig"] == "/var/lib/kube-proxy/kubeconfig.conf"
