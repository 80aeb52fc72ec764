"""The pane with the state: what a step changed, and all of the state as a tree."""

from __future__ import annotations

import pytest

from stepgraph.values.errors import StoreError
from tests.app.state_panes import Host, made, refund, shown


def test_the_state_before_the_start_is_empty() -> None:
    lines = shown(Host(refund(0).now()), "v", "v")
    assert lines == [" before the start", "", "   empty"]


def test_a_store_that_cannot_be_read_is_told_in_the_pane(monkeypatch: pytest.MonkeyPatch) -> None:
    moment = made({"a": 1})

    def broken(*_: object) -> None:
        raise StoreError("the store is \x1b damaged")

    monkeypatch.setattr(moment.view.outlines, "between", broken)
    assert shown(Host(moment), "j", "enter", "L", "l", "h")[2] == "     the store is \\x1b damaged"
