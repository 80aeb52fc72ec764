"""Templates parsed: what they read, whether they are one expression, what is wrong."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cache, lru_cache
from inspect import Parameter, signature
from keyword import iskeyword
from typing import NamedTuple, TypeAlias, cast

import jinja2
from jinja2 import nodes

from ..expressions.tree import HIDDEN, in_quotes, named_in, quoted
from ..values.errors import ExpressionError
from ..values.json_values import escaped
from ..values.problems import did_you_mean
from .evaluate import Rendering, method_of
from .filters import FILTERS, FUNCTIONS, METHODS, NAMING
from .names import (
    Names,
    Path,
    content,
    parsed_with_places,
    place_of_error,
    place_of_word,
    second_parts,
    start_of_line,
)
from .render_budget import TESTS, Function

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
    """The word that is there; a ``PlacedName`` where its place is known."""
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
    """Check whether an expression is a text in every state."""
    return isinstance(node, nodes.Concat) or (isinstance(node, nodes.Const) and isinstance(node.value, str))


def _unusable(
    name: str, kind: str, table: Mapping[str, Function], node: nodes.Filter | nodes.Test | nodes.Call
) -> Refusal | None:
    """Look up a filter, test, method or function, and look at what is in its parentheses."""
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
    """Check whether a filter, test, method or function takes ``count`` values, and those with names."""
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


@dataclass(frozen=True, slots=True)
class Parsed:
    """A template that can be rendered, or what is wrong with it."""

    tree: nodes.Template = field(default_factory=nodes.Template)
    read: Names = field(default_factory=Names)
    """The names in it."""
    names: frozenset[str] = frozenset()
    """The state keys that it reads."""
    variables: frozenset[str] = frozenset()
    """The names that it uses: keys of the state, ``state`` itself, and facts about the run."""
    visits_read: frozenset[str] = frozenset()
    """The nodes whose visits it counts."""
    expression: nodes.Node | None = None
    """The expression, when the text is exactly one ``{{ expression }}``."""
    error: str = ""
    refused: bool = False
    """Whether what is wrong is sound Jinja2, which templates may not use."""
    hint: str = ""
    offset: int | None = None
    """Where it is wrong, in characters from 0; None where that is not known."""

    @property
    def paths(self) -> tuple[Path, ...]:
        """The paths that it cannot do without, in their order."""
        return tuple(path for path, needed in self.read.paths.items() if needed)

    @property
    def needed(self) -> frozenset[str]:
        """The state keys that it cannot do without."""
        return _state_keys({str(path[0]) for path in self.paths} | self.read.unclear, self.paths)


@cache
def environment() -> jinja2.Environment:
    """Build the one environment on first use: only its lexer and its parser are used."""
    return jinja2.Environment(keep_trailing_newline=True, autoescape=False, cache_size=0)  # noqa: S701  # text


@lru_cache(maxsize=16_384)  # a few texts for each node of the largest graph, checked again at every edit
def parse(text: str) -> Parsed:
    """Parse a template; nothing of it runs."""
    env = environment()
    try:
        tree = parsed_with_places(text, env)
        refused = refusal(tree)
        if refused is not None:
            place = place_of_word(text, refused.word, refused.line, env)
            message = f"line {refused.line}: {refused.message}"
            return Parsed(error=message, refused=True, hint=refused.hint, offset=place)
        read = Names()
        read.visit(tree)
    except jinja2.TemplateSyntaxError as error:
        message = f"line {error.lineno}: {_lower(error.message or 'it cannot be read')}"
        return Parsed(error=message, hint=_hint(message), offset=_place(text, error, env))
    except RecursionError:
        return Parsed(error="it is nested too deeply", refused=True, hint="name a part of it with {% set %}")
    variables = frozenset(map(str, read.free)) | read.unclear
    return Parsed(
        tree,
        read,
        _state_keys(variables, read.paths),
        variables,
        second_parts("visits", read.paths),
        _alone(tree),
    )


def _state_keys(variables: Iterable[str], paths: Iterable[Path]) -> frozenset[str]:
    """Find the state keys among the names and the paths that a template reads."""
    return frozenset(variables) - HIDDEN | second_parts("state", paths)


def _place(text: str, error: jinja2.TemplateSyntaxError, env: jinja2.Environment) -> int:
    """Find where a template is wrong; Jinja2 tells the line alone."""
    with suppress(RecursionError):
        return place_of_error(text, env)
    return start_of_line(text, error.lineno)


def _alone(tree: nodes.Template) -> nodes.Node | None:
    """Return the expression, when a template is one and nothing else."""
    if len(tree.body) != 1 or not isinstance(tree.body[0], nodes.Output):
        return None
    output = tree.body[0].nodes
    return output[0] if len(output) == 1 and not isinstance(output[0], nodes.TemplateData) else None


def _hint(message: str) -> str:
    return "there are if, for, set and raw" if "unknown tag" in message else ""


def _lower(message: str) -> str:
    message = message.rstrip(".")
    return message[:1].lower() + message[1:]


_Change: TypeAlias = tuple[int, int, str]
"""From where to where, and what is there then."""
_ROOTS = ("state", "visits")
_PART = re.compile(r"""\s*(?:\.\s*(\w+)|\[\s*("(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')\s*\])""", re.DOTALL)


def with_key(text: str, old: str, new: str) -> str:
    """Rename a key of the state in a template; one that does not parse is left as it is.

    Local variables, attributes, arguments' names and texts of the same spelling stay.

    Raises:
        ExpressionError: The template cannot name the key by its new name.
    """
    return _renamed(text, {old: new}, _keys, lambda parsed: parsed.names, _is_plain)


def with_nodes(text: str, names: Mapping[str, str]) -> str:
    """Rename the nodes whose visits a template counts; else as ``with_key``.

    Raises:
        ExpressionError: The template cannot name a node by its new name.
    """
    if "visits" not in text:
        return text
    return _renamed(text, names, _visits, lambda parsed: parsed.visits_read, lambda _: True)


def _renamed(
    text: str,
    names: Mapping[str, str],
    changes: Callable[[str, Names, Mapping[str, str]], Iterator[_Change]],
    named: Callable[[Parsed], frozenset[str]],
    is_safe: Callable[[str], bool],
) -> str:
    if "{" not in text or ("\\" not in text and not named_in(text, names)):
        return text  # a text in quotes may have escapes
    before = parse(text)
    if before.error:
        return text
    found, renamed = before.read, text
    for start, end, written in sorted(changes(text, found, names), reverse=True):
        renamed = renamed[:start] + written + renamed[end:]
    if all(map(is_safe, names.values())) and _is_clear(text, found):
        return renamed  # whoever uses it compiles it; in a large graph that takes most of the time
    after = parse(renamed)
    if after.error or named(after) != {names.get(name, name) for name in named(before)}:
        wrong = next((name for name in names if name in named(before)), next(iter(names)))
        message = f"the template cannot name {escaped(names[wrong])!r} where it names {escaped(wrong)!r}"
        raise ExpressionError(message, text=text, hint="rewrite the template by hand first")
    return renamed


def _keys(text: str, found: Names, names: Mapping[str, str]) -> Iterator[_Change]:
    """Find where a template names keys: from where to where, and what is written there then."""
    for name in found.free:
        if name in names and name not in HIDDEN:
            yield name.at, name.at + len(name), _root(names[name], found.bound)
    yield from _below("state", text, found, names)


def _visits(text: str, found: Names, names: Mapping[str, str]) -> Iterator[_Change]:
    return _below("visits", text, found, names)


def _below(root: str, text: str, found: Names, names: Mapping[str, str]) -> Iterator[_Change]:
    """Find ``root.name`` and ``root["name"]``, and write each as it was written where the name allows it."""
    for name in found.free:
        end = name.at + len(name)
        part = _PART.match(text, end) if name == root else None
        if part is None:
            continue
        old = part[1] if part[1] is not None else content(part[2])
        if old in names:
            dotted = part[1] is not None and names[old].isidentifier()
            yield end, part.end(), f".{names[old]}" if dotted else f"[{in_quotes(names[old], part[2] or '')}]"


def _root(new: str, bound: set[str]) -> str:
    """Spell a key where a template begins a path; a variable that it sets itself may hide the plain name."""
    return new if new not in bound and _is_plain(new) else f"state[{quoted(new)}]"


def _is_clear(text: str, found: Names) -> bool:
    """Check whether each name in a template is surely what it seems, so that renaming cannot go wrong."""
    return not found.bound and all(
        name not in _ROOTS or _PART.match(text, name.at + len(name)) is not None for name in found.free
    )


@lru_cache(maxsize=64)
def _is_plain(name: str) -> bool:
    """Check whether a name alone reads the key of that name."""
    return name.isidentifier() and not iskeyword(name) and parse(f"{{{{ {name} }}}}").names == {name}
