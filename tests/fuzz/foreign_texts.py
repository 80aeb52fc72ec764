"""Texts as somebody would write them who wants to hide something, beside honest ones of all scripts."""

from __future__ import annotations

from hypothesis import strategies as st

FORGED = "note: FORGED"
_BAD = [
    *"\u3164\u115f\u1160\uffa0\u2800\u034f\u00ad\u200b\u200c\u200d\u2060\ufeff\ufe0e\ufe0f\U000e0100\u180b",
    *"\u202a\u202e\u2066\u2069\u2028\u2029\x85\xa0\u3000\x00\x07\x08\x0b\x0c\r\x1b\x7f\x9b\u061c\u17b5",
    *"\U000e0041\U000e007f\U0001f3fd\U0001f1e9\u0338\u20dd\u0301\u093e\u094d\u1161\u11a8\ud800\ue000",
    "\x1b]0;pwned\x07", "\x1b[2J", "\x1b[31m", "\t", "\n", f"\n{FORGED}", f"\r\n{FORGED}", f" {FORGED}",
]  # fmt: skip
_HONEST = [
    "a", "pay(order=1)", " ", "word ", "ünïcode", "का", "कि", "श्री", "தமிழ்", "ශ්\u200dරී", "العربية",
    "שָׁלוֹם", "ไทย", "กำ", "한국", "\u1100\u1161\u11a8", "漢字", "葛\U000e0100",
    "👨\u200d👩\u200d👧", "🇩🇪", "👍🏽", "1\ufe0f\u20e3",
    "❤\ufe0f", "e\u0301",
    "…", "→", "│", "  | ", "\\", "\\u3164",
]  # fmt: skip

PARTS = st.one_of(
    st.sampled_from(_BAD),
    st.sampled_from(_HONEST),
    st.tuples(st.sampled_from(_BAD), st.integers(2, 60)).map(lambda many: many[0] * many[1]),
    st.tuples(st.sampled_from(_HONEST), st.integers(2, 40)).map(lambda many: many[0] * many[1]),
    st.text(max_size=6),
)
TEXTS = st.lists(PARTS, max_size=8).map("".join)
"""Any text, most of them with something bad in them."""
NAMES = TEXTS.filter(lambda text: bool(text.strip()))
"""Texts that may name something."""
WRITABLE = NAMES.map(lambda text: text.encode("utf-8", "replace").decode())
"""Names that a file can hold."""
