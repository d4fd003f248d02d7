"""What is said of many hosts in the same words is one object; what is long is not remembered."""

from __future__ import annotations

from node0.validations.engine.validation import REMEMBERED_LENGTH, Category, Gate, Rule, Verdict, judge, success


def judged(verdict: Verdict) -> object:
    rule = Rule[object](id="some-rule", category=Category.HARDWARE, gate=Gate.HARDWARE, check=lambda _: verdict)
    (found,) = judge([rule], None)
    return found


def test_the_same_words() -> None:
    assert judged(success("All is well.")) is judged(success("All is well."))
    assert judged(success("All is well.")) != judged(success("All is very well."))


def test_long_words() -> None:
    long = success("x" * (REMEMBERED_LENGTH + 1))
    assert judged(long) == judged(long)
    assert judged(long) is not judged(long)
