from __future__ import annotations

import pytest

from stepgraph.conditions import Expression
from stepgraph.values.errors import EvaluationError, StepgraphError
from stepgraph.values.json_values import Json
from tests.core.asked import Asked, answer

ORDER: Json = {"amount": 250, "id": "x", "note": None, "tags": ["new", "eu"], "my-key": 1}


def failure(text: str, /, **values: Json) -> EvaluationError:
    with pytest.raises(EvaluationError) as caught:
        Expression(text).test(Asked(values))
    return caught.value


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("count == 5", True),
        ("count == 5.0", True),
        ("count != 5", False),
        ("count == '5'", False),
        ("count == True", False),
        ("one == True", False),
        ("ok == 1", False),
        ("ok == True", True),
        ("ok != 1", True),
        ("text == 'true'", True),
        ("text == True", False),
        ("count in [1, 5.0]", True),
        ("ok in [1, 5]", False),
        ("one in [True]", False),
        ("text in ('true', 'false')", True),
        ("text not in ['x']", True),
        ("items == [1, 2.0, 3]", True),
        ("items == (1, 2, 3)", True),
        ("items == [True, 2, 3]", False),
        ("items == []", False),
        ("count == None", False),
        ("order.note == None", True),
        ("order.amount == count", False),
        ("items[0] == one", True),
        ("items[0] != one", False),
    ],
)
def test_equality_is_that_of_json(text: str, expected: bool) -> None:  # e9 16
    values: dict[str, Json] = {"count": 5, "one": 1, "ok": True, "text": "true", "items": [1, 2, 3]}
    assert answer(text, **values, order=ORDER) is expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("count < 10", True),
        ("count <= 5", True),
        ("count > 5", False),
        ("count >= 4.5", True),
        ("10 > count", True),
        ("-1 < count", True),
        ("0 < count <= 10", True),
        ("0 < count <= 4", False),
        ("6 < count < missing", False),
        ("name < 'b'", True),
        ("'a' <= name <= 'z'", True),
        ("count > 3 and name == 'ab'", True),
        ("count > 3 and name == 'x' and ok", False),
        ("count > 9 or name == 'x' or ok", True),
        ("not count", False),
        ("not (count > 9)", True),
        ("empty or nothing", False),
        ("count and name", True),
        ("(count > 3) == ok", True),
        ("not empty == True", True),
        ("True", True),
        ("False", False),
    ],
)
def test_order_and_logic_are_pythons(text: str, expected: bool) -> None:
    answered = answer(text, count=5, name="ab", ok=True, empty=[], nothing="")
    assert answered is expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("order.amount > 100", True),
        ('order["amount"] > 100', True),
        ('order["my-key"] == 1', True),
        ("order.tags[0] == 'new'", True),
        ("order.tags[-1] == 'eu'", True),
        ("order.tags[-2] == 'new'", True),
        ("state.order.amount == 250", True),
        ('state["my key"] == 1', True),
        ('state["step"] == "mine"', True),
        ("state.visits == 'mine'", True),
        ('state["true"] == "mine"', True),
        ("'new' in order.tags", True),
        ("'id' in order", True),
        ("'fund' in text", True),
        ("'Fund' not in text", True),
        ("'a' not in order", True),
    ],
)
def test_paths_reach_into_tables_and_lists(text: str, expected: bool) -> None:  # acceptance 17
    values: dict[str, Json] = {"order": ORDER, "my key": 1, "step": "mine", "visits": "mine", "true": "mine"}
    assert answer(text, **values, text="a refund") is expected


def test_the_run_is_readable_beside_the_state() -> None:  # acceptance 46
    context = Asked({}, step=7, output="REFUND it", visits={"draft": 2, "my node": 1})
    for text in (
        "'REFUND' in last_output",
        "step == 7 and step < 8",
        "visits.draft >= 2",
        "visits['my node'] == 1",
        "visits.other == 0",
        "last_output is not None",
    ):
        assert Expression(text).test(context) is True, text


def test_a_hidden_key_is_only_read_through_state() -> None:
    context = Asked({"step": 99, "last_output": "mine"}, step=1, output="theirs")
    assert Expression("step == 1 and last_output == 'theirs'").test(context)
    assert Expression("state.step == 99 and state.last_output == 'mine'").test(context)


def test_the_output_is_only_made_when_the_condition_gets_to_it() -> None:
    context = Asked({"done": True}, output="x")
    assert Expression("done or 'x' in last_output").test(context)
    assert context.outputs_read == 0
    assert Expression("done and 'x' in last_output").test(context)
    assert context.outputs_read == 1


