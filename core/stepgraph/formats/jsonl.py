"""The trace of a run as lines of JSON: the run itself first, then a line for each row of its ledger.

Each line is written when it is asked for, so that a long run takes no more memory than a short one.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NoReturn

from ..stores.ledger import calls_of, returned_output
from ..values.errors import ExportError, StateError
from ..values.json_values import Json, dumps, plain
from .export import Exportable, Exported, error_words, instant
from .reading import refused

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ..runs.masks import SafeRow
    from ..runs.records import EvaluatedEdge
    from ..runs.run import Run


_LINE_ENDS = {ord(char): f"\\u{ord(char):04x}" for char in "\x85\u2028\u2029"}


def one_line(text: str) -> str:
    """End JSON as a line; what may be in it and is the end of a line to some readers is escaped."""
    return text.translate(_LINE_ENDS) + "\n"


def indented(value: Any) -> str:
    """Write JSON over several lines, as people read it, without a line break at its end."""
    return json.dumps(value, indent=2, ensure_ascii=False).translate(_LINE_ENDS)


FORMAT = 1
"""The format of the lines: another number where what they say has changed."""
_TOLD = ("calls", "edits", "routed")  # what of a row's data has a place of its own in the line, or none


def write(source: Exportable) -> Exported:
    """Write the trace of a run.

    Raises:
        ExportError: There is no run.
    """
    if source.run is None:
        raise ExportError("a trace needs a run, and this is a graph", hint="name a run: `stepgraph runs`")
    return Exported(one_line(dumps(line)) for line in _lines(source.run, source))


def _lines(run: Run, source: Exportable) -> Iterator[dict[str, Json]]:
    mask = source.mask
    yield {
        "kind": "run",
        "format": FORMAT,
        "run": run.id,
        "graph": mask.text(run.head.graph),
        "definition": run.definition,
        "status": run.status.value,
        "outcome": run.outcome.value if run.outcome is not None else None,
        "steps": run.step,
        "max_steps": run.max_steps,
        "next": mask.text(run.current) if run.current is not None else None,
        "at": instant(run.head.created_at),
        **({"origin": run.head.origin} if run.head.origin is not None else {}),
    }
    output = ""  # of the last step: its edges may be tried again
    for record, values in run.replayed():
        row = record.row
        if row.kind == "step":
            output = returned_output(row, values, run.plan.append_keys)
        edges = record.edges_in(values, output)
        yield _line(mask.row(row)) | ({"edges": [_edge(source, edge) for edge in edges]} if edges else {})


def _line(row: SafeRow) -> dict[str, Json]:
    """Serialize a row without its empty fields."""
    line: dict[str, Json] = {"kind": row.kind, "seq": row.seq, "step": row.step, "at": instant(row.at)}
    if row.node is not None:
        line["node"] = row.node
    if row.visit:
        line |= {"visit": row.visit, "duration": round(row.duration, 6)}
    if row.review is not None:
        line["review"] = row.review
    line |= _changes(row)
    if row.output is not None:
        line["output"] = row.output
    if row.kind in ("step", "route"):
        line["next"] = row.next
    if row.error is not None:
        line["error"] = error_words(row.error)
    calls = [_without_digest(call) for call in calls_of(row)]
    if calls:
        line["calls"] = [*calls]
    data = {key: value for key, value in (row.data or {}).items() if key not in _TOLD}
    if data:
        line["data"] = data
    return line


def _without_digest(call: dict[str, Json]) -> dict[str, Json]:
    """Leave out what a replay knows the question by: to others it says nothing."""
    return {key: value for key, value in call.items() if key != "digest"}


def _changes(row: SafeRow) -> dict[str, Json]:
    """Describe what a row changed in the state: null takes a key away."""
    if row.updates is None:
        return {}
    ops = row.ops or {}
    changed = {name: value for name, value in row.updates.items() if ops.get(name) != "same"}
    changes: dict[str, Json] = {"updates": changed}
    merged = {name: op for name, op in ops.items() if op in ("append", "merge")}
    if merged:
        changes["merged"] = {**merged}
    if len(changed) < len(row.updates):
        changes["unchanged"] = [name for name in row.updates if name not in changed]
    return changes


def _edge(source: Exportable, edge: EvaluatedEdge) -> dict[str, Json]:
    """Serialize an edge as the step met it, with the explanation if it was evaluated."""
    mask = source.mask
    table: dict[str, Json] = {"target": mask.text(edge.target), "matched": edge.matched}
    if edge.label:
        table["label"] = mask.text(edge.label)
    if not edge.is_asked:
        return table
    table["condition"] = mask.text(edge.condition)
    if edge.error is not None:
        table["error"] = mask.text(edge.error)
    if edge.matched is not None or edge.error is not None:
        table["explanation"] = mask.explanation(edge.explanation).to_json()
    return table


_TOKENS = re.compile(r'"(?:[^"\\]|\\.)*+"?|[{}\[\],]|\bNaN\b|-?\bInfinity\b')
_KEY = re.compile(r"\s*:")


class _Fault(ValueError):
    """What the parser takes and JSON does not have."""


def parse_json(text: str, name: str) -> Json:
    """Read JSON, as its definition has it: no NaN, no key twice, no half characters, no endless depth.

    Args:
        text: The text.
        name: The file's name in problems.

    Raises:
        GraphFileError: It is none; the problem has the line.
    """
    try:
        return plain(json.loads(text, parse_constant=_no_number, object_pairs_hook=_table), "the file")
    except json.JSONDecodeError as error:
        message = f"it is not JSON: {error.msg[0].lower()}{error.msg[1:]}, at column {error.colno}"
        raise refused("F031", message, name, error.lineno, "fix it there") from None
    except _Fault as error:
        hint = "JSON has finite numbers only" if error.args[0].endswith("number") else "rename one of them"
        raise refused("F031", f"it is not JSON: {error}", name, _line_of_fault(text), hint) from None
    except RecursionError:
        raise refused("F032", "it is nested too deeply", name, None, "is this really a graph?") from None
    except StateError as error:
        raise refused("F031", error.message, name, None, error.hint) from None
    except ValueError as error:  # a number of more than 4,300 digits
        raise refused("F032", f"it has a number that is too long: {error}", name, None, "") from None


def _no_number(word: str) -> NoReturn:
    raise _Fault(f"{word} is not a number")


def _table(pairs: list[tuple[str, Json]]) -> dict[str, Json]:
    table = dict(pairs)
    if len(table) < len(pairs):
        twice = Counter(key for key, _ in pairs).most_common(1)[0][0]
        raise _Fault(f"the key {json.dumps(twice)} stands twice in a table")
    return table


def _line_of_fault(text: str) -> int | None:
    """Find the line of the first number that is none, or of the first key that its table has already."""
    tables: list[set[str]] = []
    for token in _TOKENS.finditer(text):
        word = token[0]
        fault = word.endswith(("NaN", "Infinity"))
        if word in "{[":
            tables.append(set())
        elif word in "}]":
            tables.pop()
        elif word[0] == '"' and _KEY.match(text, token.end()):
            key = json.loads(word)
            fault = key in tables[-1]
            tables[-1].add(key)
        if fault:
            return text.count("\n", 0, token.start()) + 1
    return None


def line_of(text: str, path: Sequence[str | int]) -> int | None:
    """Find the line where a part of JSON stands; of a part that is not there, that of what is around it.

    Args:
        text: JSON that parses.
        path: The keys and positions that lead to the part.
    """
    inside: list[str | int] = []  # where the token is, the last part being the key or position it is at
    best, found = 0, None
    opened: list[bool] = []  # whether each of the containers around is a table
    for token in _TOKENS.finditer(text):
        word = token[0]
        is_key = word[0] == '"' and bool(opened) and opened[-1] and _KEY.match(text, token.end()) is not None
        if is_key:
            inside[-1] = json.loads(word)
        if len(inside) > best and inside == [*path[: len(inside)]]:
            best, found = len(inside), text.count("\n", 0, token.start()) + 1
            if best == len(path):
                break
        if word in "{[":
            opened.append(word == "{")
            inside.append("" if word == "{" else 0)
        elif word in "}]":
            opened.pop()
            inside.pop()
        elif word == "," and isinstance(inside[-1], int):
            inside[-1] += 1
    return found
