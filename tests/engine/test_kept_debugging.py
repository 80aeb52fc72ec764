"""What is kept for a graph: in the user's folder, safe from other processes and from damage."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest

from stepgraph import Breakpoint, BreakpointError, Watch
from stepgraph.runs.debug.kept import KeptDebugging

STOP = Breakpoint("becomes", path="n", value={"a": [1]}, when="n > 1", skip=2, enabled=False)


@pytest.fixture
def kept(tmp_path: Path) -> KeptDebugging:
    return KeptDebugging(tmp_path / "graph.toml", tmp_path / "debug")


def test_changes_and_removals(kept: KeptDebugging) -> None:
    for _ in range(3):
        kept.add(STOP)
    kept.replace(Breakpoint("pause", id="b2"))
    kept.remove("b1")
    assert kept.breakpoints() == [Breakpoint("pause", id="b2"), replace(STOP, id="b3")]
    assert kept.add(STOP) == "b4"
    for wrong in ("b1", "b99", "x", "", "../b2", "b02"):
        with pytest.raises(BreakpointError, match="no breakpoint or watch") as caught:
            kept.remove(wrong)
        assert "b2, b3, b4" in caught.value.hint
    with pytest.raises(BreakpointError, match="add it first"):
        kept.replace(STOP)


def test_a_folder_that_cannot_be_looked_into_has_another_stamp_than_none(kept: KeptDebugging) -> None:
    nothing = kept.stamp("b")
    kept.folder.parent.mkdir(parents=True)
    kept.folder.write_text("a file in the way", encoding="utf-8")
    assert kept.stamp("b") != nothing


def test_many_at_once_lose_nothing(kept: KeptDebugging) -> None:
    with ThreadPoolExecutor(8) as pool:
        ids = list(pool.map(kept.add, [Breakpoint("before", f"n{n}") for n in range(40)]))
    assert len(set(ids)) == 40
    assert {each.node for each in kept.breakpoints()} == {f"n{n}" for n in range(40)}
    assert kept.damaged == ()


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"{",
        b"\xff\xfe",
        b"[" * 100_000,
        b'"text"',
        b'{"version": 1}',
        b'{"version": 2, "breakpoint": {"kind": "fail"}}',
        b'{"version": 1, "breakpoint": {"kind": "never"}}',
        b'{"version": 1, "breakpoint": {"kind": "fail", "skip": -1}}',
    ],
)
def test_a_damaged_one_is_told_and_stays_and_harms_no_other(kept: KeptDebugging, content: bytes) -> None:
    kept.add(STOP)
    kept.add(Breakpoint("fail"))
    file = kept.folder / "b1.json"
    file.write_bytes(content)
    assert kept.breakpoints() == [Breakpoint("fail", id="b2")]
    [damaged] = kept.damaged
    assert (damaged.id, damaged.file) == ("b1", file)
    assert damaged.reason
    kept.watches()
    assert [each.id for each in kept.damaged] == ["b1"]
    kept.add(Breakpoint("pause"))
    assert file.read_bytes() == content
    kept.remove("b1")
    kept.breakpoints()
    assert kept.damaged == ()


def test_a_watch_that_is_no_text_is_damaged_too(kept: KeptDebugging) -> None:
    kept.add(Watch("n"))
    (kept.folder / "w1.json").write_text(json.dumps({"version": 1, "watch": 3}))
    assert kept.watches() == []
    assert "not text" in kept.damaged[0].reason


def test_a_folder_that_cannot_be_written_is_told(tmp_path: Path) -> None:
    (tmp_path / "debug").write_text("a file")
    kept = KeptDebugging(tmp_path / "graph.toml", tmp_path / "debug")
    with pytest.raises(BreakpointError, match="cannot be written"):
        kept.add(STOP)
