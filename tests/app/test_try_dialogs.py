"""The form and the dialog of a trial: all kinds of nodes, of outcomes, and of what can go wrong."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest
from textual.pilot import Pilot
from textual.screen import ModalScreen

from stepgraph import END, Decision, NodeResult, ReviewRequest, State, StateGraph, StoreError
from stepgraph.graphs.plan import CompiledGraph
from stepgraph.runs.masks import Mask
from stepgraph.runs.trial import try_node
from stepgraph.testing import FakeClock
from stepgraph.values.json_values import Json
from stepgraph.values.state import UNSET
from stepgraph_tui.dialogs.forms.field_view import FieldView
from stepgraph_tui.dialogs.forms.formats import Misfit
from stepgraph_tui.dialogs.questions import Confirm
from stepgraph_tui.dialogs.try_node import Beginning, TriedDialog, TryForm, beginnings, verbs_offered
from stepgraph_tui.dialogs.try_node.form import answer_field, effects, keys_read
from stepgraph_tui.worker import Try
from tests.app.forms import Host, filled
from tests.app.telling import Driven


def one(node: Any, when: str | None = None, **settings: Any) -> CompiledGraph:
    """A graph of one node, given as Python or as type and settings."""
    graph = StateGraph("one", start="work", **settings)
    if isinstance(node, tuple):
        graph.declare_node("work", *node)
    else:
        graph.add_node("work", node)
    graph.add_edge("work", END, when=when)
    graph.add_key("amount", type="number", default=5)
    graph.add_tool("pay", returns={}, side_effects=True)
    graph.add_tool("look", returns={})
    return graph.compile()


def seen(screen: TryForm | ModalScreen[Any], *presses: str, size: tuple[int, int] = (80, 24)) -> str:
    """What a form or a dialog shows after some keys."""
    texts: list[str] = []

    async def look(pilot: Pilot[None], host: Host) -> None:
        texts.append(host.text)

    filled(screen, *presses, size=size, then=look)
    return texts[0]


def told(app: CompiledGraph, values: Mapping[str, Json] | None = None) -> str:
    """What the dialog shows of a trial."""
    work = Try(app, "work", dict(values or {}))
    tried = try_node(app, "work", work.values, clock=FakeClock())
    dialog = TriedDialog(work, tried, Mask(app, tried.before), lambda: None)
    shown = seen(dialog, size=(80, 50))
    assert "Nothing was recorded" in shown
    return shown


def form(app: CompiledGraph, *others: Beginning, **settings: Any) -> TryForm:
    return TryForm(app, "work", [*others, *beginnings(app, "work")], **settings)


# What came of it


def test_a_trial_that_no_edge_leads_on_from_says_so() -> None:
    shown = told(one(lambda state: {"amount": 7}, "amount > 9"))
    assert "✗ work is done, but no edge could be taken" in shown
    assert "none of the edges of node 'work' matched" in shown
    assert "~ amount  5 → 7" in shown
    assert "amount > 9" in shown


def test_a_graph_that_ends_where_no_edge_matches_would_end() -> None:
    assert "work is done: no edge matches, and the run would end" in told(
        one(lambda state: {}, "amount > 9", on_no_match="end")
    )


def test_a_condition_that_fails_says_why() -> None:
    shown = told(one(lambda state: {}, "price > 9"))
    assert "the condition of edge 1 of node 'work' (to END, price > 9) failed" in " ".join(shown.split())
    assert "FAILED" in shown


def test_what_changed_is_told_value_by_value() -> None:
    shown = told(
        one(lambda state: {"order": {"id": 1, "amount": 9}, "gone": None, "new": "x"}),
        {"order": {"id": 1, "amount": 8}, "gone": [1]},
    )
    assert "~ order.amount  8 → 9" in shown
    assert "- gone  was [1]" in shown
    assert '+ new  "x"' in shown
    assert "order.id" not in shown
    assert "nothing" in told(one(lambda state: {}))


def test_of_very_many_changes_some_are_told() -> None:
    app = one(lambda state: {f"k{number}": 1 for number in range(151)})
    tried = try_node(app, "work", {})
    dialog = TriedDialog(Try(app, "work", {}), tried, Mask(app), lambda: None)
    assert "… 51 more values" in dialog.text()


def test_any_node_may_ask_a_person() -> None:
    def ask(state: State) -> NodeResult:
        return NodeResult.pause(
            ReviewRequest(
                "Pay\nnow?",
                "pay",
                {"amount": state["amount"]},
                ("amount", "nowhere"),
                risk="high",
                risk_reason="m",
            )
        )

    shown = told(one(ask))
    for line in (
        "work asks a person",
        "Pay",
        "now?",
        "pay(amount=5)",
        "is missing",
        "high: m",
        "approve, reject",
    ):
        assert line in shown


# What a trial is asked with


def test_the_keys_that_a_node_reads_come_first() -> None:
    router = ("router", {"key": "amount", "threshold": 3, "high": "h", "low": "l"})
    app = one(router, 'route == "h" and order.id > 3')
    assert keys_read(app, "work") == frozenset({"amount", "order"})
    mine = Beginning("mine", lambda: Try(app, "work", {"other": 1, "order": {"id": 4}}))
    shown = seen(form(app, mine))
    assert "order" in shown
    assert "▸ More: 1 key that it does not read" in shown
    assert keys_read(one(lambda state: {}), "work") is None


def test_a_node_that_may_read_any_key_is_asked_all() -> None:
    app = one(lambda state: {})
    host = filled(form(app, Beginning("mine", lambda: Try(app, "work", {"other": 1}))), "ctrl+j")
    assert host.answer == Try(app, "work", {"other": 1})


def test_of_very_many_keys_some_have_no_field_and_keep_their_values() -> None:
    app = one(lambda state: {})
    values: dict[str, Json] = {f"k{number}": number for number in range(500)}

    async def look(pilot: Pilot[None], host: Host) -> None:
        assert len(host.screen.query(FieldView)) == 41  # the state to begin with, and 40 keys
        await pilot.press("ctrl+j")

    host = filled(form(app, Beginning("mine", lambda: Try(app, "work", values))), then=look)
    assert host.answer.values == values


def test_a_value_that_is_emptied_is_taken_away() -> None:
    app = one(lambda state: {})
    assert filled(form(app), "tab", "backspace", "ctrl+j").answer.values == {"amount": None}


def test_a_state_that_cannot_be_read_is_told_and_another_can_be_taken() -> None:
    def damaged() -> Try:
        raise StoreError("the store is damaged")

    app = one(lambda state: {})
    assert "✗ the store is damaged" in seen(form(app, Beginning("broken", damaged)))
    host = filled(form(app, Beginning("broken", damaged)), "right", "enter")
    assert host.answer == Try(app, "work", {})


def test_a_value_that_quotes_a_secret_is_not_seen() -> None:
    app = one(lambda state: {})
    mask = Mask(_with_secret(), {"token": "swordfish"})
    mine = Beginning("mine", lambda: Try(app, "work", {"said": "the swordfish", "token": "swordfish"}))
    assert "swordfish" not in seen(form(app, mine, masked=mask.value))
    host = filled(form(app, mine, masked=mask.value), "ctrl+j")
    assert host.answer.values["said"] == "the swordfish"


def _with_secret() -> CompiledGraph:
    graph = StateGraph("secret", start="a")
    graph.add_node("a", lambda state: {})
    graph.add_edge("a", END)
    graph.add_key("token", secret=True)
    return graph.compile()


# Side effects and answers


@pytest.mark.parametrize(
    ("node", "said"),
    [
        (("tool", {"tool": "pay"}), "This node has side effects: they will really happen"),
        (("tool", {}), "This node may call pay: side effects will really happen"),
        (("tool", {"tool": "look"}), ""),
        (("approval", {"prompt": "?"}), ""),
    ],
)
def test_what_a_node_does_to_the_world_is_said_before(node: Any, said: str) -> None:
    app = one(node)
    assert effects(app, "work") == said
    shown = seen(form(app))
    assert said in shown
    assert ("! " in shown) == bool(said)


def test_only_y_lets_side_effects_happen() -> None:
    async def look(pilot: Pilot[None], host: Host) -> None:
        assert isinstance(host.screen, Confirm)
        await pilot.press("n", "ctrl+j", "y")

    host = filled(form(one(("tool", {"tool": "pay"}))), "enter", then=look)
    assert isinstance(host.answer, Try)


@pytest.mark.parametrize(
    ("text", "verb", "words"),
    [
        ("approve", "approve", ""),
        (" Reject : too much ", "reject", "too much"),
        ("respond: why: now?", "respond", "why: now?"),
    ],
)
def test_an_answer_is_a_verb_and_its_words(text: str, verb: str, words: str) -> None:
    field = answer_field(("approve", "edit", "reject", "respond"), "ana")
    decision = field.read(text)
    assert (decision.verb, decision.text or decision.comment, decision.by) == (verb, words, "ana")
    again = answer_field(("approve", "reject", "respond"), "ana", decision)
    assert again.format.read(again.text) == decision


def test_no_answer_and_wrong_ones() -> None:
    field = answer_field(("approve", "edit", "respond"), "ana")
    assert field.read("") is UNSET
    with pytest.raises(Misfit, match="is one of: approve, respond"):
        field.read("edit")
    with pytest.raises(Misfit, match="takes a text: respond: TEXT"):
        field.read("respond:")


def test_the_verbs_are_those_of_the_settings() -> None:
    assert verbs_offered(one(("approval", {"prompt": "?", "allow": ["approve", "respond"]})), "work") == (
        "approve",
        "respond",
    )
    assert verbs_offered(one(lambda state: {}), "work") == ()


def test_a_tool_that_requires_approval_asks_in_a_trial_too() -> None:
    graph = StateGraph("one", start="work")
    graph.declare_node("work", "tool", {"tool": "pay", "arguments": {"amount": 5}}, review="after")
    graph.add_edge("work", END)
    graph.add_tool("pay", returns={"receipt": 1}, requires_approval=True)
    app = graph.compile()
    assert verbs_offered(app, "work") == ("approve", "reject")
    assert "pay(amount=5)" in told(app)
    for decision, words in (
        (Decision.approve(), "work is done: the run would end"),
        (Decision.reject(), "work does not run: a run would stop here"),
    ):
        tried = try_node(app, "work", {}, decision=decision, clock=FakeClock())
        assert words in seen(TriedDialog(Try(app, "work", {}), tried, Mask(app), lambda: None))


# The states of a run


def test_what_the_run_has_no_more_no_default_brings_back() -> None:
    graph = StateGraph("one", start="work")
    graph.add_node("work", lambda state: {"amount": None})
    graph.add_edge("work", "work")
    graph.add_key("amount", default=5)
    driven = Driven(graph).step()
    app = graph.compile()
    (now, first, _) = beginnings(app, "work", driven.now())
    assert (now.name, first.name) == ("now, after step 1", "before step 1")
    assert now.trial().values == {"amount": None}
    assert first.trial().values == {"amount": 5}
    graph.add_key("fresh", default=1)
    assert "fresh" not in beginnings(graph.compile(), "work", driven.now())[0].trial().values


def test_an_edit_of_the_state_counts_for_the_step_after_it() -> None:
    graph = StateGraph("one", start="work")
    graph.add_node("work", lambda state: {})
    graph.add_edge("work", "work")
    driven = Driven(graph, {"a": 1}).step()
    driven.edit({"a": 2})
    driven.step()
    found = {one.name: one.trial() for one in beginnings(graph.compile(), "work", driven.at(1))}
    assert list(found) == [
        "viewed, after step 1", "now, after step 2", "before step 2", "before step 1", "the defaults",
    ]  # fmt: skip
    assert [trial.values for trial in found.values()] == [{"a": 1}, {"a": 2}, {"a": 2}, {"a": 1}, {}]
    assert [trial.visit for trial in found.values()] == [2, 3, 2, 1, 1]
    assert [trial.previous_output for trial in found.values()] == ["{}", "{}", "{}", None, None]
