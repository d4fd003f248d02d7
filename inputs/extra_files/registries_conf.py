"""`mirror/registries.conf`: mirrors from which hosts pull images, as in containers-registries.conf(5), version 2."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import islice
from typing import Any

from inputs.document.findings import Finding, FindingSeverity
from inputs.schema.registries import Mirror, MirroredSource, Repository, path_at, repository

_PLACE = re.compile(r" \(at line (\d+), column (\d+)\)$")
_REGISTRY_FIELDS = ("blocked", "insecure", "location", "mirror", "mirror-by-digest-only", "prefix")
_MIRROR_FIELDS = ("insecure", "location", "pull-from-mirror")
_HEADERS = (re.compile(r"\s*\[\[\s*registry\s*\]\]"), re.compile(r"\s*\[\[\s*registry\.mirror\s*\]\]"))
_INDEX = re.compile(r"\[(\d+)\]")
_PULLS = ("all", "digest-only")
_FLAGS = ("blocked", "insecure", "mirror-by-digest-only")
# For programs that complete short names; Kubernetes does not.
_IGNORED = ("unqualified-search-registries", "short-name-mode", "credential-helpers", "aliases")


def read_registries(name: str, text: str) -> tuple[tuple[MirroredSource, ...], tuple[Finding, ...]]:
    """The mirrors in `text`, the content of the file `name`, and the findings about it."""
    try:
        document = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        found = _PLACE.search(str(error))
        line, column = (int(found[1]), int(found[2])) if found else (max(1, text.count("\n")), 1)
        words = _PLACE.sub("", str(error))
        finding = Finding(
            file=name, line=line, column=column, path="", value="", code="toml-invalid", rule=f"Not TOML: {words}.",
            remedy="Correct it: see containers-registries.conf(5).",
        )  # fmt: skip
        return (), (finding,)
    reader = _Reader(name, text.splitlines())
    return tuple(reader.sources(document)), tuple(reader.findings)


@dataclass
class _Reader:
    name: str
    lines: list[str]
    findings: list[Finding] = field(default_factory=list)

    def sources(self, document: dict[str, Any]) -> Iterator[MirroredSource]:
        self._check_fields(document, "", ("registry", *_IGNORED))
        registries = document.get("registry", [])
        if not isinstance(registries, list):
            self._report("registry", "`registry` is not a list of tables.", "Write [[registry]], with two brackets.")
            return
        for index, registry in enumerate(registries):
            if isinstance(registry, dict) and (source := self._source(registry, f"registry[{index}]")):
                yield source

    def _source(self, registry: dict[str, Any], path: str) -> MirroredSource | None:
        self._check_fields(registry, path, _REGISTRY_FIELDS)
        whose = self._repository(registry.get("prefix") or registry.get("location"), f"{path}.location")
        location = registry.get("location")
        if whose and location and registry.get("prefix") not in (None, "", location):
            rule = "A `prefix` with another `location` renames images, which containerd does not support."
            self._report(f"{path}.location", rule, "Write the location as a [[registry.mirror]].", at=str(location))
            return None
        mirrors = registry.get("mirror", [])
        if whose is None or not isinstance(mirrors, list):
            return None
        by_digest = bool(registry.get("mirror-by-digest-only"))
        found = [self._mirror(mirror, whose, f"{path}.mirror[{index}]", by_digest=by_digest)
                 for index, mirror in enumerate(mirrors) if isinstance(mirror, dict)]  # fmt: skip
        return MirroredSource(whose, tuple(filter(None, found)), is_blocked=bool(registry.get("blocked")))

    def _mirror(self, mirror: dict[str, Any], source: Repository, path: str, *, by_digest: bool) -> Mirror | None:
        self._check_fields(mirror, path, _MIRROR_FIELDS)
        where = self._repository(mirror.get("location"), f"{path}.location")
        if where is None:
            return None
        if path_at(source, where) is None:
            rule = f"This mirror is ignored: containerd requests the source's own path, {source.path}, from a mirror."
            remedy = f"Mirror to {where.registry}/{source.path}."
            self._report(
                f"{path}.location",
                rule,
                remedy,
                at=str(where),
                code="mirror-left-out",
                severity=FindingSeverity.WARNING,
            )
            return None
        digests = by_digest or mirror.get("pull-from-mirror") == "digest-only"
        return Mirror(where, is_insecure=bool(mirror.get("insecure")), by_digest_only=digests)

    def _repository(self, value: object, path: str) -> Repository | None:
        found = repository(value) if isinstance(value, str) else None
        if found is None:
            rule = "Not a repository: HOST[:PORT][/path], without a tag, a digest or a scheme."
            at = value if isinstance(value, str) else "location"
            self._report(path, rule, "Write one like registry.example.com:5000/team.", at=at, code="repository-invalid")
        return found

    def _check_fields(self, table: dict[str, Any], path: str, known: tuple[str, ...]) -> None:
        for key, value in table.items():
            where = f"{path}.{key}".removeprefix(".")
            if key not in known:
                rule = f"There is no field `{key}` here."
                self._report(where, rule, f"Known here: {', '.join(known)}.", at=key, code="unknown-field")
            elif key in _FLAGS and not isinstance(value, bool):
                self._report(where, "true or false is expected here.", "Write true or false.", at=key)
            elif key == "pull-from-mirror" and value not in _PULLS:
                remedy = f"Write one of: {', '.join(_PULLS)}."
                self._report(where, "containerd has no such condition for a mirror.", remedy, at=key)
            elif key == "mirror" and not isinstance(value, list):
                self._report(
                    where,
                    "`mirror` is not a list of tables.",
                    "Write [[registry.mirror]], with two brackets.",
                    at="registry.mirror",
                )

    def _table(self, path: str) -> int:
        """The number of lines before the table of `path`; 0 for a table without a header."""
        begin = 0
        for header, index in zip(_HEADERS, _INDEX.findall(path), strict=False):
            found = (number for number, line in enumerate(self.lines) if number >= begin and header.match(line))
            begin = next(islice(found, int(index), None), begin)
        return begin

    def _report(
        self, path: str, rule: str, remedy: str,
        *, at: str = "", code: str = "value-invalid", severity: FindingSeverity = FindingSeverity.ERROR,
    ) -> None:  # fmt: skip
        """A finding at the first line of its table that contains `at`: the TOML reader keeps no positions."""
        word = at or path.rpartition(".")[2]
        begin = self._table(path)
        number, column = next(
            (
                (number, line.find(word) + 1)
                for number, line in enumerate(self.lines[begin:], begin + 1)
                if word in line
            ),
            (begin + 1, 1),
        )
        self.findings.append(
            Finding(
                file=self.name,
                line=number,
                column=column,
                path=path,
                value=at,
                code=code,
                rule=rule,
                remedy=remedy,
                severity=severity,
                excerpt=self.lines[number - 1] if self.lines else "",
            )
        )
