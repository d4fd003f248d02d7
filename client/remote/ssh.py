"""Commands on a host by SSH, with the operator's own keys, SSH agent and configuration.

asyncio runs ssh here, not `cli.command`: `gather` asks many hosts at once, and the output is binary.

Host keys are not checked: a live host makes new ones at every start, and nothing secret is sent. No forwarding.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import subprocess
from dataclasses import dataclass
from pathlib import Path

from agent.model.problems import Problem

CONNECT_SECONDS = 10
_NO_CONNECTION = 255
"""ssh's own exit code, see ssh(1)."""

# Run as root, whichever user logs in.
_AS_ROOT = 'if [ "$(id -u)" = 0 ]; then exec sh -s; else exec sudo -n sh -s; fi'


@dataclass(frozen=True)
class Login:
    """`key` None: the keys that ssh finds by itself."""

    user: str = "core"
    key: Path | None = None
    port: int = 22


async def run_script(login: Login, address: str, script: str, *, timeout: float) -> bytes:
    """What the shell script wrote to standard output, run as root at `address`.

    Problem: `ssh-unreachable` (no answer, or the login is refused), `ssh-timeout`, `ssh-failed`.
    """
    try:
        process = await asyncio.create_subprocess_exec(
            *_argv(login, address), stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            start_new_session=True,
        )  # fmt: skip
    except FileNotFoundError:
        raise Problem(
            code="program-missing", title="not installed: ssh", remedy="apt-get install openssh-client"
        ) from None
    try:
        async with asyncio.timeout(timeout):
            output, errors = await process.communicate(script.encode())
    except TimeoutError:
        raise Problem(code="ssh-timeout", title=f"{address} did not finish within {timeout:g} s.") from None
    finally:
        if process.returncode is None:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            await process.wait()
    if process.returncode:
        raise _failure(login, address, process.returncode, errors.decode(errors="replace").strip())
    return output


def _argv(login: Login, address: str) -> list[str]:
    options = {
        "BatchMode": "yes", "StrictHostKeyChecking": "no", "UserKnownHostsFile": "/dev/null", "LogLevel": "ERROR",
        "ConnectTimeout": str(CONNECT_SECONDS), "ServerAliveInterval": "15", "ServerAliveCountMax": "4",
        "ForwardAgent": "no", "ForwardX11": "no", "ClearAllForwardings": "yes",
    }  # fmt: skip
    words = [word for name, value in options.items() for word in ("-o", f"{name}={value}")]
    identity = ["-i", os.fspath(login.key)] if login.key else []
    return ["ssh", "-T", "-p", str(login.port), *identity, *words, f"{login.user}@{address}", _AS_ROOT]


def _failure(login: Login, address: str, exit_code: int, errors: str) -> Problem:
    if exit_code == _NO_CONNECTION:
        return Problem(
            code="ssh-unreachable",
            title=f"{address} cannot be logged in to as {login.user}.",
            detail=errors,
            remedy="Is the host up, and is your key the `sshKey` of install-config.yaml? Name it with --ssh-key.",
        )
    return Problem(code="ssh-failed", title=f"{address} answered with exit code {exit_code}.", detail=errors)
