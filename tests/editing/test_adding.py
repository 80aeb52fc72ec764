"""KeyAdder nodes: what their tables hold, where they stand, how they are connected."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

import pytest
from pydantic import BaseModel, Field, field_validator

from stepgraph import BaseNode
from stepgraph.documents.loader import from_document
from stepgraph.editing import Design, EditError
from stepgraph.editing.nodes import AddNode, ChangeType
from stepgraph.editing.renaming import filled
from stepgraph.files.reader import MAX_NODES
from stepgraph.graphs.validation import check
from stepgraph.nodes import registry
from stepgraph.nodes.registry import node_types
from stepgraph.nodes.settings import NodeSettings
from tests.editing.designs import edited, ways

NEEDED = {
    "subgraph": ["'graph' is missing: name the file that lies beside this one"],
    "wait": ['say how long it waits: for = "2h", or until = "2026-03-01T09:00:00Z"'],
    "llm_router": ["it chooses among those without when"],
}
"""What only the person knows who adds a node."""


@pytest.mark.parametrize("type_", node_types())
def test_a_new_node_of_each_type_is_right_at_once_or_says_what_it_needs(type_: str) -> None:
    design = AddNode(type_).apply(Design({"format": 1, "name": "new"})).design
    graph = from_document(design.document(), opaque=False)
    told = [problem.message.partition(": ")[2] for problem in check(graph) if problem.is_error]
    assert told == NEEDED.get(type_, [])


def test_into_an_edge_the_condition_stays_before_the_new_node() -> None:
    done = edited(AddNode("tool", edge=0))
    assert done.said == "add tool into classify -> look_up"
    assert ways(done.design)[:3] == [
        'classify -> tool if category == "billing"',
        "classify -> END",
        "tool -> look_up",
    ]
    assert done.design.edges[0].table["label"] == "billing"


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("draft", "there is a node draft already"),
        ("", "the node has no name"),
        (" \t", "the node has no name"),
        ("END", "no node may be named END"),
        ("__END__", "no node may be named __END__"),
        ("half \ud83d", "unpaired surrogate"),
    ],
)
def test_a_name_that_no_node_can_have_is_refused_with_a_hint(name: str, message: str) -> None:
    with pytest.raises(EditError, match=message) as caught:
        edited(AddNode("llm", name))
    assert caught.value.hint


@pytest.mark.parametrize(
    "name", ['say "hi"', "a.b.c", "two words", "größe", "名前", "x" * 300, "[red]", "a\nb"]
)
def test_any_other_name_works(name: str) -> None:
    done = edited(AddNode("llm", name, after="draft"))
    assert done.node == name
    assert len(done.said) < 110
    assert done.said.isprintable()
    assert f"draft -> {name}" in ways(done.design)


def test_a_type_that_does_not_exist_is_refused() -> None:
    with pytest.raises(EditError, match=r"there is no node type 'tol'.*did you mean 'tool'"):
        edited(AddNode("tol"))


@pytest.mark.parametrize(
    "edit", [AddNode("llm", after="nobody"), AddNode("llm", edge=99), AddNode("llm", edge=-1)]
)
def test_what_was_selected_must_exist(edit: AddNode) -> None:
    with pytest.raises(EditError, match="there is no"):
        edited(edit)


def test_nothing_comes_behind_the_end_but_the_first_node() -> None:
    with pytest.raises(EditError, match="END is not a node"):
        edited(AddNode("llm", after="END"))
    assert ways(edited(AddNode("llm", after="END"), "").design) == ["llm -> END"]


def test_a_graph_never_grows_beyond_what_can_be_read() -> None:
    text = "".join(f"[nodes.n{number}]\n" for number in range(MAX_NODES))
    with pytest.raises(EditError, match="5,001 nodes"):
        edited(AddNode("llm"), text)


class _Inner(BaseModel):
    depth: int


class _Strange(NodeSettings):
    shape: dict[str, int]
    words: list[str]
    count: int = Field(ge=3)
    on: bool
    mood: str = Field(examples=[{1, 2}, "calm"])
    choice: str | int
    word: Literal["one", "two"]
    only: Literal["this"]
    inner: _Inner


class _StrangeNode(BaseNode):
    type = "strange"
    Settings = _Strange


class _Stubborn(NodeSettings):
    call: Callable[[], int]
    name: str

    @field_validator("name")
    @classmethod
    def _refuse(cls, name: str) -> str:
        raise RuntimeError(name)


class _StubbornNode(BaseNode):
    type = "stubborn"
    Settings = _Stubborn


@pytest.fixture
def strange_types(monkeypatch: pytest.MonkeyPatch) -> None:
    types = {"strange": _StrangeNode, "stubborn": _StubbornNode}
    known = registry.node_type
    monkeypatch.setattr("stepgraph.editing.renaming.node_type", lambda name: types.get(name) or known(name))


@pytest.mark.usefixtures("strange_types")
def test_types_of_packages_are_filled_by_their_examples_or_kinds() -> None:
    assert filled("strange") == {
        "type": "strange",
        "shape": {},
        "words": [],
        "count": 3,
        "on": False,
        "mood": "calm",
        "choice": "text",
        "word": "one",
        "only": "this",
        "inner": {},
    }


@pytest.mark.usefixtures("strange_types")
def test_types_that_say_nothing_of_themselves_are_filled_all_the_same() -> None:
    assert filled("stubborn") == {"type": "stubborn", "call": "text", "name": "text"}
    text = '[nodes.a]\ntype = "llm"\nname = "kept"\n'
    assert edited(ChangeType("a", "stubborn"), text).design.nodes["a"].table["name"] == "kept"
