"""The node type llm_router: a model chooses one of the node's edges."""

from __future__ import annotations

from typing import Any

import pytest

from stepgraph import END, Executor, GraphError, LLMRouterNode, NodeFailed, RunStatus, StateGraph, check
from stepgraph.nodes.choosing import spoken
from tests.nodes.models import ChatScript


def desk(*, labels: tuple[str | None, ...] = ("refund", "bug", None), **settings: Any) -> StateGraph:
    """A desk that a model sorts tickets at."""
    graph = StateGraph("desk", start="sort")
    graph.add_key("ticket", input=True)
    graph.declare_node("sort", "llm_router", {"prompt": "Whose is {{ ticket }}?", **settings})
    targets = ("refunds", "bugs", "people")
    for target in targets:
        graph.declare_node(target, "llm", {"prompt": "x", "replies": [target]}, note=f"All about {target}.")
        graph.add_edge(target, END)
    for target, label in zip(targets, labels, strict=True):
        note = "Money back." if label == "refund" else ""
        graph.add_edge("sort", target, label=label, note=note)
    return graph


def test_the_edge_is_taken_whose_label_the_model_names_and_why_says_so() -> None:
    model = ChatScript(["bug"])
    run = desk().compile().run({"ticket": "a crash"}, models={"default": model})
    record = run.history[0]
    assert (record.next, record.output, record.updates) == ("bugs", "bug", {"route": "bug"})
    assert [edge.matched for edge in record.edges] == [False, True, None]
    assert record.edges[0].condition == 'route == "refund"'
    assert record.edges[1].explanation.result is True


def test_the_model_is_told_the_labels_with_their_notes() -> None:
    model = ChatScript(["bug"])
    desk(system="You sort.").compile().run({"ticket": "a crash"}, models={"default": model})
    system, asked = model.requests[0].messages
    assert system.text == "You sort."
    assert asked.text == (
        "Whose is a crash?\n\nChoose one of these, and answer with its label and nothing else:\n"
        "- refund: Money back. All about refunds.\n- bug: All about bugs.\n- people: All about people."
    )


@pytest.mark.parametrize("said", ["bug", "Bug.", ' "BUG" ', "**bug**", "`bug`", "bug\n"])
def test_quotes_capitals_and_punctuation_around_a_label_are_no_harm(said: str) -> None:
    run = desk().compile().run({"ticket": "x"}, models={"default": ChatScript([said])})
    assert run.values["route"] == "bug"


def test_an_edge_without_a_label_is_named_by_where_it_leads() -> None:
    run = desk(replies=["people"]).compile().run({"ticket": "x"})
    assert run.history[0].next == "people"


def test_an_answer_that_names_none_is_asked_for_once_more() -> None:
    model = ChatScript(["It is a bug, I think", "bug"])
    run = desk().compile().run({"ticket": "x"}, models={"default": model})
    assert run.values["route"] == "bug"
    told = model.requests[1].messages[-1].text
    assert '"It is a bug, I think" is none of the labels: ' in told
    assert "- refund" in told


def test_a_second_answer_that_names_none_fails_the_step_and_a_retry_asks_anew() -> None:
    model = ChatScript(["what?", "who?", "refund"])
    executor = Executor(desk().compile(), models={"default": model})
    run = executor.run(executor.start({"ticket": "x"}, run_id="r"))
    assert run.status is RunStatus.FAILED
    assert '"who?" is none of the labels: ' in str(run.error)
    assert "'refund'" in str(run.error)
    assert executor.retry("r").values["route"] == "refund"


def test_canned_replies_choose_one_a_visit() -> None:
    graph = StateGraph("g", start="again")
    graph.declare_node("again", "llm_router", {"prompt": "Enough?", "replies": ["no", "no", "yes"]})
    graph.declare_node("work", "llm", {"prompt": "x", "replies": ["y"]})
    graph.add_edge("again", "work", label="no")
    graph.add_edge("again", END, label="yes")
    graph.add_edge("work", "again")
    run = graph.compile().run({})
    assert [record.node for record in run.history] == ["again", "work", "again", "work", "again"]


