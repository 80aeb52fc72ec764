"""Questions that keys answer, each key with an answer of its own; leaving one decides nothing."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, Literal, TypeVar

from rich.text import Text
from textual import events, on
from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical, VerticalScroll
from textual.screen import ModalScreen
from textual.widgets import Input, Static

from stepgraph.models import has_price, key_source
from stepgraph.runs import NO_LIMITS, SpendingLimits
from stepgraph_tui.widgets.scrolling import scroll

from ..commands import COMMANDS, PREFIXES, dialog_bindings
from ..commands.command import Wording
from ..commands.live import live_commands, live_keys
from ..text.calls import key_text, limits_text, missing_text, model_text, price_text, read_limits
from ..text.characters import visible
from ..text.diffs import any_tool_remark, file_changes
from ..text.plain import plural, quoted_lines, visible_lines, waited
from ..widgets.chrome.find_bar import LineField
from ..widgets.words import Words, one_line
from .dialog import close
from .pages import looks

if TYPE_CHECKING:
    from stepgraph.files import TrustQuestion
    from stepgraph.models import ModelSettings

    from ..documents import GraphDraft


QUIET = 0.5
"""Seconds without a key or click before a yes is trust: the key may have been typed for another window."""
_BOUND, _BOUND_OF_TOKENS = "$1", "200,000 tokens"
"""What a run may spend unless somebody says otherwise: the latter where a price is not known."""
_BRIDGES = 6
"""Edges that are listed."""
Answer = TypeVar("Answer")
TrustAnswer = Literal["files", "folder", ""]
"""What is trusted: the files as they are, their folder until the app is left, or nothing."""


class QuestionDialog(ModalScreen[Answer], Generic[Answer], inherit_bindings=False):
    """Asks something in a frame, with the answers below; clicks do nothing.

    Its bindings are those of a context whose commands answer or scroll.

    Args:
        question: What is asked.
        remarks: What else there is to know, one paragraph each.
    """

    dismiss = close
    AUTO_FOCUS = ""
    CSS_PATH = "questions.tcss"
    verb = ""
    """What yes does, in one or two words, where that is an answer."""

    def __init__(self, question: str, remarks: Sequence[str] = ()) -> None:
        super().__init__()
        self.question, self.remarks = question, remarks
        self._text = VerticalScroll(can_focus=False)
        self._answers = Static(classes="verbs")

    def compose(self) -> ComposeResult:
        """Frame the question and what else there is to know, and the answers below."""
        with Vertical(classes="question"):
            with self._text:
                yield Static(_visible_text(self.question))
                yield from self.details()
            yield self._answers

    def details(self) -> ComposeResult:
        """Show more below the question."""
        for remark in self.remarks:
            yield Static(_visible_text(remark), classes="muted")

    def renamed(self) -> Mapping[str, Wording]:
        """Call yes by what it does."""
        return {"confirm.yes": COMMANDS["confirm.yes"].renamed(self.verb)} if self.verb else {}

    def on_mount(self) -> None:
        """Show which answers there are."""
        self.say_answers(self.answers())

    def answers(self) -> Iterable[tuple[str, str]]:
        """Name the keys that answer, each with what it does."""
        working = [live for live in live_commands(self) if live.node is self]
        verbs = [live for live in working if live.command.footer and live.command not in PREFIXES.values()]
        verbs.sort(key=lambda live: live.command.footer)
        return [(live.keys[0], live.command.label) for live in verbs]

    def say_answers(self, answers: Iterable[tuple[str, str]]) -> None:
        """Show below the question which answers there are."""
        line = [Text.assemble((key, "bold"), f" {what}") for key, what in answers]
        self._answers.update(Text("   ").join(line))

    def action_answer(self, answer: Answer) -> None:
        """Return an answer."""
        self.dismiss(answer)

    def action_scroll(self, way: str) -> None:
        """Scroll the question with what is below it."""
        scroll(self._text, way)


class Confirm(QuestionDialog[bool], inherit_bindings=False):
    """Asks yes or no; no is what everything but one key means.

    Args:
        question: What would be done, and to what: ``Forget run r-7?``.
        verb: What yes does, in one or two words.
    """

    BINDINGS = dialog_bindings("confirm")

    def __init__(self, question: str, verb: str = "Yes") -> None:
        super().__init__(question)
        self.verb = verb

    def answers(self) -> Iterable[tuple[str, str]]:
        """Name the one key that says yes, and those that people press for no."""
        return _answers(self, "confirm.no", yes=self.verb)


class TrustDialog(QuestionDialog[TrustAnswer], inherit_bindings=False):
    """Asks whether the Python code that a graph names may run; no is the default.

    Args:
        name: The graph.
        question: What would be trusted, and what of it has changed.
        servers: The user's servers of tools.
        elsewhere: The command that asks about it where it may be answered; empty where that is here.
        stamp: When an event happened, in seconds of any clock.
    """

    BINDINGS = dialog_bindings("trust")

    def __init__(
        self,
        name: str,
        question: TrustQuestion,
        servers: Iterable[str] = (),
        *,
        elsewhere: str = "",
        stamp: Callable[[events.Event], float] = lambda event: event.time,
    ) -> None:
        remarks = [
            "If you trust them, these files may run; any change asks again. What they "
            "import is not checked: look at it too."
        ]
        if question.covered.commands:
            remarks.append("Its commands may run, too, with any arguments. What programs do is not checked.")
        if question.any_tool:
            remarks.append(any_tool_remark(servers))
        if question.folder is not None:
            remarks.append(
                f"Or trust the folder {question.folder} until you quit: every graph in it with its "
                "commands, and the Python beside it, even if files change."
            )
        if elsewhere:
            remarks = [
                f"Nothing can be trusted in a browser. On the machine of the server `{elsewhere}` asks; then "
                "try again here."
            ]
        super().__init__(f"Graph {name!r} runs {question.untrusted}:", remarks)
        self._elsewhere = elsewhere
        self._about = question
        self._stamp = stamp
        self._last = float("inf")
        self._counts = False

    def details(self) -> ComposeResult:
        """List the files, show what has changed, which decides, and explain what the answers cover."""
        rows = [line for item in self._about.told for line in quoted_lines(item)]
        yield Static(Text("\n".join(rows)), classes="files")
        for heading, lines in file_changes(self._about.changes):
            yield Words(heading, classes="change")
            yield Static(Text("\n").join(looks(lines)))
        yield from super().details()

    def answers(self) -> Iterable[tuple[str, str]]:
        """Name what can be trusted, and no."""
        folder = "Trust the folder until you quit"
        return _answers(self, "trust.no", files="Trust and run", folder=folder)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Offer the folder only where there is one, and in a browser nothing but no."""
        if action != "answer" or parameters == ("",):
            return True
        return not self._elsewhere and (parameters != ("folder",) or self._about.folder is not None)

    def on_screen_resume(self, event: events.ScreenResume) -> None:
        """Wait for a moment of quiet once it can be seen."""
        self._last = self._stamp(event)

    def on_key(self, event: events.Key) -> None:
        """Accept a yes only after a moment of quiet."""
        self._touch(event)

    def on_click(self, event: events.Click) -> None:
        """End the quiet period with a click, which does nothing else."""
        self._touch(event)

    def _touch(self, event: events.Event) -> None:
        at = self._stamp(event)
        self._counts = at - self._last >= QUIET
        self._last = at

    def action_answer(self, answer: TrustAnswer) -> None:
        """Trust the files, their folder, or nothing; a yes that came too early is asked for again."""
        if not answer or self._counts:
            super().action_answer(answer)
        else:
            self.say_answers([("", "Press it again, after a moment:"), *self.answers()])
            self.app.bell()


