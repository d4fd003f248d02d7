"""How long things may take. Source: assisted-service's defaults; seconds."""

from __future__ import annotations

from agent.api.states import InstallRole, Stage

MINUTE = 60.0
HOUR = 60 * MINUTE

# A host that is silent for this long is disconnected. Node0 itself is allowed more: it is busy leading.
SILENCE = 3 * MINUTE
SILENCE_BOOTSTRAP = 5 * MINUTE

PREPARING = 10 * MINUTE
FINALIZING = 5 * HOUR
INSTALLATION = 24 * HOUR

# Without a report of progress. A stage that is not listed has OTHER_STAGE.
STAGES: dict[Stage, float] = {
    Stage.STARTING_INSTALLATION: 30 * MINUTE,
    Stage.WRITING_IMAGE: 30 * MINUTE,
    Stage.COPYING_REGISTRY_DATA: 90 * MINUTE,
    Stage.WAITING_FOR_CONTROL_PLANE: 90 * MINUTE,
    # The bootstrap has deadlines of its own; what is left without one is the wait for hosts that come late.
    Stage.WAITING_FOR_CONTROLLER: 24 * HOUR,
    Stage.REBOOTING: 40 * MINUTE,
    Stage.WAITING_FOR_IGNITION: 24 * HOUR,
}
OTHER_STAGE = 60 * MINUTE
REBOOTING_SINGLE_NODE = 80 * MINUTE
NO_STAGE_YET = 20 * MINUTE

SHORTEST = min(SILENCE, PREPARING, NO_STAGE_YET, *STAGES.values())


def silence(*, bootstrap: bool) -> float:
    return SILENCE_BOOTSTRAP if bootstrap else SILENCE


def stage(reached: Stage | None, role: InstallRole) -> float:
    """How long an installing host may stay at the stage `reached` (None: at none yet) without progress."""
    if reached is None:
        return NO_STAGE_YET
    if reached is Stage.REBOOTING and role is InstallRole.BOOTSTRAP:
        return REBOOTING_SINGLE_NODE
    return STAGES.get(reached, OTHER_STAGE)
