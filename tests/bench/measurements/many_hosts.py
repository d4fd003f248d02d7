"""Five hundred hosts: the time to check their inputs and to create their image."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import yaml

from inputs.load import AGENT_CONFIG, INSTALL_CONFIG
from tests.bench.figures import Figure, Samples
from tests.bench.load import observed
from tests.bench.sampling import Measured, repeat
from tests.bench.sites import Bench

HOSTS = 500
SAMPLES = 5

VALIDATE = Figure(
    id="validate-500",
    title=f"`validate`, {HOSTS} hosts",
    unit="s",
    goal=1.0,
    what=f"The wall time of `cluster0 validate` for {HOSTS} hosts, each with a bond of two NICs and a VLAN.",
)
CREATE_IMAGE = Figure(
    id="create-image-500",
    title=f"`create image`, {HOSTS} hosts",
    unit="s",
    goal=3.0,
    what=f"The wall time of `cluster0 create image` for the same {HOSTS} hosts, without waiting for the disk.",
)
FIGURES = (VALIDATE, CREATE_IMAGE)


def take(bench: Bench) -> Iterator[Samples]:
    directory = bench.directory / "many-hosts"
    directory.mkdir()
    write_many_hosts(directory)
    where = ("--dir", str(directory))
    base_iso = ("--base-iso", str(bench.base_iso))
    yield VALIDATE.of(repeat(lambda: _seconds(bench, "validate", *where), samples=SAMPLES), float)
    yield CREATE_IMAGE.of(repeat(lambda: _seconds(bench, "create", "image", *where, *base_iso), samples=SAMPLES), float)


def _seconds(bench: Bench, *arguments: str) -> Measured[float]:
    with observed() as stretch:
        bench.cluster0(*arguments)
    return Measured(stretch.seconds, stretch.load)


def write_many_hosts(directory: Path, hosts: int = HOSTS) -> None:
    """Three control planes and workers, each with a bond of two NICs and a VLAN with a static address."""
    install = {
        "apiVersion": "v1",
        "baseDomain": "example.com",
        "metadata": {"name": "many"},
        "controlPlane": {"replicas": 3},
        "compute": [{"replicas": hosts - 3}],
        "networking": {
            "machineNetwork": [{"cidr": "10.0.0.0/16"}],
            "clusterNetwork": [{"cidr": "10.128.0.0/14", "hostPrefix": 24}],
        },
        "platform": {"baremetal": {"apiVIPs": ["10.0.0.5"]}},
    }
    agent = {
        "apiVersion": "v1beta1",
        "rendezvousIP": "10.0.1.0",
        "hosts": [_host(number) for number in range(hosts)],
    }
    (directory / INSTALL_CONFIG).write_text(yaml.safe_dump(install))
    (directory / AGENT_CONFIG).write_text(yaml.safe_dump(agent))


def _host(number: int) -> dict[str, Any]:
    macs = [f"52:54:00:{number >> 8:02x}:{number & 0xFF:02x}:{nic:02x}" for nic in range(2)]
    address = {"ip": f"10.0.{1 + (number >> 8)}.{number & 0xFF}", "prefix-length": 16}
    return {
        "hostname": f"host{number}",
        "role": "master" if number < 3 else "worker",
        "interfaces": [{"name": f"eno{nic}", "macAddress": mac} for nic, mac in enumerate(macs)],
        "rootDeviceHints": {"deviceName": "/dev/sda"},
        "networkConfig": {
            "interfaces": [
                {
                    "name": "bond0",
                    "type": "bond",
                    "state": "up",
                    "link-aggregation": {"mode": "802.3ad", "port": ["eno0", "eno1"], "options": {"miimon": 100}},
                },
                {
                    "name": "bond0.100",
                    "type": "vlan",
                    "state": "up",
                    "vlan": {"base-iface": "bond0", "id": 100},
                    "ipv4": {"enabled": True, "dhcp": False, "address": [address]},
                },
            ],
            "routes": {
                "config": [
                    {
                        "destination": "0.0.0.0/0",
                        "next-hop-address": "10.0.0.1",
                        "next-hop-interface": "bond0.100",
                    }
                ]
            },
            "dns-resolver": {"config": {"server": ["10.0.0.1"]}},
        },
    }
