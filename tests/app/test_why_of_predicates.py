"""Why the predicates of a Python graph answered as they did, in the app: their code, and what it names."""

from __future__ import annotations

from tests.app.bench import Bench, P, press, settle
from tests.app.python_graphs import MENDED, line_of, module


def test_the_editor_opens_at_the_predicate_that_the_cursor_is_at(bench: Bench) -> None:
    path = module(bench.folder, MENDED, trusted=True)

    async def script(pilot: P) -> None:
        await settle(pilot)
        await press(pilot, "s", "enter", "s", "3", ", e")
        await press(pilot, "j", ", e", "1", ", e")
        file = bench.folder / "agent.py"
        places = [line_of(MENDED, part) for part in ("def is_long", "def look_up", "def look_up")]
        assert bench.editor.opened == [(file, line) for line in places]

    bench.play(script, path)
