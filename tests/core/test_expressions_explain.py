from __future__ import annotations

from stepgraph.conditions import Expression
from stepgraph.expressions import MISSING
from stepgraph.values.json_values import Json
from tests.core.asked import Asked, explained

TEXT = 'category == "billing" and amount > 100'


def test_each_part_has_its_result_and_each_operand_its_value() -> None:
    whole = explained(TEXT, category="billing", amount=50)
    assert (whole.text, whole.result, whole.value) == (TEXT, False, MISSING)
    equal, more = whole.parts
    assert (equal.text, equal.result) == ('category == "billing"', True)
    assert [(part.text, part.value) for part in equal.parts] == [
        ("category", "billing"),
        ('"billing"', "billing"),
    ]
    assert (more.result, more.parts[0].value, more.parts[1].value) == (False, 50, 100)


def test_a_part_that_was_not_needed_has_no_result() -> None:
    part = explained(TEXT, category="other", amount=500).parts[1]
    assert (part.text, part.result, part.error, part.parts) == ("amount > 100", None, None, ())


def test_an_error_is_told_at_its_part_and_at_all_above() -> None:
    whole = explained(f"not ({TEXT})", category="billing")
    message = whole.error
    assert message is not None
    assert 'no key "amount"' in message
    group = whole.parts[0]
    assert (whole.result, group.result, group.error) == (None, None, message)
    assert group.parts[0].result is True
    assert group.parts[1].error == group.parts[1].parts[0].error == message
    assert group.parts[1].parts[1].value == 100


def test_what_follows_an_error_is_not_evaluated() -> None:
    whole = explained("zzz or ok or ok", ok=True)
    assert [part.result for part in whole.parts] == [None, None, None]
    assert [part.error is None for part in whole.parts] == [False, True, True]


def test_a_missing_path_before_is_none_is_missing_and_no_error() -> None:
    whole = explained("order.amount is None", order={})
    assert (whole.result, whole.error) == (True, None)
    assert (whole.parts[0].value, whole.parts[0].error) == (MISSING, None)
    assert explained("order.amount is None", order={"amount": None}).parts[0].value is None


def test_the_links_of_a_chain_are_its_parts() -> None:
    whole = explained("0 < n <= 4", n=5)
    assert [(part.text, part.result) for part in whole.parts] == [("0 < n", True), ("n <= 4", False)]


def test_an_operand_alone_has_a_value_and_a_result() -> None:
    part = explained("approved", approved=["ana"])
    assert (part.value, part.result) == (["ana"], True)


def test_an_explanation_has_copies_of_lists_and_tables() -> None:
    tags: list[Json] = ["a"]
    values: dict[str, Json] = {"order": {"tags": tags}}
    part = Expression("order == order").explain(Asked(values)).parts[0]
    tags.append("b")
    assert part.value == {"tags": ["a"]}


def test_printed_it_is_that_tree() -> None:
    explanation = explained('category == "billing"', category="other")
    assert str(explanation).split("\n") == explanation.lines()


def test_as_json_it_has_values_and_errors_only_where_there_are_some() -> None:
    data = explained("a.b is None or zzz > 1", a={"b": 1}).to_json()
    error = (
        'zzz: the state has no key "zzz" (there is: a; if it may be missing, write: zzz is not None and ...)'
    )
    assert data == {
        "text": "a.b is None or zzz > 1",
        "role": "test",
        "result": None,
        "error": error,
        "parts": [
            {
                "text": "a.b is None",
                "role": "test",
                "result": False,
                "parts": [{"text": "a.b", "role": "operand", "result": None, "value": 1}],
            },
            {
                "text": "zzz > 1",
                "role": "test",
                "result": None,
                "error": error,
                "parts": [
                    {"text": "zzz", "role": "operand", "result": None, "error": error},
                    {"text": "1", "role": "constant", "result": None, "value": 1},
                ],
            },
        ],
    }


def test_as_text_it_is_a_tree_for_people() -> None:
    text = '(category == "billing" or not urgent) and note is None and zzz > 1 and last'
    assert explained(text, category="other", urgent=False).lines() == [
        f"error   {text}",
        '  true    category == "billing" or not urgent',
        '    false   category == "billing"',
        '              category = "other"',
        "    true    not urgent",
        "      false   urgent = false",
        "  true    note is None",
        "            note is missing",
        "  error   zzz > 1",
        '            zzz: the state has no key "zzz" '
        "(there is: category, urgent; if it may be missing, write: zzz is not None and ...)",
        "  skipped last",
    ]


def test_the_output_and_the_visits_are_explained_too() -> None:
    context = Asked({}, step=4, output="done", visits={"draft": 3})
    whole = Expression("last_output == 'done' and step > 3 and visits.draft > 2").explain(context)
    assert [part.parts[0].value for part in whole.parts] == ["done", 4, 3]


def test_a_comparison_may_be_an_operand_and_is_explained_as_one_part() -> None:
    whole = explained("(n > 3) == ok", n=5, ok=True)
    assert whole.lines() == [
        "true    (n > 3) == ok",
        "  true    n > 3",
        "            n = 5",
        "          ok = true",
    ]
    assert repr(whole.value) == "MISSING"
