"""Following an install from `lab up --wait`: `cluster0 wait-for` tells the story, the consoles tell of dead kernels."""

from __future__ import annotations

import os
import subprocess

from vm_harness import image
from vm_harness.lab import Lab

LOOK_SECONDS = 1.0


def follow_install(lab: Lab) -> int:
    """The exit code of `cluster0 wait-for install-complete`, whose progress is shown.

    Raises `Problem` (`guest-kernel-panic`) as soon as a host's console says so; node0's service could not say it.
    """
    argv = [image.cluster0(), "wait-for", "install-complete", "--dir", os.fspath(lab.directories.inputs)]
    with subprocess.Popen(lab.namespace.inside(argv)) as waiting:
        try:
            while waiting.poll() is None:
                for node in lab.nodes:
                    node.console.check_kernel()
                lab.node().console.pause(LOOK_SECONDS)
        finally:
            waiting.terminate()
    return waiting.returncode
