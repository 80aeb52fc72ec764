"""A megabyte of anything is read, or refused, at once: no time grows with the square of a text."""

from __future__ import annotations

import pytest

from stepgraph import GraphFileError
from stepgraph.formats.reading import read_foreign

MEGABYTE = 1_000_000


def much(piece: str) -> str:
    return piece * (MEGABYTE // len(piece))


ENDLESS = {
    "directives that do not end": "flowchart TD\n" + much("%%{"),
    "blank lines": much(" \n") + "x",
    "blanks in one line": much(" ") + "x",
    "attributes for many braces": "digraph {node ["
    + " ".join(f"k{number}=v" for number in range(40_000))
    + "] "
    + "{x} " * 120_000,
    "a page for each node": 'digraph { node [label="'
    + much("x&amp;")
    + '"] '
    + " ".join(f"a{number}" for number in range(2_000))
    + " }",
    "a page for each edge": 'digraph { edge [label="' + much("x&amp;") + '"] ' + "a -> b;" * 2_000 + " }",
    "a box in a box": "flowchart TD\n" + much("subgraph a\n"),
    "quotes": 'flowchart TD\na["' + much("x\\"),
    "an open table": '{"a":"' + much('\\"'),
}


@pytest.mark.parametrize("text", ENDLESS.values(), ids=ENDLESS)
def test_what_has_no_end_is_refused(text: str) -> None:
    with pytest.raises(GraphFileError) as caught:
        read_foreign(text, "large")
    assert [problem.code[:3] for problem in caught.value.problems] == ["F03"]


def test_directives_are_left_out_and_lines_stay_where_they_are() -> None:
    text = "%%{init:\n{}}%%\nflowchart TD\n%%{ a }%% a --> b\n%%{ b\nc --> ]\n"
    with pytest.raises(GraphFileError) as caught:
        read_foreign(text, "lines")
    assert caught.value.problems[0].place.line == 6
    made = read_foreign("%%{init: {}}%%" * 50_000 + "\nflowchart TD\na --> b\n", "many")
    assert list(made.graph.nodes) == ["a", "b"]


def test_lines_that_are_not_shown_are_not_counted_one_by_one() -> None:
    group = " & ".join(["n"] * 15_000)
    made = read_foreign(f"flowchart TD\n{group} ~~~ {group}\nn --> m\n", "hidden")
    assert list(made.graph.nodes) == ["n", "m"]
    assert "lines that are not shown only arrange a diagram, and are left out" in made.notes
