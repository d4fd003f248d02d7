"""Which faults share an install: a pure function of the cases and the seed."""

from __future__ import annotations

import random
from collections.abc import Iterable, Sequence

from tests.faults.case import Case
from tests.faults.stages import ORDER

LARGEST = 6
"""Faults of one install: more would hide which of them did harm."""
EARLY = ORDER.index("copy and sync")
"""A power cut up to here makes the install start over."""

Install = tuple[Case, ...]


def plan(cases: Iterable[Case], seed: int) -> list[Install]:
    """The installs in the order in which they run, those with most faults first; each with its faults by their stages.

    Two faults of an install have different stages, and all the same host: stages of two hosts have no order.
    """
    left = list(cases)
    random.Random(seed).shuffle(left)
    installs: list[list[Case]] = []
    for case in left:
        fitting = (install for install in installs if not case.alone and _fits(case, install))
        if (install := next(fitting, None)) is not None:
            install.append(case)
        else:
            installs.append([case])
    installs.sort(key=len, reverse=True)
    return [tuple(sorted(install, key=lambda case: ORDER.index(case.stage))) for install in installs]


def _fits(case: Case, install: Sequence[Case]) -> bool:
    together = [*install, case]
    early = sum(ORDER.index(each.stage) <= EARLY for each in together)
    return (
        len(install) < LARGEST
        and not any(each.alone for each in install)
        and all(_where(each) == _where(case) for each in install)
        and all(each.stage != case.stage for each in install)
        and early <= LARGEST // 2
    )


def _where(case: Case) -> tuple[str, str, str]:
    return case.topology, case.machines, case.host
