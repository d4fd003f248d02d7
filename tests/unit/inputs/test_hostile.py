"""Hostile content: findings with positions, never a traceback, never more than a second or 200 MB."""

from __future__ import annotations

import time
import tracemalloc
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from cli.findings_text import text
from inputs.document.findings import Finding
from inputs.document.yaml_reader import MAX_NODES, parse, parse_all
from inputs.load import AGENT_CONFIG, INSTALL_CONFIG, LoadResult, load_inputs
from inputs.samples import write_samples
from inputs.write_manifests.create import create
from tests.bench.measurements.many_hosts import write_many_hosts
from tests.unit.inputs.test_extra_files import POD, REGISTRIES, SPACE, make_certificate

SECONDS = 1.0
MOST_MEMORY = 200 << 20
BOTH = (INSTALL_CONFIG, AGENT_CONFIG)

scalars = st.one_of(
    st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=30),
    st.sampled_from(["", "::", "192.0.2.10", "2001:db8::1", "0.0.0.0/0", "52:54:00:00:00:01", "\ud800", "\0"]),
    st.just("a" * 5000),
)  # fmt: skip
values = st.recursive(
    scalars,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=8,
)
odd = st.sampled_from(["\t", "\ufeff", "\x00", "&a ", "*a", "<<: *a\n", "- ", ": ", "{", "[", "|\n", "'", '"', "# ",
                       "é", "\u2028", "\r", "---\n", "!!python/object:x ", "\ud800", "\U0001f4a5"])  # fmt: skip


def timed(directory: Path) -> tuple[LoadResult, str, float]:
    begin = time.process_time()
    loaded = load_inputs(directory)
    shown = text(loaded.findings)
    return loaded, shown, time.process_time() - begin


def checked(directory: Path) -> LoadResult:
    loaded, shown, taken = timed(directory)
    # CPU time is longer, too, when other programs run.
    assert taken < SECONDS or timed(directory)[2] < SECONDS
    assert bool(shown) == bool(loaded.findings)
    assert all(map(_is_complete, loaded.findings))
    return loaded


def _is_complete(finding: Finding) -> bool:
    return bool(finding.rule and finding.remedy and finding.code and finding.line >= 1 and finding.column >= 1)


