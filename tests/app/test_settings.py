"""The settings file: what it sets, and what is said of what is wrong with it."""

from __future__ import annotations

from pathlib import Path

import pytest

from stepgraph_tui.settings import Settings, read_settings
from stepgraph_tui.text.system import settings_file
from tests.cli.calling import call

WHOLE = """
theme = "stepgraph-light"
zoom = "card"
direction = "LR"
follow = false
auto_continue = true
ascii = "always"
name = "ana"

[keys]
debug.step = "n, f7"
"debug.go" = ["(", "ctrl+n"]
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """Where the settings are."""
    return tmp_path / "settings.toml"


def read(file: Path, text: str) -> tuple[Settings, list[str]]:
    file.write_text(text, encoding="utf-8")
    return read_settings(file)


def test_every_setting_can_be_set(file: Path) -> None:
    settings, wrong = read(file, WHOLE)
    assert wrong == []
    assert settings == Settings(
        theme="stepgraph-light",
        zoom="card",
        direction="LR",
        follow=False,
        auto_continue=True,
        ascii="always",
        name="ana",
        keys={"debug.step": "n,f7", "debug.go": "left_parenthesis,ctrl+n"},
    )


def test_without_a_file_the_defaults_hold(file: Path) -> None:
    assert read_settings(file) == (Settings(), [])
    assert Settings().theme == "stepgraph-dark"
    assert Settings().name


def test_an_empty_file_sets_nothing(file: Path) -> None:
    assert read(file, "") == (Settings(), [])


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ('them = "x"', "there is no setting \"them\" (did you mean 'theme'?)"),
        ('theme = "stepgraph-drak"', "theme is \"stepgraph-drak\" (did you mean 'stepgraph-dark'?)"),
        ("theme = 3", "theme takes a text, not 3"),
        ('zoom = "huge"', 'zoom is "huge" (it takes: card, compact, chip)'),
        ("follow = 1", "follow takes true or false, not 1"),
        ('auto_continue = "yes"', 'auto_continue takes true or false, not "yes"'),
        ('ascii = "maybe"', 'ascii is "maybe" (it takes: auto, always, never)'),
        ('name = " "', "name takes a name that can be printed"),
        ("name = [1]", "name takes a text, not a list"),
        ('keys = "n"', 'keys takes a table, not "n"'),
        (
            'keys = { "debug.stepp" = "n" }',
            "there is no command \"debug.stepp\" (did you mean 'debug.step'?)",
        ),
        ('keys = { debug.step = "entr" }', "debug.step: there is no key \"entr\" (did you mean 'enter'?)"),
        ('keys = { debug.step = "crtl+n" }', "there is no modifier \"crtl\" (did you mean 'ctrl'?)"),
        ('keys = { debug.step = "ctrl+q" }', "debug.step: ctrl+q quits everywhere"),
        ('keys = { debug.step = "" }', 'debug.step: takes keys, such as "n,ctrl+n"'),
        ("keys = { debug.step = [1] }", "debug.step: takes keys"),
        ("keys = { debug = {} }", 'there is no command "debug"'),
        ('keys = { debug.step = "X" }', "debug.step: X is the key of debug.stop in the same place"),
    ],
)
def test_what_is_wrong_is_told_by_file_and_line_and_the_rest_is_used(
    file: Path, line: str, message: str
) -> None:
    settings, (wrong,) = read(file, f'direction = "LR"\n{line}\n')
    assert wrong.startswith(f"{file}:2: ")
    assert message in wrong
    assert settings == Settings(direction="LR")


def test_wrong_lines_are_told_in_their_order(file: Path) -> None:
    _, wrong = read(file, 'colour = 1\n[keys]\ndebug.go = "nokey"\ndebug.nothing = "n"\n')
    assert [told.removeprefix(f"{file}:")[0] for told in wrong] == ["1", "3", "4"]


def test_two_commands_may_swap_their_keys(file: Path) -> None:
    settings, wrong = read(file, '[keys]\ndebug.step = "c"\ndebug.go = "s"\n')
    assert wrong == []
    assert settings.keys == {"debug.step": "c", "debug.go": "s"}


@pytest.mark.parametrize(
    "key", [",", "+", "/", "[", "space", "ctrl+left", "shift+f5", "comma", "é", "Z", "left_square_bracket"]
)
def test_any_key_that_exists_can_be_given(file: Path, key: str) -> None:
    settings, wrong = read(file, f"[keys]\nlist.copy = '{key}'\n")
    assert wrong == []
    assert "" not in settings.keys["list.copy"].split(",")


@pytest.mark.parametrize(
    "content",
    [
        b"theme = stepgraph",
        b"theme = 'a'\ntheme = 'b'",
        b"\xff\xfe",
        b"a." * 2000 + b"b = 1",
        b"x = " + b"[" * 5000,
        b"n = " + b"9" * 5000,
        b"#" * 2_000_000,
    ],
    ids=["no quotes", "twice", "no UTF-8", "endless key", "deep", "endless number", "huge"],
)
def test_a_broken_file_is_one_message_and_the_defaults_hold(file: Path, content: bytes) -> None:
    file.write_bytes(content)
    settings, (wrong,) = read_settings(file)
    assert settings == Settings()
    assert wrong.startswith(str(file))
    assert "graph file" not in wrong


def test_a_folder_in_the_files_place_is_one_message(file: Path) -> None:
    file.mkdir()
    assert len(read_settings(file)[1]) == 1


def test_what_a_file_says_is_shown_as_data(file: Path) -> None:
    _, (wrong,) = read(file, 'theme = "\\u001b[31mred"\n')
    assert "\x1b" not in wrong


def test_the_file_is_in_the_users_config_folder(own_home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert settings_file().is_relative_to(own_home)
    assert settings_file().name == "settings.toml"
    monkeypatch.setenv("STEPGRAPH_HOME", str(own_home / "elsewhere"))
    assert settings_file() == own_home / "elsewhere" / "settings.toml"


def test_the_doctor_names_the_file_and_what_is_wrong_with_it(tmp_path: Path) -> None:
    (tmp_path / "settings.toml").write_text("follow = 1\n", encoding="utf-8")
    result = call("doctor", "--json", env={"STEPGRAPH_HOME": str(tmp_path)})
    assert result.code == 0
    assert result.json["paths"]["settings"] == str(tmp_path / "settings.toml")
    (wrong,) = result.json["settings"]["problems"]
    assert "follow takes true or false" in wrong
    assert "follow takes" in call("doctor", env={"STEPGRAPH_HOME": str(tmp_path)}).out


def test_a_command_for_reviews_is_a_list_of_words(file: Path) -> None:
    settings, wrong = read(file, 'on_pause = ["notify-send", "Stepgraph; $HOME"]\nnotify = "osc777"\n')
    assert (settings.on_pause, settings.notify, wrong) == (("notify-send", "Stepgraph; $HOME"), "osc777", [])


@pytest.mark.parametrize("value", ['"notify-send x"', '["a", 1]', "true", '["a\\u0000b"]', "{ a = 1 }"])
def test_anything_else_is_no_command(file: Path, value: str) -> None:
    settings, (wrong,) = read(file, f"on_pause = {value}\n")
    assert settings.on_pause == ()
    assert 'on_pause takes a list of texts, such as ["notify-send", "Stepgraph"]' in wrong


def test_a_way_of_being_told_that_is_none_names_those_there_are(file: Path) -> None:
    settings, (wrong,) = read(file, 'notify = "shout"\n')
    assert settings.notify == "bell"
    assert "it takes: off, title, bell, osc9, osc777" in wrong
