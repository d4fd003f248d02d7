"""Image repositories and their mirrors, for the fields of install-config.yaml and for `mirror/registries.conf`."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Annotated

from pydantic import AfterValidator

from inputs.schema.values import invalid_value

# The grammar of https://github.com/distribution/reference, without tag and digest, the registry written out.
_HOST = r"(?:[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?(?:\.[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?)*|\[[0-9A-Fa-f:]+\])"
_COMPONENT = r"[a-z0-9]+(?:(?:\.|_|__|-+)[a-z0-9]+)*"
_REPOSITORY = re.compile(rf"(?P<registry>{_HOST}(?::[0-9]{{1,5}})?)(?:/(?P<path>{_COMPONENT}(?:/{_COMPONENT})*))?")


@dataclass(frozen=True)
class Repository:
    """`registry`: HOST or HOST:PORT. `path`: without leading and trailing slashes; empty for the whole registry."""

    registry: str
    path: str

    def __str__(self) -> str:
        return f"{self.registry}/{self.path}" if self.path else self.registry


@dataclass(frozen=True)
class Mirror:
    """`is_insecure`: TLS without verification, or plain HTTP. `by_digest_only`: not for pulls by tag."""

    repository: Repository
    is_insecure: bool = False
    by_digest_only: bool = False


@dataclass(frozen=True)
class MirroredSource:
    """`is_blocked`: images are never pulled from the source itself."""

    source: Repository
    mirrors: tuple[Mirror, ...]
    is_blocked: bool = False


def repository(text: str) -> Repository | None:
    """None: not a repository, or one without a registry (`team/app`)."""
    found = _REPOSITORY.fullmatch(text)
    if not found or not (re.search(r"[.:]", found["registry"]) or found["registry"] == "localhost"):
        return None
    return Repository(found["registry"], found["path"] or "")


def path_at(source: Repository, mirror: Repository) -> str | None:
    """The prefix of the source's path at the mirror; None if the mirror has the images under another path.

    containerd requests the source's own path from a mirror, with a fixed prefix at most.
    """
    if mirror.path == source.path:
        return ""
    if not source.path:
        return mirror.path
    return mirror.path.removesuffix(f"/{source.path}") if mirror.path.endswith(f"/{source.path}") else None


def _repository_name(value: str) -> str:
    if repository(value) is None:
        rule = "Not a repository: HOST[:PORT][/path], without a tag, a digest or a scheme."
        raise invalid_value("repository-invalid", rule, "Write one like registry.example.com:5000/team.")
    return value


RepositoryName = Annotated[str, AfterValidator(_repository_name)]
