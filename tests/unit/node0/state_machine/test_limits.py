"""Limits that the environment sets."""

from __future__ import annotations

import pytest

from agent.model.problems import Problem
from agent.model.states import InstallRole, Stage
from node0.state_machine.limits import HOUR, MINUTE, Limits, from_environment


def test_timeouts_have_defaults() -> None:
    assert from_environment({"PATH": "/bin"}) == Limits()


def test_each_timeout_can_be_set_by_upstreams_name() -> None:
    limits = from_environment(
        {
            "HOST_STAGE_INSTALLING_TIMEOUT": "1h30m",
            "HOST_STAGE_REBOOTING_TIMEOUT": "90s",
            "INSTALLATION_TIMEOUT": "12h",
            "HOST_MAX_DISCONNECTION_TIME": "10m",
        }
    )
    assert limits.stage(Stage.INSTALLING, InstallRole.MASTER) == 90 * MINUTE
    assert limits.stage(Stage.REBOOTING, InstallRole.WORKER) == 90
    assert limits.stage(Stage.REBOOTING, InstallRole.BOOTSTRAP) == 180
    assert limits.installation == 12 * HOUR
    assert (limits.disconnection_limit(bootstrap=False), limits.disconnection_limit(bootstrap=True)) == (
        10 * MINUTE,
        12 * MINUTE,
    )


def test_every_timeout_that_is_no_duration_is_named() -> None:
    with pytest.raises(Problem, match=r"INSTALLATION_TIMEOUT=soon, HOST_STAGE_JOINED_TIMEOUT=0s"):
        from_environment({"INSTALLATION_TIMEOUT": "soon", "HOST_STAGE_JOINED_TIMEOUT": "0s"})
