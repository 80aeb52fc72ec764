"""From values to the texts of a form and back, and the tables that come of it."""

from __future__ import annotations

from contextlib import suppress
from typing import Annotated, Any, Literal

import pydantic
import pytest
from hypothesis import given
from hypothesis import strategies as some

from stepgraph.nodes.registry import node_types
from stepgraph.values.declared import model_of
from stepgraph.values.json_values import Json
from stepgraph.values.state import UNSET, ValueType
from stepgraph_tui.dialogs.design.model import filled
from stepgraph_tui.dialogs.forms import completing
from stepgraph_tui.dialogs.forms.field import Field
from stepgraph_tui.dialogs.forms.formats import (
    NO_YES,
    Format,
    Misfit,
    NumberFormat,
    SomeFormat,
    TextFormat,
    one_of,
)
from stepgraph_tui.dialogs.forms.of_model import fields_of
from stepgraph_tui.dialogs.forms.toml_format import TomlFormat
from stepgraph_tui.text.toml import NotToml, toml_key, toml_lines, toml_table, toml_text, toml_value

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


@given(values, some.sampled_from(FORMATS))
def test_a_value_of_any_kind_can_be_shown_and_stays_the_same_while_it_is_not_touched(
    value: Any, format_: Format
) -> None:
    field = Field("key", format_, value)
    assert all(
        line.isprintable() for line in field.text.replace("\u200c", "").replace("\u200d", "").split("\n")
    )
    assert field.read(field.text) is value


@given(values, some.sampled_from(FORMATS))
def test_what_a_format__writes_it_reads_again(value: Any, format_: Format) -> None:
    written = format_.write(value)
    if written is not None and written.strip():
        assert format_.read(written) == value


@given(texts, some.sampled_from(FORMATS))
def test_any_text_is_a_value_or_a_misfit(text: str, format_: Format) -> None:
    with suppress(Misfit):
        Field("key", format_).read(text)


@given(values)
def test_toml_comes_back_as_the_same_value(value: Any) -> None:
    assert toml_value(toml_text(value)) == value


@given(some.dictionaries(texts, values, max_size=4))
def test_a_table_comes_back_with_all_its_keys(table: dict[str, Any]) -> None:
    assert toml_table(toml_lines(table)) == table


@pytest.mark.parametrize("text", ["", "1\nother = 2", "[x]", "x = 1", "'open"])
def test_what_is_no_single_value_is_none(text: str) -> None:
    with pytest.raises(NotToml):
        toml_value(text)


def test_a_table_may_be_lines_and_its_keys_paths_without_quotes() -> None:
    with pytest.raises(NotToml, match=r"^line 2: "):
        toml_table("a = 1\nb = oops")
    assert toml_key("order.amount") == '"order.amount"'
    assert TomlFormat(("table",)).read("a = 1\nb.c = 2") == {"a": 1, "b": {"c": 2}}
    paths = TomlFormat(("table",), by_paths=True)
    assert paths.read('order.amount = "number"\n"order.id" = "text"') == {
        "order.amount": "number",
        "order.id": "text",
    }
    assert paths.write({"order.amount": "number"}) == 'order.amount = "number"'


def test_a_state_may_have_nulls_and_a_file_may_not() -> None:
    state = TomlFormat(nulls=True)
    assert state.write({"a": [None, "null"]}) == '{ a = [null, "null"] }'
    assert state.read("{ null = \"null\", a = [null, 'null'] } # null") == {
        "null": "null",
        "a": [None, "null"],
    }
    with pytest.raises(Misfit, match="a file cannot hold null: leave it out"):
        TomlFormat().read("[1, null]")


