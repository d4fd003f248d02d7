"""The time of the scrubber is linear in the length of a text, whatever a stranger writes."""

from __future__ import annotations

import io
import re
import time
from collections import deque
from collections.abc import Callable

import pytest

from node0.trust.scrub import Scrubber, encoded, kubernetes, names, scrubber, shapes
from node0.trust.scrub.scrubber import OVERLAP, WINDOW

# Seconds of CPU below which a measurement says nothing.
MEASURABLE = 0.004

# Seconds for which nothing else runs in the service. It takes a tenth of it; the rest is for slow computers.
LONGEST_PAUSE = 0.1

HOSTILE = (
    "a-", "a-_", "a", "A", "0", "_", "-", ".", "a.", "abc123.", "=", "==", ":", "://", "://a:", "://a", "a@", "/",
    "%", "%41", "%2541", "%41aaaaa ", "aGVsbG8gd29ybGQgaGVsbG8gd29ybGQg ",
    "eyJ", "eyJ.", "eyJhbGciOi", "eyJaaaaaaaaaaaaaaaaaa ", "$", "$6$", "$1$a", "\\", '"', "'",
    '\\"', '\\\\\\"', "\n", "\r\n", " ", "\t", "\n ", "\n  a", "\n- ", "---\n", "{", "}", '{"', "[", "<", "&", ",", ";",
    "-----BEGIN", "-----BEGIN ", "-----BEGIN PRIVATE KEY-----", "-----BEGIN PRIVATE KEY-----\n", "-----END",
    "-----BEGIN A", "-----BEGIN PRIVATE KEY-----\nAAAA\n", "-----BEGIN PRIVATE KEY-----\\n",
    "-----END PRIVATE KEY-----",
    "passwd", "password=", "password: ", 'password="', 'password=\\"', "password\\", "password   ", "password:|\n ",
    "password:|\n  a\n", "passpasspass", "secret", "secret: ", "secret:", "secret: a ", 'secret="a', "secret=a/b ",
    "secret:a,", "token ", "token=", "token>", 'token "', "--token ", "--token a ", "--", "auth:", 'auth"', 'auth:"',
    "auth:'\\", "authorization: bearer ", "authorization: ", "certificate key", "certificate-key ", "certificateKey=\\",
    "psk=****", "psk=*", "key=/a", "private-key=/a/b", "pull_secret", 'pull_secret": "', "pull_secret\\\\",
    "password=[removed:", "[removed:", "AKIA", "AKIA0000", "ghp_", "ghp_a", "github_pat_",
    "data:\n", "data:\n  a: b\n", "data:\n a\nkind: Secret\n", "kind: Secret\n", '"kind":"Secret"', '"data":{',
    '"data":{"a":',
    'kind":"Secret""data":{', "- data:\n", "stringData: a\n", "host u[1]: ", "a b c[1]: AAAA\n", "AAAA\n",
    "A" * 24 + "\n", "A" * 24 + " ", "A" * 23 + " ", "A" * 24 + "=\n", "cGFzc3dvcmQ6IGEK", "UFJJVkFURSBLRVktLS0t",
    "H4sIAAAAAAAA", "H4sIAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA== ", "MIIAAQIBA", "\x00", "\u202e", "\x1b[", "é",
)  # fmt: skip

PATTERNS = {
    f"{module.__name__.rpartition('.')[2]}.{name}": pattern
    for module in (encoded, kubernetes, names, scrubber)
    for name, pattern in vars(module).items()
    if isinstance(pattern, re.Pattern)
} | {f"shapes.{number} {shape.kind}": shape.pattern for number, shape in enumerate(shapes.SHAPES)}

# These look at one place; the others search.
AT_ONE_PLACE = {"encoded._TEXT", "scrubber._CONTINUED"} | {
    f"names.{name}" for name in ("_LINE_BEGIN", "_OPTION", "_PATH", "_PLAIN_WORD", "_REFERENCE", "_REMOVED")
}


def seconds(call: Callable[[bytes], object], text: bytes, *, tries: int = 1) -> float:
    """CPU time of the fastest of `tries`."""
    times = []
    for _ in range(tries):
        start = time.thread_time()
        call(text)
        times.append(time.thread_time() - start)
    return min(times)


def assert_linear(call: Callable[[bytes], object], unit: str, size: int) -> None:
    """Twice `size` bytes do not take three times as long, where that can be measured."""
    once = twice = 0.0
    for tries in (1, 3, 9):  # other programs use this computer, too
        if (twice := seconds(call, repeated(unit, 2 * size), tries=tries)) < MEASURABLE:
            return
        once = seconds(call, repeated(unit, size), tries=tries)
        if twice < 3 * once:
            return
    pytest.fail(f"{unit!r}: {size} bytes take {once:.3f} s, twice as many {twice:.3f} s")


def repeated(unit: str, size: int) -> bytes:
    data = unit.encode()
    return (data * (size // len(data) + 1))[:size]


@pytest.mark.parametrize("name", PATTERNS)
def test_each_pattern_is_linear_within_a_window(name: str) -> None:
    pattern = PATTERNS[name]

    def search(text: bytes) -> None:
        if name in AT_ONE_PLACE:
            pattern.fullmatch(text)
        else:
            deque(pattern.finditer(text), maxlen=0)

    for unit in HOSTILE:
        assert_linear(search, unit, WINDOW)
        assert seconds(search, repeated(unit, WINDOW + OVERLAP)) < LONGEST_PAUSE, unit


@pytest.mark.parametrize(
    "begin", ["", '{"kind":"Secret", "password": "', "-----BEGIN PRIVATE KEY-----\nkind: Secret\ndata:\n"]
)
def test_the_scrubber_is_linear(begin: str) -> None:
    known = Scrubber([b"correct-horse-battery", b"a-" * 20])

    def scrub(text: bytes) -> None:
        known.copy(io.BytesIO(begin.encode() + text), io.BytesIO())

    for unit in HOSTILE:
        assert_linear(scrub, unit, WINDOW + OVERLAP)


def test_a_text_of_a_host_takes_milliseconds_whatever_it_is() -> None:
    for unit in HOSTILE:
        text = repeated(unit, 1024 * 1024)
        assert seconds(lambda data: Scrubber([]).text(data.decode(errors="replace")), text) < LONGEST_PAUSE, unit


def test_no_pattern_repeats_a_group_possessively() -> None:
    """Python before 3.11.5, as in Debian 12, matches them wrongly when the group can give back (gh-106052)."""
    for name, pattern in PATTERNS.items():
        assert not re.search(rb"\)(?:[*+?]|\{[0-9,]+\})\+", pattern.pattern), name
