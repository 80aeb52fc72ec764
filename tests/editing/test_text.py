"""The text of an edited graph file reads as if somebody had edited it by hand."""

from __future__ import annotations

import tomllib
from dataclasses import replace
from pathlib import Path

import pytest

from stepgraph.editing import Design, Part
from stepgraph.editing.text import design_text, losses, parts_text, read_design, read_parts
from stepgraph.values.errors import GraphFileError
from tests.editing.letters import TEXT, after, edited

GRAPHS = sorted((Path(__file__).parents[2] / "graphs").glob("*.toml"))


@pytest.mark.parametrize("path", GRAPHS, ids=lambda path: path.stem)
def test_a_shipped_graph_stays_as_it_is(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    design = read_design(text)
    assert design.document() == tomllib.loads(text)
    assert design_text(design) == text


# Tables


def test_a_renamed_table_keeps_everything_else() -> None:
    text = "# lead\n[ nodes . 'old' ]  # head\nx = 1\n\n[nodes.old.deep]\ny = 2\n"
    design = read_design(text)
    new = design_text(edited(design, design.nodes["old"], "a b"))
    assert new == '# lead\n[ nodes . "a b" ]  # head\nx = 1\n\n[nodes."a b".deep]\ny = 2\n'


def test_a_deleted_table_takes_its_comments_and_leaves_the_files_own() -> None:
    design = read_design(TEXT)
    without = design.replacing({design.nodes["review"]: [], design.edges[0]: [], design.edges[2]: []})
    assert design_text(without) == TEXT[: TEXT.index("# the reader")] + (
        '# ---- edges ----\n\n[[edges]]\nfrom = "draft"\nto = "END"\n'
    )
    assert losses(without) == []


def test_a_moved_edge_takes_its_comments_with_it() -> None:
    design = read_design(TEXT)
    first, second, third = design.edges
    moved = replace(design, parts=(*design.parts[:2], second, first, third))
    one = '# often\n[[edges]]\nfrom = "draft"\nto = "review"\nwhen = "step < 3"\n'
    two = '[[edges]]\nfrom = "draft"\nto = "END"\n'
    assert design_text(moved) == TEXT.replace(f"{one}\n{two}", f"{two}\n{one}")


def test_new_tables_stand_before_the_banner_of_what_follows_and_behind_their_own() -> None:
    design = read_design(TEXT)
    node, edge = Part("nodes", "new", {"type": "llm"}), Part("edges", "", {"from": "new", "to": "END"})
    both = replace(design, parts=(*design.parts[:2], node, edge, *design.parts[2:]))
    assert design_text(both) == TEXT.replace(
        "# ---- edges ----\n\n# often\n",
        '[nodes.new]\ntype = "llm"\n\n# ---- edges ----\n\n[[edges]]\nfrom = "new"\nto = "END"\n\n# often\n',
    )


@pytest.mark.parametrize("blank", ["", "\n", "\n\n"])
def test_a_new_table_stands_apart_as_the_others_do(blank: str) -> None:
    one, two = "[nodes.a]\nx = 1\n", "[nodes.b]\nx = 2\n"
    design = read_design(one + blank + two)
    new = design.inserting([Part("nodes", "c", {"x": 3})], design.nodes["a"])
    assert design_text(new) == blank.join([one, "[nodes.c]\nx = 3\n", two])


def test_a_file_without_a_last_newline_can_grow() -> None:
    design = read_design('[nodes.a]\nx = "1"  # end')
    new = design.inserting([Part("nodes", "b", {"x": 2})], design.nodes["a"])
    assert design_text(new) == '[nodes.a]\nx = "1"  # end\n\n[nodes.b]\nx = 2\n'
    assert after("[nodes.a]", "a", x=1) == "[nodes.a]\nx = 1\n"


def test_line_endings_and_the_mark_of_the_file_stay() -> None:
    text = "\ufeff# top\r\n\r\n[nodes.a]\r\nx = 1  # one\r\n"
    design = read_design(text)
    new = edited(design, design.nodes["a"], y="two\nlines")
    new = new.inserting([Part("nodes", "b", {"x": 1})], new.nodes["a"])
    added = 'y = """\r\ntwo\r\nlines"""\r\n\r\n[nodes.b]\r\nx = 1\r\n'
    assert design_text(new) == text + added


def test_a_table_apart_from_its_part_stays_there_until_something_between_changes() -> None:
    text = "[nodes.a]\nx = 1\n\n[nodes.b]\n\n# apart\n[nodes.a.deep]\ny = 1\n\n[nodes.c]\n"
    assert after(text, "a", deep={"y": 2}) == text.replace("y = 1", "y = 2")
    design = read_design(text)
    without = design.replacing({design.nodes["b"]: []})
    assert design_text(without) == "[nodes.a]\nx = 1\n\n# apart\n[nodes.a.deep]\ny = 1\n\n[nodes.c]\n"


def test_a_table_of_an_edge_never_comes_to_stand_behind_another_edge() -> None:
    text = '[[edges]]\nfrom = "a"\n\n[nodes.a]\n\n[edges.when]\nkey = "k"\n\n[[edges]]\nfrom = "b"\n'
    design = read_design(text)
    for place in range(1, 4):
        parts = list(design.parts)
        parts.insert(place, Part("edges", "", {"from": "new"}))
        new = replace(design, parts=tuple(parts))
        assert tomllib.loads(design_text(new)) == new.document()


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


def test_parts_in_one_value_stay_there_while_none_of_them_changes() -> None:
    text = """\
# all
edges = [  # two
    { from = "a", to = "b" },  # x
    # y
    { from = "b", to = "END" }
]

[nodes.a]
"""
    design = read_design(text)
    assert [edge.table["to"] for edge in design.edges] == ["b", "END"]
    assert design_text(edited(design, design.nodes["a"], x=1)) == text + "x = 1\n"
    new = edited(design, design.edges[1], label="on")
    assert design_text(new) == (
        '# all\n\n# two\n[[edges]]  # x\nfrom = "a"\nto = "b"\n\n'
        '# y\n[[edges]]\nfrom = "b"\nto = "END"\nlabel = "on"\n\n[nodes.a]\n'
    )
    assert losses(new) == []


def test_a_part_with_dotted_keys_gets_a_header_when_it_changes() -> None:
    text = '# kind\nnodes.a.type = "llm"  # cheap\nnodes.a.prompt = "x"\nnodes.b.type = "llm"\n'
    design = read_design(text)
    new = edited(design, design.nodes["a"], prompt="y")
    assert design_text(new) == (
        'nodes.b.type = "llm"\n\n[nodes.a]\n# kind\ntype = "llm"  # cheap\nprompt = "y"\n'
    )


def test_what_is_no_part_stays_with_the_settings() -> None:
    text = "nodes = 5\n\n[state]\nplain = 1\nkey = { input = true }\n\n[edges]\nx = 1\n"
    design = read_design(text)
    assert design.head == {"nodes": 5, "state": {"plain": 1}, "edges": {"x": 1}}
    assert list(design.keys) == ["key"]
    assert design.document() == tomllib.loads(text)
    new = replace(design, parts=(*design.parts, Part("nodes", "a", {"type": "llm"})))
    assert tomllib.loads(design_text(new)) == new.document()
    assert losses(new) == ["'nodes' is not a table of nodes in this file, and is replaced by the new ones"]


def test_an_empty_value_for_all_parts_gives_way_to_the_first() -> None:
    design = read_design("nodes = {}\nedges = []\n")
    new = replace(design, parts=(Part("nodes", "a", {}), Part("edges", "", {"from": "a"})))
    assert design_text(new) == '[nodes.a]\n\n[[edges]]\nfrom = "a"\n'


# Pieces of files


def test_parts_are_copied_with_their_comments_and_come_back() -> None:
    design = read_design(TEXT)
    text = parts_text([design.nodes["draft"], design.edges[0]])
    assert text == TEXT[TEXT.index("# the writer") : TEXT.index("\n# the reader")] + (
        '\n# often\n[[edges]]\nfrom = "draft"\nto = "review"\nwhen = "step < 3"\n'
    )
    node, edge = read_parts(text)
    assert (node.kind, node.name, edge.kind) == ("nodes", "draft", "edges")
    pasted = design.inserting([node.having(node.table, "draft_2")], design.nodes["review"])
    assert "\n# the writer\n[nodes.draft_2]  # a model\n" in design_text(pasted)


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


def test_a_design_that_was_never_in_a_file_is_written_in_the_usual_order() -> None:
    parts = (Part("nodes", "a", {"type": "llm"}), Part("edges", "", {"from": "a", "to": "END"}))
    text = design_text(Design({"start": "a", "name": "n", "format": 1}, parts))
    head = 'format = 1\nname = "n"\nstart = "a"\n'
    assert text == f'{head}\n[nodes.a]\ntype = "llm"\n\n[[edges]]\nfrom = "a"\nto = "END"\n'


def test_a_comment_may_hold_signs_that_end_lines_elsewhere() -> None:
    text = "nodes.a.x = 1  # one\u2028still\n# own\x85still\nnodes.a.y = 2\n"
    design = read_design(text)
    new = edited(design, design.nodes["a"], z=3)
    assert design_text(new) == ("[nodes.a]\nx = 1  # one\u2028still\n# own\x85still\ny = 2\nz = 3\n")


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


def test_a_header_for_all_parts_of_a_kind_stays_while_one_stands_there() -> None:
    text = '# all\n[nodes]\na = { type = "llm" }  # one\n'
    design = read_design(text)
    assert design_text(design.having({})) == text
    assert design_text(design.replacing({design.nodes["a"]: []}).having({})) == ""


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


def test_banners_of_what_is_gone_stand_below_each_other() -> None:
    text = "[nodes.a]\n\n# one\n\n[nodes.b]\n\n# two\n\n[nodes.c]\n\n# three\n"
    design = read_design(text)
    without = design.replacing({design.nodes["b"]: [], design.nodes["c"]: []})
    assert design_text(without) == "[nodes.a]\n\n# one\n\n# two\n\n# three\n"


def test_a_part_that_is_changed_or_new_can_be_copied() -> None:
    design = read_design(TEXT)
    node = design.nodes["draft"].having({"type": "llm"}, "x y")
    assert parts_text([node, Part("edges", "", {"from": "a"})]) == (
        '# the writer\n[nodes."x y"]  # a model\ntype = "llm"\n\n[[edges]]\nfrom = "a"\n'
    )


def test_an_edge_that_becomes_the_last_but_one_takes_its_far_tables_along() -> None:
    text = '[[edges]]\nfrom = "a"\n\n[nodes.a]\n\n# apart\n[edges.when]\nkey = "k"\n\n[[edges]]\nfrom = "b"\n'
    design = read_design(text)
    one, node, two = design.parts
    moved = replace(design, parts=(node, two, one))
    assert design_text(moved) == (
        '[nodes.a]\n\n[[edges]]\nfrom = "b"\n\n[[edges]]\nfrom = "a"\n\n# apart\n[edges.when]\nkey = "k"\n'
    )
