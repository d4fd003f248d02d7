"""Are mirrors described in one way, and in one that containerd can follow?"""

from __future__ import annotations

from collections.abc import Iterator

from inputs.document.findings import Finding
from inputs.rules.facts import Facts
from inputs.schema.registries import path_at, repository

_FIELDS = ("imageDigestSources", "imageContentSources")


def mirrors_are_given_once(facts: Facts) -> Iterator[Finding]:
    digests = next(facts.install.find(list, "imageDigestSources"), None)
    for contents in facts.install.find(list, "imageContentSources"):
        if contents.value and digests and digests.value:
            rule = "imageContentSources and imageDigestSources exclude each other."
            yield contents.error("mirrors-twice", rule, "Keep imageDigestSources.")


def registries_have_one_policy(facts: Facts) -> Iterator[Finding]:
    policies: dict[str, bool] = {}
    for field in _FIELDS:
        for source in facts.install.find(str, field, ..., "source"):
            whose = repository(source.value)
            given = next(facts.install.find(str, *source.path[:-1], "sourcePolicy"), None)
            is_blocked = given is not None and given.value == "NeverContactSource"
            if whose is not None and policies.setdefault(whose.registry, is_blocked) != is_blocked:
                rule = (
                    f"Other repositories of {whose.registry} have another sourcePolicy, so it is asked for all of them."
                )
                yield (given or source).warning("mirror-policies-differ", rule, "Write one policy for a registry.")


def mirrors_keep_the_path(facts: Facts) -> Iterator[Finding]:
    for field in _FIELDS:
        for source in facts.install.find(str, field, ..., "source"):
            for mirror in facts.install.find(str, *source.path[:-1], "mirrors", ...):
                whose, where = repository(source.value), repository(mirror.value)
                if whose is not None and where is not None and path_at(whose, where) is None:
                    rule = (
                        f"This mirror is left out: containerd asks a mirror for the source's own path, {whose.path}, "
                        "below a fixed beginning at most."
                    )
                    yield mirror.warning("mirror-left-out", rule, f"Mirror to {where.registry}/{whose.path}.")
