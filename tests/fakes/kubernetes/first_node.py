"""kubeadm's configuration of the first node, for a cluster of one."""

from __future__ import annotations

from node0.bootstrap.kubeadm import FirstNode

FIRST_NODE = FirstNode(
    hostname="node0",
    address="192.0.2.10",
    api_address="192.0.2.10",
    domain="demo.example.com",
    cluster_name="demo",
    kubernetes_version="v1.20.2",
    image_repository="cluster0.local/kubernetes",
    etcd_tag="3.4.23",
    pause="cluster0.local/kubernetes/pause:3.2",
    pod_subnets=("10.128.0.0/14",),
    service_subnets=("172.30.0.0/16",),
    node_prefix=23,
    schedulable=True,
)