@pytest.mark.parametrize(
    ("text", "message", "hint"),
    [
        ("categry == 'a'", 'categry: the state has no key "categry"', "did you mean 'category'?"),
        ("zzz > 1", 'the state has no key "zzz"', "there is: category, order, items"),
        ("zzz == 1", 'the state has no key "zzz"', "write: zzz is not None and ..."),
        ("order.amout > 1", 'order has no key "amout"', "did you mean 'amount'?"),
        ("order.deep.er > 1", 'order has no key "deep"', "there is: amount"),
        ("order.amount.x > 1", "order.amount is a number, so it has no .x", "end the path at order.amount"),
        ("order.note.x > 1", "order.note is null, so it has no .x", "end the path at order.note"),
        ("category[0] == 'b'", "category is text, so it has no [0]", "end the path"),
        ("category.x == 'b'", "category is text, so it has no .x", "end the path"),
        ("items[9] == 1", "items has 3 items", "items[9] is not None"),
        ("items[-4] == 1", "items has 3 items", "items[-4] is not None"),
        ("items.first == 1", "items is a list, so it has no .first", "items[0]"),
        ("items['0'] == 1", 'items is a list, so it has no ["0"]', "items[0]"),
        ("order.tags[1].x == 1", "order.tags[1] is text", "end the path at order.tags[1]"),
        ("order[0] == 1", 'order has no key "0"', "there is"),
        ("numbered[0] == 1", 'numbered has no key "0"', 'write ["0"]'),
        ("zzz", 'the state has no key "zzz"', "there is"),
        ("not zzz", 'the state has no key "zzz"', "there is"),
        ("items[99999999999999999999] == 1", "items has 3 items", ""),
    ],
)
def test_a_missing_path_is_an_error_that_names_the_nearest_one(text: str, message: str, hint: str) -> None:
    values: dict[str, Json] = {"category": "b", "order": ORDER, "items": [1, 2, 3], "numbered": {"0": 1}}
    error = failure(text, **values)
    assert message in error.message
    assert hint in error.hint
    assert error.code == "E005"


@pytest.mark.parametrize(
    ("path", "there"),
    [
        ("zzz", False),
        ("zzz.deeper.still", False),
        ("order.amout", False),
        ("order.note", False),
        ("order.amount.x", False),
        ("order.tags[5]", False),
        ("order.tags.x", False),
        ("order.tags[0][0]", False),
        ("order", True),
        ("order.amount", True),
        ("order.tags[1]", True),
        ("empty", True),
        ("1 == 1", True),
    ],
)
def test_is_none_may_be_asked_of_a_missing_path(path: str, there: bool) -> None:
    for text, expected in ((f"({path}) is None", not there), (f"({path}) is not None", there)):
        assert answer(text, order=ORDER, empty="") is expected


def test_is_none_forgives_only_the_path_directly_before_it() -> None:
    assert "zzz" in failure("(zzz == 1) is None").message
    assert "zzz" in failure("not zzz or zzz is None").message


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("amount > limit", ["amount > limit", 'the text "12"', "the number 5"]),
        ("amount > 5", ["amount > 5", 'the text "12"', "the number 5"]),
        ("limit < 'a'", ["the number 5", 'the text "a"']),
        ("ok < 1", ["the boolean true", "the number 1"]),
        ("items <= items", ["the list [1]"]),
        ("nothing.x < 1", ["null", "the number 1"]),
        ("5 in amount", ["the number 5", 'the text "12"']),
        ("5 in limit", ["cannot be looked for in the number 5"]),
        ("1 in nothing", ["the number 1", "the table"]),
        ("'a' not in ok", ["the boolean true"]),
    ],
)
def test_unlike_values_are_an_error_that_shows_both(text: str, parts: list[str]) -> None:
    error = failure(text, amount="12", limit=5, ok=True, items=[1], nothing={"x": None})
    assert all(part in error.message for part in parts)
    assert error.hint


def test_and_and_or_stop_at_the_first_part_that_decides() -> None:
    assert answer("ok or zzz", ok=True) is True
    assert answer("no and zzz", no=False) is False
    assert answer("no and zzz and zzz", no=False) is False
    assert answer("no or ok or zzz", no=0, ok="yes") is True
    assert "zzz" in failure("ok and zzz", ok=True).message


def test_no_condition_changes_or_keeps_the_state() -> None:
    values: dict[str, Json] = {"order": {"tags": ["a"]}, "n": 1}
    condition = Expression("order.tags == ['a'] and n in [1] and 'a' in order.tags and order == order")
    assert condition.test(Asked(values)) is True
    values["order"] = {"tags": ["b"]}
    assert condition.test(Asked(values)) is False
    assert values == {"order": {"tags": ["b"]}, "n": 1}


def test_an_evaluation_costs_no_more_in_a_larger_state() -> None:
    class Counting(dict[str, Json]):
        looked = 0

        def __getitem__(self, key: str) -> Json:
            self.looked += 1
            return super().__getitem__(key)

        def __iter__(self) -> object:  # type: ignore[override]  # no condition may walk the state
            raise AssertionError("the condition walked the state")

    values = Counting({f"k{number}": number for number in range(1000)})
    assert Expression("k5 < 10 and k7 == 7 and k9 in [9]").test(Asked(values))
    assert values.looked == 3


def test_an_error_stays_short_and_printable_whatever_the_state_holds() -> None:
    text = str(failure("a > 1", a="\x1b[2J" + "x" * 100_000))
    assert len(text) < 400
    assert text.isprintable()
    assert str(failure("zzz > 1", **{"\x1b[2J" + "x" * 500: 1})).isprintable()


def test_an_evaluation_error_is_one_of_ours() -> None:
    assert isinstance(failure("zzz"), StepgraphError)
