"""The end of an install, as `lab up --wait` follows it."""

from __future__ import annotations

from vm_harness.lab.follow import follow_install
from vm_harness.lab.lab import Lab


def assert_installed(lab: Lab, *, timeout: float) -> Lab:
    """`cluster0 wait-for install-complete` succeeds within `timeout` seconds, and no machine fails. Returns `lab`."""
    assert follow_install(lab, "--timeout", f"{timeout / 60:g}") == 0
    return lab
