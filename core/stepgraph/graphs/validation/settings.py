"""The graph as a whole: its name, its start, its caps, the declared keys of its state."""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Container, Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, get_args

from ...conditions import Expression
from ...expressions.tree import FACTS
from ...values.errors import StateError
from ...values.json_values import Json, plain, type_name
from ...values.problems import did_you_mean, proposed_name
from ...values.state import HOLDS, Reducer, StateKey, ValueType, fits
from ..parts import MAX_STEPS, RESERVED, OnMaxSteps, OnNoMatch, ReviewPolicy, keys_set
from .report import KnownNames, comma_list, edge_name, is_sound, quoted

if TYPE_CHECKING:
    from ...models.client import ToolSpec
    from ...tools.known import KnownTools
    from ...values.problems import KeyPath
    from ..parts import Edge
    from .report import CheckedGraph, Report


def check_settings(checked: CheckedGraph, report: Report) -> None:
    """Report what is wrong with the graph's settings."""
    _name(checked.settings.name, report)
    if checked.nodes:
        _start(checked.settings.start, checked, report)
    else:  # what could it start with?
        report.error("G002", "the graph has no nodes", ("nodes",), "add the first one")
    _caps(checked, report)
    _feedback(checked, report)


def _name(name: object, report: Report) -> None:
    if not isinstance(name, str):
        report.error(
            "G001", f"the graph's name is {quoted(name)}, which is not text", ("name",), "name it by a text"
        )
    elif not name.strip():
        report.error("G001", "the graph has no name", ("name",), 'such as name = "refund-triage"')
    elif not is_sound(name):
        report.error(
            "G001", f"the graph's name {quoted(name)} contains an unpaired surrogate", ("name",), "retype it"
        )


def _start(start: object, checked: CheckedGraph, report: Report) -> None:
    known = f"name one of {comma_list(checked.nodes)}"
    if not isinstance(start, str):
        given = (
            "the graph has no start" if start is None else f"the start is {quoted(start)}, which is not text"
        )
        report.error("G007", given, ("start",), known)
    elif not start.strip():
        report.error("G007", "the graph has no start", ("start",), known)
    elif start in RESERVED:
        report.error("G009", "the graph starts at END, so nothing would ever run", ("start",), known)
    elif start not in checked.nodes:
        hint = checked.names.hint(start)
        report.error("G008", f"the start {quoted(start)} is not a node of the graph", ("start",), hint)


def _caps(checked: CheckedGraph, report: Report) -> None:
    settings = checked.settings
    steps: object = settings.max_steps
    if not isinstance(steps, int) or isinstance(steps, bool):
        message = f"max_steps is {quoted(steps)}, which is not a whole number"
        report.error(
            "G006", message, ("max_steps",), "give the largest number of steps a run may take, such as 50"
        )
    elif steps < 1:
        message = f"max_steps is {quoted(steps)}, so no run could take a step"
        report.error("G006", message, ("max_steps",), "give it 1 or more")
    elif steps > MAX_STEPS:
        message = f"max_steps is {quoted(steps)}, more than can be counted"
        report.error("G006", message, ("max_steps",), f"give it at most {MAX_STEPS:,}")
    for name, kind in (("on_max_steps", OnMaxSteps), ("on_no_match", OnNoMatch), ("review", ReviewPolicy)):
        value: object = getattr(settings, name)
        choices = get_args(kind)
        if value not in choices:
            hint = did_you_mean(str(value), choices, listing="it takes")
            report.error("G006", f"{name} is {quoted(value)}, which it does not take", (name,), hint)
    seconds: object = settings.max_seconds
    if seconds is not None and not _is_positive(seconds):
        message = f"max_seconds is {quoted(seconds)}, which is not a possible time limit"
        report.error("G006", message, ("max_seconds",), "give a number above 0, or leave it out")
    cost: object = settings.max_cost
    if cost is not None and not _is_positive(cost):
        message = f"max_cost is {quoted(cost)}, which is not an amount of US dollars"
        report.error("G006", message, ("max_cost",), "give a number above 0, or leave it out")
    tokens: object = settings.max_tokens
    if tokens is not None and not (type(tokens) is int and tokens > 0):
        message = f"max_tokens is {quoted(tokens)}, which is not a number of tokens"
        report.error("G006", message, ("max_tokens",), "give a whole number above 0, or leave it out")


def _is_positive(value: object) -> bool:
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return False
    return value > 0 and (isinstance(value, int) or math.isfinite(value))


def _feedback(checked: CheckedGraph, report: Report) -> None:
    feedback: object = checked.settings.feedback
    if not isinstance(feedback, bool):
        report.error("G006", f"feedback is {quoted(feedback)}", ("feedback",), "give it true or false")
    without: tuple[object, ...] = checked.settings.no_feedback
    letters = "".join(name for name in without if isinstance(name, str) and len(name) == 1)
    if len(letters) == len(without) > 1 and letters in checked.nodes:
        message = f"no_feedback is the text {quoted(letters)}, not a list of names"
        report.error("G015", message, ("no_feedback",), f"write [{letters!r}]")
        return
    for name in without:
        if not isinstance(name, str):
            message = f"no_feedback names {quoted(name)}, which is not text"
            report.error("G015", message, ("no_feedback",), "give the names of nodes")
        elif name not in checked.nodes:
            message = f"no_feedback names {quoted(name)}, which is not a node of the graph"
            report.error("G015", message, ("no_feedback",), checked.names.hint(name), name)


