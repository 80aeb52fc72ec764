"""Every regular expression of the product, with what is done with it."""

from __future__ import annotations

import ast
import importlib
import re
import re._parser as parser  # type: ignore[import-not-found]  # which typeshed does not know
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

import stepgraph
import stepgraph_tui

SCANS = ("sub", "subn", "split", "findall", "finditer")
METHODS = ("match", "fullmatch", "search", *SCANS)
CAPS = {
    "stepgraph.expressions.parsing:_QUOTED_OR_COMMENT": 1_000,  # the longest condition
    "stepgraph.editing.fixes.names:_QUOTED": 1_000,
    "stepgraph.toml.syntax:_UNQUOTED": 300,  # of a line in which something is wrong
    "stepgraph_tui.dialogs.forms.completing:_QUOTED": 2_000,  # what stands before the cursor
    "stepgraph_tui.dialogs.forms.completing:_ITEM": 2_000,
    "stepgraph_tui.dialogs.forms.completing:_PATH": 2_000,
}
"""The patterns that are given no longer texts than so many characters, by code that looks first."""


class ProductPattern(NamedTuple):
    """A pattern where it stands."""

    where: str
    pattern: re.Pattern[Any]
    methods: frozenset[str]

    def __repr__(self) -> str:
        return f"{self.where} {self.pattern.pattern!r}"

    def use(self, text: str) -> None:
        """Do with a text what the product does."""
        given = text.encode() if isinstance(self.pattern.pattern, bytes) else text
        for method in self.methods:
            if method in SCANS:
                for _ in self.pattern.finditer(given):
                    pass
            else:
                getattr(self.pattern, method)(given)

    @property
    def literals(self) -> tuple[str, ...]:
        """The texts that stand in it as they are."""
        pattern = self.pattern.pattern
        text = pattern.decode("latin-1") if isinstance(pattern, bytes) else pattern
        return tuple(dict.fromkeys(_literals(parser.parse(text, self.pattern.flags & ~re.UNICODE))))


@cache
def product_patterns() -> tuple[ProductPattern, ...]:
    """Collect the patterns of all modules: those under a name, and those that stand in a call."""
    found = {each.where: each for module in _modules() for each in _patterns_of(module)}
    return tuple(found.values())


def _modules() -> Iterator[ModuleType]:
    """Import the modules that use regular expressions."""
    for package in (stepgraph, stepgraph_tui):
        root = Path(str(package.__file__)).parent
        for file in sorted(root.rglob("*.py")):
            if re.search(r"\bre\.\w+\(", file.read_text(encoding="utf-8")):
                parts = file.relative_to(root.parent).with_suffix("").parts
                yield importlib.import_module(".".join(parts).removesuffix(".__init__"))


def _patterns_of(module: ModuleType) -> Iterator[ProductPattern]:
    source = Path(str(module.__file__)).read_text(encoding="utf-8")
    for name, value in vars(module).items():
        for number, each in enumerate(value.values() if isinstance(value, dict) else (value,)):
            bound = getattr(each, "__self__", None)  # of re.compile(...).fullmatch
            pattern = bound if isinstance(bound, re.Pattern) else each
            if isinstance(pattern, re.Pattern):
                used = {each.__name__} if pattern is bound else set()
                used |= {"search"} if isinstance(value, dict) else set()
                used |= set(re.findall(rf"\b{name}\.({'|'.join(METHODS)})\b", source))
                where = f"{module.__name__}:{name}" + (f"[{number}]" if isinstance(value, dict) else "")
                # What is handed on is of the reader of flowcharts, which matches it where it stands.
                yield ProductPattern(where, pattern, frozenset(used or {"match"}))
    for node in ast.walk(ast.parse(source)):
        match node:
            case ast.Call(ast.Attribute(ast.Name("re"), method), [ast.Constant(pattern), *_]):
                if method in METHODS:
                    where = f"{module.__name__}:{node.lineno}"
                    yield ProductPattern(where, re.compile(pattern), frozenset({method}))


def _literals(parsed: Any) -> Iterator[str]:
    text = ""
    for operator, given in parsed:
        if operator is parser.LITERAL:
            text += chr(given)
            continue
        if text:
            yield text
        text = ""
        if operator is parser.IN:
            yield from (
                chr(each[1] if each[0] is parser.LITERAL else each[1][0])
                for each in given
                if each[0] in _ONES
            )
        for part in given if isinstance(given, tuple | list) else (given,):
            for inside in part if isinstance(part, list) else (part,):
                if isinstance(inside, parser.SubPattern):
                    yield from _literals(inside)
    if text:
        yield text


_ONES = (parser.LITERAL, parser.RANGE)
