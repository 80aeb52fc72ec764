"""Every code that Stepgraph can print, explained: what ``stepgraph check --explain CODE`` shows."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

__all__ = ["Code", "all_codes", "explain"]


@dataclass(frozen=True, slots=True)
class Code:
    """The meaning of a code."""

    title: str
    """What is wrong, in a few words."""
    explanation: str
    """Why that is a problem, and what usually causes it."""
    fix: str = ""
    """An example of how to put it right; empty where the explanation says it all."""


def explain(code: str) -> Code | None:
    """Look up what a code means, whatever the case it is written in; None when there is no such code."""
    return all_codes().get(code.strip().upper())


@cache
def all_codes() -> dict[str, Code]:
    """Read every code with its meaning, sorted."""
    text = files(__name__).joinpath("codes.toml").read_text(encoding="utf-8")
    return {code: Code(**table) for code, table in sorted(tomllib.loads(text).items())}