@pytest.mark.parametrize(
    ("types", "text", "said"),
    [
        ((), "hello", 'this is not TOML: write "hello", in quotes'),
        ((), "True", "this is not TOML: write true"),
        ((), '{"id": 8812, "note": "x"}', 'this is not TOML: write { id = 8812, note = "x" }'),
        ((), "id: 8812", "this is not TOML: write { id = 8812 }"),
        ((), "[billing, other]", 'this is not TOML: write ["billing", "other"]'),
        ((), "2026-01-01", 'this is not TOML: write "2026-01-01", in quotes'),
        ((), "two\nlines", 'this is not TOML: write it between """ and """'),
        (
            ("list",),
            "long" * 40 + "\nmore",
            'this is not TOML: write a list such as ["a", "b"], texts of several',
        ),
        (("list",), "billing, other", 'this is not TOML: write ["billing", "other"]'),
        (("list",), '"billing"', 'takes a list, not the text "billing": write ["billing"]'),
        (("number",), '"240"', 'takes a number, not the text "240": write 240'),
        (("number",), "many", 'takes a number, not "many": write one such as 240'),
        (("boolean",), "yes", "this is not TOML: write true"),
        (("table",), "hello", 'takes a table, not "hello": write one such as { id = 8812 }'),
        (("text",), "null", "null cannot be used here: leave the field empty: write one such as"),
    ],
)
def test_what_is_no_value_is_refused_with_what_to_write(
    types: tuple[ValueType, ...], text: str, said: str
) -> None:
    with pytest.raises(Misfit) as refused:
        TomlFormat(types, nulls=True).read(text)
    assert str(refused.value).startswith(said)


@given(texts, some.sampled_from(((), ("list",), ("table",), ("number",))))
def test_what_is_advised_is_taken(text: str, types: tuple[ValueType, ...]) -> None:
    format_ = TomlFormat(types)
    try:
        format_.read(text)
    except Misfit as misfit:
        _, wrote, advised = str(misfit).partition(": write ")
        advised = advised.removeprefix("one such as ").removesuffix(", in quotes")
        if wrote and not advised.endswith("…") and not advised.endswith('and """'):
            format_.read(advised)


def test_what_holds_anyway_is_left_out() -> None:
    field = Field("model", TextFormat(), UNSET, "default")
    assert field.read("default") is UNSET
    assert field.read("") is UNSET
    assert field.read("fast") == "fast"
    assert field.placeholder == "default"
    assert Field("show", TomlFormat(("list",)), ["a"], ()).read("") is UNSET
    assert Field("flag", NO_YES, True, False).read("no") is UNSET
    assert Field("flag", NO_YES, UNSET, True).text == "yes"
    assert Field("count", NumberFormat(), 1, 1.0).read("1") == 1


def test_keys_stay_in_their_places_and_new_ones_come_in_their_usual_order() -> None:
    table = {"z": 1, "type": "llm", "prompt": "p", "other": 2}
    order = ("type", "note", "prompt", "system", "model")
    values = {"note": "n", "system": UNSET, "model": "m", "prompt": "q", "unknown": 3}
    assert list(filled(table, order, values)) == ["z", "type", "note", "prompt", "model", "other", "unknown"]
    assert filled(table, order, {"prompt": UNSET}) == {"z": 1, "type": "llm", "other": 2}
    assert list(filled({"z": 1}, order, {"note": "n"})) == ["note", "z"]


class Foreign(pydantic.BaseModel):
    """The settings of a node type from a package."""

    plain: str
    template: str = pydantic.Field("", json_schema_extra={"holds": "template"})
    count: Annotated[int, pydantic.Field(ge=1)] = 3
    share: float | None = None
    level: Literal["low", "high"] = "low"
    size: Literal[1, 2] | None = None
    tags: list[str] = []
    kinds: tuple[Literal["a", "b"], ...] = ()
    some: tuple[Literal["one", "two"], ...] = ("one",)
    any: tuple[Literal["one", "two"], ...] = pydantic.Field((), json_schema_extra={"empty": "all of them"})
    counts: list[int] = []
    env: dict[str, str] = {}
    anything: Any = None
    either: int | str = 1
    renamed: bool = pydantic.Field(False, alias="on", description="Whether.")


