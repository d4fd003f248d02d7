"""Checks a file against its model: pydantic's errors as findings, at their position in the file."""

from __future__ import annotations

import difflib
import typing
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cache
from typing import Generic, TypeVar

import msgspec
from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from inputs.document.findings import Finding
from inputs.document.source import Path, Place, Source, rendered
from inputs.schema.unsupported import UnsupportedField

Model = TypeVar("Model", bound=BaseModel)

MOST_SHOWN = 1000
"""Findings of one file; with more, it is probably the wrong file."""

# pydantic's error type → what the value should have been; its `ctx` fills the braces.
_EXPECTED = {
    "string_type": ("Text is expected here.", "Write a word; put a number into quotes if it is meant as text."),
    "int_type": ("A whole number is expected here.", "Write digits without quotes."),
    "bool_type": ("true or false is expected here.", "Write true or false without quotes."),
    "tuple_type": ("A list is expected here.", "Begin every element with '- '."),
    "model_type": ("A mapping is expected here.", "Write `key: value` lines, indented."),
    "model_attributes_type": ("A mapping is expected here.", "Write `key: value` lines, indented."),
    "literal_error": ("Allowed here: {expected}.", "Write one of them."),
    "greater_than_equal": ("The number is too small: at least {ge}.", "Write {ge} or more."),
    "less_than_equal": ("The number is too large: at most {le}.", "Write {le} or less."),
    "too_short": ("Too few elements: at least {min_length}.", "Add what is missing."),
    "too_long": ("Too many elements: at most {max_length}.", "Remove what is too much."),
    "string_too_short": ("The text must not be empty.", "Write something, or leave the field out."),
}


@dataclass(frozen=True)
class Checked(Generic[Model]):
    """`model` is None if there are errors; `source.invalid` then has their paths."""

    source: Source
    model: Model | None
    findings: tuple[Finding, ...]


def check(source: Source, model: type[Model], unsupported: Iterable[UnsupportedField] = ()) -> Checked[Model]:
    """Checks the whole file. Unsupported fields are not part of the model; each has a finding of its own."""
    unsupported = tuple(unsupported)
    findings = unsupported_findings(source, unsupported)
    document = source.root.plain()
    for place, row in _present(source, unsupported):
        if not row.is_checked:
            _remove(document, place.path)
    try:
        checked = model.model_validate_json(msgspec.json.encode(document))
    except ValidationError as failed:
        errors = _meant(failed.errors(include_url=False, include_input=False))
        findings += [_finding(source, model, error) for error in errors[:MOST_SHOWN]]
        if len(errors) > MOST_SHOWN:
            findings.append(_further(source, len(errors) - MOST_SHOWN))
        invalid = frozenset(_meant_path(source, model, error) for error in errors)
        return Checked(replace(source, invalid=invalid), None, tuple(findings))
    return Checked(source, checked, tuple(findings))


def unsupported_findings(source: Source, unsupported: Iterable[UnsupportedField]) -> list[Finding]:
    """A finding for each unsupported field that is there."""
    return [source.finding(place.path, row.handling, row.rule, row.remedy, severity=row.severity, at_key=True)
            for place, row in _present(source, unsupported) if place.value not in row.harmless_values]  # fmt: skip


def _present(source: Source, rows: Iterable[UnsupportedField]) -> list[tuple[Place[object], UnsupportedField]]:
    return [(place, row) for row in rows for place in source.find(object, *row.pattern)]


def _further(source: Source, count: int) -> Finding:
    rule = f"{count} further values are wrong."
    return source.finding((), "too-many-findings", rule, "Correct those that are shown first.")


def _meant(errors: list[ErrorDetails]) -> list[ErrorDetails]:
    """Without "too few elements" where elements are invalid: pydantic counts valid ones only."""
    places = {error["loc"][:length] for error in errors for length in range(len(error["loc"]))}
    return [error for error in errors if error["type"] != "too_short" or error["loc"] not in places]


def _remove(document: object, path: Path) -> None:
    for step in path[:-1]:
        document = document[step]  # type: ignore[index]  # the path was found in this very document
    assert isinstance(document, dict)
    del document[path[-1]]


def _meant_path(source: Source, model: type[BaseModel], error: ErrorDetails) -> Path:
    """For an unknown key, the path of the most similar known key, unless the file has that too."""
    path: Path = error["loc"]
    if error["type"] == "extra_forbidden":
        for meant in _most_like(str(path[-1]), tuple(_known_fields(model, path[:-1]))):
            if not any(True for _ in source.find(object, *path[:-1], meant)):
                return (*path[:-1], meant)
    return path


def _finding(source: Source, model: type[BaseModel], error: ErrorDetails) -> Finding:
    path, kind, context = error["loc"], error["type"], error.get("ctx", {})
    if kind == "extra_forbidden":
        known = _known_fields(model, path[:-1])
        return source.finding(path, "unknown-field", *unknown_field(str(path[-1]), known), at_key=True)
    if kind == "missing":
        place = origin.path if (origin := source.origin(path)) else path
        remedy = f"Add it below {rendered(place[:-1]) or 'the top level'}."
        return source.finding(path, "field-missing", f"`{place[-1]}` is missing.", remedy)
    if "remedy" in context:
        return source.finding(path, kind, context["rule"], context["remedy"])
    if kind in _EXPECTED:
        rule, remedy = (words.format(**context) for words in _EXPECTED[kind])
        return source.finding(path, "value-invalid", rule, remedy)
    return source.finding(path, "value-invalid", f"{error['msg']}.", "Correct the value.")


def unknown_field(field: str, known: Collection[str]) -> tuple[str, str]:
    """Rule and remedy, with the most similar known name."""
    rule = f"There is no field `{field}` here."
    if not known:
        return rule, "Remove it: this mapping has no fields."
    close = _most_like(field, tuple(known))
    guess = f"Did you mean `{close[0]}`? " if close else ""
    return rule, f"{guess}Known here: {', '.join(sorted(known))}."


@cache
def _most_like(field: str, known: tuple[str, ...]) -> list[str]:
    """One name, or none. Cached: hosts made from a template all have the same mistake."""
    return difflib.get_close_matches(field, known, n=1)


def _known_fields(model: type[BaseModel], path: Path) -> list[str]:
    """The field names of the model at `path` below `model`."""
    for step in path:
        if isinstance(step, str):
            annotation = next(f.annotation for f in model.model_fields.values() if f.alias == step)
            model = next(models_in(annotation))
    return [field.alias or "" for field in model.model_fields.values()]


def models_in(annotation: object) -> Iterator[type[BaseModel]]:
    """The models in a field's annotation, also inside tuples and optional fields."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        yield annotation
    for argument in typing.get_args(annotation):
        yield from models_in(argument)
