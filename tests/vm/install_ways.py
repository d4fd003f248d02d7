"""The ways to an installed host: firmware, medium, and which of disk and medium the firmware tries first.

`make e2e-slow` takes all of them. `make e2e` takes one, another one each day.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime

import pytest

from vm_harness.machine.firmware import Firmware
from vm_harness.machine.media import Medium

ENVIRONMENT = "CLUSTER0_E2E_INSTALL"
"""The name of the way that `make e2e` takes."""
LIVE_MEDIA = {Medium.CDROM: "iso9660 /dev/sr", Medium.USB: "iso9660 /dev/sd"}
BY_GRUB = r"this host was already installed from this ISO"
BY_KEXEC = r"already installed: continuing from its disk"


@dataclass(frozen=True)
class Way:
    """`goes_on`: what the console shows when the medium starts the installed disk; empty: the disk comes first."""

    name: str
    firmware: Firmware = Firmware.BIOS
    medium: Medium = Medium.CDROM
    is_minimal: bool = False
    goes_on: str = BY_GRUB

    @property
    def medium_first(self) -> bool:
        return self.goes_on != ""

    @property
    def is_served(self) -> bool:
        """The host fetches the root image from a server."""
        return self.is_minimal or self.medium is Medium.NETWORK

    @property
    def live_medium(self) -> str:
        """A pattern of the file system and device that the live system runs from."""
        return "tmpfs" if self.is_served else LIVE_MEDIA[self.medium]


WAYS = (
    Way("bios", goes_on=""),
    Way("uefi", firmware=Firmware.UEFI),
    Way("secure-boot", firmware=Firmware.SECURE_BOOT),
    Way("usb", medium=Medium.USB),
    Way("minimal", is_minimal=True),
    Way("pxe", medium=Medium.NETWORK, goes_on=BY_KEXEC),
)
SECURE_BOOT = tuple(way for way in WAYS if way.firmware is Firmware.SECURE_BOOT)


def choose(environment: Mapping[str, str], today: date) -> tuple[Way, str]:
    """The way that `make e2e` takes, and why. Raises `pytest.UsageError` for a name that no way has."""
    name = environment.get(ENVIRONMENT, "")
    if not name:
        return WAYS[today.toordinal() % len(WAYS)], f"by the date {today}; {ENVIRONMENT}=NAME takes another one"
    for way in WAYS:
        if way.name == name:
            return way, f"by {ENVIRONMENT}"
    raise pytest.UsageError(f"{ENVIRONMENT}={name}: no such way to install; there are {', '.join(names())}")


def chosen() -> tuple[Way, str]:
    """The choice of this run."""
    return choose(os.environ, datetime.now(UTC).date())


def names() -> list[str]:
    return [way.name for way in WAYS]


def as_parameters(ways: tuple[Way, ...]) -> list[object]:
    """Parameters of a test. All are `slow`; the chosen way is also `chosen`."""
    today, _ = chosen()
    return [
        pytest.param(way, id=way.name, marks=[pytest.mark.slow, *([pytest.mark.chosen] if way == today else [])])
        for way in ways
    ]
