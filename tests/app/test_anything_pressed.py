"""Whatever is pressed, clicked and dragged, on a screen of whatever size: the app goes on."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Callable, Coroutine
from contextlib import chdir
from functools import partial
from pathlib import Path
from typing import Any
from unittest.mock import patch

from hypothesis import given
from hypothesis import strategies as st
from textual.pilot import Pilot

from stepgraph_tui import app, terminal
from stepgraph_tui.dialogs import questions
from stepgraph_tui.dialogs.approval import arming
from tests.app.bench import GRAPHS, Bench
from tests.app.writing_editor import WritingEditor
from tests.examples import examples

Stroke = list[str] | tuple[int, int] | Callable[[Pilot[Any]], Coroutine[Any, Any, None]]
"""Keys, the size of the screen, or what the mouse does."""
NAMES = ["refund_triage", "tool_router", "review_loop", "negotiation", "supplier_payment", "support_triage"]
_KEYS = [
    *"scXrbwfmuU.aedpCRTyYnNoO?:/vVDtik1234567890+-=[]{}!@$<>lhjIq",
    *("enter", "escape", "tab", "shift+tab", "up", "down", "left", "right", "space", "home", "end", "pageup"),
    *("pagedown", "delete", "backspace", "ctrl+s", "ctrl+j", "ctrl+u", "ctrl+d", "ctrl+f", "comma"),
    *(f"f{number}" for number in (1, 2, 3, 4, 5, 6, 8, 9, 10, 11, 12)),
]
_STROKES = (
    *(["g", place] for place in "irmlg"),
    *(["x", verb] for verb in "lmn"),
    *(["z", what] for what in "zo"),
    *(["comma", what] for what in "exo"),
    *(
        ["s"],
        ["m"],
        ["e"],
        ["c", "enter"],
        ["y", "enter"],
        ["n", "x", "enter", "enter"],
        ["escape", "escape"],
    ),
)


def _at(pilot: Pilot[Any], place: tuple[float, float]) -> tuple[int, int]:
    """The cell at a share of the screen's width and height."""
    across, down = place
    return round(across * (pilot.app.size.width - 1)), round(down * (pilot.app.size.height - 1))


async def _click(places: list[tuple[float, float]], pilot: Pilot[Any]) -> None:
    """Click at the first place as often as there are places."""
    await pilot.click(offset=_at(pilot, places[0]), times=len(places))


async def _drag(places: list[tuple[float, float]], pilot: Pilot[Any]) -> None:
    await pilot.mouse_down(offset=_at(pilot, places[0]))
    for place in places[1:]:
        await pilot.hover(offset=_at(pilot, place))
    await pilot.mouse_up(offset=_at(pilot, places[-1]))


_SIZE = st.tuples(st.sampled_from((40, 60, 80, 100, 160, 200)), st.sampled_from((10, 15, 24, 45)))
_PLACE = st.tuples(st.floats(0, 1), st.floats(0, 1))
_MOUSE = st.builds(partial, st.sampled_from((_click, _drag)), st.lists(_PLACE, min_size=1, max_size=3))
_SINGLE = st.lists(st.sampled_from(_KEYS), min_size=1, max_size=2)
_STROKE = st.sampled_from(_STROKES) | _SINGLE | _SIZE | _MOUSE


class _Editor(WritingEditor):
    """Writes into files that are not there yet, too."""

    def edit(self, path: Path, line: int | None = None) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
        super().edit(path, line)


@examples(32)
@given(st.sampled_from(NAMES), st.lists(_STROKE, min_size=20, max_size=60))
def test_nothing_that_is_pressed_ends_the_app(name: str, strokes: list[Stroke]) -> None:
    async def script(pilot: Pilot[Any]) -> bool:
        for stroke in strokes:
            if isinstance(stroke, tuple):
                await pilot.resize_terminal(*stroke)
                continue
            for act in stroke if isinstance(stroke, list) else [stroke]:
                if not pilot.app.is_running or pilot.app.return_value is not None:  # q has left it
                    return True
                await (pilot.press(act) if isinstance(act, str) else act(pilot))
        return pilot.app.is_running

    with (
        tempfile.TemporaryDirectory() as name_of_folder,
        chdir(folder := Path(name_of_folder)),
        patch.object(terminal, "_TOOLS", ()),
        patch.object(arming, "QUIET", 0.0),
        patch.object(questions, "QUIET", 0.0),
        patch.object(app, "examples_dir", lambda: folder / "graphs"),
    ):
        shutil.copytree(GRAPHS, folder / "graphs")
        bench = Bench(folder)
        bench.editor = _Editor(lambda text: f"{text}# edited\n")
        assert bench.play(script, folder / "graphs" / f"{name}.toml")
        bench.store.close()
