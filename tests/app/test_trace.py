"""The pane that lists the steps of a run, and whose cursor is the moment that is viewed."""

from __future__ import annotations

from typing import Any

from textual.pilot import Pilot

from stepgraph_tui.widgets.trace import TracePane
from stepgraph_tui.widgets.trace.lines import TITLES, Needs, StepCells, step_spans
from tests.app.playing import play
from tests.app.tracing import secretive, shown


def test_secrets_are_hidden_wherever_the_trace_quotes_them() -> None:
    async def script(pilot: Pilot[Any]) -> None:
        assert "hunter2" not in shown(pilot)
        assert pilot.app.query_one(TracePane).search.find("hunter2") == "not found"

    play(secretive().host(), script, size=(100, 60))


# What models took


def columns_of(width: int, *steps: StepCells) -> str:
    """The titles and the steps, in the columns that they need at a width."""
    needs = Needs().with_step(TITLES)
    for step in steps:
        needs = needs.with_step(step)
    columns = needs.fit(width, len(steps), Needs())
    spans = (step_spans(cells, columns) for cells in (TITLES, *steps))
    return "\n".join("".join(text for text, _ in row).rstrip() for row in spans)


ASKED = StepCells(
    "1", "draft", "1 good → send", "1.2 s", "+ draft", seconds=1.2, tokens="1,244", cost="$0.0004"
)
SENT = StepCells("2", "send", "→ END", "0.1 ms", "~ sent", seconds=0.1)


def test_tokens_and_cost_have_columns_once_a_model_took_any() -> None:
    assert columns_of(80, ASKED, SENT) == (
        "  #  node    edge taken       took  tokens     cost  changed\n"
        "  1  draft   1 good → send   1.2 s   1,244  $0.0004  + draft\n"
        "  2  send    → END          0.1 ms                   ~ sent"
    )
    assert "tokens" not in columns_of(80, SENT)


def test_where_there_is_little_room_tokens_go_first_and_then_the_cost() -> None:
    titles = [columns_of(width, ASKED, SENT).split("\n")[0].split() for width in (60, 52, 40, 30)]
    assert ["tokens" in each for each in titles] == [True, False, False, False]
    assert ["cost" in each for each in titles] == [True, True, False, False]
    assert ["took" in each for each in titles] == [True, True, True, False]
