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
