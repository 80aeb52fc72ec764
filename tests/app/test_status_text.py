"""What the header and the NEXT line say, as a function of all that they depend on."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from stepgraph import END, StateGraph
from stepgraph_tui.commands.hints import Hints
from stepgraph_tui.screens.workbench.refusals import no_such_step, refused_edit, refused_run, renamed
from stepgraph_tui.status_text import (
    FileState,
    NextStep,
    RunningNode,
    Situation,
    Status,
    next_step_text,
    no_graph_text,
    status_text,
)
from tests.app.telling import Driven

FILE = FileState(Path("/graphs/letters.toml"), ("draft", "send"))
DESIGN = Situation(FILE, "letters", designing=True)
BROKEN = replace(FILE, is_readable=False, wrong_line=16, errors=1)


def looping(**settings: Any) -> Driven:
    """A run that has reached its step limit."""
    graph = StateGraph("g", start="a", max_steps=2, **settings)
    graph.add_node("a", lambda state: {})
    graph.add_edge("a", "a")
    return Driven(graph).step(2)


def counting(*, to: str = END) -> StateGraph:
    """A graph whose one edge may not match."""
    graph = StateGraph("g", start="a")
    graph.add_node("a", lambda state: {"n": 1})
    graph.add_edge("a", to, when="n == 2")
    return graph


def debugging(driven: Driven, **more: Any) -> Situation:
    """A run that is shown where it stands."""
    return Situation(FILE, "g", moment=driven.now(), **more)


def said(driven: Driven) -> str:
    """The line."""
    following = next_step_text(debugging(driven))
    return f"{following.word} {following.text}"


def gated(review: Any) -> Driven:
    """A run before a node with a gate, or with a tool that requires approval."""
    graph = StateGraph("g", start="a")
    graph.add_tool("pay", returns={}, requires_approval=review is None)
    settings: Any = {"tool": "pay", "arguments": {}}
    graph.declare_node("a", "tool", settings, review=review)
    graph.add_edge("a", END)
    return Driven(graph)


@pytest.mark.parametrize(
    ("review", "then"),
    [
        ("before", "asks a person: the run stops here for a decision, and runs it then"),
        ("after", "asks a person: s runs it, and the run stops there for a decision"),
        ("never", "tool: s runs it, then → END"),
        (None, "asks a person: the run stops here for a decision, and runs it then"),
    ],
)
def test_a_gate_that_comes_next_is_told(review: Any, then: str) -> None:
    assert said(gated(review)).endswith(then)


@pytest.mark.parametrize(
    ("when", "then"),
    [
        (None, "asks a person: s runs it, and the run stops there for a decision"),
        ("done", "python: s runs it, then, if it matches, → END"),
    ],
)
def test_the_gate_of_the_last_node_is_told_where_it_is_certain_to_ask(when: str | None, then: str) -> None:
    graph = StateGraph("g", start="a", review="last")
    graph.add_node("a", lambda state: {"done": True})
    graph.add_edge("a", END, when=when)
    assert said(Driven(graph)).endswith(then)


# Runs


def test_a_single_edge_with_a_condition_is_not_promised() -> None:
    assert said(Driven(counting())) == "NEXT a  python: s runs it, then, if it matches, → END"


def test_a_failure_names_its_key_before_its_reason_which_may_be_long() -> None:
    assert said(Driven(counting()).step()).startswith("FAILED r retries: none of the edges of node 'a'")


def test_at_its_cap_a_run_is_not_said_to_be_tried_again() -> None:
    driven = looping(on_max_steps="fail")
    assert said(driven) == "FAILED at its limit of 2 steps, before a; xd shows why, xm allows more steps"
    for verb in ("step", "go", "retry"):
        told = refused_run(verb, driven.now().view.run, busy=False, running=None)
        assert told == "the run stopped at its step limit: xm allows more steps"
    assert refused_run("extend", driven.now().view.run, busy=False, running=None) is None


@pytest.mark.parametrize(
    ("policy", "where"), [("return_last", "at its step limit"), ("flag", "at its step limit, flagged,")]
)
def test_an_end_is_told_in_words(policy: str, where: str) -> None:
    assert (
        said(looping(on_max_steps=policy))
        == f"ENDED {where} after 2 steps; xd shows why, xm allows more steps"
    )


def test_a_run_that_is_ready_names_the_command_of_its_next_step() -> None:
    now = debugging(Driven(counting()), store="runs.db")
    assert status_text(now) == Status("g", "READY", "SCRIPTED", "r-1", 0, 50)
    assert next_step_text(now).command == "stepgraph step r-1 --store runs.db"


@pytest.mark.parametrize(("step", "where"), [(0, "the start"), (1, "step 1 of 2")])
def test_a_past_step_is_told_as_such(step: int, where: str) -> None:
    now = Situation(FILE, "g", moment=looping().at(step))
    assert status_text(now).word == f"VIEWING {step}"
    assert next_step_text(now).text == f"{where}; f forks here, Esc goes back to the latest step"


def test_a_node_that_runs_is_told_and_for_how_long() -> None:
    now = debugging(Driven(counting()), running=RunningNode("a", 0.2))
    assert status_text(now).word == "RUNNING"
    assert next_step_text(now) == NextStep("RUNS", "a: X stops after it")
    later = replace(now, running=RunningNode("a", 12.0))
    assert next_step_text(later) == NextStep("RUNS", "a, 12.0 s: X stops after it")


@pytest.mark.parametrize(
    ("file", "hint"),
    [
        (replace(FILE, errors=2), "2 errors to fix before it can run: 6 shows them"),
        (FileState(is_built=False, is_readable=False), ",o on the home screen opens a graph"),
        (FILE, "no run yet: c starts one, m edits the graph"),
    ],
)
def test_without_a_run_it_is_told_how_to_come_to_one(file: FileState, hint: str) -> None:
    assert status_text(Situation(file)).word == "NO RUN"
    assert next_step_text(Situation(file)) == NextStep("HINT", hint)


# Design


@pytest.mark.parametrize(
    ("file", "standing"),
    [
        (FILE, "SAVED"),
        (replace(FILE, is_dirty=True), "MODIFIED"),
        (replace(FILE, is_dirty=True, on_disk="changed"), "CHANGED ON DISK"),
        (replace(FILE, on_disk="gone"), "NOT ON DISK"),
        (BROKEN, "CANNOT BE READ"),
        (FileState(), "NO FILE"),
    ],
)
def test_in_design_the_header_tells_how_the_file_stands_and_nothing_of_a_run(
    file: FileState, standing: str
) -> None:
    now = Situation(file, "letters", designing=True, moment=Driven(counting()).now())
    star = " *" if file.is_dirty else ""
    assert status_text(now) == Status(f"letters{star}", standing)


@pytest.mark.parametrize(
    ("now", "following"),
    [
        (replace(DESIGN, file=replace(FILE, nodes=())), NextStep("DESIGN", "a adds the first node")),
        (DESIGN, NextStep("DESIGN", "hjkl select a node")),
        (replace(DESIGN, node="END"), NextStep("DESIGN", "hjkl select a node")),
        (
            replace(DESIGN, node="draft"),
            NextStep("NODE", "draft: Enter edits it, a adds one after it, C connects it"),
        ),
        (
            replace(DESIGN, edge=0, file=replace(FILE, errors=1)),
            NextStep(
                "EDGE",
                "Enter edits it, K J move it, a adds a node on it, d deletes it; "
                "1 error left: . goes there, ! offers fixes",
            ),
        ),
        (
            replace(DESIGN, file=BROKEN),
            NextStep(
                "BROKEN",
                "the file cannot be read at line 16: ,e opens it there; this is the last good version",
            ),
        ),
        (
            replace(DESIGN, file=FileState(is_readable=False)),
            NextStep("DESIGN", "this run has no graph file: you can view it, not edit it"),
        ),
    ],
)
def test_in_design_the_line_tells_what_can_be_done_with_what_is_selected(
    now: Situation, following: NextStep
) -> None:
    assert next_step_text(now) == following


@pytest.mark.parametrize("designing", [False, True])
def test_a_graph_that_is_still_built_is_said_to_be_read(designing: bool) -> None:
    now = Situation(replace(FILE, is_built=False), designing=designing)
    assert next_step_text(now) == NextStep("READS", "building and checking 2 nodes")
    assert status_text(now) == Status("letters.toml", "NO RUN")


@pytest.mark.parametrize("designing", [False, True])
def test_a_trial_is_told_in_either_mode(designing: bool) -> None:
    now = Situation(FILE, "letters", designing=designing, running=RunningNode("draft", 2.0, is_trial=True))
    assert status_text(now).word == "TRYING"
    assert next_step_text(now).text == "draft, 2.0 s: nothing is recorded, and it cannot be stopped"


# Keys that do nothing


def test_a_key_of_the_debugger_says_why_it_does_nothing() -> None:
    run = Driven(counting()).now().view.run
    assert refused_run("stop", run, busy=False, running=None) == "nothing runs"
    assert refused_run("stop", run, busy=True, running="a") is None
    assert refused_run("step", run, busy=True, running="a") == "a is still running: X stops after it"
    assert refused_run("go", run, busy=True, running=None) == "a node is still running: X stops after it"
    assert refused_run("retry", run, busy=False, running=None) == "nothing has failed"
    assert refused_run("step", None, busy=False, running=None) is None
    for verb in ("retry", "to_here", "start_over"):
        assert refused_run(verb, None, busy=False, running=None) == "there is no run yet: c starts one"


def test_there_is_no_step_beyond_the_ends() -> None:
    driven = Driven(counting())
    assert no_such_step(None, earlier=True) == "there are no steps yet"
    assert no_such_step(driven.now(), earlier=True) == "there are no steps yet"
    looped = looping()
    assert no_such_step(looped.at(0), earlier=True) == "this is the start"
    assert no_such_step(looped.now(), earlier=False) == "this is the latest step"
    assert no_such_step(looped.at(1), earlier=True) is None
    assert no_such_step(looped.at(1), earlier=False) is None


@pytest.mark.parametrize(
    ("verb", "what", "why"),
    [
        ("rename", {}, "select a node in the graph first"),
        ("rename", {"marks": True}, "select a node in the graph first"),
        ("cut", {"marks": True}, None),
        ("delete", {}, "select a node or an edge first"),
        ("delete", {"edge": True}, None),
        ("move_edge", {"node": True}, "select an edge first: o selects the edges of the node"),
        ("paste", {"node": True}, "nothing was copied: y copies, d keeps what it deletes"),
        ("paste", {"copied": True}, None),
        ("add", {}, None),
    ],
)
def test_a_key_of_design_says_why_it_does_nothing(verb: str, what: dict[str, bool], why: str | None) -> None:
    has = dict.fromkeys(("node", "edge", "marks", "copied"), False) | what
    told = refused_edit(verb, node=has["node"], edge=has["edge"], marks=has["marks"], copied=has["copied"])
    assert told == why


@pytest.mark.parametrize(
    ("command", "designing", "driven", "shown"),
    [
        ("workbench.editor", True, None, True),
        ("workbench.export", True, None, True),
        ("workbench.editor", False, Driven(counting()).step(), True),
        ("workbench.export", False, Driven(counting()).step(), False),
        ("workbench.editor", False, Driven(counting()), False),
    ],
)
def test_the_footer_names_the_editor_where_a_python_graph_is_to_be_changed(
    command: str, designing: bool, driven: Driven | None, shown: bool
) -> None:
    moment = driven.now() if driven is not None else None
    said = renamed(moment, designing=designing, is_python=True)
    assert (command in said and said[command].footer is not None) == shown
    assert command not in renamed(moment, designing=designing)


def test_the_footer_names_first_what_one_does_with_a_past_step() -> None:
    looped = looping()
    past = renamed(looped.at(1), designing=False)
    named = [past[f"debug.{key}"] for key in ("earlier", "later", "fork")]
    assert [(each.label, each.footer) for each in named] == [("Earlier", -2), ("Later", -1), ("Fork here", 1)]
    assert renamed(looped.now(), designing=False)["debug.earlier"].label == "Look back"
    assert "debug.fork" not in renamed(looped.now(), designing=False)
    assert "debug.fork" not in renamed(looped.at(1), designing=True)


@pytest.mark.parametrize(
    ("state", "more", "said"),
    [
        ({}, {}, "agent.py is not imported: its code is not trusted yet. c asks again."),
        (
            {},
            {"hints": Hints({"debug.go": "n"})},
            "agent.py is not imported: its code is not trusted yet. n asks again.",
        ),
        (
            {},
            {"hints": Hints({"design.run": "n"}), "designing": True},
            "agent.py is not imported: its code is not trusted yet. n asks again.",
        ),
        ({}, {"importing": 3.0}, "agent.py is being imported."),
        ({"errors": 1}, {}, "agent.py cannot be imported: 6 tells why."),
        ({"is_built": True}, {}, ""),
        ({"is_python": False}, {}, ""),
    ],
)
def test_without_a_graph_it_is_told_why_and_which_key_makes_one(
    state: dict[str, Any], more: dict[str, Any], said: str
) -> None:
    file = FileState(
        Path("/graphs/agent.py:graph"),
        **({"is_built": False, "is_readable": False, "is_python": True} | state),
    )
    assert no_graph_text(Situation(file, **more)) == said


def test_the_header_says_which_worker_runs_a_run_that_is_ready() -> None:
    def standing(driven: Driven) -> str:
        return status_text(debugging(driven, workers="running on worker w1")).word

    assert standing(Driven(counting())) == "READY, running on worker w1"
    assert standing(looping()) == "ENDED"
