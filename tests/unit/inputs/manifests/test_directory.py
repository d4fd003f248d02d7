"""All manifests are written or none, and edited ones are kept."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from agent.machine.files import Files
from cli.exit_codes import ExitCode
from cli.main import main
from inputs.manifests import DIRECTORY
from tests.unit.inputs.manifests.conftest import edit


def create_manifests(site: Path, *options: str) -> Result:
    return CliRunner().invoke(main, ["create", "manifests", "--dir", str(site), *options])


def contents(site: Path) -> dict[str, str]:
    return {path.name: path.read_text() for path in (site / DIRECTORY).iterdir()}


def test_it_prints_the_files_and_a_second_run_changes_nothing(site: Path) -> None:
    before = contents(site)
    ended = create_manifests(site)
    assert ended.exit_code == ExitCode.DONE
    assert ended.stdout.splitlines() == [str(site / DIRECTORY / name) for name in sorted(before, key=_file_order)]
    assert contents(site) == before


def _file_order(name: str) -> int:
    return (
        "agent-cluster-install.yaml", "cluster-deployment.yaml", "cluster-image-set.yaml", "infraenv.yaml",
        "pull-secret.yaml", "nmstateconfig.yaml", "cluster0.yaml",
    ).index(name)  # fmt: skip


def test_edited_manifests_stay_until_forced(site: Path) -> None:
    before = contents(site)
    edit(site / DIRECTORY / "infraenv.yaml", "cpuArchitecture: x86_64", "cpuArchitecture: aarch64")
    (site / DIRECTORY / "cluster0.yaml").unlink()
    (site / DIRECTORY / "mine.yaml").write_text("mine")
    edited = contents(site)
    ended = create_manifests(site)
    assert ended.exit_code == ExitCode.CONFIGURATION
    for words in ("manifests-edited", "infraenv.yaml would be changed", "cluster0.yaml is missing",
                  "mine.yaml would be removed"):  # fmt: skip
        assert words in ended.stderr
    assert contents(site) == edited
    assert create_manifests(site, "--force").exit_code == ExitCode.DONE
    assert contents(site) == before


def test_invalid_inputs_write_no_manifests(site: Path) -> None:
    before = contents(site)
    edit(site / "agent-config.yaml", "52:54:00:00:00:01", "52:54:00")
    assert create_manifests(site, "--force").exit_code == ExitCode.CONFIGURATION
    assert contents(site) == before


def test_create_manifests_interrupted_between_its_two_renames(site: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = contents(site)
    edit(site / "install-config.yaml", "baseDomain: example.com", "baseDomain: example.org")
    rename = Path.rename

    def once(path: Path, target: Path) -> Path:
        if path.name == "new":
            raise KeyboardInterrupt
        return rename(path, target)

    monkeypatch.setattr(Path, "rename", once)
    assert create_manifests(site, "--force").exit_code == ExitCode.INTERRUPTED
    assert contents(site) == before
    assert sorted(path.name for path in site.iterdir()) == ["agent-config.yaml", DIRECTORY, "install-config.yaml"]


@pytest.mark.parametrize("fails", range(7))
def test_a_full_disk_leaves_the_previous_manifests(fails: int, site: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = contents(site)
    edit(site / "install-config.yaml", "baseDomain: example.com", "baseDomain: example.org")
    write, written = Files.write, []

    def until_full(files: Files, path: str | Path, content: str | bytes, mode: int = 0o644) -> Path:
        if files.root.parent.parent == site:
            written.append(path)
            if len(written) > fails:
                raise OSError(28, "No space left on device", str(path))
        return write(files, path, content, mode)

    monkeypatch.setattr(Files, "write", until_full)
    ended = create_manifests(site, "--force")
    assert ended.exit_code == ExitCode.INFRASTRUCTURE
    assert "no-space" in ended.stderr
    assert contents(site) == before
    assert sorted(path.name for path in site.iterdir()) == ["agent-config.yaml", DIRECTORY, "install-config.yaml"]
