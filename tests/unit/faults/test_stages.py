"""Where an install is, by the lines of a console."""

from __future__ import annotations

from tests.faults.stages import ORDER, STAGES, Place

BEFORE = """\
booting from medium: the disk is not bootable yet
cluster0: node0: registered: as b69c1ff1-505c-8cea-4863-e4536911b438
cluster0: cluster sno: host node0: preparing-for-installation: The host's install is being prepared.
cluster0: node0: installing: Writing image to disk 0%
"""
HALF = "cluster0: node0: installing: Writing image to disk 60%\n"
COPY = "cluster0: node0: installing: Copying registry data to disk\n"
JOIN = "cluster0: cluster pair: host node1: installing-in-progress: Configuring (75%, kubeadm join)\n"
ERROR = "cluster0: cluster sno: host node0: error: disk-write-failed: /dev/sda\n"


def place(stage: str, text: str, *, host: str = "node0", is_node0: bool = True) -> Place:
    found = Place(STAGES[stage], host, is_node0=is_node0)
    found.read(text)
    return found


def test_a_stage_is_there_at_its_line() -> None:
    at = place("disk 50 %", BEFORE + HALF)
    assert (at.is_there, at.is_over, at.line) == (True, False, HALF.strip())


def test_a_stage_is_not_there_before_its_line() -> None:
    at = place("disk 50 %", BEFORE)
    assert (at.is_there, at.is_over) == (False, False)


def test_a_stage_is_over_when_a_later_one_has_begun() -> None:
    at = place("disk 50 %", BEFORE + HALF + COPY)
    assert (at.is_there, at.is_over) == (False, True)


def test_a_host_that_starts_over_comes_to_a_stage_again() -> None:
    assert place("preparing", BEFORE + COPY + BEFORE.replace("Writing", "Reading")).is_there


def test_a_line_may_begin_several_stages() -> None:
    assert place("disk 10 %", HALF).is_there
    assert place("disk 50 %", HALF).is_there


def test_the_stages_of_another_host_do_not_count() -> None:
    assert not place("join", JOIN, host="node0").line
    assert place("join", JOIN, host="node1", is_node0=False).is_there


def test_a_failure_counts_until_the_install_goes_on() -> None:
    assert place("copy and sync", BEFORE + ERROR).failure == ERROR.strip()
    assert not place("copy and sync", BEFORE + ERROR + HALF).failure


def test_the_stages_have_an_order() -> None:
    assert ORDER.index("discovery") < ORDER.index("disk 10 %") < ORDER.index("init") < ORDER.index("joined")
