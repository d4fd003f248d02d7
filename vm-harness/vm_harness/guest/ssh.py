"""SSH into a guest, from the lab's network namespace.

All commands share one connection, so that a command costs no new login.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from agent.model.problems import Problem
from cli.command import Finished, run
from vm_harness.network.namespace import Namespace

CONNECT_SECONDS = 20
"""An emulated guest takes seconds for a key exchange."""
NO_CONNECTION = 255
"""ssh's exit code for its own errors, see ssh(1)."""


@dataclass(frozen=True)
class Ssh:
    """SSH to one guest.

    `key` None: the user's own keys. `control`: a directory for the shared connection's socket.
    """

    namespace: Namespace
    address: str
    key: Path | None
    control: Path
    user: str = "core"

    def argv(self, command: str = "", *, terminal: bool = False) -> list[str]:
        """The argv that runs `command` (a shell's line, as the user) in the guest; without one, a login shell.

        Raises `Problem` (`no-address`) when the lab does not know the guest's address.
        """
        if not self.address:
            raise Problem(
                code="no-address",
                title="the lab does not know this host's address",
                detail="Its ISO was given by --iso, or the inputs give it no static address.",
                remedy="Use `cluster0 lab console`.",
            )
        words = [
            *self._options(),
            *(["-t"] if terminal else []),
            f"{self.user}@{self.address}",
            *([command] if command else []),
        ]
        return self.namespace.inside(["ssh", *words])

    def run(self, command: str, *, timeout: float, while_waiting: Callable[[], None] = lambda: None) -> Finished:
        """Exit code `NO_CONNECTION` when the guest cannot be reached.

        `while_waiting` is called every second and may raise. Raises `Problem` (`command-timeout`).
        """
        return run(self.argv(command), timeout=timeout, check=False, while_waiting=while_waiting)

    def fetch(self, source: str, to: Path, *, timeout: float) -> None:
        """Copy the guest's file `source` (a word of the guest's shell). Raises `Problem` (`command-failed`, …)."""
        argv = self.argv(f"cat {source}")
        with to.open("wb") as file:
            run(argv, timeout=timeout, stdout=file)

    def close_connection(self) -> None:
        """End the shared connection. After a power cut it would wait for its timeout."""
        if self.address:
            run(self.namespace.inside(["ssh", *self._options(), "-O", "exit", self.address]), timeout=10, check=False)

    def _options(self) -> list[str]:
        """No user configuration, no prompts, no known host keys: each boot of an ISO makes new ones."""
        options = {
            "BatchMode": "yes", "StrictHostKeyChecking": "no", "UserKnownHostsFile": "/dev/null", "LogLevel": "ERROR",
            "ConnectTimeout": str(CONNECT_SECONDS), "ServerAliveInterval": "15", "ServerAliveCountMax": "4",
            "ControlMaster": "auto", "ControlPersist": "yes", "ControlPath": os.fspath(self.control / "ssh-%h"),
        }  # fmt: skip
        identity = ["-i", os.fspath(self.key), "-o", "IdentitiesOnly=yes"] if self.key else []
        return ["-F", "none", *identity, *(word for key, value in options.items() for word in ("-o", f"{key}={value}"))]
