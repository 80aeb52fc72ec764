"""What a node asks models and tools, and what they answer: while it waits, and afterwards."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from stepgraph_tui.status_text import call_now_text
from stepgraph_tui.text.calls import ended_text, is_of_model, unanswered_text
from stepgraph_tui.text.plain import shortened, value_text, visible_lines
from stepgraph_tui.text.wrapping import wrapped
from stepgraph_tui.widgets.lines.page_lines import Line, blank, heading, paragraph, text_block

from .facts import Masked

if TYPE_CHECKING:
    from textual.geometry import Size

    from stepgraph.values.json_values import Json
    from stepgraph_tui.worker import CallNow, VisitCalls

    Call = Mapping[str, Json]

_SHOWN = 50  # calls of one visit
_LATEST = 3  # calls that are over, above one that lasts
_LEAST = 3  # rows of a reply that is coming
_BESIDE = 4  # cells of a row that are not the reply's
_VALUE = 2_000  # characters of what a tool answered


def calling_lines(calls: VisitCalls, masked: Masked, size: Size) -> Iterator[Line]:
    """Tell what the node that runs has asked so far, and the end of the reply that is coming.

    Args:
        calls: The calls of its visit.
        masked: Hides secrets.
        size: That of the pane: so much of the reply is shown as there is room for.
    """
    if calls.now is None and not calls.ended:
        return
    yield heading("Now")
    latest = calls.ended[-_LATEST:]
    if len(calls.ended) > len(latest):
        yield paragraph(f"… {len(calls.ended) - len(latest):,} calls before", "dim")
    for call in latest:
        yield paragraph(masked(ended_text(call)), "dim")
    if calls.now is not None:
        yield paragraph(masked(call_now_text(calls.now)), "title")
        room = max(_LEAST, size.height - len(latest) - 3)
        yield from _coming(calls.now, masked, room, max(1, size.width - _BESIDE))
    yield blank()


def _coming(call: CallNow, masked: Masked, rows: int, width: int) -> Iterator[Line]:
    text = masked(call.text)[-rows * width :]
    shown = [row for line in visible_lines(text) for row in wrapped(line, width)][-rows:]
    for row in shown if text else ():
        yield Line(((row, "value"),), quoted=True)


def call_lines(calls: Sequence[Call], masked: Masked, told: str | None = None) -> Iterator[Line]:
    """Tell of the calls of a visit, oldest first: who was asked, what was answered, what it took.

    Args:
        calls: The calls, as the ledger keeps them.
        masked: Hides secrets.
        told: What the node put out, or why it failed, which is shown already.
    """
    for call in calls[:_SHOWN]:
        is_told = "error" in call and str(call["error"]) in (told or "")
        said = unanswered_text(call) if is_told else ended_text(call)
        yield paragraph(masked(said), "bad" if "error" in call else "name")
        if is_of_model(call):
            text = call.get("text")
            if isinstance(text, str) and text and text != told:
                yield from text_block(masked(text), "value", 2)
        elif "result" in call:
            yield from text_block(masked(shortened(_answered(call), _VALUE)), "value", 2)
    if len(calls) > _SHOWN:
        yield paragraph(f"… {len(calls) - _SHOWN:,} more calls", "dim")


def _answered(call: Call) -> str:
    result = call.get("result")
    return result if isinstance(result, str) else value_text(result, _VALUE)
