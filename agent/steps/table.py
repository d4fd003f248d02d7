"""Step type → what to run, with how many arguments, for how long."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass

from agent.api.steps import Step, StepType
from agent.steps import (
    addresses,
    connectivity_check,
    disk_speed,
    domain_resolution,
    image_availability,
    install,
    inventory,
    logs_gather,
    ntp_synchronizer,
    stop_installation,
    user_checks,
)
from agent.steps.context import Context

Run = Callable[[Context, Step], Awaitable[str]]


@dataclass(frozen=True)
class Row:
    """`run` returns the reply's output, a JSON document or empty. `timeout` in seconds. `reads_medium`: whether the
    host's medium has to be there; the install reports a missing medium itself."""

    run: Run
    arguments: int
    timeout: float
    reads_medium: bool = True


TABLE: Mapping[str, Row] = {
    StepType.INVENTORY: Row(inventory.run, arguments=1, timeout=60),
    StepType.CONNECTIVITY_CHECK: Row(connectivity_check.run, arguments=1, timeout=60),
    StepType.NTP_SYNCHRONIZER: Row(ntp_synchronizer.run, arguments=1, timeout=30),
    StepType.DOMAIN_RESOLUTION: Row(domain_resolution.run, arguments=1, timeout=30),
    StepType.FREE_NETWORK_ADDRESSES: Row(addresses.run_sweep, arguments=1, timeout=60),
    StepType.VERIFY_VIPS: Row(addresses.run_vips, arguments=1, timeout=30),
    StepType.CONTAINER_IMAGE_AVAILABILITY: Row(image_availability.run, arguments=1, timeout=60),
    StepType.USER_CHECKS: Row(user_checks.run, arguments=0, timeout=300),
    StepType.INSTALLATION_DISK_SPEED_CHECK: Row(disk_speed.run, arguments=2, timeout=60),
    StepType.INSTALL: Row(install.run, arguments=1, timeout=4 * 3600, reads_medium=False),
    StepType.LOGS_GATHER: Row(logs_gather.run, arguments=1, timeout=900, reads_medium=False),
    StepType.STOP_INSTALLATION: Row(stop_installation.run, arguments=0, timeout=300, reads_medium=False),
}
