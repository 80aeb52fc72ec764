"""Foreign text: what shows stays, what leaves no trace is written out, rows are as wide as they look."""

from __future__ import annotations

import pytest

from stepgraph_tui.text.cells import cell_len
from stepgraph_tui.text.characters import visible
from stepgraph_tui.text.plain import by_lines, call_text

HONEST = {
    "accents": "Ångström, Tiếng Việt, e\u0301te\u0301",
    "Arabic": "العربية، مُحَمَّد",
    "Persian with joiners": "می\u200cخواهم",  # noqa: RUF001
    "Hebrew with points": "שָׁלוֹם",
    "Hindi": "का" * 40 + " क्षि श्री",
    "Bengali with a joiner": "র\u200d্যাব",
    "Tamil": "தமிழ் கொ",
    "Sinhala with joiners": "ශ්\u200dරී ලංකා",
    "Thai": "ผู้ใหญ่ กำ",
    "Khmer": "ខ្មែរ",
    "Korean": "한국어 \u1100\u1161\u11a8",
    "Japanese": "葛\U000e0100城、か\u3099",
    "emoji": "👨\u200d👩\u200d👧 🏳\ufe0f\u200d🌈 👩🏽\u200d🚀 ❤\ufe0f\u200d🔥 1\ufe0f\u20e3 ⭐\ufe0f ☺\ufe0e",
    "flags": "🇩🇪🇮🇳",
}
HIDDEN = {
    "Hangul filler": "\u3164",
    "Hangul initial filler": "\u115f",
    "Hangul medial filler": "\u1160",
    "narrow filler": "\uffa0",
    "braille blank": "\u2800",
    "grapheme joiner": "a\u034f",
    "soft hyphen": "a\u00adb",
    "zero width space": "a\u200bb",
    "byte order mark": "\ufeff",
    "joiner between letters": "a\u200db",
    "joiner at the end": "👨\u200d",
    "non-joiner between letters": "a\u200cb",
    "selector behind a letter": "a\ufe0f",
    "selector behind a digit": "1\ufe0f",
    "run of selectors": "❤\ufe0f\ufe0f",
    "ideographic selector behind a letter": "a\U000e0100",
    "tag characters": "🏴\U000e0067\U000e007f",
    "right-to-left override": "\u202e",
    "isolate": "\u2066",
    "escape": "\x1b[2J",
    "eight-bit control": "\x9b2J",
    "line separator": "\u2028",
    "lone half of a flag": "🇩",
    "lone skin tone": "\U0001f3fd",
    "fifth mark on a letter": "a" + "\u0301" * 5,
    "pile of vowel signs": "क" + "ा" * 5,
    "chain of joined pictures": "👨\u200d" * 6 + "👨",
    "mark on nothing": "\u0338",
    "mark on a space": " \u0338",
    "Korean vowel on nothing": "가\u1161",
    "lone surrogate": "\ud800",
    "private use": "\ue000",
    "musical null": "\U0001d159",
}


@pytest.mark.parametrize("text", HONEST.values(), ids=HONEST)
def test_what_shows_stays_as_it_is(text: str) -> None:
    assert visible(text) == text


@pytest.mark.parametrize("text", HIDDEN.values(), ids=HIDDEN)
def test_what_leaves_no_trace_is_written_out(text: str) -> None:
    shown = visible(text)
    assert "\\x" in shown or "\\u" in shown or "\\U" in shown
    assert visible(shown) == shown


def test_a_second_half_of_an_action_cannot_hide_behind_fillers() -> None:
    action = f'pay(order="8812"){chr(0x3164) * 40} then wire(to="mallory")'
    assert cell_len(call_text(action, {})) == len(call_text(action, {})) > 240
    assert "\\u3164" in call_text("pay", {"order": f"8812{chr(0x3164)}"})


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("one line", 1),
        ("a\nb\n", 2),
        ("a\n\nb", 3),
        ('a\n", amount=5)', 2),
        (r"C:\new\names", 1),
        ("C:\\\nnew", 2),
    ],
)
def test_a_call_by_lines_has_all_its_characters(text: str, lines: int) -> None:
    call = call_text("send", {"text": text, "to": "ana"})
    broken = by_lines(call).split("\n")
    assert "".join(broken) == call
    assert len(broken) == lines
    assert all(line.endswith("\\n") for line in broken[:-1])
