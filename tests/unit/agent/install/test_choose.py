"""The right disk, or a refusal that shows every disk."""

from __future__ import annotations

import pytest

from agent.install.choose import choose_disk, find_disk
from agent.model.inventory import Disk, Eligibility
from agent.model.problems import Problem

GB = 1000**3


def disk(
    name: str, *, refused: str = "", size: int = 100, kind: str = "SSD", hctl: str = "", by_path: str = ""
) -> Disk:
    return Disk(
        id=by_path or f"/dev/{name}",
        name=name,
        path=f"/dev/{name}",
        by_path=by_path,
        size_bytes=size * GB,
        drive_type=kind,
        hctl=hctl,
        model=f"Model of {name}",
        installation_eligibility=Eligibility(eligible=not refused, not_eligible_reasons=(refused,) if refused else ()),
    )


def problem_of(wanted: str, *disks: Disk) -> Problem:
    with pytest.raises(Problem) as caught:
        choose_disk(disks, wanted)
    return caught.value


@pytest.mark.parametrize("wanted", ["/dev/sdb", "/dev/disk/by-path/pci-1"])
def test_a_disk_is_found_by_any_of_its_names(wanted: str) -> None:
    disks = (disk("sda"), disk("sdb", by_path="/dev/disk/by-path/pci-1"))
    assert choose_disk(disks, wanted).name == "sdb"


def test_a_hint_that_matches_nothing_shows_every_disk_and_why() -> None:
    problem = problem_of("/dev/sdz", disk("sda"), disk("sr0", refused="it is an optical drive", kind="ODD"))
    assert problem.code == "disk-hint-no-match"
    assert "/dev/sdz" in problem.title
    assert problem.detail.splitlines() == [
        "/dev/sda  100.0 GB  SSD  Model of sda  eligible",
        "/dev/sr0  100.0 GB  ODD  Model of sr0  it is an optical drive",
    ]


def test_a_refused_disk_is_not_used_because_it_was_named() -> None:
    problem = problem_of("/dev/sda", disk("sda", refused="it is the installation medium"))
    assert problem.code == "disk-not-eligible"
    assert "it is the installation medium" in problem.title


def test_the_disk_that_we_have_in_use_is_still_found() -> None:
    disks = (disk("sda"), disk("sdb", by_path="/dev/disk/by-path/pci-1", refused="it is in use"))
    assert find_disk(disks, "/dev/disk/by-path/pci-1").name == "sdb"
    with pytest.raises(Problem, match="no disk /dev/sdz"):
        find_disk(disks, "/dev/sdz")


@pytest.mark.parametrize(
    ("disks", "chosen"),
    [
        ((disk("nvme0n1"), disk("sda", size=900)), "sda"),
        ((disk("sda"), disk("sdb", kind="HDD", size=900)), "sdb"),
        ((disk("sda", size=200), disk("sdb")), "sdb"),
        ((disk("sdb", hctl="1:0:0:0"), disk("sda", hctl="0:0:0:0")), "sda"),
        ((disk("sda", refused="it is removable", size=10), disk("sdb")), "sdb"),
    ],
)
def test_without_a_hint_assisted_services_order_decides(disks: tuple[Disk, ...], chosen: str) -> None:
    assert choose_disk(disks, "").name == chosen


def test_equals_are_never_guessed_between() -> None:
    problem = problem_of("", disk("vda"), disk("vdb"))
    assert problem.code == "disk-choice-ambiguous"
    assert "/dev/vda, /dev/vdb" in problem.title


def test_a_host_without_a_usable_disk_says_so() -> None:
    assert problem_of("").code == "no-eligible-disk"
    assert problem_of("").detail == "The host has no disks at all."
