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


@pytest.mark.parametrize(
    ("text", "code", "line", "message", "hint"),
    [
        (HEAD.removeprefix("format = 1\n") + NODE + EDGE, "F008", 1, "does not say its format", "format = 1"),
        (
            HEAD + "max_step = 3\n" + NODE + EDGE,
            "F020",
            4,
            "the graph: unknown key 'max_step'",
            "'max_steps'",
        ),
        (
            HEAD + 'max_steps = "3"\n' + NODE + EDGE,
            "F022",
            4,
            "'max_steps' takes a whole number, not the text",
            "",
        ),
        (HEAD + "max_steps = 3.5\n" + NODE + EDGE, "F022", 4, "'max_steps' takes a whole number", ""),
        (HEAD + "max_seconds = true\n" + NODE + EDGE, "F022", 4, "'max_seconds' takes a number", ""),
        (
            HEAD + "feedback = 1\n" + NODE + EDGE,
            "F022",
            4,
            "'feedback' takes true or false, not the number 1",
            "",
        ),
        (
            HEAD + 'on_max_steps = "flags"\n' + NODE + EDGE,
            "F022",
            4,
            "'on_max_steps' takes return_last, flag or fail, not the text \"flags\"",
            "did you mean 'flag'?",
        ),
        (HEAD + 'no_feedback = ["a", 2]\n' + NODE + EDGE, "F022", 4, "'no_feedback[1]' takes text", ""),
        (HEAD + "state = 3\n" + NODE + EDGE, "F022", 4, "'state' takes a table, not the number 3", ""),
        (
            HEAD + '[state.n]\ntype = "numbr"\n' + NODE + EDGE,
            "F022",
            5,
            "state key 'n': 'type' takes text, number",
            "did you mean 'number'?",
        ),
        (
            HEAD + "[state]\nn = 3\n" + NODE + EDGE,
            "F022",
            5,
            "state key 'n' must be a table, not the number 3",
            "",
        ),
        (
            HEAD + "[state.n]\ndefault = 2026-01-01\n" + NODE + EDGE,
            "F023",
            5,
            "state.n.default is a date",
            "quotes",
        ),
        (HEAD + "[state.n]\ndefault = [1, nan]\n" + NODE + EDGE, "F023", 5, "state.n.default.1 is nan", ""),
        (
            HEAD + '[tools.t]\nreturn = {}\nhandler = "m:f"\n' + NODE + EDGE,
            "F020",
            5,
            "tool 't': unknown key",
            "returns",
        ),
        (
            HEAD + NODE + 'review = "befor"\n' + EDGE,
            "F022",
            7,
            "node 'a': 'review' takes before, after or never",
            "did you mean 'before'?",
        ),
        (HEAD + '[nodes.a]\nprompt = "x"\n' + EDGE, "F021", 4, "node 'a' has no type", "type ="),
        (HEAD + "[nodes]\na = 3\n" + EDGE, "F022", 5, "node 'a' must be a table, not the number 3", ""),
        (HEAD + "[nodes.a]\ntype = 3\n" + EDGE, "F022", 5, "node 'a': 'type' takes text", ""),
        (
            HEAD + NODE + EDGE + 'lable = "x"\n',
            "F020",
            10,
            "edge 1 (a -> END): unknown key 'lable'",
            "'label'",
        ),
        (
            HEAD + NODE + EDGE + "when = 3\n",
            "F022",
            10,
            "edge 1 (a -> END): 'when' takes text or a table",
            "",
        ),
        (HEAD + NODE + EDGE + 'when = {key = "n"}\n', "F021", 10, "'when' has no 'equals'", "key"),
        (HEAD + NODE + EDGE + "when = {key = 1, equals = 1}\n", "F022", 10, "'key' takes text", ""),
        (HEAD + NODE + EDGE + 'when = {equals = 1, keys = "n"}\n', "F020", 10, "unknown key 'keys'", "'key'"),
        (
            HEAD + NODE + EDGE + 'when = {predicate = "m.f"}\n',
            "G021",
            10,
            "'m.f' is not written as module:function",
            "",
        ),
        (
            HEAD + NODE + EDGE + 'when = {predicate = "python"}\n',
            "G021",
            10,
            "'python' is not written as",
            "",
        ),
        (HEAD + NODE + EDGE + '[[edges]]\nfrom = "a"\n', "F021", 10, "edge 2 has no 'to'", "to ="),
        ("edges = [3]\n" + HEAD + NODE, "F022", 1, "edge 1 must be a table, not the number 3", ""),
    ],
)
def test_what_does_not_fit_is_told_with_its_line(
    write: WriteText, text: str, code: str, line: int, message: str, hint: str
) -> None:
    path = write(text)
    found = [problem for problem in problems(read_graph(path)) if problem.code == code]
    assert message in found[0].message
    assert hint in found[0].hint
    assert (found[0].place.file, found[0].place.line) == (str(path), line)


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


def test_places_name_node_edge_and_key(write: WriteText) -> None:
    text = HEAD + NODE + "review = 1\n" + EDGE + "label = 1\n[tools.t]\nnote = 1\nhandler = 'm:f'\n"
    places = [problem.place for problem in read_graph(write(text)).noted]
    assert [(place.node, place.edge, place.key) for place in places] == [
        (None, None, "tools.t.note"),
        ("a", None, "review"),
        (None, 0, "label"),
    ]


def test_end_is_read_in_both_spellings(write: WriteText) -> None:
    graph = read_graph(write(HEAD + NODE + EDGE + '[[edges]]\nfrom = "a"\nto = "__END__"\n'))
    assert [edge.target for edge in graph.edges] == ["END", "END"]
    assert graph.noted == []


def test_a_graph_knows_its_file(write: WriteText, monkeypatch: pytest.MonkeyPatch) -> None:
    path = write(HEAD + NODE + EDGE)
    monkeypatch.chdir(path.parent)
    graph = StateGraph.from_file("graph.toml")
    assert graph.source == path
    assert graph.locate is not None
    assert graph.locate(("nodes", "a", "prompt")) == 6


def test_reading_and_checking_import_no_handler(write: WriteText) -> None:
    write('raise SystemExit("imported")', "bomb.py")
    text = (
        HEAD
        + '[tools.t]\nhandler = "bomb:f"\n[nodes.a]\ntype = "handler"\nhandler = "bomb:g"\n'
        + EDGE
        + 'when = {predicate = "bomb:h"}\n[[edges]]\nfrom = "a"\nto = "END"\n'
    )
    graph = read_graph(write(text))
    assert graph.compile().definition_hash
    assert graph.noted == []
