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
from vm_harness.lab.request import LabRequest, MachineKind

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
REGISTERED_TEXT = r"cluster0: \S+: registered"
# A container starts no getty. This line comes right before the login prompt.
BOOTED = {MachineKind.VM: r"login:", MachineKind.CONTAINER: r"cluster0: \S+: unconfigured"}


@dataclass(frozen=True)
class Registered:
    """Seconds from power on until then; MiB of the agent afterwards."""

    seconds: float
    memory: float
    hosts: str


def take(bench: Bench) -> Iterator[Samples]:
    pairs = alternate(lambda: _register(bench), lambda: _login(bench))
    hosts = pairs[-1].first.value.hosts
    yield REGISTERED.ratio(pairs, lambda host: host.seconds, float, hosts)
    yield MEMORY.fixed([pair.first.value.memory for pair in pairs], hosts)


def _register(bench: Bench) -> Measured[Registered]:
    with ExitStack() as stack:
        site = stack.enter_context(bench.site(SNO))
        iso = bench.waiting_image(site)
        with observed() as stretch:
            running = stack.enter_context(lab(site, iso))
            node = running.node()
            node.wait_for_console_text(REGISTERED_TEXT)
            seconds = node.console.seconds_since_power_on()
        node.wait_for_ssh()
        kib = int(node.succeed("ps -o rss= -p $(systemctl show --value -p MainPID cluster0-agent.service)"))
        return Measured(Registered(seconds, kib / 1024, hosts_of(running)), stretch.load)


def _login(bench: Bench) -> Measured[float]:
    with ExitStack() as stack:
        site = stack.enter_context(bench.site(SNO))
        with observed() as stretch:
            seconds = boot_to_login(stack, site, bench.base_iso)
        return Measured(seconds, stretch.load)


def boot_to_login(stack: ExitStack, site: LabRequest, base_iso: Path) -> float:
    """Seconds from power on to the login prompt of the base ISO. The machine runs until `stack` ends."""
    node = stack.enter_context(lab(site, base_iso)).node()
    node.wait_for_console_text(BOOTED[site.machines])
    return node.console.seconds_since_power_on()
