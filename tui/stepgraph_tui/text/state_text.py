"""A state as a text that a person edits; secrets stay hidden in it."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any, NoReturn, cast

import tomli_w

from stepgraph.expressions import Path, changed_paths, path_text
from stepgraph.files import parsed
from stepgraph.runs import MASK, Mask
from stepgraph.toml import SourceText, graph_text
from stepgraph.values import GraphFileError, Json, StateError, Unset, identical, plain

from .characters import is_plain, shows

_NULL = "<null, as the state of a run has it>"
_NULLS = re.compile(  # null where a value stands; all that may quote the word comes first, closed or not
    r'''"""(?:\\.|[^\\])*?(?:"""|\Z)|"(?:\\.|[^"\\\n])*+"?'''
    r"""|'{3}.*?(?:'{3}|\Z)|'[^'\n]*'?|#[^\n]*|(?P<null>(?<![\w.-])null(?![\w-])(?!\s*[.=]))""",
    re.DOTALL,
)
_QUOTED_NULL = re.compile(r'"<null[^"]*"?')
_PLACE = re.compile(r", at column \d+: .*", re.DOTALL)  # counts what comes before the value


class NotToml(ValueError):
    """A text that is not TOML; the message says what is wrong with it."""


def toml_value(text: str) -> Any:
    """Read the value that a text is, as it would be after ``key =`` in a graph file, or null.

    Raises:
        NotToml: It is none, or more than one.
    """
    try:
        table = _table(f"value = {text.strip()}\n")
    except NotToml as error:
        raise NotToml(_PLACE.sub("", str(error))) from None
    if set(table) != {"value"}:
        raise NotToml("this is more than one value")
    return table["value"]


def toml_table(text: str) -> dict[str, Any]:
    """Read the table that lines of ``key = value`` are.

    Raises:
        NotToml: They are none.
    """
    return dict(_table(text))


def toml_text(value: Any) -> str:
    """Write a value as a graph file has it after ``key =``; only line breaks in it move the cursor."""
    text = graph_text({"x": _with_nulls(value)}).removeprefix("x = ").removesuffix("\n")
    return _safe(text.replace(f'"{_NULL}"', "null"))


def toml_lines(table: Mapping[str, Any], *, by_paths: bool = False) -> str:
    """Write a table as lines of ``key = value``.

    Args:
        table: The table.
        by_paths: Whether its keys are paths, of which only such parts are quoted as must be.
    """
    return "\n".join(
        f"{'.'.join(map(toml_key, key.split('.'))) if by_paths else toml_key(key)} = {toml_text(value)}"
        for key, value in table.items()
    )


def toml_key(name: str) -> str:
    """Write a key as a graph file has it: in quotes where it must be."""
    return _safe(tomli_w.dumps({name: 0}).removesuffix(" = 0\n"))


def _safe(text: str) -> str:
    """Write the same TOML with escapes for what could fool a terminal. Only quoted texts have such."""
    if is_plain(text):
        return text
    seen = zip(text, shows(text), strict=True)
    return "".join(char if shown or char == "\n" else _escape(ord(char)) for char, shown in seen)


def _escape(code: int) -> str:
    return f"\\u{code:04x}" if code <= 0xFFFF else f"\\U{code:08x}"


def _with_nulls(value: Any) -> Any:
    """Replace each null by a text, which TOML does not know."""
    if isinstance(value, Mapping):
        return {key: _with_nulls(item) for key, item in value.items()}
    if isinstance(value, list):
        return list(map(_with_nulls, value))
    return _NULL if value is None else value


def _null_again(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {key: _null_again(item) for key, item in value.items()}
    if isinstance(value, list):
        return list(map(_null_again, value))
    return None if value == _NULL else value


def _table(text: str) -> Mapping[str, Any]:
    marked = _NULLS.sub(lambda found: f'"{_NULL}"' if found["null"] else found[0], text)
    try:
        table = parsed(marked, SourceText(marked, marked.encode(errors="replace")), "")
        return table if marked == text else _null_again(table)
    except GraphFileError as error:
        problem = error.problems[0]
    where = f"line {problem.place.line}: " if problem.place.line and "\n" in text.rstrip("\n") else ""
    hint = f" ({problem.hint})" if problem.hint else ""
    raise NotToml(_QUOTED_NULL.sub("null", f"{where}{problem.message}{hint}"))


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
        comments = ["# TOML, or JSON in its place. Take a line out to take the key away.", *secrets]
        self.text = "\n".join([f"# {heading}", *comments, "", toml_lines(self._shown), ""])

    def changes(self, text: str) -> dict[Path, Json | Unset]:
        """List what a text changes in the state.

        Raises:
            StateError: It is not a state; the message says where and why.
        """
        edited = _edited_table(text)
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


def _edited_table(text: str) -> dict[str, Json]:
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
    """Restore what was hidden wherever it was left as it was."""
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
