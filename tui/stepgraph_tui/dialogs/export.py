"""Asking in which format to export what is shown, and where to."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from textual import events, on, work
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.widgets import Input

from stepgraph.formats import ExportFormat
from stepgraph.values import StepgraphError
from stepgraph_tui.commands import dialog_bindings
from stepgraph_tui.exports.work import ExportStopped, ExportTaken, ExportWork
from stepgraph_tui.text.system import written_path
from stepgraph_tui.widgets.chrome.status_lines import KeyLine

from ..text.characters import visible
from ..widgets.words import Words, entitle
from .dialog import TALKS, Dialog
from .open_path import PathSuggester
from .pick import PickField, PickList, PickOption
from .questions import Confirm

_AROUND = 6
"""Rows around the formats: the frame, the field, two lines about it, the keys."""
_LOW = 8
"""Rows, below which only field, list and keys have room."""
_EVERY = 0.25
"""Seconds between two looks at an export that is being written."""
_SLOW = 4
"""Looks, after which it is worth a word how far it is."""

Begin = Callable[[ExportFormat, Path], ExportWork]


class ExportDialog(Dialog["ExportWork | None"], inherit_bindings=False):
    """Asks for a format and a file, and writes it; hands back the work that is done, or None.

    Args:
        what: What is exported, in words.
        formats: The formats, in order.
        stem: The file that is proposed, without what its name ends in.
        begin: Makes the work.
        refused: Says why a format cannot be had now; empty where it can.
    """

    BINDINGS = dialog_bindings()
    AUTO_FOCUS = "PickField"
    CSS_PATH = "pick.tcss"

    def __init__(
        self,
        what: str,
        formats: Sequence[ExportFormat],
        stem: Path,
        begin: Begin,
        refused: Callable[[ExportFormat], str],
    ) -> None:
        super().__init__()
        self._what, self._formats, self._stem, self._begin = (
            what,
            {each.name: each for each in formats},
            stem,
            begin,
        )
        options = [PickOption(each.name, each.name, each.about, off=refused(each)) for each in formats]
        first = next((option.id for option in options if not option.off), None)
        self._list = PickList(options, first)
        self._suffix = self._formats[first].suffix if first is not None else ""
        self._work: ExportWork | None = None
        self._looks = 0

    def compose(self) -> ComposeResult:
        """Show the field, what is wrong or how far it is, the formats, and the keys."""
        with Vertical(classes="pick") as frame:
            entitle(frame, f"Export {self._what}")
            yield PickField(self._list, f"{self._stem}{self._suffix}", "path/to/file", PathSuggester())
            yield Words(classes="wrong")
            yield self._list
            yield KeyLine()

    def begin(self) -> None:
        """Look now and then how far the export is."""
        self.set_interval(_EVERY, self._look)
        self._say("↓ and ↑ choose the format; secret values are masked in all of them")

    def on_resize(self, event: events.Resize) -> None:
        """In very little room only mistakes are shown."""
        self.set_class(event.size.height < _LOW, "-low")
        self.query_one(".pick").styles.height = min(event.size.height, len(self._formats) + _AROUND)

    @on(PickList.Moved)
    def follow(self) -> None:
        """Adapt the file's extension to the format, unless somebody has typed another."""
        wanted, field = self._chosen_format, self.query_one(PickField)
        if wanted is None:
            return
        if self._suffix and field.value.endswith(self._suffix):
            field.value = field.value.removesuffix(self._suffix) + wanted.suffix
            field.action_end()
        self._suffix = wanted.suffix
        self._say(self._off)

    @property
    def _chosen_format(self) -> ExportFormat | None:
        selected = self._list.selected
        return self._formats[selected.id] if selected is not None else None

    @property
    def _off(self) -> str:
        selected = self._list.selected
        return f"{selected.name} {selected.off}" if selected is not None and selected.off else ""

    def _say(self, text: str, wrong: bool = False) -> None:
        self.query_one(Words).say(text, wrong=wrong)

    # Writing

    @on(Input.Submitted)
    @on(PickList.Taken)
    def write(self) -> None:
        """Write the file, in a thread."""
        wanted, text = self._chosen_format, self.query_one(PickField).value.strip()
        if self._work is not None or wanted is None:
            self.app.bell()
            return
        path = written_path(text) if text else None
        wrong = self._off or _refusal(path)
        if path is None or wrong:
            self._say(wrong, wrong=True)
            self.app.bell()
            return
        self._start(self._begin(wanted, path))

    def _start(self, work: ExportWork) -> None:
        self._work, self._looks = work, 0
        self._say("writing...")
        self.run_worker(lambda: self._run(work), thread=True, exit_on_error=False, group="export")

    def _run(self, work: ExportWork) -> None:
        """Write it, in the thread, and report the outcome."""
        try:
            work.run()
        except (ExportStopped, ExportTaken, StepgraphError) as error:
            self.app.call_later(self._failed, work, error)
        else:
            self.app.call_later(self._finish, work)

    def _look(self) -> None:
        """Show the progress, once it takes a while."""
        self._looks += 1
        if self._work is not None and self._looks >= _SLOW:
            seconds = int(self._looks * _EVERY)
            self._say(f"writing for {seconds} s, {self._work.size:,} bytes so far; closing this stops it")

    def _finish(self, work: ExportWork) -> None:
        if work is self._work:
            self.dismiss(work)

    def _failed(self, work: ExportWork, error: Exception) -> None:
        if work is not self._work:
            return
        self._work = None
        if isinstance(error, ExportTaken):
            self._ask(work, error)
        elif isinstance(error, StepgraphError):
            self._say(f"{error.message}; {error.hint}" if error.hint else error.message, wrong=True)
            self.app.bell()

    @work(group=TALKS)
    async def _ask(self, taken: ExportWork, error: ExportTaken) -> None:
        """Ask before files are written over."""
        names = " and ".join(path.name for path in error.paths)
        self._say("")
        is_there = "is there already" if len(error.paths) == 1 else "are there already"
        question = Confirm(f"{visible(names)} {is_there}. Write over it?", "Overwrite")
        if await self.app.push_screen_wait(question):
            again = self._begin(taken.wanted, taken.path)
            again.force = True
            self._start(again)

    @on(PickField.Left)
    def leave(self) -> None:
        """Stop what is being written; else close without writing anything."""
        if self._work is None:
            self.dismiss(None)
            return
        self._work.stop()
        self._work = None
        self._say("stopped; nothing was written")


def _refusal(path: Path | None) -> str:
    """Explain why nothing can be written at a path; empty where it can be tried."""
    try:
        if path is None or not path.name:
            return "write the path of the file"
        if path.is_dir():
            return "this is a folder: name a file in it"
        return "" if path.parent.is_dir() else "there is no such folder"
    except (OSError, ValueError) as error:
        return f"nothing can be written there: {getattr(error, 'strerror', None) or error}"
