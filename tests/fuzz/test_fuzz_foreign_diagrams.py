"""Hostile diagrams give a graph that compiles and can be written, or one problem with its place."""

from __future__ import annotations

import re
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stepgraph import GraphFileError
from stepgraph.explain import all_codes
from stepgraph.files.writer import file_text
from stepgraph.formats.export import FORMATS, Exportable
from stepgraph.formats.reading import Imported, read_foreign, read_foreign_bytes
from stepgraph.values.errors import GraphError
from tests.examples import examples
from tests.fuzz.foreign_diagrams import DOT, FOREIGN_DIAGRAMS, LINKED, MERMAID, STATES

CODES = set(all_codes())


def read(text: str) -> Imported | None:
    """What is made of a text; None where it was refused, with all that belongs to a refusal."""
    try:
        return read_foreign(text, "x.txt")
    except GraphFileError as error:
        problems = error.problems
    assert problems
    lines = len(re.split("\r\n|\r|\n", text))
    for problem in problems:
        assert problem.code in CODES
        assert problem.message
        assert problem.place.file == "x.txt"
        assert problem.place.line is None or 1 <= problem.place.line <= lines
    return None


def hold(imported: Imported) -> None:
    """Check what holds for all that was made of a text."""
    plan = imported.graph.compile()
    for each in FORMATS:
        if each.name in ("mermaid", "dot", "json", "graphml"):
            each.write(Exportable.of_graph(plan))
    with suppress(GraphError, GraphFileError):  # some are beyond the limits of graph files
        file_text(imported.graph, "x.toml")


@given(text=FOREIGN_DIAGRAMS)
@examples(1_000, deadline=None)
def test_a_hostile_diagram_is_a_graph_or_is_told(text: str) -> None:
    imported = read(text)
    if imported is not None:
        hold(imported)


@given(data=st.binary(max_size=300))
@examples(200, deadline=None)
def test_hostile_bytes_are_a_graph_or_are_told(data: bytes) -> None:
    with suppress(GraphFileError):  # most of them end here
        hold(read_foreign_bytes(data, "x.txt"))


@pytest.mark.parametrize("text", [MERMAID, STATES, DOT, LINKED], ids=["flowchart", "states", "dot", "json"])
def test_the_diagrams_that_are_broken_here_are_right(text: str) -> None:
    imported = read(text)
    assert imported is not None
    hold(imported)


LONG = 3_000_000
HUGE = {
    "one long line": "flowchart TD; " + "a-->b; " * (LONG // 7),
    "a long id": "flowchart TD\n" + "a" * LONG,
    "a long text": 'flowchart TD\n a["' + "x" * LONG + '"] --> b',
    "brackets": "flowchart TD\n a" + "[" * LONG,
    "quotes": 'flowchart TD\n a["' + '"' * LONG,
    "arrows": "flowchart TD\n a " + "--> " * (LONG // 4),
    "lines": "flowchart TD\n a " + "-" * LONG,
    "dots": "flowchart TD\n a -" + "." * LONG,
    "open lines": "flowchart TD\n" + "a -- x\n" * (LONG // 7),
    "ands": "flowchart TD\n a " + "& a " * (LONG // 4),
    "bars": "flowchart TD\n a -->" + "|" * LONG,
    "data": "flowchart TD\n a@{" + "x: y, " * (LONG // 6),
    "blanks": "flowchart TD\n a" + " " * LONG + "b",
    "comments": "flowchart TD\n" + "%% x\n" * (LONG // 5) + "a --> b",
    "directives": "%%{" * (LONG // 3),
    "frontmatter": "---\n" + "title: x\n" * (LONG // 9),
    "dashes": "---\n" * (LONG // 4),
    "entities": 'flowchart TD\n a["' + "#35" * (LONG // 3) + '"] --> b',
    "tags": 'flowchart TD\n a["' + "<a" * (LONG // 2) + '"] --> b',
    "stars": 'flowchart TD\n a["`' + "**" * (LONG // 2) + '`"] --> b',
    "fences": "```mermaid\n" * (LONG // 11),
    "a fence without an end": "```mermaid\n" + "x\n" * (LONG // 2),
    "states": "stateDiagram-v2\n" + "a --> b : x\n" * (LONG // 12),
    "a state's dashes": "stateDiagram-v2\n a" + "-" * LONG,
    "a state's colons": "stateDiagram-v2\n a" + ":" * LONG,
    "composite ends": "stateDiagram-v2\n state a {\n"
    + "".join(f"b{n} --> [*]\n" for n in range(3_000))
    + "}\n"
    + "".join(f"a --> c{n}\n" for n in range(300)),
    "dot": "digraph {" + "a -> b;" * (LONG // 7) + "}",
    "dot comments": "/*" * (LONG // 2),
    "dot hashes": "#\n" * (LONG // 2),
    "dot blanks": " \n" * (LONG // 2) + "digraph",
    "dot quotes": "digraph {" + '"' * LONG,
    "dot backslashes": 'digraph {"' + "\\" * LONG,
    "dot joined": "digraph {" + '"a"+' * (LONG // 4),
    "dot angles": "digraph { a [label=" + "<" * LONG,
    "dot attributes": "digraph { a " + "[x=y]" * (LONG // 5),
    "dot words": "digraph {" + "a " * 1_000_001,
    "dot braces": "digraph " + "{" * LONG,
    "dot products": "digraph { " + "{a b c d e f g h} -> " * 20_000 + "z }",
    "json tables": '{"a":' * (LONG // 5),
    "json lists": "[" * LONG,
    "json texts": '{"nodes": ["' + "x" * LONG + '"], "edges": []}',
    "json edges": '{"nodes": [{"id": 1}], "edges": [' + '{"source": 1, "target": 1},' * (LONG // 27) + "0]}",
    "json backslashes": '{"a": "' + "\\" * LONG,
    "json keys twice": "{" + '"a": 1,' * (LONG // 7) + '"a": 1}',
    "json digits": '{"a": ' + "1" * LONG + "}",
    "xml": '<?xml version="1.0"?><!DOCTYPE l [<!ENTITY l0 "l">'
    + "".join(f'<!ENTITY l{n} "&l{n - 1};&l{n - 1};&l{n - 1};&l{n - 1};">' for n in range(1, 60))
    + "]><l>&l59;</l>",
}


@pytest.mark.parametrize("name", HUGE)
def test_what_is_huge_takes_no_longer_than_reading_it(name: str) -> None:
    """A reader that goes over a text once for each of its parts would run into the time limit."""
    imported = read(HUGE[name])
    assert imported is None or len(imported.graph.nodes) < 10
