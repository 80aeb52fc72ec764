"""The standard shape of a graph file: nothing is lost, and what was laid out on purpose stays."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from stepgraph.toml import revising as formatting
from stepgraph.toml.revising import formatted
from stepgraph.toml.values import standard_text
from stepgraph.values.errors import GraphFileError

GRAPHS = sorted((Path(__file__).parents[2] / "graphs").glob("*.toml"))


def shaped(text: str) -> str:
    return formatted(text, tomllib.loads(text.removeprefix("\ufeff")))


@pytest.mark.parametrize("path", GRAPHS, ids=lambda path: path.stem)
def test_the_shipped_graphs_are_in_the_standard_shape(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert shaped(text) == text


def test_what_stands_at_the_top_and_at_the_end_stays_there() -> None:
    text = "# top\n\n\n[nodes.a]\n[state.s]\n\n\n# end"
    assert shaped(text) == "# top\n\n[state.s]\n\n[nodes.a]\n\n# end\n"


def test_a_long_inline_table_gets_a_header_and_its_comments() -> None:
    text = f"[nodes.a]\n# one\nx = {{ y = '{'1' * 99}' }} # two\nz = 1\n"
    assert shaped(text) == f'[nodes.a]\nz = 1\n\n# one\n[nodes.a.x]  # two\ny = "{"1" * 99}"\n'


@pytest.mark.parametrize(
    ("value", "wanted"),
    [
        ("'a'", '"a"'),
        ('"say \\"a\\""', "'say \"a\"'"),
        ("'''a'''", "'''a'''"),
        ('"a\\nb"', '"""\na\nb"""'),
        ("[ 'a' , 0x1,[ 2, ], ]", '["a", 0x1, [2]]'),
        ("[\n]", "[]"),
        ("[ # x\n]", "[\n    # x\n]"),
        ("[[1, # x\n], 2]", "[\n    [\n        1,  # x\n    ],\n    2,\n]"),
        ("{}", "{}"),
        ("{'a b'='c', d.e=[1]}", '{ "a b" = "c", d.e = [1] }'),
        ("[{a = '1'}]", '[{ a = "1" }]'),
        ("1979-05-27 07:32:00", "1979-05-27 07:32:00"),
        ("+1_0.50", "+1_0.50"),
        (f"['{'a' * 50}', '{'b' * 50}']", f'[\n    "{"a" * 50}",\n    "{"b" * 50}",\n]'),
    ],
)
def test_a_value_gets_the_standard_spacing_and_quotes(value: str, wanted: str) -> None:
    assert standard_text(value) == wanted
    assert standard_text(wanted) == wanted


def test_a_text_that_would_mean_something_else_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    def wrong(text: str, room: int) -> str:
        return "1"

    monkeypatch.setattr(formatting, "standard_text", wrong)
    with pytest.raises(GraphFileError, match="would change its meaning"):
        shaped("x = 2\n")
