"""The command line of systemd-nspawn, with and without control groups of version 1."""

from __future__ import annotations

from pathlib import Path

from vm_harness.container import nspawn
from vm_harness.container.control_groups import Hierarchies

UNIFIED = Hierarchies(Path("/sys/fs/cgroup"), ())
HYBRID = Hierarchies(Path("/sys/fs/cgroup/unified"), (Path("/sys/fs/cgroup/cpu"),))
BINDS = {"/run/cluster0/state": Path("/lab/state"), "/run/cluster0/medium~": Path("/lab/medium")}


def argv(hierarchies: Hierarchies) -> list[str]:
    root, network, files, console = (Path(f"/lab/{name}") for name in ("root", "network", "files", "console"))
    return nspawn.argv("node0", root, network, files, console, BINDS, "cluster0.state=UUID=1 quiet", hierarchies)


def test_the_kernel_arguments_reach_the_first_process() -> None:
    assert argv(UNIFIED)[-3:] == ["/run/lab/init", "cluster0.state=UUID=1", "quiet"]


def test_the_medium_is_read_only_and_the_state_is_not() -> None:
    assert {"--bind=/lab/state:/run/cluster0/state", "--bind-ro=/lab/medium:/run/cluster0/medium"} <= set(argv(UNIFIED))


def test_a_container_cannot_set_the_clock_of_the_computer() -> None:
    (dropped,) = (word for word in argv(UNIFIED) if word.startswith("--drop-capability="))
    assert "CAP_SYS_TIME" in dropped


def test_systemd_uses_version_1_only_where_the_computer_does() -> None:
    argument = "systemd.unified_cgroup_hierarchy=0"
    assert argument in argv(HYBRID)
    assert argument not in argv(UNIFIED)
    assert "SYSTEMD_NSPAWN_UNIFIED_HIERARCHY" in nspawn.environment(HYBRID)
    assert "SYSTEMD_NSPAWN_UNIFIED_HIERARCHY" not in nspawn.environment(UNIFIED)
