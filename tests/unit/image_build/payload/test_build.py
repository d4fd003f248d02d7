"""`payload build` from its options to its directory, without the downloads."""

from __future__ import annotations

from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from agent.model.payload import PayloadSource
from agent.model.problems import Problem
from cli.main import main
from image_build.payload.apt import AptRepository
from image_build.payload.arguments import source_from
from image_build.payload.build import deliver
from image_build.payload.build_root import mmdebstrap
from image_build.payload.cli import payload
from image_build.payload.debian import DebianSource
from image_build.payload.registry import Registry
from image_build.payload.upstream import UpstreamSource


def test_the_debian_payload_needs_no_options() -> None:
    assert source_from(PayloadSource.DEBIAN, {}) == DebianSource()
    assert source_from(PayloadSource.DEBIAN, {"mirror": "http://mirror.test"}) == DebianSource("http://mirror.test")


def test_an_upstream_payload_takes_mirrors_and_credentials(tmp_path: Path) -> None:
    files = {"apt_key": tmp_path / "key.asc", "ca_file": tmp_path / "ca.pem", "registry_auth": tmp_path / "auth.json"}
    given = {
        "kubernetes_version": "v1.33.1",
        "apt_repository": "https://mirror.test /",
        "registry_mirror": "mirror.test",
    }
    assert source_from(PayloadSource.UPSTREAM, {**given, **files}) == UpstreamSource(
        "1.33.1",
        AptRepository("https://mirror.test /", key=files["apt_key"], ca_file=files["ca_file"]),
        Registry("mirror.test", ca_file=files["ca_file"], credentials=files["registry_auth"]),
    )


@pytest.mark.parametrize(
    ("kind", "given", "words"),
    [
        (PayloadSource.DEBIAN, {"registry": "r", "ca_file": "c"}, "does not take --ca-file, --registry."),
        (PayloadSource.UPSTREAM, {"mirror": "m"}, "does not take --mirror"),
        (PayloadSource.UPSTREAM, {}, "needs --kubernetes-version"),
        (PayloadSource.UPSTREAM, {"kubernetes_version": "1.33"}, "needs --kubernetes-version, a whole release"),
        (PayloadSource.UPSTREAM, {"kubernetes_version": "1.33.1", "apt_key": "k"}, "--apt-key belongs to"),
    ],
)
def test_conflicting_payload_options_are_refused(kind: PayloadSource, given: dict[str, str], words: str) -> None:
    with pytest.raises(click.UsageError, match=words):
        source_from(kind, given)


@pytest.mark.parametrize(
    "arguments",
    [
        ["--source", "rpm", "-o", "x"],
        ["-o", "x"],
        ["--source", "debian"],
        ["--source", "debian", "-o", "x", "--registry", "y"],
    ],
)
def test_usage_errors_exit_with_2(arguments: list[str]) -> None:
    assert CliRunner().invoke(payload, ["build", *arguments], **main.context_settings).exit_code == 2


def test_credentials_do_not_change_the_cache_key(tmp_path: Path) -> None:
    plain = UpstreamSource("1.33.1")
    with_secrets = UpstreamSource("1.33.1", AptRepository(credentials=tmp_path), Registry(credentials=tmp_path))
    assert plain.inputs() == with_secrets.inputs()
    assert plain.inputs() != UpstreamSource("1.33.2").inputs()


def test_apt_keeps_to_its_own_directory(tmp_path: Path) -> None:
    repository = AptRepository("https://mirror.test stable main", key=tmp_path / "key.asc")
    assert (
        repository.sources_list() == f"deb [arch=amd64 signed-by={tmp_path}/key.asc] https://mirror.test stable main\n"
    )
    assert f'Dir::Etc::sourcelist "{tmp_path}/sources.list";' in repository.configuration(tmp_path)
    default_configuration = AptRepository().configuration(tmp_path)
    assert "sourcelist" not in default_configuration
    assert f'Dir::State "{tmp_path}";' in default_configuration


def test_the_mirror_comes_last_in_mmdebstraps_arguments() -> None:
    argv = mmdebstrap(
        "trixie", Path("/x.tar"), "extract", ["iptables", "kmod"], "http://mirror.test", ["--customize-hook=true"]
    )
    assert argv[0] == "mmdebstrap"
    assert "--include=iptables,kmod" in argv
    assert argv[-3:] == ["trixie", Path("/x.tar"), "http://mirror.test"]
    assert mmdebstrap("trixie", Path("/x.tar"), "extract", [], None, [])[-1] == Path("/x.tar")


@pytest.fixture
def entry(tmp_path: Path) -> Path:
    entry = tmp_path / "cache/entry"
    (entry / "bin").mkdir(parents=True)
    (entry / "manifest.json").write_text("{}")
    (entry / "bin/kubeadm").write_text("program")
    return entry


def test_a_payload_is_handed_out_and_replaced(entry: Path, tmp_path: Path) -> None:
    output = tmp_path / "some/where"
    deliver(entry, output)
    assert (output / "bin/kubeadm").read_text() == "program"
    (output / "stale").touch()
    deliver(entry, output)
    assert names(output) == ["bin", "manifest.json"]
    assert names(output.parent) == ["where"]


def test_the_current_directory_may_be_the_output(entry: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    output = tmp_path / "here"
    output.mkdir()
    monkeypatch.chdir(output)
    deliver(entry, Path())
    assert names(output) == ["bin", "manifest.json"]


def test_an_empty_output_directory_is_used_and_any_other_refused(entry: Path, tmp_path: Path) -> None:
    output = tmp_path / "output"
    output.mkdir()
    deliver(entry, output)
    occupied = tmp_path / "occupied"
    occupied.mkdir()
    (occupied / "document").touch()
    for target in (occupied, occupied / "document"):
        with pytest.raises(Problem, match="output-in-use"):
            deliver(entry, target)
    assert names(occupied) == ["document"]


def names(directory: Path) -> list[str]:
    return sorted(path.name for path in directory.iterdir())
