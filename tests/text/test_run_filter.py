"""Which runs a filter asks for: by their lines, and by what is in them."""

from __future__ import annotations

import pytest

from stepgraph import END, Executor, StateGraph
from stepgraph.runs import Spending
from stepgraph.stores.memory import MemoryStore
from stepgraph.testing import FakeClock, sequential_ids
from stepgraph_tui.text.run_filter import RunFilter, runs_chosen
from stepgraph_tui.text.totals import Totals
from stepgraph_tui.view.run_content import ContentReader, spent_by_model


@pytest.fixture(scope="module")
def store() -> MemoryStore:
    """Two runs that ended, one with a secret, and one that failed."""
    store = MemoryStore()
    for name, score in (("invoice", 2), ("refund", 7), ("broken", None)):
        graph = StateGraph(name, start="rate")
        graph.add_key("token", secret=True)
        graph.add_node(
            "rate", lambda state: {"score": 10 - state["of"], "told": f"Two Words {state['token']}"}
        )
        graph.add_edge("rate", END)
        executor = Executor(graph.compile(), store, clock=FakeClock(), ids=sequential_ids())
        of = {"of": 10 - score} if score is not None else {}
        run = executor.start({**of, "token": "hunter2-secret"}, run_id=name)
        executor.run(run)
    return store


def names(store: MemoryStore, text: str) -> set[str]:
    return {run.head.id for run in runs_chosen(RunFilter(text), store, store.runs())}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", {"invoice", "refund", "broken"}),
        ("invoice", {"invoice"}),
        ("status:failed", {"broken"}),
        ("graph:REFUND", {"refund"}),
        ("steps>0", {"invoice", "refund"}),
        ("steps=0", {"broken"}),
        ("state.score<3", {"invoice"}),
        ('state.told!="x" steps>=1', {"invoice", "refund"}),
        ('text:"two words ***"', {"invoice", "refund"}),
        ('text:"two wards"', set()),
        ("text:hunter2", set()),
        ("failed:of", {"broken"}),
        ("failed:nothing", set()),
        ("model:gpt", set()),
        ("tool:search", set()),
        ("cost>0.1", set()),
        ("cost<$1,000 tokens=0", {"invoice", "refund", "broken"}),
        ("status:ended state.score>3 refund", {"refund"}),
    ],
)
def test_runs_are_chosen_by_their_lines_and_by_what_is_in_them(
    store: MemoryStore, text: str, expected: set[str]
) -> None:
    assert names(store, text) == expected


@pytest.mark.parametrize("text", ["state.score<", "cost>1.2.3", "state.import(x)"])
def test_what_is_no_condition_is_told_and_chooses_nothing(store: MemoryStore, text: str) -> None:
    assert RunFilter(text).problem
    assert names(store, text) == set()


def test_what_looks_into_runs_is_known_without_reading_any() -> None:
    asked = RunFilter("refund status:ended text:a state.b>1 cost>1 steps>3")

    assert [term.field for term in asked.of_content] == ["text", "state", "cost"]


def test_the_content_of_a_run_has_no_secrets(store: MemoryStore) -> None:
    content = ContentReader(store).read(store.load("invoice"))

    assert "hunter2" not in "".join(content.texts())
    assert "Two Words ***" in "".join(content.texts())


# Totals


def test_totals_add_up_by_graph_model_and_day(store: MemoryStore) -> None:
    totals = Totals()
    spent = Spending(1, 800, 200, 0.25, sources=frozenset({"live"}))
    totals.add(store.load("invoice"), {"gpt": spent, "claude": spent})
    totals.add(store.load("broken"), {"gpt": spent})
    totals.add(store.load("refund"), spent_by_model(store, store.load("refund")))

    lines = [" ".join(line.split()) for line in totals.lines()]

    assert lines[0] == "runs failed steps worked calls tokens cost"
    assert lines[1] == "all 3 1 2 0.0 ms 3 3,000 $0.75"
    assert lines[lines.index("by graph") + 1] == "invoice 1 1 0.0 ms 2 2,000 $0.50"
    assert lines[lines.index("by model") + 1 : lines.index("by model") + 3] == [
        "gpt 2 1 1 0.0 ms 2 2,000 $0.50",
        "claude 1 1 0.0 ms 1 1,000 $0.25",
    ]
    assert lines[lines.index("by day") + 1] == "2027-01-15 3 1 2 0.0 ms 3 3,000 $0.75"
