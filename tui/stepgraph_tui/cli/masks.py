"""Masking the state keys that a graph declares as secret."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from stepgraph.json_values import Json

if TYPE_CHECKING:
    from stepgraph.conditions import Explanation
    from stepgraph.graph import CompiledGraph

MASK = "***"
_SHORTEST = 4  # characters; shorter texts would be found in everything


class Mask:
    """Hides secrets in what is printed.

    Args:
        app: The graph, which says which keys are secret.
        values: A state; its secret texts are hidden wherever they appear.
    """

    def __init__(self, app: CompiledGraph, values: Mapping[str, Json]) -> None:
        self._names = frozenset(name for name, key in app.keys.items() if key.secret)
        found = {text for name in self._names for text in _texts(values.get(name))}
        self._texts = sorted((text for text in found if len(text) >= _SHORTEST), key=len, reverse=True)

    def value(self, path: str, value: Json) -> Json:
        """A value by its path; only the top-level key counts."""
        if self._names and (path in self._names or path.split(".")[0] in self._names):
            return None if value is None else MASK
        return self._inside(value)

    def values(self, values: Mapping[str, Json]) -> dict[str, Json]:
        """A state, or part of one."""
        return {name: self.value(name, value) for name, value in values.items()}

    def text(self, text: str) -> str:
        """Text that may quote a secret."""
        for secret in self._texts:
            text = text.replace(secret, MASK)
        return text

    def explanation(self, explanation: Explanation) -> Explanation:
        """Why a condition came out as it did, without the values of secret keys."""
        if not self._names:
            return explanation
        parts = tuple(self.explanation(part) for part in explanation.parts)
        words = set(re.findall(r"\w+", explanation.text))
        if explanation.role != "operand" or not any(words.issuperset(_words(name)) for name in self._names):
            return replace(explanation, parts=parts)
        return replace(explanation, parts=parts, value=MASK, error=explanation.error and MASK)

    def _inside(self, value: Json) -> Json:
        if not self._texts:
            return value
        if isinstance(value, str):
            return self.text(value)
        if isinstance(value, list):
            return [self._inside(item) for item in value]
        if isinstance(value, dict):
            return {key: self._inside(item) for key, item in value.items()}
        return value


def _words(name: str) -> set[str]:
    return set(re.findall(r"\w+", name))


def _texts(value: Json) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, (list, dict)):
        for item in value.values() if isinstance(value, dict) else value:
            yield from _texts(item)
