"""Control groups of a lab that is made for one test."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager

from vm_harness.container.control_groups import ControlGroup, Hierarchies


@contextmanager
def made_group(host: str = "node0") -> Iterator[ControlGroup]:
    """The groups of a host, as at power-on."""
    group = ControlGroup(Hierarchies.of_this_computer(), f"test-{os.getpid()}", host)
    group.create()
    group.renew()
    try:
        yield group
    finally:
        group.remove()