class DiskChanged(QuestionDialog["str | None"], inherit_bindings=False):
    """Asks about a file that changed on disk while it was edited here.

    Returns ``reload``, ``overwrite`` or ``difference``; None leaves both as they are.

    Args:
        path: The file.
    """

    BINDINGS = dialog_bindings("conflict")

    def __init__(self, path: Path) -> None:
        remarks = [
            "Reload loads the file from disk; undo brings your edits back.",
            f"Overwrite saves your edits; the file on disk is kept as {path.name}.bak.",
        ]
        super().__init__(f"{path} changed on disk, and you have edited it here.", remarks)


class RestoreDraft(QuestionDialog["str | None"], inherit_bindings=False):
    """Asks about edits that were left unsaved.

    Returns ``restore``, ``discard`` or ``difference``; None keeps the draft for another time.

    Args:
        draft: What was left.
        now: The time, in seconds since 1970.
    """

    BINDINGS = dialog_bindings("draft")

    def __init__(self, draft: GraphDraft, now: float) -> None:
        remarks = ["Restore brings back the edits, unsaved; undo removes them again."]
        if draft.is_behind:
            remarks.append("The file has changed on disk since: saving asks before it overwrites that.")
        ago = waited(now - draft.at)
        super().__init__(f"{draft.path} has unsaved edits from {ago} ago.", remarks)


