"""The tables of models in the settings: what they take, and what is said of what is wrong, by its line."""

from __future__ import annotations

from pathlib import Path

import pytest

from stepgraph_tui.settings import Settings, read_settings

WHOLE = """
[models.default]
provider = "openai"
model = "gpt-5-mini"
base_url = "https://example.org/v1"
key_env = "MY_KEY"
timeout = 30
retries = 4
max_tokens = 1000
temperature = 0
input_price = 0.15
output_price = 0.6
tools = "text"
options = { reasoning_effort = "low" }

[models.other]
provider = "scripted"
replies = ["one", "two"]
"""


def settings(tmp_path: Path, text: str) -> tuple[Settings, list[str]]:
    file = tmp_path / "settings.toml"
    file.write_text(text)
    found, wrong = read_settings(file)
    return found, [line.removeprefix(f"{file}:") for line in wrong]


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ('provider = "opnai"', "2: models.m: there is no provider 'opnai' (did you mean 'openai'?)"),
        ('base_url = "localhost:11434"', "base_url is not right: an address begins with http:// or https://"),
        ('base_url = "ftp://host/v1"', "base_url is not right: an address begins with http:// or https://"),
        ('base_url = "http://"', "base_url is not right: an address begins with http:// or https://"),
        ('base_url = "http://[::1"', "base_url is not right: an address begins with http:// or https://"),
        ('base_url = "http://a b/v1"', "base_url is not right: an address begins with http:// or https://"),
        ('base_url = "http://me:pw@host/v1"', "base_url is not right: a key does not belong in an address"),
        ('key_env = "sk-1234-abc"', "key_env is not right: a variable's name has letters"),
        ('keyring = "stepgraph"', "keyring is not right: an entry of the keyring is written service/user"),
        ('key_env = "A"\nkeyring = "b/c"', "models.m: it has two keys, key_env and keyring: leave out one"),
        (
            'api_key = "sk-1234"',
            "there is no setting 'api_key' (a key is not written here: name",
        ),
        ('modle = "x"', "there is no setting 'modle' (did you mean 'model'?)"),
        ("timeout = 0", "timeout is not right: it must be more than 0"),
        ("timeout = inf", "timeout takes a finite number"),
        ("retries = 11", "retries is not right: it is a number from 0 to 10"),
        ("retries = true", "retries takes a whole number, not the boolean true"),
        ("max_tokens = 0", "max_tokens is not right: it is a number from 1"),
        ("temperature = -1", "temperature is not right: it must not be less than 0"),
        ("input_price = 1", "input_price and output_price belong together: give both"),
        ('tools = "natve"', "tools takes native or text, not the text \"natve\" (did you mean 'native'?)"),
        ('model = ""', 'it names no model: give model = "..."'),
        ("model = 3", "model takes text, not the number 3"),
    ],
)
def test_what_is_wrong_is_said_by_its_line_and_its_model_left_out(
    tmp_path: Path, line: str, said: str
) -> None:
    given = {"provider": 'provider = "openai"', "model": 'model = "x"'}
    given.pop(line.split(" = ")[0], None)
    found, wrong = settings(tmp_path, "[models.m]\n" + "\n".join([line, *given.values()]))
    assert len(wrong) == 1
    assert said in wrong[0]
    assert wrong[0].startswith(("1: ", "2: ")), "the line is not where it stands"
    assert found.models == {}


def test_no_value_that_may_be_a_key_is_repeated(tmp_path: Path) -> None:
    for line in ('key_env = "sk-1234-abc"', 'api_key = "sk-1234-abc"', 'base_url = "http://u:sk-1234-abc@h"'):
        _, wrong = settings(tmp_path, f'[models.m]\nprovider = "openai"\nmodel = "x"\n{line}')
        assert wrong
        assert "sk-1234-abc" not in wrong[0]


@pytest.mark.parametrize("text", ["models = 3", "models = ['a']", "[models]\ndefault = 'gpt'"])
def test_models_that_are_no_tables_are_refused(tmp_path: Path, text: str) -> None:
    found, wrong = settings(tmp_path, text)
    assert found.models == {}
    assert "[models.default]" in wrong[0]


def test_a_wrong_model_leaves_the_others(tmp_path: Path) -> None:
    found, wrong = settings(
        tmp_path, '[models.a]\nprovider = "x"\n\n[models."b c"]\nprovider = "openai"\n' + WHOLE
    )
    assert list(found.models) == ["default", "other"]
    assert [line[0] for line in wrong] == ["2", "4"]
