"""How long things may take, in seconds. Defaults and the names to set them by are assisted-service's.

`HOST_STAGE_INSTALLING_TIMEOUT=90m` in the environment of `cluster0-node0.service` (a drop-in) replaces one of them.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

import msgspec

from agent.model.problems import Problem
from agent.model.states import InstallRole, Stage

MINUTE = 60.0
HOUR = 60 * MINUTE

_UNITS = {"h": HOUR, "m": MINUTE, "s": 1.0}
_PART = re.compile(r"(\d+(?:\.\d+)?)([hms])")

_STAGE_NAMES = {
    Stage.STARTING_INSTALLATION: "STARTING_INSTALLATION",
    Stage.INSTALLING: "INSTALLING",
    Stage.WRITING_IMAGE: "WRITING_IMAGE_TO_DISK",
    Stage.COPYING_REGISTRY_DATA: "COPYING_REGISTRY_DATA_TO_DISK",
    Stage.WAITING_FOR_CONTROL_PLANE: "WAITING_FOR_CONTROL_PLANE",
    Stage.WAITING_FOR_BOOTKUBE: "WAITING_FOR_BOOTKUBE",
    Stage.WAITING_FOR_CONTROLLER: "WAITING_FOR_CONTROLLER",
    Stage.REBOOTING: "REBOOTING",
    Stage.WAITING_FOR_IGNITION: "WAITING_FOR_IGNITION",
    Stage.CONFIGURING: "CONFIGURING",
    Stage.JOINED: "JOINED",
}
_STAGES = {
    **dict.fromkeys(_STAGE_NAMES, 60 * MINUTE),
    Stage.STARTING_INSTALLATION: 30 * MINUTE,
    Stage.WRITING_IMAGE: 30 * MINUTE,
    Stage.COPYING_REGISTRY_DATA: 90 * MINUTE,
    Stage.WAITING_FOR_CONTROL_PLANE: 90 * MINUTE,
    # The bootstrap has deadlines of its own, except for its wait for the other hosts.
    Stage.WAITING_FOR_CONTROLLER: 24 * HOUR,
    Stage.REBOOTING: 40 * MINUTE,
    Stage.WAITING_FOR_IGNITION: 24 * HOUR,
}


class Limits(msgspec.Struct, frozen=True, kw_only=True):
    """`disconnection`: without a check-in; `preparing_host`, `preparing`: from the request to start to the first step
    of the install; `stages`: without a report of progress.

    The bootstrap host has the most to do: its reboot may take twice as long, and its disconnection two minutes more."""

    disconnection: float = 3 * MINUTE
    disconnection_bootstrap: float = 5 * MINUTE
    preparing_host: float = 8 * MINUTE
    preparing: float = 10 * MINUTE
    no_stage_yet: float = 20 * MINUTE
    user_action: float = 60 * MINUTE
    finalizing: float = 5 * HOUR
    installation: float = 24 * HOUR
    stages: dict[Stage, float] = msgspec.field(default_factory=_STAGES.copy)

    def disconnection_limit(self, *, bootstrap: bool) -> float:
        return self.disconnection_bootstrap if bootstrap else self.disconnection

    def stage(self, reached: Stage | None, role: InstallRole) -> float:
        """How long an installing host may stay at the stage `reached` (None: at none yet) without progress."""
        if reached is None:
            return self.no_stage_yet
        limit = self.stages.get(reached, self.installation)
        return 2 * limit if reached is Stage.REBOOTING and role is InstallRole.BOOTSTRAP else limit

    @property
    def shortest(self) -> float:
        return min(self.disconnection, self.preparing_host, self.no_stage_yet, self.user_action, *self.stages.values())


NAMES = {
    "HOST_MAX_DISCONNECTION_TIME": "disconnection",
    "PREPARE_FOR_INSTALLATION_HOST_TIMEOUT": "preparing_host",
    "PREPARE_FOR_INSTALLATION_TIMEOUT": "preparing",
    "HOST_INSTALLING_PENDING_USER_ACTION_TIMEOUT": "user_action",
    "FINALIZING_TIMEOUT": "finalizing",
    "INSTALLATION_TIMEOUT": "installation",
}


def from_environment(environment: Mapping[str, str]) -> Limits:
    """The defaults, with what `environment` sets. Raises `Problem` (`timeout-invalid`), which names every bad value."""
    wrong = []
    found: dict[str, float] = {}
    for name in (*NAMES, *(stage_variable(stage) for stage in _STAGE_NAMES)):
        if (text := environment.get(name)) is None:
            continue
        if (seconds := _seconds(text)) is None:
            wrong.append(f"{name}={text}")
        else:
            found[name] = seconds
    if wrong:
        raise Problem(
            code="timeout-invalid",
            title=f"These are no durations: {', '.join(wrong)}",
            remedy="Write hours, minutes and seconds like 1h30m, 45m or 90s.",
        )
    return _with(found)


def _with(found: Mapping[str, float]) -> Limits:
    fields = {field: found[name] for name, field in NAMES.items() if name in found}
    stages = {stage: found.get(stage_variable(stage), limit) for stage, limit in _STAGES.items()}
    limits = msgspec.structs.replace(Limits(stages=stages), **fields)
    return msgspec.structs.replace(limits, disconnection_bootstrap=limits.disconnection + 2 * MINUTE)


def stage_variable(stage: Stage) -> str:
    """The name that sets the limit of `stage`."""
    return f"HOST_STAGE_{_STAGE_NAMES[stage]}_TIMEOUT"


def _seconds(text: str) -> float | None:
    """Seconds of a duration in Go's notation; None for any other text, and for 0."""
    if not re.fullmatch(rf"({_PART.pattern})+", text):
        return None
    return sum(float(number) * _UNITS[unit] for number, unit in _PART.findall(text)) or None
