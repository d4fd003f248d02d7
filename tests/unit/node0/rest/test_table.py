"""The table of operations has every operation of assisted-service, each once."""

from __future__ import annotations

from collections import Counter
from typing import Any

from agent.api.operations import OPERATIONS, UNSUPPORTED, Operation, UnsupportedOperation

# assisted-service's v2 REST API at 063b257950f7.
UPSTREAM_OPERATIONS = 81

ROWS: tuple[Operation[Any, Any] | UnsupportedOperation, ...] = (*OPERATIONS, *UNSUPPORTED)


def test_every_operation_of_upstream_is_served_or_left_out_with_a_reason() -> None:
    ours = {row.operation_id for row in ROWS if not row.operation_id.startswith("c0")}
    assert len(ours) == UPSTREAM_OPERATIONS
    assert all(row.reason.endswith(".") for row in UNSUPPORTED)


def test_no_operation_and_no_path_is_there_twice() -> None:
    assert set(Counter(row.operation_id for row in ROWS).values()) == {1}
    assert set(Counter((row.method, row.path) for row in ROWS).values()) == {1}


def test_operations_that_are_no_upstreams_are_marked() -> None:
    assert all("our addition" in row.summary for row in OPERATIONS if row.operation_id.startswith("c0"))
