"""The table of operations as a whole: all of assisted-service's are in it, each once."""

from __future__ import annotations

from collections import Counter
from typing import Any

from agent.api.routes import LEFT_OUT, ROUTES, LeftOut, Route

# assisted-service's v2 REST API at 063b257950f7.
UPSTREAM_OPERATIONS = 81

ROWS: tuple[Route[Any, Any] | LeftOut, ...] = (*ROUTES, *LEFT_OUT)


def test_every_operation_of_upstream_is_served_or_left_out_with_a_reason() -> None:
    ours = {row.operation for row in ROWS if not row.operation.startswith("c0")}
    assert len(ours) == UPSTREAM_OPERATIONS
    assert all(row.reason.endswith(".") for row in LEFT_OUT)


def test_no_operation_and_no_path_is_there_twice() -> None:
    assert set(Counter(row.operation for row in ROWS).values()) == {1}
    assert set(Counter((row.method, row.path) for row in ROWS).values()) == {1}


def test_our_additions_say_so() -> None:
    assert all("our addition" in row.summary for row in ROUTES if row.operation.startswith("c0"))
