"""The service of a swarm runs as on a machine."""

from __future__ import annotations

from replay.programs import ENVIRONMENT
from tests.paths import REPOSITORY

UNIT = REPOSITORY / "units/node0/cluster0-node0.service"


def test_the_service_has_the_environment_of_its_unit() -> None:
    lines = UNIT.read_text().splitlines()
    given = " ".join(line.removeprefix("Environment=") for line in lines if line.startswith("Environment="))
    assert dict(pair.split("=", 1) for pair in given.split()) == ENVIRONMENT
