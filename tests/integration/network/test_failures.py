"""What keeps a host's network from coming up, with the real NetworkManager: on the console, and in the report of each
device, with the reason."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path

import msgspec
import pytest

from agent.cli import NO_MATCH
from agent.machine import Files
from agent.model.host_documents import DeviceReport, HostMatch, NetworkReport
from agent.model.host_paths import HOST_FILE, INTENT_FILE, NETWORK_FILE
from agent.model.network import IP_OFF, Ethernet, IpConfig, IpMethod, NetworkModel
from agent.network.keyfiles import DIRECTORY
from tests.fakes.inputs.intents import NETWORK, host, intent, mac
from tests.fakes.network.network_host import BOTH_ROOTS, NetworkHost, network_host

pytestmark = [
    pytest.mark.integration,
    pytest.mark.skipif(os.geteuid() != 0, reason="namespaces need root"),
    BOTH_ROOTS,
]

CONSOLE = "/run/console"
Said = Callable[[str], str]


@pytest.fixture
def machine(root: Path) -> Iterator[NetworkHost]:
    """A host that has booted an ISO made for host1 and host2; it has host1's NIC."""
    with network_host(root) as made:
        made.at(INTENT_FILE).parent.mkdir(parents=True)
        made.at(INTENT_FILE).write_bytes(msgspec.json.encode(intent(host(1), host(2))))
        made.plug_nic("enp1s0", mac(1))
        yield made


@pytest.fixture
def said(machine: NetworkHost) -> Iterator[Said]:
    """`said(text)`: the first line with `text` on the serial console, waited for."""
    os.mkfifo(machine.at(CONSOLE))
    console = (machine.python, "-m", "agent", "console", "--tty", CONSOLE)
    both_ends = os.open(machine.at(CONSOLE), os.O_RDWR)  # so that neither waits for the other
    with os.fdopen(both_ends) as lines, machine.daemon(*console, log="/run/console.log"):
        yield lambda text: next(line.strip() for line in lines if text in line)


def verify(machine: NetworkHost) -> NetworkReport:
    """The report of a network that does not come up."""
    with machine.network_manager():
        verified = machine.agent("network-verify", "--timeout", "2")
    report = report_of(machine)
    assert verified.returncode == 1
    assert all(f"{problem.code}: {problem.title}" in verified.stderr for problem in report.problems)
    return report


def staying(machine: NetworkHost) -> tuple[str, ...]:
    return (machine.python, "-m", "agent", "network-verify", "--timeout", "0.5", "--stay")


def let_networkmanager_ask(machine: NetworkHost) -> None:
    """Debian 13's looks for another host with an address, Debian 12's only where it is configured to."""
    with machine.at("/etc/NetworkManager/NetworkManager.conf").open("a") as configuration:
        configuration.write("[connection]\nipv4.dad-timeout=200\n")


def report_of(machine: NetworkHost) -> NetworkReport:
    return Files(machine.at("/")).load(NETWORK_FILE, NetworkReport) or NetworkReport()


def device(report: NetworkReport) -> DeviceReport:
    return next(device for device in report.devices if device.interface == "enp1s0")


def test_an_interface_without_carrier_is_reported(machine: NetworkHost, said: Said) -> None:
    machine.unplug_cable("enp1s0")
    assert machine.agent("network").returncode == 0
    report = verify(machine)
    assert [problem.code for problem in report.problems] == ["interface-not-up"]
    assert device(report).state == "unavailable"
    assert "problem interface-not-up: Interface eth0 (enp1s0) is not up: unavailable, there is no carrier" in said(
        "problem"
    )


def test_a_missing_network_device_is_reported(machine: NetworkHost, said: Said) -> None:
    """Between the two programs, as where its driver fails."""
    assert machine.agent("network").returncode == 0
    assert machine.run("ip", "link", "delete", "enp1s0").returncode == 0
    report = verify(machine)
    assert [problem.code for problem in report.problems] == ["interface-not-up"]
    assert "enp1s0" not in {found.interface for found in report.devices}
    assert "Interface eth0 (enp1s0) is not up: NetworkManager does not know it" in said("problem")