def check_keys(checked: CheckedGraph, report: Report) -> None:
    """Report what is wrong with the declarations of state keys."""
    for name, key in checked.graph.keys.items():
        _key(name, key, report)


def _key(name: object, key: StateKey, report: Report) -> None:
    if not isinstance(name, str):
        report.error("G022", f"the state key {quoted(name)} is not text", ("state",), "name it by a text")
        return
    path = ("state", name)
    what = f"the state key {quoted(name)}"
    if not name.strip():
        report.error("G022", "a state key has a blank name", path, "name it, or remove it")
    elif not is_sound(name):
        report.error("G022", f"{what} contains an unpaired surrogate", path, "retype it")
    report.flags("G022", what, {"input": key.input, "secret": key.secret}, path)
    sound = _choice("reducer", key.reducer, get_args(Reducer), what, name, report)
    if key.type is not None:
        sound &= _choice("type", key.type, get_args(ValueType), what, name, report)
    if sound:
        _fit(key, what, report)


def _choice(
    field: str, value: object, choices: tuple[str, ...], what: str, name: str, report: Report
) -> bool:
    if value in choices:
        return True
    hint = did_you_mean(str(value), choices, listing="it takes")
    report.error("G022", f"{what} has the unknown {field} {quoted(value)}", ("state", name, field), hint)
    return False


def _fit(key: StateKey, what: str, report: Report) -> None:
    """Report a type that the reducer cannot work with, and a default that fits neither."""
    held = HOLDS.get(key.reducer)
    if held is not None and key.type not in (None, held):
        message = f'{what} has the type {key.type}, but its reducer "{key.reducer}" makes it a {held}'
        report.error(
            "G022", message, ("state", key.name, "type"), f'make it type = "{held}", or leave it out'
        )
        return
    if not key.has_default or key.default is None:
        return
    path = ("state", key.name, "default")
    try:
        default: Json = plain(key.default, f'the default of state["{key.name[:60]}"]')
    except StateError as error:
        report.error("G022", error.message, path, error.hint)
        return
    wanted = key.type or held
    if wanted is not None and not fits(default, wanted):
        reason = "it is declared as" if key.type else f'its reducer "{key.reducer}" needs'
        message = f"the default of {what} is {_a(type_name(default))}, and {reason} {_a(wanted)}"
        report.error("G022", message, path, f"make the default {_a(wanted)}")


def _a(noun: str) -> str:
    return noun if noun in ("text", "null") else f"a {noun}"


def check_arguments(checked: CheckedGraph, report: Report, known: KnownTools | None) -> None:
    """Report arguments that a tool does not take or lacks, and tools that cannot be called here."""
    graph = checked.graph
    _open_nodes(checked, report)
    _uncalled(checked, report)
    if known is not None and known.servers is not None:
        _servers(checked, report, known.servers)
    calls = [
        (name, tool, given)
        for name, facts in checked.facts.items()
        for tool, given in facts.tool_arguments.items()
        if given is not None
    ]
    if not calls:
        return
    from ...tools.known import known_tools

    specs = {**known_tools(graph.tools.values(), None).specs, **(known.specs if known is not None else {})}
    for name, tool, given in calls:
        if tool in specs:
            _compare(name, tool, given, specs[tool], report)


def _open_nodes(checked: CheckedGraph, report: Report) -> None:
    """Report nodes that call what the state names, where a graph from a file names no tool at all."""
    if checked.graph.source is None or checked.graph.tools:
        return  # what is built in Python gets its tools with its executor
    if any(facts.tools for facts in checked.facts.values()):
        return
    for name, facts in checked.facts.items():
        if facts.call_key is not None and not facts.calls_any_tool:
            key = quoted(facts.call_key)
            message = f"node {quoted(name)} calls the tool that {key} names, and the graph names none"
            hint = 'write tools = ["server/tool"], or "any" for all tools of your servers; or declare tools'
            report.warning("G113", message, ("nodes", name), hint)


def _uncalled(checked: CheckedGraph, report: Report) -> None:
    """Report nodes that call what a key of the state names, where nothing before them can have written it."""
    keys, facts = checked.graph.keys, checked.facts
    for name, own in facts.items():
        key = own.call_key
        if key is None or (key in keys and (keys[key].input or keys[key].has_default)):
            continue
        writers = [
            other
            for other, its in facts.items()
            if its.call_key is None and (its.writes is None or key in its.writes)
        ]
        if name not in _behind(checked, writers):
            called = f"node {quoted(name)} calls the tool that {quoted(key)} names"
            message = f"{called}, and nothing before it writes that"
            hint = "lead an edge to it from a node that asks a model, or name its tool: tool = ..."
            report.warning("G114", message, ("nodes", name), hint, key)


