"""Whole screens at the two sizes that everything is made for, compared with pictures of them."""

from __future__ import annotations

from pathlib import Path

import pytest
from screenshots.scenes import LARGE, SMALL, exported, shoot
from screenshots.svg import text_of
from screenshots.take import EXPORTS, PICTURES

from stepgraph_tui.screens import home
from tests.app.snapshots import FOLDER, compare

SIZES = {"80x24": SMALL, "120x40": LARGE}
KEPT = [
    *(
        f"{name}-80x24"
        for name in ("home", "form", "ready", "state", "why", "past", "approval", "inbox", "failed")
    ),
    *(
        f"{name}-120x40"
        for name in ("state", "why", "node", "approval", "ended", "help", "light", "design", "never")
    ),
    "ascii-80x24",
    "pick-80x24",
]
"""The screens that are compared, each with its size."""
ROOT = Path(__file__).parents[2]


@pytest.fixture(autouse=True)
def any_version(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(home, "__version__", "1.0.0")


@pytest.mark.parametrize("kept", KEPT)
def test_the_screen_looks_as_it_did(kept: str, tmp_path: Path) -> None:
    name, size = kept.split("-")
    stage = tmp_path / "stage"
    stage.mkdir()
    compare(kept, shoot(name, SIZES[size], stage), tmp_path)


def test_only_pictures_of_screens_are_kept() -> None:
    assert {file.stem for file in FOLDER.iterdir()} == set(KEPT)


def test_a_picture_shows_nothing_of_the_machine_it_was_taken_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen = []
    machines = [
        {
            "TZ": "Pacific/Apia",
            "NO_COLOR": "1",
            "TERM": "linux",
            "LANG": "C",
            "USER": "root",
            "COLUMNS": "40",
        },
        {"TZ": "America/Lima", "TERM": "xterm-256color", "LANG": "de_DE.UTF-8", "USER": "mary"},
    ]
    for number, machine in enumerate(machines):
        with monkeypatch.context() as changed:
            for name, value in machine.items():
                changed.setenv(name, value)
            stage = tmp_path / ("a folder" * number) / f"stage{number}"
            stage.mkdir(parents=True)
            seen.append(shoot("failed", LARGE, stage))
    assert seen[0] == seen[1]
    assert str(tmp_path) not in seen[0]


def test_the_ascii_screen_has_no_other_characters(tmp_path: Path) -> None:
    assert "\n".join(text_of(shoot("ascii", SMALL, tmp_path))).isascii()


@pytest.mark.parametrize("name", PICTURES)
def test_a_picture_can_be_looked_at_without_a_network(name: str) -> None:
    svg = (ROOT / "screenshots" / f"{name}.svg").read_text(encoding="utf-8")
    assert svg.replace("http://www.w3.org/2000/svg", "").count("://") == 0
    assert text_of(svg)


@pytest.mark.parametrize("name", EXPORTS)
def test_a_picture_of_an_export_is_what_is_exported_now(name: str) -> None:
    svg = (ROOT / "screenshots" / f"{name}.svg").read_text(encoding="utf-8")
    assert exported(EXPORTS[name]) == svg, "make screenshots"
