"""Other keys for commands, as the user's settings give them."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Iterator, Mapping

from textual.keys import KEY_NAME_REPLACEMENTS, REPLACED_KEYS, Keys, key_to_character

from stepgraph.values import KeyPath, did_you_mean, json_line, nearest

from . import COMMANDS, PREFIXES
from .command import THEN, key_name

_MODIFIERS = ("alt", "ctrl", "hyper", "meta", "shift", "super")
_NAMED = frozenset(key.value for key in Keys if not key.value.startswith("<"))
_FIXED = {"ctrl+q": "quits", "ctrl+p": "opens the list of commands"}


def read_keys(table: Mapping[str, object], report: Callable[[KeyPath, str], None]) -> dict[str, str]:
    """Read the keys of a table ``command id -> keys``; ids may be written as dotted keys or as quoted ones.

    Args:
        table: As it was read; keys are a text with commas between, or a list of texts.
        report: Told what is wrong, and where in the file; the command then keeps its own keys.
    """
    remapped: dict[str, list[str]] = {}
    paths: dict[str, KeyPath] = {}
    for path, value in _flat(("keys",), table):
        id_ = ".".join(map(str, path[1:]))
        if id_ not in COMMANDS:
            report(path, f"there is no command {json_line(id_)} ({did_you_mean(id_, COMMANDS)})")
            continue
        if COMMANDS[id_] in PREFIXES.values():
            report(path, f"{id_}: {COMMANDS[id_].key} is the first key of other commands: map those")
            continue
        keys = list(map(_key_name, _texts(value)))
        wrong = next(filter(None, map(_refusal, keys)), None) if keys else 'takes keys, such as "n,ctrl+n"'
        if wrong:
            report(path, f"{id_}: {wrong}")
        else:
            remapped[id_], paths[id_] = keys, path
    clashes = {id_: clash for id_ in remapped if (clash := _clash(id_, remapped))}
    for id_, clash in clashes.items():
        report(paths[id_], f"{id_}: {clash}")
    return {id_: ",".join(keys) for id_, keys in remapped.items() if id_ not in clashes}


def _flat(path: KeyPath, table: Mapping[str, object]) -> Iterator[tuple[KeyPath, object]]:
    for name, value in table.items():
        if isinstance(value, dict) and value:
            yield from _flat((*path, name), value)
        else:
            yield (*path, name), value


def _texts(value: object) -> list[str]:
    """Split into single keys; none when the value is of another kind."""
    texts: object = value.split(",") if isinstance(value, str) and value != "," else [value]
    if isinstance(value, list):
        texts = value
    if not isinstance(texts, list) or not all(isinstance(text, str) and text for text in texts):
        return []
    return [text.strip() or "space" for text in texts]


def _key_name(keys: str) -> str:
    """Name a key as Textual does: ``[`` is ``left_square_bracket``; or two, written ``gi`` or ``g i``."""
    if len(keys) == 2 and any(keys[0] == command.key for command in PREFIXES.values()):
        keys = " ".join(keys)
    return THEN.join(_named_key(key) for key in keys.split())


def _named_key(key: str) -> str:
    if len(key) != 1 or key.isalnum():
        return key
    name = unicodedata.name(key, key).lower().replace("-", "_").replace(" ", "_")
    return KEY_NAME_REPLACEMENTS.get(name, name)


def _refusal(keys: str) -> str | None:
    """Explain why a key, or two that are pressed one after the other, cannot be bound; None when they can."""
    first, *others = keys.split(THEN)
    if len(others) > 1 or (others and first not in PREFIXES):
        known = ", ".join(command.key for command in PREFIXES.values())
        return f"{key_name(keys)}: two keys at most, the first of them one of {known}"
    return next(filter(None, map(_refused_key, (first, *others))), None)


def _refused_key(key: str) -> str | None:
    if key in _FIXED:
        return f"{key} {_FIXED[key]} everywhere"
    *modifiers, base = key.split("+")
    unknown = next((name for name in modifiers if name not in _MODIFIERS), None)
    if unknown is not None:
        return f"there is no modifier {json_line(unknown)} ({did_you_mean(unknown, _MODIFIERS)})"
    if key in _NAMED or base in _NAMED or base in REPLACED_KEYS or key_to_character(base) is not None:
        return None
    near = nearest(base.lower(), sorted(_NAMED | REPLACED_KEYS.keys()))
    hint = f"did you mean {near!r}?" if near else "keys are such as n, ctrl+n, f5, escape"
    return f"there is no key {json_line(base)} ({hint})"


def _clash(id_: str, remapped: Mapping[str, list[str]]) -> str | None:
    """Describe which other command of the same context has one of a command's new keys."""
    for command in COMMANDS.values():
        if command.context == COMMANDS[id_].context and command.id != id_:
            for key in remapped.get(command.id) or command.keys.split(","):
                if key in remapped[id_]:
                    return f"{key_name(key)} is the key of {command.id} in the same place"
    return None
