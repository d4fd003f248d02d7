"""The validations as a page for people: what each asks, what it keeps from happening, and when it is asked."""

from __future__ import annotations

import inspect
from collections.abc import Iterable, Iterator
from typing import Any

from node0 import validations
from node0.validations.engine.validation import Gate, Rule
from node0.validations.engine.waivers import CLUSTER_NEVER, HOST_NEVER

INTRODUCTION = """# Validations

Made from `node0/validations/` by `pytest --regenerate`; do not edit. Every validation that gates has to hold on every
host that takes part, and for the cluster, before the first step that writes to a disk is sent. Those that are *shown*
keep nothing from happening. What can be waived, is by `PUT …/ignored-validations`: it is still shown, and an event
tells what was waived.
"""

USER = """## The user's own

Put programs into `checks/` beside install-config.yaml. `create image` puts them into the ISO, mode 0755, and every host
runs them as root every two minutes until its install starts. Each is a validation `user-<file name>`; waivers work.

- Name: small letters, digits, `.`, `_`, `-`, at most 63. Content: a script with `#!`, or an ELF program; the live image
  has `/bin/sh` and `/usr/bin/python3`.
- Limits: 16 of them, 1 MiB each, 2 MiB together; 30 seconds each, two at a time.
- On standard input, JSON: `inventory` as the API shows it, `cluster` as in `/etc/cluster0/cluster.json`, and `host`,
  its entry there, or null.
- On standard output, JSON: `status` (`success` or `failure`), `message`, and, if you like, `remedy` and `gates`: false
  only shows what it says.

One that ends with another exit code than 0, prints something else or takes too long is an error, and gates.

```sh
#!/bin/sh
# checks/asset-tag: our machines have one.
tag=$(cat /sys/class/dmi/id/chassis_asset_tag 2>/dev/null)
if [ -n "$tag" ]; then
    printf '{"status": "success", "message": "Asset tag %s."}' "$tag"
else
    printf '{"status": "failure", "message": "No asset tag.", "remedy": "Set one in the firmware."}'
fi
```
"""


def page() -> str:
    """Markdown."""
    hosts = _table("Of a host", validations.HOST_RULES, HOST_NEVER)
    cluster = _table("Of the cluster", validations.CLUSTER_RULES, CLUSTER_NEVER)
    return "\n".join([INTRODUCTION, *hosts, *cluster, USER])


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
