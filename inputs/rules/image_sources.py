"""Image mirrors are described in one field, with one policy a registry, and containerd can use them."""

from __future__ import annotations

from collections.abc import Iterator

from inputs.document.findings import Finding
from inputs.facts.facts import Facts
from inputs.facts.field_path import field_path, section_path
from inputs.schema.install_config import ImageSource, InstallConfig
from inputs.schema.registries import path_at, repository

_DIGEST_SOURCES = field_path(InstallConfig, list, "imageDigestSources")
_CONTENT_SOURCES = field_path(InstallConfig, list, "imageContentSources")
_IMAGE_SOURCES = (
    section_path(InstallConfig, ImageSource, "imageDigestSources[]"),
    section_path(InstallConfig, ImageSource, "imageContentSources[]"),
)
_SOURCE = field_path(ImageSource, str, "source")
_MIRRORS = field_path(ImageSource, str, "mirrors[]")
_POLICY = field_path(ImageSource, str, "sourcePolicy")


def mirrors_are_given_once(facts: Facts) -> Iterator[Finding]:
    for contents in facts.install.find(_CONTENT_SOURCES):
        if contents.value and facts.install.get(_DIGEST_SOURCES, []):
            rule = "imageContentSources and imageDigestSources exclude each other."
            yield contents.error("mirrors-twice", rule, "Keep imageDigestSources.")


def registries_have_one_policy(facts: Facts) -> Iterator[Finding]:
    policies: dict[str, bool] = {}
    for path in _IMAGE_SOURCES:
        for entry in facts.install.sections(path):
            for source in entry.find(_SOURCE):
                whose, policy = repository(source.value), entry.first(_POLICY)
                is_blocked = policy is not None and policy.value == "NeverContactSource"
                if whose is not None and policies.setdefault(whose.registry, is_blocked) != is_blocked:
                    rule = (
                        f"Other repositories of {whose.registry} have another sourcePolicy; containerd has one a "
                        "registry, so it contacts the source for all of them."
                    )
                    yield (policy or source).warning("mirror-policies-differ", rule, "Write one policy for a registry.")


def mirrors_keep_the_path(facts: Facts) -> Iterator[Finding]:
    for path in _IMAGE_SOURCES:
        for entry in facts.install.sections(path):
            for source in entry.find(_SOURCE):
                for mirror in entry.find(_MIRRORS):
                    whose, where = repository(source.value), repository(mirror.value)
                    if whose is not None and where is not None and path_at(whose, where) is None:
                        rule = (
                            f"This mirror is ignored: containerd requests the source's own path, {whose.path}, from a "
                            "mirror, with a fixed prefix at most."
                        )
                        yield mirror.warning("mirror-left-out", rule, f"Mirror to {where.registry}/{whose.path}.")
