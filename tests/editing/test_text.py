"""The text of an edited graph file reads as if somebody had edited it by hand."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from stepgraph.editing import Part
from stepgraph.editing.text import design_text, losses, parts_text, read_design, read_parts
from stepgraph.values.errors import GraphFileError
from tests.editing.letters import TEXT, after, edited

GRAPHS = sorted((Path(__file__).parents[2] / "graphs").glob("*.toml"))


# Tables


def test_tables_of_lists_go_and_come() -> None:
    one, two = "# one\n[[tools.a.returns]]\nx = 1\n", "# two\n[[tools.a.returns]]\nx = 2\n"
    design = read_design(f"[tools.a]\n\n{one}\n{two}")
    new = edited(design, design.tools["a"], returns=[{"x": 2}, {"x": 3}])
    assert design_text(new) == f"[tools.a]\n\n{two}\n[[tools.a.returns]]\nx = 3\n"
    new = edited(design, design.tools["a"], returns=[{"x": 0}, {"x": 1}, {"x": 2}])
    assert design_text(new) == f"[tools.a]\n\n[[tools.a.returns]]\nx = 0\n\n{one}\n{two}"
    new = edited(design, design.tools["a"], returns=[1])
    assert design_text(new) == "[tools.a]\nreturns = [1]\n"


# Other forms


# Pieces of files


def test_a_pasted_comment_without_a_place_is_told() -> None:
    (node,) = read_parts('[nodes.a]\r\nshow = [\r\n  "x", # gone\r\n]\r\n')
    design = replace(read_design(TEXT), parts=(node.having({"show": []}),))
    assert design_text(design).endswith("[nodes.a]\nshow = []\n\n# ---- edges ----\n")
    assert losses(design) == ["the pasted comment '# gone' has no place any more"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("hello there", "expected key = value"),
        ("x = 1\n[nodes.a]\n", "'x' is not a table of a graph"),
        ("[nodes]\nspeed = 5\n", "'nodes' is not a table of a graph"),
        ("", "there is no table in it"),
        ("# only a comment", "there is no table in it"),
        ("[[nodes]]\n", "'nodes' is not a table of a graph"),
        ("x = 1\n" * 200_000, "it is larger than 1 MB"),
    ],
)
def test_what_is_no_part_of_a_graph_is_refused(text: str, message: str) -> None:
    with pytest.raises(GraphFileError) as caught:
        read_parts(text)
    assert message in str(caught.value)


@pytest.mark.parametrize("text", ["x = ", "x = 1\nx = 2", "a" + ".a" * 99 + " = 1", "x = " + "[" * 999])
def test_a_text_that_is_no_graph_file_is_refused(text: str) -> None:
    with pytest.raises(GraphFileError) as caught:
        read_design(text, "graph.toml")
    assert caught.value.problems[0].place.file == "graph.toml"


# Corners


def test_a_part_that_has_only_deeper_tables_gets_one_of_its_own() -> None:
    text = "# deep\n[nodes.a.deep]\nx = 1\n"
    assert after(text, "a", type="llm") == f'[nodes.a]\ntype = "llm"\n\n{text}'
    assert after(text, "a", deep=None) == "[nodes.a]\n"


def test_a_new_key_joins_those_that_are_dotted() -> None:
    text = '[nodes.a]\narguments.x = 1\nargument = 1\noutput = "o"\n'
    assert after(text, "a", arguments={"x": 1, "y": 2}) == text.replace("x = 1\n", "x = 1\narguments.y = 2\n")
    assert after(text, "a", arguments={}) == '[nodes.a]\narguments = {}\nargument = 1\noutput = "o"\n'


def test_large_tables_in_large_tables_get_headers() -> None:
    deep = {"one": "1" * 99, "two": {"three": "3" * 99}}
    new = after("[nodes.a]\n\n[nodes.b]\n", "a", deep=deep)
    one = f'[nodes.a.deep]\none = "{"1" * 99}"\n'
    assert new == f'[nodes.a]\n\n{one}\n[nodes.a.deep.two]\nthree = "{"3" * 99}"\n\n[nodes.b]\n'


def test_comments_between_the_tables_of_a_part_stay_when_one_of_them_goes() -> None:
    text = "[nodes.a]\nx = 1\n\n# between\n\n[nodes.a.deep]\n"
    assert after(text, "a", deep=None) == "[nodes.a]\nx = 1\n# between\n"
    text = "[nodes.a.deep]\n\n# between\n\n# lead\n[nodes.a]\nx = 1\n"
    assert after(text, "a", deep=None) == "# between\n\n# lead\n[nodes.a]\nx = 1\n"
    design = read_design("[nodes.a.deep]\n\n# between\n\n[nodes.a.deeper]\n")
    new = edited(design, design.nodes["a"], deep=None, deeper=None)
    assert design_text(new) == "[nodes.a]\n"
    assert losses(new) == ["line 3: the comment '# between' has no place any more"]


def test_the_longest_lists_are_compared_item_by_item() -> None:
    old = "".join(f'    "{number}",  # {number}\n' for number in range(1200))
    new = [f"{number}!" for number in range(1199)]
    written = "".join(f'    "{number}!",  # {number}\n' for number in range(1199))
    assert after(f"[nodes.a]\nshow = [\n{old}]\n", "a", show=new) == f"[nodes.a]\nshow = [\n{written}]\n"


def test_dotted_keys_in_inline_tables_are_written_anew() -> None:
    start, end = "[nodes.a]\narguments = ", '\nnote = "n"\n'
    new = after(f"{start}{{ x.y = 1, x.z = 2 }}{end}", "a", arguments={"x": {"y": 2}})
    assert new == f"{start}{{ x = {{ y = 2 }} }}{end}"
    assert after("nodes = { a.x = 1, b = {} }\n", "a", x=2) == "[nodes.a]\nx = 2\n\n[nodes.b]\n"


def test_a_part_that_is_changed_or_new_can_be_copied() -> None:
    design = read_design(TEXT)
    node = design.nodes["draft"].having({"type": "llm"}, "x y")
    assert parts_text([node, Part("edges", "", {"from": "a"})]) == (
        '# the writer\n[nodes."x y"]  # a model\ntype = "llm"\n\n[[edges]]\nfrom = "a"\n'
    )