def paths(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """The paths of all values in a document, without the document itself."""
    inside = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [place for key, item in inside for place in ((*path, key), *paths(item, (*path, key)))]


def put(document: Any, path: tuple[Any, ...], value: Any, *, remove: bool) -> None:
    for step in path[:-1]:
        document = document[step]
    if remove:
        del document[path[-1]]
    else:
        document[path[-1]] = value


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    directory = tmp_path_factory.mktemp("site")
    write_samples("ha", directory)
    return directory


@pytest.fixture(scope="module")
def originals(site: Path) -> dict[str, str]:
    return {name: (site / name).read_text() for name in BOTH}


many = settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


@many
@given(data=st.data())
def test_a_value_of_any_kind_in_any_field_is_examined(
    data: st.DataObject, site: Path, originals: dict[str, str]
) -> None:
    for name, original in originals.items():
        document: Any = parse(original).root.plain()
        for _ in range(data.draw(st.integers(0, 3))):
            path = data.draw(st.sampled_from(paths(document)))
            put(document, path, data.draw(values), remove=data.draw(st.booleans()))
        written = yaml.safe_dump(document, sort_keys=False, allow_unicode=True)
        (site / name).write_bytes(written.encode("utf-8", "surrogatepass"))
    checked(site)


@many
@given(data=st.data())
def test_any_characters_in_the_input_files_are_examined(
    data: st.DataObject, site: Path, originals: dict[str, str]
) -> None:
    for name, original in originals.items():
        mutated = original
        for _ in range(data.draw(st.integers(0, 4))):
            at = data.draw(st.integers(0, len(mutated)))
            cut = data.draw(st.integers(0, 40))
            mutated = mutated[:at] + data.draw(odd) + mutated[at + cut :]
        (site / name).write_bytes(mutated.encode("utf-8", "surrogatepass"))
    checked(site)


@pytest.fixture(scope="module")
def manifests(tmp_path_factory: pytest.TempPathFactory) -> dict[Path, str]:
    """Manifests of a valid site, by their paths, in a directory of their own."""
    directory = tmp_path_factory.mktemp("manifests")
    write_samples("ha", directory)
    made = create(directory, force=False).files
    for name in BOTH:
        (directory / name).unlink()
    return {path: path.read_text() for path in made}


@many
@given(data=st.data())
def test_a_value_of_any_kind_in_manifests_is_examined(data: st.DataObject, manifests: dict[Path, str]) -> None:
    for path, original in manifests.items():
        documents: Any = [tree.root.plain() for tree in parse_all(original)]
        for _ in range(data.draw(st.integers(0, 2))):
            document = data.draw(st.sampled_from(documents))
            place = data.draw(st.sampled_from(paths(document)))
            put(document, place, data.draw(values), remove=data.draw(st.booleans()))
        written = yaml.safe_dump_all(documents, sort_keys=False, allow_unicode=True)
        path.write_bytes(written.encode("utf-8", "surrogatepass"))
    checked(next(iter(manifests)).parents[1])


def write_mutated(data: st.DataObject, files: dict[Path, str]) -> None:
    """Write each file with up to 40 characters replaced by odd ones, somewhere."""
    for path, original in files.items():
        at = data.draw(st.integers(0, len(original)))
        cut = data.draw(st.integers(0, 40))
        mutated = original[:at] + data.draw(odd) + original[at + cut :]
        path.write_bytes(mutated.encode("utf-8", "surrogatepass"))


@many
@given(data=st.data())
def test_any_characters_in_manifests_are_examined(data: st.DataObject, manifests: dict[Path, str]) -> None:
    write_mutated(data, manifests)
    checked(next(iter(manifests)).parents[1])


@pytest.fixture(scope="module")
def extra_files(tmp_path_factory: pytest.TempPathFactory) -> dict[Path, str]:
    """The extra files next to the two files of a valid site, by their paths."""
    site = tmp_path_factory.mktemp("extra")
    write_samples("ha", site)
    certificates = make_certificate(100) + make_certificate(400)
    files = {
        "manifests/a.yaml": f"{SPACE}---\n{POD}", "openshift/b.yaml": POD,
        "mirror/registries.conf": REGISTRIES, "mirror/ca-bundle.crt": certificates,
    }  # fmt: skip
    for name in files:
        (site / name).parent.mkdir(exist_ok=True)
    return {site / name: content for name, content in files.items()}


@many
@given(data=st.data())
def test_any_characters_in_extra_files_are_examined(data: st.DataObject, extra_files: dict[Path, str]) -> None:
    write_mutated(data, extra_files)
    checked(next(iter(extra_files)).parents[1])


def _bomb(prefix: str) -> str:
    """Nested aliases that expand tenfold at each level."""
    lines = [f"{prefix}0: &a0 [x, x, x, x, x, x, x, x, x, x]"]
    lines += [f"{prefix}{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]" for n in range(1, 30)]
    return "\n".join(lines) + "\n"


def _just_below() -> str:
    """Slightly fewer nodes than the limit; every other one is wrong."""
    host = "{" + ", ".join(f"a{n}: 1" for n in range(MAX_NODES // 1000 - 5)) + "}"
    return f"hosts: [{', '.join([host] * 1000)}]\n"


@pytest.mark.parametrize(
    "content",
    [
        _bomb("a"),
        "x: |\n  " + "y" * (7 << 20),
        "rendezvousIP: " + "9" * 100_000,
        "hosts:\n" + '  - networkConfig: "{a: &a [1,1,1,1], b: [*a,*a,*a,*a]}"\n' * 900,
        "hosts: [&h {networkConfig: {interfaces: [{name: a, ipv4: {address: [{ip: 1}]}}]}}" + ", *h" * 900 + "]",
        "a: " + "[" * 5000,
        "\n".join(f"k{n}: 1\nk{n}: 2" for n in range(5000)),
    ],
    ids=["bomb", "long text", "long number", "text in text", "aliases", "depth", "duplicates"],
)
def test_input_files_beyond_the_size_limit_are_refused(content: str, site: Path, originals: dict[str, str]) -> None:
    (site / INSTALL_CONFIG).write_text(originals[INSTALL_CONFIG])
    (site / AGENT_CONFIG).write_text(content)
    assert checked(site).inputs is None


def test_the_largest_allowed_tree_takes_little_memory(tmp_path: Path) -> None:
    """The largest tree that is allowed, with a finding for every other node."""
    write_samples("sno", tmp_path)
    (tmp_path / AGENT_CONFIG).write_text(_just_below())
    tracemalloc.start()
    try:
        assert load_inputs(tmp_path).inputs is None
        assert tracemalloc.get_traced_memory()[1] < MOST_MEMORY
    finally:
        tracemalloc.stop()


def test_five_hundred_hosts_are_valid(tmp_path: Path) -> None:
    write_many_hosts(tmp_path)
    assert len(load_inputs(tmp_path).valid_inputs().agent.hosts) == 500
