"""containerd's `hosts.toml` for every registry that has a mirror.

Format: https://github.com/containerd/containerd/blob/main/docs/hosts.md. containerd tries the hosts in order and
the registry itself last. It supports mirrors of registries, not of repositories, and keeps the path of an image.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from inputs.schema.install_config import InstallConfig
from inputs.schema.registries import Mirror, MirroredSource, path_at, repository

CERTS_D = "/etc/containerd/certs.d"

_NEVER = "NeverContactSource"
# Docker's registry answers at another name than its images have.
_SERVERS = {"docker.io": "registry-1.docker.io"}


@dataclass(frozen=True)
class _Host:
    """One `[host]` section. `has_path`: the URL is complete; containerd appends only the image's path."""

    url: str
    has_path: bool
    skips_verify: bool
    resolves: bool

    @property
    def settings(self) -> Iterator[str]:
        yield 'capabilities = ["pull", "resolve"]' if self.resolves else 'capabilities = ["pull"]'
        if self.has_path:
            yield "override_path = true"
        if self.skips_verify:
            yield "skip_verify = true"


def mirrored_sources(install: InstallConfig) -> tuple[MirroredSource, ...]:
    """The mirrors in install-config.yaml."""
    return tuple(_mirrored_sources(install))


def _mirrored_sources(install: InstallConfig) -> Iterator[MirroredSource]:
    for given in (*install.image_digest_sources, *install.image_content_sources):
        source = repository(given.source)
        found = [repository(mirror) for mirror in given.mirrors]
        if source is not None:
            mirrors = tuple(Mirror(mirror) for mirror in found if mirror and path_at(source, mirror) is not None)
            yield MirroredSource(source, mirrors, is_blocked=given.source_policy == _NEVER)


def hosts_files(sources: Iterable[MirroredSource]) -> dict[str, str]:
    """Path of each `hosts.toml` → its content."""
    by_registry: dict[str, list[MirroredSource]] = {}
    for source in sources:
        by_registry.setdefault(source.source.registry, []).append(source)
    files = {registry: _hosts_toml(registry, found) for registry, found in sorted(by_registry.items())}
    return {f"{CERTS_D}/{registry}/hosts.toml": content for registry, content in files.items() if content}


def _hosts_toml(registry: str, sources: list[MirroredSource]) -> str:
    hosts = dict.fromkeys(host for source in sources for mirror in source.mirrors for host in _hosts(source, mirror))
    is_blocked = all(source.is_blocked for source in sources)
    if not hosts and not is_blocked:
        return ""
    lines = [f'server = "https://{_SERVERS.get(registry, registry)}"']
    if is_blocked:
        lines.append('capabilities = ["push"]')  # neither resolve nor pull: never contacted for an image
    for host in hosts:
        lines += ["", f'[host."{host.url}"]', *(f"  {setting}" for setting in host.settings)]
    return "\n".join(lines) + "\n"


def _hosts(source: MirroredSource, mirror: Mirror) -> Iterator[_Host]:
    """An insecure mirror is tried with TLS, then without, as in containers-registries.conf(5)."""
    beginning = path_at(source.source, mirror.repository)
    address = f"{mirror.repository.registry}/v2/{beginning}" if beginning else mirror.repository.registry
    for scheme in ("https", "http") if mirror.is_insecure else ("https",):
        yield _Host(
            url=f"{scheme}://{address}",
            has_path=bool(beginning),
            skips_verify=mirror.is_insecure and scheme == "https",
            resolves=not mirror.by_digest_only,
        )
