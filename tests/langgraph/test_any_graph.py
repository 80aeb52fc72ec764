"""LangGraph graphs of any shape go here as they go in LangGraph, at once and in pieces."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

pytest.importorskip("langgraph")

from langgraph.errors import GraphRecursionError, InvalidUpdateError

from stepgraph import Decision, Executor, NodeFailed, RunStatus, SqliteStore
from tests.langgraph.side_by_side import (
    GRAPHS,
    Played,
    by_langgraph,
    loaded_of,
    opened,
    path_of,
    state_of,
    typed,
)

NODES = ["a", "b", "c", "d"]
ANSWERS = st.sampled_from(["yes", "", "null", 3, True, [1], {"type": "accept"}, {}, "{", "-0"])


@st.composite
def tables(draw: st.DrawFn) -> dict[str, Any]:
    names = NODES[: draw(st.integers(2, 4))]
    targets = st.lists(st.sampled_from([*names, "__end__"]), min_size=1, max_size=3)
    writes = st.fixed_dictionaries(
        {},
        optional={
            "last": st.sampled_from([None, 1, "text", {"a": [1]}, True]),
            "word": st.sampled_from(["", "a", "longer"]),
            "unknown": st.just(1),
        },
    )
    kinds = st.fixed_dictionaries(
        {
            "way": st.sampled_from(["edge", "router", "command"]),
            "targets": targets,
            "lists": st.booleans(),
            "sends": st.sampled_from([0, 0, 1, 2, 3]),
            "overwrites": st.booleans(),
            "asks": st.sampled_from([0, 0, 0, 1, 2]),
            "writes": writes,
        }
    )
    return {
        "nodes": {name: draw(kinds) for name in names},
        "most": draw(st.integers(1, 6)),
        "chooses": draw(st.booleans()),
    }


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    found = tmp_path_factory.mktemp("any")
    (found / "any_graph.py").write_bytes((GRAPHS / "any_graph.py").read_bytes())
    return found


@pytest.mark.slow
@settings(phases=[Phase.explicit, Phase.generate])  # to make a failing graph smaller takes minutes
@given(
    table=tables(),
    inputs=st.fixed_dictionaries(
        {}, optional={"steps": st.integers(0, 2), "last": st.just("given"), "log": st.just([0])}
    ),
    answers=st.lists(ANSWERS, min_size=14, max_size=14),
    in_pieces=st.booleans(),
)
def test_any_graph_goes_as_in_langgraph(
    folder: Path, table: dict[str, Any], inputs: dict[str, Any], answers: list[Any], in_pieces: bool
) -> None:
    (folder / "made.py").write_text(
        f"import json\nfrom any_graph import build\n"
        f"graph = build(json.loads({json.dumps(table)!r})).with_config(recursion_limit=8)\n"
    )
    graph = opened("made:graph", folder / "made")
    compiled = loaded_of(graph).compiled
    theirs: Played | None = None
    try:
        theirs = by_langgraph(compiled, inputs, [_parsed(answer) for answer in answers])
    except (GraphRecursionError, IndexError):
        return  # it has no end, and asks beyond all answers
    except InvalidUpdateError:
        pass  # two tasks write what only one may
    file = folder / "runs.db"
    file.unlink(missing_ok=True)
    waiting = list(answers)
    with SqliteStore(file) as store:
        executor = Executor(graph.compile(), store)
        run = executor.start(inputs, "r-1")
        while run.status in (RunStatus.READY, RunStatus.PAUSED):
            if in_pieces:
                executor = Executor(graph.compile(), store)
                run = executor.load("r-1")
            if run.status is RunStatus.PAUSED:
                executor.decide("r-1", Decision.respond(typed(waiting.pop(0)), by="ana"))
                run = executor.load("r-1")
            else:
                executor.step(run)
        if run.status is RunStatus.FAILED:
            assert theirs is None
            with pytest.raises(NodeFailed, match="InvalidUpdateError"):
                run.raise_for_status()
            return
        assert theirs is not None
        assert (path_of(run), state_of(run, graph)) == (theirs.path, theirs.values)


def _parsed(answer: Any) -> Any:
    """Give what an answer means that is typed here."""
    if not isinstance(answer, str) or not answer:
        return answer
    try:
        return json.loads(answer)
    except ValueError:
        return answer
