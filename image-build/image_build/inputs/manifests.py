"""Files of further manifests beside the inputs.

Nothing applies them yet, so they are refused: nobody is to believe that they were.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from image_build.inputs.findings import Finding

DIRECTORIES = ("manifests", "openshift", "cluster-manifests", "mirror")
"""Ours, and those the agent-based installer reads."""


def manifests(directory: Path) -> Iterator[Finding]:
    for name in DIRECTORIES:
        for path in sorted((directory / name).glob("*")):
            yield Finding(
                file=str(path), line=1, column=1, path="", value="", code="not-supported-yet",
                rule=f"Not supported yet: files in {name}/.",
                remedy="Move it elsewhere; apply manifests with kubectl once the cluster is installed.",
            )  # fmt: skip