@pytest.mark.parametrize("address", [f"{NETWORK}.10/24", "2001:db8::10/64"], ids=["ipv4", "ipv6"])
def test_another_host_with_the_address_is_named_by_its_mac(machine: NetworkHost, said: Said, address: str) -> None:
    """With IPv6 the kernel itself finds the duplicate, and does not know its MAC."""
    own = IpConfig(method=IpMethod.MANUAL, addresses=(address,))
    families = (IP_OFF, own) if ":" in address else (own, IP_OFF)
    nic = Ethernet(name="eth0", mac=mac(1), ipv4=families[0], ipv6=families[1])
    machine.at(INTENT_FILE).write_bytes(msgspec.json.encode(intent(host(1, NetworkModel(interfaces=(nic,))))))
    other = machine.add_address_conflict(address)
    assert machine.agent("network").returncode == 0
    let_networkmanager_ask(machine)
    report = verify(machine)
    assert [problem.code for problem in report.problems] == ["address-conflict"]
    ip, _, _ = address.partition("/")
    assert f"address-conflict: The address {ip} of eth0 (enp1s0) ({mac(1)}) is also that of {other}" in said("problem")


def test_a_network_that_comes_late_is_waited_for(machine: NetworkHost, said: Said) -> None:
    machine.unplug_cable("enp1s0")
    assert machine.agent("network").returncode == 0
    with machine.network_manager(), machine.process(*staying(machine)) as program:
        assert "there is no carrier" in said("problem")
        machine.plug_cable_in("enp1s0")
        assert program.wait(timeout=60) == 0
    assert not report_of(machine).problems


def test_a_changed_network_problem_is_reported_again(machine: NetworkHost, said: Said) -> None:
    """NetworkManager gives up, and gives no reason for that state: the report has that of the last attempt."""
    let_networkmanager_ask(machine)
    machine.unplug_cable("enp1s0")
    other = machine.add_address_conflict(f"{NETWORK}.10/24")
    assert machine.agent("network").returncode == 0
    with machine.network_manager(), machine.process(*staying(machine)):
        assert "there is no carrier" in said("problem")
        machine.plug_cable_in("enp1s0")
        assert f"is also that of {other}" in said("problem address-conflict")
    assert device(report_of(machine)).reason == "its addresses are another host's, or no server gave any"


def test_an_unmatched_host_uses_dhcp_and_reports_it(machine: NetworkHost, said: Said) -> None:
    machine.at(INTENT_FILE).write_bytes(msgspec.json.encode(intent(host(2))))
    assert machine.agent("network", "--timeout", "0.5").returncode == NO_MATCH
    match = msgspec.json.decode(machine.at(HOST_FILE).read_bytes(), type=HostMatch)
    assert (match.index, match.problems[0].code) == (-1, "host-unknown")
    assert "problem host-unknown: No host in agent-config.yaml lists a MAC of this machine" in said("problem")
    assert f"Seen here: enp1s0 ({mac(1)})" in said("Seen here")
    with machine.network_manager():
        seen = "nmcli --get-values DEVICE,CONNECTION device | grep -q enp1s0:cluster0-dhcp"
        assert machine.run("timeout", "20", "sh", "-c", f"until {seen}; do sleep 0.1; done").returncode == 0


def test_an_unmatched_host_is_matched_when_its_nic_appears(machine: NetworkHost, said: Said) -> None:
    """Long after the boot: a driver that took its time, or a card plugged in at last."""
    machine.at(INTENT_FILE).write_bytes(msgspec.json.encode(intent(host(2))))
    assert machine.agent("network", "--timeout", "0.5").returncode == NO_MATCH
    assert "No host in agent-config.yaml lists a MAC of this machine" in said("problem")
    with machine.network_manager(), machine.process(*staying(machine)) as program:
        machine.plug_nic("enp9s0", mac(7))
        assert f"enp9s0 ({mac(7)})" in said("enp9s0")
        machine.plug_nic("enp2s0", mac(2))
        assert program.wait(timeout=60) == 0
        profiles = machine.run("nmcli", "--get-values", "NAME,DEVICE", "connection").stdout.split()
        assert [profile for profile in profiles if not profile.endswith(":lo")] == ["eth0:enp2s0"]
    assert f"{NETWORK}.11/24" in machine.run("ip", "address", "show", "enp2s0").stdout
    assert machine.run("hostname").stdout == "host2\n"
    assert [path.name for path in machine.at(DIRECTORY).iterdir()] == ["eth0.nmconnection"]
    assert not report_of(machine).problems
