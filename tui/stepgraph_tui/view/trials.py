"""What came of a single visit of a node that no run records, with secrets masked."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from stepgraph.values import read_path

from .reviews import masked_request
from .runs import StepStory

if TYPE_CHECKING:
    from stepgraph.runs import Mask, SafeRow, TrialResult
    from stepgraph.values import Json

    from .reviews import SafeRequest


class TrialStory(StepStory):
    """A trial, secrets masked.

    Args:
        tried: What came of it; its texts and values are not masked.
        mask: Hides the secrets of the graph and of the state.
    """

    __slots__ = ("tried",)

    def __init__(self, tried: TrialResult, mask: Mask) -> None:
        super().__init__(tried.record, mask)
        self.tried = tried

    @property
    def row(self) -> SafeRow:
        """The visit as a ledger would have it."""
        return self._mask.row(self.record.row)

    @property
    def request(self) -> SafeRequest | None:
        """What a person would be asked."""
        request = self.tried.request
        return None if request is None else masked_request(request, self._mask)

    def shown_values(self) -> Iterator[tuple[str, Json | None]]:
        """Read what the person would be shown, by its path; None for what is missing."""
        request = self.tried.request
        for path in dict.fromkeys([*request.show, *request.editable]) if request is not None else ():
            try:
                value = read_path(dict(self.tried.before), path)
            except KeyError:
                yield path, None
            else:
                yield path, self._mask.value(path, value)

    def masked(self, found: Iterable[tuple[str, str, Json, Json]]) -> list[tuple[str, str, Json, Json]]:
        """Mask what it changed in the state: of each change the sign, the path, the old and the new value."""
        return [
            (sign, self._mask.text(path), self._mask.value(path, old), self._mask.value(path, new))
            for sign, path, old, new in found
        ]
