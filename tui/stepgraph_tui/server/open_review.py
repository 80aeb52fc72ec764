"""A review with all that a page of it needs: its run, what may be edited, and what hides secrets."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from stepgraph.values.json_values import dumps
from stepgraph_tui.text.plain import key_text

if TYPE_CHECKING:
    from stepgraph.reviews.model import Review
    from stepgraph.runs.masks import Mask
    from stepgraph.runs.run import Run
    from stepgraph.values.json_values import Json
    from stepgraph.values.state import ValueType


@dataclass(frozen=True, slots=True)
class EditField:
    """A value that a reviewer may change, as a form has it."""

    path: str
    name: str
    type: ValueType
    text: str
    """As it can be edited; empty for a secret one."""
    hidden: bool

    @property
    def rows(self) -> int:
        """How many lines a field for it has."""
        return min(12, max(2, self.text.count("\n") + 1, len(self.text) // 50))


@dataclass(frozen=True, slots=True)
class OpenReview:
    """A review with its run, and what hides the secrets of both."""

    review: Review
    run: Run
    mask: Mask
    running: bool

    def proposed(self, path: str) -> Json:
        """Give the value that an edit of a path starts from; None where there is none."""
        return self.review.proposed.get(path)

    @property
    def fields(self) -> list[EditField]:
        """What may be edited, with the values that are proposed."""
        return [self._field(path, kind) for path, kind in self.review.request.editable.items()]

    def _field(self, path: str, kind: ValueType) -> EditField:
        value = self.proposed(path)
        hidden = value is not None and self.mask.value(path, value) != value
        text = "" if hidden or value is None else value if isinstance(value, str) else dumps(value)
        return EditField(path, key_text(path), kind, text, hidden)

    def filled(self, form: Mapping[str, str]) -> list[EditField]:
        """Give the fields as somebody has filled them in; a secret one is never sent back."""
        return [
            field if field.hidden else replace(field, text=form.get(f"value:{field.path}", field.text))
            for field in self.fields
        ]
