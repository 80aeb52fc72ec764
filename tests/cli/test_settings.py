"""``stepgraph settings``: what is listed, what is written, and what is refused."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stepgraph import StepgraphError
from stepgraph_tui.cli.settings import changed, page, template
from stepgraph_tui.settings import Settings, read_settings, setting_infos
from tests.cli.calling import Cli

ROOT = Path(__file__).parents[2]


def file_of(cli: Cli) -> Path:
    return Path(json.loads(cli("settings", "--json").out)["file"])


def test_all_are_listed_with_value_source_and_meaning(cli: Cli) -> None:
    listed = cli("settings")
    assert listed.code == 0
    assert "auto_continue  true" in listed.out
    assert "whether a run continues by itself" in " ".join(listed.out.split())
    assert "which is not there yet" in listed.err
    told = json.loads(cli("settings", "--json").out)
    assert [row["name"] for row in told["settings"]] == list(Settings.__dataclass_fields__)
    assert {row["from"] for row in told["settings"]} == {"default"}


def test_the_first_one_that_is_set_writes_a_file_that_says_what_can_be_set(cli: Cli) -> None:
    assert cli("settings", "set", "auto_continue", "false").code == 0
    text = file_of(cli).read_text(encoding="utf-8")
    assert tomllib.loads(text) == {"auto_continue": False}
    for info in setting_infos():
        assert f"{info.name} = " in text or info.name in ("keys", "models", "mcp")
    for name, value in (("theme", "nord"), ("on_pause", '["say", "hi"]'), ("keys.debug.go", "g")):
        assert cli("settings", "set", name, value).code == 0
    settings, wrong = read_settings(file_of(cli))
    assert wrong == []
    assert (settings.theme, settings.on_pause, settings.auto_continue) == ("nord", ("say", "hi"), False)
    assert settings.keys == {"debug.go": "g"}
    row = next(row for row in json.loads(cli("settings", "--json").out)["settings"] if row["name"] == "theme")
    assert text.splitlines()[int(row["from"].removeprefix("line ")) - 1].startswith("# theme = ")


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("zomm", "card", "there is no setting 'zomm'\n  hint: did you mean 'zoom'?"),
        ("zoom", "huge", 'zoom is "huge" (it takes: card, compact, chip)'),
        ("follow", "yes", "follow takes true or false"),
        ("models", "x", "see `stepgraph models`"),
        ("mcp.files", "x", "see `stepgraph tools`"),
        ("keys", "g", "`settings set keys.debug.go KEY` sets a key"),
        ("zoom.x", "card", "zoom.x cannot be set here"),
        ("keys.debug.nothing", "g", 'there is no command "debug.nothing"'),
        ("on_pause", "[1", "on_pause takes a list of texts"),
    ],
)
def test_what_cannot_be_set_is_refused_and_nothing_is_written(
    cli: Cli, name: str, value: str, message: str
) -> None:
    result = cli("settings", "set", name, value)
    assert (result.code, message in result.err) == (1, True)
    assert not file_of(cli).exists()


KEPT = """# mine
zoom = "card"   # large
name = "ana"

[models.default]  # whom to ask
provider = "scripted"
"""


def test_everything_else_in_the_file_stays_as_it_is() -> None:
    assert changed(KEPT, "zoom", "chip") == KEPT.replace('"card"', '"chip"')
    assert changed(KEPT, "follow", False) == KEPT.replace("[models", "follow = false\n[models")
    with_keys = changed(KEPT, "keys.debug.go", "g")
    assert with_keys == f'{KEPT}\n[keys]\ndebug.go = "g"\n'
    assert changed(with_keys, "keys.debug.go", "h") == with_keys.replace('"g"', '"h"')
    assert changed(with_keys, "keys.list.copy", "y").count("[keys]") == 1
    with pytest.raises(StepgraphError, match="set over several lines"):
        changed('on_pause = [\n  "a",\n]\n', "on_pause", ("b",))


@given(value=st.text(max_size=20), before=st.sampled_from(["", KEPT, "name = 'x' # y\n", "[keys]\n"]))
def test_any_text_is_written_so_that_it_is_read_again(value: str, before: str) -> None:
    after = tomllib.loads(changed(before, "name", value))
    assert after == {**tomllib.loads(before), "name": value}


def test_the_page_of_settings_is_made_from_the_table() -> None:
    assert (ROOT / "docs" / "settings.md").read_text(encoding="utf-8") == page(setting_infos()), "make keys"
    assert tomllib.loads(template(setting_infos())) == {}
