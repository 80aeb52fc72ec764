"""A form of Design mode in a host of its own: keys in, the edit out."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any, TypeAlias

from textual.app import App
from textual.events import Paste
from textual.pilot import Pilot
from textual.screen import ModalScreen

from stepgraph.editing import Design
from stepgraph.editing.text import read_design
from stepgraph_tui.dialogs.forms import EditElsewhere, FormDialog
from stepgraph_tui.dialogs.forms.field import Answers, FormModel
from stepgraph_tui.themes import DARK
from tests.app.playing import play, screen_lines

REFUND = read_design(Path("graphs/refund_triage.toml").read_text(encoding="utf-8"))


class Host(App[None]):
    """Shows a form, and keeps what it hands back."""

    def __init__(self, form: FormModel[Any] | ModalScreen[Any], edit: EditElsewhere | None = None) -> None:
        super().__init__()
        self.form: ModalScreen[Any] = FormDialog(form, edit) if isinstance(form, FormModel) else form
        self.answers: list[Any] = []

    def on_mount(self) -> None:
        self.register_theme(DARK)
        self.theme = DARK.name
        self.push_screen(self.form, self.answers.append)

    @property
    def text(self) -> str:
        """All that can be seen."""
        return "\n".join(screen_lines(self))

    @property
    def answer(self) -> Any:
        """The one answer of the form."""
        (answer,) = self.answers
        return answer


Look: TypeAlias = Callable[[Pilot[None], Host], Awaitable[None]]


def filled(
    form: FormModel[Any] | ModalScreen[Any],
    *presses: str,
    size: tuple[int, int] = (80, 24),
    then: Look | None = None,
    edit: EditElsewhere | None = None,
) -> Host:
    """The host after some keys in the form, and perhaps a closer look."""
    host = Host(form, edit)

    async def press(pilot: Pilot[None]) -> None:
        await pilot.press(*presses)
        await pilot.pause()
        if then is not None:
            await then(pilot, host)

    play(host, press, size)
    return host


async def paste(pilot: Pilot[None], host: Host, text: str) -> None:
    """Paste a text into what has the focus."""
    assert host.focused is not None
    host.focused.post_message(Paste(text))
    await pilot.pause()
    await pilot.pause()


def answers(model: FormModel[Any], /, **texts: str) -> Answers:
    """What stands in a form when some fields, by their names, hold other texts."""
    fields = {field.name: field for field in model.contents.fields}
    return model.answers({fields[name]: text for name, text in texts.items()})


def result(model: FormModel[Any], /, **texts: str) -> Any:
    """What comes of a form when some fields hold other texts."""
    return model.result(answers(model, **texts))


def told(model: FormModel[Any], /, **texts: str) -> dict[str, str]:
    """What is told of each field by its name, and below all by none, when some hold other texts."""
    given = answers(model, **texts)
    misfits = given.misfits(model.absent(given))
    problems = given.problems(misfits, asked=True) if misfits else model.problems(given)
    found: dict[str, str] = {}
    for problem in problems:
        name = problem.field.name if problem.field is not None else ""
        found[name] = f"{found.get(name, '')}{problem.message}\n"
    return found


def design(text: str) -> Design:
    """The design of a file's text."""
    return read_design(text)


DEFAULTS = design('[nodes.x]\noutput = "response"\ntype = "llm"\nprompt = "p"\n')
"""A node with a default written out."""
