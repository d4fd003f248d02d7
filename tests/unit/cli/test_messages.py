"""The messages about wrong inputs, word for word."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner

from cli.exit_codes import ExitCode
from cli.main import main
from inputs.samples import write_samples
from inputs.write_manifests.create import create

Golden = Callable[[str, str], None]

WRONG = {
    "install-config.yaml": {"replicas: 1 ": "replicas: 2 ", "192.0.2.0/24": "192.0.2.0/33"},
    "agent-config.yaml": {"52:54:00:00:00:01": "52:54:00", "role: master": "rôle: master"},
}


def output_of(*arguments: str) -> str:
    ended = CliRunner().invoke(main, [*arguments, "--dir", "site"])
    assert ended.exit_code == ExitCode.CONFIGURATION
    return ended.stderr


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    write_samples("sno", Path("site"))
    return Path("site")


def test_findings_in_the_two_files(site: Path, golden: Golden) -> None:
    for name, edits in WRONG.items():
        text = (site / name).read_text()
        for old, new in edits.items():
            assert old in text
            text = text.replace(old, new)
        (site / name).write_text(text)
    golden("messages/validate.txt", output_of("validate"))


def test_findings_in_manifests(site: Path, golden: Golden) -> None:
    create(site, force=False)
    manifest = site / "cluster-manifests/agent-cluster-install.yaml"
    manifest.write_text(manifest.read_text().replace("hostPrefix: 23", "hostPrefix: 24"))
    golden("messages/manifests-contradict-inputs.txt", output_of("validate"))
    golden("messages/manifests-edited.txt", output_of("create", "manifests"))
    for name in WRONG:
        (site / name).unlink()
    manifest.write_text(manifest.read_text().replace("  platformType", "  platformtype"))
    golden("messages/manifests.txt", output_of("validate"))
