"""The dialog that shows what came of trying a node."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, ClassVar

from rich.text import Text

from stepgraph.graphs.parts import END
from stepgraph.values.json_values import read_path
from stepgraph_tui.commands import LIST, TRIED, dialog_bindings
from stepgraph_tui.commands.hints import UNMAPPED, Hints
from stepgraph_tui.dialogs.page import Copy, Page
from stepgraph_tui.text.plain import call_text, plural, took, value_text, visible
from stepgraph_tui.text.state_diff import differences
from stepgraph_tui.widgets.lines.page_lines import Line, blank, paragraph, row_parts, rows_of, text_block
from stepgraph_tui.widgets.node.calls import call_lines
from stepgraph_tui.widgets.node.facts import MOST, fact, section
from stepgraph_tui.widgets.node.visit import error_lines
from stepgraph_tui.widgets.why.edges import edge_lines

if TYPE_CHECKING:
    from rich.style import Style

    from stepgraph.reviews.model import ReviewRequest
    from stepgraph.runs.masks import Mask
    from stepgraph.runs.trial import TrialResult
    from stepgraph_tui.widgets.lines import Role
    from stepgraph_tui.worker import Try

_VALUE = 240  # characters of a value
_TONES: dict[str, Role] = {"+": "good", "~": "warn", "-": "bad"}


class TriedDialog(Page, inherit_bindings=False):
    """Shows what came of a trial.

    Args:
        work: The trial.
        tried: What came of it.
        mask: Hides the secrets of the graph and of the state.
        again: Asks how to try the node once more.
        copy: Copies a text; nothing can be copied without it.
        hints: Names the keys.
    """

    BINDINGS = dialog_bindings([*TRIED, *LIST])
    DEFAULT_CSS = """
    TriedDialog {
        & > .tried--title { text-style: bold; }
        & > .tried--name { text-style: bold; color: $text-primary; }
        & > .tried--dim, & > .tried--rule { color: $text-muted; }
        & > .tried--value { color: $text-accent; }
        & > .tried--good { color: $text-success; text-style: bold; }
        & > .tried--bad { color: $text-error; text-style: bold; }
        & > .tried--warn { color: $text-warning; text-style: bold; }
    }
    """
    COMPONENT_CLASSES: ClassVar[set[str]] = {
        f"tried--{part}" for part in ("title", "name", "dim", "rule", "value", "good", "bad", "warn")
    }

    def __init__(
        self,
        work: Try,
        tried: TrialResult,
        mask: Mask,
        again: Callable[[], None],
        copy: Copy | None = None,
        hints: Hints = UNMAPPED,
    ) -> None:
        super().__init__(f"Tried {visible(tried.node)}", copy)
        self._told = list(tried_lines(work, tried, mask, hints))
        self._again = again

    def lines(self, width: int) -> Sequence[Text]:
        """Wrap all of it."""
        return [
            Text.assemble(*((text, self._style(role)) for text, role in row_parts(line, row, width)))
            for line in self._told
            for row in rows_of(line, 0, width)
        ]

    def text(self) -> str:
        """Give what ``y`` copies: the lines as they are without a width."""
        return "\n".join(line.plain for line in self._told)

    def _style(self, role: Role) -> Style:
        return self.rich_style if role == "plain" else self.get_component_rich_style(f"tried--{role}")

    def action_again(self) -> None:
        """Try it once more."""
        self.dismiss()
        self._again()


def tried_lines(work: Try, tried: TrialResult, mask: Mask, hints: Hints = UNMAPPED) -> Iterator[Line]:
    """Tell what a trial came to: how it went, what it changed, what it put out, where it would lead.

    Args:
        work: The trial.
        tried: What came of it.
        mask: Hides the secrets of the graph and of the state.
        hints: Names the keys.
    """
    yield _outcome(work, tried, hints)
    yield paragraph("Nothing was recorded: this step is in no run.", "dim")
    if tried.record.row.error is not None:
        source = work.app.source
        folder = source.parent if source is not None else None
        yield from section("Why it failed", error_lines(tried.record.row.error, mask.text, folder))
        if tried.record.row.kind != "step":
            said = str(tried.record.row.error.get("message", ""))
            yield from section("Asked and answered", call_lines(tried.record.calls, mask.text, said))
    request = tried.request
    if request is not None:
        yield from section("A person would be asked", _asked(request, tried, mask))
    if tried.record.row.kind != "step":
        return
    yield from section("Asked and answered", call_lines(tried.record.calls, mask.text, tried.output))
    yield from section("Changed", _changed(tried, mask))
    if tried.record.row.output:  # None where it is only the updates once more
        yield from section("Put out", text_block(mask.text(tried.record.row.output), "value"))
    yield from section("Where it would lead", edge_lines(tried.edges, mask))


def _outcome(work: Try, tried: TrialResult, hints: Hints) -> Line:
    mark, said = _said(tried, hints)
    lasted = f"{'live, ' if work.live else ''}visit {work.visit}, {took(tried.duration)}"
    return Line((mark, (f"{visible(tried.node)} {said}", "title")), (lasted, "dim"), hang=2)


def _said(tried: TrialResult, hints: Hints) -> tuple[tuple[str, Role], str]:
    if tried.status == "paused":
        return ("◆ ", "warn"), hints("asks a person: {tried.again} tries again with an answer")
    if tried.status == "success":
        ends = {END: "the run would end", None: "no edge matches, and the run would end"}
        return (
            "✓ ",
            "good",
        ), f"is done: {ends.get(tried.next) or f'{visible(str(tried.next))} would be next'}"
    if tried.status == "stopped":
        return ("● ", "warn"), "does not run: a run would stop here"
    routed = tried.record.row.kind == "step"
    return ("✗ ", "bad"), "is done, but no edge could be taken" if routed else "failed"


def _changed(tried: TrialResult, mask: Mask) -> Iterator[Line]:
    found = list(differences(tried.before, tried.after))
    if not found:
        yield paragraph("nothing", "dim")
    for sign, path, old, new in found[:MOST]:
        old, new = mask.value(path, old), mask.value(path, new)
        words = {"+": value_text(new, _VALUE), "-": f"was {value_text(old, _VALUE)}"}.get(
            sign, f"{value_text(old, _VALUE)} → {value_text(new, _VALUE)}"
        )
        yield Line(
            ((f"{sign} ", _TONES[sign]), (f"{visible(mask.text(path))}  ", "name"), (words, "value")), hang=2
        )
    if len(found) > MOST:
        yield paragraph(f"… {plural(len(found) - MOST, 'more value')}", "dim")


def _asked(request: ReviewRequest, tried: TrialResult, mask: Mask) -> Iterator[Line]:
    yield from text_block(mask.text(request.prompt))
    if request.action:
        arguments = mask.values(request.arguments)
        yield fact("action", mask.text(call_text(request.action, arguments)), "value")
    for path in dict.fromkeys([*request.show, *request.editable]):
        try:
            value = value_text(mask.value(path, read_path(dict(tried.before), path)), _VALUE)
        except KeyError:
            value = "is missing"
        yield fact(visible(path), value, "value")
    risk = f"{request.risk}: {request.risk_reason}" if request.risk_reason else request.risk
    yield fact("risk", visible(mask.text(risk)))
    yield fact("answers", ", ".join(request.verbs))
    yield blank()
