"""The conditions that an edge may have: none, key equals value, an expression, a Python predicate.

A predicate is any function of a ``RoutingContext``; a kind of condition of your own is a subclass of
``Condition``.
"""

from __future__ import annotations

from collections.abc import Mapping

from ..expressions import Explanation
from ..values.errors import ExpressionError
from ..values.json_values import Json, json_line
from .base import Always, Chosen, Condition, Expression, KeyEquals, Kind, RoutingContext
from .predicates import HandlerPredicate, Opaque, Predicate

__all__ = [
    "Always",
    "Chosen",
    "Condition",
    "Explanation",
    "Expression",
    "HandlerPredicate",
    "Json",
    "KeyEquals",
    "Kind",
    "Opaque",
    "Predicate",
    "RoutingContext",
    "filed_condition",
    "json_line",
    "parse_condition",
]

_ALWAYS = Always()  # one for all edges: conditions are immutable


def parse_condition(when: object) -> Condition:
    """Return the condition for what a builder was given: None, text, a predicate or a condition.

    Raises:
        ExpressionError: The text does not parse, or it is none of these.
    """
    if when is None:
        return _ALWAYS
    if isinstance(when, str):
        return Expression(when)
    if isinstance(when, Condition):
        return when
    if callable(when):
        return Predicate(when)
    raise ExpressionError(
        f"a condition cannot be of type {type(when).__name__}",
        hint="give None, the text of an expression, or a function that takes the routing context",
    )


def filed_condition(when: object) -> Condition:
    """Return the condition for what a graph file has on an edge: text, or a table.

    Args:
        when: What is there as ``when``; None for nothing.

    Raises:
        ExpressionError: It is not a condition.
    """
    if not isinstance(when, Mapping):
        return parse_condition(when)
    if "predicate" in when:
        return HandlerPredicate(str(when["predicate"]))
    return KeyEquals(when.get("key", ""), when.get("equals"))
