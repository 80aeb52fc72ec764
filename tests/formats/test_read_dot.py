"""DOT of others: read as Graphviz itself reads it."""

from __future__ import annotations

import pytest

from stepgraph import END, GraphFileError, StateGraph, check
from stepgraph.extras.diagrams.read_dot import _Digraph
from stepgraph.formats.reading import read_foreign
from tests.formats.random_graphs import run_of
from tests.formats.test_dot import drawn, needs_graphviz, said

DIGRAPHS = {
    "plain": "digraph { a -> b; b -> c }",
    "named": 'strict digraph "My graph" { a -> b }',
    "chains": "digraph g { a -> b -> c -> a; x; y }",
    "attributes": 'digraph { a [label="one", shape=box]; b [label=two][color=red]; a -> b [label="go"] }',
    "defaults": """digraph {
        node [label="same"]; a; b [label="other"]
        edge [label="all"]; a -> b; b -> a [label="one"]
    }""",
    "subgraphs": "digraph { subgraph cluster_a { label=x; a; b } subgraph { c } {d e} a -> {b c} -> {d e} }",
    "inner defaults": 'digraph { { node [label="in"]; a } b; a -> b; {edge [label="e"]; b -> c} c -> a }',
    "ports": "digraph { a:n -> b:s:w; a:e -> c }",
    "quotes": r'digraph { "a \"b\"" -> "c d"; "e" + "f" -> "g h"; 1 -> -2.5; _x -> y1 }',
    "escapes": r"""digraph {
        a [label="one\ntwo\lthree\r"]; b [label="\N!"]; c [label="x\\y"]; d [label="&lt;&amp;"]
        a -> b -> c -> d
    }""",
    "comments": "// one\n# two\n/* three -> four */ digraph { a -> b // five\n /* six */ b -> c }",
    "settings": "digraph { rankdir=LR; size = 7.5; graph [bgcolor=white] a -> b; splines=ortho }",
    "unicode": 'digraph { \u5b66 -> caf\u00e9; "\U0001f680" -> \u5b66 }',
    "keywords in odd letters": "DiGraph { NODE [shape=box]; SubGraph x { a } Edge [color=red] a -> b }",
    "separators": "digraph { a -> b; c -> d e\n f }",
    "back and both": "digraph { a -> b [dir=back]; b -> c [dir=both]; c -> d [dir=none] }",
}


def ours(text: str) -> _Digraph:
    found = _Digraph(text, "x.dot")
    found.read()
    return found


def imported(text: str) -> tuple[StateGraph, str]:
    made = read_foreign(text, "x.dot")
    assert not [problem for problem in check(made.graph) if problem.is_error]
    assert run_of(made.graph, steps=60).error is None
    return made.graph, "\n".join(made.notes)


@needs_graphviz
@pytest.mark.parametrize("name", [name for name in DIGRAPHS if name != "back and both"])
def test_digraphs_are_read_as_graphviz_reads_them(name: str) -> None:
    theirs = drawn(DIGRAPHS[name])
    nodes = [each for each in theirs["objects"] if "nodes" not in each and "subgraphs" not in each]
    nodes = [each for each in nodes if not each["name"].startswith(("cluster", "%"))]
    found = ours(DIGRAPHS[name])._found
    shown = {each["name"]: each["label"] for each in nodes}
    mended = {
        id: said(text.replace("\\N", id).replace("\\l", "\\n").replace("\\r", "\\n"))
        for id, text in shown.items()
    }
    if name == "escapes":
        mended["d"] = "<&"
    assert {id: text or id for id, text in found.nodes.items()} == mended
    ids = {each["_gvid"]: each["name"] for each in theirs["objects"]}
    edges = [(ids[each["tail"]], ids[each["head"]], each.get("label", "")) for each in theirs["edges"]]
    assert sorted((edge.source, edge.target, edge.text) for edge in found.edges) == sorted(edges)


@pytest.mark.parametrize("name", DIGRAPHS)
def test_what_is_made_of_a_digraph_compiles_and_runs(name: str) -> None:
    imported(DIGRAPHS[name])


def test_points_and_hidden_edges_are_no_nodes_and_no_edges() -> None:
    graph, notes = imported(
        "digraph { i [shape=point]; o [shape=point]; i -> b; a -> o; b -> a; a -> b [style=invis] }"
    )
    assert list(graph.nodes) == ["b", "a"]
    assert graph.settings.start == "b"
    assert [(edge.source, edge.target) for edge in graph.edges] == [("a", END), ("b", "a")]
    assert "only arrange" in notes


@pytest.mark.parametrize(
    ("text", "code", "line", "message"),
    [
        ("graph { a -- b }", "F033", 1, "no direction"),
        ("digraph { a -- b }", "F031", 1, "-- stands"),
        ("digraph {\n a -> b\n", "F031", 3, "} is missing"),
        ("digraph {\n a -> }", "F031", 2, "a node is missing"),
        ('digraph {\n a [label="x]\n}', "F031", 2, "has no end"),
        ("digraph {\n a [label=<b]\n}", "F031", 2, "has no end"),
        ("digraph {\n a [=]\n}", "F031", 2, "] is missing"),
        ("digraph {\n a [label=]\n}", "F031", 2, "a value is missing"),
        ("digraph {\n a ! b\n}", "F031", 2, "'!' has no meaning"),
        ("digraph {\n a: -> b\n}", "F031", 2, "a port is missing"),
        ("digraph { x = }", "F031", 1, "a value is missing"),
        ("digraph { }", "F031", None, "no nodes"),
        ("digraph " + "{" * 101, "F032", 1, "nested too deeply"),
        ("digraph {" + "subgraph {" * 100_000, "F032", 1, "nested too deeply"),
        ("digraph {" + "\n a -> b;" * 20_001 + "}", "F032", None, "20,001 edges"),
        (
            "digraph {{"
            + " ".join(f"a{n}" for n in range(400))
            + "} -> {"
            + " ".join(f"b{n}" for n in range(400))
            + "}}",
            "F032",
            None,
            "more than 80,000 edges",
        ),
        ("digraph { a -> b /* no end }", "F031", 1, "'/' has no meaning"),
    ],
    ids=lambda value: repr(value)[:40],
)
def test_what_cannot_be_read_is_told_with_its_line(
    text: str, code: str, line: int | None, message: str
) -> None:
    with pytest.raises(GraphFileError) as caught:
        read_foreign(text, "x.dot")
    [problem] = caught.value.problems
    assert (problem.code, problem.place.file) == (code, "x.dot")
    assert message in problem.message
    assert line is None or problem.place.line == line
