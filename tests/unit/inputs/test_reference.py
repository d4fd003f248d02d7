"""The generated documents are current: `python -m inputs.schema.reference` writes them."""

from __future__ import annotations

import json
from pathlib import Path

import jsonschema_rs
import pytest
from pydantic import BaseModel

from inputs.document.yaml_reader import parse
from inputs.load import AGENT_CONFIG, INSTALL_CONFIG
from inputs.samples import TOPOLOGIES, write_samples
from inputs.schema.agent_config import AgentConfig
from inputs.schema.install_config import InstallConfig
from inputs.schema.reference import DIRECTORY, documents
from tests.unit.inputs.changes import changed


@pytest.mark.parametrize("name", documents())
def test_the_inputs_reference_page_is_current(name: str) -> None:
    assert (DIRECTORY / name).read_text() == documents()[name]


@pytest.mark.parametrize("topology", TOPOLOGIES)
@pytest.mark.parametrize("name", [INSTALL_CONFIG, AGENT_CONFIG])
def test_the_samples_are_valid_by_the_json_schema(name: str, topology: str, tmp_path: Path) -> None:
    write_samples(topology, tmp_path)
    schema = json.loads(documents()[f"{Path(name).stem}.schema.json"])
    document = parse((tmp_path / name).read_text()).root.plain()
    jsonschema_rs.validate(schema, document)
    with pytest.raises(jsonschema_rs.ValidationError, match="wrongField"):
        jsonschema_rs.validate(schema, changed(document, {"wrongField": 1}))


@pytest.mark.parametrize("model", [InstallConfig, AgentConfig])
def test_every_input_field_is_in_the_schema_and_on_the_page(model: type[BaseModel]) -> None:
    schema = model.model_json_schema()
    for each in (schema, *schema["$defs"].values()):
        assert each["additionalProperties"] is False
    for field in model.model_fields.values():
        assert field.alias in schema["properties"]
        assert f"| `{field.alias}` |" in documents()["inputs.md"]
