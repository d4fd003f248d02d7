"""An entry appears complete or not at all, and is built once."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest

from image_build.cache import Cache, Workplace, cache_key


def write_hello(place: Workplace) -> None:
    (place.scratch / "temporary").write_text("temporary")
    (place.result / "hello").write_text("hello")


def refuse(_: Workplace) -> None:
    raise AssertionError("the cache builds an entry that exists")


def test_a_cache_entry_is_built_once(tmp_path: Path) -> None:
    cache = Cache(tmp_path)
    entry = cache.obtain("kubernetes", "0001", write_hello)
    assert (entry / "hello").read_text() == "hello"
    assert cache.obtain("kubernetes", "0001", refuse) == entry


def test_a_build_leaves_its_log_and_no_scratch_directory(tmp_path: Path) -> None:
    def make(place: Workplace) -> None:
        place.log.write_text("log line")

    Cache(tmp_path).obtain("kubernetes", "0001", make)
    assert names(tmp_path / "kubernetes") == [".0001.lock", "0001", "0001.log"]
    assert (tmp_path / "kubernetes/0001.log").read_text() == "log line"


@pytest.mark.parametrize("ending", [RuntimeError("no space"), KeyboardInterrupt()])
def test_a_failed_build_leaves_no_cache_entry(tmp_path: Path, ending: BaseException) -> None:
    def fail(place: Workplace) -> None:
        write_hello(place)
        raise ending

    with pytest.raises(type(ending)):
        Cache(tmp_path).obtain("kubernetes", "0001", fail)
    assert names(tmp_path / "kubernetes") == [".0001.lock", "0001.log"]


def test_leftovers_of_a_killed_run_are_not_used(tmp_path: Path) -> None:
    killed = tmp_path / "kubernetes/.0001.building/result"
    killed.mkdir(parents=True)
    (killed / "half").touch()
    entry = Cache(tmp_path).obtain("kubernetes", "0001", write_hello)
    assert names(entry) == ["hello"]


def test_two_runs_do_not_build_the_same_twice(tmp_path: Path) -> None:
    started, may_finish = threading.Event(), threading.Event()

    def make(place: Workplace) -> None:
        started.set()
        assert may_finish.wait(10)
        write_hello(place)

    first = threading.Thread(target=Cache(tmp_path).obtain, args=("kubernetes", "0001", make))
    second = threading.Thread(target=Cache(tmp_path).obtain, args=("kubernetes", "0001", refuse))
    first.start()
    assert started.wait(10)
    second.start()
    may_finish.set()
    first.join(10)
    second.join(10)
    assert (tmp_path / "kubernetes/0001/hello").read_text() == "hello"


def test_a_build_says_how_long_it_usually_takes_and_an_entry_that_it_is_there(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    cache = Cache(tmp_path)
    for key in ("0001", "0002", "0002"):
        cache.obtain("kubernetes", key, write_hello)
    title = "Kubernetes, compiled from Debian's source package"
    started, _, again, _, kept = capsys.readouterr().err.splitlines()
    assert started == f"… {title}, usually 8 min"
    assert again == f"… {title}, usually 1 s here"
    assert kept == f"✓ {title} (from the cache)"


def test_a_cache_key_depends_on_arguments_and_file_contents(tmp_path: Path) -> None:
    recipe = tmp_path / "recipe"
    recipe.write_text("one")
    before = cache_key(["trixie", recipe])
    assert before == cache_key(["trixie", recipe])
    assert before != cache_key(["bookworm", recipe])
    assert cache_key(["ab", "c"]) != cache_key(["a", "bc"])
    recipe.write_text("two")
    assert before != cache_key(["trixie", recipe])


def test_the_cache_directory_comes_from_the_environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CLUSTER0_CACHE", str(tmp_path))
    assert Cache.of_user().root == tmp_path
    monkeypatch.delenv("CLUSTER0_CACHE")
    assert Cache.of_user().root == Path.home() / ".cache/cluster0"


def names(directory: Path) -> list[str]:
    return sorted(path.name for path in directory.iterdir())
