"""The word by which a model chooses one of several."""

from __future__ import annotations

import re

_AROUND = " \t\r\n\"'`*_.:;,!()[]{}<>\u201c\u201d\u2018\u2019"  # what models put around a word
_BLANKS = re.compile(r"[ \t]+")


def spoken(text: str) -> str:
    """Give a word as it is compared: without capitals, doubled blanks and punctuation around it."""
    return _BLANKS.sub(" ", text.strip(_AROUND)).casefold()
