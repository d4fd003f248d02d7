"""A program's output becomes steps."""

from __future__ import annotations

from pathlib import Path

import pytest

from cli.command import Commands
from cli.progress import step
from image_build.announced_steps import announced_steps


def marks(shown: str) -> list[str]:
    """The lines of steps that ended, without their times."""
    return [line.rpartition(" ")[0].rpartition(" ")[0] for line in shown.splitlines() if not line.startswith("…")]


def append(log: Path, output: bytes) -> None:
    with log.open("ab") as file:
        file.write(output)


def test_each_announcement_ends_a_step_and_starts_the_next(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    log = tmp_path / "log"
    log.write_text("== of a former program\n")
    with announced_steps(log, "Build root", step) as look:
        append(log, b"I: installing\n== Sour")
        look()
        assert marks(capsys.readouterr().err) == []
        append(log, b"ce package\n+ echo == no announcement\n== Kubernetes \xff\n")
        look()
        assert marks(capsys.readouterr().err) == ["✓ Build root", "✓ Source package"]
    assert marks(capsys.readouterr().err) == ["✓ Kubernetes \N{REPLACEMENT CHARACTER}"]


def test_the_step_in_which_the_program_failed_is_marked(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    log = tmp_path / "log"
    log.touch()
    with pytest.raises(RuntimeError), announced_steps(log, "Build root", step):
        append(log, b"== Source package\n")
        raise RuntimeError
    assert marks(capsys.readouterr().err) == ["✓ Build root", "✗ Source package"]


def test_a_running_program_is_followed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """It goes on when its announcement has been seen."""
    log, seen = tmp_path / "log", tmp_path / "seen"
    log.touch()
    script = f"echo == Source package; until [ -e {seen} ]; do sleep 0.1; done"
    with announced_steps(log, "Build root", step) as look:

        def look_and_answer() -> None:
            look()
            if "Source package" in capsys.readouterr().err:
                seen.touch()

        Commands(log).run(["sh", "-c", script], timeout=30, while_waiting=look_and_answer)
    assert marks(capsys.readouterr().err) == ["✓ Source package"]
