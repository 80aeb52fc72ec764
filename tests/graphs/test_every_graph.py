"""What holds for each example graph, whatever it is about."""

from __future__ import annotations

import ast
import json
import sys
from itertools import pairwise
from pathlib import Path

import pytest

from stepgraph import END, Decision, Executor, Outcome, RunStatus, StateGraph, check
from stepgraph.files import is_trusted, shipped

from .journeys import JOURNEYS
from .playing import GRAPHS, NAMES, Journey, compiled, path, play

every_graph = pytest.mark.parametrize("name", NAMES)
every_journey = pytest.mark.parametrize("journey", JOURNEYS, ids=str)


@every_graph
def test_it_is_accepted_without_a_warning(name: str) -> None:
    assert check(StateGraph.from_file(GRAPHS / f"{name}.toml")) == []


# acceptance 72, 88
@every_graph
@pytest.mark.parametrize("verb", ["approve", "reject"])
def test_it_runs_offline_to_its_end_as_it_is_shipped(name: str, verb: str) -> None:
    decided: list[Decision] = []
    while (run := play(name, decisions=decided)).status is RunStatus.PAUSED:
        assert run.pending is not None
        said = "approve" if run.pending.is_wait else verb  # a wait can only be cut short
        decided.append(Decision(said, by=f"person {len(decided)}"))  # type: ignore[arg-type]
    gates = any(entry.asks(run.plan.settings.review, run.plan.tools) for entry in run.plan.nodes.values())
    stops = verb == "reject" and gates and bool(decided)
    outcome = Outcome.STOPPED if stops else Outcome.END
    assert (run.status, run.outcome, run.error) == (RunStatus.ENDED, outcome, None)


@every_graph
def test_it_tells_a_reader_what_it_is_for(name: str) -> None:
    graph = compiled(name)
    assert graph.settings.note
    assert [key.name for key in graph.keys.values() if not key.note] == []
    assert [tool.name for tool in graph.tools.values() if not tool.note] == []


@every_graph
def test_each_edge_of_a_choice_has_a_label_of_its_own(name: str) -> None:
    graph = compiled(name)
    for node in graph.nodes:
        labels = [edge.label for edge in graph.edges_from(node)]
        if len(labels) > 1:
            assert all(labels)
            assert len(set(labels)) == len(labels)


@every_graph
def test_every_edge_is_taken_on_some_journey(name: str) -> None:
    taken = set()
    for journey in JOURNEYS:
        if journey.graph == name:
            records = journey.run().history
            taken |= {(record.node, record.next) for record in records}
    assert {(edge.source, edge.target) for edge in compiled(name).edges} == taken


@every_journey
def test_a_journey_takes_its_path_to_the_end(journey: Journey) -> None:
    run = journey.run()
    assert path(run) == journey.path.split()
    assert run.outcome is Outcome.END
    assert run.current is None


@every_journey
def test_the_history_is_one_unbroken_chain(journey: Journey) -> None:
    run = journey.run()
    history = run.history
    assert [record.step for record in history] == list(range(1, len(history) + 1))
    assert all(before.next == after.node for before, after in pairwise(history))
    assert history[-1].next == END
    assert [record.status for record in history] == ["success"] * len(history)


@every_journey
def test_outputs_are_kept_by_node_and_visit(journey: Journey) -> None:
    run = journey.run()
    told: dict[str, list[str | None]] = {}
    for record in run.history:
        told.setdefault(record.node, []).append(record.output)
    assert run.outputs == told
    assert run.visits == {node: len(outputs) for node, outputs in told.items()}
    assert run.output == run.history[-1].output


@every_graph
def test_it_runs_without_a_question_about_trust(name: str) -> None:
    app = compiled(name)
    assert is_trusted(app), "an example was changed: run `make shipped` when it is as it is to be shipped"
    Executor(app)


def test_the_digests_of_what_ships_are_true() -> None:
    kept = Path(shipped.__file__).with_name("shipped.json").read_text(encoding="utf-8")
    assert kept == shipped.shipped_digests(), (
        "run `make shipped` when the examples are as they are to be shipped"
    )


def test_what_ships_imports_nothing_that_is_not_known_by_its_digest() -> None:
    for module in GRAPHS.glob("*.py"):
        for statement in ast.walk(ast.parse(module.read_bytes())):
            names = [alias.name for alias in statement.names] if isinstance(statement, ast.Import) else []
            if isinstance(statement, ast.ImportFrom):
                assert not statement.level
                names = [statement.module or ""]
            assert {name.partition(".")[0] for name in names} <= sys.stdlib_module_names
    assert all(not one["elsewhere"] for one in json.loads(shipped.shipped_digests()).values())


def test_the_guide_names_every_example() -> None:
    guide = (GRAPHS / "README.md").read_text(encoding="utf-8")
    assert [name for name in NAMES if f"{name}.toml" not in guide] == []
