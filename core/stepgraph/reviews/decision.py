"""What a person decided."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from ..values.errors import NotAllowed
from ..values.json_values import Json, copy_json, preview, with_path
from .request import ReviewRequest, Verb, payload_hash, shown_values


@dataclass(frozen=True, slots=True)
class Decision:
    """What a person decided; made by ``approve``, ``edit``, ``reject`` or ``respond``."""

    verb: Verb
    values: Mapping[str, Json] = field(default_factory=dict)
    """The changed values of an edit, by dotted path."""
    text: str = ""
    """The answer of a response."""
    by: str = ""
    """Who decided: a claim on a file store, not a proof."""
    comment: str = ""
    source: str = "library"
    """From where it came: ``library``, ``cli``, ``app``; ``timeout`` where nobody decided in time."""
    at: float = 0.0
    """When it was recorded, in seconds since 1970; 0 before that."""
    review: str = ""
    """The id of the review it answers; empty before it is recorded."""
    hash: str = ""
    """The payload hash of that review; empty before it is recorded."""

    @classmethod
    def approve(cls, *, by: str = "", comment: str = "") -> Decision:
        """Go on as proposed."""
        return cls("approve", by=by, comment=comment)

    @classmethod
    def edit(cls, values: Mapping[str, Json], *, by: str = "", comment: str = "") -> Decision:
        """Go on with these changes: dotted paths and their new values.

        Raises:
            NotAllowed: ``values`` is not a mapping.
        """
        if not isinstance(values, Mapping):
            raise NotAllowed(f"an edit has no values in {preview(values)}", hint='give {"path": value}')
        return cls("edit", values=dict(values), by=by, comment=comment)

    @classmethod
    def reject(cls, *, by: str = "", comment: str = "") -> Decision:
        """Do not go on as proposed."""
        return cls("reject", by=by, comment=comment)

    @classmethod
    def respond(cls, text: str, *, by: str = "", comment: str = "") -> Decision:
        """Answer the question with a text."""
        return cls("respond", text=text, by=by, comment=comment)

    def to_json(self) -> dict[str, Json]:
        """Write the decision as a table of JSON."""
        return {
            "verb": self.verb,
            "values": {path: copy_json(value) for path, value in self.values.items()},
            "text": self.text,
            "by": self.by,
            "comment": self.comment,
            "source": self.source,
            "at": self.at,
            "review": self.review,
            "hash": self.hash,
        }

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Decision:
        """Read what ``to_json`` wrote."""
        return cls(**data)

    def is_about(self, node: str, request: ReviewRequest, values: dict[str, Json]) -> bool:
        """Tell whether it answers what a node would ask now about these values."""
        return self.hash == payload_hash(node, request.to_json(), shown_values(request, values))

    def apply_to(self, values: dict[str, Json]) -> dict[str, Json]:
        """Compute the top-level updates that this decision's edits make in a state.

        Several edits below one key become one update of that key.

        Raises:
            KeyError: A path leads through a table that the state does not have.
        """
        updates: dict[str, Json] = {}
        for path, value in self.values.items():
            updates |= with_path({**values, **updates}, path, value)
        return updates
