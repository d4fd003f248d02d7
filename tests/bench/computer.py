"""Where and when a figure was measured: the computer, the date, the commit."""

from __future__ import annotations

import os
import subprocess
from datetime import UTC, datetime
from pathlib import Path

import msgspec
import psutil

from tests.paths import REPOSITORY

# The bench writes some of them, and none changes what is measured.
DOCUMENTS = ("*.md", "docs/bench.json")


class Computer(msgspec.Struct, frozen=True, kw_only=True):
    """`memory`: GiB. `file_system`: of the directory in which the bench works, as the kernel names it."""

    cpu: str
    cores: int
    memory: float
    kernel: str
    file_system: str

    @classmethod
    def this(cls, directory: Path) -> Computer:
        return cls(
            cpu=_cpu_model(),
            cores=os.cpu_count() or 1,
            memory=round(psutil.virtual_memory().total / 2**30, 1),
            kernel=os.uname().release,
            file_system=_file_system(directory),
        )


class Run(msgspec.Struct, frozen=True, kw_only=True):
    """`date`: of UTC, as YYYY-MM-DD. `commit`: its abbreviated hash. `is_clean`: only documents differ from it."""

    date: str
    commit: str
    is_clean: bool
    computer: Computer

    @classmethod
    def now(cls, directory: Path) -> Run:
        """Raises CalledProcessError outside a git checkout."""
        documents = [f":(exclude){pattern}" for pattern in DOCUMENTS]
        return cls(
            date=datetime.now(UTC).date().isoformat(),
            commit=git("rev-parse", "--short=10", "HEAD").strip(),
            is_clean=not git("status", "--porcelain", "--", ".", *documents),
            computer=Computer.this(directory),
        )


def git(*arguments: str) -> str:
    """The standard output of `git ARGUMENTS` in the checkout, which may belong to another user than root."""
    argv = ["git", "-c", f"safe.directory={REPOSITORY}", *arguments]
    return subprocess.run(argv, cwd=REPOSITORY, check=True, stdout=subprocess.PIPE, text=True).stdout


def _cpu_model() -> str:
    lines = Path("/proc/cpuinfo").read_text().splitlines()
    return next((line.partition(":")[2].strip() for line in lines if line.startswith("model name")), "unknown")


def _file_system(directory: Path) -> str:
    argv = ["findmnt", "--noheadings", "--output", "FSTYPE", "--target", os.fspath(directory)]
    return subprocess.run(argv, check=True, stdout=subprocess.PIPE, text=True).stdout.strip()
