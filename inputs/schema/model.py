"""The base class of all models of the input files."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict
from pydantic.alias_generators import to_camel


class InputModel(BaseModel):
    """Strict, frozen, no unknown field; aliases are the names in the files, in camelCase."""

    model_config = ConfigDict(strict=True, frozen=True, extra="forbid", alias_generator=to_camel)
