"""Graph files as somebody could have written them who means no good: the examples, cut up and poisoned."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

from hypothesis import strategies as st

Change = Callable[[bytes], bytes]

SENTINEL = "stepgraph_fuzz_sentinel"
"""A module that lies beside every such file, and that nothing may look for."""

SHIPPED = [path.read_bytes() for path in sorted((Path(__file__).parents[2] / "graphs").glob("*.toml"))]
_LINES = [line for text in SHIPPED for line in text.splitlines(keepends=True)]
_VALUE = re.compile(rb"""(?<== )(?!\[\n|\"{3})[^\n]*""")  # those that a line holds
_NAME = re.compile(rb"[a-z_]{3,}")

VALUES = (
    *(
        '""',
        '"END"',
        '"__END__"',
        '" "',
        '"a.b"',
        '"\\u0000"',
        '"\\u202e\\u200b\\u3164"',
        '"\\U000E0041"',
        '"é"',
        "'''",
    ),
    *(
        "true",
        "0",
        "-0",
        "-1",
        "1.0",
        "1e999",
        "inf",
        "-inf",
        "nan",
        "9" * 30,
        "1" * 4_001,
        "0x" + "f" * 3_000,
        "0b" + "1" * 5_000,
    ),
    *("2026-11-22", "2026-11-22T10:00:00Z", "10:00:00", "[]", "{}", "[[]]", "[{}]", "[1, 'a', true]"),
    *("[" * 150 + "]" * 150, "[" * 3_000 + "]" * 3_000, "{a = " * 150 + "1" + "}" * 150, "{ a = 1, a = 2 }"),
    *(
        f'"{SENTINEL}:run"',
        f'["{SENTINEL}:run"]',
        f'{{ predicate = "{SENTINEL}:run" }}',
        '{ predicate = "m" }',
    ),
    *('{ key = "a", equals = [1] }', "{ key = 1 }", '{ predicate = "m:f", key = "a" }', "{ equals = nan }"),
    *(
        '"{{ x }}"',
        '"{{ x"',
        '"{% for a in b %}"',
        "\"{{ 'a' * 9 ** 9 }}\"",
        '"{{ x.__class__ }}"',
        '"{# no end"',
    ),
    *(
        '"a == "',
        '"a" * 3',
        '"a == b == c and (d)"',
        f'"{"(" * 300}"',
        f'"{"not " * 300}a"',
        '"__import__(1)"',
    ),
    *(
        '"llm"',
        '"tool"',
        '"approval"',
        '"router"',
        '"handler"',
        '"python"',
        '"append"',
        '"merge"',
        '"before"',
    ),
)
"""Values of every kind, right ones in wrong places among them."""

LINES = (
    *(
        "[nodes]",
        "[[nodes]]",
        "[edges]",
        "[[edges]]",
        "[state]",
        "[[state]]",
        "[tools]",
        "[nodes.END]",
        "[nodes.'']",
    ),
    *(
        "[nodes.a.b.c]",
        '[nodes."a\\nb"]',
        '[state."\\u0007"]',
        "[a" + ".a" * 40 + "]",
        "a" + ".a" * 40 + " = 1",
    ),
    *(
        "nodes = 3",
        "edges = 3",
        "edges = [3]",
        "edges = {}",
        "state = []",
        "tools = 'x'",
        "nodes.a = 1",
        "no_feedback = 'x'",
    ),
    *(
        "format = 2",
        "format = 'x'",
        "format = -1",
        "format = true",
        "name = 3",
        "start = 'nowhere'",
        "max_steps = 0",
    ),
    *(
        "max_steps = 1e400",
        "max_seconds = -inf",
        "feedback = 'yes'",
        "on_no_match = 1",
        "unknown = 1",
        "= 1",
        "]",
        "#",
    ),
    *(
        "type = 'nothing'",
        "\ufeff",
        "\r",
        "\x00 = 1",
        "\x7f",
        'a = "',
        "a = '''",
        'a = """',
        "'a\tb' = 1",
        "\\",
    ),
    *(
        "from = 'END'",
        "to = ''",
        "when = true",
        "when = 3",
        "label = 3",
        "replies = [[]]",
        "arguments = { a = { b = 1 } }",
    ),
    f'[tools.{SENTINEL}]\nhandler = "{SENTINEL}:run"',
    f'[nodes.{SENTINEL}]\ntype = "handler"\nhandler = "{SENTINEL}:run"',
    f'[[edges]]\nfrom = "a"\nto = "END"\nwhen = {{ predicate = "{SENTINEL}:run" }}',
    *(f"[nodes.n{number}]\ntype = 'approval'\nprompt = 'x'" for number in range(3)),
)
"""Lines and tables of their own."""

BYTES = (
    b"\xff",
    b"\xfe\xff",
    b"\xc3(",
    b"\xed\xa0\x80",
    b"\x00",
    b"\x1b[2J",
    b"\r",
    b"\xf4\x90\x80\x80",
    b"\xe2\x80\xae",
)
"""What is not UTF-8, or should not be in a text."""


@st.composite
def graph_files(draw: st.DrawFn) -> bytes:
    """Draw the bytes of a graph file: an example after a few changes, most of them small."""
    text = draw(st.sampled_from(SHIPPED))
    for change in draw(st.lists(_CHANGES, min_size=1, max_size=6)):
        text = change(text)
    return text


def _spliced(text: bytes, start: int, end: int, new: bytes) -> bytes:
    return text[:start] + new + text[end:]


@st.composite
def _line_change(draw: st.DrawFn) -> Change:
    """Cut lines out, and put others in their place."""
    at, cut = draw(st.floats(0, 1)), draw(st.integers(0, 4))
    new = draw(st.sampled_from([b"", *(f"{line}\n".encode() for line in LINES), *_LINES]))

    def change(text: bytes) -> bytes:
        lines = text.splitlines(keepends=True)
        start = int(at * len(lines))
        return b"".join([*lines[:start], new, *lines[start + cut :]])

    return change


@st.composite
def _match_change(draw: st.DrawFn) -> Change:
    """Put a value in the place of another one, or a name in the place of another one."""
    at, values = draw(st.floats(0, 1)), draw(st.booleans())
    pattern = _VALUE if values else _NAME
    names = [
        b"END",
        b"a",
        b"nodes",
        b"edges",
        b"type",
        b"from",
        b"llm",
        SENTINEL.encode(),
        b"__END__",
        b"if",
        b"",
    ]
    new = draw(st.sampled_from([value.encode() for value in VALUES] if values else names))

    def change(text: bytes) -> bytes:
        found = list(pattern.finditer(text))
        if not found:
            return text + new
        one = found[min(int(at * len(found)), len(found) - 1)]
        return _spliced(text, one.start(), one.end(), new)

    return change


@st.composite
def _byte_change(draw: st.DrawFn) -> Change:
    """Put bytes anywhere, and cut as many out as there are of something."""
    at, cut = draw(st.floats(0, 1)), draw(st.sampled_from([0, 0, 1, 3, 40, 10_000]))
    new = draw(st.sampled_from(BYTES) | st.binary(max_size=4) | st.text(max_size=4).map(str.encode))

    def change(text: bytes) -> bytes:
        start = int(at * len(text))
        return _spliced(text, start, start + cut, new)

    return change


_CHANGES = st.sampled_from([_match_change()] * 6 + [_line_change()] * 4 + [_byte_change()]).flatmap(
    lambda one: one
)
