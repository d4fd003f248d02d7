"""The real `ignition-validate` accepts what we compose, and its complaints come back whole."""

from __future__ import annotations

import pytest

from ignition import compose
from ignition.validate import MessageKind, validate

pytestmark = pytest.mark.integration


def test_a_config_with_everything_we_write_is_valid() -> None:
    config = compose.config(
        files=[compose.file("/etc/a", "a" * 500), compose.file("/etc/b", b"\0\xff", mode=0o600, owner="core")],
        directories=[compose.directory("/var/lib/x", owner="core")],
        links=[compose.link("/etc/l", "a")],
        users=[compose.user("core", ssh_keys=["ssh-ed25519 AAAA me"], groups=["sudo"])],
        units=[
            compose.unit(
                "on.service", "[Service]\nExecStart=/bin/true\n[Install]\nWantedBy=multi-user.target\n", enabled=True
            ),
            compose.unit("image.service", enabled=False, dropins={"x.conf": "[Service]\nType=oneshot\n"}),
        ],
    )
    assert validate(compose.encode(config)) == []


def test_errors_and_warnings_are_all_reported() -> None:
    config = compose.config(
        files=[compose.file("relative", "x")],
        units=[compose.unit("x.service", "[Service]\nExecStart=/bin/true\n", enabled=True)],
    )
    found = validate(compose.encode(config))
    assert [(finding.severity, finding.path) for finding in found] == [
        (MessageKind.ERROR, "$.storage.files.0.path"),
        (MessageKind.WARNING, "$.systemd.units.0.contents"),
    ]


def test_a_newer_specification_is_refused() -> None:
    assert [finding.message for finding in validate(b'{"ignition":{"version":"3.4.0"}}')] == [
        "couldn't parse config: unsupported config version"
    ]
