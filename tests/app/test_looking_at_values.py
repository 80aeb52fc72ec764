"""A value in the workbench: what a step changed in it, its versions, who wrote it; and a line of the log."""

from __future__ import annotations

from stepgraph_tui.commands.live import live_keys
from stepgraph_tui.dialogs.value import ValueDialog
from stepgraph_tui.worker import Printed
from tests.app.bench import REFUND, SMALL, Bench, P, dialog, press, said, text, workbench

LETTERS = """\
format = 1
name = "letters"
start = "draft"
max_steps = 9

[nodes.draft]
type = "handler"
handler = "letters:draft"
output = "letter"

[nodes.rate]
type = "handler"
handler = "letters:rate"
output = "rating"

[[edges]]
from = "draft"
to = "rate"

[[edges]]
from = "rate"
to = "draft"
when = "rating < 3"

[[edges]]
from = "rate"
to = "END"
"""
CODE = """\
WORDS = ("sorry", "very sorry", "so very sorry")


def draft(state):
    return f"Dear Ana, we are {WORDS[state.visit - 1]}."


def rate(state):
    return state.visit
"""


def test_the_redrafts_of_a_letter_are_compared_word_by_word(bench: Bench) -> None:
    path = bench.trusted(LETTERS, letters=CODE)
    run = bench.run(path, steps=5)

    async def script(pilot: P) -> None:
        await press(pilot, "2", "enter")
        dialog(pilot, ValueDialog)
        assert "Dear Ana, we are {+so +}very sorry." in text(pilot)
        assert "3 of 3: draft, step 5, visit 3" in text(pilot)
        await press(pilot, "[")
        assert "Dear Ana, we are {+very +}sorry." in text(pilot)
        await press(pilot, "v", "[")
        assert "Dear Ana, we are sorry." in text(pilot)
        assert "[ Earlier" not in text(pilot)
        await press(pilot, "escape")
        await press(pilot, "[", "G", "L")  # at step 4, on the letter, which that step left alone
        assert said(pilot) == "letter was written by draft at step 3, visit 2"
        moment = workbench(pilot).runs.shown.moment
        assert moment is not None
        assert moment.step == 3
        assert workbench(pilot).panes.state_pane.copied_path() == "letter"
        await press(pilot, "enter")
        assert "2 of 3" in text(pilot)

    bench.play(script, path, run=run.id, size=SMALL)


def test_a_line_of_the_log_is_shown_whole(bench: Bench) -> None:
    run = bench.run(REFUND)

    async def script(pilot: P) -> None:
        workbench(pilot).post_message(Printed(run.id, 1, "draft", "a long line " * 20 + "\n"))
        workbench(pilot).post_message(Printed(run.id, 1, "draft", "slow\n", source="error"))
        await press(pilot, "9")
        assert "2│ slow" in text(pilot)
        await press(pilot, "g", "j", "enter")
        dialog(pilot, ValueDialog)
        assert text(pilot).count("a long") > 16  # more than the pane has room for
        assert "step 1, stdout" in text(pilot)

    bench.play(script, REFUND, run=run.id, size=SMALL)


def test_more_detail_is_offered_only_where_there_is_more(bench: Bench) -> None:
    async def script(pilot: P) -> None:
        while "graph.more" in live_keys(pilot.app.screen):
            assert workbench(pilot).panes.graph_view.zoom != "card"
            await press(pilot, "z")
        assert workbench(pilot).panes.graph_view.zoom == "card"
        await press(pilot, "Z")
        assert "graph.more" in live_keys(pilot.app.screen)

    bench.play(script, REFUND, size=SMALL)
