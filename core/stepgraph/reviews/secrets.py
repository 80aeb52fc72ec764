"""The values of secret keys, and hiding them wherever a text quotes them."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from functools import partial
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ..stores.ledger import Row
    from ..values.json_values import Json

MASK = "***"
"""Stands for a secret."""
_SHORTEST = 4  # characters; shorter texts would be found in everything
_FEW = 100  # spellings that are all looked for


def state_changes(rows: Iterable[Row]) -> Iterator[Mapping[str, Json]]:
    """Read what rows of a ledger have brought into the state of their run, or may bring into it later."""
    for row in rows:
        if row.updates:
            yield row.updates
        if row.kind == "decision":
            yield _edited(row.data)
        elif row.kind == "review":
            yield _held_updates(row.data)


def _edited(decision: dict[str, Json] | None) -> Mapping[str, Json]:
    """Collect what a decision set, by the top-level key that it belongs to: it comes into the state later."""
    values = (decision or {}).get("values")
    return {path.split(".")[0]: value for path, value in values.items()} if isinstance(values, dict) else {}


def _held_updates(review: dict[str, Json] | None) -> Mapping[str, Json]:
    """Find what a node did that waits at the gate after it: it comes into the state later, if at all."""
    data = review or {}
    from .model import Gate

    request, side = data.get("request"), Gate.side_in(data)
    held = request.get("arguments") if side == "after" and isinstance(request, dict) else None
    return held if isinstance(held, dict) else {}


def secrets_in(names: Collection[str], states: Iterable[Mapping[str, Json]]) -> set[str]:
    """Collect the texts and numbers that secret keys have in some states, or in parts of them."""
    found = {text for state in states for name in names for text in _texts(state.get(name))}
    return {text for text in found if len(text) >= _SHORTEST}


class Spellings:
    """Secrets as they may be quoted, and what hides them.

    A run may have thousands of them, each in a dozen spellings: only those are looked for whose last
    characters are somewhere in the text.

    Args:
        secrets: The secrets, as ``secrets_in`` has collected them.
        more_than: Spellings that are looked for as well.
    """

    def __init__(self, secrets: Iterable[str] = (), more_than: Spellings | None = None) -> None:
        known: frozenset[str] = more_than._all if more_than is not None else frozenset()
        new: dict[str, list[str]] = {}
        for form in {form for text in secrets for form in _spellings(text)} - known:
            new.setdefault(form[-_SHORTEST:], []).append(form)
        self._all: frozenset[str] = known.union(*new.values())
        self._by_end: dict[str, list[str]] = dict(more_than._by_end) if more_than is not None else {}
        for end, forms in new.items():
            self._by_end[end] = self._by_end.get(end, []) + forms
        self._few = _longest_first(self._all) if len(self._all) <= _FEW else None

    def __contains__(self, text: str) -> bool:
        return text in self._all

    def __bool__(self) -> bool:
        return bool(self._all)

    def hide(self, text: str) -> str:
        """Hide secrets in a text that may quote them, the longest first."""
        for form in self._few if self._few is not None else _longest_first(self._likely(text)):
            text = text.replace(form, MASK)
        return text

    def _likely(self, text: str) -> Iterable[str]:
        ends = {text[at : at + _SHORTEST] for at in range(len(text) - _SHORTEST + 1)}
        return [form for end in self._by_end.keys() & ends for form in self._by_end[end]]


def _longest_first(forms: Iterable[str]) -> list[str]:
    return sorted(forms, key=len, reverse=True)


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
    """Spell the text as it may be quoted: on one line, in JSON or in Python, and that once more."""
    ways: list[Callable[[str], str]] = [json.dumps, partial(json.dumps, ensure_ascii=False), repr]
    forms = {text, " ".join(text.split()), text.replace("\r\n", " \n")}  # the last as templates do
    for _ in range(2):
        forms |= {way(form)[1:-1] for form in forms for way in ways}
    return forms
