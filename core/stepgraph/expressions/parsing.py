"""From the text of a condition to its tree: parsed by Python, and built by an allow-list.

Everything of Python's syntax tree that is not named here is refused.
"""

from __future__ import annotations

import ast
import keyword
import math
import re
import warnings

from ..values.errors import ExpressionError
from ..values.json_values import Json, escaped
from .tree import (
    FOREIGN_WORDS,
    Compare,
    Constant,
    Group,
    IsNone,
    Not,
    Operator,
    Path,
    RunFact,
    Tree,
    Visits,
    quoted_piece,
)

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


def for_syntax(masked: str, reason: str, offset: int) -> tuple[str, str, int]:
    """Describe a SyntaxError in our words.

    Args:
        masked: The condition with its quoted texts blanked.
        reason: Python's message.
        offset: The place that Python names, in characters from 0.

    Returns:
        What is wrong, what to write instead, and the place.
    """
    if "too many nested" in reason:
        return TOO_DEEP, SIMPLIFY, offset
    for pattern, message, hint in _SPELLINGS:
        found = re.search(pattern, masked)
        if found is not None:
            return message, hint, found.start()
    if "never closed" in reason or "unmatched" in reason or "does not match" in reason:
        return escaped(reason), "every bracket needs its partner", offset
    word = _WORD.search(masked)
    if word is not None:
        return _own_word(word[0], masked[: word.start()].endswith("."), word.start())
    if "leading zeros" in reason:
        return "a number begins with zeros", "write it without them", offset
    if "decimal literal" in reason:
        return escaped(reason), 'a key that begins with a digit is written state["1st"]', offset
    if offset >= len(masked.rstrip()):
        return "the condition is incomplete", "something is missing after it", offset
    return f"the condition cannot be read: {escaped(reason)}", _EXAMPLE, offset


def _own_word(word: str, dotted: bool, place: int) -> tuple[str, str, int]:
    message = f"{word!r} is a word of Python's own"
    if dotted:
        return message, f'write ["{word}"] instead of .{word}', place
    if word in ("if", "return", "assert", "while"):
        return message, f"write only what would stand behind {word!r}", place
    return message, f'for the state\'s key write state["{word}"]', place


def for_node(node: ast.AST) -> tuple[str, str]:
    """Explain why a condition may not have this piece of Python, and what to do instead."""
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


MAX_DEPTH = 20
"""How many levels a condition may be nested, and how many parts a path may have."""

_BIGGEST = 10**300  # beyond it lie no floating-point numbers, and printing gets slow
_ONE_TEXT = re.compile(r"""[rRuU]?(?:"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*')""")
_OPERATORS: dict[type[ast.cmpop], Operator] = {
    ast.Eq: "==",
    ast.NotEq: "!=",
    ast.Lt: "<",
    ast.LtE: "<=",
    ast.Gt: ">",
    ast.GtE: ">=",
    ast.In: "in",
    ast.NotIn: "not in",
}


