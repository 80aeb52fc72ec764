"""KeyAdder nodes: what their tables hold, where they stand, how they are connected."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

import pytest
from pydantic import BaseModel, Field, field_validator

from stepgraph import BaseNode
from stepgraph.documents.loader import from_document
from stepgraph.editing import Design, EditError
from stepgraph.editing import design as design_module
from stepgraph.editing.node_defaults import filled
from stepgraph.editing.nodes import AddNode, ChangeType
from stepgraph.files.limits import MAX_NODES
from stepgraph.graphs.validation import check
from stepgraph.nodes import registry
from stepgraph.nodes.registry import node_types
from stepgraph.nodes.settings import NodeSettings
from tests.editing.designs import design_of, edited, ways

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


def test_the_first_node_becomes_the_start_and_leads_to_the_end() -> None:
    done = edited(AddNode("llm"), 'format = 1\nname = "new"\nmax_steps = 3\n')
    assert list(done.design.head) == ["format", "name", "start", "max_steps"]
    assert done.design.start == done.node == "llm"
    assert ways(done.design) == ["llm -> END"]


def test_a_node_goes_between_the_selected_one_and_where_it_led() -> None:
    done = edited(AddNode("llm", after="look_up"))
    assert done.said == "add llm after look_up"
    assert ways(done.design)[2:4] == ["look_up -> llm", "llm -> draft"]
    assert list(done.design.nodes) == ["classify", "draft", "look_up", "llm", "review"]


def test_conditions_before_the_unconditional_edge_stay() -> None:
    done = edited(AddNode("llm", "sorter", after="classify"))
    assert done.said == "add sorter (llm) after classify"
    assert ways(done.design)[:3] == [
        'classify -> look_up if category == "billing"',
        "classify -> sorter",
        "sorter -> END",
    ]


def test_behind_a_node_whose_edges_all_have_conditions_it_is_the_fallback() -> None:
    text = """
        [nodes.a]
        [nodes.b]
        [[edges]]
        from = "a"
        to = "b"
        when = "step > 1"
        [[edges]]
        from = "b"
        to = "END"
    """
    done = edited(AddNode("llm", after="a"), text)
    assert ways(done.design) == ["a -> b if step > 1", "a -> llm", "llm -> END", "b -> END"]


def test_behind_a_node_without_edges_the_new_ones_stand_where_its_own_would() -> None:
    text = """
        [nodes.a]
        [nodes.b]
        [nodes.c]
        [[edges]]
        from = "a"
        to = "b"
        [[edges]]
        from = "c"
        to = "END"
    """
    done = edited(AddNode("llm", after="b"), text)
    assert ways(done.design) == ["a -> b", "b -> llm", "llm -> END", "c -> END"]


def test_into_an_edge_the_condition_stays_before_the_new_node() -> None:
    done = edited(AddNode("tool", edge=0))
    assert done.said == "add tool into classify -> look_up"
    assert ways(done.design)[:3] == [
        'classify -> tool if category == "billing"',
        "classify -> END",
        "tool -> look_up",
    ]
    assert done.design.edges[0].table["label"] == "billing"


def test_names_are_made_of_the_type() -> None:
    design = design_of()
    for name in ("llm", "llm_2", "llm_3"):
        done = AddNode("llm").apply(design)
        assert done.node == name
        design = done.design


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("draft", "there is a node draft already"),
        ("", "the node has no name"),
        (" \t", "the node has no name"),
        ("END", "no node may be named END"),
        ("__END__", "no node may be named __END__"),
        ("half \ud83d", "half a character"),
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
    with pytest.raises(EditError, match="END is where runs end"):
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
    monkeypatch.setattr(
        "stepgraph.editing.node_defaults.node_type", lambda name: types.get(name) or known(name)
    )


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


def test_the_places_of_an_edge_are_found_out_once_however_often_the_design_is_edited(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked: list[object] = []
    place = design_module._place

    def note(name: object) -> str:
        asked.append(name)
        return place(name)

    monkeypatch.setattr(design_module, "_place", note)
    design = design_of()
    for number in range(3):
        design = AddNode("llm", name=f"new_{number}", after="draft").apply(design).design
    edges = len(design.edges)
    assert len(asked) <= 2 * (edges + 3)  # the edges that were redirected are edges of their own
