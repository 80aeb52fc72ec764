"""Style sheets are parsed once a process, not once an app: a quarter of the cost of a test of the app."""

from __future__ import annotations

from typing import Any

import pytest
from textual.css.model import RuleSet
from textual.css.stylesheet import Stylesheet

_parse = Stylesheet._parse_rules
_rules: dict[tuple[Any, ...], list[RuleSet]] = {}


def parse_once(patch: pytest.MonkeyPatch) -> None:
    """Have each app take the rules that one before it has parsed from the same text and variables."""

    def rules(sheet: Stylesheet, css: str, *args: Any, **options: Any) -> list[RuleSet]:
        key = (css, args, *sorted(options.items()), _frozen(sheet))
        if key not in _rules:
            _rules[key] = _parse(sheet, css, *args, **options)
        return _rules[key]

    patch.setattr(Stylesheet, "_parse_rules", rules)
    patch.setattr(RuleSet, "__hash__", object.__hash__)  # the same, without a call of Python


def _frozen(sheet: Stylesheet) -> frozenset[Any]:
    """The variables of a theme as a part of a key, made once for each sheet: there are hundreds."""
    known: tuple[Any, frozenset[Any]] = vars(sheet).get("frozen_variables", (None, frozenset()))
    if known[0] is not sheet._variables:
        known = vars(sheet)["frozen_variables"] = (sheet._variables, frozenset(sheet._variables.items()))
    return known[1]
