"""The drawing serves the command line too, which has no time to load an app."""

from __future__ import annotations

import subprocess
import sys


def test_the_layout_and_the_painter_load_neither_an_app_nor_the_engine() -> None:
    program = (
        "import sys; from stepgraph_tui.drawing import lay_out, paint; "
        "heavy = ('textual', 'networkx', 'pydantic'); "
        "print([name for name in sys.modules if name.partition('.')[0] in heavy "
        "or name.startswith('stepgraph.') and name != 'stepgraph.doors'])"
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
