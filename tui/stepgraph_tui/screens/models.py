"""The models of the user's settings: who answers each alias, with which key, at which price."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from typing import TYPE_CHECKING

from rich.text import Text
from textual import on, work
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.widgets import Static

from stepgraph.models import key_source, probe
from stepgraph.values import StepgraphError

from ..commands import dialog_bindings
from ..dialogs.dialog import TALKS, Dialog
from ..settings import read_settings
from ..text.calls import dollars, key_text, model_text, price_text, tokens_text
from ..text.characters import visible
from ..text.plain import plural, shortened, took
from ..text.system import people_path, settings_file
from ..widgets.chrome.status_lines import KeyLine
from ..widgets.lines import Way
from ..widgets.lines.page import EntryList, ListEntry, Section

if TYPE_CHECKING:
    from stepgraph.models import ModelReply, ModelSettings

    from ..context import AppContext
    from ..dialogs.forms import FormDialog
    from ..dialogs.model_form import ModelWanted


_SAID = 300  # characters of an answer or an error
_NONE = "No model is configured yet: graphs run with scripted replies, and no model is called."


class ModelsScreen(Dialog[None], inherit_bindings=False):
    """Lists the models; one can be added, changed, and asked one short thing.

    Args:
        context: What the app shares.
        wanted: The alias that a graph asks for, to be added first; None for none.
    """

    AUTO_FOCUS = "EntryList"
    BINDINGS = dialog_bindings("models")
    CSS_PATH = "models.tcss"

    def __init__(self, context: AppContext, wanted: str | None = None) -> None:
        super().__init__()
        self._shared, self._wanted = context, wanted
        self._list, self._said = EntryList(), Static(classes="said")
        self._tested = ""  # the alias that is asked now
        self._note = ""  # what came of what was done last
        self._stop = threading.Event()

    def compose(self) -> ComposeResult:
        """Compose the list in a frame, what came of the last test, and the keys."""
        with Vertical() as frame:
            frame.border_title = Text("Models")
            yield self._list
            yield self._said
            yield KeyLine()

    def begin(self) -> None:
        """List the models; begin with the one that is wanted."""
        self._show()
        if self._wanted is not None and self._wanted not in self._models:
            self._open_form(self._wanted)

    def on_unmount(self) -> None:
        """Wait for no answer any more."""
        self._stop.set()

    @property
    def _models(self) -> dict[str, ModelSettings]:
        connections = self._shared.connections
        return connections.models.settings if connections is not None else {}

    def _show(self) -> None:
        models = self._models
        entries = tuple(
            ListEntry("model", alias, model_text(settings), _right(settings))
            for alias, settings in models.items()
        )
        heading = f"{plural(len(models), 'model')} in {people_path(settings_file())}"
        self._list.show(Section(heading, entries, remark="" if entries else _NONE))
        self._tell()

    @property
    def _selected(self) -> str | None:
        return self._list.selected.title if self._list.selected is not None else None

    @on(EntryList.Moved)
    def _tell(self) -> None:
        """Show the price of the selected model, and the result of the last action."""
        settings = self._models.get(self._selected or "")
        lines = [price_text(settings)] if settings is not None else []
        self._said.update(Text("\n".join(map(visible, filter(None, (*lines, self._note))))))
        self.refresh_bindings()

    def _say(self, text: str) -> None:
        self._note = text
        self._tell()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """There must be a model to ask, and a test to stop; in a browser no setting is changed."""
        if action in ("add", "editor") and self._shared.in_browser:
            return False
        if action == "stop":
            return bool(self._tested)
        if action == "test":
            return self._selected is not None and not self._tested
        return True

    # Keys

    def action_to(self, way: Way) -> None:
        """Move to another model."""
        self._list.to(way)
        if not self._tested:
            self._say("")

    def action_add(self) -> None:
        """Ask for a new model."""
        self._open_form("" if "default" in self._models else "default")

    def action_editor(self) -> None:
        """Edit the settings in $EDITOR, and go by them as they are then."""
        self._shared.editor(self.app).edit(settings_file(), None)
        self._read_anew()

    def _open_form(self, alias: str) -> None:
        if self._shared.in_browser:  # a model may be anywhere, and be sent any variable as its key
            self._say(f"on the machine of the server `stepgraph models add {alias}` adds one")
            return
        from stepgraph_tui.dialogs.forms import FormDialog
        from stepgraph_tui.dialogs.model_form import ModelForm

        self._add(FormDialog(ModelForm(alias, self._models)))

    @work(group=TALKS)
    async def _add(self, form: FormDialog[ModelWanted]) -> None:
        wanted = await self.app.push_screen_wait(form)
        if wanted is None:
            return
        from stepgraph.files import append_table

        try:
            append_table(settings_file(), ("models", wanted.alias), wanted.table)
        except StepgraphError as error:
            self._say(f"{error.message} ({error.hint})" if error.hint else error.message)
            return
        is_right = self._read_anew()
        if wanted.alias in self._models:
            self._list.move([*self._models].index(wanted.alias))
        if is_right:
            self._say(f"added to {people_path(settings_file())}; test it with a short call")

    def _read_anew(self) -> bool:
        """Go by the settings as they are now; what is wrong with them is shown.

        Returns:
            Whether nothing is.
        """
        connections = self._shared.connections
        settings, wrong = read_settings(settings_file())
        if connections is not None:
            connections.models.renew(settings.models)
        self._show()
        if wrong:
            self._say("; ".join(wrong))
        return not wrong

    def action_test(self) -> None:
        """Ask the model one short thing, in the background."""
        connections, alias = self._shared.connections, self._selected
        if connections is None or alias is None:
            return
        self._tested, stop = alias, threading.Event()
        self._stop = stop
        self._say(f"asks {alias} …")

        def ask() -> None:
            try:
                probed = probe(connections.models, alias, stopped=stop.is_set)
                message = "; ".join((f"{alias} answered in {took(probed.seconds)}", *_facts(probed.reply)))
            except StepgraphError as error:
                message = f"{alias}: {error.message}" + (f" ({error.hint})" if error.hint else "")
            self._tell_from_thread(stop, message)

        threading.Thread(target=ask, name="stepgraph-model-test", daemon=True).start()

    def _tell_from_thread(self, stop: threading.Event, text: str) -> None:
        if stop is self._stop and self.is_attached:
            self.app.call_from_thread(self._show_status, text)

    def _show_status(self, text: str) -> None:
        self._tested = ""
        self._say(text)

    def action_stop(self) -> None:
        """Wait for the answer no more."""
        self._stop.set()

    def action_close(self) -> None:
        """Close the list."""
        self.dismiss(None)


def _facts(reply: ModelReply) -> Iterator[str]:
    """Describe what a model answered, and what it took."""
    if reply.usage is not None:
        yield tokens_text(reply.usage.input, reply.usage.output)
    if reply.cost is not None:
        yield dollars(reply.cost)
    yield shortened(reply.text, _SAID)


def _right(settings: ModelSettings) -> str:
    source = key_source(settings)
    if source.kind == "keyring":  # to look might have the system ask a person
        return source.text
    return key_text(source, source.is_there())
