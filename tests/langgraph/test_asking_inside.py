"""What asks within a step goes on where it stood, in whatever process: nothing is executed twice."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("langgraph")

from stepgraph import Decision, Executor, MemoryStore, NodeFailed, SqliteStore, StateGraph
from stepgraph.files import grant
from stepgraph.stores.ledger import Row, own_of
from tests.langgraph.side_by_side import GRAPHS, by_langgraph, loaded_of, opened, path_of, state_of, typed

ASKED: list[tuple[str, list[Any]]] = [
    ("several", ["one", {"two": 2}, [3]]),
    ("sending_on", ["more"]),
    ("outer", ["yes", True, "no", 0]),
    ("deeper", ["yes", True, "no", 0]),
    ("called", ["yes", True, "no", 0]),
    ("sent_inside", [1, 2, 3, 4, 5, 6, 7, 8]),
    ("deltas", ["yes", "no"]),
]


def executed() -> list[str]:
    """Give what was executed since it was asked last."""
    found: list[str] = []
    for module in (module for name, module in sys.modules.items() if name.endswith(".asking_inside")):
        found += module.done
        module.done.clear()
    return sorted(found)


@pytest.mark.parametrize("in_pieces", [False, True])
@pytest.mark.parametrize(("name", "answers"), ASKED)
def test_path_state_and_what_is_executed_are_those_of_langgraph(
    name: str, answers: list[Any], in_pieces: bool, tmp_path: Path
) -> None:
    graph = opened(f"asking_inside:{name}")
    compiled = loaded_of(graph).compiled
    executed()
    theirs = by_langgraph(compiled, {}, answers)
    by_theirs = executed()
    asked: list[Any] = []
    with SqliteStore(tmp_path / "runs.db") as store:
        executor = Executor(graph.compile(), store)
        run = executor.run(executor.start({}, "r-1"))
        for answer in answers:
            assert run.pending is not None
            asked.append(run.pending.request.prompt)
            if in_pieces:  # as another process has it
                executor = Executor(graph.compile(), store)
            run = executor.resume("r-1", Decision.respond(typed(answer), by="ana"))
        run.raise_for_status()
        assert (path_of(run), state_of(run, graph)) == (theirs.path, theirs.values)
    assert executed() == by_theirs
    assert asked == [each["question"] if isinstance(each, dict) else each for each in theirs.asked]


class DamagedStore(MemoryStore):
    """A store in which somebody has written over what nodes have kept."""

    written: Mapping[str, Any] | None = None

    def rows(self, *given: Any, **named: Any) -> list[Row]:
        rows = super().rows(*given, **named)
        for kept in (kept for row in rows if row.kind == "review" for kept in own_of(row)):
            if self.written is not None:
                kept.pop("standing")
                kept |= self.written
        return rows


@pytest.mark.parametrize(
    "written",
    [
        {},
        {"answers": "x", "standing": []},
        {"answers": -3, "standing": []},
        {"answers": 9, "standing": []},
        {"standing": 5},
        {"standing": "x"},
        {"standing": [[1]]},
        {"standing": [["", None, {}, {}, []]]},
        {"standing": [["", None, {"$type": "subprocess.Popen", "args": "id"}, {}, []]]},
    ],
)
def test_what_was_kept_and_is_damaged_is_said_to_be(written: Mapping[str, Any]) -> None:
    store = DamagedStore()
    executor = Executor(opened("asking_inside:outer").compile(), store)
    run = executor.run(executor.start({}))
    store.written = written
    run = executor.resume(run.id, Decision.respond("yes", by="ana"))
    with pytest.raises(NodeFailed, match="what LangGraph kept of this visit") as caught:
        run.raise_for_status()
    assert caught.value.hint.startswith("edit the state of the run and retry it, and the node starts over")


def test_it_goes_on_inside_of_a_graph_of_ours(tmp_path: Path) -> None:
    (tmp_path / "asking_inside.py").write_bytes((GRAPHS / "asking_inside.py").read_bytes())
    inner = opened("asking_inside:outer", tmp_path / "asking_inside")
    inner.to_file(tmp_path / "inner.toml")
    (tmp_path / "outer.toml").write_text(
        'format = 1\nname = "outer"\nstart = "ask"\n\n[nodes.ask]\ntype = "subgraph"\n'
        'graph = "inner.toml"\noutputs = { found = "log" }\n\n[[edges]]\nfrom = "ask"\nto = "END"\n'
    )
    graph = StateGraph.from_file(tmp_path / "outer.toml")
    grant(graph)
    executor = Executor(graph.compile())
    run = executor.run(executor.start({}))
    executed()
    for answer in ("yes", "sure", "no", "never"):
        run = executor.resume(run.id, Decision.respond(answer, by="ana"))
    found: Any = run.values["found"]
    assert found[:4] == ["a", "a", "written", "yes"]
    assert executed() == ["b", "write"]
