"""The validations as a page for people: what each asks, what it keeps from happening, and when it is asked."""

from __future__ import annotations

import inspect
from collections.abc import Iterable, Iterator
from typing import Any

from node0 import validations
from node0.validations.rule import Gate, Rule
from node0.validations.waivers import CLUSTER_NEVER, HOST_NEVER

INTRODUCTION = """# Validations

Made from `node0/validations/` by `pytest --regenerate`; do not edit. Every validation that gates has to hold on every
host that takes part, and for the cluster, before the first step that writes to a disk is sent. Those that are *shown*
keep nothing from happening. What can be waived, is by `PUT …/ignored-validations`: it is still shown, and an event
tells what was waived. The user's own checks (`/etc/cluster0/checks.d`) are validations `user-<file name>`, and gate.
"""


def page() -> str:
    """Markdown."""
    hosts = _table("Of a host", validations.HOST_RULES, HOST_NEVER)
    cluster = _table("Of the cluster", validations.CLUSTER_RULES, CLUSTER_NEVER)
    return "\n".join([INTRODUCTION, *hosts, *cluster])


def _table(title: str, rules: Iterable[Rule[Any]], never: frozenset[str]) -> Iterator[str]:
    yield f"## {title}\n\n| id | category | | can be waived | asked when | what it asks |\n|---|---|---|---|---|---|"
    for rule in sorted(rules, key=lambda rule: rule.id):
        gate = "shown" if rule.gate is Gate.SHOWN else f"gates: {rule.gate}"
        waivable = "" if rule.gate is Gate.SHOWN else "no" if rule.id in never else "yes"
        when = rule.when or "always"
        yield f"| `{rule.id}` | {rule.category} | {gate} | {waivable} | {when} | {_question(rule)} |"
    yield ""


def _question(rule: Rule[Any]) -> str:
    """What the rule's file says that it asks."""
    module = inspect.getmodule(rule.check)
    assert module is not None and module.__doc__, rule.id
    return " ".join(module.__doc__.split())
