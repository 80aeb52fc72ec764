"""What is wrong inside a graph file: all of it at once, in plain words, with lines."""

from __future__ import annotations

import pytest

from stepgraph import GraphError, StateGraph
from stepgraph.files import read_graph
from stepgraph.values.problems import Problem

from .conftest import WriteText

HEAD = 'format = 1\nname = "x"\nstart = "a"\n'
NODE = '[nodes.a]\ntype = "approval"\nprompt = "Go on?"\n'
EDGE = '[[edges]]\nfrom = "a"\nto = "END"\n'


def problems(graph: StateGraph) -> list[Problem]:
    """Everything that the compiler reports."""
    with pytest.raises(GraphError) as caught:
        graph.compile()
    return list(caught.value.problems)


def test_everything_is_told_at_once_and_nothing_is_told_falsely(write: WriteText) -> None:
    text = (
        'format = 1\nname = "x"\nstart = "a"\nmax_steps = "3"\n'
        '[nodes.a]\nprompt = "x"\n'
        '[nodes.b]\ntype = "approval"\nprompt = "x"\nreview = 1\n'
        '[[edges]]\nfrom = "a"\nto = "b"\nlabel = 3\n'
        '[[edges]]\nfrom = "b"\nto = "END"\nwhen = {key = "n"}\n'
    )
    codes = sorted(problem.code for problem in problems(read_graph(write(text))))
    # no unknown node, no node without an edge: what is right was built
    assert codes == ["F021", "F021", "F022", "F022", "F022"]


def test_end_is_read_in_both_spellings(write: WriteText) -> None:
    graph = read_graph(write(HEAD + NODE + EDGE + '[[edges]]\nfrom = "a"\nto = "__END__"\n'))
    assert [edge.target for edge in graph.edges] == ["END", "END"]
    assert graph.noted == []


def test_keys_in_a_table_that_is_not_there_are_written_outside_of_it(write: WriteText) -> None:
    text = 'format = 1\n[graph]\nname = "x"\nstart = "a"\n' + NODE + EDGE
    unknown = [problem for problem in problems(read_graph(write(text))) if problem.code == "F020"]
    assert [(problem.place.line, problem.hint) for problem in unknown] == [
        (2, "write name, start at the top of the file, not in a table graph")
    ]
