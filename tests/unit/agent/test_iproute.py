"""What is read from `ip`'s output, where no kernel is at hand that would give it; and its failures."""

from __future__ import annotations

from pathlib import Path

import pytest

from agent.machine import ProcessFailed, iproute
from agent.machine.netlink import Netlink

BOND_PORTS = """[
{"ifname":"enp1s0","flags":["BROADCAST","MULTICAST","SLAVE","UP","LOWER_UP"],"mtu":1500,"master":"bond0",
 "operstate":"UP","link_type":"ether","address":"52:54:00:00:00:01",
 "linkinfo":{"info_slave_kind":"bond","info_slave_data":{"state":"ACTIVE","perm_hwaddr":"52:54:00:00:00:01"}},
 "addr_info":[]},
{"ifname":"enp2s0","flags":["NO-CARRIER","BROADCAST","MULTICAST","SLAVE","UP"],"mtu":1500,"master":"bond0",
 "operstate":"DOWN","link_type":"ether","address":"52:54:00:00:00:01",
 "linkinfo":{"info_slave_kind":"bond","info_slave_data":{"state":"BACKUP","perm_hwaddr":"52:54:00:00:00:02"}},
 "addr_info":[]},
{"ifname":"enp3s0","link":null,"flags":["BROADCAST"],"mtu":1500,"operstate":"DOWN","link_type":"ether",
 "address":"52:54:00:00:00:aa","permaddr":"52:54:00:00:00:03","addr_info":[]}]"""


@pytest.fixture
def ip(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A file for the script that stands for `ip`."""
    program = tmp_path / "ip"
    program.touch(mode=0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    return program


def prints(program: Path, output: str) -> None:
    program.write_text(f"#!/bin/sh\ncat <<'OUTPUT'\n{output}\nOUTPUT\n")


def test_a_bonds_port_keeps_its_own_mac_where_the_driver_reports_none(ip: Path) -> None:
    prints(ip, BOND_PORTS)
    assert {link.name: (link.permanent_mac or link.mac) for link in Netlink().links()} == {
        "enp1s0": "52:54:00:00:00:01",
        "enp2s0": "52:54:00:00:00:02",
        "enp3s0": "52:54:00:00:00:03",
    }


def test_a_link_without_carrier_does_not_run(ip: Path) -> None:
    prints(ip, BOND_PORTS)
    assert [link.is_running for link in iproute.links()] == [True, False, False]


def test_a_failure_of_ip_has_its_own_words(ip: Path) -> None:
    ip.write_text("#!/bin/sh\necho 'Cannot open netlink socket' >&2\nexit 1\n")
    with pytest.raises(ProcessFailed, match=r"(?s)exit code 1.*Cannot open netlink socket"):
        iproute.links()


def test_a_machine_without_ip_is_a_failure_with_its_name(ip: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", f"{ip.parent}/nowhere")
    with pytest.raises(ProcessFailed, match="ip -json"):
        iproute.links()


@pytest.mark.parametrize("output", ['{"ifname": 7}', "Object is unknown"])
def test_output_of_another_form_is_a_failure(ip: Path, output: str) -> None:
    prints(ip, output)
    with pytest.raises(ProcessFailed, match="unknown form"):
        iproute.links()
