"""An inventory that is larger than node0 accepts is cut, says so, and is accepted."""

from __future__ import annotations

import msgspec
import pytest

from agent.api.steps import StepType
from agent.inventory.bounded import bounded
from agent.model.inventory import Disk, Interface, Inventory
from node0.changes.step_results import PARSERS
from tests.fakes.agent.agent import inventory


def test_an_inventory_within_the_bounds_stays_as_it_is() -> None:
    found = inventory()
    assert bounded(found) is found


@pytest.mark.parametrize(
    ("part", "reason"),
    [
        (
            {"disks": tuple(Disk(id=f"d{n}", name=f"d{n}", path=f"/dev/d{n}") for n in range(1500))},
            "disks: 1500 entries, of which the first 1024 are listed",
        ),
        (
            {"disks": (Disk(id="d", name="d", path="/dev/d", model="m" * 300),)},
            "disks.model: a text of 300 characters, of which the first 255 are listed",
        ),
        (
            {"interfaces": tuple(Interface(name=f"e{n}", ipv4_addresses=("192.0.2.1/24",) * 100) for n in range(20))},
            "interfaces: more than 512 addresses in all, of which the first are listed",
        ),
    ],
)
def test_what_is_too_much_is_left_out_and_named(part: dict[str, object], reason: str) -> None:
    found = bounded(msgspec.structs.replace(inventory(), **part))
    assert found.truncation is not None
    assert found.truncation.reasons == (reason,)
    accepted: Inventory = PARSERS[StepType.INVENTORY](msgspec.json.encode(found).decode())["inventory"]
    assert accepted == found
