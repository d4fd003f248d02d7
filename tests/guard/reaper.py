"""Runs pytest, or the bench, below a subreaper (prctl(2)), which adopts and reaps their orphans, as init would.

So the guard finds each process that a test's program left, whatever its session, process group and environment, and the
bench knows all of its own processes. An orphan that ends does not stay as a zombie.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import signal
from typing import NoReturn

_PR_SET_PDEATHSIG = 1  # <linux/prctl.h>
_PR_SET_CHILD_SUBREAPER = 36
_SI_KERNEL = 0x80  # <asm-generic/siginfo.h>: sent by the kernel, as a terminal's Ctrl-C to the whole foreground group

_PASSED_ON = {signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT, signal.SIGUSR1, signal.SIGUSR2}


def fork_below_subreaper() -> None:
    """Fork. The child returns; the parent reaps orphans, and exits with the child's exit status."""
    above = os.getpid()
    child = os.fork()
    if child:
        _reap_until_end_of(child)
    _prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != above:
        os._exit(1)


def _reap_until_end_of(child: int) -> NoReturn:
    signal.pthread_sigmask(signal.SIG_BLOCK, {*_PASSED_ON, signal.SIGCHLD})
    _prctl(_PR_SET_CHILD_SUBREAPER, 1)
    while (status := _reap(child)) is None:
        came = signal.sigwaitinfo({*_PASSED_ON, signal.SIGCHLD})
        if came.si_signo != signal.SIGCHLD and came.si_code != _SI_KERNEL:
            os.kill(child, came.si_signo)
    if status < 0:
        with contextlib.suppress(OSError):  # SIGKILL has no handler
            signal.signal(-status, signal.SIG_DFL)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {-status})
        os.kill(os.getpid(), -status)
    os._exit(status)


def _reap(child: int) -> int | None:
    """Reap all zombies. The exit code of `child` (negative: the signal that ended it); None while it runs."""
    ended = None
    while True:
        try:
            pid, status = os.waitpid(-1, os.WNOHANG)
        except ChildProcessError:
            return ended
        if pid == 0:
            return ended
        if pid == child:
            ended = os.waitstatus_to_exitcode(status)


def _prctl(option: int, value: int) -> None:
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.prctl(option, value, 0, 0, 0):
        raise OSError(ctypes.get_errno(), "prctl")
