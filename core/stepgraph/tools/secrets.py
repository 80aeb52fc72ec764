"""Secrets of the environment that a tool is given: what it answers never repeats them into a ledger."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from typing import TypeVar

from ..values.json_values import with_texts

HIDDEN = "***"
_SHORTEST = 6  # characters: what is shorter is found in too many words
_NAME = re.compile(
    r"(?i)(?:^|_)(?:(?:api)?key|token|secret|(?:[a-z]*pass)(?:word|wd|phrase)?|credentials?|auth)(?:_|$)"
)

T = TypeVar("T")


def hidden(text: str, variables: Iterable[str]) -> str:
    """Take the values of all these variables out of a text, for a message."""
    values = {os.environ.get(name, "") for name in variables}
    for value in sorted(values, key=len, reverse=True):
        if len(value) >= _SHORTEST:
            text = text.replace(value, HIDDEN)
    return text


def without_secrets(answer: T, variables: Iterable[str], keys: Iterable[str] = ()) -> T:
    """Take secrets out of a tool's answer.

    Args:
        answer: What it answered.
        variables: Those that it is given. The ones whose names say so are secret; others, such as a folder,
            may be what the answer is about.
        keys: Variables that are secret whatever their names are.
    """
    secret = [*keys, *(name for name in variables if _NAME.search(name))]
    if not any(len(os.environ.get(name, "")) >= _SHORTEST for name in secret):
        return answer
    changed: T = with_texts(answer, lambda text: hidden(text, secret))
    return changed
