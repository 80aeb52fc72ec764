"""The standard shape of a graph file: nothing is lost, and what was laid out on purpose stays."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from stepgraph.toml import formatting
from stepgraph.toml.formatting import formatted
from stepgraph.toml.values import standard_text
from stepgraph.values.errors import GraphFileError

GRAPHS = sorted((Path(__file__).parents[2] / "graphs").glob("*.toml"))
ROUGH = '''\
#  Letters


name='letters'   # aligned


# -- what it knows --
max_steps    =    1_000
format=1
[[edges]]
from="a"
to = "END" #at last
# foot

# ---- nodes ----

   # the writer
   [ nodes . "a" ]   # a model
   type="llm"


   # said
   prompt = """
Dear "Ana"
"""
   replies = ["1",
     "2" ,  # two
   ]
   arguments={x="1",y={z=0x10}}

[state]
k = { default = [ ] }
'''
SMOOTH = '''\
#  Letters

name = "letters"  # aligned

# -- what it knows --
max_steps = 1_000
format = 1

[state.k]
default = []

# ---- nodes ----

# the writer
[nodes.a]  # a model
type = "llm"

# said
prompt = """
Dear "Ana"
"""
replies = [
    "1",
    "2",  # two
]
arguments = { x = "1", y = { z = 0x10 } }

[[edges]]
from = "a"
to = "END"  #at last
# foot
'''


def shaped(text: str) -> str:
    return formatted(text, tomllib.loads(text.removeprefix("\ufeff")))


@pytest.mark.parametrize("path", GRAPHS, ids=lambda path: path.stem)
def test_the_shipped_graphs_are_in_the_standard_shape(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert shaped(text) == text


def test_a_rough_file_gets_the_standard_shape_with_all_its_comments() -> None:
    assert shaped(ROUGH) == SMOOTH
    assert shaped(SMOOTH) == SMOOTH


def test_tables_get_their_usual_order_and_those_of_a_kind_keep_theirs() -> None:
    text = """\
[[edges]]
from = "b"

[nodes.b]

# deep
[nodes.a.deep]
x = 1

[[edges]]
from = "a"

[tools.t]

[nodes.a]
y = 1

[state.s]
"""
    assert [line for line in shaped(text).split("\n") if line] == [
        *("[state.s]", "[tools.t]", "[nodes.b]", "# deep", "[nodes.a.deep]", "x = 1", "[nodes.a]", "y = 1"),
        *("[[edges]]", 'from = "b"', "[[edges]]", 'from = "a"'),
    ]


def test_what_stands_at_the_top_and_at_the_end_stays_there() -> None:
    text = "# top\n\n\n[nodes.a]\n[state.s]\n\n\n# end"
    assert shaped(text) == "# top\n\n[state.s]\n\n[nodes.a]\n\n# end\n"


def test_a_long_inline_table_gets_a_header_and_its_comments() -> None:
    text = f"[nodes.a]\n# one\nx = {{ y = '{'1' * 99}' }} # two\nz = 1\n"
    assert shaped(text) == f'[nodes.a]\nz = 1\n\n# one\n[nodes.a.x]  # two\ny = "{"1" * 99}"\n'


def test_line_endings_and_the_mark_stay() -> None:
    text = '\ufeff# top\r\n\r\nx=1\r\n[nodes.a]\r\nt = """\r\na\r\n"""\r\n'
    assert shaped(text) == text.replace("x=1\r\n", "x = 1\r\n\r\n")


def test_what_is_no_graph_is_formatted_too() -> None:
    text = "nodes=5\nedges={x=1}\n[[plans]]\n[extra.deep]\ny=[ 1,2 ]\n"
    assert shaped(text) == "nodes = 5\nedges = { x = 1 }\n\n[[plans]]\n\n[extra.deep]\ny = [1, 2]\n"


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