def test_an_edge_with_a_condition_asks_that_and_is_not_offered() -> None:
    graph = desk()
    cut = StateGraph("desk", start="sort")
    cut.add_key("ticket", input=True)
    cut.declare_node("sort", "llm_router", {"prompt": "x"})
    cut.add_edge("sort", END, when='ticket == "spam"', label="spam")
    cut.add_edge("sort", END, label="one")
    cut.add_edge("sort", END, label="two")
    model = ChatScript(["one"])
    run = cut.compile().run({"ticket": "spam"}, models={"default": model})
    assert run.history[0].edges[0].matched is True
    assert "spam" not in model.requests[0].messages[0].text
    assert graph.compile() is not None


def test_a_file_says_nothing_of_what_follows_from_the_node() -> None:
    plan = desk().compile()
    edges: Any = plan.document["edges"]
    assert all("when" not in edge for edge in edges)


def test_it_reads_a_conversation_and_adds_nothing_to_it() -> None:
    graph = desk(messages="talk")
    graph.add_key("talk", reducer="append", default=["Hello"])
    model = ChatScript(["bug"])
    run = graph.compile().run({"ticket": "x"}, models={"default": model})
    assert model.requests[0].messages[0].text == "Hello"
    assert run.values["talk"] == ["Hello"]


def codes(graph: StateGraph) -> list[tuple[str, object]]:
    """The codes of a graph's problems, each with its node."""
    return [
        (problem.code, problem.place.edge if problem.place.node is None else problem.place.node)
        for problem in check(graph)
    ]


def test_a_sound_one_has_no_problems() -> None:
    assert codes(desk(replies=["bug"])) == []


def test_fewer_than_two_edges_to_choose_is_an_error() -> None:
    graph = StateGraph("g", start="sort")
    graph.declare_node("sort", "llm_router", {"prompt": "x", "replies": ["a"]})
    graph.add_edge("sort", END, when="step > 3", label="late")
    graph.add_edge("sort", END, label="a")
    assert ("G052", "sort") in codes(graph)


@pytest.mark.parametrize("labels", [("bug", "bug", None), ("bug", "Bug!", None), ("people", "bug", None)])
def test_labels_that_cannot_be_told_apart_are_an_error(labels: tuple[str | None, ...]) -> None:
    found = codes(desk(labels=labels, replies=["bug"]))
    assert [code for code, _ in found] == ["G053"]
    with pytest.raises(GraphError):
        desk(labels=labels).compile()


def test_a_label_that_is_no_word_is_an_error() -> None:
    assert [code for code, _ in codes(desk(labels=("...", "bug", None), replies=["bug"]))] == ["G053"]


def test_two_labels_may_lead_to_one_node() -> None:
    graph = desk(replies=["bug"])
    graph.add_edge("sort", "bugs", label="crash")
    assert codes(graph) == []


def test_a_node_of_its_own_has_nothing_to_choose() -> None:
    from tests.nodes.support import bound, visited

    with pytest.raises(NodeFailed, match="no edges to choose among"):
        bound(LLMRouterNode(prompt="x")).execute(visited({}))


def test_words_are_compared_without_what_models_put_around_them() -> None:
    assert spoken(' "Anything   else." ') == "anything else"
    assert spoken("...") == ""


def test_a_node_in_python_chooses_as_one_of_a_file_does() -> None:
    graph = StateGraph("g", start="sort")
    graph.add_edge("sort", END, label="a")
    assert graph.graph.number_of_edges() == 1
    graph.add_edge("sort", END, label="b")
    graph.add_node("sort", LLMRouterNode(prompt="x", replies=["b"]))
    assert [edge.condition.describe() for edge in graph.edges] == ['route == "a"', 'route == "b"']
    assert [edge["edge"].condition.kind for _, _, edge in graph.graph.edges(data=True)] == [
        "equals",
        "equals",
    ]
    assert graph.compile().run({}).values["route"] == "b"
