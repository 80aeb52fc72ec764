"""A state machine of Amazon States Language as it was read: its states, and the ways between them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, cast

from ..conditions.base import Expression
from ..values.errors import ExpressionError, GraphFileError
from ..values.json_values import Json, dumps, preview
from ..values.problems import did_you_mean
from .json_text import line_of, parse_json
from .mended import Mended, short, some_names
from .reading import refuse_too_many, refused
from .states_rules import Untold, choice_rule, if_there

ERROR = "error"
"""The state key that says what failed: Fail writes it, and the edges of a Catch read it."""
NO_DEFAULT = "a Choice without Default ends the run where nothing matches"
_TYPES = ("Task", "Choice", "Pass", "Wait", "Succeed", "Fail")
_SIDE_BY_SIDE = ("Parallel", "Map")
_APART = "import each of its branches as a graph, and name these by nodes of the type subgraph, in a row"
_LONGEST = 500


@dataclass(frozen=True, slots=True)
class StatesWay:
    """A way from one state to another."""

    source: str
    target: str | None
    """The state that it leads to; None for the end."""
    asked: str | None = None
    """The expression that must be true for it."""
    label: str | None = None
    note: str = ""
    is_choice: bool = False
    """Whether a rule of a Choice asks for it."""


class StatesMachine:
    """One state machine.

    Args:
        text: The whole text.
        name: The file's name in problems.

    Raises:
        GraphFileError: It is none, or has states that run side by side; the problem has the line.
    """

    def __init__(self, text: str, name: str) -> None:
        self._text, self._file = text, name
        self.mended = Mended()
        """What was mended or left out, and at which states."""
        self.ways: list[StatesWay] = []
        """The ways between the states; of each state in the order in which they are tried."""
        top = parse_json(text, name)
        if not isinstance(top, dict):
            raise self.wrong((), "a state machine is a table with StartAt and States")
        self.top = top
        """The whole of it."""
        self.states = self._checked(top)
        """The states by name, each a table with a type that is known."""
        self.start = self._end(top.get("StartAt"), ("StartAt",))
        """The state that runs first."""
        for state in self.states:
            self._leave(state)
        refuse_too_many(len(self.states), len(self.ways), name)

    def note(self, how: str, state: str) -> None:
        """Keep what was mended or left out, and at which state."""
        self.mended.add(how, short(state))

    def wrong(
        self, path: tuple[str | int, ...], message: str, hint: str = "", code: str = "F031"
    ) -> GraphFileError:
        """Make the error for what is wrong at a path."""
        return refused(code, message, self._file, line_of(self._text, path), hint)

    def _checked(self, top: Mapping[str, Json]) -> dict[str, dict[str, Any]]:
        states = top.get("States")
        if not isinstance(states, dict) or not states:
            raise self.wrong(
                ("States",), "States is a table with at least one state", 'such as "A": {"Type": "Pass"}'
            )
        refuse_too_many(len(states), 0, self._file)
        for name, state in states.items():
            if not isinstance(state, dict):
                raise self.wrong(("States", name), f"state {name!r} is not a table", "give it a Type")
            self._check_type(name, state.get("Type"))
        return cast("dict[str, dict[str, Any]]", states)

    def _check_type(self, name: str, kind: Json) -> None:
        path = ("States", name, "Type")
        if kind in _SIDE_BY_SIDE:
            message = f"state {name!r} is a {kind}, and what runs side by side is not carried"
            raise self.wrong(path, message, _APART, "F033")
        if kind not in _TYPES:
            known = kind if isinstance(kind, str) else ""
            hint = did_you_mean(known, _TYPES, listing="there are")
            raise self.wrong(path, f"state {name!r} has the type {preview(kind)}", hint)

    def _end(self, target: Json, path: tuple[str | int, ...]) -> str:
        """Check that something leads to a state, and name that."""
        if isinstance(target, str) and target in self.states:
            return target
        where = ".".join(map(str, path))
        if not isinstance(target, str):
            raise self.wrong(path, f"{where} is {preview(target)}, not the name of a state")
        hint = did_you_mean(target, self.states)
        raise self.wrong(path, f"{where} names {preview(target)}, and there is no such state", hint)

    def _leave(self, name: str) -> None:
        """Find the ways out of a state."""
        state, path = self.states[name], ("States", name)
        if state["Type"] in ("Succeed", "Fail"):
            self.ways.append(StatesWay(name, None))
            return
        if state["Type"] == "Choice":
            self._choose(name, state)
            return
        for position, catcher in enumerate(self._tables(state.get("Catch", []), (*path, "Catch"))):
            target = self._end(catcher.get("Next"), (*path, "Catch", position, "Next"))
            self.ways.append(_caught(name, target, catcher))
            self._leave_out(name, catcher)
            self.note("a Catch became an edge that is taken where the key 'error' is set", name)
        if state.get("End") is True:
            self.ways.append(StatesWay(name, None))
        elif "Next" in state:
            self.ways.append(StatesWay(name, self._end(state["Next"], (*path, "Next"))))
        else:
            hint = 'write "End": true, or where it goes on'
            raise self.wrong(path, f"state {name!r} has neither Next nor End", hint)

    def _choose(self, name: str, state: Mapping[str, Any]) -> None:
        path = ("States", name, "Choices")
        rules = self._tables(state.get("Choices"), path)
        if not rules:
            raise self.wrong(path, f"state {name!r} has no Choices", "give it one rule at least")
        for position, rule in enumerate(rules):
            target = self._end(rule.get("Next"), (*path, position, "Next"))
            asked, note = self._asked(name, position, rule), words(rule.get("Comment"))
            if asked is None:
                said = {key: value for key, value in rule.items() if key not in ("Next", "Comment")}
                note = f"{note} Its rule: {dumps(said)}".strip()
                asked = "False"
            else:
                self._leave_out(name, rule)
            self.ways.append(StatesWay(name, target, asked, None, note, is_choice=True))
        if "Default" in state:
            target = self._end(state["Default"], ("States", name, "Default"))
            self.ways.append(StatesWay(name, target, None, "default"))
        else:
            self.note(NO_DEFAULT, name)

    def _leave_out(self, name: str, part: Mapping[str, Any]) -> None:
        """Tell what a rule or a Catch would set on its way."""
        for key in ("Assign", "Output"):
            if key in part:
                self.note(f"{key} is left out", name)

    def _asked(self, name: str, position: int, rule: Mapping[str, Any]) -> str | None:
        """Read a rule; None where there are no words for it here."""
        try:
            return Expression(choice_rule(rule)).text
        except TypeError as error:
            path = ("States", name, "Choices", position)
            raise self.wrong(path, f"rule {position + 1} of state {name!r}: {error}") from None
        except (Untold, ExpressionError):
            self.note("a rule has no words here, so its edge is never taken: write its condition", name)
            return None

    def _tables(self, value: Any, path: tuple[str | int, ...]) -> list[dict[str, Any]]:
        where = ".".join(map(str, path))
        if not isinstance(value, list):
            raise self.wrong(path, f"{where} is {preview(value)}, not a list")
        for position, item in enumerate(value):
            if not isinstance(item, dict):
                raise self.wrong(
                    (*path, position), f"{where} has {preview(item)} in it, which is not a table"
                )
        return value


def words(value: Any) -> str:
    """Give a text that somebody wrote for people; empty for what is none."""
    return value.strip() if isinstance(value, str) else ""


def _caught(name: str, target: str, catcher: Mapping[str, Any]) -> StatesWay:
    """Make the way of a Catch."""
    named = catcher.get("ErrorEquals")
    errors = [error for error in named if isinstance(error, str)] if isinstance(named, list) else []
    asked = f"{ERROR} is not None"
    if errors and "States.ALL" not in errors and len(dumps([*errors])) < _LONGEST:
        asked = if_there(f"{ERROR}.Error in {dumps([*errors])}", (ERROR,), (ERROR, "Error"))
    label = f"on {some_names(errors)}" if errors else "on any error"
    return StatesWay(name, target, asked, label, words(catcher.get("Comment")))
