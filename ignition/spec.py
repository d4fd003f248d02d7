"""The part of the Ignition config specification 3.3.0 that we write, typed.

Fields keep the specification's meaning (https://coreos.github.io/ignition/configuration-v3_3/); what is left at its
default is left out of the JSON. Not in here on purpose: `kernelArguments` (Debian's Ignition cannot apply them), disks
and file systems (this installer partitions by itself).
"""

from __future__ import annotations

import msgspec

VERSION = "3.3.0"


class Section(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, rename="camel"):
    """Base of everything that becomes a JSON object with the specification's camelCase names."""


class Verification(Section, frozen=True, kw_only=True):
    """`hash`: "sha256-" and the digest in hexadecimal."""

    hash: str


class Resource(Section, frozen=True, kw_only=True):
    """`source`: a data URL, or one of http or https with a `verification`. `compression`: "gzip" or None."""

    source: str
    compression: str | None = None
    verification: Verification | None = None


class Owner(Section, frozen=True, kw_only=True):
    """A user or group, by name."""

    name: str


class File(Section, frozen=True, kw_only=True):
    """`overwrite`: a file that is there already is replaced; without it that is an error."""

    path: str
    contents: Resource
    mode: int
    overwrite: bool = False
    user: Owner | None = None
    group: Owner | None = None


class Directory(Section, frozen=True, kw_only=True):
    path: str
    mode: int
    user: Owner | None = None
    group: Owner | None = None


class Link(Section, frozen=True, kw_only=True):
    """A symbolic link at `path` that points to `target`."""

    path: str
    target: str
    overwrite: bool = False


class Storage(Section, frozen=True, kw_only=True):
    directories: tuple[Directory, ...] = ()
    files: tuple[File, ...] = ()
    links: tuple[Link, ...] = ()


class Dropin(Section, frozen=True, kw_only=True):
    """`name`: ends in .conf."""

    name: str
    contents: str


class Unit(Section, frozen=True, kw_only=True):
    """`enabled` None: presets decide; True and False become a preset too, applied at first boot or by `preset-all`."""

    name: str
    contents: str | None = None
    enabled: bool | None = None
    mask: bool = False
    dropins: tuple[Dropin, ...] = ()


class Systemd(Section, frozen=True, kw_only=True):
    units: tuple[Unit, ...] = ()


class Group(Section, frozen=True, kw_only=True):
    name: str
    gid: int | None = None
    system: bool = False


class User(Section, frozen=True, kw_only=True):
    """`password_hash`: for crypt(3). `groups`: supplementary ones."""

    name: str
    uid: int | None = None
    ssh_authorized_keys: tuple[str, ...] = ()
    groups: tuple[str, ...] = ()
    home_dir: str | None = None
    shell: str | None = None
    password_hash: str | None = None
    system: bool = False


class Passwd(Section, frozen=True, kw_only=True):
    groups: tuple[Group, ...] = ()
    users: tuple[User, ...] = ()


class Merging(Section, frozen=True, kw_only=True):
    """`merge`: whole configs, each merged into this one in order; their values override it."""

    merge: tuple[Resource, ...] = ()


class Meta(Section, frozen=True, kw_only=True):
    """`version`: `VERSION`."""

    version: str
    config: Merging | None = None


class Config(Section, frozen=True, kw_only=True):
    """A whole config; `ignition.compose.encode` makes the JSON."""

    ignition: Meta = msgspec.field(default_factory=lambda: Meta(version=VERSION))
    passwd: Passwd = Passwd()
    storage: Storage = Storage()
    systemd: Systemd = Systemd()
