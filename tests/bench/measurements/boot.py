"""A virtual machine that boots and registers, against the boot of the same system without a cluster."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

from tests.bench.figures import RATIO, Figure, Samples
from tests.bench.load import observed
from tests.bench.sampling import Measured, alternate
from tests.bench.sites import SNO, Bench, hosts_of, lab
from vm_harness.lab.directories import Directories
from vm_harness.lab.request import LabRequest

REGISTERED = Figure(
    id="registered",
    title="power on → registered ÷ boot to login",
    unit=RATIO,
    goal=1.15,
    parts=("registered", "login"),
    what="From power on until the host's console says that it is registered with node0, which is the same host. "
    "Against it: from power on to the login prompt of the base ISO, in which cluster0's units have nothing to do.",
)
MEMORY = Figure(
    id="agent-memory",
    title="agent, resident",
    unit="MiB",
    goal=40,
    what="The resident memory of the agent on a host that has registered and waits for others.",
)
FIGURES = (REGISTERED, MEMORY)


@dataclass(frozen=True)
class Registered:
    """Seconds from power on until then; MiB of the agent afterwards."""

    seconds: float
    memory: float
    hosts: str


def take(bench: Bench) -> Iterator[Samples]:
    live, bare = bench.site("live", SNO), bench.site("bare", SNO)
    iso = bench.waiting_image(live)
    pairs = alternate(lambda: _register(live, iso), lambda: _login(bare, bench.base_iso))
    hosts = pairs[-1].first.value.hosts
    yield REGISTERED.ratio(pairs, lambda host: host.seconds, float, hosts)
    yield MEMORY.fixed([pair.first.value.memory for pair in pairs], hosts)


def _register(site: Directories, iso: Path) -> Measured[Registered]:
    with ExitStack() as stack:
        with observed() as stretch:
            running = stack.enter_context(lab(LabRequest(directories=site, iso=iso)))
            node = running.node()
            node.wait_for_console_text(r"cluster0: \S+: registered")
            seconds = node.console.seconds_since_power_on()
        node.wait_for_ssh()
        kib = int(node.succeed("ps -o rss= -p $(systemctl show --value -p MainPID cluster0-agent.service)"))
        return Measured(Registered(seconds, kib / 1024, hosts_of(running)), stretch.load)


def _login(site: Directories, base_iso: Path) -> Measured[float]:
    with ExitStack() as stack:
        with observed() as stretch:
            seconds = boot_to_login(stack, site, base_iso)
        return Measured(seconds, stretch.load)


def boot_to_login(stack: ExitStack, site: Directories, base_iso: Path) -> float:
    """Seconds from power on to the login prompt of the base ISO. The machine runs until `stack` ends."""
    node = stack.enter_context(lab(LabRequest(directories=site, iso=base_iso))).node()
    node.wait_for_console_text(r"login:")
    return node.console.seconds_since_power_on()
