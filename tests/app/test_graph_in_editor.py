"""The user's own editor, opened from the app on the graph file and on fields."""

from __future__ import annotations

from tests.app.bench import (
    Bench,
    P,
    press,
    said,
)
from tests.app.letters import (
    draw,
)
from tests.app.writing_editor import WritingEditor


def test_an_editor_that_cannot_be_opened_says_why(bench: Bench) -> None:
    bench.editor = WritingEditor(lambda text: text, "there is no editor")

    async def script(pilot: P) -> None:
        await press(pilot, ", e")
        assert "there is no editor" in said(pilot)

    draw(bench, script)
