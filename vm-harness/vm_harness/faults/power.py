"""The power of a host."""

from __future__ import annotations

from vm_harness.faults.fault import Fault, Target


def cut(target: Target) -> None:
    target.node.crash()


def restore(target: Target) -> None:
    if not target.node.machine.is_on():
        target.node.start()


FAULTS = (
    Fault(
        name="power-cut",
        summary="The power fails: what is not on the disk is lost. The host is switched on when the fault ends.",
        begin=cut,
        end=restore,
    ),
)
