"""What follows a decision: whether its run continues here, and if not, why."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from stepgraph.reviews import Decision

VERBS = {"approve": "approve", "edit": "approve", "reject": "reject", "respond": "answer"}
"""What a person does by each kind of decision."""


@dataclass(frozen=True, slots=True)
class Onward:
    """What follows a decision."""

    does: str = ""
    """What the run does then: ``continue``; empty where it stays ready until somebody continues it."""
    kept: str = ""
    """Why it cannot continue here, as a sentence; empty where it can, or need not."""

    def at_gate(self, decision: Decision) -> Onward:
        """Return what follows where a rejection stops the run."""
        return Onward("stop the run") if self.does and decision.verb == "reject" else self

    def keys(self, decision: Decision) -> list[tuple[str, str]]:
        """Name the keys that confirm a decision, with what they do."""
        verb = VERBS[decision.verb]
        if not self.does:
            return [("Enter", verb.capitalize())]
        return [("Enter", f"{verb.capitalize()} and {self.does}"), ("ctrl+j", f"{verb.capitalize()} only")]

    def asks(self, decision: Decision, name: str | None = None) -> str:
        """Describe how a decision is confirmed.

        Args:
            decision: What is about to be decided.
            name: The node's name, where that must be typed first.
        """
        verb = VERBS[decision.verb]
        keys = " · ".join(f"{key} {does[0].lower()}{does[1:]}" for key, does in self.keys(decision))
        if name is not None:
            return f"To confirm, type {name}" + (f": {keys}" if self.does else " and press Enter.")
        return f"{keys} · clicks are ignored" if self.does else f"Press Enter to {verb} (clicks are ignored)."
