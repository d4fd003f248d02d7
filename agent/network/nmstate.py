"""A document in NMState, for a change of the live network; keys that libnmstate would ignore are refused."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import yaml

from agent.machine import libnmstate
from agent.model.problems import Problem

FREE = (("link-aggregation", "options"), ("ethtool", "feature"))
"""Where keys are the kernel's names; NetworkManager and the verification check them."""


class _Loader(yaml.SafeLoader):
    """Takes a MAC address of digits only for text, and not for a number in base 60 as YAML 1.1 does."""


_Loader.yaml_implicit_resolvers = {
    first: [(tag, pattern) for tag, pattern in resolvers if not tag.endswith((":int", ":float"))]
    for first, resolvers in yaml.SafeLoader.yaml_implicit_resolvers.items()
}
_Loader.add_implicit_resolver("tag:yaml.org,2002:int", re.compile(r"-?(0|[1-9][0-9]*)$"), list("-0123456789"))


def read(path: Path) -> dict[str, Any]:
    """Raises Problem `network-document-invalid`."""
    try:
        document = yaml.load(path.read_text(), Loader=_Loader)
    except (OSError, UnicodeDecodeError, yaml.YAMLError) as error:
        raise _invalid(path, str(error)) from error
    if not isinstance(document, dict):
        raise _invalid(path, "It is no mapping of interfaces, routes, route-rules or dns-resolver.")
    unknown = list(_unknown_keys(document, libnmstate.words()))
    if unknown:
        raise _invalid(path, f"libnmstate does not know {', '.join(unknown)}.")
    return document


def _unknown_keys(node: object, known: frozenset[str], path: tuple[str, ...] = ()) -> Iterator[str]:
    if isinstance(node, Mapping) and path[-2:] not in FREE:
        for key, value in node.items():
            if key in known:
                yield from _unknown_keys(value, known, (*path, key))
            else:
                yield ".".join((*path, str(key)))
    elif isinstance(node, list):
        for item in node:
            yield from _unknown_keys(item, known, path)


def _invalid(path: Path, why: str) -> Problem:
    return Problem(
        code="network-document-invalid",
        title=f"{path} is not a document in NMState.",
        detail=why,
        remedy="`cluster0-agent network-show` prints one.",
    )
