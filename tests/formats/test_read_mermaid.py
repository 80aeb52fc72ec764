"""Mermaid diagrams of others: read as Mermaid itself reads them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from stepgraph import END, GraphFileError, StateGraph, check
from stepgraph.extras.diagrams.read_flowchart import _Flowchart
from stepgraph.formats.reading import read_foreign
from tests.formats.mermaid_page import Mermaid, mermaid_page
from tests.formats.random_graphs import run_of

FLOWCHARTS = {
    "shapes": """flowchart TD
        a[box] --> b(round) --> c([stadium]) --> d[[subroutine]] --> e[(store)]
        e --> f((circle)) --> g>flag] --> h{rhombus} --> i{{hexagon}}
        i --> j[/lean/] --> k[\\left\\] --> l[/trapezoid\\] --> m[\\inverse/] --> n(((double)))
        n --> o@{ shape: rounded, label: "new one" } --> p@{ shape: diam }
    """,
    "quoted": """flowchart LR
        a["say #quot;yes#quot;"] --> b["(a [b] {c})"] --> c["x #35; y"]
        c --> d["1 #lt; 2 #amp; 3"] -->|"a | b"| e["end"]
    """,
    "lines": """graph TB
        a --> b
        a --- c
        a -.-> d
        a -.- e
        a ==> f
        a === g
        a --o h
        a --x i
        a ----> j
        a -...-> k
        a ====> l
    """,
    "texts": """graph LR;
        a -->|one| b;
        b -- two words --> c;
        c -. three .-> d;
        d == four ==> e;
        e ---|five| f;
        f -- six --- g;
        g -->|"quoted; text"| h
        h -- "quoted --> text" --> i
    """,
    "chains and groups": """flowchart TD
        a --> b --> c
        a & b --> d & e
        f --> g & h --> i
        a-->j-->k
        a---->m
    """,
    "odd names": """flowchart TD
        a-b --> c_d --> e.f --> 1 --> 2nd
        \u5b66 --> caf\u00e9
        endpoint --> graphs --> styles
        A1-->B2
    """,
    "statements that are no nodes": """%%{init: {"theme": "dark"}}%%
        flowchart TD
        %% a comment --> x
        accTitle: a title
        accDescr: a --> b
        a:::hot --> b
        classDef hot fill:#f00,stroke:#333;
        class a,b hot
        style a fill:#f9f
        linkStyle 0 stroke:#ff3
        click a "https://example.org/a;b" "tip"
    """,
    "one line": "graph LR; a-->b; b-->c;c-->|x|a",
    "frontmatter": """---
title: Orders
config:
  theme: forest
---
flowchart TD
    a --> b
