"""A check of a bond of two NICs: traffic over each of them in turn."""

from __future__ import annotations

from vm_harness.guest.node import Node
from vm_harness.lab.lab import Lab

INTERFACE = "bond0.100"
BOND = "/sys/class/net/bond0/bonding"


def assert_traffic_on_either_port(lab: Lab, node: Node) -> None:
    """`node` has its address on the VLAN over the bond, and reaches node0 with either port as the active one."""
    assert f"{node.address}/24" in node.succeed(f"ip -4 -brief address show dev {INTERFACE}")
    ports = node.succeed(f"cat {BOND}/slaves").split()
    assert len(ports) == 2
    for port in ports:
        node.succeed(f"echo {port} | sudo tee {BOND}/active_slave")
        assert node.succeed(f"cat {BOND}/active_slave").strip() == port
        node.succeed(f"ping -c 3 {lab.node().address}")
