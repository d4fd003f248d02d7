"""The page `docs/validations.md`: the question of each validation, what it blocks, and when it is evaluated."""

from __future__ import annotations

import inspect
from collections.abc import Iterable, Iterator
from typing import Any

from node0 import validations
from node0.validations.engine.ignored import CLUSTER_NEVER_IGNORED, HOST_NEVER_IGNORED
from node0.validations.engine.validation import Gate, Validation

INTRODUCTION = """# Validations

A validation is a question that node0 evaluates from what the hosts report. `pytest --regenerate`
makes this page from `node0/validations/`; do not edit it.

A validation that *gates* is a blocking one. Before node0 sends the first step that writes to a
disk, each of them must hold, for every host that takes part and for the cluster. The word after
*gates* decides the state while it fails: `connection` disconnected (discovering, until there is an
inventory), `hardware` and `sufficient` insufficient, `input` pending-for-input. Validations that
are *shown* block nothing.

Where the table says *can be ignored*, the user can have a validation block nothing
(`PUT …/ignored-validations`). Clients still show it, and an event records the change.
"""

USER = """## The user's own

Put programs into `checks/` next to install-config.yaml. `create image` adds them to the ISO with
mode 0755. Every host runs them as root every two minutes until its install starts. Each becomes the
validation `user-<file name>`, and can be ignored.

- Name: lower-case letters, digits, `.`, `_`, `-`; at most 63 characters. Content: a script with
  `#!`, or an ELF program. The live image has `/bin/sh` and `/usr/bin/python3`.
- Limits: 16 programs, 1 MiB each, 2 MiB together; 30 seconds each, two at a time.
- Standard input, JSON: `inventory` as the API shows it, `cluster` as in
  `/etc/cluster0/cluster.json`, and `host`, its entry there, or null.
- Standard output, JSON: `status` (`success` or `failure`), `message`, and optionally `remedy` and
  `gates`; `"gates": false` only shows the result.

A program that exits with a code other than 0, prints anything else or exceeds its time is an error,
and blocks the install.

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


HEADINGS = """| id | category | effect | can be ignored | evaluated when | question |
|---|---|---|---|---|---|"""


def page() -> str:
    """Markdown."""
    hosts = _table("Of a host", validations.HOST_VALIDATIONS, HOST_NEVER_IGNORED)
    cluster = _table("Of the cluster", validations.CLUSTER_VALIDATIONS, CLUSTER_NEVER_IGNORED)
    return "\n".join([INTRODUCTION, *hosts, *cluster, USER])


def _table(title: str, rows: Iterable[Validation[Any]], never_ignored: frozenset[str]) -> Iterator[str]:
    yield f"## {title}\n\n{HEADINGS}"
    for row in sorted(rows, key=lambda row: row.id):
        effect = "shown" if row.gate is Gate.SHOWN else f"gates: {row.gate}"
        ignorable = "" if row.gate is Gate.SHOWN else "no" if row.id in never_ignored else "yes"
        when = row.when or "always"
        yield f"| `{row.id}` | {row.category} | {effect} | {ignorable} | {when} | {_question(row)} |"
    yield ""


def _question(validation: Validation[Any]) -> str:
    """The docstring of the validation's module."""
    module = inspect.getmodule(validation.check)
    assert module is not None and module.__doc__, validation.id
    return " ".join(module.__doc__.split())
