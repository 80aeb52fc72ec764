"""Masking the state keys that a graph declares as secret."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from copy import copy
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NewType

from ..expressions.explaining import MISSING
from ..reviews.secrets import MASK as MASK  # for all who hide something
from ..reviews.secrets import Spellings, secrets_in, state_changes
from ..stores.base import each_row
from ..stores.big_values import is_big
from ..stores.ledger import Row
from ..values.json_values import Json
from ..values.state import SEPARATOR

if TYPE_CHECKING:
    from ..conditions import Explanation
    from ..graphs.plan import CompiledGraph
    from ..stores.base import StateStore


SafeRow = NewType("SafeRow", Row)
"""A row of a ledger whose secrets are hidden."""


def mask_of(app: CompiledGraph, store: StateStore, run_id: str) -> Mask:
    """Build the mask of a run's secrets: those that it has now, and those that it had before."""
    mask = Mask(app)
    if not mask.hides:
        return mask
    return mask.learned(each_row(store, run_id))


class GrowingMask:
    """The mask of one run that is looked at again and again: each look reads only the rows that are new.

    Args:
        store: Where the run lives.
        run_id: The run.
    """

    def __init__(self, store: StateStore, run_id: str) -> None:
        self._store, self._run_id = store, run_id
        self._known: tuple[Mask | None, int] = None, 0  # and up to which row; replaced as one, by any thread

    def at(self, app: CompiledGraph, version: int) -> Mask:
        """Build the mask of all secrets that the run has at a version, or had before it.

        Args:
            app: The run's graph there.
            version: The version. One that went back is read on from there: its rows may be others now.
        """
        mask, upto = self._known
        if mask is None or not mask.is_of(app):
            mask, upto = Mask(app), 0
        if mask.hides and version > upto:
            mask = mask.learned(each_row(self._store, self._run_id, upto, version))
        self._known = mask, version
        return mask


def _secret(app: CompiledGraph) -> frozenset[str]:
    return frozenset([name for name, key in app.keys.items() if key.secret])


_NO_SPELLINGS = Spellings()


class Mask:
    """Hides secrets in what is printed.

    Args:
        app: The graph, which says which keys are secret.
        states: States or parts of them; their secret values are hidden wherever they appear.
    """

    def __init__(self, app: CompiledGraph, *states: Mapping[str, Json]) -> None:
        self._names = _secret(app)
        self._secrets: frozenset[str] = frozenset()
        self._spellings = _NO_SPELLINGS
        if self._names:
            self._add(states)

    @property
    def hides(self) -> bool:
        """Whether the graph has secrets at all."""
        return bool(self._names)

    def is_of(self, app: CompiledGraph) -> bool:
        """Whether the graph declares the very keys as secret that are hidden here."""
        return self._names == _secret(app)

    def learned(self, rows: Iterable[Row]) -> Mask:
        """Extend the mask by the secrets in rows of the run; itself where they have none."""
        mask = copy(self)
        mask._add(state_changes(rows))
        return mask if mask._secrets != self._secrets else self

    def _add(self, states: Iterable[Mapping[str, Json]]) -> None:
        new = secrets_in(self._names, states) - self._secrets
        if new:
            self._secrets |= new
            self._spellings = Spellings(new, self._spellings)

    def is_secret(self, path: str) -> bool:
        """Check whether what is at a path is secret; only the top-level key counts."""
        return path in self._names or path.split(".")[0] in self._names

    def value(self, path: str, value: Json) -> Json:
        """Mask a value by its path."""
        if self.is_secret(path):
            return None if value is None else MASK
        return self._inside(value)

    def values(self, values: Mapping[str, Json]) -> dict[str, Json]:
        """Mask a state, or part of one."""
        return {self.text(name): self.value(name, value) for name, value in values.items()}

    def text(self, text: str) -> str:
        """Text that may quote a secret."""
        return self._spellings.hide(text)

    def json(self, value: Any) -> Any:
        """Mask JSON of any shape: what texts quote, and what is under the name of a secret key."""
        if isinstance(value, dict):
            return {
                self.text(key): MASK if item is not None and self.is_secret(key) else self.json(item)
                for key, item in value.items()
            }
        if isinstance(value, list):
            return [self.json(item) for item in value]
        return self.value("", value)

    def table(self, table: Mapping[str, Json]) -> dict[str, Json]:
        """Mask JSON whose own keys are words of the ledger, such as an error."""
        return {key: self.json(value) for key, value in table.items()}

    def row(self, row: Row) -> SafeRow:
        """Mask a row of the ledger. The words that the ledger itself has for things stay."""
        if not self._names:
            return SafeRow(row)
        return SafeRow(
            replace(
                row,
                node=self._mask_optional(row.node),
                updates=None if row.updates is None else self.values(row.updates),
                ops=None if row.ops is None else {self.text(name): op for name, op in row.ops.items()},
                output=self._mask_optional(row.output),
                next=self._mask_optional(row.next),
                error=None if row.error is None else self.table(row.error),
                data=None if row.data is None else self.table(row.data),
            )
        )

    def _mask_optional(self, text: str | None) -> str | None:
        return None if text is None else self.text(text)

    def explanation(self, explanation: Explanation) -> Explanation:
        """Explain a condition's result without the values of secret keys, or what quotes them."""
        if not self._names:
            return explanation
        words = set(re.findall(r"\w+", explanation.text))
        # Inside of a subgraph a key goes by its own name, without those that it is in.
        own = (name.rpartition(SEPARATOR)[2] for name in self._names)
        is_secret = any(words.issuperset(re.findall(r"\w+", name)) for name in own)
        value, error = explanation.value, explanation.error
        if is_secret and (explanation.role == "operand" or value is not MISSING):
            value = MASK  # also of a key that is a whole condition
        elif value is not MISSING:
            value = self._inside(value)
        if error is not None:
            error = MASK if is_secret else self.text(error)
        return replace(
            explanation,
            text=self.text(explanation.text),
            value=value,
            error=error,
            parts=tuple(map(self.explanation, explanation.parts)),
            code=tuple(self.text("\n".join(explanation.code)).split("\n")) if explanation.code else (),
        )

    def _inside(self, value: Json) -> Json:
        if not self._spellings or value is None or isinstance(value, bool) or is_big(value):
            return value
        if isinstance(value, str):
            return self.text(value)
        if isinstance(value, list):
            return [self._inside(item) for item in value]
        if isinstance(value, dict):
            return {self.text(key): self._inside(item) for key, item in value.items()}
        return MASK if json.dumps(value) in self._spellings else value
