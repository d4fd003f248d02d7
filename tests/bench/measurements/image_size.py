"""The sizes of the ISOs."""

from __future__ import annotations

from collections.abc import Iterator

from tests.bench.figures import Figure, Samples
from tests.bench.sites import SNO, Bench

BASE_ISO = Figure(
    id="base-iso",
    title="base ISO",
    unit="MB",
    goal=450,
    what="The size of what `cluster0 image build` writes with its defaults. The command shows what the ISO holds.",
)
MINIMAL_ISO = Figure(
    id="minimal-iso",
    title="minimal ISO",
    unit="MB",
    what="The size of what `create image --minimal` writes: the hosts fetch the root image by HTTP.",
)
FIGURES = (BASE_ISO, MINIMAL_ISO)


def take(bench: Bench) -> Iterator[Samples]:
    with bench.site(SNO) as site:
        minimal_iso = bench.image(site, "--minimal", "--base-url", "http://192.0.2.1/")
        for figure, path in ((BASE_ISO, bench.base_iso), (MINIMAL_ISO, minimal_iso)):
            yield figure.fixed([path.stat().st_size / 1e6])
