"""Whatever a terminal makes of an emoji, the text behind it stays in sight and in its column."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable

import pytest
from textual.pilot import Pilot

from stepgraph_tui.terminal_text import in_columns
from stepgraph_tui.text.cells import cell_len, spans
from stepgraph_tui.text.plain import visible
from tests.app.approving import Desk, Host, asking, pending
from tests.app.playing import play, screen_lines

FAMILY, CODER, ROVER = "👨\u200d👩\u200d👧\u200d👦", "👩🏽\u200d💻", "🏴\u200d☠\ufe0f"
EMOJI = {
    "families": FAMILY,
    "skin tones": "👍🏽",
    "joined skin tones": CODER,
    "flags": "🇫🇷",
    "pirates": ROVER,
    "selectors": "❤\ufe0f",
    "text selectors": "⌚\ufe0e",
    "keycaps": "1\ufe0f\u20e3",
    "wide letters": "漢",
}
_COMMAND = re.compile(r"\x1b(?:(?P<save>7)|(?P<back>8)|\[(?P<on>\d+)C|\[\?7(?P<wrap>[hl]))")


def _part(char: str) -> int:
    if char in "\u200d\ufe0e\ufe0f" or unicodedata.category(char) in ("Mn", "Me"):
        return 0
    return 2 if char >= "\U0001f000" or unicodedata.east_asian_width(char) in "WF" else 1


def _parts(text: str) -> int:
    return sum(map(_part, text))


def _joined(text: str) -> int:
    return 2 if len(text) > 1 else _part(text)


def _narrow(text: str) -> int:
    return 1 if len(text) > 1 else _part(text)


TERMINALS: dict[str, Callable[[str], int]] = {"parts": _parts, "joined": _joined, "narrow": _narrow}


class Terminal:
    """A row of a terminal, with a measure of its own for what it draws as one."""

    def __init__(self, measure: Callable[[str], int], width: int = 80) -> None:
        self.cells = [" "] * width
        self._measure = measure

    def take(self, data: str, column: int = 0) -> str:
        """Write what an app sends, from a column on."""
        at, cursor, saved = 0, column, 0
        while at < len(data):
            command = _COMMAND.match(data, at)
            if command is not None:
                saved = cursor if command["save"] else saved
                cursor = saved if command["back"] else cursor + int(command["on"] or 0)
                at = command.end()
                continue
            sign = _sign(data[at:].partition("\x1b")[0])
            width = self._measure(sign)
            for number in range(width):
                if cursor + number < len(self.cells):
                    self.cells[cursor + number] = "" if number else sign
            cursor, at = cursor + width, at + len(sign)
        return "".join(cell or "." for cell in self.cells)


def _sign(text: str) -> str:
    """What a terminal draws as one, at the start of a text."""
    start, end, _ = next(spans(text))
    return text[start:end]


@pytest.mark.parametrize("terminal", TERMINALS)
@pytest.mark.parametrize("emoji", EMOJI.values(), ids=EMOJI)
@pytest.mark.parametrize("behind", [" then pay 9", "then pay 9", "ОПЛАТИТЬ", "→ pay"])
def test_what_stands_behind_an_emoji_is_in_sight_and_in_its_column(
    terminal: str, emoji: str, behind: str
) -> None:
    line = f"{visible(emoji * 6)}{behind}"
    assert line == emoji * 6 + behind
    shown = Terminal(TERMINALS[terminal])
    shown.take(in_columns(line + " " * (79 - cell_len(line)) + "┃"))
    at = cell_len(emoji * 6)
    assert "".join(shown.cells[at : at + len(behind)]) == behind
    assert shown.cells[79] == "┃"


@pytest.mark.parametrize("terminal", TERMINALS)
@pytest.mark.parametrize("emoji", EMOJI.values(), ids=EMOJI)
def test_an_emoji_spills_over_nothing_that_is_not_painted_with_it(terminal: str, emoji: str) -> None:
    shown = Terminal(TERMINALS[terminal])
    left, right = f"│{emoji}", "│ what another pane shows"
    shown.take(in_columns(left + right))
    shown.take(in_columns(left))  # the pane on the left is painted anew, and nothing else
    at = cell_len(left)
    assert "".join(shown.cells[at : at + len(right)]) == right


@pytest.mark.parametrize("size", [(80, 24), (60, 15)])
@pytest.mark.parametrize("terminal", TERMINALS)
@pytest.mark.parametrize("emoji", EMOJI.values(), ids=EMOJI)
def test_in_an_approval_what_stands_behind_emoji_is_read_before_it_is_approved(
    emoji: str, terminal: str, size: tuple[int, int]
) -> None:
    desk = Desk()
    host = Host(desk, pending(desk.run(asking(action=f"pay(to={emoji * 9}) and ERASE(all) {emoji}END"))).id)

    async def script(pilot: Pilot[None]) -> list[str]:
        await pilot.press("d")
        seen = []
        for _ in range(9):
            seen += screen_lines(host)
            await pilot.press("pagedown")
            await pilot.pause()
        return seen

    rows = [Terminal(TERMINALS[terminal], size[0]).take(in_columns(row)) for row in play(host, script, size)]
    assert any("ERASE(all)" in row for row in rows)
    assert any("END" in row for row in rows)
    assert all(row.rstrip()[-1] in "┃┨┓┛" for row in rows if row.startswith("┃"))
    assert not any("┃" in row[1:-1] for row in rows if row.startswith("┃"))
