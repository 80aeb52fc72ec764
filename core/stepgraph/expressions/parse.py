"""From a condition's text to its tree: the guards, Python's parser, and what it says in our words."""

from __future__ import annotations

import ast
import re
import warnings

from ..values.errors import ExpressionError
from . import hints
from .build import Builder
from .tree import Tree

MAX_LENGTH = 1000
"""How many characters a condition may have."""

_QUOTED_OR_COMMENT = re.compile(r""""(?:\\[^\n]|[^"\\\n])*"|'(?:\\[^\n]|[^'\\\n])*'|#[^\n]*""")
_NO_TEXT = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ud800-\udfff]")


def parse(text: str) -> Tree:
    """Parse a condition.

    Raises:
        ExpressionError: It is blank, too long, too deep, no Python expression, or uses what conditions
            may not; the error has the place and, for the usual mistakes, what to write instead.
    """
    source, indent, tree = python_tree(text)
    return Builder(source, text, indent).test(tree)


def python_tree(text: str) -> tuple[str, int, ast.expr]:
    """A condition as Python reads it, whether conditions may use all of it or not.

    Returns:
        The text on one line of the same length, how many blanks it begins with, and the tree of the rest.

    Raises:
        ExpressionError: It is blank, too long, or no Python expression.
    """
    if len(text) > MAX_LENGTH:
        raise ExpressionError(
            f"the condition has {len(text):,} characters; at most {MAX_LENGTH:,} are allowed",
            text=text,
            offset=MAX_LENGTH,
            hint="compute it in a node and test the result",
        )
    bad = _NO_TEXT.search(text)
    if bad is not None:
        message = f"the condition has the character U+{ord(bad[0]):04X}, which no condition may have"
        raise ExpressionError(message, text=text, offset=bad.start(), hint="delete it")
    source, masked = _one_line(text)
    if not source.strip():
        hint = "leave the condition out for an edge that always matches"
        raise ExpressionError("the condition is blank", text=text, hint=hint)
    indent = len(source) - len(source.lstrip())
    return source, indent, _python(source, masked, text, indent)


def _one_line(text: str) -> tuple[str, str]:
    """The text as one line of the same length, without comments; and that with its quoted texts blanked."""
    lines = text.replace("\r", "\n")
    source = list(lines.replace("\n", " "))
    masked = source.copy()
    for found in _QUOTED_OR_COMMENT.finditer(lines):
        blank = " " * len(found[0])
        if found[0].startswith("#"):
            source[found.start() : found.end()] = blank
        masked[found.start() : found.end()] = blank
    words = "".join(masked)
    quote = re.search("[\"']", words)
    if quote is not None:
        hint = f"close it with {quote[0]} on the same line"
        raise ExpressionError(
            "a quote is opened here and never closed", text=text, offset=quote.start(), hint=hint
        )
    return "".join(source), words


def _python(source: str, masked: str, text: str, indent: int) -> ast.expr:
    try:
        with warnings.catch_warnings():
            # Python warns of odd escapes and of "1and x"; neither changes what the text means.
            warnings.simplefilter("ignore")
            return ast.parse(source[indent:], mode="eval").body
    except SyntaxError as error:
        offset = min(indent + max((error.offset or 1) - 1, 0), len(text))
        message, hint, place = hints.for_syntax(masked, error.msg, offset)
        raise ExpressionError(message, text=text, offset=place, hint=hint) from None
    except (ValueError, RecursionError, MemoryError):
        raise ExpressionError(hints.TOO_DEEP, text=text, hint=hints.SIMPLIFY) from None
