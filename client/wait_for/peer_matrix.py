"""Hosts × hosts: which host does not reach which. As data for JSON, and as a table for people."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Iterator

from client.observe.peer_failures import PeerFailure

PeerMatrix = dict[str, dict[str, tuple[str, ...]]]
"""Host → peer → the tests that fail, in brief. Hosts without failures have neither row nor column."""

_GAP = "  "


def peer_matrix(failures: Iterable[PeerFailure]) -> PeerMatrix:
    matrix: PeerMatrix = {}
    for failure in sorted(failures):
        row = matrix.setdefault(failure.host, {})
        row[failure.peer] = tuple(dict.fromkeys((*row.get(failure.peer, ()), failure.brief)))
    return matrix


def render(matrix: PeerMatrix, width: int | None) -> str:
    """A table, or a list where that is wider than `width` columns; None: there is no limit."""
    peers = sorted({peer for row in matrix.values() for peer in row})
    table = [("FROM \\ TO", *peers), *((host, *_cells(host, row, peers)) for host, row in matrix.items())]
    widths = [max(map(len, column)) for column in zip(*table, strict=True)]
    if width is not None and sum(widths) + len(_GAP) * (len(widths) - 1) > width:
        return "\n".join(textwrap.fill(line, width, subsequent_indent="    ") for line in _listed(matrix))
    return "\n".join(
        _GAP.join(cell.ljust(room) for cell, room in zip(row, widths, strict=True)).rstrip() for row in table
    )


def _cells(host: str, row: dict[str, tuple[str, ...]], peers: Iterable[str]) -> Iterator[str]:
    for peer in peers:
        yield "" if peer == host else ", ".join(row[peer]) if peer in row else "·"


def _listed(matrix: PeerMatrix) -> Iterator[str]:
    """One line for all peers of a host with the same failures."""
    for host, row in matrix.items():
        for tests in dict.fromkeys(row.values()):
            peers = ", ".join(peer for peer in row if row[peer] == tests)
            yield f"{host} → {peers}: {', '.join(tests)}"
