#!/bin/bash
# plain-kubeadm.sh DISK: runs in the live system as root. Installs the payload with plain kubeadm on a disk of this
# machine, as an administrator would by hand.
set -euo pipefail
disk=$1
mkfs.ext4 -q -F "$disk"
mkdir -p /run/cluster0/state
mount "$disk" /run/cluster0/state
PYTHONPATH=/usr/lib/cluster0 python3 -c '
from pathlib import Path
from agent.install.state import fill_state
fill_state(Path("/run/cluster0/image"), Path("/run/cluster0/state"))'
systemctl start cluster0-state.target containerd.service

read -r version repository etcd < <(python3 -c '
import json
payload = json.load(open("/usr/share/cluster0/release.json"))["payload"]
etcd = next(image["reference"] for image in payload["images"] if "/etcd:" in image["reference"])
print(payload["kubernetes_version"], payload["image_repository"], etcd.rpartition(":")[2])')
cat >/root/kubeadm.yaml <<EOF
apiVersion: kubeadm.k8s.io/v1beta2
kind: InitConfiguration
nodeRegistration: {criSocket: /run/containerd/containerd.sock}
---
apiVersion: kubeadm.k8s.io/v1beta2
kind: ClusterConfiguration
kubernetesVersion: $version
imageRepository: $repository
networking: {podSubnet: 10.128.0.0/14}
apiServer: {timeoutForControlPlane: 20m0s}
etcd: {local: {imageTag: $etcd}}
EOF
kubeadm init --config /root/kubeadm.yaml --skip-phases=preflight,addon/coredns
systemctl start --no-block cluster0-podnet.service
kubectl --kubeconfig /etc/kubernetes/admin.conf wait --for=condition=Ready node --all --timeout=600s
