"""What is kept for a graph: in the user's folder, safe from other processes and from damage."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest

from stepgraph import Breakpoint, BreakpointError, Watch
from stepgraph.runs.debug.kept import KeptDebugging
from stepgraph.values.folders import data_folder

STOP = Breakpoint("becomes", path="n", value={"a": [1]}, when="n > 1", skip=2, enabled=False)


@pytest.fixture
def kept(tmp_path: Path) -> KeptDebugging:
    return KeptDebugging(tmp_path / "graph.toml", tmp_path / "debug")


def test_what_is_kept_is_read_again_and_belongs_to_its_graph(kept: KeptDebugging, tmp_path: Path) -> None:
    assert (kept.breakpoints(), kept.watches()) == ([], [])
    assert [kept.add(each) for each in (STOP, Watch("n"), Breakpoint("fail"))] == ["b1", "w1", "b2"]
    again = KeptDebugging(tmp_path / "x" / ".." / "graph.toml", tmp_path / "debug")
    assert again.breakpoints() == [replace(STOP, id="b1"), Breakpoint("fail", id="b2")]
    assert again.watches() == [Watch("n", "w1")]
    assert KeptDebugging(tmp_path / "other.toml", tmp_path / "debug").breakpoints() == []
    assert not (tmp_path / "graph.toml").exists()


def test_the_users_folder_is_the_usual_place(tmp_path: Path) -> None:
    kept = KeptDebugging(tmp_path / "graph.toml")
    kept.add(STOP)
    assert kept.folder.is_relative_to(data_folder())
    assert (kept.folder / "b1.json").stat().st_mode & 0o077 == 0


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


def test_a_watch_that_is_off_stays_off_and_one_of_an_older_version_is_on(kept: KeptDebugging) -> None:
    kept.add(Watch("n"))
    kept.replace(Watch("n", "w1", enabled=False))
    assert [each.enabled for each in kept.watches()] == [False]
    kept.replace(Watch("n", "w1"))
    assert "enabled" not in (kept.folder / "w1.json").read_text(encoding="utf-8")
    assert [each.enabled for each in kept.watches()] == [True]


def test_the_stamp_of_a_sort_changes_with_its_files_alone(kept: KeptDebugging) -> None:
    stamps: list[object] = [kept.stamp("b")]
    watched = kept.stamp("w")

    def changed() -> bool:
        stamps.append(kept.stamp("b"))
        return stamps[-1] != stamps[-2]

    kept.add(STOP)
    assert changed()
    assert not changed()
    file = kept.folder / "b1.json"
    file.write_text(file.read_text(encoding="utf-8") + " ", encoding="utf-8")  # in place
    assert changed()
    assert kept.stamp("w") == watched
    kept.add(Watch("n"))
    assert not changed()
    assert kept.stamp("w") != watched
    kept.remove("b1")
    assert changed()


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
    assert "no text" in kept.damaged[0].reason


def test_a_condition_that_was_edited_by_hand_into_nonsense_is_kept(kept: KeptDebugging) -> None:
    kept.add(Breakpoint("fail", when="n >"))
    assert kept.breakpoints() == [Breakpoint("fail", when="n >", id="b1")]


def test_a_folder_that_cannot_be_written_is_told(tmp_path: Path) -> None:
    (tmp_path / "debug").write_text("a file")
    kept = KeptDebugging(tmp_path / "graph.toml", tmp_path / "debug")
    with pytest.raises(BreakpointError, match="cannot be written"):
        kept.add(STOP)
