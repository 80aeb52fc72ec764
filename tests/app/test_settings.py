"""The settings file: what it sets, and what is said of what is wrong with it."""

from __future__ import annotations

from pathlib import Path

import pytest

from stepgraph_tui.settings import Settings, read_settings


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """Where the settings are."""
    return tmp_path / "settings.toml"


def read(file: Path, text: str) -> tuple[Settings, list[str]]:
    file.write_text(text, encoding="utf-8")
    return read_settings(file)


def test_wrong_lines_are_told_in_their_order(file: Path) -> None:
    _, wrong = read(file, 'color = 1\n[keys]\ndebug.go = "nokey"\ndebug.nothing = "n"\n')
    assert [told.removeprefix(f"{file}:")[0] for told in wrong] == ["1", "3", "4"]


@pytest.mark.parametrize(
    "key", [",", "+", "/", "[", "space", "ctrl+left", "shift+f5", "comma", "é", "Z", "left_square_bracket"]
)
def test_any_key_that_exists_can_be_given(file: Path, key: str) -> None:
    settings, wrong = read(file, f"[keys]\nlist.copy = '{key}'\n")
    assert wrong == []
    assert "" not in settings.keys["list.copy"].split(",")


@pytest.mark.parametrize(
    ("keys", "read_as"),
    [
        ('"gn"', "g>n"),
        ('"g n"', "g>n"),
        ('"f3, gn"', "f3,g>n"),
        ('[", n"]', "comma>n"),
        ('"insert"', "insert"),
    ],
)
def test_two_keys_can_be_given_behind_one_another(file: Path, keys: str, read_as: str) -> None:
    settings, wrong = read(file, f"[keys]\nlist.copy = {keys}\n")
    assert (settings.keys["list.copy"], wrong) == (read_as, [])


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ('list.copy = "j n"', "jn: two keys at most, the first of them one of g, z, x, ,"),
        ('list.copy = "g g g"', "ggg: two keys at most"),
        ('list.copy = "g nokey"', "there is no key"),
        ('app.go = "n"', "g is the first key of other commands: map those"),
    ],
)
def test_two_keys_that_cannot_be_pressed_are_refused(file: Path, line: str, why: str) -> None:
    settings, (wrong,) = read(file, f"[keys]\n{line}\n")
    assert why in wrong
    assert not settings.keys


def test_what_a_file_says_is_shown_as_data(file: Path) -> None:
    _, (wrong,) = read(file, 'theme = "\\u001b[31mred"\n')
    assert "\x1b" not in wrong


@pytest.mark.parametrize("value", ['"notify-send x"', '["a", 1]', "true", '["a\\u0000b"]', "{ a = 1 }"])
def test_anything_else_is_no_command(file: Path, value: str) -> None:
    settings, (wrong,) = read(file, f"on_pause = {value}\n")
    assert settings.on_pause == ()
    assert 'on_pause takes a list of texts, such as ["notify-send", "Stepgraph"]' in wrong