class Unsaved(QuestionDialog["str | None"], inherit_bindings=False):
    """Asks about unsaved edits when a graph is closed.

    Returns ``save`` or ``discard``; None when the graph stays open.

    Args:
        path: The file.
    """

    BINDINGS = dialog_bindings("unsaved")

    def __init__(self, path: Path) -> None:
        super().__init__(f"{path} has unsaved edits.")


class GapQuestion(QuestionDialog["str | None"], inherit_bindings=False):
    """Asks about the gap that deleted nodes leave between those that led to them and where they led.

    Returns ``bridge`` or ``delete``; None leaves all as it is.

    Args:
        nodes: What is to be deleted, in words: a name, or how many.
        bridges: The edges that would bridge the gap, in words.
        edges: How many edges would be deleted.
        asks: Whether they ask for what the nodes asked for.
    """

    BINDINGS = dialog_bindings("gap")

    def __init__(self, nodes: str, bridges: Sequence[str], edges: int, *, asks: bool) -> None:
        shown = [
            *bridges[:_BRIDGES],
            *([f"and {len(bridges) - _BRIDGES} more"] if bridges[_BRIDGES:] else []),
        ]
        remarks = [
            "Bridge connects its neighbors:\n" + "\n".join(f"  {bridge}" for bridge in shown),
            f"Delete removes {plural(edges, 'edge')} and adds none.",
        ]
        if asks:
            asked = f"The conditions after {nodes} are then tried without what {nodes} would have written."
            remarks.insert(1, asked)
        super().__init__(f"Delete {nodes}?", remarks)


def _visible_text(text: str) -> Text:
    return Text("\n".join(visible_lines(text)))


def _answers(screen: QuestionDialog[Any], no: str, **verbs: str) -> list[tuple[str, str]]:
    """Name the answers of a question whose no has many keys: people see those that they try."""
    keys = live_keys(screen)
    cancel = [key for key in keys.get(no, ()) if key in ("Enter", "Esc")] or list(keys.get(no, ()))[:1]
    context = no.partition(".")[0]
    answers = {keys[each][0]: verb for name, verb in verbs.items() if (each := f"{context}.{name}") in keys}
    return [*answers.items(), (" ".join(sorted(cancel)), "Cancel")]


_MOST = 100  # differences


