"""What msgspec cannot read is caught by msgspec's name for it.

Hosts have the msgspec of Debian, where a DecodeError is no ValueError. It is one in newer versions.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

import pytest

from tests.paths import REPOSITORY

PRODUCT = ("agent", "node0", "ignition", "inputs", "replay", "client", "cli")
READING = ("msgspec.json.decode", "msgspec.convert", "msgspec.yaml.decode")


def careless(source: str) -> Iterator[int]:
    """Lines of `try` that read with msgspec, and catch ValueError alone."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Try):
            body = " ".join(ast.unparse(statement) for statement in node.body)
            caught = " ".join(ast.unparse(handler.type) for handler in node.handlers if handler.type)
            if any(f"{name}(" in body for name in READING) and "ValueError" in caught and "msgspec." not in caught:
                yield node.lineno


@pytest.mark.parametrize("folder", PRODUCT)
def test_who_reads_with_msgspec_does_not_catch_value_errors_alone(folder: str) -> None:
    files = sorted((REPOSITORY / folder).rglob("*.py"))
    assert files
    found = [f"{file}:{line}" for file in files for line in careless(file.read_text())]
    assert found == []


def test_a_careless_try_is_found() -> None:
    text = "try:\n    msgspec.json.decode(b'', type=int)\nexcept (OSError, {}):\n    pass\n"
    assert list(careless(text.format("ValueError"))) == [1]
    assert list(careless(text.format("msgspec.DecodeError"))) == []
