"""``--input`` and ``--set``: which value a text means, and what is said when it does not suit."""

from __future__ import annotations

from pathlib import Path

import pytest

from stepgraph.values.errors import StateError
from stepgraph.values.state import StateKey
from stepgraph_tui.cli.inputs import read_inputs

KEYS = {
    "words": StateKey("words", type="text"),
    "amount": StateKey("amount", type="number"),
    "sure": StateKey("sure", type="boolean"),
    "items": StateKey("items", type="list"),
    "order": StateKey("order", type="table"),
    "free": StateKey("free"),
}


@pytest.mark.parametrize(
    ("word", "message"),
    [
        ("amount=much", '--input amount: takes a number, not the text "much"'),
        ("amount=true", "--input amount: takes a number, not the boolean true"),
        ("sure=yes", '--input sure: takes a boolean, not the text "yes"'),
        ("order=[]", "--input order: takes a table, not the list []"),
        ("amount=null", "--input amount: takes a number, not null"),
        ("amount", "--input 'amount' is not KEY=VALUE"),
        ("=3", "--input '=3' is not KEY=VALUE"),
        ("free=@nowhere.txt", "--input free: the file nowhere.txt cannot be read"),
    ],
)
def test_a_value_that_does_not_suit_names_its_key(word: str, message: str) -> None:
    with pytest.raises(StateError) as caught:
        read_inputs([word], KEYS)
    assert message in caught.value.message


def test_all_wrong_values_are_told_at_once() -> None:
    with pytest.raises(StateError) as caught:
        read_inputs(["amount=x", "sure=y", "words=fine", "words=again"], KEYS)
    for name in ("amount", "sure", "words is given twice"):
        assert name in caught.value.message


def test_a_file_that_is_no_text_names_the_key(tmp_path: Path) -> None:
    file = tmp_path / "picture.bin"
    file.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(StateError, match=r"--input words: .* is not UTF-8"):
        read_inputs([f"words=@{file}"], KEYS)