class _TreeBuilder:
    """Builds the tree of one condition.

    Args:
        source: The condition on one line.
        whole: The condition as it was written, for errors.
        indent: How many characters stand before what Python has parsed.
    """

    def __init__(self, source: str, whole: str, indent: int) -> None:
        self._source = source
        self._whole = whole
        self._indent = indent
        self._bytes = None if source.isascii() else source[indent:].encode()

    def test(self, node: ast.expr, depth: int = 1) -> Tree:
        """Build the tree of a part of which true or false is expected."""
        self._guard(node, depth)
        if isinstance(node, ast.BoolOp):
            parts = tuple(self.test(value, depth + 1) for value in node.values)
            return Group(self._text(node), "and" if isinstance(node.op, ast.And) else "or", parts)
        if isinstance(node, ast.Tuple):
            raise self._error(node, "a comma joins nothing", "join parts with and, or")
        tree = self._operand(node, depth)
        if isinstance(tree, Constant) and not isinstance(tree.value, bool):
            answer = "true" if tree.value else "false"
            hint = 'compare it with something: x == "a" or x == "b", or x in ["a", "b"]'
            raise self._error(node, f"{quoted_piece(tree.text)} alone is always {answer}", hint)
        return tree

    def _operand(self, node: ast.expr, depth: int) -> Tree:
        self._guard(node, depth)
        match node:
            case ast.Compare():
                return self._comparison(node, depth)
            case ast.UnaryOp(op=ast.Not()):
                return Not(self._text(node), self.test(node.operand, depth + 1))
            case ast.BoolOp():
                hint = "compare each part separately and join the comparisons"
                raise self._error(
                    node, "'and' and 'or' give true or false here, not one of their parts", hint
                )
            case ast.Name() | ast.Attribute() | ast.Subscript():
                return self._path(node)
            case _:
                return Constant(self._text(node), self._constant(node, depth))

    def _comparison(self, node: ast.Compare, depth: int) -> Tree:
        text = self._text(node)
        if any(isinstance(op, (ast.Is, ast.IsNot)) for op in node.ops):
            return self._is_none(node, text, depth)
        sides = [self._operand(side, depth + 1) for side in (node.left, *node.comparators)]
        names = [_OPERATORS[type(op)] for op in node.ops]
        if len(names) == 1:
            return Compare(text, sides[0], names[0], sides[1])
        links = tuple(
            Compare(f"{left.text} {name} {right.text}", left, name, right)
            for left, name, right in zip(sides[:-1], names, sides[1:], strict=True)
        )
        return Group(text, "and", links)

    def _is_none(self, node: ast.Compare, text: str, depth: int) -> Tree:
        right = node.comparators[0]
        if len(node.ops) > 1:
            raise self._error(node, "'is' stands alone", "join the comparisons with and")
        if not (isinstance(right, ast.Constant) and right.value is None):
            hint = "write: == to compare" if isinstance(node.ops[0], ast.Is) else "write: != to compare"
            raise self._error(right, "'is' and 'is not' ask for None alone", hint)
        return IsNone(text, self._operand(node.left, depth + 1), isinstance(node.ops[0], ast.IsNot))

    def _path(self, node: ast.expr) -> Tree:
        whole = node
        parts: list[str | int] = []
        while isinstance(node, (ast.Attribute, ast.Subscript)):
            parts.append(node.attr if isinstance(node, ast.Attribute) else self._index(node.slice))
            if isinstance(parts[-1], str):
                self._refuse_dunder(node, parts[-1])
            if len(parts) > MAX_DEPTH:
                raise self._error(node, f"the path has more than {MAX_DEPTH} parts", SIMPLIFY)
            node = node.value
        if not isinstance(node, ast.Name):
            if isinstance(node, (ast.Constant, ast.List, ast.Tuple)):
                raise self._error(
                    node, "a path begins with a name", "write the state's key, such as order.amount"
                )
            raise self._refused(node)
        self._refuse_dunder(node, node.id)
        parts.reverse()
        return self._name_tree(node, whole, parts)

    def _name_tree(self, node: ast.Name, whole: ast.expr, parts: list[str | int]) -> Tree:
        text, name = self._text(whole), node.id
        if name in FOREIGN_WORDS:
            hint = f'write {FOREIGN_WORDS[name]} (a state key of that name is state["{name}"])'
            raise self._error(node, f"conditions use Python's words, and {name!r} isn't one", hint)
        if name == "state":
            if not parts or not isinstance(parts[0], str):
                raise self._error(
                    whole, "'state' needs the name of a key", 'write state.key or state["my-key"]'
                )
            return Path(text, parts[0], tuple(parts[1:]))
        if name == "visits":
            if len(parts) != 1 or not isinstance(parts[0], str):
                raise self._error(
                    whole, "'visits' needs the name of one node", 'write visits.draft or visits["my node"]'
                )
            return Visits(text, parts[0])
        if name == "last_output" or name == "step":
            if parts:
                what = "text" if name == "last_output" else "a number"
                hint = f'a state key of that name is state["{name}"]'
                raise self._error(whole, f"{name!r} is {what} and has no parts", hint)
            return RunFact(text, "last_output" if name == "last_output" else "step")
        return Path(text, name, tuple(parts))

    def _index(self, node: ast.expr) -> str | int:
        if isinstance(node, ast.Name):
            raise self._error(node, "an index is a number or a text in quotes", f'write ["{node.id}"]')
        if isinstance(node, ast.Slice):
            raise self._refused(node)
        value = self._constant(node, MAX_DEPTH)
        if isinstance(value, bool) or not isinstance(value, (str, int)):
            raise self._error(
                node, "an index is a whole number or a text in quotes", 'write [0], [-1] or ["key"]'
            )
        return value

    def _constant(self, node: ast.expr, depth: int) -> Json:
        self._guard(node, depth)
        match node:
            case ast.Constant(value=str() as text):
                return self._quoted(node, text)
            case ast.Constant(value=None | bool() as word):
                return word
            case ast.Constant(value=int() | float() as number):
                return self._number(node, number)
            case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int() | float() as number)):
                if type(number) is not bool:
                    return -self._number(node, number)
            case ast.List() | ast.Tuple():
                return [self._item(item, depth + 1) for item in node.elts]
            case ast.Constant():
                hint = "write text in quotes, a number, True, False or None"
                raise self._error(node, f"{quoted_piece(self._text(node))} is not a JSON value", hint)
        raise self._refused(node)

    def _item(self, node: ast.expr, depth: int) -> Json:
        if isinstance(node, (ast.Name, ast.Attribute, ast.Subscript, ast.Compare, ast.BoolOp)):
            known = FOREIGN_WORDS.get(node.id) if isinstance(node, ast.Name) else None
            hint = f"write {known}" if known else "put text in quotes; compare with each path separately"
            raise self._error(node, "a list in a condition holds constants only", hint)
        return self._constant(node, depth)

    def _number(self, node: ast.expr, value: int | float) -> int | float:
        if not -_BIGGEST < value < _BIGGEST or not math.isfinite(value):
            raise self._error(
                node, "the number is too large", "a condition's numbers have at most 300 digits"
            )
        return value

    def _quoted(self, node: ast.Constant, value: str) -> str:
        written = self._text(node)
        if not _ONE_TEXT.fullmatch(written):
            if written.lstrip("rRuU").startswith(('"""', "'''")):
                raise self._error(
                    node, "a condition has no triple quotes", "write the text in one pair of quotes"
                )
            hint = "put a comma, 'and' or 'or' between them"
            raise self._error(node, "two texts stand side by side", hint)
        if any("\ud800" <= char <= "\udfff" for char in value):
            raise self._error(
                node, "the text has a lone surrogate", "the state never holds one: delete the escape"
            )
        return value

    def _refuse_dunder(self, node: ast.expr, name: str) -> None:
        if name.startswith("__"):
            hint = "rename the state's key, or use a Python predicate"
            raise self._error(
                node, f"{quoted_piece(name)!r}: names that begin with two underscores are not readable", hint
            )

    def _guard(self, node: ast.expr, depth: int) -> None:
        if depth > MAX_DEPTH:
            raise self._error(node, f"the condition is nested deeper than {MAX_DEPTH} levels", SIMPLIFY)

    def _refused(self, node: ast.expr) -> ExpressionError:
        message, hint = for_node(node)
        error = self._error(node, message, hint)
        if isinstance(node, ast.BinOp):
            error.offset = self._next_sign(self._end(node.left))
        return error

    def _error(self, node: ast.expr, message: str, hint: str) -> ExpressionError:
        place = self._place(node.col_offset)
        if isinstance(node, (ast.Attribute, ast.Subscript)):
            place = self._next_sign(self._end(node.value))
        return ExpressionError(message, text=self._whole, offset=place, hint=hint)

    def _next_sign(self, place: int) -> int:
        """Find the first character from ``place`` on that neither is blank nor closes a bracket."""
        rest = self._source[place:]
        return place + len(rest) - len(rest.lstrip(" \t)"))

    def _text(self, node: ast.expr) -> str:
        return self._source[self._place(node.col_offset) : self._end(node)]

    def _end(self, node: ast.expr) -> int:
        return self._place(node.end_col_offset or node.col_offset)

    def _place(self, column: int) -> int:
        """Convert a column: Python counts bytes of what it parsed, people characters of it all."""
        if self._bytes is not None:
            column = len(self._bytes[:column].decode())
        return self._indent + column


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
    return _TreeBuilder(source, text, indent).test(tree)


def python_tree(text: str) -> tuple[str, int, ast.expr]:
    """Read a condition as Python does, whether conditions may use all of it or not.

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
        raise ExpressionError("the condition is empty", text=text, hint=hint)
    indent = len(source) - len(source.lstrip())
    return source, indent, _python(source, masked, text, indent)


def _one_line(text: str) -> tuple[str, str]:
    """Join the text to one line of the same length, without comments; in a copy blank its quoted texts."""
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
        end = len(source.rstrip())
        offset = (
            min(indent + error.offset - 1, end) if error.offset else end
        )  # it names no place after the end
        message, hint, place = for_syntax(masked, error.msg, offset)
        raise ExpressionError(message, text=text, offset=place, hint=hint) from None
    except (ValueError, RecursionError, MemoryError):
        raise ExpressionError(TOO_DEEP, text=text, hint=SIMPLIFY) from None
