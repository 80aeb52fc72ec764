"""What a template may be made of: found out from its tree, before anything is rendered.

The statements and operators that are allowed are those that ``Rendering`` computes; filters, tests, methods
and functions are those of the tables in ``filters``.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from inspect import Parameter, signature
from typing import NamedTuple, cast

from jinja2 import nodes

from ..values.problems import did_you_mean
from .comparisons import TESTS, Function
from .evaluate import Rendering, method_of
from .filters import FILTERS, FUNCTIONS, METHODS, NAMING

MAX_DEPTH = 100
"""How many blocks and operators deep a template may be nested."""

_PARTS = (nodes.Keyword, nodes.NSRef, nodes.Operand, nodes.Pair, nodes.Slice, nodes.Template)
_LOOKED_AT = {nodes.AssignBlock, nodes.Call, nodes.Filter, nodes.For, nodes.Mod, nodes.Test}
_PLAIN = {
    kind
    for kind in vars(nodes).values()
    if kind in _PARTS
    or (isinstance(kind, type) and hasattr(Rendering, method_of(kind)) and kind not in _LOOKED_AT)
}
"""The kinds of parts that are allowed whatever is in them."""
_ONE = "write its text into this template"
_INSTEAD = {
    "autoescape": "leave it out: nothing is escaped",
    "block": "write its text without it",
    "call": "write the text where it is needed",
    "extends": _ONE,
    "filter": "use {% set text %}...{% endset %}{{ text | upper }}",
    "from": _ONE,
    "import": _ONE,
    "include": _ONE,
    "macro": "write the text where it is needed, or loop over a list",
    "recursive": "write a loop in the loop for each level",
    "with": "name the value with {% set %}",
    "**": "multiply, or let a tool or handler compute it",
}
"""What to do instead of the statements and operators that Jinja2 knows besides."""
_SPELT = {
    "CallBlock": "call",
    "FilterBlock": "filter",
    "FromImport": "from",
    "Pow": "**",
    "ScopedEvalContextModifier": "autoescape",
}
_OTHER_NAMES = {
    "append": "use {% set items = items + [item] %}",
    "attr": "write value.name or value['name']",
    "e": "leave it out: nothing is escaped",
    "escape": "leave it out: nothing is escaped",
    "groupby": "loop over `value | map(attribute='key') | unique`, and use selectattr",
    "pprint": "use tojson(indent=2)",
    "safe": "leave it out: nothing is escaped",
    "slice": "cut a list so: value[:10]",
}
"""What to do instead of some more filters and methods."""


class Refusal(NamedTuple):
    """Something that a template may not have."""

    message: str
    hint: str = ""
    word: str = ""
    """The word that stands there; a ``PlacedName`` where its place is known."""
    line: int = 0


def refusal(tree: nodes.Template) -> Refusal | None:
    """Find the first part of a template that is not allowed; None when all is well."""
    rest: list[tuple[nodes.Node, int]] = [(tree, 0)]
    while rest:
        node, depth = rest.pop()
        found = None if type(node) in _PLAIN else _refused(node)
        if found is None and depth > MAX_DEPTH:
            found = Refusal("it is nested too deeply", "name a part of it with {% set %}")
        if found is not None:
            return found._replace(line=node.lineno)
        rest += [(child, depth + 1) for child in _children(node)][::-1]
    return None


def _children(node: nodes.Node) -> list[nodes.Node]:
    """List the parts of a part, but not what is called: that is looked up by its name."""
    parts: list[nodes.Node] = []
    for name in node.fields:
        value = getattr(node, name)
        if name == "node" and isinstance(node, nodes.Call):
            parts += value.iter_child_nodes()
        elif isinstance(value, nodes.Node):
            parts.append(value)
        elif isinstance(value, list):
            parts += [each for each in value if isinstance(each, nodes.Node)]
    return parts


def _refused(node: nodes.Node) -> Refusal | None:
    if isinstance(node, nodes.Filter):
        return _unusable(node.name, "filter", FILTERS, node) or _misnamed(node)
    if isinstance(node, nodes.Test):
        return _unusable(node.name, "test", TESTS, node)
    if isinstance(node, nodes.Call):
        if isinstance(node.node, nodes.Getattr):
            return _unusable(node.node.attr, "method", METHODS, node)
        return _unusable(getattr(node.node, "name", ""), "function", FUNCTIONS, node)
    kind = type(node).__name__
    word = _SPELT.get(kind, kind.lower())
    if isinstance(node, nodes.For) and node.recursive:
        word = "recursive"
    elif isinstance(node, nodes.AssignBlock) and node.filter is not None:
        return Refusal("{% set %} without a value takes no filter", "put it where the text is used", "set")
    elif isinstance(node, nodes.Mod) and _is_text(node.left):
        return Refusal("% fills in no texts", "write it so: '%s, %.2f' | format(name, amount)", "%")
    elif type(node) in _LOOKED_AT:
        return None
    return Refusal(f"templates have no `{word}`", _INSTEAD.get(word, ""), word)


def _is_text(node: nodes.Node) -> bool:
    """Tell of an expression that it is a text whatever the state is."""
    return isinstance(node, nodes.Concat) or (isinstance(node, nodes.Const) and isinstance(node.value, str))


def _unusable(
    name: str, kind: str, table: Mapping[str, Function], node: nodes.Filter | nodes.Test | nodes.Call
) -> Refusal | None:
    """Look up a filter, test, method or function, and look at what stands in its parentheses."""
    if name not in table:
        return Refusal(f"no {kind} named {str(name)!r}", _advice(name, kind, table), name)
    if node.dyn_args is not None or node.dyn_kwargs is not None:
        return Refusal(f"{name} takes no * and no **", "write each value", name)
    wrong = _mistaken(str(name), kind, table[name], len(node.args), _keywords(node))
    return wrong and wrong._replace(word=name)


def _misnamed(node: nodes.Filter) -> Refusal | None:
    """Look up the filter or test that another filter is given by its name."""
    place, table = NAMING.get(node.name, (len(node.args), FILTERS))
    if len(node.args) <= place:
        return None
    kind, given = "filter" if table is FILTERS else "test", node.args[place]
    if not isinstance(given, nodes.Const) or not isinstance(given.value, str):
        return Refusal(f"{node.name} takes the name of a {kind}, in quotes", "", node.name)
    if given.value not in table or given.value in NAMING:
        message = f"no {kind} named {given.value!r} for {node.name}"
        return Refusal(message, _advice(given.value, kind, table), node.name)
    wrong = _mistaken(given.value, kind, table[given.value], len(node.args) - place - 1, _keywords(node))
    return wrong and wrong._replace(word=node.name)


def _keywords(node: nodes.Filter | nodes.Test | nodes.Call) -> tuple[str, ...]:
    return tuple(pair.key for pair in cast("list[nodes.Keyword]", node.kwargs))


@lru_cache(maxsize=1024)
def _mistaken(name: str, kind: str, function: Function, count: int, named: tuple[str, ...]) -> Refusal | None:
    """Look whether a filter, test, method or function takes so many values, and those that are named."""
    before = 1 if kind == "function" else 2  # the budget and the value
    written = signature(function)
    try:
        written.bind(*[None] * (before + count), **dict.fromkeys(named))
    except TypeError as error:
        names = list(written.parameters.values())[before:]
        takes = ", ".join("..." if each.kind is Parameter.VAR_POSITIONAL else each.name for each in names)
        return Refusal(f"the {kind} {name!r} is used wrongly: {error}", f"it is written {name}({takes})")
    return None


def _advice(name: str, kind: str, table: Mapping[str, Function]) -> str:
    if kind == "method" and name in FILTERS:
        return f"use the filter: value | {name}"
    if kind in ("filter", "method") and name in _OTHER_NAMES:
        return _OTHER_NAMES[name]
    return did_you_mean(name, [each for each in table if each.isidentifier()], listing="there are")