def _behind(checked: CheckedGraph, nodes: Iterable[str]) -> set[str]:
    """Find the nodes that a run can come to after one of some nodes."""
    left, found = [target for node in nodes for target in checked.leads.get(node, ())], set[str]()
    while left:
        node = left.pop()
        if node not in found:
            found.add(node)
            left.extend(checked.leads.get(node, ()))
    return found


def _servers(checked: CheckedGraph, report: Report, servers: Container[str]) -> None:
    for name, facts in checked.facts.items():
        for tool in sorted(facts.tools):
            server, slash, _ = tool.partition("/")
            if slash and server not in servers and tool not in checked.graph.tools:
                message = (
                    f"node {quoted(name)} uses the tool {quoted(tool)}, whose server is not configured here"
                )
                path = ("nodes", name, checked.tool_setting(name))
                report.warning("G112", message, path, f"write [mcp.{server}] in the settings")


def _compare(name: str, tool: str, given: Mapping[str, Json], spec: ToolSpec, report: Report) -> None:
    from ...tools.protocols import arguments_text

    path = ("nodes", name, "arguments")
    what = f"node {quoted(name)} gives the tool {quoted(tool)}"
    takes = f"it takes: {arguments_text(spec)}"
    for argument in given if spec.is_closed else ():
        if argument not in spec.arguments:
            hint = did_you_mean(argument, spec.arguments, listing="it takes") or takes
            report.warning("G110", f"{what} the unknown argument {quoted(argument)}", (*path, argument), hint)
    for argument in spec.required:
        if argument not in given:
            report.warning("G111", f"{what} no argument {quoted(argument)}", path, takes)


def check_data(checked: CheckedGraph, report: Report, models: Collection[str] | None) -> None:
    """Report models that are not configured, keys never written, and keys written as two kinds of values."""
    _models(checked, report, models)
    _reads(checked, report)
    _tables(checked, report)


def _models(checked: CheckedGraph, report: Report, models: Collection[str] | None) -> None:
    if models is None and checked.graph.source is None:
        return  # they come with the executor
    configured = set(models or ())
    for name, facts in checked.facts.items():
        for alias in sorted(facts.models - configured):
            message = f"node {quoted(name)} needs the model {quoted(alias)}, which is not configured here"
            add = f"type `stepgraph models add {alias}`" if checked.graph.source is not None else ""
            hint = f"{add or 'hand the model to the executor'}, or give the node scripted replies"
            report.warning("G106", message, ("nodes", name, "model"), hint)


def _tables(checked: CheckedGraph, report: Report) -> None:
    """Report keys to which one node always writes a table, and another one something else."""
    tables = {key: name for name, facts in checked.facts.items() for key in facts.tables}
    if not tables:
        return
    for name, facts in checked.facts.items():
        for key in sorted(tables.keys() & (facts.writes or frozenset()) - facts.tables.keys()):
            message = (
                f"node {quoted(tables[key])} writes a table to {quoted(key)}, and node {quoted(name)} writes "
                "there too: each replaces what the other wrote"
            )
            report.warning("G108", message, ("nodes", tables[key]), "name another key in one of them", key)


def _reads(checked: CheckedGraph, report: Report) -> None:
    known = keys_set(checked.graph.keys, checked.facts.values())
    if known is None:
        return
    hints = KnownNames(sorted(known | FACTS))
    for key, reader, path, needed, unquoted in _unknown(checked, known):
        hint = hints.hint(key)
        if proposed_name(hint) is None:
            if not needed:  # its text covers the case without it
                continue
            hint = f"write it in a node, or declare [state.{key}] with input = true or a default"
            if unquoted:
                hint = f'a text goes in quotes: "{key}"; as a key, {hint}'
        message = f"{reader} reads {quoted(key)}, which is never set by any node"
        report.warning("G107", message, path, hint, key)


def _unknown(checked: CheckedGraph, known: set[str]) -> Iterator[tuple[str, str, KeyPath, bool, bool]]:
    """Yield each unknown key that is read, who reads it and where.

    And whether that fails without it, and whether it may be meant as a text.
    """
    for name, facts in checked.facts.items():
        if not facts.all_reads <= known:
            for key in sorted(facts.all_reads - known):
                yield key, f"node {quoted(name)}", ("nodes", name), key in facts.needed_reads, False
    for edge in checked.edges:
        if not edge.condition.reads <= known:
            for key in sorted(edge.condition.reads - known):
                yield key, edge_name(edge), ("edges", edge.index, "when"), True, _unquoted(key, edge)


def _unquoted(key: str, edge: Edge) -> bool:
    """Check whether the name is where texts mostly do, on the right of a comparison."""
    return (
        isinstance(edge.condition, Expression)
        and re.search(rf"[!=]=\s*{re.escape(key)}(?![\w.\[])", edge.condition.text) is not None
    )
