"""Conditions: refused at a place within them, or tested as Python does, and explained as they are tested."""

from __future__ import annotations

from hypothesis import assume, given
from hypothesis import strategies as st

from stepgraph.conditions import Expression
from stepgraph.values.errors import EvaluationError, ExpressionError
from tests.core.asked import Asked
from tests.fuzz.expression_texts import VALUES, agreeing, any_text, erring


@given(agreeing)
def test_an_expression_answers_as_python_does_where_the_two_agree(text: str) -> None:
    joined = text.replace("\n", " ")
    expected = bool(eval(joined, {"__builtins__": {}}, dict(VALUES)))  # noqa: S307  # the grammar is ours
    assert Expression(text).test(Asked(VALUES)) is expected


@given(erring)
def test_an_explanation_comes_out_as_the_test_does(text: str) -> None:
    condition, context = Expression(text), Asked(VALUES, step=2, output="ab")
    explanation = condition.explain(context)
    assert explanation.text == text
    assert explanation.lines()
    assert isinstance(explanation.to_json(), dict)
    assert (explanation.result, explanation.error) == outcome_of(condition, context)


def outcome_of(condition: Expression, context: Asked) -> tuple[bool | None, str | None]:
    try:
        return condition.test(context), None
    except EvaluationError as error:
        return None, str(error)


def parsed(text: str) -> Expression | ExpressionError:
    try:
        return Expression(text)
    except ExpressionError as error:
        return error


@given(any_text)
def test_any_text_parses_or_is_refused_at_a_place_within_it(text: str) -> None:
    outcome = parsed(text)
    if isinstance(outcome, ExpressionError):
        assert 0 <= outcome.offset <= len(text)
        assert outcome.text == text
        assert outcome.caret().replace("\n", "").isprintable()
        assert str(outcome).isprintable()
    else:
        assert outcome.describe() == text
        explanation = outcome.explain(Asked(VALUES))
        assert explanation.lines()
        assert (explanation.result, explanation.error) == outcome_of(outcome, Asked(VALUES))


@given(st.text(st.characters(exclude_categories=["Cs"]), max_size=20))
def test_every_key_can_be_read_through_state(key: str) -> None:
    assume(not key.startswith("__"))  # refused on purpose
    quoted = "".join(f"\\U{ord(char):08x}" for char in key)
    condition = Expression(f'state["{quoted}"] == 1')
    assert condition.reads == {key}
    assert condition.test(Asked({key: 1.0})) is True
