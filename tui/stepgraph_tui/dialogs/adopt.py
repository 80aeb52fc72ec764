"""The question whether a run is to go on with a changed graph."""

from __future__ import annotations

from collections.abc import Sequence

from stepgraph_tui.commands import ADOPT, dialog_bindings

from .questions import QuestionDialog

_MOST = 100  # differences


class AdoptQuestion(QuestionDialog[bool], inherit_bindings=False):
    """Shows how a file differs from what a run goes by, and asks whether the run adopts it.

    Args:
        run_id: The run.
        name: The file's name.
        changes: What differs, a line for each difference.
        refusal: Why the run cannot adopt it; None when it can.
    """

    BINDINGS = dialog_bindings(ADOPT)

    def __init__(self, run_id: str, name: str, changes: Sequence[str], refusal: str | None) -> None:
        listed = [f"· {change}" for change in changes[:_MOST]]
        if len(changes) > _MOST:
            listed.append(f"and {len(changes) - _MOST:,} more")
        what = "Adopt moves it to the file as it is here. Its steps so far stay as they are; nothing runs."
        remarks = [
            "What has changed in the file since:\n" + "\n".join(listed),
            what if refusal is None else f"It cannot adopt the file: {refusal}.",
        ]
        super().__init__(f"Run {run_id} goes by an older version of {name}.", remarks)
        self._refusal = refusal

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Offer to adopt only what can be adopted."""
        return parameters != (True,) or self._refusal is None
