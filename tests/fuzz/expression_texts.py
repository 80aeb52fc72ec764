"""Conditions that Python reads alike, conditions that fail, and texts that are none."""

from __future__ import annotations

from hypothesis import strategies as st

from stepgraph.values.json_values import Json

NUMBERS = {"i": 1, "j": -2, "k": 0, "f": 2.5}
BOOLEANS = {"p": True, "q": False}
TEXTS = {"t": "ab", "u": "", "w": "ü b"}
LISTS: dict[str, Json] = {"l": [1, 2, "ab"], "e": []}
VALUES: dict[str, Json] = {
    **NUMBERS,
    **BOOLEANS,
    **TEXTS,
    **LISTS,
    "n": None,
    "d": {"x": 1, "y": {"z": "ab"}},
}

# what means the same in Python

_numbers = st.sampled_from([*NUMBERS, "l[0]", "l[-2]", "d['x']"]) | st.integers(-3, 3).map(str)
_texts = st.sampled_from([*TEXTS, "l[2]", "d['y']['z']", "'ab'", '"b"', "''", "'\\u00fc'", "r'a'"])
_orders = st.sampled_from(["==", "!=", "<", "<=", ">", ">="])


def _chain(operand: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    rest = st.lists(st.tuples(_orders, operand), min_size=1, max_size=3)
    return st.builds(lambda first, rest: first + "".join(map(" {0[0]} {0[1]}".format, rest)), operand, rest)


_members = st.lists(st.integers(-3, 3).map(str) | _texts.filter(lambda text: text[-1] in "'\""), max_size=3)
_in = st.sampled_from(["in", "not in"])
_leaves = (
    _chain(_numbers)
    | _chain(_texts)
    | st.builds("{} {} [{}]".format, _numbers | _texts, _in, _members.map(", ".join))
    | st.builds("{} {} {}".format, _numbers | _texts, _in, st.sampled_from(list(LISTS)))
    | st.builds("{} {} {}".format, _texts, _in, _texts)
    | st.builds("{} {} d".format, _texts, _in)
    | st.builds("{} {} None".format, st.sampled_from("ijkpqnd"), st.sampled_from(["is", "is not"]))
    | st.sampled_from(["p", "q", "True", "False", "not p", "l == [1, 2, 'ab']", "e == []", "d['x'] == 1.0"])
)
agreeing = st.recursive(
    _leaves.map("({})".format),
    lambda inner: (
        st.builds("({} {} {})".format, inner, st.sampled_from(["and", "or"]), inner)
        | inner.map("(not {})".format)
        | st.builds("(({} and {}) or {})".format, inner, inner, inner)
        | st.builds("({}\n  and {})".format, inner, inner)
    ),
    max_leaves=5,
)

# what may fail

_anything = st.sampled_from(
    "i p n t l d d.x d.w l[0] l[9] zz zz.y step last_output visits.a d.y.z t.x n[0]".split(" ")  # noqa: SIM905
)
_constants = st.sampled_from(["1", "'a'", "None", "True", "[1, 'ab']", "2.0"])
_signs = st.sampled_from(["==", "!=", "<", ">=", "in", "not in"])
erring = st.recursive(
    st.builds("{} {} {}".format, _anything, _signs, _anything | _constants)
    | st.builds("{} {} {}".format, _constants, _signs, _anything)
    | _anything.map("{} is None".format)
    | _anything,
    lambda inner: (
        st.builds("({}) {} ({})".format, inner, st.sampled_from(["and", "or"]), inner)
        | inner.map("not ({})".format)
    ),
    max_leaves=5,
)

# what may be no condition at all

_words = [
    "a",
    "b.c",
    "[",
    "]",
    "(",
    ")",
    "==",
    "=",
    "!=",
    "<",
    "in",
    "not",
    "and",
    "or",
    "is",
    "None",
    "True",
    "1",
    "-1",
    "1e999",
    ".",
    ",",
    ":",
    "#",
    "{",
    "}",
    "&&",
    "!",
    "visits",
    "step",
    "lambda",
    "if",
]
_odd = ["'", '"', "\n", "\r", "\\", "f'x'", "'x'", "é", "\ud800", "\x00", "__a", "0x", "[1]", "\u202e", "\t"]
_more = [
    "9" * 400,
    "(" * 30,
    "not " * 30,
    "a." * 30,
    "1_0",
    "0o7",
    "1j",
    "b'x'",
    "...",
    "*",
    "**",
    ":=",
    "\u3164",
]
_pieces = st.sampled_from([*_words, *_odd, *_more])
any_text = (
    st.lists(_pieces, max_size=12).map(" ".join)
    | st.lists(_pieces, max_size=12).map("".join)
    | st.text()
    | st.builds("{}{}{}".format, erring, _pieces, erring)
)
