"""Configs built from contents have the form of the Ignition specification."""

from __future__ import annotations

import base64
import gzip
import json
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ignition import compose, spec


def as_json(config: spec.Config) -> Any:
    return json.loads(compose.encode(config))


def content_of(resource: spec.Resource) -> bytes:
    data = base64.b64decode(resource.source.removeprefix("data:;base64,"))
    return gzip.decompress(data) if resource.compression == "gzip" else data


def test_an_empty_config_says_only_its_version() -> None:
    assert as_json(compose.config()) == {"ignition": {"version": "3.3.0"}, "passwd": {}, "storage": {}, "systemd": {}}


def test_composed_fields_and_modes_are_those_of_the_specification() -> None:
    config = compose.config(
        files=[compose.file("/etc/token", b"\0", mode=0o600, owner="core")],
        directories=[compose.directory("/var/lib/x", mode=0o700)],
        links=[compose.link("/etc/localtime", "/usr/share/zoneinfo/UTC")],
        users=[compose.user("core", ssh_keys=["ssh-ed25519 AAAA"], groups=["sudo"])],
        units=[compose.unit("a.service", enabled=True, dropins={"x.conf": "[Unit]\n"})],
    )
    assert as_json(config) == {
        "ignition": {"version": "3.3.0"},
        "passwd": {"users": [{"name": "core", "sshAuthorizedKeys": ["ssh-ed25519 AAAA"], "groups": ["sudo"]}]},
        "storage": {
            "directories": [{"path": "/var/lib/x", "mode": 0o700}],
            "files": [
                {
                    "path": "/etc/token",
                    "contents": {"source": "data:;base64,AA=="},
                    "mode": 0o600,
                    "overwrite": True,
                    "user": {"name": "core"},
                    "group": {"name": "core"},
                }
            ],
            "links": [{"path": "/etc/localtime", "target": "/usr/share/zoneinfo/UTC", "overwrite": True}],
        },
        "systemd": {
            "units": [{"name": "a.service", "enabled": True, "dropins": [{"name": "x.conf", "contents": "[Unit]\n"}]}]
        },
    }


@given(st.binary(max_size=4096))
def test_any_file_content_survives_composing(data: bytes) -> None:
    assert content_of(compose.file("/f", data).contents) == data


def test_only_files_that_get_shorter_are_compressed() -> None:
    assert compose.file("/f", "a" * 1000).contents.compression == "gzip"
    assert compose.file("/f", "a").contents.compression is None


@given(st.permutations(["/a", "/b", "/c/d"]))
def test_a_composed_config_does_not_depend_on_the_order_of_its_parts(paths: list[str]) -> None:
    files = [compose.file(path, path) for path in paths]
    assert compose.encode(compose.config(files=files)) == compose.encode(
        compose.config(files=sorted(files, key=path_of))
    )


def path_of(file: spec.File) -> str:
    return file.path


@pytest.mark.parametrize(
    ("twice", "message"),
    [
        (lambda: compose.config(files=[compose.file("/a", "1"), compose.file("/a", "2")]), "path given twice: /a"),
        (
            lambda: compose.config(files=[compose.file("/a", "1")], links=[compose.link("/a", "b")]),
            "path given twice: /a",
        ),
        (lambda: compose.config(units=[compose.unit("a.service")] * 2), "unit given twice: a.service"),
        (lambda: compose.config(users=[compose.user("core")] * 2), "user given twice: core"),
    ],
)
def test_composing_refuses_a_path_that_is_given_twice(twice: Callable[[], spec.Config], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        twice()
