"""Keys as people write them: ``s``, ``ctrl+r``, ``Enter``, ``[``."""

from __future__ import annotations

from textual.keys import REPLACED_KEYS, key_to_character

_NAMED = {
    "backspace": "Backspace",
    "delete": "Del",
    "down": "↓",
    "end": "End",
    "enter": "Enter",
    "escape": "Esc",
    "home": "Home",
    "insert": "Ins",
    "left": "←",
    "pagedown": "PgDn",
    "pageup": "PgUp",
    "right": "→",
    "space": "Space",
    "tab": "Tab",
    "up": "↑",
}


def key_name(key: str) -> str:
    """Name one key, given as Textual names it (``left_square_bracket``)."""
    modifiers, plus, bare = key.rpartition("+")
    if plus:
        return f"{modifiers}+{bare if bare in _NAMED and bare.isalpha() else _bare(bare)}"
    return _bare(key)


def _bare(key: str) -> str:
    if key in _NAMED:
        return _NAMED[key]
    if key[0] == "f" and key[1:].isdigit():
        return key.upper()
    return character_of(key) or key


def character_of(key: str) -> str | None:
    """Return what a key types into a text field; None for keys that type nothing."""
    return key_to_character(REPLACED_KEYS.get(key, key))


def key_names(keys: str) -> list[str]:
    """Name several keys, given with commas between them as in the table."""
    return [key_name(key.strip()) for key in keys.split(",")]
