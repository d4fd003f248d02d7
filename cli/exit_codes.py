"""Exit codes: a contract for scripts."""

from __future__ import annotations

from enum import IntEnum

from agent.model.problems import Problem


class ExitCode(IntEnum):
    """`INFRASTRUCTURE`: a fault outside the inputs: node0 or hosts unreachable, a full disk, a missing program or a
    damaged file. `READER_GONE`: as a program that SIGPIPE ends; the command may or may not have done its work."""

    DONE = 0
    BUG = 1
    USAGE = 2
    CONFIGURATION = 3
    INFRASTRUCTURE = 4
    BOOTSTRAP_FAILED = 5
    INSTALL_FAILED = 6
    INTERRUPTED = 130
    READER_GONE = 141


_BY_PROBLEM = {
    "host-not-listed": ExitCode.CONFIGURATION,
    "configuration-invalid": ExitCode.CONFIGURATION,
    "kernel-arguments-invalid": ExitCode.CONFIGURATION,
    "embed-area-too-small": ExitCode.CONFIGURATION,
    "auth-of-another-cluster": ExitCode.CONFIGURATION,
    "base-url-missing": ExitCode.CONFIGURATION,
    "base-url-invalid": ExitCode.CONFIGURATION,
    "auth-damaged": ExitCode.CONFIGURATION,
    "tokens-expired": ExitCode.CONFIGURATION,
    "file-exists": ExitCode.CONFIGURATION,
    "manifests-edited": ExitCode.CONFIGURATION,
    "bootstrap-failed": ExitCode.BOOTSTRAP_FAILED,
    "install-failed": ExitCode.INSTALL_FAILED,
}


def exit_code(problem: Problem) -> ExitCode:
    """The exit code of `problem`; INFRASTRUCTURE for codes without a row of their own."""
    return _BY_PROBLEM.get(problem.code, ExitCode.INFRASTRUCTURE)
