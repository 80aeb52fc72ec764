"""Secrets are hidden however many a run has had, and however they are quoted."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stepgraph.reviews.secrets import MASK, Spellings
from tests.examples import examples

MANY = [f"tok-{number}-'\"é{number * 7919}" for number in range(3_000)]


@pytest.mark.parametrize("count", [1, 8, 50, 3_000])
def test_each_of_them_is_hidden_in_every_spelling(count: int) -> None:
    spellings = Spellings(MANY[:count])
    for secret in {MANY[0], MANY[count // 2], MANY[count - 1]}:
        for quoted in (secret, json.dumps(secret)[1:-1], repr(secret)[1:-1], json.dumps(json.dumps(secret))):
            assert spellings.hide(f"it is <{quoted}>, twice: {quoted}").count(MASK) == 2
            assert secret not in spellings.hide(f"it is {quoted}")
    assert spellings.hide("nothing of it, tok-, ") == "nothing of it, tok-, "
    assert spellings.hide("") == ""
    assert MANY[0] in spellings
    assert "tok-" not in spellings


def test_what_is_learned_later_is_hidden_with_what_was_known() -> None:
    first = Spellings(MANY[:200])
    second = Spellings(MANY[100:400], first)
    for secret in (MANY[0], MANY[150], MANY[399]):
        assert second.hide(secret) == MASK
    assert first.hide(MANY[399]) == MANY[399]
    assert not Spellings()


def test_the_longest_of_two_is_hidden_first() -> None:
    assert Spellings([*MANY, "secret", "secret-of-ana"]).hide("secret-of-ana, secret") == f"{MASK}, {MASK}"


@given(
    secrets=st.lists(st.text("abé'\"\\\n", min_size=4, max_size=6), max_size=60), text=st.text("abé'\"\\\n")
)
@examples(60, deadline=None)
def test_none_is_left_in_any_text(secrets: list[str], text: str) -> None:
    shown = Spellings([*MANY, *secrets]).hide(text)
    assert not any(secret in shown for secret in secrets)
