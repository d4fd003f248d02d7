"""Exit codes: a contract that scripts rely on."""

from __future__ import annotations

from enum import IntEnum

from agent.model.problems import Problem


class ExitCode(IntEnum):
    """`INFRASTRUCTURE`: something around us is not as it must be: node0 or hosts out of reach, a full disk, a missing
    program, a damaged file. `READER_GONE`: as a program that SIGPIPE ends; what was asked may or may not be done."""

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
    """What did not go as expected, in one number; without a row of its own a problem lies in the surroundings."""
    return _BY_PROBLEM.get(problem.code, ExitCode.INFRASTRUCTURE)
