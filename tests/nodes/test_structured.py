"""Structured replies: declared keys as a JSON schema, and one repair."""

from __future__ import annotations

from typing import Any

import pytest

from stepgraph import END, GraphError, StateGraph
from stepgraph.nodes.llm import Unfit, read_table
from stepgraph.values.state import StateKey

KEYS = {
    "category": StateKey("category", type="text", note="billing or other"),
    "urgency": StateKey("urgency", type="number"),
    "tags": StateKey("tags", reducer="append", type="list"),
    "extra": StateKey("extra"),
}


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("urgent", "not JSON"),
        ("[3]", "a list, not a JSON object"),
        ('{"urgency": NaN, "category": "x"}', "NaN is not a JSON number"),
        ('{"urgency": 3}', "'category' is missing"),
        ('{"urgency": 3, "category": "x", "categry": 1}', "did you mean 'category'?"),
        ('{"urgency": "3", "category": "x"}', "'urgency' is \"3\", a text, not a number"),
        ('{"urgency": true, "category": "x"}', "a boolean, not a number"),
        ('{"urgency": null, "category": 1}', "'urgency' is null"),
        ("[" * 100_000, "nested too deeply"),
        ('{"urgency": 1e999, "category": "x"}', "inf"),
    ],
)
def test_what_does_not_fit_is_told_in_full(text: str, says: str) -> None:
    with pytest.raises(Unfit) as unfit:
        read_table(text, ["category", "urgency"], KEYS)
    assert says in str(unfit.value)


@pytest.mark.parametrize("text", ["```", "```\n", "``````", '```json {"urgency": 3}\n```', "```\n1"])
def test_a_fence_that_is_none_is_no_json(text: str) -> None:
    with pytest.raises(Unfit, match="it is not JSON"):
        read_table(text, ["urgency"], KEYS)


@pytest.mark.parametrize("run", ["\n", " ", "\r\n", "`", "a", '"', "{", "[", "\\", "\u2028"])
def test_a_reply_with_an_endless_run_in_it_is_read_at_once(run: str) -> None:
    for head in ("", "```", "```json\n", "{"):  # a cube of their length would take years
        with pytest.raises(Unfit):
            read_table(head + run * 500_000 + "x", ["urgency"], KEYS)


def graph(**settings: Any) -> StateGraph:
    """A node that fills in two keys."""
    made = StateGraph("g", start="sort")
    made.add_key("category", type="text", note="billing or other")
    made.add_key("urgency", type="number")
    made.add_tool("look", lambda: {"found": True})
    made.declare_node(
        "sort", "llm", {"prompt": "Sort {{ ticket }}", "schema": ["category", "urgency"], **settings}
    )
    made.add_edge("sort", END)
    return made


def test_only_declared_keys_can_be_filled_in() -> None:
    made = graph(schema=["category", "urgeny"])
    with pytest.raises(GraphError) as refused:
        made.compile()
    (problem,) = refused.value.problems
    assert problem.code == "G051"
    assert problem.place.key == "schema"
    assert "urgency" in problem.hint
