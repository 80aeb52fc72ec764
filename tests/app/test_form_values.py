"""From values to the texts of a form and back, and the tables that come of it."""

from __future__ import annotations

from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as some

from stepgraph_tui.dialogs.forms.field import Field
from stepgraph_tui.dialogs.forms.formats import (
    NO_YES,
    Format,
    Misfit,
    NumberFormat,
    SomeFormat,
    TextFormat,
    TomlFormat,
    one_of,
)
from stepgraph_tui.text.state_text import NotToml, toml_value

FORMATS: list[Format] = [
    TextFormat(),
    TextFormat("lines"),
    NumberFormat(),
    NumberFormat(whole=True),
    NO_YES,
    one_of(("low", "high"), optional="none"),
    SomeFormat(("approve", "edit")),
    TomlFormat(),
    TomlFormat(nulls=True),
    TomlFormat(nulls=True, bare=True),
    TomlFormat(("text",)),
    TomlFormat(("number",)),
    TomlFormat(("table",), editor="lines"),
    TomlFormat(("list", "table"), editor="lines"),
]
texts = some.text(some.characters(exclude_categories=["Cs"]) | some.sampled_from("\n\x1b-\"'\\\u202e{}"))
values = some.recursive(
    texts
    | some.integers(-(2**63), 2**63 - 1)
    | some.floats(allow_nan=False, allow_infinity=False)
    | some.booleans(),
    lambda inner: some.lists(inner, max_size=3) | some.dictionaries(texts, inner, max_size=3),
    max_leaves=6,
)


@given(texts, some.sampled_from(FORMATS))
def test_any_text_is_a_value_or_a_misfit(text: str, format_: Format) -> None:
    with suppress(Misfit):
        Field("key", format_).read(text)


def test_lines_are_a_list_of_texts_where_nothing_else_can_be_meant() -> None:
    replies = TomlFormat(("list",))
    assert replies.read("Dear Ana,\n\nthank you, Noor ") == ["Dear Ana,", "thank you, Noor"]
    assert replies.read('["a", 2]') == ["a", 2]
    for text in ("billing, other", '["billing", other', "12", '"billing"'):
        with pytest.raises(Misfit):
            replies.read(text)
    assert replies.syntax == 'TOML, such as ["a", "b"], or a text on each line'


@pytest.mark.parametrize("text", ["", "1\nother = 2", "[x]", "x = 1", "'open"])
def test_what_is_no_single_value_is_none(text: str) -> None:
    with pytest.raises(NotToml):
        toml_value(text)


def test_a_state_may_have_nulls_and_a_file_may_not() -> None:
    state = TomlFormat(nulls=True)
    assert state.write({"a": [None, "null"]}) == '{ a = [null, "null"] }'
    assert state.read("{ null = \"null\", a = [null, 'null'] } # null") == {
        "null": "null",
        "a": [None, "null"],
    }
    with pytest.raises(Misfit, match="a file cannot hold null: leave it out"):
        TomlFormat().read("[1, null]")


@pytest.mark.parametrize("text", ["yes", "24O", "[a, b]", "role: user", "x = 1\ny = ", "{ a = 1", "-"])
def test_what_was_meant_to_be_toml_is_no_text(text: str) -> None:
    with pytest.raises(Misfit):
        TomlFormat(nulls=True, bare=True).read(text)
