"""Whatever keys are pressed, one after the other and on a screen of whatever size: the app goes on."""

from __future__ import annotations

import shutil
import tempfile
from contextlib import chdir
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
_SIZE = st.tuples(st.sampled_from((40, 60, 80, 100, 160, 200)), st.sampled_from((10, 15, 24, 45)))
_STROKE = st.sampled_from(_STROKES) | st.lists(st.sampled_from(_KEYS), min_size=1, max_size=2) | _SIZE


class _Editor(WritingEditor):
    """Writes into files that are not there yet, too."""

    def edit(self, path: Path, line: int | None = None) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
        super().edit(path, line)


@examples(32)
@given(st.sampled_from(NAMES), st.lists(_STROKE, min_size=20, max_size=60))
def test_no_keys_end_the_app(name: str, strokes: list[list[str] | tuple[int, int]]) -> None:
    async def script(pilot: Pilot[Any]) -> bool:
        for stroke in strokes:
            if isinstance(stroke, tuple):
                await pilot.resize_terminal(*stroke)
                continue
            for key in stroke:
                if not pilot.app.is_running or pilot.app.return_value is not None:  # q has left it
                    return True
                await pilot.press(key)
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
