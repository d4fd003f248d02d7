"""The real kubeadm writes static pods as our patches change them."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
import yaml

from agent.etcd.client import Member
from agent.kubeadm import static_pod_patches
from node0.bootstrap.kubeadm import render
from tests.fakes.agent.machine import machine_in
from tests.fakes.kubernetes.native_control_plane import NODE, cached_payload

pytestmark = pytest.mark.integration

OWN = "https://192.0.2.10:2380"
# kubeadm writes where the kubelet reads, and nowhere else: an /etc of its own, and a /run with the patches.
SCRIPT = """
mount -t tmpfs none /etc
mount -t tmpfs none /run
mkdir -p {patches}
mount --bind {written} {patches}
{kubeadm} init phase etcd local --config={config} {flags} >&2
{kubeadm} init phase control-plane apiserver --config={config} {flags} >&2
cd /etc/kubernetes/manifests
cat etcd.yaml
echo ---
cat kube-apiserver.yaml
"""


def test_kubeadm_applies_patches_of_probes_and_etcds_member_name(tmp_path: Path) -> None:
    machine, payload = machine_in(tmp_path), cached_payload()
    static_pod_patches.prepare(machine, payload.manifest.kubernetes_version)
    static_pod_patches.name_etcd_member(machine, [Member(id="1", peer_urls=(OWN,))], NODE.hostname, OWN)
    config = tmp_path / "kubeadm.yaml"
    config.write_text(render(NODE, payload.manifest.kubeadm_api))
    script = SCRIPT.format(
        patches=static_pod_patches.DIRECTORY,
        written=machine.files.at(static_pod_patches.DIRECTORY),
        kubeadm=payload.program("kubeadm"),
        config=config,
        flags=" ".join(static_pod_patches.on_command_line(payload.manifest.kubeadm_api)),
    )
    done = subprocess.run(["unshare", "--mount", "sh", "-ec", script], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    etcd, api_server = (pod["spec"]["containers"][0] for pod in yaml.safe_load_all(done.stdout))
    assert etcd["livenessProbe"]["httpGet"]["path"] == "/metrics"
    assert etcd["resources"]["requests"] == static_pod_patches.ETCD_REQUESTS
    assert etcd["command"][-1] == f"--initial-cluster={NODE.hostname}={OWN}"
    assert api_server["livenessProbe"]["httpGet"]["path"] == "/livez?exclude=etcd"
    assert api_server["livenessProbe"]["failureThreshold"] == static_pod_patches.LIVENESS_FAILURES
    assert api_server["readinessProbe"]["periodSeconds"] == static_pod_patches.READINESS_SECONDS
