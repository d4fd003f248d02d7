"""A rule cannot misspell a field: importing it checks its paths against the models."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from pathlib import Path
from types import EllipsisType

import pytest
from pydantic import BaseModel

import inputs.load
from inputs.document.source import SECRETS, Pattern
from inputs.facts.field_path import field_path, section_path, unsupported_path
from inputs.manifests.field_mappings import FIELD_MAPPINGS, FieldMapping, InputFile
from inputs.manifests.hosts import FIELDS
from inputs.schema.agent_config import AgentConfig, Host, Interface
from inputs.schema.bond_options import NOT_IN, BondOptions
from inputs.schema.install_config import InstallConfig
from inputs.schema.network_config import IpSettings, NmstateInterface
from inputs.schema.unsupported import AGENT_CONFIG, INSTALL_CONFIG, UnsupportedField

ROOT = Path(inputs.load.__file__).parent
READERS = (*sorted((ROOT / "rules").glob("*.py")), *sorted((ROOT / "facts").glob("*.py")))
MAKERS = {"field_path", "section_path", "unsupported_path"}
MODELS: dict[InputFile, type[BaseModel]] = {InputFile.INSTALL: InstallConfig, InputFile.AGENT: AgentConfig}


def text_of(pattern: Pattern) -> str:
    return ".".join("[]" if isinstance(step, EllipsisType) else str(step) for step in pattern).replace(".[]", "[]")


def calls(tree: ast.AST) -> Iterator[ast.Call]:
    return (node for node in ast.walk(tree) if isinstance(node, ast.Call))


@pytest.mark.parametrize(
    ("model", "text"),
    [
        (InstallConfig, "networking.clusterNetworks"),
        (InstallConfig, "networking.clusterNetwork.cidr"),
        (InstallConfig, "networking.clusterNetwork[].cidr[]"),
        (InstallConfig, "sshkey"),
        (AgentConfig, "hosts[].networkConfig.interfaces[].ipv4.addr"),
        (Host, "network_config"),
    ],
)
def test_a_misspelt_path_raises(model: type[BaseModel], text: str) -> None:
    with pytest.raises(LookupError):
        field_path(model, object, text)


def test_a_wrong_kind_raises() -> None:
    with pytest.raises(TypeError, match="is a bool, not a str"):
        field_path(AgentConfig, str, "sshEnabled")
    with pytest.raises(TypeError, match="is not a NmstateInterface"):
        section_path(Host, NmstateInterface, "interfaces[]")


def test_constraints_options_and_derived_models_do_not_matter() -> None:
    assert field_path(Interface, str, "macAddress").pattern == ("macAddress",)
    assert field_path(Host, bool, "rootDeviceHints.rotational").kind is bool
    assert section_path(NmstateInterface, IpSettings, "ipv6").section is IpSettings
    assert field_path(InstallConfig, object, "kubernetes.clusterConfiguration.etcd.external").kind is object


def test_a_path_without_a_model_is_below_an_unsupported_field() -> None:
    assert unsupported_path(str, "platform.vsphere.apiVIPs[]").pattern[-1] is ...
    with pytest.raises(LookupError):
        unsupported_path(str, "platform.vshpere.apiVIPs[]")


@pytest.mark.parametrize("file", READERS, ids=lambda file: f"{file.parent.name}/{file.name}")
def test_every_path_is_made_at_import(file: Path) -> None:
    """Importing a rule thus checks all its paths, also those that no input reaches."""
    for function in ast.walk(ast.parse(file.read_text())):
        if isinstance(function, ast.FunctionDef | ast.Lambda):
            made = {call.func.id for call in calls(function) if isinstance(call.func, ast.Name)}
            assert not made & MAKERS


@pytest.mark.parametrize("file", [file for file in READERS if file.parent.name == "rules"], ids=lambda file: file.name)
def test_a_rule_finds_values_by_checked_paths_only(file: Path) -> None:
    """Rules use neither `Source.find` with plain strings nor the dict in a mapping's `value`."""
    for node in ast.walk(ast.parse(file.read_text())):
        if isinstance(node, ast.Attribute):
            below = node.value.attr if isinstance(node.value, ast.Attribute) else ""
            assert (below, node.attr) not in {("source", "find"), ("source", "find_below"), ("value", "get")}
        if isinstance(node, ast.Subscript) and isinstance(node.value, ast.Attribute):
            assert node.value.attr != "value"


def test_every_rule_is_imported() -> None:
    assert {f"inputs.rules.{file.stem}" for file in (ROOT / "rules").glob("[!_]*.py")} <= sys.modules.keys()


@pytest.mark.parametrize("mapping", FIELD_MAPPINGS, ids=lambda mapping: text_of(mapping.input_path))
def test_manifests_are_mapped_to_fields_that_exist(mapping: FieldMapping) -> None:
    field_path(MODELS[mapping.file], object, text_of(mapping.input_path))


def test_hosts_of_manifests_have_fields_that_exist() -> None:
    for field in FIELDS:
        field_path(Host, object, field)


def test_secrets_are_fields_that_exist() -> None:
    def exists(model: type[BaseModel], pattern: Pattern) -> bool:
        try:
            field_path(model, object, text_of(pattern))
        except LookupError:
            return False
        return True

    assert all(exists(InstallConfig, secret) or exists(AgentConfig, secret) for secret in SECRETS)


@pytest.mark.parametrize(("model", "rows"), [(InstallConfig, INSTALL_CONFIG), (AgentConfig, AGENT_CONFIG)])
def test_unsupported_fields_exist_when_their_value_is_checked(
    model: type[BaseModel], rows: tuple[UnsupportedField, ...]
) -> None:
    checked = [text_of(row.pattern) for row in rows if row.is_checked]
    assert [field_path(model, object, text).text for text in checked] == checked


def test_options_of_bond_modes_exist() -> None:
    assert NOT_IN.keys() <= BondOptions.model_fields.keys()
