"""Finding the disk that node0 chose; an error has a table of all disks."""

from __future__ import annotations

import pytest

from agent.install.target_disk import find_disk, require_eligible, table
from agent.model.inventory import Disk, Eligibility
from agent.model.problems import Problem

BY_PATH = "/dev/disk/by-path/pci-1"


def disk(name: str, *, refused: str = "", kind: str = "SSD", by_path: str = "") -> Disk:
    return Disk(
        id=by_path or f"/dev/{name}",
        name=name,
        path=f"/dev/{name}",
        by_path=by_path,
        size_bytes=100 * 1000**3,
        drive_type=kind,
        model=f"Model of {name}",
        installation_eligibility=Eligibility(eligible=not refused, not_eligible_reasons=(refused,) if refused else ()),
    )


@pytest.mark.parametrize("name", ["/dev/sdb", BY_PATH])
def test_a_disk_is_found_by_any_of_its_names(name: str) -> None:
    assert find_disk((disk("sda"), disk("sdb", by_path=BY_PATH)), name).name == "sdb"


def test_a_missing_target_disk_is_a_problem_that_lists_every_disk() -> None:
    with pytest.raises(Problem, match="no disk /dev/sdz") as caught:
        find_disk((disk("sda"), disk("sr0", refused="it is an optical drive", kind="ODD")), "/dev/sdz")
    assert caught.value.code == "disk-hint-no-match"
    assert caught.value.detail.splitlines() == [
        "/dev/sda (100 GB SSD, Model of sda): can be used",
        "/dev/sr0 (100 GB ODD, Model of sr0): it is an optical drive",
    ]


def test_a_target_disk_in_use_is_not_eligible() -> None:
    disks = (disk("sda"), disk("sdb", by_path=BY_PATH, refused="it is in use"))
    found = find_disk(disks, BY_PATH)
    with pytest.raises(Problem, match="sdb cannot be installed to: it is in use") as caught:
        require_eligible(found, disks)
    assert caught.value.code == "disk-not-eligible"
    assert caught.value.detail == table(disks)
    require_eligible(disks[0], disks)


def test_the_table_of_a_host_without_disks_is_not_empty() -> None:
    assert table(()) == "The host has no disks at all."
