"""From a design to its graph, again after each edit: only what the edit touched is made anew."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..documents.loader import from_document
from ..documents.reuse import Kept

if TYPE_CHECKING:
    from pathlib import Path

    from ..graphs.builder import StateGraph
    from .design import Design


class Builder:
    """Makes the graphs of designs that follow from one another by edits."""

    def __init__(self) -> None:
        self._file: str | None = None
        self._kept = Kept()

    def build(self, design: Design, source: Path | None = None) -> StateGraph:
        """The graph of a design, as ``from_document`` makes it; what is wrong with it is left to ``check``.

        Args:
            design: The design, right or not.
            source: The file that it belongs to, where the Python modules that it names are looked up.
        """
        file = str(source) if source is not None else None
        kept = Kept(self._kept if file == self._file else None)  # problems name their file
        graph = from_document(design.document(), source=source, file=file, opaque=False, kept=kept)
        kept.close()
        self._file, self._kept = file, kept
        return graph
