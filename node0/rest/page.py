"""The API as a page for people, made from the same table as everything else."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from agent.api.operations import OPERATIONS, UNSUPPORTED, EventStream, File, Nothing, Upload
from node0.rest import metrics
from node0.rest.auth import CARRIERS
from node0.rest.openapi import statuses
from node0.store.records import Records

_HEADERS = ", ".join(f"`{name}`" for name in CARRIERS)

INTRODUCTION = f"""# The API of node0

Made from `agent/api/operations.py` by `pytest --regenerate`; do not edit. The service listens with TLS on port 8090 of
the rendezvous address, below `/api/assisted-install`; `auth/ca.crt` is its CA, and `auth/user.token` a token for
everything that is marked *user*. A token goes, with or without `Bearer`, into one of the headers
{_HEADERS}. The document with the schemas is at `/openapi.json`;
`/health`, `/ready` and `/metrics` (Prometheus) are beside it, and these four need no token. Clients of assisted-service
work unmodified.

```
URL=https://ADDRESS:8090 TOKEN=$(cat auth/user.token)
curl --cacert auth/ca.crt -H "Authorization: $TOKEN" $URL/api/assisted-install/v2/clusters
AI_URL=$URL AI_TOKEN=$TOKEN aicli list host
```

For clients that cannot be given a CA, `cluster0-node0 serve --loopback-port PORT` also speaks plain HTTP on 127.0.0.1.

The body of an error is `{{"kind": "Error", "id", "code", "href", "reason", "problem"}}`, with 401 and 403
`{{"code", "message", "problem"}}`; `problem` is a stable code. Any operation may be answered 401, 403, 429 (too many
bad tokens from this address) and 503 (node0's disk is full, read-only or broken; nothing was changed).

Fields of a body that an operation does not know are ignored, as assisted-service does, and named in the header
`Warning` of the answer and in the journal.

The ISO settles what hosts are installed with. A change of that is refused with `settled-by-the-iso`; overrides of
install-config, of a host's Ignition and of coreos-installer's arguments are checked, kept and shown, and an event says
that they are no more than that.
"""


def page() -> str:
    """Markdown."""
    return "\n".join([INTRODUCTION, *_operations(), *_left_out(), *_metrics()])


def _operations() -> Iterator[str]:
    yield "## Operations\n\n| operation | | who | body | answer | refusals | |\n|---|---|---|---|---|---|---|"
    for row in OPERATIONS:
        query = f"<br>?{', '.join(row.query)}" if row.query else ""
        refusals = ", ".join(str(status) for status in statuses(row) if status not in {401, 403, 429, 503})
        yield (
            f"| `{row.operation_id}` | {row.method} `{row.path}`{query} | {', '.join(sorted(row.roles))} "
            f"| {_kind(row.body)} | {row.status} {_kind(row.reply)} | {refusals} | {row.summary} |"
        )
    yield ""


def _left_out() -> Iterator[str]:
    yield "## Left out\n\nThese are answered 501, with the reason.\n\n| operation | | why |\n|---|---|---|"
    for row in UNSUPPORTED:
        yield f"| `{row.operation_id}` | {row.method} `{row.path}` | {row.reason} |"
    yield ""


def _metrics() -> Iterator[str]:
    yield "## Metrics\n\nAt `/metrics`, made from the records when they are asked for.\n\n| | | |\n|---|---|---|"
    for family in metrics.families(Records(), is_writable=True, seconds={}):
        yield f"| `{family.name}` | {family.kind} | {family.help} |"
    yield ""


_WORDS: dict[Any, str] = {
    Nothing: "",
    File: "a file",
    Upload: "multipart/form-data, `upfile`",
    EventStream: "server-sent events",
    str: "a JSON string",
}


def _kind(kind: Any) -> str:
    if kind in _WORDS:
        return _WORDS[kind]
    if isinstance(kind, type):
        return f"`{kind.__name__}`"
    return "`" + str(kind).replace("agent.api.", "").split(".")[-1].rstrip("]") + "`, several"
