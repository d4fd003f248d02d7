"""libvirt's lifecycle events as a descriptor, with libvirt's own test driver, which needs no libvirtd and no root."""

from __future__ import annotations

import select
import threading
from collections.abc import Iterator
from contextlib import closing
from enum import IntEnum

import libvirt
import pytest

from vm_harness.machine.libvirt_events import LifecycleEvents
from vm_harness.machine.lifecycle import Paused, Shutoff, State

pytestmark = pytest.mark.integration

DOMAIN = "test"
"""The running domain that libvirt's test driver always has."""


@pytest.fixture
def connection() -> Iterator[libvirt.virConnect]:
    with closing(libvirt.open("test:///default")) as connection:
        yield connection


@pytest.fixture
def other_connection() -> Iterator[libvirt.virConnect]:
    """A second connection to the same domains."""
    with closing(libvirt.open("test:///default")) as connection:
        yield connection


def is_readable(events: LifecycleEvents, seconds: float) -> bool:
    return bool(select.select([events.descriptor], [], [], seconds)[0])


def test_the_descriptor_is_readable_from_a_change_of_power_until_it_is_cleared(connection: libvirt.virConnect) -> None:
    events = LifecycleEvents(connection)
    assert not is_readable(events, 0)
    connection.lookupByName(DOMAIN).suspend()
    assert is_readable(events, 20)
    assert events.count == 1
    events.clear()
    assert not is_readable(events, 0)
    assert connection.lookupByName(DOMAIN).state() == [State.PAUSED, Paused.USER]
    events.close()


def test_the_event_loop_ends_with_its_last_listener_and_can_start_again(
    connection: libvirt.virConnect, other_connection: libvirt.virConnect
) -> None:
    first, second = LifecycleEvents(other_connection), LifecycleEvents(connection)
    first.close()
    first.close()
    connection.lookupByName(DOMAIN).suspend()
    assert is_readable(second, 20)
    second.close()
    assert "libvirt-events" not in {thread.name for thread in threading.enumerate()}
    third = LifecycleEvents(connection)
    connection.lookupByName(DOMAIN).resume()
    assert is_readable(third, 20)
    third.close()


@pytest.mark.parametrize(
    ("prefix", "ours", "theirs"),
    [
        ("VIR_DOMAIN_", State, {"NO_STATE": "NOSTATE"}),
        ("VIR_DOMAIN_PAUSED_", Paused, {"IO_ERROR": "IOERROR"}),
        ("VIR_DOMAIN_SHUTOFF_", Shutoff, {}),
    ],
)
def test_the_numbers_of_states_and_reasons_are_libvirts(
    prefix: str, ours: type[IntEnum], theirs: dict[str, str]
) -> None:
    libvirts = {each.name: getattr(libvirt, prefix + theirs.get(each.name, each.name)) for each in ours}
    assert {each.name: each.value for each in ours} == libvirts
