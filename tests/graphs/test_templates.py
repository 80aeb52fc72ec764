"""The graphs that `stepgraph new` begins with: each runs offline as it is, and each edge of it is of use."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import pytest

from stepgraph import Decision, Executor, Outcome, Run, RunStatus, StateGraph, check
from stepgraph.files import handler_refs
from stepgraph.files.templates import TEMPLATES, create_graph
from stepgraph.testing import ScriptedModel, scripted_human
from stepgraph_tui.drawing.picture.graph_drawing import GraphDrawing

RUNNING = [name for name in TEMPLATES if name != "blank"]
YES = Decision.approve(by="ana")
NO = Decision.reject(by="ana", comment="promises too much")
EDIT = Decision.edit({"letter": "We do not know yet."}, by="ana")


@dataclass(frozen=True)
class Journey:
    """One way through a template."""

    template: str
    path: str
    """The nodes on the way, separated by blanks."""
    decisions: tuple[Decision, ...] = ()
    replies: tuple[str, ...] = ()

    def __str__(self) -> str:
        return f"{self.template}: {self.path}"


ROUND = "write critique score judge"
JOURNEYS = (
    Journey("tool-router", "decide run_tool decide run_tool decide"),
    Journey("tool-router", "decide", replies=("Just go.",)),
    Journey("approval", "draft review send", (YES,)),
    Journey("approval", "draft review send", (EDIT,)),
    Journey("approval", "draft review revise review revise review send", (NO, NO, YES)),
    Journey("agent", "travel", (YES,)),
    Journey("agent", "travel", (NO,)),
    Journey("agent", "travel", (Decision.edit({"train": 64}, by="ana"),)),
    Journey("critique-loop", f"{ROUND} {ROUND}"),
    Journey("critique-loop", f"{ROUND} " * 3 + "hand_over", replies=("a text", "weak", "3") * 3),
    Journey("critique-loop", f"{ROUND} " * 3, replies=("a text", "weak", "3") * 2 + ("better", "good", "8")),
)


def graph(folder: Path, template: str) -> StateGraph:
    """A new graph of that template."""
    path = folder / "mine.toml"
    create_graph(path, template)
    return StateGraph.from_file(path)


def played(graph: StateGraph, decisions: Iterable[Decision] = (), replies: Iterable[str] = ()) -> Run:
    """A run until it ends or waits for a decision that is not there."""
    answers = list(replies)
    models = {"default": ScriptedModel(answers)} if answers else {}
    executor = Executor(graph.compile(), models=models, live=bool(answers))
    run = executor.run(executor.start({}, "r-1"))
    for decision in decisions:
        run = scripted_human([decision]).answer(executor, run)
    return run


@pytest.mark.parametrize("template", RUNNING)
def test_a_template_is_accepted_without_a_warning(tmp_path: Path, template: str) -> None:
    made = graph(tmp_path, template)
    assert check(made) == []
    assert made.name == "mine"


@pytest.mark.parametrize("template", RUNNING)
def test_a_template_runs_offline_to_its_end_or_its_pause(tmp_path: Path, template: str) -> None:
    run = played(graph(tmp_path, template))
    asks = {"approval": "review", "agent": "travel"}
    if template in asks:
        assert (run.status, run.current) == (RunStatus.PAUSED, asks[template])
    else:
        assert (run.status, run.outcome) == (RunStatus.ENDED, Outcome.END)


@pytest.mark.parametrize("journey", JOURNEYS, ids=str)
def test_a_journey_takes_its_path_to_the_end(tmp_path: Path, journey: Journey) -> None:
    run = played(graph(tmp_path, journey.template), journey.decisions, journey.replies)
    assert [record.node for record in run.history] == journey.path.split()
    assert run.outcome is Outcome.END


@pytest.mark.parametrize("template", RUNNING)
def test_every_edge_is_taken_on_some_journey(tmp_path: Path, template: str) -> None:
    made = graph(tmp_path, template)
    runs = [played(made, one.decisions, one.replies) for one in JOURNEYS if one.template == template]
    taken = {(record.node, record.next) for run in runs for record in run.history}
    assert {(edge.source, edge.target) for edge in made.edges} == taken


@pytest.mark.parametrize("template", RUNNING)
def test_a_template_teaches(tmp_path: Path, template: str) -> None:
    made = graph(tmp_path, template)
    parts = (made.keys, made.tools, made.nodes)
    assert [name for part in parts for name, entry in part.items() if not entry.note] == []
    assert made.settings.note
    for node in made.nodes:
        labels = [edge.label for edge in made.edges if edge.source == node]
        assert len(labels) == 1 or (all(labels) and len(set(labels)) == len(labels))
    lines = (tmp_path / "mine.toml").read_text("utf-8").splitlines()
    assert sum(line.startswith("#") for line in lines) >= 10
    assert max(map(len, lines)) <= 112


@pytest.mark.parametrize("template", RUNNING)
def test_a_template_can_be_drawn(tmp_path: Path, template: str) -> None:
    made = graph(tmp_path, template)
    drawn = GraphDrawing(made)
    assert set(drawn.captions) == {*made.nodes, "END"}


@pytest.mark.parametrize("template", RUNNING)
def test_a_template_names_no_python_so_that_nobody_is_asked_for_trust(tmp_path: Path, template: str) -> None:
    assert handler_refs(graph(tmp_path, template).compile()) == []


def test_what_a_reviewer_wrote_is_what_is_sent(tmp_path: Path) -> None:
    run = played(graph(tmp_path, "approval"), (EDIT,))
    assert run.values["letter"] == "We do not know yet."
    assert run.values["receipt"] == {"status": "sent", "id": "m-1042"}


def test_the_blank_one_lacks_nothing_but_a_node_to_start_with(tmp_path: Path) -> None:
    made = graph(tmp_path, "blank")
    assert [problem.code for problem in check(made)] == ["G002"]
