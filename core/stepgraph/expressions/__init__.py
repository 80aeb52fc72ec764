"""Conditions as text: a small subset of Python's syntax, parsed once and evaluated by an allow-list."""

from __future__ import annotations

from .evaluate import Facts, Test, compile_test
from .explain import MISSING, Explanation, Missing, explain
from .parse import MAX_DEPTH, MAX_LENGTH, parse
from .tree import Tree

__all__ = [
    "MAX_DEPTH",
    "MAX_LENGTH",
    "MISSING",
    "Explanation",
    "Facts",
    "Missing",
    "Test",
    "Tree",
    "compile_test",
    "explain",
    "parse",
]
