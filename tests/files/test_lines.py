"""From a path in a graph file to its line."""

from __future__ import annotations

import pytest

from stepgraph.toml.syntax import SourceText

TEXT = '''# a comment with [brackets] and "quotes
format = 1
name = "router"
a.b = [1, # one
  {c = 2}, """x
y"""]
"q.r" = 1

[nodes.draft]
prompt = """
[not.a.header]
start = "no"
"""
type = "llm"

[nodes.'two words'.arguments]
list = [[1], [2,
3]]

[[edges]]
from = "draft"
when = { key = "x", equals = { deep = 1 } }

[[edges]]
to = "END"
[edges.when]
key = 1
'''


@pytest.mark.parametrize(
    ("path", "line"),
    [
        (("format",), 2),
        (("a",), 4),
        (("a", "b", 0), 4),
        (("a", "b", 1, "c"), 5),
        (("a", "b", 2), 5),
        (("q.r",), 7),
        (("nodes",), 9),
        (("nodes", "draft", "prompt"), 10),
        (("nodes", "draft", "type"), 14),
        (("nodes", "two words"), 16),
        (("nodes", "two words", "arguments", "list", 1), 17),
        (("nodes", "two words", "arguments", "list", 1, 1), 18),
        (("edges",), 20),
        (("edges", 0, "when", "equals", "deep"), 22),
        (("edges", 1), 24),
        (("edges", 1, "when", "key"), 27),
    ],
)
def test_every_part_has_its_line(path: tuple[str | int, ...], line: int) -> None:
    assert SourceText(TEXT, b"")(path) == line


@pytest.mark.parametrize(
    ("path", "line"),
    [
        (("start",), 1),
        (("nodes", "draft", "output"), 9),
        (("nodes", "unknown", "prompt"), 9),
        (("edges", 1, "from"), 24),
        (("edges", 7, "from"), 20),
        ((), 1),
    ],
)
def test_a_missing_part_has_the_line_of_what_would_hold_it(path: tuple[str | int, ...], line: int) -> None:
    assert SourceText(TEXT, b"")(path) == line


def test_broken_text_is_scanned_as_far_as_it_goes() -> None:
    source = SourceText("[a\n= 1\n] }\nb = [ } ]\n[]\nc = 'x\nd = 1", b"")
    assert source(("d",)) == 7
    assert SourceText("[=]\n'k = 1\ne = 2", b"")(("e",)) == 3


def test_empty_text_is_line_one() -> None:
    assert SourceText("", b"")(("name",)) == 1
