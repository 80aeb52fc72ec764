"""What can be taken, and what of it fits what was typed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

_LOOKED_AT = 400
"""Characters of a name or note that are searched and shown; what is longer is cut."""


@dataclass(frozen=True, slots=True)
class Choice:
    """Something that can be taken. Its texts need not be safe to show."""

    id: str
    """What is handed back."""
    name: str
    note: str = ""
    """What is said of it."""
    mark: str = ""
    """A letter before the name, such as that of a node type."""

    @property
    def short_name(self) -> str:
        """The name as far as it is searched and shown."""
        return self.name[:_LOOKED_AT]

    @property
    def short_note(self) -> str:
        """The note as far as it is searched and shown."""
        return self.note[:_LOOKED_AT]


def ranked(choices: Sequence[Choice], text: str) -> list[Choice]:
    """The choices that fit a text, the best first, equally good ones in their own order.

    Best is the name itself, then names that begin with the text, names that contain all its words, names
    and notes that contain them together, and at last names that have its letters in this order.
    """
    wanted = text.casefold().split()
    if not wanted:
        return list(choices)
    found: list[list[Choice]] = [[] for _ in range(5)]
    for choice in choices:
        rank = _rank(choice, " ".join(wanted), wanted)
        if rank is not None:
            found[rank].append(choice)
    return [choice for group in found for choice in group]


def _rank(choice: Choice, text: str, words: list[str]) -> int | None:
    """How well a choice fits, 0 the best; None when it does not."""
    name = choice.short_name.casefold()
    if text in (name, choice.id.casefold()):
        return 0
    if name.startswith(text):
        return 1
    if all(word in name for word in words):
        return 2
    note = choice.short_note.casefold()
    if all(word in name or word in note for word in words):
        return 3
    return 4 if _has_letters(name, "".join(words)) else None


def _has_letters(name: str, letters: str) -> bool:
    """Whether a name has the letters in this order, with anything between them."""
    at = 0
    for letter in letters:
        at = name.find(letter, at) + 1
        if not at:
            return False
    return True
