"""One host by each firmware and medium, from power on to a Ready node; and its next boot, with the medium still in."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.fakes.lab import boot_server
from tests.vm.install_ways import SECURE_BOOT, WAYS, Way, as_parameters
from tests.vm.installed import assert_installed
from tests.vm.labs import Labs
from vm_harness.guest.node import Node
from vm_harness.lab import kubectl
from vm_harness.lab.lab import Lab
from vm_harness.machine.firmware import Firmware
from vm_harness.machine.media import Medium

pytestmark = [pytest.mark.vm, pytest.mark.timeout(5400)]

BOOT_SECONDS = 900
INSTALL_SECONDS = 3000
# What must not change when the host moves from the medium to its disk, by name → command.
IDENTITY = {
    "machine-id": "cat /etc/machine-id",
    "hostname": "hostname",
    "addresses": "ip -brief -4 address show scope global | grep -v cni0",
    "ssh host key": "cat /etc/ssh/ssh_host_ed25519_key.pub",
}
EFI_SECURE_BOOT = "/sys/firmware/efi/efivars/SecureBoot-8be4df61-93ca-11d2-aa0d-00e098032b8c"
IS_SECURE = f"od --address-radix=n --format=u1 --skip-bytes=4 {EFI_SECURE_BOOT} | grep --only-matching 1"
FIRMWARE = f"test -d /sys/firmware/efi && echo efi; {IS_SECURE}"
"""Prints `efi` under UEFI, and `1` where the firmware reports that Secure Boot is on. Not every firmware has the
variable where it is off."""
SHOWN = {Firmware.BIOS: [], Firmware.UEFI: ["efi"], Firmware.SECURE_BOOT: ["efi", "1"]}
MEDIUM = "findmnt --noheadings --raw --output FSTYPE,SOURCE /run/cluster0/medium"
KUBECTL = "sudo kubectl --kubeconfig /etc/kubernetes/admin.conf"
KERNEL = "/run/cluster0/medium/slots/a/vmlinuz"
INITRAMFS = "/run/cluster0/medium/slots/a/initrd.img"


@dataclass(frozen=True)
class Live:
    """The host while it ran from the medium. `firmware`: the words that FIRMWARE prints."""

    identity: dict[str, str]
    firmware: list[str]
    medium: str

    @classmethod
    def of(cls, node: Node) -> Live:
        return cls(identity(node), firmware(node), node.succeed(MEDIUM))


@dataclass(frozen=True)
class Installed:
    way: Way
    lab: Lab
    live: Live

    @property
    def node(self) -> Node:
        return self.lab.node()


def identity(node: Node) -> dict[str, str]:
    return {name: node.succeed(command) for name, command in IDENTITY.items()}


def firmware(node: Node) -> list[str]:
    return node.execute(FIRMWARE).stdout.split()


def cluster_uid(node: Node) -> str:
    """Another one after another install."""
    return node.succeed(f"{KUBECTL} get namespace kube-system --output jsonpath={{.metadata.uid}}")


def serve(lab: Lab, way: Way, base_iso: Path, serving: ExitStack) -> None:
    """Start what the host boots from, until `serving` ends; by PXE then the host, too."""
    if way.medium is Medium.NETWORK:
        lab.node().crash()  # the lab has switched it on, before the boot server runs
        boot_server.create("pxe-files", lab.directories.inputs, base_iso)
    serving.enter_context(boot_server.http(lab))
    if way.medium is Medium.NETWORK:
        serving.enter_context(boot_server.dhcp(lab))
        lab.node().start()


def install(lab: Lab, way: Way, base_iso: Path, stack: ExitStack) -> Installed:
    with ExitStack() as serving:
        if way.is_served:
            serve(lab, way, base_iso, serving)
        node = lab.node()
        node.wait_for_ssh(timeout=BOOT_SECONDS)
        live = Live.of(node)
        end = node.wait_for_console_text(
            r"reboot: Restarting system|cluster0: node0: failed.*", timeout=INSTALL_SECONDS
        )
        assert end[0].startswith("reboot"), end[0]
        node.wait_for_reboot()
        assert_installed(lab, timeout=INSTALL_SECONDS)
        stack.push(serving.pop_all())
    return Installed(way, lab, live)


@pytest.fixture(scope="module", params=as_parameters(WAYS))
def cluster(request: pytest.FixtureRequest, labs: Labs, base_iso: Path) -> Iterator[Installed]:
    way: Way = request.param
    if way.is_minimal:
        boot_server.make_minimal_iso(labs.directories(way.name), base_iso)
    with ExitStack() as stack:
        installed: Installed = labs.run(
            lambda lab: install(lab, way, base_iso, stack),
            way.name,
            base_iso=base_iso,
            firmware=way.firmware,
            medium=way.medium,
            medium_first=way.medium_first,
        )
        yield installed
        stack.close()  # before the lab's network goes
        labs.take_down(installed.lab)


def test_a_single_node_runs_from_its_disk(cluster: Installed) -> None:
    assert "cluster0.state=UUID=" in cluster.node.succeed("cat /proc/cmdline")


def test_a_single_node_is_started_by_its_firmware_and_medium(cluster: Installed) -> None:
    assert re.match(cluster.way.live_medium, cluster.live.medium)
    assert cluster.live.firmware == SHOWN[cluster.way.firmware]
    assert firmware(cluster.node) == SHOWN[cluster.way.firmware]


def test_a_single_node_keeps_its_identity_over_the_reboot_to_its_disk(cluster: Installed) -> None:
    assert identity(cluster.node) == cluster.live.identity


def test_a_single_node_is_ready_by_the_kubeconfig_that_create_image_wrote(cluster: Installed) -> None:
    get_nodes = kubectl.choose(cluster.lab, ["get", "nodes", "-o", "json"])
    answer = cluster.lab.run(get_nodes.argv, timeout=120)
    assert answer.exit_code == 0, answer.stderr
    nodes = json.loads(answer.stdout)["items"]
    ready = {
        node["metadata"]["name"]: condition["status"]
        for node in nodes
        for condition in node["status"]["conditions"]
        if condition["type"] == "Ready"
    }
    assert ready == {"node0": "True"}


def test_every_system_pod_of_a_single_node_becomes_ready(cluster: Installed) -> None:
    wait = ["wait", "--for=condition=Ready", "pod", "--all", "-n", "kube-system", "--timeout=600s"]
    answer = cluster.lab.run(kubectl.choose(cluster.lab, wait).argv, timeout=660)
    assert answer.exit_code == 0, answer.stdout + answer.stderr


def test_a_single_node_has_no_failed_units(cluster: Installed) -> None:
    assert cluster.node.succeed("systemctl list-units --failed --plain --no-legend") == ""


def test_a_single_node_boots_from_its_disk_after_a_power_cut(cluster: Installed) -> None:
    """Where the medium comes first, the medium starts the disk. Otherwise the medium is not needed any more."""
    node = cluster.node
    before = cluster_uid(node)
    node.crash()
    if not cluster.way.medium_first:
        node.eject_medium()
    node.start()
    if cluster.way.goes_on:
        node.wait_for_console_text(cluster.way.goes_on, timeout=BOOT_SECONDS)
    node.wait_for_ssh(timeout=BOOT_SECONDS)
    node.wait_for_unit("kubelet.service", timeout=BOOT_SECONDS)
    assert "cluster0.state=UUID=" in node.succeed("cat /proc/cmdline")
    node.wait_until_succeeds(f"{KUBECTL} wait --for=condition=Ready node --all --timeout=10s", timeout=BOOT_SECONDS)
    assert cluster_uid(node) == before


@pytest.mark.parametrize("cluster", as_parameters(SECURE_BOOT), indirect=True)
def test_the_kernel_loads_the_installed_one_for_kexec_under_secure_boot(cluster: Installed) -> None:
    """What the agent does where no GRUB starts the disk. The running kernel is locked down, and checks signatures."""
    assert "[integrity]" in cluster.node.succeed("cat /sys/kernel/security/lockdown")
    cluster.node.succeed(load_for_kexec(KERNEL))
    assert cluster.node.succeed("cat /sys/kernel/kexec_loaded").strip() == "1"
    cluster.node.succeed(f"cp {KERNEL} /tmp/tampered && {tamper('/tmp/tampered')}")
    assert "kexec_file_load" in cluster.node.fail(load_for_kexec("/tmp/tampered"))


@pytest.mark.parametrize("cluster", as_parameters(SECURE_BOOT), indirect=True)
def test_a_tampered_kernel_on_the_disk_is_refused_under_secure_boot(cluster: Installed) -> None:
    node = cluster.node
    node.succeed(f"sudo mount -o remount,rw /run/cluster0/medium && sudo {tamper(KERNEL)} && sync")
    node.crash()
    node.start()
    node.wait_for_console_text(r"bad shim signature", timeout=BOOT_SECONDS)


def load_for_kexec(kernel: str) -> str:
    """A command that loads a kernel as the agent does."""
    code = "import sys, pathlib, agent.machine.kernel as k; k.Kernel().load_next(*map(pathlib.Path, sys.argv[1:]), '')"
    return f'sudo env PYTHONPATH=/usr/lib/cluster0 python3 -P -c "{code}" {kernel} {INITRAMFS}'


def tamper(path: str) -> str:
    """A command that changes one byte in the middle of a kernel."""
    code = f'f = open("{path}", "r+b"); f.seek(6000000); b = f.read(1)[0]; f.seek(6000000); f.write(bytes([b ^ 1]))'
    return f"python3 -c '{code}'"
