"""Paths into the input files. Each is checked against the models when it is made, so none can be misspelt.

Rules make their paths when they are imported (a test checks that), and `Fields` takes no plain strings.
"""

from __future__ import annotations

import types
import typing
from dataclasses import dataclass
from types import EllipsisType
from typing import Any, Generic, TypeVar

from pydantic import BaseModel

from inputs.document.source import Kind, Pattern
from inputs.schema.install_config import InstallConfig
from inputs.schema.unsupported import INSTALL_CONFIG

Model = TypeVar("Model", bound=BaseModel)
Section = TypeVar("Section", bound=BaseModel)


@dataclass(frozen=True)
class ModelPath(Generic[Model]):
    """A path below a mapping that `Model` describes. `text`: as the documents write it, `hosts[].hostname`."""

    text: str
    pattern: Pattern


@dataclass(frozen=True)
class FieldPath(ModelPath[Model], Generic[Model, Kind]):
    """`kind`: of the plain YAML value; `object` where several are valid."""

    kind: type[Kind]


@dataclass(frozen=True)
class SectionPath(ModelPath[Model], Generic[Model, Section]):
    """Leads to mappings that `Section` describes."""

    section: type[Section]


def field_path(model: type[Model], kind: type[Kind], text: str) -> FieldPath[Model, Kind]:
    """The field at `text`: names as the file spells them, `[]` for each element of a list.

    Below a free mapping (`clusterConfiguration`) any name is valid.
    LookupError: the model has no such field. TypeError: its value is not a `kind`.
    """
    pattern = _pattern(text)
    found = _kind_of(_annotation(model, pattern))
    if kind is not object and found not in (object, kind):
        raise TypeError(f"{model.__name__}.{text} is a {found.__name__}, not a {kind.__name__}")
    return FieldPath(text, pattern, kind)


def unsupported_path(kind: type[Kind], text: str) -> FieldPath[InstallConfig, Kind]:
    """A path below a field of install-config.yaml that `schema.unsupported` lists, such as `platform.vsphere`. What is
    below it has no model. LookupError: the path does not begin with such a field."""
    pattern = _pattern(text)
    if not any(row.pattern == pattern[: len(row.pattern)] for row in INSTALL_CONFIG if not row.is_checked):
        raise LookupError(f"{text} is not below an unsupported field")
    return FieldPath(text, pattern, kind)


def section_path(model: type[Model], section: type[Section], text: str) -> SectionPath[Model, Section]:
    """As `field_path`, to mappings whose model is `section` or derived from it."""
    pattern = _pattern(text)
    found = _bare(_annotation(model, pattern))
    if not (_is_model(found) and issubclass(found, section)):
        raise TypeError(f"{model.__name__}.{text} is not a {section.__name__}")
    return SectionPath(text, pattern, section)


def _pattern(text: str) -> Pattern:
    steps: list[str | EllipsisType] = []
    for part in text.split("."):
        name = part.removesuffix("[]")
        steps += [name] if name == part else [name, ...]
    return tuple(steps)


def _annotation(model: type[BaseModel], pattern: Pattern) -> Any:
    annotation: Any = model
    for step in pattern:
        annotation = _below(_bare(annotation), step)
    return annotation


def _below(annotation: Any, step: object) -> Any:
    """What an element (`...`) or a field of `annotation` is. LookupError: it has none."""
    if annotation is Any:
        return Any
    origin, arguments = typing.get_origin(annotation), typing.get_args(annotation)
    if step is ... and origin is tuple:
        return arguments[0]
    if isinstance(step, str) and origin is dict:
        return arguments[1]
    if isinstance(step, str) and _is_model(annotation):
        for field in annotation.model_fields.values():
            if field.alias == step:
                return field.annotation
    raise LookupError(f"{annotation} has no {'elements' if step is ... else f'field {step!r}'}")


def _bare(annotation: Any) -> Any:
    """The annotation without constraints, and without the None of an optional field."""
    origin = typing.get_origin(annotation)
    if origin is typing.Annotated:
        return _bare(typing.get_args(annotation)[0])
    if origin in (types.UnionType, typing.Union):
        (inner,) = (each for each in typing.get_args(annotation) if each is not type(None))
        return _bare(inner)
    return annotation


def _kind_of(annotation: Any) -> type:
    annotation = _bare(annotation)
    if annotation is Any:
        return object
    origin = typing.get_origin(annotation)
    if origin is typing.Literal:
        return type(typing.get_args(annotation)[0])
    if origin is dict or _is_model(annotation):
        return dict
    return list if origin is tuple else typing.cast("type", annotation)


def _is_model(annotation: Any) -> bool:
    return isinstance(annotation, type) and issubclass(annotation, BaseModel)
