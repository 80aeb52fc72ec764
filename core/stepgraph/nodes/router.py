"""The node type ``router``: choose one of two routes by a number in the state."""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING, Any, ClassVar

from ..values.declared import Declared, field
from ..values.errors import NodeFailed
from ..values.json_values import read_path
from ..values.messages import shown_value
from ..values.problems import did_you_mean
from .base import BaseNode, NodeFacts, NodeResult, holding

if TYPE_CHECKING:
    from ..values.state import State


_AROUND = " \t\r\n\"'`*_.:;,!()[]{}<>\u201c\u201d\u2018\u2019"  # what models put around a word
_BLANKS = re.compile(r"[ \t]+")


def normalized(text: str) -> str:
    """Return a word as it is compared: without capitals, doubled blanks and punctuation around it."""
    return _BLANKS.sub(" ", text.strip(_AROUND)).casefold()


_NUMBER = re.compile(r"[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]+)?")


class RouterSettings(Declared):
    """The settings of a ``router`` node."""

    key: str = field(
        min_length=1,
        description="The state key (dotted path) that holds the number.",
        examples=["amount"],
        json_schema_extra=holding("path"),
    )
    threshold: float = field(description="The route is high from this number on.", examples=[100])
    high: str = field(
        min_length=1,
        description="The route when the number is at least the threshold.",
        examples=["high"],
    )
    low: str = field(min_length=1, description="The route when it is below.", examples=["low"])
    output: str = field(
        "route",
        min_length=1,
        description="The state key for the route.",
        json_schema_extra=holding("key"),
    )


class RouterNode(BaseNode):
    """Compares a number with a threshold and writes a route.

    A number in a text counts (``"1200"``, ``" 12.5 "``). Anything else fails: a missing amount must not
    slip through as a small one.
    """

    type: ClassVar[str] = "router"
    Settings = RouterSettings
    settings: RouterSettings

    def execute(self, state: State) -> NodeResult:
        """Choose."""
        settings = self.settings
        route = settings.high if self._number(state) >= settings.threshold else settings.low
        return NodeResult({settings.output: route}, route)

    def _number(self, state: State) -> float:
        key = self.settings.key
        head = key.split(".")[0]
        values = {name: state[name] for name in (key, head) if name in state}
        try:
            value: Any = read_path(values, key)
        except KeyError as error:
            raise _missing(key, error.args[0], state, values) from None
        number = _number(value)
        if number is None:
            raise NodeFailed(
                f"{key!r} is {shown_value(value)}, and a router needs a number",
                hint="write a number, or a text that is only a number",
            )
        return number

    def facts(self) -> NodeFacts:
        """Declare the key that it looks at, and its route."""
        head = self.settings.key.split(".")[0]
        return NodeFacts(reads=frozenset({head}), writes=frozenset({self.settings.output}))


def _number(value: Any) -> float | None:
    """Read the value as a finite number; None when it is none. A boolean is none."""
    if isinstance(value, str) and _NUMBER.fullmatch(value.strip()):
        value = float(value)
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def _missing(key: str, part: str, state: State, values: dict[str, Any]) -> NodeFailed:
    before, _, last = part.rpartition(".")
    known: Any = read_path(values, before) if before else state
    hint = did_you_mean(last, known, listing="there are") if isinstance(known, (dict, type(state))) else ""
    return NodeFailed(f"{key!r} is missing: the state has no {part!r}", hint=hint)
