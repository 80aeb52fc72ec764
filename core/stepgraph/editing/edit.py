"""What every edit of a design is: something that makes a new design, and says what it did."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from ..values.errors import StepgraphError

if TYPE_CHECKING:
    from .design import Design


class EditError(StepgraphError):
    """An edit that cannot be made; the message says why, and the hint what could be done instead."""


@dataclass(frozen=True, slots=True)
class Edited:
    """What came of an edit."""

    design: Design
    said: str
    """What was done, as a command in a few words: ``delete review and 3 edges``."""
    node: str | None = None
    """The node that is to be selected now; END too."""
    edge: int | None = None
    """The position of the edge that is to be selected now."""
    renamed: tuple[str, str] | None = None
    """The old and the new name of a node, for marks that go by names."""


class Edit(Protocol):
    """An edit that somebody asked for. Designs are never changed in place, so its inverse is the old one."""

    def apply(self, design: Design) -> Edited:
        """Make the new design.

        Raises:
            EditError: It cannot be made; nothing has happened.
        """
        ...
