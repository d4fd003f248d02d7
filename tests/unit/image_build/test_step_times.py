"""What a build remembers of the time that its steps took."""

from __future__ import annotations

from pathlib import Path

import pytest

from image_build.cache import Cache
from image_build.step_times import FILE, MAX_BYTES, MAX_RUNS, MAX_STEPS, StepTimes


def test_the_usual_time_is_the_median_of_the_last_runs(tmp_path: Path) -> None:
    times = StepTimes(tmp_path / "new")
    assert times.usual("Kubernetes") is None
    for seconds in (9000, *range(MAX_RUNS)):
        times.add("Kubernetes", seconds)
    assert StepTimes(tmp_path / "new").usual("Kubernetes") == MAX_RUNS // 2


def test_the_file_has_a_limited_number_of_steps(tmp_path: Path) -> None:
    times = StepTimes(tmp_path)
    for number in range(MAX_STEPS):
        times.add(f"step {number}", 1)
    times.add("step 0", 1)
    times.add("one more", 1)
    assert times.usual("step 1") is None
    assert times.usual("step 0") == times.usual("one more") == 1


@pytest.mark.parametrize(
    "content", [b"", b"{", b'{"step": "long"}', b"\xff", b'{"step": [1' + b", 1" * MAX_BYTES + b"]}"]
)
def test_a_damaged_file_is_replaced(content: bytes, tmp_path: Path) -> None:
    (tmp_path / FILE).write_bytes(content)
    times = StepTimes(tmp_path)
    assert times.usual("step") is None
    times.add("step", 2)
    assert times.usual("step") == 2


def test_a_file_that_cannot_be_written_fails_no_build(tmp_path: Path) -> None:
    (tmp_path / FILE).mkdir()
    with Cache(tmp_path).step("step", 60) as running:
        running.note = "done"


def test_a_step_that_fails_is_not_remembered(tmp_path: Path) -> None:
    with pytest.raises(RuntimeError), Cache(tmp_path).step("step", 60):
        raise RuntimeError
    assert StepTimes(tmp_path).usual("step") is None
