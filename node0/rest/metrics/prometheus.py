"""Prometheus' text format, version 0.0.4. Source: prometheus.io/docs/instrumenting/exposition_formats."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

# Upper bounds in seconds, from a request to a stage of an install.
BOUNDS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 60.0, 300.0, 900.0, 3600.0, float("inf"))


@dataclass
class Histogram:
    """The sum of the values, and how many fall between each bound and the one before it."""

    counts: Counter[float] = field(default_factory=Counter)
    sum: float = 0.0

    def observe(self, value: float) -> None:
        self.sum += value
        self.counts[next(bound for bound in BOUNDS if value <= bound)] += 1


@dataclass(frozen=True)
class Sample:
    labels: Mapping[str, str]
    value: float | Histogram


@dataclass(frozen=True)
class Family:
    """`kind`: gauge, counter or histogram."""

    name: str
    kind: str
    help: str
    samples: tuple[Sample, ...]


def render(families: Iterable[Family]) -> str:
    return "".join(f"{line}\n" for family in families for line in _lines(family))


def _lines(family: Family) -> Iterator[str]:
    yield f"# HELP {family.name} {family.help}"
    yield f"# TYPE {family.name} {family.kind}"
    for sample in family.samples:
        if isinstance(sample.value, Histogram):
            yield from _histogram(family.name, sample.labels, sample.value)
        else:
            yield f"{family.name}{_labels(sample.labels)} {float(sample.value):g}"


def _histogram(name: str, labels: Mapping[str, str], histogram: Histogram) -> Iterator[str]:
    total = 0
    for bound in BOUNDS:
        total += histogram.counts[bound]
        upper = "+Inf" if bound == float("inf") else f"{bound:g}"
        yield f"{name}_bucket{_labels({**labels, 'le': upper})} {total}"
    yield f"{name}_sum{_labels(labels)} {histogram.sum:g}"
    yield f"{name}_count{_labels(labels)} {total}"


def _labels(labels: Mapping[str, str]) -> str:
    if not labels:
        return ""
    return "{" + ",".join(f'{name}="{_escaped(value)}"' for name, value in labels.items()) + "}"


def _escaped(value: str) -> str:
    return value.replace("\\", "\\\\").replace("\n", "\\n").replace('"', '\\"')
