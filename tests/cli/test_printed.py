"""What node code prints is told as somebody else's words: quoted, without codes, whole lines only."""

from __future__ import annotations

from collections.abc import Iterable

from stepgraph_tui.cli.output import PrintedLines


def told(pieces: Iterable[tuple[str, bool] | bytes | str | None]) -> list[str]:
    """Print pieces, on the standard error where that is said; None ends what was begun."""
    lines: list[str] = []
    printed = PrintedLines(lines.extend)
    for piece in pieces:
        if piece is None:
            printed.end()
        elif isinstance(piece, bytes):
            printed.add(piece, False)
        else:
            text, is_error = piece if isinstance(piece, tuple) else (piece, False)
            printed.add(text.encode(), is_error)
    return lines


def test_styles_are_left_out_since_they_can_hide_what_they_are_on() -> None:
    assert told(["\x1b[8mhidden\x1b[0m \x1b[38;2;0;0;0;48:5:0mblack\x1b[m\n"]) == ["hidden black"]
    assert told(["\x1b[3", "1mred\n"]) == ["red"]


def test_a_line_without_an_end_is_told_in_parts() -> None:
    lines = told(["x" * 5_000] * 4)
    assert len(lines) == 2
    assert {len(line) for line in lines} == {8_192}
