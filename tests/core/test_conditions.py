from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import pytest

from stepgraph.conditions import (
    Always,
    Condition,
    Expression,
    HandlerPredicate,
    KeyEquals,
    Opaque,
    Predicate,
    filed_condition,
    parse_condition,
)
from stepgraph.values.errors import EvaluationError, ExpressionError, StepgraphError
from stepgraph.values.json_values import Json
from tests.core.asked import Asked


def is_billing(context: Any) -> bool:
    return bool(context.values["category"] == "billing")


async def is_late(context: object) -> bool:
    return True


class Asks:
    def __call__(self, context: object) -> bool:
        return True


class AsksLater:
    async def __call__(self, context: object) -> bool:
        return True


def nowhere(ref: str) -> Callable[..., Any]:
    raise AssertionError(f"nothing had to be looked up, but {ref} was")


def test_no_condition_always_matches() -> None:  # acceptance 3, 45
    condition = parse_condition(None)
    assert condition.kind == "always"
    assert condition.matches(Asked()) is True
    assert condition.describe() == "always"
    assert condition.explain(Asked()).lines() == ["true    always"]


def test_text_is_an_expression() -> None:
    condition = parse_condition("count < 10")
    assert (condition.kind, condition.describe()) == ("expression", "count < 10")
    assert condition.matches(Asked({"count": 1})) is True


def test_a_function_is_a_predicate() -> None:  # acceptance 4
    condition = parse_condition(is_billing)
    assert (condition.kind, condition.describe()) == ("predicate", "is_billing")
    assert condition.matches(Asked({"category": "billing"})) is True
    assert condition.matches(Asked({"category": "other"})) is False


def test_a_condition_stays_itself() -> None:
    condition = KeyEquals("a", 1)
    assert parse_condition(condition) is condition


@pytest.mark.parametrize("when", [5, True, ["a"], {"key": "a"}, b"a", is_late, AsksLater()])
def test_anything_else_is_refused_with_a_hint(when: object) -> None:
    with pytest.raises(ExpressionError) as caught:
        parse_condition(when)
    assert caught.value.hint


def test_a_key_equals_a_value_as_json_does() -> None:  # acceptance 16, e9 16
    for value, equal, unlike in [
        ("billing", "billing", "Billing"),
        (1, 1.0, True),
        (True, True, "true"),
        (2.0, 2, "2"),
        ([1, {"a": 2}], [1.0, {"a": 2.0}], [1, {"a": True}]),
        ({"a": None}, {"a": None}, {}),
    ]:
        condition = KeyEquals("key", value)
        assert condition.matches(Asked({"key": equal})) is True  # type: ignore[dict-item]
        assert condition.matches(Asked({"key": unlike})) is False  # type: ignore[dict-item]


@pytest.mark.parametrize(
    ("key", "value", "text"),
    [
        ("category", "billing", 'category == "billing"'),
        ("ok", True, "ok == True"),
        ("amount", 2.5, "amount == 2.5"),
        ("my-key", 'a "b"', 'state["my-key"] == "a \\"b\\""'),
        ("step", 1, 'state["step"] == 1'),
        ("class", 1, 'state["class"] == 1'),
        ("null", 1, 'state["null"] == 1'),
        ("ключ", 1, "ключ == 1"),
        ("ﬁ", 1, 'state["ﬁ"] == 1'),
        ("gone", None, "gone is None"),
    ],
)
def test_key_equals_reads_and_answers_like_the_expression_of_its_words(
    key: str, value: Json, text: str
) -> None:
    condition, twin = KeyEquals(key, value), Expression(text)
    assert condition.describe() == text
    assert condition.reads == twin.reads == {key}
    for values in ({key: value}, {key: "other"}):
        assert condition.matches(Asked(values)) is twin.matches(Asked(values))
        assert condition.explain(Asked(values)) == twin.explain(Asked(values))


def test_key_equals_of_a_missing_key_is_an_error_like_any_missing_path() -> None:
    with pytest.raises(EvaluationError, match="did you mean 'category'"):
        KeyEquals("categry", "a").matches(Asked({"category": "a"}))
    assert KeyEquals("gone", None).matches(Asked()) is True


def test_key_equals_keeps_a_copy_of_its_value() -> None:
    value = ["a"]
    condition = KeyEquals("key", value)
    value.append("b")
    assert condition.matches(Asked({"key": ["a"]})) is True


@pytest.mark.parametrize(("key", "value"), [("a", {1, 2}), ("a", float("nan")), ("a", object()), (5, "a")])
def test_key_equals_takes_json_only(key: Any, value: object) -> None:
    with pytest.raises(ExpressionError) as caught:
        KeyEquals(key, value)
    assert caught.value.hint


def test_a_condition_names_what_it_reads() -> None:
    condition = Expression(
        "a == 1 and (b.c > 2 or not state['my-key']) and 'x' in last_output "
        "and 0 < d[0] < e and visits.draft > 1 and visits['my node'] < step and f is None"
    )
    assert condition.reads == {"a", "b", "my-key", "d", "e", "f"}
    assert condition.visits_read == {"draft", "my node"}
    for other in (Always(), Predicate(is_billing), Opaque()):
        assert (other.reads, other.visits_read) == (frozenset(), frozenset())


