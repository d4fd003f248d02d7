"""Before each start of the kubelet: its link leads to a certificate that is whole, if there is one."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from image_build.base_iso.recipe import INGREDIENTS

PROGRAM = INGREDIENTS / "overlay/usr/libexec/cluster0/kubelet-certificate"
LINK = "kubelet-client-current.pem"
OLDEST, OLDER, NEWEST = (f"kubelet-client-2026-11-23-16-{minute}-42.pem" for minute in (28, 29, 30))
CERTIFICATE = "-----BEGIN CERTIFICATE-----\nAA==\n-----END CERTIFICATE-----\n"
KEY = "-----BEGIN EC PRIVATE KEY-----\nAA==\n-----END EC PRIVATE KEY-----\n"
WHOLE = CERTIFICATE + KEY


def start(directory: Path, files: dict[str, str]) -> str:
    """The link to the newest of `files` (name → content), the file that it leads to after the program has run."""
    for name, content in files.items():
        (directory / name).write_text(content)
    (directory / LINK).symlink_to(directory / max(files))
    subprocess.run([PROGRAM, directory], check=True)
    assert sorted(path.name for path in directory.iterdir()) == sorted([LINK, *files])
    return (directory / LINK).readlink().name


@pytest.mark.parametrize("lost", ["", CERTIFICATE, KEY], ids=["empty", "without key", "without certificate"])
def test_a_lost_certificate_is_replaced_by_the_newest_whole_one(tmp_path: Path, lost: str) -> None:
    assert start(tmp_path, {OLDEST: WHOLE, OLDER: WHOLE, NEWEST: lost}) == OLDER
    assert (tmp_path / LINK).read_text() == WHOLE


def test_a_whole_certificate_stays(tmp_path: Path) -> None:
    assert start(tmp_path, {OLDER: WHOLE, NEWEST: WHOLE}) == NEWEST


def test_without_another_one_the_kubelet_says_what_it_lacks(tmp_path: Path) -> None:
    assert start(tmp_path, {NEWEST: ""}) == NEWEST


def test_a_link_that_leads_nowhere_is_replaced(tmp_path: Path) -> None:
    (tmp_path / OLDER).write_text(WHOLE)
    (tmp_path / LINK).symlink_to(tmp_path / NEWEST)
    subprocess.run([PROGRAM, tmp_path], check=True)
    assert (tmp_path / LINK).readlink().name == OLDER


def test_before_the_first_certificate_there_is_nothing_to_do(tmp_path: Path) -> None:
    subprocess.run([PROGRAM, tmp_path / "pki"], check=True)
