"""YAML: the meaning of scalars, positions, and limits that hold while reading."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inputs.document.yaml_reader import MAX_DEPTH, parse
from inputs.document.yaml_tree import Mark, YamlError


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("52:54:00:00:00:01", "52:54:00:00:00:01"),
        ("0644", "0644"),
        ("1.20", "1.20"),
        ("1_000", "1_000"),
        ("0x10", "0x10"),
        ("2026-01-01", "2026-01-01"),
        ("no", "no"),
        ("on", "on"),
        ("12", 12),
        ("-3", -3),
        ("1" * 30, "1" * 30),
        ("'12'", "12"),
        ("!!str 12", "12"),
        ("true", True),
        ("null", None),
        ("~", None),
        ("", None),
    ],
)
def test_scalars_mean_what_they_look_like(text: str, value: object) -> None:
    assert parse(f"key: {text}").root.plain() == {"key": value}


def test_lines_and_columns_count_from_one() -> None:
    root = parse("a: 1\nb:\n  - x\n  - y: z\n").root
    assert isinstance(root.value, dict)
    entry = root.value["b"]
    assert (entry.key, entry.node.start) == (Mark(2, 1), Mark(3, 3))
    assert isinstance(entry.node.value, tuple)
    assert entry.node.value[1].start == Mark(4, 5)


def test_of_duplicate_keys_the_first_is_used() -> None:
    tree = parse("a: 1\nb: {c: 1, c: 2}\na: 3\n")
    assert tree.root.plain() == {"a": 1, "b": {"c": 1}}
    assert tree.duplicates == (("c", Mark(2, 11)), ("a", Mark(3, 1)))


def test_aliases_and_merge_keys_are_resolved() -> None:
    tree = parse("base: &b {x: 1, y: 2}\nother: *b\nmore: {<<: *b, y: 3}\n")
    assert tree.root.plain() == {"base": {"x": 1, "y": 2}, "other": {"x": 1, "y": 2}, "more": {"x": 1, "y": 3}}


def test_the_earlier_of_two_merged_mappings_wins() -> None:
    tree = parse("a: &a {x: 1}\nb: &b {x: 2, y: 2}\nc: {<<: [*a, *b]}\n")
    assert tree.root.plain() == {"a": {"x": 1}, "b": {"x": 2, "y": 2}, "c": {"x": 1, "y": 2}}


def _bomb() -> str:
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x, x]"]
    lines += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]" for n in range(1, 9)]
    return "\n".join(lines)


def _tower() -> str:
    return "\n".join(["a0: &a0 [x]", *(f"a{n}: &a{n} [*a{n - 1}]" for n in range(1, MAX_DEPTH + 5))])


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        ("a: [1, 2", 2, "Not YAML"),
        ("a:\n\t- b", 2, "Not YAML"),
        ("a: *unknown", 1, "refers to no anchor"),
        ("a: &a [*a]", 1, "refers to no anchor"),
        ("a: !!python/object:os.system x", 1, "tag"),
        ("a: !!set {x}", 1, "tag"),
        ("? [a, b]\n: c", 1, "key must be a word"),
        ("a: 1\n---\nb: 2", 2, "second YAML document"),
        ("a: {<<: 1}", 1, "must name a mapping"),
        ("", 1, "empty"),
        ("a: \x00", 1, "Not YAML"),
        (_bomb(), 5, "values, aliases expanded"),
        (_tower(), 50, "levels, aliases expanded"),
        ("[" * 1000, 1, "levels deep"),
    ],
)
def test_yaml_that_is_invalid_or_unsupported_is_refused(text: str, line: int, words: str) -> None:
    with pytest.raises(YamlError, match=words) as caught:
        parse(text)
    assert caught.value.mark.line == line
    assert caught.value.remedy


def test_tabs_are_explained() -> None:
    with pytest.raises(YamlError) as caught:
        parse("a:\n\t- b")
    assert "spaces" in caught.value.remedy


@given(st.text(alphabet=st.sampled_from("ab:-?[]{}&*!|>'\"%@`,# \n\t<\ufeff\x00é1.~"), max_size=60))
def test_any_text_is_read_or_refused(text: str) -> None:
    try:
        parse(text).root.plain()
    except YamlError as error:
        assert error.mark.line >= 1
        assert error.mark.column >= 1
