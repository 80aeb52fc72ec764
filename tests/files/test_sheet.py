"""A graph file's text in pieces: they are the text, and each comment is with what it belongs to."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from stepgraph.toml.statements import statements
from stepgraph.toml.text import TomlText
from stepgraph.toml.values import comments_in

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


def test_comments_are_found_with_their_lines_and_not_in_texts() -> None:
    text = 'x = \'# no\' # one\ny = """\n# no\n"""  # two\n'
    assert list(comments_in(text)) == [(0, "# one"), (3, "# two")]
