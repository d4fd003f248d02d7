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
from tests.bench.measurements.boot import REGISTERED_TEXT, boot_to_login
from tests.bench.sampling import Measured, alternate
from tests.bench.sites import SNO, Bench, disk_of, lab
from vm_harness.guest.node import Node

PLAIN_KUBEADM = Path(__file__).parents[1] / "guest/plain-kubeadm.sh"
ROOT_IMAGE = "/run/cluster0/medium/live/rootfs.img"

READY = Figure(
    id="ready",
    title="power on → Ready ÷ (boot + plain kubeadm init)",
    unit=RATIO,
    goal=1.5,
    parts=("installed", "boot + kubeadm"),
    what="From power on until the node is Ready from its disk. Against it: the boot of the base ISO to its login "
    "prompt (a container has none: to the line before it), plus `kubeadm init` with its defaults until the node is "
    "Ready, on a disk of the same machine.",
)
WRITE = Figure(
    id="disk-write",
    title="disk write ÷ sequential copy",
    unit=RATIO,
    goal=1.1,
    parts=("install", "dd"),
    what="From the host's report that it writes the image to its next one: the root image is "
    "written and read back. Against it: `dd` of the same image from the medium to the disk of a host that has "
    "just booted, flushed at the end.",
)
FIGURES = (READY, WRITE)


@dataclass(frozen=True)
class Plain:
    """Seconds, without cluster0: power on to login; `kubeadm init` to Ready; a copy of the root image."""

    boot: float
    kubeadm: float
    copy: float


def take(bench: Bench) -> Iterator[Samples]:
    pairs = alternate(lambda: install(bench, SNO), lambda: _plain(bench))
    hosts = pairs[-1].first.value.hosts
    yield READY.ratio(pairs, lambda ours: ours.seconds, lambda plain: plain.boot + plain.kubeadm, hosts)
    yield WRITE.ratio(pairs, _write_seconds, lambda plain: plain.copy, hosts)


def _write_seconds(install: Install) -> float:
    begun, done = (install.reached(stage)[0] for stage in (Stage.WRITING_IMAGE, Stage.COPYING_REGISTRY_DATA))
    return (done - begun).total_seconds()


def _plain(bench: Bench) -> Measured[Plain]:
    with ExitStack() as stack:
        bare, live = (stack.enter_context(bench.site(SNO, bench.machines)) for _ in range(2))
        iso = bench.waiting_image(live)
        with observed() as stretch:
            with ExitStack() as machine:
                boot = boot_to_login(machine, bare, bench.base_iso)
            running = stack.enter_context(lab(live, iso))
            node, disk = running.node(), disk_of(running)
            node.wait_for_console_text(REGISTERED_TEXT)
            node.wait_for_ssh()
            plain = Plain(boot=boot, copy=_copy(node, disk), kubeadm=_kubeadm(node, disk))
        return Measured(plain, stretch.load)


def _copy(node: Node, disk: str) -> float:
    """The host has just booted, as one that installs has, so it has read as much of the image already."""
    with observed() as stretch:
        node.succeed(f"sudo dd if={ROOT_IMAGE} of={disk} bs=4M conv=fsync status=none", timeout=600)
    return stretch.seconds


def _kubeadm(node: Node, disk: str) -> float:
    script = PLAIN_KUBEADM.read_text()
    with observed() as stretch:
        node.succeed(f"sudo bash -s {disk} <<'SCRIPT'\n{script}\nSCRIPT", timeout=1800)
    return stretch.seconds
