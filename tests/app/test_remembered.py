"""What is remembered between two starts."""

from __future__ import annotations

import json
import os
import stat
from pathlib import Path
from typing import Any

import pytest

from stepgraph_tui.remembered import Remembered, RememberedPlace

PLACE = RememberedPlace(run="r-7", node="review", zoom="chip", direction="LR", tab="why", divider=41)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """Where it is kept."""
    return tmp_path / "remembered.json"


def test_files_and_places_come_back_the_newest_first(file: Path, tmp_path: Path) -> None:
    remembered = Remembered.load(file)
    for name in ("a.toml", "b.toml", "a.toml"):
        remembered.opened(tmp_path / name)
    remembered.keep(tmp_path / "a.toml", PLACE)
    remembered.theme = "stepgraph-light"
    remembered.save()
    again = Remembered.load(file)
    assert again.recent == [tmp_path / "a.toml", tmp_path / "b.toml"]
    assert again.place(tmp_path / "a.toml") == PLACE
    assert again.place(tmp_path / "b.toml") == RememberedPlace()
    assert again.theme == "stepgraph-light"


def test_one_file_is_one_entry_however_it_is_named(
    file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    remembered = Remembered.load(file)
    remembered.opened(Path("a.toml"))
    remembered.opened(tmp_path / "sub" / ".." / "a.toml")
    assert remembered.recent == [tmp_path / "a.toml"]


def test_opening_a_file_again_keeps_its_place(file: Path, tmp_path: Path) -> None:
    remembered = Remembered.load(file)
    remembered.opened(tmp_path / "a.toml")
    remembered.keep(tmp_path / "a.toml", PLACE)
    remembered.opened(tmp_path / "a.toml")
    assert remembered.place(tmp_path / "a.toml") == PLACE


def test_at_most_twenty_files_are_kept(file: Path, tmp_path: Path) -> None:
    remembered = Remembered.load(file)
    for number in range(30):
        remembered.opened(tmp_path / f"{number}.toml")
    remembered.save()
    recent = Remembered.load(file).recent
    assert len(recent) == 20
    assert recent[0] == tmp_path / "29.toml"


def test_what_is_forgotten_stays_forgotten(file: Path, tmp_path: Path) -> None:
    remembered = Remembered.load(file)
    remembered.opened(tmp_path / "a.toml")
    remembered.save()
    remembered.forget(tmp_path / "a.toml")
    remembered.save()
    assert Remembered.load(file).recent == []


def test_two_terminals_lose_nothing_of_each_other(file: Path, tmp_path: Path) -> None:
    one, other = Remembered.load(file), Remembered.load(file)
    one.opened(tmp_path / "one.toml")
    other.opened(tmp_path / "other.toml")
    one.save()
    other.save()
    assert set(Remembered.load(file).recent) == {tmp_path / "one.toml", tmp_path / "other.toml"}


def test_only_its_owner_may_read_it(file: Path, tmp_path: Path) -> None:
    file.write_text("{}", encoding="utf-8")
    file.chmod(0o644)
    remembered = Remembered.load(file)
    remembered.opened(tmp_path / "a.toml")
    remembered.save()
    assert stat.S_IMODE(file.stat().st_mode) == 0o600


def test_it_is_kept_in_the_data_folder_which_is_made(own_home: Path) -> None:
    remembered = Remembered.load()
    remembered.opened(own_home / "a.toml")
    remembered.save()
    assert Remembered.load().recent == [own_home / "a.toml"]
    (kept,) = own_home.rglob("remembered.json")
    assert stat.S_IMODE(kept.parent.stat().st_mode) == 0o700


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"{",
        b"[]",
        b"\xff",
        b"[" * 100_000,
        b'{"version": 2, "files": [{"path": "/a"}]}',
        b'{"version": 1, "files": 3, "theme": []}',
        b'{"version": 1, "files": [3, {}, {"path": 4}, {"path": ""}, {"path": "a"}, {"path": "/\\u0000"}]}',
    ],
)
def test_a_damaged_file_is_as_good_as_none(file: Path, content: bytes) -> None:
    file.write_bytes(content)
    remembered = Remembered.load(file)
    assert remembered.recent == []
    assert remembered.theme is None


@pytest.mark.parametrize(
    "entry", [{"run": 3}, {"divider": "wide"}, {"divider": -1}, {"divider": True}, {"node": "x" * 20_000}]
)
def test_a_damaged_place_is_left_out_and_its_file_kept(file: Path, entry: dict[str, Any]) -> None:
    file.write_text(json.dumps({"version": 1, "files": [{"path": "/a.toml", **entry}]}), encoding="utf-8")
    remembered = Remembered.load(file)
    assert remembered.recent == [Path("/a.toml")]
    assert remembered.place(Path("/a.toml")) == RememberedPlace()


def test_what_cannot_be_saved_is_no_harm(tmp_path: Path) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("", encoding="utf-8")
    remembered = Remembered.load(blocked / "remembered.json")
    remembered.opened(tmp_path / "a.toml")
    remembered.save()
    assert remembered.recent == [tmp_path / "a.toml"]


def test_a_name_that_is_no_text_can_be_kept(file: Path, tmp_path: Path) -> None:
    odd = tmp_path / os.fsdecode(b"\xff.toml")
    remembered = Remembered.load(file)
    remembered.opened(odd)
    remembered.save()
    assert Remembered.load(file).recent == [odd]
