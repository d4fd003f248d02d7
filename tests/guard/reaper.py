"""Puts a process above pytest that does what init does: it adopts orphans of the tests and reaps them when they end.

So a process that a test's program left behind is found below us whatever it did to its session, group and environment,
and an orphan that ends is gone at once, as it would be below init.
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


def go_below_a_reaper() -> None:
    """Fork; the child returns from here, the parent stays until the child ends and ends as it did."""
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
        with contextlib.suppress(OSError):  # SIGKILL needs nothing
            signal.signal(-status, signal.SIG_DFL)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {-status})
        os.kill(os.getpid(), -status)
    os._exit(status)


def _reap(child: int) -> int | None:
    """Reap all that have ended; the exit code of `child` (negative: the signal) once it is among them."""
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
