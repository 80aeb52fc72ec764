"""The graph of a design is the same whether it is built anew or after an edit of a design built before."""

from __future__ import annotations

import copy
from dataclasses import replace
from pathlib import Path
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from stepgraph import StateGraph
from stepgraph.documents.loader import GraphRebuilder, from_document
from stepgraph.editing import Design, Part
from stepgraph.graphs.validation import check
from tests.examples import examples
from tests.files.test_any_document import DOCUMENT, values

FILE = Path("/graphs/any.toml")
KINDS = ("state", "tools", "nodes", "edges")
NAMES = ["ask", "call", "text", "a.b", "", "END", "ü", "judge"]


def design_of(document: dict[str, Any]) -> Design:
    head = {key: value for key, value in document.items() if key not in KINDS}
    named = [(kind, item) for kind in KINDS[:3] for item in document[kind].items()]
    parts = [Part(kind, name, table) for kind, (name, table) in named]  # type: ignore[arg-type]  # a Kind
    return Design(head, (*parts, *(Part("edges", "", table) for table in document["edges"])))


def facts(graph: StateGraph) -> Any:
    """All that a graph holds, as values that can be compared."""
    nodes = [
        (replace(entry, node=None), type(entry.node), getattr(entry.node, "settings", None))
        for entry in graph.nodes.values()
    ]
    edges = [(replace(edge, broken=None), str(edge.broken)) for edge in graph.edges]
    return graph.settings, list(graph.keys.items()), list(graph.tools.items()), nodes, edges, graph.source


def hold(builder: GraphRebuilder, design: Design, file: Path | None) -> StateGraph:
    """The graph that a builder makes, which is the one that is made without it."""
    built = builder.build(design.document(), file)
    name = str(file) if file is not None else None
    anew = from_document(design.document(), source=file, file=name, opaque=False)
    assert facts(built) == facts(anew)
    assert built.noted == anew.noted
    assert check(built) == check(anew)
    return built


keys = st.sampled_from(["type", "prompt", "from", "to", "when", "label", "default", "handler", "x", "note"])
changes = st.tuples(
    st.sampled_from(["change", "drop", "remove", "copy", "move", "rename", "head"]),
    st.integers(0, 30),
    st.integers(0, 30),
    keys,
    values,
    st.sampled_from(NAMES),
)


def changed(design: Design, change: tuple[str, int, int, str, Any, str]) -> Design:
    """The design after one edit of any kind."""
    what, one, other, key, value, name = change
    parts = list(design.parts)
    if what == "head":
        return design.having({**design.head, name or key: value})
    if not parts:
        return design
    at = one % len(parts)
    part = parts.pop(at)
    if what == "change":
        parts.insert(at, part.having({**part.table, key: value}))
    elif what == "drop":
        parts.insert(at, part.having({name: item for name, item in part.table.items() if name != key}))
    elif what == "copy":
        parts[at:at] = [part, part.having(part.table)]  # two parts may share a table
    elif what == "move":
        parts.insert(other % (len(parts) + 1), part)
    elif what == "rename":
        parts.insert(at, part.having(part.table, name if part.kind != "edges" else ""))
    return replace(design, parts=tuple(parts))


@examples(150)
@given(st.lists(changes, min_size=1, max_size=6))
def test_a_design_that_was_edited_gives_the_graph_that_it_would_give_alone(steps: list[Any]) -> None:
    builder, designs = GraphRebuilder(), [design_of(copy.deepcopy(DOCUMENT))]
    for step in steps:
        designs.append(changed(designs[-1], step))
    for design in (*designs, *reversed(designs)):
        hold(builder, design, FILE)


def test_problems_name_the_file_that_the_design_belongs_to() -> None:
    design = design_of({**copy.deepcopy(DOCUMENT), "nmae": "x"})
    design = changed(design, ("change", 0, 0, "x", 1, ""))
    builder = GraphRebuilder()
    for file in (None, FILE, Path("/graphs/other.toml"), None):
        hold(builder, design, file)


def test_what_was_not_edited_is_not_made_anew() -> None:
    builder, design = GraphRebuilder(), design_of(copy.deepcopy(DOCUMENT))
    before = builder.build(design.document(), FILE)
    first, *_ = design.edges
    after = builder.build(
        changed(design, ("remove", design.parts.index(first), 0, "", None, "")).document(), FILE
    )
    assert [entry.node for entry in after.nodes.values()] == [entry.node for entry in before.nodes.values()]
    assert [edge.condition for edge in after.edges] == [edge.condition for edge in before.edges[1:]]
    assert all(new.condition is old.condition for new, old in zip(after.edges, before.edges[1:], strict=True))
    assert [edge.index for edge in after.edges] == list(range(5))
    assert [edge.index for edge in before.edges] == list(range(6))


def test_nodes_that_move_are_not_made_anew() -> None:
    builder, design = GraphRebuilder(), design_of(copy.deepcopy(DOCUMENT))
    before = builder.build(design.document(), FILE).nodes
    first = next(iter(design.nodes.values()))
    new = Part("nodes", "new", {"type": "llm", "prompt": "x"})
    after = builder.build(design.replacing({first: (new, first)}).document(), FILE).nodes
    assert [*after] == ["new", *before]
    assert all(after[name] is entry for name, entry in before.items())


def test_very_many_problems_are_counted_as_in_a_file() -> None:
    document = copy.deepcopy(DOCUMENT)
    document["nodes"] = {f"n{number}": {"promt": 1, "note": 2} for number in range(900)}
    builder, design = GraphRebuilder(), design_of(document)
    for _ in range(2):
        graph = hold(builder, design, FILE)
        assert "more problems than are shown here" in graph.noted[-1].message
    hold(builder, changed(design, ("remove", 12, 0, "", None, "")), FILE)