def test_what_is_stored_tells_conditions_apart() -> None:
    stored = [Always(), KeyEquals("a", [1, None]), KeyEquals("a", None), KeyEquals("expr", "python")]
    stored += [Expression("a == 1"), Expression("python"), HandlerPredicate("tools:is_late"), Opaque()]
    assert len({str(condition.to_json()) for condition in stored}) == len(stored)


def test_a_predicate_is_stored_as_the_word_python() -> None:
    assert Predicate(is_billing).to_json() == "python"
    assert Opaque().to_json() == "python"


def test_conditions_are_equal_when_they_ask_the_same() -> None:
    assert Expression("a == 1") != Expression("a == 2")
    assert KeyEquals("a", 1) != KeyEquals("a", True)
    assert KeyEquals("a", 1) != Expression("a == 1")
    assert Predicate(is_billing) == Predicate(is_billing)
    assert Predicate(is_billing) != Predicate(Asks())
    assert Predicate(is_billing) != Opaque()
    assert repr(Expression("a == 1")) == "Expression('a == 1')"


def test_an_opaque_condition_can_be_explained_and_not_evaluated() -> None:
    condition = Opaque()
    assert condition.describe() == "python"
    with pytest.raises(StepgraphError, match="stored definition") as caught:
        condition.test(Asked())
    assert "Executor" in caught.value.hint
    assert condition.explain(Asked()).role == "python"


def test_a_predicate_is_never_called_to_explain_it() -> None:
    def explode(context: object) -> bool:
        raise AssertionError("called")

    part = Predicate(explode).explain(Asked())
    assert (part.result, part.error, part.role) == (None, None, "python")
    assert part.lines() == ["python  explode: Python code, not called again to explain it"]


@pytest.mark.parametrize(
    ("function", "name"),
    [
        (is_billing, "is_billing"),
        (functools.partial(is_billing), "is_billing"),
        (Asks(), "Asks"),
        (Asks().__call__, "__call__"),
        (lambda context: True, "<lambda>"),
    ],
)
def test_a_predicate_is_described_by_its_name(function: Callable[..., object], name: str) -> None:
    assert Predicate(function).describe() == name


@pytest.mark.parametrize(("said", "expected"), [(1, True), ("", False), (None, False), ([0], True)])
def test_what_a_predicate_says_counts_as_python_counts_it(said: object, expected: bool) -> None:
    assert Predicate(lambda context: said).test(Asked()) is expected


def test_a_predicate_that_hands_out_something_to_await_is_an_error() -> None:
    with pytest.raises(StepgraphError, match="to await") as caught:
        Predicate(lambda context: is_late(context)).test(Asked())
    assert "plain function" in caught.value.hint


def test_what_a_predicate_raises_comes_through_as_it_is() -> None:
    with pytest.raises(KeyError, match="category"):
        Predicate(is_billing).test(Asked())


@pytest.mark.parametrize("condition", [Always(), KeyEquals("a", 1), Expression("a"), Predicate(is_billing)])
def test_only_a_named_predicate_has_to_be_looked_up(condition: Condition) -> None:
    assert condition.bind(nowhere) is condition.test


def test_a_named_predicate_is_looked_up_when_the_graph_is_about_to_run() -> None:
    condition = HandlerPredicate("tools:is_billing")
    looked_up: list[str] = []

    def resolve(ref: str) -> Callable[..., Any]:
        looked_up.append(ref)
        return is_billing

    assert (condition.kind, condition.describe()) == ("predicate", "tools:is_billing")
    assert condition.bind(resolve)(Asked({"category": "billing"})) is True
    assert looked_up == ["tools:is_billing"]
    assert condition.explain(Asked()).role == "python"


def test_a_named_predicate_that_nobody_looked_up_says_so() -> None:
    with pytest.raises(StepgraphError, match="not been looked up"):
        HandlerPredicate("tools:is_billing").test(Asked())
    with pytest.raises(ExpressionError, match="async"):
        HandlerPredicate("tools:is_late").bind(lambda ref: is_late)


class Coin(Condition):
    kind = "predicate"

    def describe(self) -> str:
        return "a coin"

    def to_json(self) -> Json:
        return "python"


def test_a_condition_of_ones_own_answers_and_explains_itself() -> None:
    coin = Coin()
    assert parse_condition(coin) is coin
    assert (coin.reads, coin.visits_read) == (frozenset(), frozenset())
    for asked in (coin.matches, coin.explain):
        with pytest.raises(TypeError, match="Coin has no tree: define test and explain"):
            asked(Asked())


@pytest.mark.parametrize(
    ("when", "said"),
    [
        (None, "always"),
        ("x > 1", "x > 1"),
        ({"key": "ok", "equals": True}, "ok == True"),
        ({"key": "a b", "equals": "x"}, 'state["a b"] == "x"'),
        ({"key": "gone", "equals": None}, "gone is None"),
        ({"predicate": "work:is_late"}, "work:is_late"),
    ],
)
def test_what_a_file_has_is_a_condition_in_words(when: object, said: str) -> None:
    assert filed_condition(when).describe() == said


@pytest.mark.parametrize("when", [7, ["x"], {"key": 7, "equals": 1}, "x >"])
def test_what_is_no_condition_of_a_file_is_refused(when: object) -> None:
    with pytest.raises(ExpressionError):
        filed_condition(when)
