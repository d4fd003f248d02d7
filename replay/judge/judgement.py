"""What `cluster0 replay` finds out."""

from __future__ import annotations

import msgspec

from agent.model.intent import Role
from agent.model.inventory import Inventory
from agent.model.problems import ProblemReport
from agent.record.network import NetworkState
from replay.judge.checks import JudgedCheck, NotEvaluated
from replay.judge.disks import JudgedDisk


class Judgement(msgspec.Struct, frozen=True, kw_only=True):
    """What `-o json` prints.

    recorded_at, version, masked, notes, inventory, network: of the record.
    host: the host of the inputs that the machine is; empty: none, or there are no inputs. why: what decided it.
    interfaces: the user's name for a NIC → the machine's. role: by which it is judged.
    checks: node0's validations that a record can answer; not_evaluated: the others.
    obstacles: what keeps the machine from being installed; empty: nothing that the record shows.
    """

    schema: int = 1
    recorded_at: str
    version: str
    masked: bool
    notes: tuple[str, ...]
    host: str
    why: str
    interfaces: dict[str, str]
    role: Role
    disks: tuple[JudgedDisk, ...]
    checks: tuple[JudgedCheck, ...]
    not_evaluated: tuple[NotEvaluated, ...]
    obstacles: tuple[ProblemReport, ...]
    inventory: Inventory
    network: NetworkState | None
