"""How expressions name things: keys, parts of paths, texts in quotes."""

from __future__ import annotations

import json
import keyword
import re
import unicodedata
from collections.abc import Iterable

from ..values.json_values import escaped

FACTS = frozenset({"last_output", "step", "visits"})
"""Names that tell of the run, in conditions and in templates."""

HIDDEN = FACTS | {"state"}
"""Names that mean something of their own, so that a state key of that name needs ``state["step"]``."""

FOREIGN_WORDS = {"true": "True", "false": "False", "null": "None"}
"""Words of JSON, and Python's for the same."""


def quoted_piece(text: str) -> str:
    """Quote a piece of the condition, short and on one line, for a message."""
    text = escaped(" ".join(text.splitlines()))
    return text if len(text) <= 120 else text[:119] + "…"


def quoted(name: str) -> str:
    """Write a name in double quotes, safe to print."""
    return escaped(json.dumps(name, ensure_ascii=False))


def in_quotes(name: str, like: str) -> str:
    """Write a name as a text of a condition or template, if possible in the quotes of another text."""
    plain = name.isprintable() and "'" not in name and "\\" not in name
    return f"'{name}'" if plain and like.startswith("'") else quoted(name)


def written_key(key: str) -> str:
    """Spell a top-level key as expressions do."""
    return (
        key
        if _plain_name(key) and key not in HIDDEN and key not in FOREIGN_WORDS
        else f"state[{quoted(key)}]"
    )


def step_text(part: str | int) -> str:
    """Spell a part of a path as expressions do."""
    if isinstance(part, int):
        return f"[{part}]"
    return f".{part}" if _plain_name(part) else f"[{quoted(part)}]"


def path_text(path: tuple[str | int, ...]) -> str:
    """Spell a path as expressions do: ``order.amount``, ``state["my-key"]``, ``docs[3]``."""
    key, *parts = path
    return written_key(str(key)) + "".join(map(step_text, parts))


def named_in(text: str, names: Iterable[str]) -> bool:
    """Check whether one of some names may be in a condition or a template that has no escapes.

    It is there by itself: ``node_7`` is not named by ``node_70``.
    """
    return any(name in text and re.search(rf"(?<!\w){re.escape(name)}(?!\w)", text) for name in names)


def _plain_name(name: str) -> bool:
    # Python folds the spelling of names (NFKC), so a key in another spelling is out of a name's reach.
    if not name.isidentifier() or name.startswith("__") or keyword.iskeyword(name):
        return False
    return name.isascii() or unicodedata.normalize("NFKC", name) == name
