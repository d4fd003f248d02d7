"""The generated documents are current: `python -m image_build.inputs.reference` writes them."""

from __future__ import annotations

import json

import pytest

from image_build.inputs.reference import DIRECTORY, documents


@pytest.mark.parametrize("name", documents())
def test_it_is_current(name: str) -> None:
    assert (DIRECTORY / name).read_text() == documents()[name]


def test_every_field_of_the_models_is_in_the_schema() -> None:
    schema = json.loads(documents()["agent-config.schema.json"])
    assert schema["properties"]["rendezvousIP"]["description"]
    assert schema["additionalProperties"] is False
