"""The matrix of hosts that cannot reach each other: as data for JSON, and as a table for the terminal."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Iterator

from agent.model.printable import printable
from client.observe.peer_failures import PeerFailure

PeerMatrix = dict[str, dict[str, tuple[str, ...]]]
"""Host → peer → the tests that fail, in brief. Hosts without failures have neither row nor column."""

_GAP = "  "


def peer_matrix(failures: Iterable[PeerFailure]) -> PeerMatrix:
    """Hosts and peers in alphabetical order; each test once."""
    matrix: PeerMatrix = {}
    for failure in sorted(failures):
        row = matrix.setdefault(failure.host, {})
        row[failure.peer] = tuple(dict.fromkeys((*row.get(failure.peer, ()), failure.brief)))
    return matrix


def render(matrix: PeerMatrix, width: int | None) -> str:
    """A table, a row for each host and a column for each peer; a list if the table is wider than `width` columns.

    `width` None: always a table. "·" means that no test failed.
    """
    matrix = {
        printable(host): {printable(peer): tuple(map(printable, tests)) for peer, tests in row.items()}
        for host, row in matrix.items()
    }
    peers = sorted({peer for row in matrix.values() for peer in row})
    rows = [("FROM \\ TO", *peers), *((host, *_cells(host, row, peers)) for host, row in matrix.items())]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    if width is not None and sum(widths) + len(_GAP) * (len(widths) - 1) > width:
        return "\n".join(textwrap.fill(line, width, subsequent_indent="    ") for line in _list_lines(matrix))
    return "\n".join(
        _GAP.join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows
    )


def _cells(host: str, row: dict[str, tuple[str, ...]], peers: Iterable[str]) -> Iterator[str]:
    for peer in peers:
        yield "" if peer == host else ", ".join(row[peer]) if peer in row else "·"


def _list_lines(matrix: PeerMatrix) -> Iterator[str]:
    """A line for each host and set of failed tests, with all peers of the host that fail these tests."""
    for host, row in matrix.items():
        for tests in dict.fromkeys(row.values()):
            peers = ", ".join(peer for peer in row if row[peer] == tests)
            yield f"{host} → {peers}: {', '.join(tests)}"
