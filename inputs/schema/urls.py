"""The field type for HTTP URLs."""

from __future__ import annotations

from typing import Annotated
from urllib.parse import urlsplit

from pydantic import AfterValidator

from inputs.schema.values import invalid_value

_SCHEMES = ("http", "https")


def _url(value: str) -> str:
    remedy = "Write a whole URL, like http://192.0.2.1:8080/path."
    try:
        parts = urlsplit(value)
        parts.port  # noqa: B018 - reading it is the check
    except ValueError as error:
        raise invalid_value("url-invalid", f"Not a URL: {error}.", remedy) from None
    if parts.scheme not in _SCHEMES:
        raise invalid_value("url-invalid", "The URL must begin with http:// or https://.", remedy)
    if not parts.hostname or any(character.isspace() for character in value):
        raise invalid_value("url-invalid", "The URL has no host, or contains white space.", remedy)
    return value


Url = Annotated[str, AfterValidator(_url)]
