"""Masking the state keys that a graph declares as secret."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from copy import copy
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from stepgraph.expressions.explain import MISSING
from stepgraph.reviews.model import Gate
from stepgraph.values.json_values import Json

if TYPE_CHECKING:
    from stepgraph.conditions import Explanation
    from stepgraph.graphs.plan import CompiledGraph
    from stepgraph.stores.base import StateStore
    from stepgraph.stores.ledger import Row

MASK = "***"
_SHORTEST = 4  # characters; shorter texts would be found in everything


def mask_of(app: CompiledGraph, store: StateStore, run_id: str) -> Mask:
    """Make what hides the secrets of a run: those that it has now, and those that it had before."""
    mask = Mask(app)
    if not mask.hides:
        return mask
    from stepgraph.runs.pages import each_row

    return mask.learned(each_row(store, run_id))


def _secret(app: CompiledGraph) -> frozenset[str]:
    return frozenset(name for name, key in app.keys.items() if key.secret)


def _written(rows: Iterable[Row]) -> Iterator[Mapping[str, Json]]:
    for row in rows:
        if row.updates:
            yield row.updates
        if row.kind == "decision":
            yield _edited(row.data)
        elif row.kind == "review":
            yield _held(row.data)


def _edited(decision: dict[str, Json] | None) -> Mapping[str, Json]:
    """Collect what a decision set, by the top-level key that it belongs to: it comes into the state later."""
    values = (decision or {}).get("values")
    return {path.split(".")[0]: value for path, value in values.items()} if isinstance(values, dict) else {}


def _held(review: dict[str, Json] | None) -> Mapping[str, Json]:
    """Find what a node did that waits at the gate behind it: it comes into the state later, if at all."""
    data = review or {}
    request, side = data.get("request"), Gate.side_in(data)
    held = request.get("arguments") if side == "after" and isinstance(request, dict) else None
    return held if isinstance(held, dict) else {}


class Mask:
    """Hides secrets in what is printed.

    Args:
        app: The graph, which says which keys are secret.
        states: States or parts of them; their secret values are hidden wherever they appear.
    """

    def __init__(self, app: CompiledGraph, *states: Mapping[str, Json]) -> None:
        self._names = _secret(app)
        self._secrets: frozenset[str] = frozenset()
        self._texts: list[str] = []
        self._add(states)

    @property
    def hides(self) -> bool:
        """Whether the graph has secrets at all."""
        return bool(self._names)

    def learned(self, rows: Iterable[Row]) -> Mask:
        """Make a mask that hides the secrets of these rows of a run as well; itself where they have none."""
        mask = copy(self)
        mask._add(_written(rows))
        return mask if mask._secrets != self._secrets else self

    def _add(self, states: Iterable[Mapping[str, Json]]) -> None:
        found = {text for state in states for name in self._names for text in _texts(state.get(name))}
        new = {text for text in found if len(text) >= _SHORTEST} - self._secrets
        if new:
            self._secrets |= new
            spelt = {form for text in new for form in _spellings(text)}
            self._texts = sorted(spelt.union(self._texts), key=len, reverse=True)

    def is_secret(self, path: str) -> bool:
        """Tell whether what is at a path is secret; only the top-level key counts."""
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
        for secret in self._texts:
            text = text.replace(secret, MASK)
        return text

    def explanation(self, explanation: Explanation) -> Explanation:
        """Tell why a condition came out as it did, without the values of secret keys."""
        if not self._names:
            return explanation
        parts = tuple(self.explanation(part) for part in explanation.parts)
        words = set(re.findall(r"\w+", explanation.text))
        if not any(words.issuperset(re.findall(r"\w+", name)) for name in self._names):
            return replace(explanation, parts=parts)
        value = explanation.value
        if explanation.role == "operand" or value is not MISSING:  # also a key that is a whole condition
            value = MASK
        return replace(explanation, parts=parts, value=value, error=explanation.error and MASK)

    def _inside(self, value: Json) -> Json:
        if not self._texts or value is None or isinstance(value, bool):
            return value
        if isinstance(value, str):
            return self.text(value)
        if isinstance(value, list):
            return [self._inside(item) for item in value]
        if isinstance(value, dict):
            return {self.text(key): self._inside(item) for key, item in value.items()}
        return MASK if json.dumps(value) in self._texts else value


def _texts(value: Json) -> Iterator[str]:
    """Collect the texts and numbers in a value."""
    if isinstance(value, (list, dict)):
        for item in value.values() if isinstance(value, dict) else value:
            yield from _texts(item)
    elif isinstance(value, str):
        yield value
    elif value is not None and not isinstance(value, bool):
        yield json.dumps(value)


def _spellings(text: str) -> set[str]:
    """Spell the text as it may be quoted: in JSON or in Python, and that once more, as in a tool's result."""
    ways: list[Callable[[str], str]] = [json.dumps, partial(json.dumps, ensure_ascii=False), repr]
    forms = {text}
    for _ in range(2):
        forms |= {way(form)[1:-1] for form in forms for way in ways}
    return forms
