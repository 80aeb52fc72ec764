"""A graph file's text in pieces: they are the text, and each comment is with what it belongs to."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from stepgraph.toml.statements import key_path, statements
from stepgraph.toml.text import TomlText
from stepgraph.toml.values import comments_in, elements

GRAPHS = sorted((Path(__file__).parents[2] / "graphs").glob("*.toml"))
STRANGE = [
    "",
    "\n",
    "# only",
    "\ufeff# marked\r\n\r\n[nodes.a]\r\n",
    'a = 1979-05-27 07:32:00 # time\nb="#"\t# text\n',
    "[ nodes . 'a#b' ] # head\n  x = [ # in\n 1, ] # out\n\n\n# end",
    'x = """\n[nodes.a]\n# no comment\n""" # comment\n[[edges]]\n',
    '\'a b\'."c\\"d" = {x = [1, \'}\'], y = "]"} # c\n',
    "x = '''\n''''' # c\n",
]


def sheet_of(text: str) -> TomlText:
    return TomlText(text, tomllib.loads(text.removeprefix("\ufeff")))


@pytest.mark.parametrize("text", [*STRANGE, *(path.read_text(encoding="utf-8") for path in GRAPHS)])
def test_the_pieces_are_the_text(text: str) -> None:
    assert "".join(statement.text for statement in statements(text)) == text
    toml = sheet_of(text)
    assert toml.mark + "".join(table.gap + table.text for table in toml.tables) + toml.end == text
    for table in toml.tables:
        assert "".join(item.text for item in table.body.items) + table.body.foot == table.inner


def test_a_statement_says_where_its_key_and_value_are() -> None:
    (item,) = statements("'a b' . c = [ # ]\n  1, ']' ] # behind\n")
    assert key_path(item.key) == ("a b", "c")
    assert item.text[item.opening : item.closing] == "[ # ]\n  1, ']' ]"


def test_text_that_is_no_toml_is_a_comment_for_itself() -> None:
    assert [statement.kind for statement in statements("= 1\n")] == ["comment"]


def test_comments_belong_to_what_they_stand_at() -> None:
    start = "# banner\n\n# own\nx = 1  # behind\n# foot\n\n# rule\n\n"
    toml = sheet_of(f"{start}# lead\n[nodes.a]  # head\n# own\nt = 1\n\n# end\n")
    top, node = toml.tables
    (item,) = top.body.items
    assert top.comment == ""
    assert (item.free, item.own, item.comment) == ("# banner\n\n", "# own\n", "# behind")
    assert (item.line, item.own_line, item.value_line) == (1, 3, 4)
    assert top.body.foot == "# foot\n"
    assert (node.gap, node.lead, node.comment, node.line) == ("\n# rule\n\n", "# lead\n", "# head", 9)
    assert toml.end == "\n# end\n"


def test_parts_are_found_in_every_form() -> None:
    toml = sheet_of(
        "state = { a = {}, b.x = 1 }\ntools.look.note = '1'\nnodes.plain = 5\nedges = [{}]\n"
        "[tools.look.returns]\n[nodes.c]\n[extra]\nx = 1\n"
    )
    assert [part_text.path for part_text in toml.part_texts] == [
        ("state", "a"),
        ("state", "b"),
        ("tools", "look"),
        ("edges", 0),
        ("nodes", "c"),
    ]
    assert toml.head == {"nodes": {"plain": 5}, "extra": {"x": 1}}
    assert [part_text.name for part_text in toml.part_texts] == ["a", "b", "look", "", "c"]
    look = toml.part_texts[2]
    assert [table.text for table in look.tables] == [
        "[tools.look]\nnote = '1'\n",
        "[tools.look.returns]\n",
    ]


def test_the_items_of_a_list_have_their_comments() -> None:
    items, below = elements("[ # a\n 1 # b\n # c\n, # d\n # e\n [2, # f\n], {x = '#'} # g\n # h\n]")
    assert [(item.text, item.above, item.behind) for item in items] == [
        ("1", ["# a", "# c"], "# b"),
        ("[2, # f\n]", ["# d", "# e"], ""),
        ("{x = '#'}", [], "# g"),
    ]
    assert below == ("# h",)


def test_the_pairs_of_an_inline_table_have_keys_and_values() -> None:
    items, _ = elements("{ a.'b c' = [1, 2], d = { e = '=' } }")
    assert [(item.path, item.value) for item in items] == [(("a", "b c"), "[1, 2]"), (("d",), "{ e = '=' }")]


def test_comments_are_found_with_their_lines_and_not_in_texts() -> None:
    text = 'x = \'# no\' # one\ny = """\n# no\n"""  # two\n'
    assert list(comments_in(text)) == [(0, "# one"), (3, "# two")]
