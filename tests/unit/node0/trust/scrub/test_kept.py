"""What logs are read for stays: names, digests, ids, addresses, paths, and prose about secrets."""

from __future__ import annotations

import io
from collections import Counter

from node0.trust.scrub import Scrubber

DIGEST = "sha256:7031c1b283388d2c2e09b57badb803c05ebed362dc88d84b480cc47f72a21097"
ID = "9a1b2c3d-1111-4222-8333-444455556666"
PRINT = "SHA256:Jd3QQeUTJJTHkCl9Y2Ei0T5aWv2R9XnbnsXHnSVsSIE"
AT = "2026-11-23T19:59:02.123456+0000 worker-0"

LINES = f"""\
{AT}.demo.example.com kernel: Command line: BOOT_IMAGE=/live/vmlinuz root=UUID={ID} ro
{AT} kernel: pci 0000:00:1f.2: [8086:2922] type 00 class 0x010601
{AT} systemd[1]: Started cluster0-agent.service - cluster0's agent.
{AT} NetworkManager[700]: <info>  [1700.1234] device (eth0): state change: prepare
{AT} NetworkManager[700]: 52:54:00:ab:cd:ef 192.168.122.15/24 fe80::5054:ff:feab:cdef
{AT} containerd[812]: msg="PullImage \\"registry.k8s.io/pause:3.9@{DIGEST}\\""
{AT} kubelet[912]: I1123 "started" (UniqueName: "kubernetes.io/secret/{ID}-tls")
{AT} kubelet[912]: E1123 object "kube-system"/"coredns-token-abcde" not registered
{AT} kubelet[912]: E1123 failed to sync secret cache: timed out waiting for the condition
{AT} kubelet[912]: W1123 secret: timed out waiting, token: expired, no password set
{AT} kubelet[912]: I1123 "Deleting" secret="kube-system/bootstrap-token-abcdef"
{AT} kubelet[912]: --tls-private-key-file=/var/lib/kubelet/pki/kubelet.key --token-ttl=24h0m0s
{AT} kubelet[912]: --service-account-key-file=/etc/kubernetes/pki/sa.pub --authorization-mode=Node,RBAC
{AT} kubelet[912]: --bootstrap-kubeconfig=/etc/kubernetes/bootstrap-kubelet.conf 100%25 done
{AT} sshd[99]: Accepted publickey for core from 192.0.2.1: ED25519 {PRINT}
{AT} kubeadm[99]: [certs] Using existing front-proxy-client certificate and key on disk
{AT} kubeadm[99]: --discovery-token-ca-cert-hash {DIGEST}
{AT} cluster0-agent[600]: token-invalid: the token of this host was refused: https://192.0.2.1:8090/v2
/var/lib/containerd/io.containerd.snapshotter.v1.overlayfs/snapshots/112/fs/usr/share/zoneinfo/right/America
/dev/disk/by-id/scsi-36001405b1c7f2a3d4e5f60718293a4b5 /dev/disk/by-path/pci-0000:00:1f.2-ata-1
{{"id": "{ID}", "status": "known", "token": null, "inventory": "{{\\"hostname\\": \\"worker-0\\"}}"}}
wifi-sec.psk-flags: 0 802-11-wireless-security.psk-flags: 0 (none)
certificate-authority-data: {"TUlJQ" + "Q0Fx" * 40}
-----BEGIN CERTIFICATE-----
MIIBejCCASGgAwIBAgIUe3Y4Yp0m7k1ZxGmC1xqkGWQ3dQowCgYIKoZIzj0EAwIw
-----END CERTIFICATE-----
volumes:
- secret:
    secretName: tls
- name: data
  hostPath: {{path: /data}}
"""


def test_an_ordinary_log_stays_as_it_is() -> None:
    clean = io.BytesIO()
    removed = Scrubber([b"correct-horse-battery"]).copy(io.BytesIO(LINES.encode()), clean)
    assert clean.getvalue().decode().splitlines() == LINES.splitlines()
    assert removed == Counter()
