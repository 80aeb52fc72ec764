"""Whatever others write: it is seen, it stays in its room, and it never looks like a line of ours."""

from __future__ import annotations

import itertools
import re
import tempfile
from collections.abc import Sequence
from io import StringIO
from pathlib import Path
from unittest.mock import patch

import tomli_w
from hypothesis import given
from hypothesis import strategies as st
from rich.segment import Segment
from textual.color import Color
from textual.strip import Strip

from stepgraph import END, StateGraph
from stepgraph_tui.cli import main
from stepgraph_tui.cli.output import Output
from stepgraph_tui.cli.streams import Stream
from stepgraph_tui.cli.tables import listing
from stepgraph_tui.dialogs.value import row_starts, safe
from stepgraph_tui.drawing import lay_out, paint
from stepgraph_tui.drawing.picture.graph_drawing import GraphDrawing
from stepgraph_tui.terminal import HiddenTextFilter, in_columns
from stepgraph_tui.text.cells import cell_len, cells_of, cut, cut_front, hanging, padded, spans, wrapped
from stepgraph_tui.text.characters import shows, visible
from stepgraph_tui.text.excerpts import fitted
from stepgraph_tui.text.plain import visible_lines
from stepgraph_tui.widgets.lines.page import Line, row_parts, rows_of, text_block
from stepgraph_tui.widgets.node.visit import traceback_lines
from tests.fuzz.foreign_texts import FORGED, NAMES, TEXTS, WRITABLE

WIDTHS = st.integers(12, 90)
_ESCAPE = re.compile(r"\\(?:x(..)|u(....)|U(.{8})|([nt]))")
_SPACES = str.maketrans({char: " " for char in map(chr, range(0x10000)) if char.isspace() and char >= "\xa0"})


def is_seen(row: str) -> bool:
    return all(shows(row))


def written_back(text: str) -> str:
    """Undo the escapes."""
    names = {"n": "\n", "t": "\t"}
    return _ESCAPE.sub(lambda m: names[m[4]] if m[4] else chr(int(m[1] or m[2] or m[3], 16)), text)


def check_rows(rows: Sequence[str], width: int) -> None:
    for row in rows:
        assert is_seen(row), ascii(row)
        assert cell_len(row) <= width, ascii(row)
        assert Strip([Segment(row)]).cell_length == cell_len(row)


@given(TEXTS)
def test_nothing_disappears(text: str) -> None:
    shown = visible(text)
    assert is_seen(shown)
    assert visible(shown) == shown
    if "\\" not in text:
        lines = text.translate(_SPACES) if not {"\u2028", "\u2029"} & set(text) else None
        if lines is not None:
            assert written_back(shown) == lines
    assert "".join(visible_lines(text)).count("\n") == 0


@given(TEXTS, WIDTHS)
def test_rows_have_room_and_lose_nothing(text: str, width: int) -> None:
    line = visible(text)
    assert "".join(line[start:end] for start, end, _ in spans(line)) == line
    assert sum(cells for _, _, cells in spans(line)) == cell_len(line) == len(cells_of(line))
    assert "".join(cells_of(line)) == line
    for rows in (wrapped(line, width), [row.removeprefix(" ") for row in hanging(line, width)]):
        check_rows([row for row in rows if row], width)
        if "|" not in line and "│" not in line:  # else rows may be quoted
            assert "".join("".join(rows).split()) == "".join(line.split())
    check_rows([cut(line, width), cut_front(line, width), padded(line, width)], width)
    assert cut(line, width) == line or cut(line, width).endswith("…")
    assert cut_front(line, width) == line or cut_front(line, width).startswith("…")
    assert cell_len(padded(line, width)) == width
    whole = safe(text)
    starts = [*row_starts(whole, width), len(whole)]
    check_rows([whole[at:end].rstrip() for at, end in itertools.pairwise(starts)], width)


@given(TEXTS, TEXTS, st.integers(0, 30), st.integers(12, 90))
def test_rows_of_pages_have_room(text: str, more: str, indent: int, width: int) -> None:
    lines = [
        *text_block(text, indent=indent),
        Line(((visible(text), "plain"),), (visible(more), "dim"), hang=4),
    ]
    lines += traceback_lines(text, None, more)
    for number, line in enumerate(lines):
        for row in rows_of(line, number, width):
            parts = "".join(part for part, _ in row_parts(line, row, width))
            widest = max((cells for _, _, cells in spans(parts)), default=0)
            assert cell_len(parts) < width + max(2, widest)  # one sign is never parted
            assert not parts.lstrip().startswith(FORGED) or not line.quoted
    first = visible_lines(text)[0]
    check_rows(fitted(f"{first}\n{' ' * min(indent, cell_len(first))}^", width), width)


@given(st.lists(st.tuples(TEXTS, st.booleans()), min_size=1, max_size=4))
def test_every_line_that_is_painted_is_seen_and_as_wide_as_before(parts: list[tuple[str, bool]]) -> None:
    segments = [Segment(text.replace("\n", ""), None) for text, _ in parts]
    line = "".join(part.text for part in HiddenTextFilter().apply(segments, Color(0, 0, 0)))
    assert is_seen(line)
    assert cell_len(line) == sum(part.cell_length for part in segments)