def test_the_settings_of_any_model_get_a_field() -> None:
    found = fields_of(Foreign, {"plain": "two\nlines", "on": True})
    assert [field.format.editor for field in found.values()] == [
        "lines", "lines", "line", "line", "choice", "choice", "lines", "several", "several", "several",
        "lines", "lines", "wrapped", "wrapped", "choice",
    ]  # fmt: skip
    assert found["plain"].default is UNSET
    assert found["on"].text == "yes"
    assert found["on"].note == "Whether."
    assert found["size"].text == "none"
    assert found["size"].read("2") == 2
    assert found["counts"].read("[1, 2]") == [1, 2]
    assert found["template"].holds == "template"
    assert (found["some"].text, found["some"].placeholder) == ("", "one")
    assert found["any"].placeholder == "all of them"


def test_the_examples_of_all_settings_stand_in_one_line() -> None:
    for cls in node_types().values():
        for field in fields_of(model_of(cls.Settings), {}).values():
            assert "\n" not in f"{field.placeholder}{field.syntax}", (cls.type, field.name)


NAMES = ("last_order", "order", "order.amount", 'state["my key"]', "last_output", "border")


@pytest.mark.parametrize(
    ("before", "typed", "names"),
    [
        ("ord", "ord", ("order", "order.amount", "last_order")),
        ("am", "am", ("order.amount",)),
        ("OUT", "OUT", ("last_output",)),
        ("not ORDER.", "ORDER.", ("order.amount",)),
        ("x == 'it' and las", "las", ("last_order", "last_output")),
        ("(my", "my", ('state["my key"]',)),
        ('state["my', 'state["my', ('state["my key"]',)),
    ],
)
def test_a_condition_offers_the_names_that_could_be_meant(
    before: str, typed: str, names: tuple[str, ...]
) -> None:
    assert completing.expression(NAMES)(before) == completing.Offer(typed, names)


@pytest.mark.parametrize(
    "before", ["", "order", "rder", "x == 'ord", 'x == "a\\" ord', "12or", "x.ord", "1", "ord ", "and"]
)
def test_where_no_name_can_stand_none_is_offered(before: str) -> None:
    assert completing.expression(NAMES)(before) is None


def test_a_template_offers_names_between_braces_only() -> None:
    complete = completing.template(NAMES)
    assert complete("Dear {{ las") == completing.Offer("las", ("last_order", "last_output"))
    assert complete("{% if las") == completing.Offer("las", ("last_order", "last_output"))
    assert complete("Dear {{ order }} las") is None
    assert complete("las") is None


def test_names_that_could_fool_a_terminal_are_not_offered() -> None:
    assert completing.whole(["a\x1b[2J", "ab"])("a") == completing.Offer("a", ("ab",))
    assert completing.line(["draft"])("review\ndr") == completing.Offer("dr", ("draft",))
    assert completing.in_list(["draft"])('["review", dr') == completing.Offer("dr", ('"draft"',))
    assert completing.in_list(["draft"])('["review", "dr') == completing.Offer('"dr', ('"draft"',))


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("I was charged twice", "I was charged twice"),
        ("it's order 8812: why?", "it's order 8812: why?"),
        ("two\nlines", "two\nlines"),
        ('"quoted"', "quoted"),
        ("true", True),
        ("8812", 8812),
        ("a = 1", {"a": 1}),
        ('["a"]', ["a"]),
    ],
)
def test_where_anything_may_stand_words_are_a_text_and_toml_is_what_it_says(text: str, value: Json) -> None:
    assert TomlFormat(nulls=True, bare=True).read(text) == value


@pytest.mark.parametrize("text", ["yes", "24O", "[a, b]", "role: user", "x = 1\ny = ", "{ a = 1", "-"])
def test_what_was_meant_to_be_toml_is_no_text(text: str) -> None:
    with pytest.raises(Misfit):
        TomlFormat(nulls=True, bare=True).read(text)
