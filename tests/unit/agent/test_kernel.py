"""Values of the kernel of the machine that runs the tests."""

from __future__ import annotations

import pytest

from agent.machine import Kernel


@pytest.mark.parametrize(
    ("address", "is_here"), [("127.0.0.1", True), ("::1", True), ("192.0.2.200", False), ("2001:db8::1", False)]
)
def test_an_address_is_looked_up_in_the_kernel(address: str, is_here: bool) -> None:
    assert Kernel().has_address(address) is is_here