""",
    "markdown": 'flowchart TD\n    a["`plain words`"] --> b',
    "a line that goes on": "flowchart LR\n    a\n    --> b\n    --> c",
    "edge ids": "flowchart LR\n    a e1@--> b\n    e1@{ animate: true }\n    b --> c",
}


@pytest.fixture(scope="module")
def mermaid() -> Iterator[Mermaid]:
    with mermaid_page() as page:
        yield page


def ours(text: str) -> tuple[dict[str, str], list[tuple[str, ...]]]:
    """The nodes and edges that our reader finds, before a graph is made of them."""
    found = _Flowchart(text, "x.mmd").read()
    texts = {id: said or id for id, said in found.nodes.items()}
    return texts, [(edge.source, edge.target, edge.text) for edge in found.edges]


def imported(text: str) -> tuple[StateGraph, str]:
    made = read_foreign(text, "x.mmd")
    assert not [problem for problem in check(made.graph) if problem.is_error]
    assert run_of(made.graph, steps=60).error is None
    return made.graph, "\n".join(made.notes)


def ways(graph: StateGraph) -> list[tuple[str, str, str | None]]:
    return [(edge.source, edge.target, edge.label) for edge in graph.edges]


@pytest.mark.parametrize("name", FLOWCHARTS)
def test_flowcharts_are_read_as_mermaid_reads_them(mermaid: Mermaid, name: str) -> None:
    text = FLOWCHARTS[name]
    theirs: Any = mermaid.read(text)
    nodes, edges = ours(text)
    assert nodes == {id: said or id for id, said in theirs["nodes"].items()}
    assert edges == [(source, target, said) for source, target, said, *_ in theirs["edges"]]


@pytest.mark.parametrize("name", FLOWCHARTS)
def test_what_is_made_of_a_flowchart_compiles_and_runs(name: str) -> None:
    imported(FLOWCHARTS[name])


def test_boxes_are_opened_and_told_of() -> None:
    graph, notes = imported("""flowchart TB
        subgraph one [Part one]
            direction LR
            a1 --> a2
        end
        subgraph two
            subgraph three
                b1
            end
            b2
        end
        one --> two
        b1 --> b2 --> x
    """)
    assert ("a2", "b1", None) in ways(graph)
    assert "one" not in graph.nodes
    assert "boxes around nodes" in notes
    assert "leads to its first node" in notes


def test_both_ways_no_arrow_and_no_line_are_told_apart() -> None:
    graph, notes = imported("flowchart LR\n a <--> b\n b --- c\n c ~~~ a\n c --> d")
    assert ways(graph)[:4] == [("a", "b", None), ("b", "a", None), ("b", "c", None), ("c", "d", None)]
    assert "without an arrow" in notes
    assert "only arrange" in notes


@pytest.mark.parametrize(
    ("text", "code", "line", "said"),
    [
        ("flowchart XY\n a --> b", "F031", 1, "direction"),
        ("flowchart TD", "F031", None, "no nodes"),
        ("flowchart TD\n a --> ", "F031", 2, "a node is missing"),
        ("flowchart TD\n\n a -->|x b", "F031", 3, "has no end"),
        ("flowchart TD\n a[x --> b", "F031", 2, "has no end"),
        ("flowchart TD\n a -- x\n b --> c\n d", "F031", 2, "has no end"),
        ('flowchart TD\n a["x] --> b', "F031", 2, "has no end"),
        ("flowchart TD\n a b", "F031", 2, "'b' is neither a node nor a line"),
        ("flowchart TD\n subgraph x\n a --> b", "F031", 3, "'x' has no end"),
        ("flowchart TD\n a@{ shape: } --> b", "F031", 2, "cannot be read"),
        ("flowchart TD\n" + "subgraph x\n" * 101, "F032", 102, "nested too deeply"),
        ("flowchart TD\n" + "a --> b\n" * 20_001, "F032", None, "20,001 edges"),
        ("flowchart TD\n" + "\n".join(f"a{n} --> b{n}" for n in range(3_000)), "F032", None, "6,000 nodes"),
        (
            "flowchart TD\n" + "a & " * 5_000 + "b --> " + "c & " * 5_000 + "d",
            "F032",
            None,
            "more than 80,000 edges",
        ),
        ("sequenceDiagram\n A->>B: x", "F033", 1, "this is sequenceDiagram"),
        ("stateDiagram-v2\n a --> b\n state x <<fork>>", "F033", 3, "<<fork>>"),
        ("stateDiagram-v2\n state a {\n b --> c\n --\n d --> e\n }", "F033", 4, "side by side"),
        ("stateDiagram-v2\n a -> b", "F031", 2, "says nothing of a state"),
        ("stateDiagram-v2\n state a {\n b --> c", "F031", 3, "'a' has no end"),
        ("stateDiagram-v2\n }", "F031", 2, "closes nothing"),
        ("stateDiagram-v2\n note right of a\n hello", "F031", 3, "end note"),
    ],
    ids=lambda value: repr(value)[:40],
)
def test_what_cannot_be_read_is_told_with_its_line(text: str, code: str, line: int | None, said: str) -> None:
    with pytest.raises(GraphFileError) as caught:
        read_foreign(text, "x.mmd")
    [problem] = caught.value.problems
    assert (problem.code, problem.place.file) == (code, "x.mmd")
    assert said in problem.message + problem.hint
    if line is not None:
        assert problem.place.line == line


STATES = """stateDiagram-v2
    direction LR
    %% a comment
    [*] --> Still
    Still --> Moving : go
    state "On the move" as Moving
    Moving --> Still : stop [tired]
    Moving --> choose
    state choose <<choice>>
    choose --> Crash : too fast
    choose --> [*] : arrived
    Crash : It is over
    Crash --> [*]
    note right of Still
        a note --> of two lines
    end note
    note left of Crash : short
    classDef bad fill:#f00
    class Crash bad
"""


def test_a_state_diagram_becomes_a_graph() -> None:
    graph, notes = imported(STATES)
    assert list(graph.nodes) == ["Still", "Moving", "choose", "Crash"]
    assert graph.settings.start == "Still"
    assert ways(graph) == [
        ("Still", "Moving", "go"),
        ("Moving", "Still", "stop [tired]"),
        ("Moving", "choose", None),
        ("choose", "Crash", "too fast"),
        ("choose", END, "arrived"),
        ("Crash", END, None),
    ]
    assert (graph.nodes["Moving"].settings or {})["prompt"] == "On the move"
    assert notes == "notes are left out: 2"


def test_ours_is_known_by_its_mark_and_a_condition_that_was_edited_is_checked() -> None:
    text = """flowchart TD
        %% stepgraph 1: names and labels
        START([START])
        a["a b"] -->|"low [score < 3]"| a
        START --> a
        a --> END([END])
    """
    graph, _ = imported(text)
    assert list(graph.nodes) == ["a b"]
    assert [edge.condition.describe() for edge in graph.edges] == ["score < 3", "always"]
    assert graph.keys["score"].default == 3
    with pytest.raises(GraphFileError) as caught:
        read_foreign(text.replace("score < 3", "score <"), "x.mmd")
    assert caught.value.problems[0].place.line == 4
