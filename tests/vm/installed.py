"""The end of an install, as `lab up --wait` follows it."""

from __future__ import annotations

from vm_harness.lab.follow import follow_install
from vm_harness.lab.lab import Lab


def assert_installed(lab: Lab, *, timeout: float, nodes: str = "all") -> Lab:
    """`cluster0 wait-for install-complete` succeeds within `timeout` seconds, and no machine fails. Returns `lab`.

    `nodes`: which hosts must be Ready: `all` or `control-plane`.
    """
    assert follow_install(lab, "--timeout", f"{timeout / 60:g}", "--nodes", nodes) == 0
    return lab
