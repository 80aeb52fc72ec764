"""Reading Amazon States Language: what Step Functions runs, as a graph that runs offline.

A Task becomes a tool with a canned answer, a Pass sets what it says, a Choice has the edges, a Wait waits,
and Succeed and Fail lead to the end. What conditions ask for is made up, so that they can be asked. Paths are
read where they lead to one place in the state; what else Step Functions computes is told in notes.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, cast

from ...conditions.base import Expression
from ...expressions.spelling import HIDDEN, path_text
from ...formats.dag import distances
from ...formats.jsonl import line_of, parse_json
from ...formats.mermaid import UniqueTexts
from ...formats.reading import Imported, graph_name, refuse_too_many, refused
from ...graphs.builder import StateGraph
from ...graphs.parts import END, RESERVED
from ...nodes.transform import TransformSettings
from ...nodes.wait import WaitSettings
from ...values.declared import LONGEST, plain_table
from ...values.errors import ExpressionError, GraphFileError
from ...values.json_values import Json, dumps, preview
from ...values.problems import did_you_mean
from .drafting import Mended, short, some_names
from .states_rules import Untold, choice_rule, if_there, json_path, sample_state

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
    """Return a text that somebody wrote for people; empty for what is none."""
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


_SHOWN = 60
_STARTS = re.compile(r'"StartAt"\s*:')
_STATES = re.compile(r'"States"\s*:')
_BRACE = re.compile(r"\{(?=[{%#])")
_WAITS = {"Seconds": "for", "SecondsPath": "for", "Timestamp": "until", "TimestampPath": "until"}
_LEFT_OUT = (
    "Assign", "Credentials", "HeartbeatSeconds", "HeartbeatSecondsPath", "InputPath", "Output", "OutputPath",
    "ResultSelector", "TimeoutSecondsPath",
)  # fmt: skip


def looks_like(text: str) -> bool:
    """Check whether a text may be a state machine."""
    return text.lstrip()[:1] == "{" and bool(_STARTS.search(text) and _STATES.search(text))


def read(text: str, name: str) -> Imported:
    """Read a state machine.

    Raises:
        GraphFileError: It is none, or has states that run side by side; the problem has the line.
    """
    return _Draft(StatesMachine(text, name), name).imported()


class _Draft:
    """Makes the graph of a state machine.

    Args:
        machine: The machine.
        file: The file's name.
    """

    def __init__(self, machine: StatesMachine, file: str) -> None:
        self._machine = machine
        self._sample = _made_up(machine)
        self._keys = {*self._sample, *HIDDEN, ERROR}
        taken = UniqueTexts(RESERVED)
        self._names = {state: taken.fresh(_printable(state)) for state in machine.states}
        self._tools: dict[tuple[str, str], str] = {}
        seconds = machine.top.get("TimeoutSeconds")
        self._graph = StateGraph(
            graph_name(file),
            start=self._names[machine.start],
            max_steps=min(max(50, 4 * len(machine.states)), 10_000),
            max_seconds=seconds if type(seconds) is int and seconds > 0 else None,
            on_no_match="end" if NO_DEFAULT in machine.mended else "fail",
            note=words(machine.top.get("Comment")),
        )

    def imported(self) -> Imported:
        """Make it."""
        graph, machine = self._graph, self._machine
        for key, value in self._sample.items():
            graph.add_key(key, default=value, input=True, note="Made up, so that conditions can ask for it.")
        makers = {"Task": self._task, "Pass": self._pass, "Wait": self._wait, "Fail": self._fail}
        for name, state in machine.states.items():
            make = makers.get(state["Type"])
            for key in _LEFT_OUT:
                if key in state:
                    machine.note(f"{key} is left out", name)
            kind, settings = make(name, state) if make is not None else ("transform", {})
            timeout = _length(state.get("TimeoutSeconds")) if state["Type"] == "Task" else None
            note = words(state.get("Comment"))
            graph.declare_node(self._names[name], kind, settings, note=note, timeout=timeout)
        for way in machine.ways:
            target = END if way.target is None else self._names[way.target]
            graph.add_edge(self._names[way.source], target, way.asked, way.label, way.note)
        return Imported(graph, "Amazon States Language", self._notes())

    def _notes(self) -> tuple[str, ...]:
        told = (
            [f"made up, so that conditions can be asked: {some_names(self._sample)}"] if self._sample else []
        )
        renamed = [f"{old} is {new}" for old, new in self._names.items() if old != new]
        told += [f"names that no node may have were changed: {some_names(renamed)}"] if renamed else []
        return (*told, *self._machine.mended.notes())

    # What states do

    def _task(self, name: str, state: Mapping[str, Any]) -> tuple[str, dict[str, Json]]:
        note = self._machine.note
        if state.get("Retry"):
            note("Retry is left out: a failed run goes on by `stepgraph retry`", name)
        key = self._result_key(name, state)
        result = self._sample.get(key, {"canned": True})
        if not isinstance(result, dict):
            note("the result of a task is a value that is set, for a tool answers with a table", name)
            return "transform", {"set": {key: _escaped(result)}}
        settings: dict[str, Json] = {"tool": self._tool(state, result), "output": key}
        given = state.get("Parameters", state.get("Arguments"))
        if isinstance(given, dict) and given:
            settings["arguments"] = self._filled(given, name)
        elif given not in (None, {}):
            note("arguments that are not a table are left out", name)
        return "tool", settings

    def _tool(self, state: Mapping[str, Any], result: dict[str, Json]) -> str:
        """Declare the tool of a task with its canned answer; tasks that call the same share it."""
        resource, given = state.get("Resource"), state.get("Parameters", state.get("Arguments"))
        function = given.get("FunctionName") if isinstance(given, dict) else None
        text = next((each for each in (function, resource) if isinstance(each, str) and each.strip()), "task")
        known = (text, dumps(result))
        if known not in self._tools:
            called = text.partition(":function:")[2].partition(":")[0] or text.rpartition(":::")[2]
            wanted = re.sub(r"[^\w.-]+", "_", called)[:_SHOWN].strip("_") or "task"
            self._tools[known] = tool = UniqueTexts(self._graph.tools).fresh(wanted)
            self._graph.add_tool(tool, returns=result, note=words(resource))
        return self._tools[known]

    def _pass(self, name: str, state: Mapping[str, Any]) -> tuple[str, dict[str, Json]]:
        fixed = "Result" in state
        given, whole = state.get("Result" if fixed else "Parameters"), state.get("ResultPath", "$")
        if given is None or whole is None:
            return "transform", {}
        value = _escaped(given) if fixed else self._filled(given, name)
        table = value if isinstance(value, dict) and whole == "$" else {self._result_key(name, state): value}
        kept = {key: item for key, item in table.items() if _can_set(key, item)}
        if len(kept) < len(table):
            self._machine.note("what has dots or nothing for a name is left out", name)
        return "transform", {"set": kept} if kept else {}

    def _fail(self, name: str, state: Mapping[str, Any]) -> tuple[str, dict[str, Json]]:
        self._machine.note("a Fail writes the key 'error', and the run ends", name)
        told: dict[str, Json] = {}
        for key in ("Error", "Cause"):
            value = state.get(key, state.get(f"{key}Path", ""))
            told[key] = self._filled_text(value if isinstance(value, str) else dumps(value), name)
        return "transform", {"set": {ERROR: told}}

    def _wait(self, name: str, state: Mapping[str, Any]) -> tuple[str, dict[str, Json]]:
        given = [key for key in _WAITS if key in state]
        if len(given) != 1:
            message = f"state {name!r} says {len(given)} times how long it waits, not once"
            raise self._machine.wrong(("States", name), message, f"give it one of {', '.join(_WAITS)}")
        (key,) = given
        value, setting = state[key], _WAITS[key]
        path = json_path(value) if key.endswith("Path") else None
        text = _length(value) if key == "Seconds" else value
        if path is not None and setting == "for":
            text = f"{{{{ {path_text(path)} | default(0) }}}}s"
        elif path is not None:
            text = f"{{{{ {path_text(path)} | default('1970-01-01T00:00:00Z') }}}}"
        settings: dict[str, Json] = {setting: text}
        if plain_table(WaitSettings, settings) is None or (path is None and "{" in str(text)):
            self._machine.note("how long it waits has no words here, so it does not wait", name)
            settings = {"for": "0"}
        return "wait", settings

    # Texts and values

    def _filled(self, value: Any, name: str) -> Json:
        """Turn the paths in what a state gives into templates."""
        if isinstance(value, list):
            return [self._filled(item, name) for item in value]
        if isinstance(value, dict):
            fills = {True: self._filled_text, False: self._filled}
            return {
                key.removesuffix(".$"): fills[key.endswith(".$")](item, name) for key, item in value.items()
            }
        is_jsonata = isinstance(value, str) and value.startswith("{%")
        return self._filled_text(value, name) if is_jsonata else _escaped(value)

    def _filled_text(self, text: Any, name: str) -> Json:
        """Turn a plain path into a template; what is computed stays a text."""
        path = json_path(text)
        if path is not None:
            return f"{{{{ {path_text(path)} | default('') }}}}"
        if isinstance(text, str) and text.startswith(("$", "States.", "{%")):
            self._machine.note("a value that is computed is a text here", name)
        return _escaped(text)

    def _result_key(self, name: str, state: Mapping[str, Any]) -> str:
        """Name the key that takes a result: the one that its ResultPath is, or one of its own."""
        path = json_path(state.get("ResultPath"))
        if path is not None and len(path) == 1:
            return str(path[0])
        if state.get("ResultPath", "$") not in ("$", None):
            self._machine.note("a result has a key of its own where ResultPath is more than a key", name)
        elif state["Type"] == "Task":
            note = "the result of a task has a key of its own, and does not replace its input"
            self._machine.note(note, name)
        return self._own_key(name)

    def _own_key(self, name: str) -> str:
        """Name the key that has the result of a state."""
        wanted = re.sub(r"\W+", "_", name)[:_SHOWN].strip("_").lower() or "result"
        return UniqueTexts(self._keys).fresh(wanted)


def _made_up(machine: StatesMachine) -> dict[str, Json]:
    """Make up what conditions ask for, so that of each Choice the way to a good end is taken, if one is."""
    ways = [
        way for way in machine.ways if way.target is not None or machine.states[way.source]["Type"] != "Fail"
    ]
    far = distances(((way.source, way.target) for way in ways), None)
    asking = sorted((way for way in ways if way.is_choice), key=lambda way: far.get(way.target, len(far)))
    return sample_state(Expression(way.asked) for way in asking if way.asked is not None)


def _can_set(key: str, value: Json) -> bool:
    """Check whether a key, and all keys inside of its value, are such as paths have."""
    return bool(key) and "." not in key and plain_table(TransformSettings, {"set": {key: value}}) is not None


def _length(seconds: Any) -> str | None:
    """Write a number of seconds as a length of time; None for what is none."""
    return f"{seconds}s" if type(seconds) is int and 0 <= seconds <= LONGEST else None


def _printable(name: str) -> str:
    """Make of any text one that may name a node."""
    told = "".join(char if char.isprintable() and char != "/" else " " for char in name).strip()
    return told or "state"


def _escaped(value: Any) -> Json:
    """Keep texts as they are where templates are read."""
    if isinstance(value, str):
        return _BRACE.sub("{{ '{' }}", value)
    if isinstance(value, list):
        return [_escaped(item) for item in value]
    if isinstance(value, dict):
        return {key: _escaped(item) for key, item in value.items()}
    return value  # type: ignore[no-any-return]  # JSON by the parser
