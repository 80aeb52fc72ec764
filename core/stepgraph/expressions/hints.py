"""What to write instead: the mistakes people make in conditions, and the words that set them right."""

from __future__ import annotations

import ast
import keyword
import re

from ..values.json_values import escaped

TOO_DEEP = "the condition is nested too deeply"
SIMPLIFY = "simplify it, or compute parts of it in a node"
_EXAMPLE = 'a condition looks like this: category == "billing" and amount > 100'

_SPELLINGS: tuple[tuple[str, str, str], ...] = (
    (r"\{[{%]", "a condition is not a template", "write the name without braces"),
    ("&&", "'&&' is not an operator here", "write: and"),
    (r"\|\|", "'||' is not an operator here", "write: or"),
    ("!==", "'!==' is not an operator here", "write: !="),
    ("===", "'===' is not an operator here", "write: =="),
    ("<>", "'<>' is not an operator here", "write: !="),
    ("=>", "'=>' is not an operator here", "write: >="),
    ("=<", "'=<' is not an operator here", "write: <="),
    ("!(?!=)", "'!' is not an operator here", "write: not"),
    (":=", "a condition cannot assign", "write: == to compare"),
    ("(?<![=!<>:])=(?!=)", "a single '=' assigns", "write: == to compare"),
    (r"\b(?:AND|OR|NOT|IN|IS)\b", "and, or, not, in and is are written in small letters", ""),
    ("[\u201c-\u201f\u2018-\u201b«»]", "a curly quote", "write straight quotes: \"text\" or 'text'"),
    (r"\$", "'$' has no meaning here", "write the plain name of the state's key"),
    (r"\?", "'?' has no meaning here", "join parts with and, or, not"),
)
_OWN_WORDS = frozenset(keyword.kwlist) - {"and", "or", "not", "in", "is", "True", "False", "None"}
_WORD = re.compile(r"\b(?:" + "|".join(sorted(_OWN_WORDS)) + r")\b")

_REFUSED: tuple[tuple[type[ast.AST] | tuple[type[ast.AST], ...], str, str], ...] = (
    (ast.Call, "a condition cannot call anything", "compute it in a node, or use a Python predicate"),
    (ast.BinOp, "a condition does no arithmetic", "compute it in a node and compare the result"),
    (ast.UnaryOp, "the only sign is a minus before a number", "compute it in a node and compare the result"),
    (ast.JoinedStr, "a condition has no f-strings", "write plain text, without the f"),
    (ast.Lambda, "a condition has no lambda", "pass a Python predicate instead of text"),
    (ast.IfExp, "a condition has no 'if ... else'", "join parts with and, or, not"),
    (
        (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp),
        "a condition has no loops",
        "compute it in a node, or use a Python predicate",
    ),
    (
        (ast.Set, ast.Dict),
        "a condition has no braces",
        "write a list: [...]; a name stands alone, without {{ }}",
    ),
    (ast.NamedExpr, "a condition cannot assign", "write: == to compare"),
    (ast.Slice, "a condition takes no slices", "name one item by its position, such as items[0]"),
    (ast.Starred, "'*' has no meaning here", "write the items one by one"),
)


def for_syntax(masked: str, said: str, offset: int) -> tuple[str, str, int]:
    """Put a SyntaxError into our words.

    Args:
        masked: The condition with its quoted texts blanked.
        said: Python's message.
        offset: The place that Python names, in characters from 0.

    Returns:
        What is wrong, what to write instead, and the place.
    """
    if "too many nested" in said:
        return TOO_DEEP, SIMPLIFY, offset
    for pattern, message, hint in _SPELLINGS:
        found = re.search(pattern, masked)
        if found is not None:
            return message, hint, found.start()
    if "never closed" in said or "unmatched" in said or "does not match" in said:
        return escaped(said), "every bracket needs its partner", offset
    word = _WORD.search(masked)
    if word is not None:
        return _own_word(word[0], masked[: word.start()].endswith("."), word.start())
    if "leading zeros" in said:
        return "a number begins with zeros", "write it without them", offset
    if "decimal literal" in said:
        return escaped(said), 'a key that begins with a digit is written state["1st"]', offset
    if offset >= len(masked.rstrip()):
        return "the condition is incomplete", "something is missing after it", offset
    return f"the condition cannot be read: {escaped(said)}", _EXAMPLE, offset


def _own_word(word: str, dotted: bool, place: int) -> tuple[str, str, int]:
    message = f"{word!r} is a word of Python's own"
    if dotted:
        return message, f'write ["{word}"] instead of .{word}', place
    if word in ("if", "return", "assert", "while"):
        return message, f"write only what would stand behind {word!r}", place
    return message, f'for the state\'s key write state["{word}"]', place


def for_node(node: ast.AST) -> tuple[str, str]:
    """Say why a condition may not have this piece of Python, and what to do instead."""
    if isinstance(node, ast.BinOp) and isinstance(node.op, (ast.BitAnd, ast.BitOr)):
        sign, word = ("&", "and") if isinstance(node.op, ast.BitAnd) else ("|", "or")
        return f"{sign!r} is not an operator here", f"write: {word}"
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Invert):
        return "'~' is not an operator here", "write: not"
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "get":
        return "a condition cannot call anything", "write order.amount instead of order.get('amount')"
    for kinds, message, hint in _REFUSED:
        if isinstance(node, kinds):
            return message, hint
    return f"this cannot be used in a condition ({type(node).__name__})", _EXAMPLE
