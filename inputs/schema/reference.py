"""Writes the reference page and the JSON Schemas of both files from the models.

`python -m inputs.schema.reference` writes them; a test compares.
"""

from __future__ import annotations

import json
import types
import typing
from collections.abc import Iterator
from pathlib import Path
from types import EllipsisType

from pydantic import BaseModel
from pydantic.fields import FieldInfo

from inputs.document.source import Pattern
from inputs.schema import unsupported
from inputs.schema.agent_config import AgentConfig
from inputs.schema.check import models_in
from inputs.schema.install_config import InstallConfig
from inputs.schema.network_config import NetworkConfig
from inputs.schema.unsupported import UnsupportedField

DIRECTORY = Path(__file__).parents[2] / "docs"
FILES: dict[str, tuple[type[BaseModel], tuple[UnsupportedField, ...]]] = {
    "install-config": (InstallConfig, unsupported.INSTALL_CONFIG),
    "agent-config": (AgentConfig, unsupported.AGENT_CONFIG),
}

_HEAD = """\
# Reference of the inputs

The two input files: `install-config.yaml` describes the cluster, `agent-config.yaml` its hosts.
`cluster0 create config` writes samples, and `cluster0 validate` reports every error in them. For
editors, `install-config.schema.json` and `agent-config.schema.json` are next to this page.
`python -m inputs.schema.reference` writes this page from the models; do not edit it.

`networkConfig` has a page of its own: [network-config.md](network-config.md). Every host runs the
programs in `checks/` before the install: [how to write one](validations.md#the-users-own).

cluster0 uses a field, ignores it with a warning, or rejects it. A list has at most 1000 elements.
"""


def documents() -> dict[str, str]:
    """Name of each generated file in `DIRECTORY` → its content."""
    schemas = {f"{name}.schema.json": _schema(model) for name, (model, _) in FILES.items()}
    return {"inputs.md": _page(), **schemas}


def _schema(model: type[BaseModel]) -> str:
    return json.dumps(model.model_json_schema(), indent=1) + "\n"


def _page() -> str:
    parts = [_HEAD]
    for name, (model, rows) in FILES.items():
        parts.append(f"\n## {name}.yaml\n\n| field | type | default | what |\n|---|---|---|---|\n")
        parts += [f"{row}\n" for row in _rows(model, "")]
        parts.append("\nUnsupported:\n\n| field | result |\n|---|---|\n")
        parts += [f"| `{_dotted(row.pattern)}` | {row.handling}: {row.rule} |\n" for row in rows]
    return "".join(parts)


def _rows(model: type[BaseModel], prefix: str) -> Iterator[str]:
    for field in model.model_fields.values():
        path = f"{prefix}{field.alias}"
        below = next(models_in(field.annotation), None)
        yield f"| `{path}` | {_kind(field.annotation)} | {_default(field)} | {field.description or ''} |"
        if below is not None and below is not NetworkConfig:
            yield from _rows(below, f"{path}{'[]' if 'tuple' in str(field.annotation) else ''}.")


def _kind(annotation: object) -> str:
    """The type in words, for the page."""
    origin = typing.get_origin(annotation)
    if origin is typing.Literal:
        return " \\| ".join(f"`{value}`" for value in typing.get_args(annotation) if value)
    if origin is tuple:
        return f"list of {_kind(typing.get_args(annotation)[0])}"
    if origin is types.UnionType:
        return _kind(typing.get_args(annotation)[0])
    names: dict[object, str] = {str: "text", int: "number", bool: "true, false"}
    if annotation in names:
        return names[annotation]
    inner = typing.get_args(annotation)
    return _kind(inner[0]) if origin is typing.Annotated else "mapping"


def _default(field: FieldInfo) -> str:
    if field.is_required():
        return "required"
    default = field.get_default(call_default_factory=True)
    if isinstance(default, BaseModel) or default in ("", (), None, {}):
        return ""
    if isinstance(default, tuple):
        default = [item.model_dump(by_alias=True) if isinstance(item, BaseModel) else item for item in default]
    return f"`{json.dumps(default)}`"


def _dotted(pattern: Pattern) -> str:
    return ".".join(str(step) for step in pattern if not isinstance(step, EllipsisType))


def main() -> None:
    for name, content in documents().items():
        (DIRECTORY / name).write_text(content)


if __name__ == "__main__":
    main()
