"""Ways through an explanation: keys, clicks, searches, copies; and what it costs to paint it."""

from __future__ import annotations

from stepgraph_tui.widgets.why import WhyPane
from tests.app.telling import pressed


def test_without_a_run_its_keys_do_nothing() -> None:
    pane = WhyPane()
    assert pressed(pane, None, "j", "k", "enter", "pagedown").heard == []
    assert pane.copied_path() is None
