"""What changed between two texts or values, and the versions of a value through a run."""

from __future__ import annotations

from difflib import SequenceMatcher

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stepgraph.values.json_values import Json
from stepgraph_tui.text import diffs as module
from stepgraph_tui.text.diffs import value_diff, word_diff


@given(st.text("ab é漢字\u0301\u200d\n,.x 1"), st.text("ab é漢字\u0301\u200d\n,.x 1"))
def test_both_texts_can_be_read_back_from_their_difference(old: str, new: str) -> None:
    parts = word_diff(old, new).parts
    assert "".join(text for mark, text in parts if mark != "+") == old
    assert "".join(text for mark, text in parts if mark != "-") == new


def test_huge_texts_are_compared_in_pieces_and_never_all_with_all(monkeypatch: pytest.MonkeyPatch) -> None:
    compared: list[int] = []

    def counting(junk: None, one: list[str], other: list[str], autojunk: bool) -> SequenceMatcher[str]:
        compared.append(max(len(one), len(other)))
        return SequenceMatcher(junk, one, other, autojunk)

    monkeypatch.setattr(module, "SequenceMatcher", counting)
    story = "".join(f"Sentence {n} tells of {n % 7} and of {n % 11}. " for n in range(4_000))
    found = word_diff(f"A{story}A", "B" + story.replace("of 3", "of three") + "B")
    assert not found.is_coarse
    assert ("+", "three") in found.parts
    megabytes = "x" * 5_000_000
    assert [mark for mark, _ in word_diff(megabytes, f"{megabytes}y{megabytes}").parts] == ["", "+"]
    assert word_diff("ab " * 300_000, "ba " * 300_000).is_coarse
    assert max(compared) <= max(module.MOST_WORDS, module.MOST_SENTENCES)


def test_lists_and_tables_are_compared_by_their_paths_and_texts_in_them_by_words() -> None:
    old: Json = {"to": {"name": "Ana", "n": 1}, "lines": ["first line", "second one"], "gone": None}
    new: Json = {"to": {"name": "Ana", "n": 2}, "lines": ["put in", "first line", "second two", {"k": 1}]}
    assert value_diff(old, new).text.split("\n") == [
        "~ to.n  [-1-]{+2+}",
        '+ lines[0]  "put in"',
        "~ lines[2]  second [-one-]{+two+}",
        "+ lines[3]  {",
        '  "k": 1',
        "}",
        "- gone  null",
    ]
    assert "secret" in value_diff({"key": "***"}, {"key": "***"}).text
