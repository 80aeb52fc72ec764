"""Asking for the path of a graph file."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from stepgraph_tui.dialogs.open_path import OpenPath, completed, new_refusal, refusal
from tests.app.asking import Told, answered_in_turn


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with graph files and others; the current one."""
    for name in ("refund.toml", "refunds.txt", "graphs/a.toml", ".hidden.toml", "other.toml"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def asked(*cases: Sequence[str], size: tuple[int, int] = (80, 24)) -> list[Told]:
    """What was handed back after some keys, and the screen; one dialog a case."""
    return answered_in_turn(lambda _: OpenPath(), *cases, size=size)


def test_enter_opens_a_file_that_is_there_tab_completes_and_esc_opens_nothing() -> None:
    keys = ([*"other.toml", "enter"], [*"other.toml", "ctrl+j"], [*"o", "escape"], [*"ref", "right", "enter"])
    told = asked(*keys, [*"ref", "tab", "enter"])
    refund = Path("refund.toml")
    assert [answers[0] for answers, _ in told] == [
        Path("other.toml"),
        Path("other.toml"),
        None,
        refund,
        refund,
    ]


@pytest.mark.parametrize(
    ("path", "why"),
    [
        ("none.toml", "there is no such file"),
        ("graphs", "this is a folder"),
        (None, "write the path of a .toml file"),
        ("sub/x", "there is no such file"),
        ("x" * 5000, "this cannot be opened: File name too long"),
        ("refund.toml", None),
    ],
)
def test_what_cannot_be_opened_is_told(path: str | None, why: str | None) -> None:
    assert refusal(Path(path) if path is not None else None) == why


@pytest.mark.parametrize(
    ("path", "why"),
    [
        ("none.toml", None),
        ("graphs/none.toml", None),
        ("refund.toml", "there is a file of this name: choose another one"),
        ("graphs", "write the path of a .toml file"),
        ("none.txt", "write the path of a .toml file"),
        (None, "write the path of a .toml file"),
        ("gone/x.toml", "there is no such folder"),
        ("x" * 5000 + ".toml", "nothing can be written there: File name too long"),
    ],
)
def test_where_no_new_file_can_be_made_is_told(path: str | None, why: str | None) -> None:
    assert new_refusal(Path(path) if path is not None else None) == why


def test_the_message_stands_below_the_field_until_the_path_is_changed() -> None:
    (answers, text), (_, empty), (_, changed) = asked(["~", "x", "enter"], ["enter"], ["x", "enter", "x"])
    assert answers == []
    assert "✗ there is no such file" in text
    assert "✗ write the path" in empty
    assert "✗" not in changed


@pytest.mark.parametrize(
    ("text", "path"),
    [
        ("r", "refund.toml"),
        ("gr", "graphs/"),
        ("graphs/", "graphs/a.toml"),
        ("./o", "./other.toml"),
        (".h", ".hidden.toml"),
        ("", None),
        ("zzz", None),
        ("nowhere/x", None),
        ("\0", None),
    ],
)
def test_folders_and_graph_files_are_what_a_path_can_end_in(text: str, path: str | None) -> None:
    assert completed(text) == path


def test_the_home_folder_can_be_written_as_a_tilde(own_home: Path) -> None:
    (own_home / "mine.toml").write_text("", encoding="utf-8")
    assert completed("~/mi") == "~/mine.toml"
    assert asked([*"~/m", "tab", "enter"])[0][0] == [own_home / "mine.toml"]


def test_it_fits_a_small_screen() -> None:
    assert asked([*"o", "tab", "enter"], size=(20, 5))[0][0] == [Path("other.toml")]


MODULE = """
import os

limit = 3
graph = object()

def grown():
    return graph

raise SystemExit("never imported")
"""


@pytest.fixture
def module(folder: Path) -> Path:
    """A module with graphs, beside the files."""
    file = folder / "zebra.py"
    file.write_text(MODULE, encoding="utf-8")
    return file


@pytest.mark.parametrize(
    ("text", "whole"),
    [
        ("zeb", "zebra.py"),
        ("zebra.py:", "zebra.py:limit"),
        ("zebra.py:g", "zebra.py:graph"),
        ("zebra.py:gro", "zebra.py:grown"),
        ("zebra.py:x", None),
        ("other.py:g", None),
        ("graphs/zebra.py:g", None),
    ],
)
def test_modules_and_the_names_in_them_are_completed_without_an_import(
    module: Path, text: str, whole: str | None
) -> None:
    assert completed(text, modules=True) == whole


@pytest.mark.parametrize(
    ("path", "why"),
    [
        ("zebra.py:graph", None),
        ("zebra.py:", "a graph in a module is written as my_agent.py:graph"),
        ("zebra.py:my graph", "a graph in a module is written as my_agent.py:graph"),
        ("gone.py:graph", "there is no such file"),
        ("zebra.py", "write the graph's name behind it: zebra.py:NAME, such as limit, graph, grown"),
    ],
)
def test_what_cannot_be_opened_of_a_module_is_told(module: Path, path: str, why: str | None) -> None:
    assert refusal(Path(path)) == why


def test_tab_goes_from_the_module_to_the_graph_in_it(module: Path) -> None:
    told = asked([*"zeb", "tab", *":gr", "tab", "enter"])
    assert [answers[0] for answers, _ in told] == [Path(f"{module}:graph")]


def test_a_module_on_the_python_path_is_found_by_its_name(module: Path) -> None:
    told = asked([*"zebra:graph", "enter"])
    assert [answers[0] for answers, _ in told] == [Path(f"{module}:graph")]


def test_who_is_asked_for_a_new_file_is_offered_no_modules(module: Path) -> None:
    assert completed("zeb") is None
    told = answered_in_turn(lambda _: OpenPath("Save a copy", "Save", new_refusal), [*"zeb", "tab", "escape"])
    assert "zebra.py" not in told[0][1]
