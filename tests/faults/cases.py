"""The cases of a campaign. Add a row; `python -m tests.faults --only 'GLOB'` tries it alone."""

from __future__ import annotations

from collections.abc import Iterator

from tests.faults.case import Case

DISK_PROBLEM = "problem (disk-|image-|command-failed|medium-)|could not be measured: disk-error"


def cases() -> tuple[Case, ...]:
    return tuple([*_power(), *_programs(), *_one_host(), *_pair(), *_virtual_machines()])


def by_name() -> dict[str, Case]:
    return {case.name: case for case in cases()}


def _power() -> Iterator[Case]:
    for stage in (
        "discovery", "preparing", "disk 10 %", "disk 50 %", "disk 90 %", "copy and sync", "start of Kubernetes", "init",
        "init, API up", "waiting for Ready", "last reboot", "first boot", "started from disk",
    ):  # fmt: skip
        yield Case(fault="power-cut", stage=stage, seconds=1)
    for stage in ("discovery", "disk 50 %", "first boot", "waiting to join", "join", "joined"):
        yield Case(fault="power-cut", stage=stage, seconds=1, topology="pair", host="node1")
    for stage in ("init", "waiting for hosts"):
        yield Case(fault="power-cut", stage=stage, seconds=1, topology="pair")


def _programs() -> Iterator[Case]:
    live = {
        "agent": ("discovery", "preparing", "disk 50 %", "copy and sync", "init", "waiting for Ready"),
        "service": ("discovery", "preparing", "disk 50 %", "start of Kubernetes", "init", "waiting for Ready"),
        "driver": ("discovery", "preparing", "init", "waiting for Ready"),
        "containerd": ("init", "init, API up", "waiting for Ready"),
        "kubelet": ("init, API up", "waiting for Ready"),
        "etcd": ("init, API up", "waiting for Ready"),
        "apiserver": ("init, API up", "waiting for Ready"),
    }
    installed = ("agent", "service", "driver", "containerd", "kubelet")
    for program, stages in live.items():
        for stage in (*stages, *(("started from disk",) if program in installed else ())):
            yield Case(fault=f"kill-{program}", stage=stage)
            yield Case(fault=f"stop-{program}", stage=stage, seconds=20)
    for stage in ("init", "waiting for Ready"):
        yield Case(fault="kill-bootstrap", stage=stage, shows="bootstrap-failed", restart=True, alone=True)
        yield Case(fault="stop-bootstrap", stage=stage, seconds=20)
    for program in ("agent", "kubelet", "containerd"):
        yield Case(fault=f"kill-{program}", stage="join", topology="pair", host="node1")
        yield Case(fault=f"stop-{program}", stage="join", topology="pair", host="node1", seconds=20)


def _one_host() -> Iterator[Case]:
    yield Case(fault="cable-out", stage="discovery", seconds=15)
    yield Case(fault="cable-out", stage="init", seconds=15)
    yield Case(fault="address-taken", stage="discovery", shows="address-conflict", alone=True)
    yield Case(fault="address-taken", stage="waiting for Ready", shows="address-conflict", alone=True)
    yield Case(fault="slow-disk", stage="preparing", seconds=20)
    yield Case(fault="slow-disk", stage="init", seconds=30)
    yield Case(fault="disk-write-errors", stage="preparing", shows=DISK_PROBLEM, restart=True, alone=True)
    yield Case(fault="disk-write-errors", stage="init", shows="problem", restart=True, alone=True)
    yield Case(
        fault="state-disk-full",
        stage="start of Kubernetes",
        shows="[Nn]o space left",
        within=300,
        restart=True,
        alone=True,
    )
    yield Case(fault="state-disk-full", stage="waiting for Ready", seconds=30)
    yield Case(fault="ram-disk-full", stage="discovery", shows="problem (store|disk)-full", alone=True)
    yield Case(fault="state-read-only", stage="waiting for Ready", shows="problem store-", restart=True, alone=True)
    yield Case(fault="medium-out", stage="discovery", shows="cannot read the medium", alone=True)
    yield Case(fault="medium-out", stage="disk 10 %", shows="problem", restart=True, alone=True)
    yield Case(fault="damaged-medium", stage="discovery", shows="problem (image-|disk-|medium-)", alone=True)
    yield Case(fault="port-taken", stage="discovery", shows="problem port-taken", alone=True)
    yield Case(fault="bad-tls-key", stage="discovery", shows="problem key-unusable", alone=True)
    yield Case(fault="missing-token-key", stage="discovery", shows="problem key-unusable", alone=True)
    yield Case(fault="bad-token-key", stage="discovery", shows="problem key-unusable", alone=True)
    yield Case(fault="lies", stage="discovery", seconds=30)
    yield Case(fault="other-disk", stage="copy and sync")
    yield Case(fault="other-disk", stage="waiting for Ready")
    yield Case(fault="other-nics", stage="discovery", shows="problem|unmatched", alone=True)


def _pair() -> Iterator[Case]:
    for stage in ("discovery", "join"):
        yield _worker("cable-out", stage, 20)
        yield _worker("packet-loss-5", stage, 30)
        yield _worker("delay-500ms", stage, 30)
        yield _worker("duplicate-mac", stage, 20)
    yield _worker("packet-loss-30", "join", 30)
    yield _worker("packet-loss-30", "discovery", shows="packet")
    yield _worker("mtu-black-hole", "discovery", shows="MTU")
    yield _worker("mtu-black-hole", "join", 30)
    yield _worker("one-way-loss", "join", 30)
    yield _worker("partition", "join", 30)
    yield _worker("partition", "discovery", shows="host node1: disconnected", within=400)
    yield _worker("second-node0", "discovery", shows="address-conflict")
    yield _worker("lies", "discovery", 30)
    yield _worker("disk-write-errors", "join", shows="node1: problem disk-error", restart=True)
    yield _worker("state-disk-full", "join", 30)
    yield _worker("other-disk", "join")
    yield _worker("other-nics", "preparing", shows="problem|unmatched")


def _worker(
    fault: str, stage: str, seconds: float = 5, shows: str = "", within: float = 150, restart: bool = False
) -> Case:
    """Faults that have to show a reason have their install for themselves."""
    return Case(
        fault=fault,
        stage=stage,
        seconds=seconds,
        shows=shows,
        within=within,
        restart=restart,
        topology="pair",
        host="node1",
        alone=bool(shows),
    )


def _virtual_machines() -> Iterator[Case]:
    yield Case(fault="clock-years-ahead", stage="discovery", machines="vm", seconds=20)
    yield Case(fault="clock-years-behind", stage="preparing", machines="vm", seconds=20)
    yield Case(fault="clock-jump", stage="init", machines="vm", seconds=30)
    yield Case(fault="slow-disk", stage="disk 10 %", machines="vm", seconds=60)
    yield Case(
        fault="disk-write-errors", stage="disk 50 %", machines="vm", shows=DISK_PROBLEM, restart=True, alone=True
    )
    yield Case(fault="disk-io-errors", stage="disk 50 %", machines="vm", shows=DISK_PROBLEM, restart=True, alone=True)
    yield Case(fault="cable-out", stage="waiting for Ready", machines="vm", seconds=30)
