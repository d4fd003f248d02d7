"""Secrets that are known by the name in front of them: tables of names, and how a value ends. The names stay."""

from __future__ import annotations

import re
from collections.abc import Iterator

from node0.trust.scrub.spans import Span

RANK = 2

# What follows is always a secret. A longer name may begin before these (`db_password`).
_CERTAIN = (
    rb"passw(?:or)?d|pass[-_]?phrase|psk|wep-key[0-3]|api[-_]?key|access[-_]?key|secret[-_]?key|client-key-data"
    rb"|identitytoken|registrytoken|private[-_]?key|pre-?shared[-_]?key|certificate[-_ ]?key"
)

# What follows may be a secret, or prose about one.
_LIKELY = rb"secret|token"

# A document of the user inside a JSON string: any part of it may be a secret.
_CONFIDED = rb"pull_?secret|install_config_overrides|ignition(?:_config)?_overrides?"

# Only in front of a quoted value are these names of secrets.
_QUOTED_NAME = rb"(?i:(?P<confided>" + _CONFIDED + rb")|auth)"
_NAME = rb"(?i:(?P<certain>" + _CERTAIN + rb")|(?P<likely>" + _LIKELY + rb")|(?P<scheme>authorization))"
_CLOSE = rb"(?:\\{0,15}[\"'])?[ \t]{0,20}+"

# Up to its own quote, or to the end of the line. A quote inside JSON inside JSON has backslashes.
_QUOTED = rb"(?P<quote>\\{0,15}[\"'])(?P<quoted>(?:[^\\\"'\n]++|(?!(?P=quote))(?:\\++[\"']?|[\"']))*)"
_BLOCK = rb"[|>][-+0-9]{0,3}[ \t]{0,20}+\r?\n(?P<block>(?P<indent>[ \t]{1,80}+)[^\n]*+(?:\n(?P=indent)[^\n]*+)*)"
_BARE = rb"(?P<bare>(?:[^\s\"'<&},;\\]++|[,;\\](?![\s\"'\\nrt]))+)"

_NAMED = re.compile(
    _NAME + _CLOSE + rb"(?P<between>[:=]{1,2}+>?+|>|(?<=[ \t]))[ \t]{0,40}+"
    rb"(?(scheme)(?:\\{0,15}[\"'])?(?i:bearer|basic|token)[ \t]{1,20}+)"
    rb"(?:" + _QUOTED + rb"|" + _BLOCK + rb"|" + _BARE + rb")"
)
_NAMED_QUOTED = re.compile(_QUOTED_NAME + _CLOSE + rb"[:=][ \t]{0,40}+" + _QUOTED)

# How the names begin: to look for these words is faster than for the names.
_BEGINS = (
    b"pass", b"psk", b"wep-key", b"api", b"access", b"secret", b"client-key", b"identitytoken", b"registrytoken",
    b"private", b"pre", b"certificate", b"token", b"auth", b"pull", b"install_config", b"ignition",
)  # fmt: skip

# In an object's own line, as in YAML and in keyfiles: the value is the rest of the line.
_LINE_BEGIN = re.compile(rb"[ \t]*+(?:- )?[\"']?[A-Za-z0-9_.-]*+")
_OPTION = re.compile(rb"--[a-z-]*+")
_LONGEST_NAME = 100

# Of a value without quotes. Shorter ones are numbers and words of prose.
_SHORTEST = 4

_NO_VALUES = frozenset(b"true false null none nil <nil> yes no set unset redacted <redacted> hidden <hidden>".split())
_PLAIN_WORD = re.compile(rb"[A-Za-z.-]+[:.,]?")
_PATH = re.compile(rb"(?:/[\w.@-]++){2,}")
_REFERENCE = re.compile(rb"[a-z0-9.-]++/[a-z0-9.-]++|" + _PATH.pattern)
_REMOVED = re.compile(rb"\[removed:[a-z-]{1,40}\]")


def find_named(text: bytes) -> Iterator[Span]:
    done = 0
    for place in _places(text.lower()):
        if place < done:
            continue
        if found := _NAMED_QUOTED.match(text, place):
            kind = "confided document" if found["confided"] else "named secret"
            start, done = found.span("quoted")
            yield Span(start, done, kind, RANK)
        elif found := _NAMED.match(text, place):
            start, end = _value(text, found)
            if start < end:
                yield Span(start, end, "named secret", RANK)
                done = end


def _places(lower: bytes) -> list[int]:
    """Where a name may begin, in order."""
    places = []
    for begin in _BEGINS:
        place = lower.find(begin)
        while place >= 0:
            places.append(place)
            place = lower.find(begin, place + 1)
    return sorted(places)


def _value(text: bytes, found: re.Match[bytes]) -> tuple[int, int]:
    """Where the secret stands; nowhere is an empty place. What is refused here has no other name in it."""
    group = next(name for name in ("quoted", "block", "bare") if found[name] is not None)
    value = found[group].strip(b"*")
    is_value = value and value.lower() not in _NO_VALUES and not _REMOVED.fullmatch(value)
    is_value = is_value and (group != "bare" or len(value) >= _SHORTEST)
    if not is_value or (not found["between"] and not _is_option(text, found.start())):
        return 0, 0
    if (found["likely"] and not _is_likely(text, found, value, group)) or _is_path_of_key(found, value):
        return 0, 0
    start, end = found.span(group)
    if group == "bare" and found["certain"] and _begins_line(text, found.start()):
        end = _line_end(text, end)
    return start, end


def _is_path_of_key(found: re.Match[bytes], value: bytes) -> bool:
    return bool(found["certain"]) and found["certain"].lower().endswith(b"key") and bool(_PATH.fullmatch(value))


def _is_likely(text: bytes, found: re.Match[bytes], value: bytes, group: str) -> bool:
    """Not `secret: timed out waiting`, nor `secret="kube-system/name"`, nor a path."""
    if _REFERENCE.fullmatch(value):
        return False
    if group == "bare" and _PLAIN_WORD.fullmatch(value):
        return _begins_line(text, found.start()) and found.end() == _line_end(text, found.end())
    return True


def _begins_line(text: bytes, start: int) -> bool:
    return _LINE_BEGIN.fullmatch(text, text.rfind(b"\n", max(0, start - _LONGEST_NAME), start) + 1, start) is not None


def _is_option(text: bytes, start: int) -> bool:
    """`--token VALUE`: after an option, a blank may be all that separates the value."""
    before = text.rfind(b" ", max(0, start - _LONGEST_NAME), start) + 1
    return _OPTION.fullmatch(text, before, start) is not None


def _line_end(text: bytes, start: int) -> int:
    end = text.find(b"\n", start)
    end = len(text) if end < 0 else end
    return end - 1 if text[start:end].endswith(b"\r") else end
