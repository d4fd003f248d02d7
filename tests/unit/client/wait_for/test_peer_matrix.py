"""The matrix of hosts that do not reach each other, on terminals of several widths."""

from __future__ import annotations

from collections.abc import Callable

import click
import pytest

from agent.model.states import EventSeverity
from client.observe.peer_failures import PeerFailure
from client.wait_for.lines import Line, LineKind
from client.wait_for.peer_matrix import peer_matrix, render
from client.wait_for.text import text

HOSTS = ("alpha", "beta", "gamma", "delta")


def pair(host: str, peer: str, brief: str, address: str = "192.0.2.12") -> PeerFailure:
    return PeerFailure(host, peer, address, "eth0", "test", brief)


BETA_UNREACHABLE = [
    *(pair(host, "beta", "ping eth0") for host in HOSTS if host != "beta"),
    *(pair("beta", peer, "ping eth0") for peer in HOSTS if peer != "beta"),
    pair("delta", "gamma", "MTU bond0"),
    pair("delta", "gamma", "TCP 6443"),
]


def test_hosts_without_failures_have_no_row() -> None:
    matrix = peer_matrix([pair("alpha", "beta", "ping eth0"), pair("alpha", "beta", "ping eth0", "192.0.2.13")])
    assert matrix == {"alpha": {"beta": ("ping eth0",)}}
    assert render(matrix, None).splitlines() == ["FROM \\ TO  beta", "alpha      ping eth0"]


@pytest.mark.parametrize("width", [100, 40])
def test_the_matrix_of_four_hosts(width: int, golden: Callable[[str, str], None]) -> None:
    line = Line(kind=LineKind.MATRIX, severity=EventSeverity.WARNING, message="These hosts do not reach each other:",
                matrix=peer_matrix(BETA_UNREACHABLE))  # fmt: skip
    shown = click.unstyle(text(line, width))[len("12:34:56 ") :]
    assert max(map(len, shown.splitlines())) <= width
    golden(f"wait_for/matrix-{width}.txt", f"{shown}\n")


def test_the_matrix_has_no_limit_in_a_pipe() -> None:
    many = [pair("alpha", f"worker-{number:03d}", "ping eth0") for number in range(100)]
    header, row = render(peer_matrix(many), None).splitlines()
    assert (header.count("worker-"), row.count("ping eth0")) == (100, 100)
