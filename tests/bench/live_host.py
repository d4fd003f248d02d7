"""A host that stays live: its boot, its agent's memory, and plain tools to compare an install with."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from tests.bench.figure import Figure
from tests.bench.sites import SNO, Bench, lab, timed
from vm_harness.guest.node import Node
from vm_harness.lab.request import LabRequest

SCRIPTS = Path(__file__).with_name("guest")
ROOT_IMAGE = "/run/cluster0/medium/live/rootfs.img"


@dataclass(frozen=True)
class Plain:
    """Without cluster0: seconds from boot to login and from `kubeadm init` to Ready; bytes a second of a copy."""

    boot: float
    kubeadm: float
    copy_rate: float


def measure_live(bench: Bench) -> tuple[list[Figure], Plain]:
    boot = _boot_without_cluster(bench)
    site = bench.site("live", SNO)
    with lab(LabRequest(directories=site, iso=bench.waiting_image(site))) as running:
        node = running.node()
        node.wait_for_console_text(r"cluster0: \S+: registered")
        registered = node.console.seconds_since_power_on()
        node.wait_for_ssh()
        rss = int(node.succeed("ps -o rss= -p $(systemctl show --value -p MainPID cluster0-agent.service)"))
        plain = Plain(boot=boot, kubeadm=_plain_kubeadm(node), copy_rate=_copy_rate(node))
    return [_boot_figure(boot, registered), _memory_figure(rss)], plain


def _boot_without_cluster(bench: Bench) -> float:
    """Seconds from power on to login of the base ISO: without an Ignition config cluster0's units do nothing."""
    with lab(LabRequest(directories=bench.site("bare", SNO), iso=bench.base_iso)) as running:
        node = running.node()
        node.wait_for_console_text(r"login:")
        return node.console.seconds_since_power_on()


def _copy_rate(node: Node) -> float:
    """Bytes a second from the medium to the disk, flushed at the end. The first read is cold, as the install's is."""
    node.succeed("sync; echo 3 | sudo tee /proc/sys/vm/drop_caches")
    size = int(node.succeed(f"stat -c %s {ROOT_IMAGE}"))
    with timed() as seconds:
        node.succeed(f"sudo dd if={ROOT_IMAGE} of=/dev/vda bs=4M conv=fsync status=none", timeout=600)
    return size / seconds[0]


def _plain_kubeadm(node: Node) -> float:
    """`kubeadm init` with its defaults, on a disk of the same machine, until the node is Ready."""
    script = (SCRIPTS / "plain-kubeadm.sh").read_text()
    with timed() as seconds:
        node.succeed(f"sudo bash -s <<'SCRIPT'\n{script}\nSCRIPT", timeout=1800)
    node.succeed("sudo systemctl stop kubelet containerd cluster0-podnet; sudo pkill -9 containerd-shim || true")
    return seconds[0]


def _boot_figure(boot: float, registered: float) -> Figure:
    return Figure(
        name="power on → registered ÷ boot to login",
        value=registered / boot,
        unit="×",
        aim=1.15,
        costs=f"{registered:.1f} s against {boot:.1f} s",
        cut="fewer Python imports before registering",
    )


def _memory_figure(rss_kib: int) -> Figure:
    return Figure(
        name="agent, resident",
        value=rss_kib / 1024,
        unit="MiB",
        aim=55,
        costs="aiohttp and pyroute2 are most of it",
        cut="netlink without pyroute2",
    )
