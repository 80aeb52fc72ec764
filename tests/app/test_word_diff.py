"""What changed between two texts or values, and the versions of a value through a run."""

from __future__ import annotations

from difflib import SequenceMatcher

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stepgraph import MemoryStore
from stepgraph.stores.ledger import Row
from stepgraph.values.json_values import Json
from stepgraph.values.state import Op
from stepgraph_tui.text import word_diff as module
from stepgraph_tui.text.value_diff import value_diff
from stepgraph_tui.text.versions import versions_of
from stepgraph_tui.text.word_diff import WordDiff, word_diff

ENDS = {"": ("", ""), "-": ("[-", "-]"), "+": ("{+", "+}")}


def written(old: str, new: str) -> str:
    parts = word_diff(old, new).parts
    return "".join(f"{ENDS[mark][0]}{text}{ENDS[mark][1]}" for mark, text in parts)


@pytest.mark.parametrize(
    ("old", "new", "marked"),
    [
        ("", "", ""),
        ("same", "same", "same"),
        ("we are sorry", "we are very sorry", "we are {+very +}sorry"),
        ("the cat sat", "the cats sat", "the [-cat-]{+cats+} sat"),
        ("a, b", "x, y", "[-a, b-]{+x, y+}"),  # no marks around a comma
        ("one two\nthree", "one two\n\nthree", "one two\n{+\n+}three"),
        ("card today", "card\ntoday", "card[- -]{+\n+}today"),  # wrapped otherwise: the word stays
        ("我们会退款二百元", "我们已退款三百元", "我们[-会-]{+已+}退款[-二-]{+三+}百元"),
        ("ขอบคุณที่สั่งซื้อสินค้ากับเรา", "ขอบคุณที่ซื้อสินค้ากับเรา", "ขอบคุณที่[-สั่ง-]ซื้อสินค้ากับเรา"),
        ("क्षमा करें आपका", "क्षमा कीजिए आपका", "क्षमा [-करें-]{+कीजिए+} आपका"),
        ("by 👩‍💻 now", "by 👩‍🔬 now", "by [-👩‍💻-]{+👩‍🔬+} now"),
        ("x " + "ab12" * 9 + "q" + "cd34" * 9, "x " + "ab12" * 9 + "r" + "cd34" * 9,
         "x " + "ab12" * 9 + "[-q-]{+r+}" + "cd34" * 9),
    ],
)  # fmt: skip
def test_words_that_went_and_came_stand_where_they_were(old: str, new: str, marked: str) -> None:
    assert written(old, new) == marked


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


def test_a_difference_that_is_not_by_words_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        "stepgraph_tui.text.value_diff.word_diff", lambda *_: WordDiff((("-", "old"), ("+", "new")), True)
    )
    assert value_diff("old", "new").text == (
        "(too much changed to compare word by word: first the old, then the new)\n\n[-old-]{+new+}"
    )


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


def test_a_difference_is_safe_to_show_and_is_marked_on_each_of_its_lines() -> None:
    found = value_diff("a\nb c\nd", "a\nB\x1b[31m\nd\u202e")
    assert found.text == "a\n[-b c-]\n[-d-]{+B\\x1b[31m+}\n{+d\\u202e+}"
    assert [(mark, text) for mark, text in found.parts(0, len(found.text)) if mark] == [
        ("-", "[-b c-]"), ("-", "[-d-]"), ("+", "{+B\\x1b[31m+}"), ("+", "{+d\\u202e+}"),
    ]  # fmt: skip


def test_the_versions_of_a_value_are_the_rows_that_changed_it() -> None:
    both: dict[str, Op] = {"order": "merge", "log": "append"}
    rows = [
        Row(1, "start", 0, updates={"order": {"id": 1, "amount": 5}, "log": []}),
        Row(2, "step", 1, "a", updates={"order": {"id": 2, "amount": 5}}),
        Row(3, "step", 2, "b", updates={"log": ["x"], "order": None}, ops={"log": "append", "order": "same"}),
        Row(4, "attempt", 3, "c"),
        Row(5, "edit", 3, updates={"order": {"amount": 6}, "log": 0}, ops=both),
        Row(6, "edit", 3, updates={"order": None}),
        Row(7, "step", 4, "d", updates={"log": [], "note": "n"}, ops={"log": "append"}),
    ]  # fmt: skip

    def seqs(*path: str | int) -> list[int]:
        return [row.seq for row in versions_of(rows, path)]

    assert seqs("order") == [1, 2, 5, 6]
    assert seqs("order", "amount") == [1, 5, 6]
    assert seqs("log") == [1, 3, 5]
    assert seqs("log", 1) == [5]
    assert seqs("nothing") == []


def test_the_versions_of_a_long_run_are_found_without_reading_a_state(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(MemoryStore, "values", None)
    rows = [
        Row(n, "step", n, "a", updates={"n": n, "same": 1, "log": ["x"]}, ops={"log": "append"})
        for n in range(1, 10_001)
    ]
    assert len(versions_of(rows, ("n",))) == len(versions_of(rows, ("log",))) == 10_000
    assert len(versions_of(rows, ("same",))) == 1
