"""An install of one host, against what plain tools take on the same machine."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

from agent.model.states import Stage
from tests.bench.figures import RATIO, Figure, Samples
from tests.bench.installs import Install, install
from tests.bench.load import observed
from tests.bench.measurements.boot import boot_to_login
from tests.bench.sampling import Measured, alternate
from tests.bench.sites import SNO, Bench, lab
from vm_harness.guest.node import Node
from vm_harness.lab.directories import Directories
from vm_harness.lab.request import LabRequest

PLAIN_KUBEADM = Path(__file__).parents[1] / "guest/plain-kubeadm.sh"
ROOT_IMAGE = "/run/cluster0/medium/live/rootfs.img"

READY = Figure(
    id="ready",
    title="power on → Ready ÷ (boot + plain kubeadm init)",
    unit=RATIO,
    goal=1.5,
    parts=("installed", "boot + kubeadm"),
    what="From power on until the node is Ready from its disk. Against it: the boot of the base ISO to its login "
    "prompt, plus `kubeadm init` with its defaults until the node is Ready, on a disk of the same machine.",
)
WRITE = Figure(
    id="disk-write",
    title="disk write ÷ sequential copy",
    unit=RATIO,
    goal=1.1,
    parts=("install", "dd"),
    what="From the host's report that it writes the image to its next one: the root image is written, and read back. "
    "Against it: `dd` of the same image from the medium to the disk of a live host, flushed at the end.",
)
FIGURES = (READY, WRITE)


@dataclass(frozen=True)
class Plain:
    """Seconds, without cluster0: power on to login; `kubeadm init` to Ready; a copy of the root image."""

    boot: float
    kubeadm: float
    copy: float


def take(bench: Bench) -> Iterator[Samples]:
    live, bare = bench.site("plain", SNO), bench.site("plain-bare", SNO)
    iso = bench.waiting_image(live)
    pairs = alternate(lambda: install(bench, "install", SNO), lambda: _plain(bench, live, iso, bare))
    hosts = pairs[-1].first.value.hosts
    yield READY.ratio(pairs, lambda ours: ours.seconds, lambda plain: plain.boot + plain.kubeadm, hosts)
    yield WRITE.ratio(pairs, _write_seconds, lambda plain: plain.copy, hosts)


def _write_seconds(install: Install) -> float:
    begun, done = (install.reached(stage)[0] for stage in (Stage.WRITING_IMAGE, Stage.COPYING_REGISTRY_DATA))
    return (done - begun).total_seconds()


def _plain(bench: Bench, live: Directories, iso: Path, bare: Directories) -> Measured[Plain]:
    with ExitStack() as stack:
        with observed() as stretch:
            with ExitStack() as machine:
                boot = boot_to_login(machine, bare, bench.base_iso)
            node = stack.enter_context(lab(LabRequest(directories=live, iso=iso))).node()
            node.wait_for_console_text(r"cluster0: \S+: registered")
            node.wait_for_ssh()
            plain = Plain(boot=boot, kubeadm=_kubeadm(node), copy=_copy(node))
        return Measured(plain, stretch.load)


def _kubeadm(node: Node) -> float:
    script = PLAIN_KUBEADM.read_text()
    with observed() as stretch:
        node.succeed(f"sudo bash -s <<'SCRIPT'\n{script}\nSCRIPT", timeout=1800)
    node.succeed("sudo systemctl stop kubelet containerd cluster0-podnet; sudo pkill -9 containerd-shim || true")
    return stretch.seconds


def _copy(node: Node) -> float:
    """The first read is cold, as the install's is."""
    node.succeed("sync; echo 3 | sudo tee /proc/sys/vm/drop_caches")
    with observed() as stretch:
        node.succeed(f"sudo dd if={ROOT_IMAGE} of=/dev/vda bs=4M conv=fsync status=none", timeout=600)
    return stretch.seconds
