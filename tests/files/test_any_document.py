"""Whatever stands where in a document, opening and checking it gives problems and never an exception."""

from __future__ import annotations

import copy
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stepgraph import GraphError, check
from stepgraph.documents.loader import from_document
from tests.examples import examples

DOCUMENT: dict[str, Any] = {
    "format": 1,
    "name": "any",
    "start": "ask",
    "max_steps": 9,
    "on_max_steps": "flag",
    "on_no_match": "end",
    "max_seconds": 5,
    "feedback": True,
    "no_feedback": ["ask"],
    "review": "last",
    "reviews": {"deadline": "4h", "on_timeout": "fail", "approvers": ["a", "b"], "allow_self": False},
    "state": {"text": {"type": "text", "default": "x", "input": True}, "log": {"reducer": "append"}},
    "tools": {
        "look": {"handler": "m:f", "side_effects": True, "requires_approval": True},
        "scripted": {"returns": [{"a": 1}]},
    },
    "nodes": {
        "ask": {"type": "llm", "prompt": "{{ text }}", "replies": ["a"], "model": "m", "system": "s"},
        "call": {"type": "tool", "tool": "look", "arguments": {"a": ["{{ text }}"]}, "output": "o"},
        "judge": {"type": "approval", "prompt": "?", "show": ["text"], "escalate_to": ["c"]},
        "fork": {"type": "router", "key": "text", "threshold": 1, "high": "h", "low": "l"},
        "own": {"type": "handler", "handler": "m:g", "note": "n", "review": "never", "side_effects": False},
    },
    "edges": [
        {"from": "ask", "to": "call", "when": 'text == "x"', "label": "l"},
        {"from": "ask", "to": "END", "when": {"key": "text", "equals": 1}},
        {"from": "call", "to": "judge", "when": {"predicate": "m:h"}},
        {"from": "judge", "to": "fork"},
        {"from": "fork", "to": "own"},
        {"from": "own", "to": "END"},
    ],
}

values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-3, 3)
    | st.sampled_from(["", "END", "__END__", "ask", "1", "m:f", "{{ x", "llm", "text", "a.b", "\x00", "ü"])
    | st.floats(allow_nan=True)
    | st.text(max_size=4),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["from", "type", "x", "", "key"]), inner, max_size=3)
    ),
    max_leaves=4,
)


def paths(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    inside = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [path, *(found for key, item in inside for found in paths(item, (*path, key)))]


PATHS = [path for path in paths(DOCUMENT) if path]


@examples(300)
@given(st.lists(st.tuples(st.sampled_from(PATHS), values | st.just(...)), min_size=1, max_size=3))
def test_a_document_with_anything_anywhere_gives_problems(changes: list[tuple[tuple[Any, ...], Any]]) -> None:
    document = copy.deepcopy(DOCUMENT)
    for path, value in changes:
        inside: Any = document
        for key in path[:-1]:
            try:
                inside = inside[key]
            except (KeyError, IndexError, TypeError):
                break
        else:
            if isinstance(inside, dict) and value is ...:
                inside.pop(path[-1], None)
            elif isinstance(inside, dict) or (isinstance(inside, list) and path[-1] in range(len(inside))):
                inside[path[-1]] = None if value is ... else value
    graph = from_document(document)
    errors = [problem for problem in check(graph) if problem.is_error]
    if errors:
        with pytest.raises(GraphError) as caught:
            graph.compile()
        assert list(caught.value.problems) == errors
    else:
        assert graph.compile().name == graph.name
