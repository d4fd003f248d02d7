"""The id of a host: the precedence of its sources."""

from __future__ import annotations

import pytest

from agent.inventory.host_id import NOTHING_KNOWN, choose

UUID = "7A2C1F44-0D35-4A0E-8C1A-1F2E3D4C5B6A"
MACS = ["52:54:00:00:00:02", "52:54:00:00:00:01"]


@pytest.mark.parametrize(
    ("serial", "uuid", "macs", "expected"),
    [
        pytest.param("ABC123", UUID, MACS, "bbf2dead-3746-54cb-b32a-917afd236656", id="board serial, hashed"),
        pytest.param("Default string", UUID, MACS, UUID.lower(), id="a placeholder is no serial"),
        pytest.param("", "00000000-0000-0000-0000-000000000000", MACS, "", id="lowest MAC, hashed"),
        pytest.param("", "03000200-0400-0500-0006-000700080009", [], NOTHING_KNOWN, id="nothing"),
    ],
)
def test_the_host_id_comes_from_the_first_usable_identity(
    serial: str, uuid: str, macs: list[str], expected: str
) -> None:
    assert choose(serial, uuid, macs) == (expected or choose("", "", [MACS[1]]))


def test_the_host_id_does_not_depend_on_the_order_of_nics() -> None:
    assert choose("", "", MACS) == choose("", "", reversed(MACS))
