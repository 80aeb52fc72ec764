"""Diagrams that somebody has made to break a reader of them."""

from __future__ import annotations

import json

from hypothesis import strategies as st

MERMAID = """---
title: x
---
%%{init: {}}%%
flowchart TD
    START([Start]) --> a["say #quot;x#quot;"] -->|"yes [x < 3]"| b{c} & d
    subgraph one [two]
        b -- text --> e((f)) -.-> g@{ shape: rect, label: "h" }
    end
    e e1@==> i:::cls ~~~ j
    click a "x"
"""
STATES = """stateDiagram-v2
    [*] --> a
    state "x" as a {
        [*] --> b : go
        b --> [*]
    }
    state c <<choice>>
    a --> c
    note left of a : x
    c --> [*]
"""
DOT = r"""strict digraph "x" {
    // comment
    graph [stepgraph=1 label="x"] node [shape=box];
    a [label="one\n&#27;"]; a -> {b c} -> "d\"" [label=<<b>x</b>>];
    subgraph cluster_x { a:n -> e /* y */ }
    START -> a; a -> END
}
"""
LINKED = json.dumps(
    {
        "directed": True,
        "graph": {"name": "x", "stepgraph": {"format": 1, "name": "x", "start": "a"}},
        "nodes": [{"id": "a", "stepgraph": {"type": "llm", "prompt": "x"}}, {"id": "END"}],
        "edges": [{"source": "a", "target": "END", "key": 0, "stepgraph": {"when": "x < 3"}}],
    },
    indent=1,
)
_STATES_LANGUAGE = (
    '{"StartAt": "A", "States": {"A": {"Type": "Task", "Next": "B"}, "B": {"Type": "Succeed"}}}'
)
_PIECES = [
    *(
        "-->",
        "---",
        "-.->",
        "==>",
        "--",
        "->",
        "&",
        "|",
        '"',
        "'",
        "`",
        "[",
        "]",
        "(",
        ")",
        "{",
        "}",
        "<",
        ">",
        "~~~",
    ),
    *(
        ":::",
        "@{",
        "%%",
        "%%{",
        "}%%",
        "---\n",
        "\n",
        ";",
        ",",
        ":",
        "=",
        "#",
        "#35;",
        "&#0;",
        "#1114112;",
        "\\",
        "\\\n",
    ),
    *(
        "end",
        "subgraph",
        "state",
        "note",
        "as",
        "<<fork>>",
        "[*]",
        "[*] --> ",
        "digraph",
        "graph",
        "node",
        "strict",
        "END",
    ),
    *(
        "START",
        "null",
        "NaN",
        "1e999",
        "-0",
        "\\ud800",
        "\x00",
        "\x1b[31m",
        "\u202e",
        "\U0001f680",
        "a" * 200,
        "{{ x }}",
    ),
    *(
        "{% for %}",
        "stepgraph",
        "<!--",
        "-->\n",
        "/*",
        "*/",
        "//",
        '"id"',
        '"nodes"',
        "[1,",
        '{"a":',
        "```mermaid\n",
        "```",
    ),
]


@st.composite
def _mutated(draw: st.DrawFn) -> str:
    """One of the diagrams, with pieces cut out, put in, doubled and turned around."""
    text = draw(st.sampled_from([MERMAID, STATES, DOT, LINKED, _STATES_LANGUAGE]))
    for _ in range(draw(st.integers(1, 6))):
        at, to = sorted(draw(st.tuples(*[st.integers(0, len(text))] * 2)))
        kind = draw(st.sampled_from(["cut", "put", "double", "turn", "swap"]))
        middle = {
            "cut": "",
            "put": draw(st.sampled_from(_PIECES)),
            "double": text[at:to] * 2,
            "turn": text[at:to][::-1],
            "swap": draw(st.text(max_size=5)),
        }[kind]
        text = text[:at] + middle + text[at if kind == "put" else to :]
    return text


_HEADS = st.sampled_from(
    [
        "flowchart TD\n",
        "graph LR;",
        "stateDiagram-v2\n",
        "digraph {",
        "",
        "{",
        "%% stepgraph 1\nflowchart TD\n",
    ]
)
_SEQUENCES = st.lists(st.sampled_from(_PIECES) | st.sampled_from("ab12 \n"), max_size=40).map("".join)
FOREIGN_DIAGRAMS = _mutated() | st.builds("".join, st.tuples(_HEADS, _SEQUENCES)) | st.text(max_size=200)
"""Texts that somebody might hand over as a diagram."""
