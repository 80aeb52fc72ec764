"""Texts of which each is given once: names, labels, ids."""

from __future__ import annotations

from collections.abc import Callable, Iterable


class UniqueTexts:
    """Gives texts, each of them once.

    Args:
        taken: Those that nobody may have.
    """

    def __init__(self, taken: Iterable[str]) -> None:
        self._taken = set(taken)
        self._numbers: dict[str, int] = {}

    def fresh(self, wanted: str, sign: str = "_", heard: Callable[[str], str] = str) -> str:
        """Give a text, with a number behind it where it is taken.

        Args:
            wanted: The text.
            sign: What stands before a number.
            heard: By what two texts are the same.
        """
        text, number = wanted, self._numbers.get(wanted, 1)
        while heard(text) in self._taken:
            number += 1
            text = f"{wanted}{sign}{number}"
        self._numbers[wanted] = number
        self._taken.add(heard(text))
        return text
