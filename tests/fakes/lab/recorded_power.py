"""libvirt's power states of real machines (recorded in tests/data/lifecycle), replayed without delay."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import msgspec

from tests.paths import DATA
from vm_harness.machine.lifecycle import PowerState
from vm_harness.processes import ProcessId

DATA = DATA / "lifecycle"


class RecordedEvent(msgspec.Struct, frozen=True):
    """`seconds`: since power on; `event`: virDomainEventType and its detail; `state`, `qemu`: for `PowerState`."""

    seconds: float
    event: tuple[int, int]
    state: tuple[int, int]
    qemu: str = ""


class Recording(msgspec.Struct, frozen=True):
    """`recorded`: where and how. `console`: the serial port's output by the end."""

    recorded: str
    console: str
    events: tuple[RecordedEvent, ...]

    @classmethod
    def load(cls, name: str) -> Recording:
        return msgspec.json.decode((DATA / f"{name}.json").read_bytes(), type=cls)


class RecordedEvents:
    """Replaces `LifecycleEvents`: each `clear` takes the next event; `descriptor` is readable while one is left."""

    def __init__(self, recording: Recording) -> None:
        self._events = recording.events
        self.count = 0
        self.descriptor = os.eventfd(len(self._events), os.EFD_SEMAPHORE | os.EFD_NONBLOCK | os.EFD_CLOEXEC)

    def clear(self) -> None:
        if self.count < len(self._events):
            self.count += os.eventfd_read(self.descriptor)

    @property
    def latest(self) -> RecordedEvent:
        return self._events[max(0, self.count - 1)]


class RecordedHypervisor:
    """Replaces `Hypervisor`, for one machine whose console goes to `serial_log`."""

    def __init__(self, recording: Recording, serial_log: Path) -> None:
        self._recording = recording
        self._serial_log = serial_log
        self.events = RecordedEvents(recording)

    def start(self, _name: str) -> None:
        self._serial_log.write_text(self._recording.console)

    def process(self, _name: str) -> ProcessId:
        return ProcessId.of(os.getpid())

    def power_state(self, _name: str) -> PowerState:
        return PowerState(*self.events.latest.state, self.events.latest.qemu)


@contextmanager
def replayed(name: str, serial_log: Path) -> Iterator[RecordedHypervisor]:
    """The hypervisor of the recording `name`."""
    hypervisor = RecordedHypervisor(Recording.load(name), serial_log)
    try:
        yield hypervisor
    finally:
        os.close(hypervisor.events.descriptor)
