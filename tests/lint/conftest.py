"""Linters as tests: a tool that is missing is a skip."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from tests.paths import REPOSITORY

ROOT = REPOSITORY

Lint = Callable[[Sequence[str]], None]


def tracked(*patterns: str) -> list[str]:
    """Files git tracks or would track, relative to the root."""
    argv = ["git", "ls-files", "--cached", "--others", "--exclude-standard", "--", *patterns]
    listed = subprocess.run(argv, cwd=ROOT, check=True, capture_output=True, text=True).stdout.split()
    return [name for name in listed if (ROOT / name).is_file()]


@pytest.fixture
def lint() -> Lint:
    """Run a linter in the checkout's root; its output is the failure."""

    def run(argv: Sequence[str]) -> None:
        program = shutil.which(argv[0], path=f"{Path(sys.executable).parent}:{os.environ['PATH']}")
        if program is None:
            pytest.skip(f"{argv[0]} is not installed: run `make setup`")
        done = subprocess.run([program, *argv[1:]], cwd=ROOT, check=False, capture_output=True, text=True)
        if done.returncode != 0:
            pytest.fail(f"$ {' '.join(argv)}\n{done.stdout}{done.stderr}", pytrace=False)

    return run


@pytest.fixture
def files() -> Callable[..., list[str]]:
    return tracked