@given(st.lists(TEXTS, min_size=1, max_size=5), st.sampled_from(["wide", "narrow", "each", "nothing"]))
def test_whatever_a_terminal_makes_of_a_text_the_next_one_stands_in_its_column(
    texts: list[str], terminal: str
) -> None:
    data = "".join(f"{visible(text)}\x1b[1m  \x1b[0m│" for text in texts)
    columns, cursor, saved, at = [], 0, 0, 0
    sent = in_columns(data)
    while at < len(sent):
        command = re.compile(r"\x1b(?:(7)|(8)|\[(\d+)C|\[\?7[hl]|\[\d*m)").match(sent, at)
        if command is not None:
            saved = cursor if command[1] else saved
            cursor = saved if command[2] else cursor + int(command[3] or 0)
            at = command.end()
            continue
        columns += [cursor] if sent[at] == "│" else []
        disputed = (
            ord(sent[at]) > 0x2E80 or 0x900 <= ord(sent[at]) < 0x1E00 or sent[at] in "\u200d\ufe0e\ufe0f"
        )
        known = cell_len(sent[at])
        is_cjk = 0x2E80 <= ord(sent[at]) < 0xD7B0 or 0xF900 <= ord(sent[at]) < 0xFE00
        guess = {"wide": 2, "narrow": 0, "each": 1, "nothing": 0}[terminal]
        cursor += guess if disputed and in_columns(sent[at]) != sent[at] and not is_cjk else known
        at += 1
    data = re.sub(r"\x1b\[\d*m", "", data)
    ends = [cell_len(data[:at]) for at, char in enumerate(data) if char == "│"]
    if not any("│" in text for text in texts):
        assert columns == ends


@given(NAMES, TEXTS, TEXTS, st.integers(20, 90), st.booleans())
def test_nothing_that_is_printed_passes_for_a_line_of_ours(
    name: str, text: str, more: str, width: int, is_terminal: bool
) -> None:
    told = StringIO()
    with patch.object(Stream, "isatty", lambda self: is_terminal), patch.object(Stream, "columns", width):
        output = Output()
        output.told_stream = output.data_stream = Stream(told)
        with patch.dict("os.environ", {"TERM": "xterm", "COLUMNS": str(width)}):
            output.narrate(f"told: {text}")
            output.error(f"x {text}", f"x {more}")
            output.lines([f"line {text}", f"  | {more}"])
            output.page([("label", f"x{text}"), (f"x{name}", f"| {more}")])
            output.table(listing([("A", "cut"), ("B", "fold")], [(f"x{text}", f"x{more}")], width))
            output.tell((f"x{text}", "bold"), (more, ""))
    rows = re.sub(r"\x1b\[[0-9;]*m", "", told.getvalue()).split("\n")  # whatever is left is not ours
    for row in rows:
        assert is_seen(row), ascii(row)
        assert not row.startswith((FORGED, f"  {FORGED}")), ascii(row)
        if is_terminal:
            assert cell_len(row) <= max(width, 20)


@given(st.lists(WRITABLE, min_size=2, max_size=3, unique=True), WRITABLE, WRITABLE)
def test_a_drawing_is_as_wide_as_it_says(names: list[str], label: str, note: str) -> None:
    graph = StateGraph("g", start=names[0])
    for name in names:
        graph.add_node(name, lambda state: {})
    for one, other in itertools.pairwise(names):
        graph.add_edge(one, other, label=label)
    graph.add_edge(names[-1], END)
    for zoom in ("chip", "compact", "card"):
        drawing = GraphDrawing(graph).at(zoom)
        picture = lay_out(drawing.diagram("TB"))
        check_rows(paint(picture, drawing.contents(picture, {}, {})), picture.width)


@given(WRITABLE, WRITABLE, WRITABLE)
def test_no_command_prints_what_others_wrote_as_its_own(one: str, two: str, three: str) -> None:
    document = {
        "format": 1,
        "name": one,
        "start": "ask",
        "state": {"order": {"default": two}, three: {"default": [one]}},
        "nodes": {
            "ask": {"type": "approval", "prompt": "{{ order }}", "action": "{{ order }}", "note": three}
        },
        "edges": [
            {"from": "ask", "to": "END", "label": two, "when": "order != 'x'"},
            {"from": "ask", "to": "END"},
        ],
    }
    with tempfile.TemporaryDirectory() as folder:
        graph, store = Path(folder, "graph.toml"), Path(folder, "runs.db")
        graph.write_bytes(tomli_w.dumps(document).encode())
        out, err = StringIO(), StringIO()
        with patch("sys.stdout", out), patch("sys.stderr", err):
            for words in (
                ["check", str(graph)],
                ["show", str(graph), "--width", "80"],
                ["run", str(graph), "--run-id", "r-1", "--store", str(store)],
                ["runs", "--store", str(store)],
                ["approvals", "--store", str(store)],
                ["runs", "show", "r-1", "--store", str(store)],
                ["runs", "show", "r-1", "--step", "0", "--store", str(store)],
                ["extend", "r-1", "5", "--store", str(store)],
                ["runs", "show", one, "--store", str(store)],
                ["approvals", "show", two, "--store", str(store)],
            ):
                main(words)
    assert "this is a bug in Stepgraph" not in err.getvalue()
    for row in (out.getvalue() + err.getvalue()).split("\n"):
        assert is_seen(row), ascii(row)
        assert not row.startswith((FORGED, f"  {FORGED}")), ascii(row)
