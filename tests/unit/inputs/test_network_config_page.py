"""`docs/network-config.md` describes every field of `networkConfig`, and no other."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import yaml
from pydantic import BaseModel

from inputs.schema.check import models_in
from inputs.schema.network_config import NetworkConfig, NmstateInterface
from tests.fakes.inputs.conformance_networks import load_network
from tests.paths import REPOSITORY

PAGE = REPOSITORY / "docs/network-config.md"


def fields(model: type[BaseModel], prefix: str = "") -> Iterator[str]:
    for field in model.model_fields.values():
        path = f"{prefix}{field.alias}"
        is_list = "tuple" in str(field.annotation)
        below = next(models_in(field.annotation), None)
        if below is None:
            yield path
        else:
            yield from fields(below, f"{path}{'[]' if is_list else ''}.")


def test_the_network_page_describes_every_field_once() -> None:
    described = re.findall(r"^\| `([^`]+)` \|", PAGE.read_text(), re.MULTILINE)
    known = [path for path in fields(NetworkConfig) if not path.startswith("interfaces[]")]
    assert sorted(described) == sorted([*known, *fields(NmstateInterface)])


def test_the_example_of_the_network_page_is_accepted(tmp_path: Path) -> None:
    (example,) = re.findall(r"^```yaml\n(.*?)^```", PAGE.read_text(), re.MULTILINE | re.DOTALL)
    assert yaml.safe_load(example)
    assert load_network(tmp_path, example).findings == ()
