"""A state as a text that a person edits; secrets stay hidden in it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import NoReturn, cast

from stepgraph.expressions.paths import Path, changed_paths
from stepgraph.expressions.spelling import path_text
from stepgraph.runs.masks import MASK, Mask
from stepgraph.values.errors import StateError
from stepgraph.values.json_values import Json, identical, plain
from stepgraph.values.state import Unset

from .toml import NotToml, toml_lines, toml_table


class StateText:
    """A state as lines of TOML, one for each key.

    Args:
        values: The state.
        mask: Hides its secrets.
        heading: What the first line says of it.
    """

    def __init__(self, values: Mapping[str, Json], mask: Mask, heading: str) -> None:
        self._values, self._shown = dict(values), mask.values(values)
        hidden = not identical(self._values, self._shown)
        secrets = [f'# "{MASK}" stands for a secret: leave it, and the value stays as it is.'] * hidden
        told = ["# TOML, or JSON in its place. Take a line out to take the key away.", *secrets]
        self.text = "\n".join([f"# {heading}", *told, "", toml_lines(self._shown), ""])

    def changes(self, text: str) -> dict[Path, Json | Unset]:
        """List what a text changes in the state.

        Raises:
            StateError: It is not a state; the message says where and why.
        """
        edited = _table(text)
        after = cast("dict[str, Json]", _unmasked(edited, self._shown, self._values))
        found = changed_paths(self._values, after)
        if not identical(self._values, self._shown):
            for path, value in found.items():
                if not isinstance(value, Unset) and MASK in json.dumps([*path, value]):
                    raise StateError(
                        f"{path_text(path)} holds {MASK}, which stands for a secret",
                        hint="leave the value as it was, or write the whole of it",
                    )
        return found


def _table(text: str) -> dict[str, Json]:
    if text.lstrip().startswith("{"):
        try:
            table = json.loads(text, parse_constant=_no_number)
        except RecursionError:
            raise StateError("this is not JSON: it is nested too deeply") from None
        except ValueError as error:
            raise StateError(f"this is not JSON: {error}") from None
    else:
        try:
            table = toml_table(text)
        except NotToml as error:
            raise StateError(str(error)) from None
    return cast("dict[str, Json]", plain(table, "the text"))


def _no_number(word: str) -> NoReturn:
    raise ValueError(f"{word} is not a number")


def _unmasked(edited: Json, shown: Json, real: Json) -> Json:
    """Put back what was hidden wherever it was left as it was."""
    if identical(edited, shown):
        return real
    if isinstance(edited, dict) and isinstance(shown, dict) and isinstance(real, dict):
        names = dict(zip(shown, real, strict=True)) if len(shown) == len(real) else {}
        return {
            names.get(key, key): _unmasked(value, shown[key], real[names[key]]) if key in names else value
            for key, value in edited.items()
        }
    lists = edited, shown, real
    if all(isinstance(each, list) for each in lists) and len(edited) == len(shown):  # type: ignore[arg-type]
        return [_unmasked(*items) for items in zip(*lists, strict=True)]  # type: ignore[arg-type]
    return edited
