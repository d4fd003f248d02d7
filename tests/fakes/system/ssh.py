"""A real sshd on loopback, with keys of its own and only for us."""

from __future__ import annotations

import asyncio
import contextlib
import getpass
import shutil
from collections.abc import AsyncIterator
from pathlib import Path

import psutil
import pytest

from client.remote.ssh import Login
from replay.programs import free_port

START_SECONDS = 20.0


@contextlib.asynccontextmanager
async def sshd(directory: Path, *, address: str = "127.0.0.1", programs: Path | None = None) -> AsyncIterator[Login]:
    """How to log in at `address`, as the user of the tests. `programs`: a directory that is first on PATH there."""
    program = shutil.which("sshd", path="/usr/sbin:/usr/local/sbin:/usr/bin")
    if program is None:
        pytest.skip("needs sshd (Debian package openssh-server)")
    login = Login(user=getpass.getuser(), key=directory / "user-key", port=free_port())
    for name in ("user-key", "host-key"):
        await _run("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(directory / name))
    _configure(directory, f"{address}:{login.port}", programs)
    server = await asyncio.create_subprocess_exec(
        program, "-D", "-e", "-f", str(directory / "sshd_config"), stderr=asyncio.subprocess.PIPE
    )
    try:
        assert server.stderr is not None
        async with asyncio.timeout(START_SECONDS):
            while b"Server listening" not in (line := await server.stderr.readline()):
                assert line, "sshd ended before it listened"
        yield login
    finally:
        server.terminate()
        await server.communicate()
        _end_sessions(login.port)


def _end_sessions(port: int) -> None:
    """What a client started and then gave up goes on without its sshd; it may start more until it is killed."""
    while left := [process for process in psutil.process_iter(["environ"]) if _is_session_at(process, port)]:
        for process in left:
            with contextlib.suppress(psutil.NoSuchProcess):
                process.kill()


def _is_session_at(process: psutil.Process, port: int) -> bool:
    """`SSH_CONNECTION` is "client port server port"; one that has ended and is not reaped yet has no environment."""
    return bool((process.info["environ"] or {}).get("SSH_CONNECTION", "").endswith(f" {port}"))


def _configure(directory: Path, address: str, programs: Path | None) -> None:
    Path("/run/sshd").mkdir(exist_ok=True)  # where it confines its first half to
    (directory / "sshd_config").write_text(f"""
ListenAddress {address}
SetEnv PATH={programs or "/usr/bin"}:/usr/sbin:/usr/bin:/sbin:/bin
HostKey {directory}/host-key
AuthorizedKeysFile {directory}/user-key.pub
PasswordAuthentication no
PermitRootLogin prohibit-password
StrictModes no
UsePAM no
PidFile none
""")


async def _run(*argv: str) -> None:
    process = await asyncio.create_subprocess_exec(*argv)
    assert await process.wait() == 0
