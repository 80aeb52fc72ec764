"""All about one step: what was said, asked and answered, what it took, what it changed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from stepgraph import END, NodeResult, StateGraph
from stepgraph.runs import open_run, operations
from stepgraph_tui.run_view import RunSnapshot, RunView
from stepgraph_tui.widgets.node.visit_pane import visit_story
from tests.app.bench import LARGE, SMALL, Bench, P, press, text
from tests.app.test_chat import CHAT
from tests.app.tracing import Driven, refund, secretive


def ended() -> Driven:
    """A run of two nodes, to its end; the first reads a secret, the second puts out a text."""
    graph = StateGraph("ends", start="read")
    graph.add_key("key", secret=True, default="hunter2")
    graph.add_node("read", lambda state: {"seen": state["key"]})
    graph.add_node("write", lambda state: NodeResult({"done": True}, output="the end of it: hunter2"))
    graph.add_edge("read", "write")
    graph.add_edge("write", END)
    return Driven(graph).finish()


def story(driven: Driven, step: int | None) -> str:
    view = RunView(driven.store, driven.run.id)
    moment = RunSnapshot.now(view) if step is None else RunSnapshot.at(view, step)
    return "\n".join(line.plain for line in visit_story(moment))


def test_secrets_are_hidden_in_every_part_of_the_story() -> None:
    driven = secretive()

    told = [story(driven, step) for step in (0, 1, None)]

    assert "hunter2" not in "\n".join(told)
    assert 'told        "it is ***"' in told[1]
    assert "fail failed" in told[2]
    assert "KeyError" in told[2]


def test_a_step_tells_what_it_took_which_edge_was_taken_and_what_it_changed() -> None:
    driven = refund()

    told = story(driven, 4)

    assert told.startswith("amount_check → review")
    assert "step 4 of 4" in told
    assert "1 of 2: high" in told
    assert "route" in told
    assert "r-1:4, stays the same when the step is tried again" in told


def test_a_model_is_told_with_its_prompt_and_its_answer() -> None:
    told = story(refund(), 3)

    assert "─ Asked" in told
    assert "prompt" in told
    assert "─ Output" in told


def test_a_run_that_waits_tells_what_it_asks() -> None:
    told = story(refund(), None)

    assert told.startswith("review waits for a person")
    assert "asks" in told


def test_a_run_that_has_ended_tells_how_what_it_took_and_what_came_out() -> None:
    driven = ended()

    told = story(driven, None)

    assert told.startswith("run r-1 ended at END after 2 of 50 steps")
    assert "visits" in told
    assert "read 1, write 1" in told
    assert "Output of step 2, write" in told
    assert "the end of it" in told
    assert "hunter2" not in told


def test_who_stopped_a_run_is_told_at_its_end() -> None:
    driven = refund()
    operations.stop(open_run(driven.store, driven.run.id), "ana", "no longer needed", 2_000.0, "app")

    told = story(driven, None)

    assert "ended where it was stopped" in told
    assert "by ana: no longer needed" in told


def test_enter_in_trace_shows_the_step_and_esc_leads_back(bench: Bench) -> None:
    async def script(pilot: P) -> None:
        await press(pilot, "5", "k", "enter")
        shown = text(pilot)
        assert "[4 Step]" in shown
        assert "messages: 2 new of 3" in shown
        assert "+ assistant" in shown
        assert "hunter2" not in shown
        await press(pilot, "left_square_bracket")
        assert "start of run r-1" in text(pilot)
        await press(pilot, "escape")
        assert "[4 Node]" in text(pilot)
        assert "━[5 Trace]" in text(pilot)

    path = bench.graph(CHAT.replace('"LONG"', '"Done."'))
    bench.run(path, steps=1)
    bench.play(script, path, run="r-1", size=LARGE)


def test_the_digit_once_more_shows_the_node_again(bench: Bench) -> None:
    async def script(pilot: P) -> None:
        await press(pilot, "5", "k", "enter")
        assert "[4 Step]" in text(pilot)
        await press(pilot, "4")
        assert "[4 Node]" in text(pilot)

    path: Any = bench.graph(CHAT.replace('"LONG"', '"Done."'))
    bench.run(path, steps=1)
    bench.play(script, path, run="r-1", size=SMALL)


def test_a_failure_shows_the_variables_of_the_functions_that_it_went_through() -> None:
    def rate(state: Mapping[str, Any]) -> dict[str, Any]:
        scores, token = [3, 4], state["token"]
        return {"mean": sum(scores) / (len(scores) - 2), "by": token}

    graph = StateGraph("rates", start="rate")
    graph.add_key("token", secret=True)
    graph.add_node("rate", rate)
    graph.add_edge("rate", END)

    told = story(Driven(graph, **{"token": "hunter2-secret"}).finish(), None)

    assert "scores = [3, 4]" in told
    assert "token = ***" in told
    assert "hunter2" not in told
