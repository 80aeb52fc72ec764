"""The form of an edge: where it leads, its condition with completion, caret and preview."""

from __future__ import annotations

from typing import Any

from stepgraph.editing.edges import EditEdge
from stepgraph_tui.dialogs.design import EdgeForm
from stepgraph_tui.dialogs.forms.completing import Offer
from tests.app.forms import REFUND, design, filled, result, told

NAMES = ["category", "order", "order.amount", "order.id", 'state["my key"]', "last_output", "visits.draft"]
CONDITION = ["tab"] * 2  # from the target to the condition
BILLING, OTHER = 0, 1


def form(edge: int = BILLING, graph: Any = REFUND, **more: Any) -> EdgeForm:
    return EdgeForm(graph, edge, names=NAMES, **more)


def edited(edge: int = BILLING, graph: Any = REFUND, /, **texts: str) -> EditEdge | None:
    """The edit that comes of other texts."""
    answer = result(form(edge, graph), **texts)
    assert answer is None or isinstance(answer, EditEdge)
    return answer


def table(edge: int = BILLING, graph: Any = REFUND, /, **texts: str) -> dict[str, Any]:
    """The edge that comes of other texts."""
    answer = edited(edge, graph, **texts)
    assert answer is not None
    return dict(answer.table)


def completed(name: str, before: str) -> Offer | None:
    """The names that are offered in a field."""
    field = next(field for field in form().contents.fields if field.name == name)
    assert field.completer is not None
    return field.completer(before)


def test_the_target_is_completed_and_an_unknown_one_told() -> None:
    assert completed("to", "han") == Offer("han", ("hand_over",))
    assert completed("to", "en") == Offer("en", ("END",))
    assert "there is no such node (did you mean 'lookup'?)" in told(form(), to="looku")["to"]
    assert "does not say where the edge leads" in told(form(), to="")["to"]


def test_enter_takes_a_name_that_was_chosen_and_else_goes_on() -> None:
    keys = (*" or ord", "down", "enter", *" or ord", "enter", "enter", "x", "ctrl+j")
    answer = filled(form(), *CONDITION, *keys).answer
    assert answer.table["when"] == 'category == "billing" or order.amount or ord'
    assert answer.table["note"] == "x"


def test_an_empty_condition_is_none() -> None:
    assert "when" not in table(when="")
    assert "when" not in table(condition="always")


def test_what_is_wrong_with_a_comparison_is_told() -> None:
    wrong = told(form(OTHER), condition="key equals", key="category", equals="billing")
    assert wrong == {"equals": 'this is not TOML: write "billing", in quotes\n'}
    assert told(form(OTHER), condition="key equals", equals="3") == {"key": "there is no 'key'\n"}
    assert told(form(OTHER), condition="key equals", key="category") == {"equals": "there is no 'equals'\n"}


def test_an_edge_from_nowhere_opens() -> None:
    assert form(0, design('[[edges]]\nto = "x"\n')).heading == "Edge from "
