"""Graphs as Mermaid: read and shown by Mermaid itself, whatever their names and labels are."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from html import unescape

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stepgraph import END, StateGraph
from stepgraph.formats.export import FORMATS, Exportable
from stepgraph.formats.node_link import edge_text
from tests.examples import examples
from tests.formats.hard_names import HARD_NAMES, LABELS
from tests.formats.hard_names import NAMES as ANY_NAMES
from tests.formats.mermaid_page import Mermaid, mermaid_page
from tests.formats.random_graphs import graphs, run_of

MERMAID = next(each for each in FORMATS if each.name == "mermaid")


@pytest.fixture(scope="module")
def mermaid() -> Iterator[Mermaid]:
    with mermaid_page() as page:
        yield page


def exported(graph: StateGraph) -> str:
    return MERMAID.write(Exportable.of_graph(graph.compile())).text


def chained(names: list[str], labels: list[str], title: str = "chain") -> StateGraph:
    """A graph of nodes one after the other."""
    graph = StateGraph(title, start=names[0])
    for name in names:
        graph.declare_node(name, "llm", {"prompt": "x", "replies": ["y"]})
    for name, target, label in zip(names, [*names[1:], END], labels, strict=True):
        graph.add_edge(name, target, None, label)
    return graph


def seen(text: str) -> str:
    """What is seen of a text on a page: no characters without a picture, and one blank for several."""
    unseen = ("Cc", "Cf", "Co", "Cn")
    text = re.sub("[\x80-\x9f]", lambda found: unescape(f"&#{ord(found[0])};"), text)  # as HTML has them
    shown = (" " if unicodedata.category(char) in unseen or char == "\ufffd" else char for char in text)
    return " ".join("".join(shown).split())


def test_names_that_mean_something_to_mermaid_or_markdown_are_shown_as_they_are(mermaid: Mermaid) -> None:
    graph = chained(HARD_NAMES, [*HARD_NAMES[1:], "last"])
    shown = mermaid.show(exported(graph))
    assert sorted(map(seen, shown["nodes"])) == sorted(map(seen, ["START", END, *HARD_NAMES]))
    labels = [edge_text(label, None) for label in (*HARD_NAMES[1:], "last")]  # some of them in quotes
    assert sorted(map(seen, filter(None, shown["edges"]))) == sorted(map(seen, labels))


@given(
    names=st.lists(ANY_NAMES, min_size=3, max_size=3, unique=True),
    labels=st.lists(LABELS, min_size=3, max_size=3),
)
@examples(160, deadline=None)
def test_any_name_and_any_label_is_shown_as_it_is(
    mermaid: Mermaid, names: list[str], labels: list[str]
) -> None:
    shown = mermaid.show(exported(chained(names, labels)))
    assert sorted(map(seen, shown["nodes"])) == sorted(map(seen, ["START", END, *names]))


@given(graph=graphs(ANY_NAMES))
@examples(80, deadline=None)
def test_any_graph_with_a_run_is_read_by_mermaid(mermaid: Mermaid, graph: StateGraph) -> None:
    source = Exportable.of_run(run_of(graph))
    found = mermaid.read(MERMAID.write(source).text)
    assert len(found["edges"]) == 1 + len(graph.edges)


def test_secrets_are_hidden_in_names_labels_and_conditions() -> None:
    graph = StateGraph("about hunter22", start="hunter22 node")
    graph.add_key("token", default="hunter22", secret=True)
    graph.declare_node("hunter22 node", "llm", {"prompt": "x", "replies": ["y"]})
    graph.add_edge("hunter22 node", END, 'token == "hunter22"', "is hunter22")
    for each in FORMATS:
        if not each.needs_run and not each.extra:
            assert "hunter22" not in each.write(Exportable.of_graph(graph.compile())).text, each.name
