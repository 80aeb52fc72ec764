from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stepgraph.values.json_values import Json, canonical, contains, escaped, json_equal, json_line, orderable

leaves = (
    st.none()
    | st.booleans()
    | st.integers(-3, 3)
    | st.integers()
    | st.sampled_from([0.0, -0.0, 1.0, 2.5, -3.0, 1e300])
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=3)
)
values: st.SearchStrategy[Json] = st.recursive(
    leaves,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from("abc"), inner, max_size=3),
    max_leaves=6,
)


def normalized(value: Json) -> Json:
    """Whole numbers that are written as floats become integers, as mathematics has it."""
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, list):
        return [normalized(item) for item in value]
    if isinstance(value, dict):
        return {key: normalized(item) for key, item in value.items()}
    return value


@given(values, values)
def test_equality_is_that_of_canonical_json_with_normalized_numbers(one: Json, other: Json) -> None:
    assert json_equal(one, other) == (canonical(normalized(one)) == canonical(normalized(other)))


@given(values)
def test_a_value_equals_its_copy_with_floats_for_whole_numbers(value: Json) -> None:
    assert json_equal(value, normalized(value))


@pytest.mark.parametrize(
    ("one", "other", "equal"),
    [
        (1, 1.0, True),
        (2**60, float(2**60), True),
        (2**60 + 1, float(2**60), False),
        (0.0, -0.0, True),
        (True, 1, False),
        (False, 0, False),
        ("1", 1, False),
        ("true", True, False),
        (None, False, False),
        (None, 0, False),
        ([1, {"a": 2.0}], [1.0, {"a": 2}], True),
        ([True], [1], False),
        ({"a": True}, {"a": 1}, False),
        ({"a": 1, "b": 2}, {"b": 2, "a": 1}, True),
        ({"a": 1}, {"a": 1, "b": None}, False),
        ([1, 2], [2, 1], False),
        ([], {}, False),
        ("é", "e\u0301", False),
    ],
)
def test_what_equals_what(one: Json, other: Json, equal: bool) -> None:  # e9 16
    assert json_equal(one, other) is equal
    assert json_equal(other, one) is equal


@pytest.mark.parametrize(
    ("one", "other", "possible"),
    [
        (1, 2.5, True),
        ("a", "b", True),
        (1, "a", False),
        (True, 1, False),
        ([1], [2], False),
        (None, 1, False),
    ],
)
def test_only_numbers_and_texts_are_ordered(one: Json, other: Json, possible: bool) -> None:
    assert orderable(one, other) is possible
    assert orderable(other, one) is possible


@pytest.mark.parametrize(
    ("container", "item", "found"),
    [
        ([1, 2], 2.0, True),
        ([1, 2], True, False),
        ([[1]], [1.0], True),
        ([], "a", False),
        ("a refund", "refund", True),
        ("a refund", "Refund", False),
        ({"a": 1}, "a", True),
        ({"a": 1}, "b", False),
        ("12", 1, None),
        ({"1": 1}, 1, None),
        (5, 5, None),
        (None, "a", None),
    ],
)
def test_what_contains_what(container: Json, item: Json, found: bool | None) -> None:
    assert contains(container, item) is found


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("12", '"12"'),
        ([1, None, True], "[1, null, true]"),
        ({"é": "ü"}, '{"é": "ü"}'),
        ("\x1b[2J\x00", r'"\u001b[2J\u0000"'),
        ("\x9b2J\u202e\x7f", r'"\u009b2J\u202e\u007f"'),
        ("\U000e0001", '"\\U000e0001"'),
    ],
)
def test_a_value_is_shown_as_json_that_a_terminal_cannot_choke_on(value: Json, text: str) -> None:
    assert json_line(value) == text


@given(st.text())
def test_escaped_text_always_prints(text: str) -> None:
    assert escaped(text).isprintable()
