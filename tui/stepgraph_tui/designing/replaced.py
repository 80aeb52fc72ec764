"""The edit that puts another design in the place of the whole."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from stepgraph.editing import Edited

if TYPE_CHECKING:
    from stepgraph.editing import Design


@dataclass(frozen=True, slots=True)
class Replaced:
    """Takes another design: the one on disk, or a draft."""

    design: Design
    said: str

    def apply(self, design: Design) -> Edited:
        """Put it there."""
        return Edited(self.design, self.said)