class AdoptQuestion(QuestionDialog[bool], inherit_bindings=False):
    """Shows how a file differs from a run's graph, and asks whether the run adopts it.

    Args:
        run_id: The run.
        name: The file's name.
        changes: What differs, a line for each difference.
        refusal: Why the run cannot adopt it; None when it can.
    """

    BINDINGS = dialog_bindings("adopt")

    def __init__(self, run_id: str, name: str, changes: Sequence[str], refusal: str | None) -> None:
        listed = [f"· {change}" for change in changes[:_MOST]]
        if len(changes) > _MOST:
            listed.append(f"and {len(changes) - _MOST:,} more")
        what = "Adopt moves it to this version of the file. Its past steps stay; nothing runs."
        remarks = [
            "What has changed in the file since:\n" + "\n".join(listed),
            what if refusal is None else f"It cannot adopt the file: {refusal}.",
        ]
        super().__init__(f"Run {run_id} uses an older version of {name}.", remarks)
        self._refusal = refusal

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Offer to adopt only what can be adopted."""
        return parameters != (True,) or self._refusal is None


LiveAnswer = Literal["yes", "models", ""]
"""Models may answer; which models there are is to be shown first; nobody is asked."""
_NODES = 4  # nodes that are named for a model


class LiveQuestion(QuestionDialog[LiveAnswer], inherit_bindings=False):
    """Names the models that may be asked, with what they cost; no is the default.

    Args:
        what: What would ask them: ``run r-7``.
        callers: The nodes that may ask each model, by alias.
        models: The models of the user's settings.
        limits: How much the run may spend, as it or its graph says; None for what spends by no limit.
        remarks: What else there is to know of who answers.
    """

    BINDINGS = dialog_bindings("live")

    def __init__(
        self,
        what: str,
        callers: Mapping[str, Sequence[str]],
        models: Mapping[str, ModelSettings],
        limits: SpendingLimits | None = NO_LIMITS,
        remarks: Sequence[str] = (),
    ) -> None:
        kept = "Each answer is kept in the run, with what it took and cost."
        super().__init__(f"Let real models answer in {what}?", [*remarks, kept])
        self._callers, self._models = callers, models
        self._is_bound = limits is not None and limits.max_cost is not None
        priced = all(has_price(models[alias]) for alias in callers if alias in models)
        text = limits_text(limits) if limits is not None else ""
        self._field = LineField(text or (_BOUND if priced else _BOUND_OF_TOKENS), compact=True)
        self._wrong = Static(classes="wrong")
        self._wrong.display = False
        self._has_limit = limits is not None
        self.limits = limits or NO_LIMITS
        """How much it may spend, as it was answered."""

    def details(self) -> ComposeResult:
        """List the models, and what else there is to know."""
        for alias, nodes in self._callers.items():
            yield Static(Text("\n").join(self._about(alias, nodes)), classes="files")
        if self._has_limit:
            with Horizontal(classes="field"):
                yield Static("It may spend at most")
                yield self._field
            yield self._wrong
        yield from super().details()

    def action_limit(self) -> None:
        """Write how much it may spend."""
        self._field.focus()

    @on(Input.Submitted)
    def _leave_field(self) -> None:
        self.set_focus(None)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """There is a limit to write only where one holds, and no yes where no model is there to answer."""
        if action == "answer" and parameters == ("yes",):
            return any(alias in self._models for alias in self._callers)
        return self._has_limit if action == "limit" else super().check_action(action, parameters)

    def action_answer(self, answer: LiveAnswer) -> None:
        """Return an answer, once the field holds a limit."""
        try:
            self.limits = read_limits(self._field.value) if self._has_limit else NO_LIMITS
        except ValueError:
            if answer == "yes":
                self._wrong.display = True
                self._wrong.update("Write an amount such as $1, 20,000 tokens, or nothing for no limit.")
                self._field.focus()
                return
        super().action_answer(answer)

    def _about(self, alias: str, nodes: Sequence[str]) -> Iterable[Text]:
        settings = self._models.get(alias)
        if settings is None:
            yield Text.assemble(one_line(alias, "bold"), "  ", (missing_text(alias), "bold red"))
        else:
            source = key_source(settings)
            is_there = source.kind != "variable" or source.is_there()  # a keyring may ask a person
            key = key_text(source, is_there) if source.kind != "keyring" else source.text
            yield Text.assemble(one_line(alias, "bold"), f"  {model_text(settings)}")
            yield Text.assemble(f"  {price_text(settings)}; ", (key, "" if is_there else "bold red"))
            if self._is_bound and not has_price(settings):
                yield Text("  refused: its calls cannot be held to max_cost", "bold red")
        named = ", ".join(map(visible, nodes[:_NODES]))
        more = f" and {plural(len(nodes) - _NODES, 'more node')}" if len(nodes) > _NODES else ""
        yield Text(f"  asked by {named}{more}")
