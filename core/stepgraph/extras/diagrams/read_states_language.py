"""Reading Amazon States Language: what Step Functions runs, as a graph that runs offline.

A Task becomes a tool with a scripted answer, a Pass sets values, a Choice has the edges, a Wait waits, and
Succeed and Fail lead to the end. Map and Parallel keep their place, and their notes say what is missing. The
state begins with values that the conditions can be evaluated on. Paths of names are read; notes list what
else Step Functions computes.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from ...conditions.base import Expression
from ...expressions.tree import HIDDEN, path_text
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
"""The state key for failures: Fail writes it, and the edges of a Catch read it."""

_SIDE_BY_SIDE = ("Parallel", "Map")
_TYPES = ("Task", "Choice", "Pass", "Wait", "Succeed", "Fail", *_SIDE_BY_SIDE)
_APART = (
    "runs side by side, so what is inside is left out: import each branch as a graph, and put subgraph nodes"
    " in a row"
)
_LEFT_OUT = (
    "Assign", "Credentials", "HeartbeatSeconds", "HeartbeatSecondsPath", "InputPath", "Output", "OutputPath",
    "ResultSelector", "TimeoutSecondsPath",
)  # fmt: skip
_WAITS = {"Seconds": "for", "SecondsPath": "for", "Timestamp": "until", "TimestampPath": "until"}
_LONGEST = 500
_SHOWN = 60
_STARTS = re.compile(r'"StartAt"\s*:')
_STATES = re.compile(r'"States"\s*:')
_BRACE = re.compile(r"\{(?=[{%#])")

_Place = tuple[str | int, ...]
_Node = tuple[str, dict[str, Json]]  # type and settings


def looks_like(text: str) -> bool:
    """Check whether a text may be a state machine."""
    return text.lstrip()[:1] == "{" and bool(_STARTS.search(text) and _STATES.search(text))


def read(text: str, name: str) -> Imported:
    """Read a state machine.

    Raises:
        GraphFileError: It is not one; the problem has the line.
    """
    return _StateMachine(text, name).imported()


class _StateWay(NamedTuple):
    """An edge to be; no target is the end, and ``asked`` an expression."""

    source: str
    target: str | None
    asked: str | None = None
    label: str | None = None
    note: str = ""
    is_choice: bool = False


class _StateMachine:
    """One state machine, and the graph that is made from it.

    Args:
        text: The whole text.
        file: The file's name in problems.

    Raises:
        GraphFileError: It is not a state machine; the problem has the line.
    """

    def __init__(self, text: str, file: str) -> None:
        self._text, self._file = text, file
        self._mended = Mended()
        top = parse_json(text, file)
        if not isinstance(top, dict):
            raise self._wrong((), "a state machine is a table with StartAt and States")
        self._states = self._checked(top.get("States"))
        start = self._end(top.get("StartAt"), ("StartAt",))
        self._ways = [way for name, state in self._states.items() for way in self._leave(name, state)]
        refuse_too_many(len(self._states), len(self._ways), file)
        self._sample = self._made_up()
        self._keys = {*self._sample, *HIDDEN, ERROR}
        taken = UniqueTexts(RESERVED)
        self._names = {state: taken.fresh(_printable(state)) for state in self._states}
        self._tools: dict[tuple[str, str], str] = {}
        ends = any(state["Type"] == "Choice" and "Default" not in state for state in self._states.values())
        seconds = top.get("TimeoutSeconds")
        self._graph = StateGraph(
            graph_name(file),
            start=self._names[start],
            max_steps=min(max(50, 4 * len(self._states)), 10_000),
            max_seconds=seconds if type(seconds) is int and seconds > 0 else None,
            on_no_match="end" if ends else "fail",
            note=_words(top.get("Comment")),
        )

    def imported(self) -> Imported:
        """Build the graph."""
        graph, names = self._graph, self._names
        for key, value in self._sample.items():
            graph.add_key(key, default=value, input=True, note="Made up, so that conditions can ask for it.")
        makers = {"Task": self._task, "Pass": self._pass, "Wait": self._wait, "Fail": self._fail}
        for name, state in self._states.items():
            make, note = makers.get(state["Type"]), _words(state.get("Comment"))
            if state["Type"] in _SIDE_BY_SIDE:
                self._note(f"{state['Type']} {_APART}", name)
                note = f"{note} {state['Type']}: what it ran side by side is not here.".strip()
            for key in _LEFT_OUT:
                if key in state:
                    self._note(f"{key} is left out", name)
            kind, settings = make(name, state) if make is not None else ("transform", {})
            timeout = _length(state.get("TimeoutSeconds")) if state["Type"] == "Task" else None
            graph.declare_node(names[name], kind, settings, note=note, timeout=timeout)
        for way in self._ways:
            target = END if way.target is None else names[way.target]
            graph.add_edge(names[way.source], target, way.asked, way.label, way.note)
        made_up = some_names(self._sample)
        notes = [f"made up, so that conditions can be asked: {made_up}"] if self._sample else []
        renamed = [f"{old} is {new}" for old, new in names.items() if old != new]
        notes += [f"names that no node may have were changed: {some_names(renamed)}"] if renamed else []
        return Imported(graph, "Amazon States Language", (*notes, *self._mended.notes()))

    # Reading

    def _note(self, how: str, state: str) -> None:
        self._mended.add(how, short(state))

    def _wrong(self, path: _Place, message: str, hint: str = "") -> GraphFileError:
        return refused("F031", message, self._file, line_of(self._text, path), hint)

    def _checked(self, states: Json) -> dict[str, dict[str, Any]]:
        if not isinstance(states, dict) or not states:
            hint = 'such as "A": {"Type": "Pass"}'
            raise self._wrong(("States",), "States is a table with at least one state", hint)
        refuse_too_many(len(states), 0, self._file)
        checked: dict[str, dict[str, Any]] = {}
        for name, state in states.items():
            if not isinstance(state, dict):
                raise self._wrong(("States", name), f"state {name!r} is not a table", "give it a Type")
            kind = state.get("Type")
            if kind not in _TYPES:
                hint = did_you_mean(kind if isinstance(kind, str) else "", _TYPES, listing="there are")
                message = f"state {name!r} has the type {preview(kind)}"
                raise self._wrong(("States", name, "Type"), message, hint)
            checked[name] = state
        return checked

    def _end(self, target: Json, path: _Place) -> str:
        """Check that something leads to a state, and name that."""
        if isinstance(target, str) and target in self._states:
            return target
        where = ".".join(map(str, path))
        if not isinstance(target, str):
            raise self._wrong(path, f"{where} is {preview(target)}, not the name of a state")
        hint = did_you_mean(target, self._states)
        raise self._wrong(path, f"{where} names {preview(target)}, and there is no such state", hint)

    def _leave(self, name: str, state: Mapping[str, Any]) -> Iterator[_StateWay]:
        """Find the ways out of a state, in the order in which they are tried."""
        path = ("States", name)
        if state["Type"] in ("Succeed", "Fail"):
            yield _StateWay(name, None)
            return
        if state["Type"] == "Choice":
            yield from self._choose(name, state)
            return
        for position, catcher in enumerate(self._tables(state.get("Catch", []), (*path, "Catch"))):
            target = self._end(catcher.get("Next"), (*path, "Catch", position, "Next"))
            yield _caught(name, target, catcher)
            self._leave_out(name, catcher)
            self._note("a Catch became an edge that is taken where the key 'error' is set", name)
        if state.get("End") is True:
            yield _StateWay(name, None)
        elif "Next" in state:
            yield _StateWay(name, self._end(state["Next"], (*path, "Next")))
        else:
            hint = 'write "End": true, or where it goes on'
            raise self._wrong(path, f"state {name!r} has neither Next nor End", hint)

    def _choose(self, name: str, state: Mapping[str, Any]) -> Iterator[_StateWay]:
        path = ("States", name, "Choices")
        rules = self._tables(state.get("Choices"), path)
        if not rules:
            raise self._wrong(path, f"state {name!r} has no Choices", "give it one rule at least")
        for position, rule in enumerate(rules):
            target = self._end(rule.get("Next"), (*path, position, "Next"))
            asked, note = self._rule_expression(name, position, rule), _words(rule.get("Comment"))
            if asked is None:
                rest = {key: value for key, value in rule.items() if key not in ("Next", "Comment")}
                note = f"{note} Its rule: {dumps(rest)}".strip()
            else:
                self._leave_out(name, rule)
            yield _StateWay(name, target, asked or "False", None, note, is_choice=True)
        if "Default" in state:
            yield _StateWay(name, self._end(state["Default"], ("States", name, "Default")), None, "default")
        else:
            self._note("a Choice without Default ends the run where nothing matches", name)

    def _leave_out(self, name: str, part: Mapping[str, Any]) -> None:
        """Note what a rule or a Catch would set on its way."""
        for key in ("Assign", "Output"):
            if key in part:
                self._note(f"{key} is left out", name)

    def _rule_expression(self, name: str, position: int, rule: Mapping[str, Any]) -> str | None:
        """Read a rule as an expression; None where there is none for it."""
        try:
            return Expression(choice_rule(rule)).text
        except TypeError as error:
            path = ("States", name, "Choices", position)
            raise self._wrong(path, f"rule {position + 1} of state {name!r}: {error}") from None
        except (Untold, ExpressionError):
            self._note("a rule has no words here, so its edge is never taken: write its condition", name)
            return None

    def _tables(self, value: Any, path: _Place) -> list[dict[str, Any]]:
        where = ".".join(map(str, path))
        if not isinstance(value, list):
            raise self._wrong(path, f"{where} is {preview(value)}, not a list")
        for position, item in enumerate(value):
            if not isinstance(item, dict):
                message = f"{where} has {preview(item)} in it, which is not a table"
                raise self._wrong((*path, position), message)
        return value

    def _made_up(self) -> dict[str, Json]:
        """Invent values for conditions, so that each Choice leads to a good end, if one does."""
        ways = [way for way in self._ways if self._states[way.source]["Type"] != "Fail"]
        far = distances(((way.source, way.target) for way in ways), None)
        asking = sorted((way for way in ways if way.is_choice), key=lambda way: far.get(way.target, len(far)))
        return sample_state(Expression(way.asked) for way in asking if way.asked is not None)

    # What states do

    def _task(self, name: str, state: Mapping[str, Any]) -> _Node:
        if state.get("Retry"):
            self._note("Retry is left out: a failed run goes on by `stepgraph retry`", name)
        key = self._result_key(name, state)
        result = self._sample.get(key, {"scripted": True})
        if not isinstance(result, dict):
            self._note("the result of a task is a value that is set, for a tool answers with a table", name)
            return "transform", {"set": {key: _escaped(result)}}
        settings: dict[str, Json] = {"tool": self._tool(state, result), "output": key}
        given = state.get("Parameters", state.get("Arguments"))
        if isinstance(given, dict) and given:
            settings["arguments"] = self._filled(given, name)
        elif given not in (None, {}):
            self._note("arguments that are not a table are left out", name)
        return "tool", settings

    def _tool(self, state: Mapping[str, Any], result: dict[str, Json]) -> str:
        """Declare the tool of a task with its scripted answer; tasks that call the same share it."""
        resource, given = state.get("Resource"), state.get("Parameters", state.get("Arguments"))
        function = given.get("FunctionName") if isinstance(given, dict) else None
        text = next((each for each in (function, resource) if isinstance(each, str) and each.strip()), "task")
        known = (text, dumps(result))
        if known not in self._tools:
            called = text.partition(":function:")[2].partition(":")[0] or text.rpartition(":::")[2]
            wanted = re.sub(r"[^\w.-]+", "_", called)[:_SHOWN].strip("_") or "task"
            self._tools[known] = tool = UniqueTexts(self._graph.tools).fresh(wanted)
            self._graph.add_tool(tool, returns=result, note=_words(resource))
        return self._tools[known]

    def _pass(self, name: str, state: Mapping[str, Any]) -> _Node:
        fixed = "Result" in state
        given, whole = state.get("Result" if fixed else "Parameters"), state.get("ResultPath", "$")
        if given is None or whole is None:
            return "transform", {}
        value = _escaped(given) if fixed else self._filled(given, name)
        table = value if isinstance(value, dict) and whole == "$" else {self._result_key(name, state): value}
        kept = {key: item for key, item in table.items() if _can_set(key, item)}
        if len(kept) < len(table):
            self._note("what has dots or nothing for a name is left out", name)
        return "transform", {"set": kept} if kept else {}

    def _fail(self, name: str, state: Mapping[str, Any]) -> _Node:
        self._note("a Fail writes the key 'error', and the run ends", name)
        texts: dict[str, Json] = {}
        for key in ("Error", "Cause"):
            value = state.get(key, state.get(f"{key}Path", ""))
            texts[key] = self._filled_text(value if isinstance(value, str) else dumps(value), name)
        return "transform", {"set": {ERROR: texts}}

    def _wait(self, name: str, state: Mapping[str, Any]) -> _Node:
        given = [key for key in _WAITS if key in state]
        if len(given) != 1:
            message = f"state {name!r} says {len(given)} times how long it waits, not once"
            raise self._wrong(("States", name), message, f"give it one of {', '.join(_WAITS)}")
        (key,) = given
        text, setting = _length(state[key]) if key == "Seconds" else state[key], _WAITS[key]
        path = json_path(text) if key.endswith("Path") else None
        if path is not None:
            fallback, unit = ("0", "s") if setting == "for" else ("'1970-01-01T00:00:00Z'", "")
            text = f"{{{{ {path_text(path)} | default({fallback}) }}}}{unit}"
        settings: dict[str, Json] = {setting: text}
        if plain_table(WaitSettings, settings) is None or (path is None and "{" in str(text)):
            self._note("how long it waits has no words here, so it does not wait", name)
            settings = {"for": "0"}
        return "wait", settings

    # Texts and values

    def _filled(self, value: Any, name: str) -> Json:
        """Turn the paths in what a state gives into templates."""
        if isinstance(value, list):
            return [self._filled(item, name) for item in value]
        if isinstance(value, dict):
            fill = {True: self._filled_text, False: self._filled}
            return {
                key.removesuffix(".$"): fill[key.endswith(".$")](item, name) for key, item in value.items()
            }
        is_jsonata = isinstance(value, str) and value.startswith("{%")
        return self._filled_text(value, name) if is_jsonata else _escaped(value)

    def _filled_text(self, text: Any, name: str) -> Json:
        """Turn a path of names into a template; what is computed stays a text."""
        path = json_path(text)
        if path is not None:
            return f"{{{{ {path_text(path)} | default('') }}}}"
        if isinstance(text, str) and text.startswith(("$", "States.", "{%")):
            self._note("a value that is computed is a text here", name)
        return _escaped(text)

    def _result_key(self, name: str, state: Mapping[str, Any]) -> str:
        """Name the key that takes a result: the one that its ResultPath is, or one of its own."""
        path = json_path(state.get("ResultPath"))
        if path is not None and len(path) == 1:
            return path[0]
        if state.get("ResultPath", "$") not in ("$", None):
            self._note("a result has a key of its own where ResultPath is more than a key", name)
        elif state["Type"] == "Task":
            self._note("the result of a task has a key of its own, and does not replace its input", name)
        wanted = re.sub(r"\W+", "_", name)[:_SHOWN].strip("_").lower() or "result"
        return UniqueTexts(self._keys).fresh(wanted)


def _caught(name: str, target: str, catcher: Mapping[str, Any]) -> _StateWay:
    """Build the path of a Catch."""
    named = catcher.get("ErrorEquals")
    errors = [error for error in named if isinstance(error, str)] if isinstance(named, list) else []
    asked = f"{ERROR} is not None"
    if errors and "States.ALL" not in errors and len(dumps([*errors])) < _LONGEST:
        asked = if_there(f"{ERROR}.Error in {dumps([*errors])}", (ERROR,), (ERROR, "Error"))
    label = f"on {some_names(errors)}" if errors else "on any error"
    return _StateWay(name, target, asked, label, _words(catcher.get("Comment")))


def _words(value: Any) -> str:
    """Return a text that somebody wrote for people; empty for what is none."""
    return value.strip() if isinstance(value, str) else ""


def _can_set(key: str, value: Json) -> bool:
    """Check whether a key, and all keys inside of its value, are such as paths have."""
    return bool(key) and "." not in key and plain_table(TransformSettings, {"set": {key: value}}) is not None


def _length(seconds: Any) -> str | None:
    """Write a number of seconds as a length of time; None for what is none."""
    return f"{seconds}s" if type(seconds) is int and 0 <= seconds <= LONGEST else None


def _printable(name: str) -> str:
    """Turn any text into one that may name a node."""
    printable = "".join(char if char.isprintable() and char != "/" else " " for char in name).strip()
    return printable or "state"


def _escaped(value: Any) -> Json:
    """Keep texts as they are where templates are read."""
    if isinstance(value, str):
        return _BRACE.sub("{{ '{' }}", value)
    if isinstance(value, list):
        return [_escaped(item) for item in value]
    if isinstance(value, dict):
        return {key: _escaped(item) for key, item in value.items()}
    return value  # type: ignore[no-any-return]  # JSON by the parser
