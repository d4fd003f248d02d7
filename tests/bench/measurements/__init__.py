"""The measurements. Each is a module with `FIGURES`, which it takes together, and `take`."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from typing import NamedTuple

from agent.model.problems import Problem
from tests.bench.figures import Figure, Samples
from tests.bench.measurements import (
    boot,
    clusters,
    create_image,
    image_size,
    install,
    inventories,
    many_hosts,
    registration,
    service,
)
from tests.bench.sites import Bench


class Measurement(NamedTuple):
    """`take` yields the samples of each of `figures`."""

    figures: tuple[Figure, ...]
    take: Callable[[Bench], Iterator[Samples]]


# Quick ones first: what a run has published stays when a later measurement fails.
MEASUREMENTS = (
    Measurement(image_size.FIGURES, image_size.take),
    Measurement(create_image.FIGURES, create_image.take),
    Measurement(many_hosts.FIGURES, many_hosts.take),
    Measurement(registration.FIGURES, registration.take),
    Measurement(service.FIGURES, service.take),
    Measurement(inventories.FIGURES, inventories.take),
    Measurement(boot.FIGURES, boot.take),
    Measurement(install.FIGURES, install.take),
    Measurement(clusters.FIGURES, clusters.take),
)
FIGURES = tuple(figure for measurement in MEASUREMENTS for figure in measurement.figures)


def chosen(ids: Collection[str], measurements: Sequence[Measurement] = MEASUREMENTS) -> list[Measurement]:
    """The measurements that take the figures `ids`; all of them without ids. Raises `Problem` (`no-such-figure`)."""
    known = [figure.id for measurement in measurements for figure in measurement.figures]
    unknown = sorted(set(ids) - set(known))
    if unknown:
        raise Problem(
            code="no-such-figure", title=f"the bench has no figure {', '.join(unknown)}",
            remedy=f"Its figures are: {', '.join(known)}.",
        )  # fmt: skip
    return [one for one in measurements if not ids or any(figure.id in ids for figure in one.figures)]
