"""The page `docs/api.md`: the operations, those that are left out, and the metrics."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from agent.api.operations import OPERATIONS, UNSUPPORTED, EventStream, File, Nothing, Upload
from node0.reconcile.budget import Budget
from node0.rest.metrics import families
from node0.rest.openapi import statuses
from node0.rest.server.auth import CARRIERS
from node0.store.records import Records

_HEADERS = ", ".join(f"`{name}`" for name in CARRIERS)

INTRODUCTION = f"""# The API of node0

node0's service has the REST API of assisted-service. Clients of assisted-service work unmodified.
`pytest --regenerate` makes this page from `agent/api/operations.py`; do not edit it.

The service listens with TLS on port 8090 of the rendezvous address, below `/api/assisted-install`.
`create image` has written its CA to `auth/ca.crt`, and a token to `auth/user.token`. The token is
for every operation with the role *user*. Clients send the token, with or without `Bearer`, in one
of the headers {_HEADERS}.

Four paths need no token: `/openapi.json` (the document with the schemas), `/health`, `/ready` and
`/metrics` (Prometheus).

```
URL=https://ADDRESS:8090 TOKEN=$(cat auth/user.token)
curl --cacert auth/ca.crt -H "Authorization: $TOKEN" $URL/api/assisted-install/v2/clusters
AI_URL=$URL AI_TOKEN=$TOKEN aicli list host
```

For clients that cannot use a private CA, `cluster0-node0 serve --loopback-port PORT` also serves
plain HTTP on 127.0.0.1.

The body of an error is `{{"kind": "Error", "id", "code", "href", "reason", "problem"}}`, and with 401
and 403 `{{"code", "message", "problem"}}`; `problem` is a stable code. Any operation may answer 401,
403, 429 (too many bad tokens from this address) and 503 (node0's disk is full, read-only or broken;
the request changed nothing).

The service ignores fields of a body that the operation does not have, as assisted-service does. The
header `Warning` of the answer and the journal name them.

The ISO fixes the configuration that is installed. The service refuses a request to change it with
`fixed-by-the-iso`. It checks, stores and shows overrides of install-config, of a host's Ignition
and of coreos-installer's arguments, but they have no effect. An event says so.
"""


def page() -> str:
    """Markdown."""
    return "\n".join([INTRODUCTION, *_operations(), *_left_out(), *_metrics()])


def _operations() -> Iterator[str]:
    yield "## Operations\n\n| operation | request | roles | body | answer | refusals | what |"
    yield "|---|---|---|---|---|---|---|"
    for row in OPERATIONS:
        query = f"<br>?{', '.join(row.query)}" if row.query else ""
        refusals = ", ".join(str(status) for status in statuses(row) if status not in {401, 403, 429, 503})
        yield (
            f"| `{row.operation_id}` | {row.method} `{row.path}`{query} | {', '.join(sorted(row.roles))} "
            f"| {_kind(row.body)} | {row.status} {_kind(row.reply)} | {refusals} | {row.summary} |"
        )
    yield ""


def _left_out() -> Iterator[str]:
    yield "## Left out\n\nThe service answers 501 to these, with the reason.\n\n| operation | | reason |\n|---|---|---|"
    for row in UNSUPPORTED:
        yield f"| `{row.operation_id}` | {row.method} `{row.path}` | {row.reason} |"
    yield ""


def _metrics() -> Iterator[str]:
    yield "## Metrics\n\nAt `/metrics`, computed from the records for each request.\n\n| | | |\n|---|---|---|"
    for family in families.families(Records(), is_writable=True, budget=Budget(), seconds={}):
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
