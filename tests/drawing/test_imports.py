"""The drawing serves the command line too, which has no time to load an app."""

from __future__ import annotations

import subprocess
import sys


def test_the_layout_and_the_painter_load_neither_an_app_nor_the_engine() -> None:
    program = (
        "import sys, stepgraph_tui.drawing; "
        "print([name for name in ('textual', 'networkx', 'stepgraph', 'pydantic') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, check=True, encoding="utf-8")
    assert done.stdout.strip() == "[]"


def test_drawing_a_graph_loads_no_app() -> None:
    program = (
        "import sys, stepgraph_tui.drawing.picture.graph_drawing, stepgraph_tui.drawing.picture.run_marks; "
        "print('textual' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, check=True, encoding="utf-8")
    assert done.stdout.strip() == "False"
