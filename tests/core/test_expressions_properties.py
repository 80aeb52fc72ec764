from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stepgraph.conditions import Expression
from stepgraph.values.errors import EvaluationError, ExpressionError
from stepgraph.values.json_values import Json
from tests.core.asked import Asked
from tests.examples import examples

NUMBERS = {"i": 1, "j": -2, "k": 0}
BOOLEANS = {"p": True, "q": False}
VALUES: dict[str, Json] = {**NUMBERS, **BOOLEANS, "n": None, "t": "ab", "l": [1, 2], "d": {"x": 1}}

numbers = st.sampled_from(list(NUMBERS)) | st.integers(-3, 3).map(str)
comparisons = st.builds(
    lambda first, rest: first + "".join(f" {sign} {value}" for sign, value in rest),
    numbers,
    st.lists(st.tuples(st.sampled_from(["==", "!=", "<", "<=", ">", ">="]), numbers), min_size=1, max_size=3),
)
memberships = st.builds(
    "{} {} [{}]".format,
    numbers,
    st.sampled_from(["in", "not in"]),
    st.lists(st.integers(-3, 3).map(str), max_size=3).map(", ".join),
)
questions = st.builds("{} {} None".format, st.sampled_from("ijkpqn"), st.sampled_from(["is", "is not"]))
leaves = comparisons | memberships | questions | st.sampled_from(["i", "k", "p", "q", "n", "True", "False"])
agreeing = st.recursive(
    leaves.map("({})".format),
    lambda inner: (
        st.builds("({} {} {})".format, inner, st.sampled_from(["and", "or"]), inner)
        | inner.map("(not {})".format)
        | st.builds("(({} and {}) or {})".format, inner, inner, inner)
    ),
    max_leaves=5,
)

anything = st.sampled_from(
    ["i", "p", "n", "t", "l", "d", "d.x", "d.y", "l[0]", "l[9]", "zz", "zz.y", "step", "last_output"]
)
constants = st.sampled_from(["1", "'a'", "None", "True", "[1, 'ab']", "2.0"])
signs = st.sampled_from(["==", "!=", "<", ">=", "in", "not in"])
erring = st.recursive(
    st.builds("{} {} {}".format, anything, signs, anything | constants)
    | st.builds("{} {} {}".format, constants, signs, anything)
    | anything.map("{} is None".format)
    | anything,
    lambda inner: (
        st.builds("({}) {} ({})".format, inner, st.sampled_from(["and", "or"]), inner)
        | inner.map("not ({})".format)
    ),
    max_leaves=5,
)


@given(agreeing)
def test_an_expression_answers_as_python_does_where_the_two_agree(text: str) -> None:
    expected = bool(eval(text, {"__builtins__": {}}, dict(VALUES)))  # noqa: S307  # the grammar is ours
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


words = "a b.c [ ] ( ) == = != < in not and or is None True 1 -1 1e999 . , : # { } && ! visits step lambda if"
odd = ["'", '"', "\n", "\r", "\\", "f'x'", "'x'", "é", "\ud800", "\x00", "__a", "0x", "[1]", "\u202e", "\t"]
pieces = st.sampled_from(words.split(" ") + odd)


def parsed(text: str) -> Expression | ExpressionError:
    try:
        return Expression(text)
    except ExpressionError as error:
        return error


@examples(300)
@given(st.lists(pieces, max_size=12).map(" ".join) | st.lists(pieces, max_size=12).map("".join) | st.text())
def test_any_text_parses_or_is_refused_at_a_place_within_it(text: str) -> None:
    outcome = parsed(text)
    if isinstance(outcome, ExpressionError):
        assert 0 <= outcome.offset <= len(text)
        assert outcome.text == text
        assert outcome.caret().replace("\n", "").isprintable()
        assert str(outcome).isprintable()
    else:
        assert outcome.describe() == text
        assert outcome.explain(Asked(VALUES)).lines()


@given(st.text(st.characters(exclude_categories=["Cs"]), max_size=20))
def test_every_key_can_be_read_through_state(key: str) -> None:
    if key.startswith("__"):
        pytest.skip("refused on purpose")
    quoted = "".join(f"\\U{ord(char):08x}" for char in key)
    condition = Expression(f'state["{quoted}"] == 1')
    assert condition.reads == {key}
    assert condition.test(Asked({key: 1.0})) is True
