"""Equal verdicts share one object if their messages are short."""

from __future__ import annotations

from node0.validations.engine.evaluation import CACHED_LENGTH, evaluate
from node0.validations.engine.validation import Category, Gate, Validation, Verdict, success


def evaluated(verdict: Verdict) -> object:
    validation = Validation[object](
        id="some-id", category=Category.HARDWARE, gate=Gate.HARDWARE, check=lambda _: verdict
    )
    (found,) = evaluate([validation], None)
    return found


def test_equal_verdicts_are_one_object() -> None:
    assert evaluated(success("All is well.")) is evaluated(success("All is well."))
    assert evaluated(success("All is well.")) != evaluated(success("All is very well."))


def test_a_long_verdict_is_not_cached() -> None:
    long = success("x" * (CACHED_LENGTH + 1))
    assert evaluated(long) == evaluated(long)
    assert evaluated(long) is not evaluated(long)
