"""Random documents that are right, with names that are nasty."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from stepgraph.documents.schema import COMMON

NASTY = [
    "a.b",
    "a b",
    'quo"te',
    "it's",
    "new\nline",
    "tab\t",
    "back\\slash",
    "käse",
    "日本",
    "#",
    "[x]",
    "=",
    "\u0000",
    "\u007f",
    "\r\n",
    "'''",
    '"""',
    "true",
    "1",
    "-",
    "python",
    "🦊",
]
text = st.text(st.characters(exclude_categories=["Cs"]), max_size=12) | st.sampled_from(NASTY)
several_lines = st.lists(text, max_size=4).map("\n".join) | st.lists(text, max_size=3).map("\r\n".join)
name = text.filter(lambda value: value.strip() and value not in ("END", "__END__"))
scalar = (
    text
    | several_lines
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.just(10**40)
)
value = st.recursive(
    scalar,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(text, inner, max_size=4),
    max_leaves=12,
)
NODES = ["ask", "a.b", "日本", 'quo"te', "new\nline"]


def _table(**fields: st.SearchStrategy[Any]) -> st.SearchStrategy[dict[str, Any]]:
    return st.fixed_dictionaries({}, optional=fields)


keys = st.dictionaries(
    name,
    _table(default=value, input=st.booleans(), secret=st.booleans(), note=several_lines),
    max_size=4,
)
tools = st.dictionaries(
    name,
    _table(returns=value, side_effects=st.booleans(), note=several_lines)
    | st.fixed_dictionaries({"handler": st.just("tools:look")}),
    max_size=3,
)
common = _table(
    note=several_lines,
    review=st.sampled_from(["before", "after", "never"]),
    timeout=st.sampled_from(["30s", "0.25s", "90m"]),
    side_effects=st.booleans(),
    deadline=st.sampled_from(["0", "4h"]),
    approvers=st.lists(st.sampled_from(["ana", "ben"]), unique=True),
)
# A type that nobody registered keeps its settings all the same: every shape of value can be tried. What every
# node may have is said in its own way alone: hypothesis tries names of keys that it finds in the product.
settings = st.dictionaries(name.filter(lambda key: key not in COMMON), value, max_size=4)
nodes = st.fixed_dictionaries(
    {node: st.builds(lambda own, said: {**own, **said, "type": "mine"}, settings, common) for node in NODES}
)
when = (
    st.sampled_from(["n > 3", 'category == "billing"', "not\n(a and b)"])
    | st.fixed_dictionaries({"key": name, "equals": value})
    | st.just({"predicate": "tools:is_late"})
)
edges = st.lists(
    st.builds(
        lambda ends, rest: {"from": ends[0], "to": ends[1], **rest},
        st.tuples(st.sampled_from(NODES), st.sampled_from([*NODES, "END"])),
        _table(when=when, label=several_lines),
    ),
    max_size=6,
)


def documents() -> st.SearchStrategy[dict[str, Any]]:
    """Documents of graphs that a file can hold."""
    required = {
        "format": st.just(1),
        "name": text,
        "start": st.sampled_from(NODES),
        "nodes": nodes,
        "edges": edges,
    }
    optional = {
        "note": several_lines,
        "max_steps": st.integers(),
        "max_seconds": st.floats(0, 1e9),
        "no_feedback": st.lists(text, max_size=3),
        "state": keys,
        "tools": tools,
    }
    return st.fixed_dictionaries(required, optional=optional)
