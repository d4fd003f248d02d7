"""Builds a config from contents and names, so that callers never write a data URL or a JSON key.

Everything is put in a fixed order: the same parts give the same bytes, also in another order.
"""

from __future__ import annotations

import base64
import zlib
from collections import Counter
from collections.abc import Iterable, Mapping

import msgspec

from ignition import spec

_GZIP_WINDOW = 31  # makes zlib write a gzip header, without time and name


def file(path: str, content: str | bytes, *, mode: int = 0o644, owner: str = "") -> spec.File:
    """A file with exactly this content; one that is there already is replaced. `owner`: user and group, "" is root."""
    data = content.encode() if isinstance(content, str) else content
    return spec.File(
        path=path, contents=_resource(data), mode=mode, overwrite=True, user=_owner(owner), group=_owner(owner)
    )


def fetched_file(path: str, source: str, *, sha256: str, mode: int = 0o644) -> spec.File:
    """A file with what is at the http or https address `source`, which must have this checksum (hexadecimal)."""
    contents = spec.Resource(source=source, verification=spec.Verification(hash=f"sha256-{sha256}"))
    return spec.File(path=path, contents=contents, mode=mode, overwrite=True)


def directory(path: str, *, mode: int = 0o755, owner: str = "") -> spec.Directory:
    """A directory; one that is there already keeps its content."""
    return spec.Directory(path=path, mode=mode, user=_owner(owner), group=_owner(owner))


def link(path: str, target: str) -> spec.Link:
    """A symbolic link, which replaces anything at `path`."""
    return spec.Link(path=path, target=target, overwrite=True)


def user(name: str, *, ssh_keys: Iterable[str] = (), groups: Iterable[str] = ()) -> spec.User:
    """A login user; one that is there already gets the keys and groups added."""
    return spec.User(name=name, ssh_authorized_keys=tuple(ssh_keys), groups=tuple(groups))


def unit(
    name: str, contents: str | None = None, *, enabled: bool | None = None, dropins: Mapping[str, str] | None = None
) -> spec.Unit:
    """A systemd unit: new, or one of the image that is switched on or off, or extended. `dropins`: name → contents."""
    return spec.Unit(
        name=name,
        contents=contents,
        enabled=enabled,
        dropins=tuple(spec.Dropin(name=key, contents=text) for key, text in sorted((dropins or {}).items())),
    )


def masked(name: str) -> spec.Unit:
    """A unit of the image that nothing can start."""
    return spec.Unit(name=name, enabled=False, mask=True)


def config(
    *,
    files: Iterable[spec.File] = (),
    directories: Iterable[spec.Directory] = (),
    links: Iterable[spec.Link] = (),
    users: Iterable[spec.User] = (),
    groups: Iterable[spec.Group] = (),
    units: Iterable[spec.Unit] = (),
    merged: Iterable[bytes] = (),
) -> spec.Config:
    """A config of these parts; Ignition merges the configs in `merged` (JSON) into it, one after the other.

    ValueError: a path or a name is given twice.
    """
    storage = spec.Storage(
        directories=tuple(sorted(directories, key=lambda part: part.path)),
        files=tuple(sorted(files, key=lambda part: part.path)),
        links=tuple(sorted(links, key=lambda part: part.path)),
    )
    passwd = spec.Passwd(
        groups=tuple(sorted(groups, key=lambda part: part.name)), users=tuple(sorted(users, key=lambda part: part.name))
    )
    systemd = spec.Systemd(units=tuple(sorted(units, key=lambda part: part.name)))
    paths = (
        [part.path for part in storage.directories]
        + [part.path for part in storage.files]
        + [part.path for part in storage.links]
    )
    _refuse_twice("path", paths)
    _refuse_twice("user", (part.name for part in passwd.users))
    _refuse_twice("group", (part.name for part in passwd.groups))
    _refuse_twice("unit", (part.name for part in systemd.units))
    documents = tuple(_resource(document) for document in merged)
    meta = spec.Meta(version=spec.VERSION, config=spec.Merging(merge=documents) if documents else None)
    return spec.Config(ignition=meta, passwd=passwd, storage=storage, systemd=systemd)


def encode(config: spec.Config) -> bytes:
    """The config as JSON, without white space, keys in the specification's order."""
    return msgspec.json.encode(config)


def _refuse_twice(what: str, names: Iterable[str]) -> None:
    twice = sorted(name for name, count in Counter(names).items() if count > 1)
    if twice:
        raise ValueError(f"{what} given twice: {', '.join(twice)}")


def _owner(name: str) -> spec.Owner | None:
    return spec.Owner(name=name) if name else None


def _resource(data: bytes) -> spec.Resource:
    """A data URL, compressed when that is shorter."""
    packer = zlib.compressobj(9, zlib.DEFLATED, _GZIP_WINDOW)
    packed = packer.compress(data) + packer.flush()
    if len(packed) < len(data):
        return spec.Resource(source=_data_url(packed), compression="gzip")
    return spec.Resource(source=_data_url(data))


def _data_url(data: bytes) -> str:
    return "data:;base64," + base64.b64encode(data).decode()
