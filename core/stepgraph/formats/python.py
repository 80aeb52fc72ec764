"""A Python script that builds the graph through the public names of the library, and runs it."""

from __future__ import annotations

import keyword
import sys
import unicodedata
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields
from textwrap import wrap
from typing import TYPE_CHECKING, Any

from ..conditions import Always, Chosen, Expression, HandlerPredicate, KeyEquals, Opaque, Predicate
from ..files.handlers import handler_refs
from ..files.importing import own_names
from ..graphs.parts import END, OPAQUE, GraphSettings
from ..nodes.base import BaseNode
from ..reviews.terms import NO_TERMS, ReviewTerms
from ..values.declared import Declared, keys_of
from ..values.errors import ExportError, StateError
from ..values.json_values import plain
from .export import Exportable, Exported

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ..graphs.parts import Edge, NodeEntry
    from ..tools.protocols import ToolEntry
    from ..values.json_values import Json
    from ..values.state import StateKey


WIDTH = 88
"""The columns of a line, as the formatters have it by default."""
_SHORT = 40  # characters: a shorter text stays on its line, whatever is in it
_ESCAPES = {"\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t"}


@dataclass(frozen=True, slots=True)
class Name:
    """Something that the source calls by a name."""

    text: str


@dataclass(frozen=True, slots=True)
class Call:
    """A call, or the making of an object."""

    function: str
    arguments: tuple[tuple[str, Any], ...]
    """The arguments, each with its name; empty for one that goes by its position, ``**`` for a table."""


def code(value: Any, depth: int = 0, taken: int = 0) -> str:
    """Write a value: on one line where it fits, else each part on a line of its own.

    Args:
        value: JSON, a tuple, a name or a call.
        depth: How deep inside of others it is.
        taken: The columns of its line that something else takes.
    """
    one = _flat(value)
    if one is not None and 4 * depth + taken + columns(one) <= WIDTH:
        return one
    if isinstance(value, str):
        return _lines(value) if _has_lines(value) else literal(value)
    if isinstance(value, Call) and value.arguments:
        parts = [(_before(name), part) for name, part in value.arguments]
        return _exploded(f"{value.function}(", parts, ")", depth)
    if isinstance(value, dict) and value:
        return _exploded("{", [(f"{literal(key)}: ", part) for key, part in value.items()], "}", depth)
    if isinstance(value, list | tuple) and value:
        brackets = "[]" if isinstance(value, list) else "()"
        return _exploded(brackets[0], [("", part) for part in value], brackets[1], depth)
    return one or ""


def _before(name: str) -> str:
    return name if name in ("", "**") else f"{name}="


def _exploded(begin: str, parts: Iterable[tuple[str, Any]], end: str, depth: int) -> str:
    pad = "    " * (depth + 1)
    lines = [f"{pad}{head}{code(part, depth + 1, columns(head) + 1)},\n" for head, part in parts]
    return f"{begin}\n{''.join(lines)}{'    ' * depth}{end}"


def _flat(value: Any) -> str | None:
    """Write a value on one line; None where a text in it has lines of its own."""
    if isinstance(value, str):
        return None if _has_lines(value) else literal(value)
    if isinstance(value, Name):
        return value.text
    if isinstance(value, Call):
        found = [(_before(name), _flat(part)) for name, part in value.arguments]
        return _join_parts(f"{value.function}(", found, ")")
    if isinstance(value, dict):
        return _join_parts("{", [(f"{literal(key)}: ", _flat(part)) for key, part in value.items()], "}")
    if isinstance(value, list):
        return _join_parts("[", [("", _flat(part)) for part in value], "]")
    if isinstance(value, tuple):
        return _join_parts("(", [("", _flat(part)) for part in value], ",)" if len(value) == 1 else ")")
    return repr(value)


def _join_parts(begin: str, parts: list[tuple[str, str | None]], end: str) -> str | None:
    if any(part is None for _, part in parts):
        return None
    return begin + ", ".join(f"{head}{part}" for head, part in parts) + end


def _has_lines(text: str) -> bool:
    return "\n" in text and len(text) > _SHORT


def literal(text: str) -> str:
    """Write a text on one line, in the quotes that it has fewer of."""
    quote = "'" if text.count('"') > text.count("'") else '"'
    return quote + "".join(f"\\{char}" if char == quote else _escaped(char) for char in text) + quote


def _lines(text: str) -> str:
    """Write a text line by line, between three quotes."""
    before = text.removesuffix('"')
    inside = "".join(char if char == "\n" else _escaped(char) for char in before).replace('"""', '\\"\\"\\"')
    end = '\\"' if before != text else ""  # else it would be one of the quotes that end the literal
    return f'"""\\\n{inside}{end}"""'


def _escaped(char: str) -> str:
    if char.isprintable() and char != "\\":
        return char
    if char in _ESCAPES:
        return _ESCAPES[char]
    number = ord(char)
    if number < 0x100:
        return f"\\x{number:02x}"
    return f"\\u{number:04x}" if number < 0x10000 else f"\\U{number:08x}"


def remark(text: str) -> str:
    """Turn any text into one for a docstring: one line, without quotes of the kind around it."""
    words = " ".join(text.split()).replace('"', "'")
    return "".join(map(_escaped, words))


def columns(text: str) -> int:
    """Count the columns of a text, wide characters as two."""
    if text.isascii():
        return len(text)
    return sum(2 if unicodedata.east_asian_width(char) in "WF" else 1 for char in text)


_NAMED = 5  # objects that a refusal names
_TAKEN = {*keyword.kwlist, "graph", "json", "print", "len", "record", "run", "sys", "values"}
_DEFAULTS = GraphSettings("", "")
_SAID = (
    "max_steps", "on_max_steps", "on_no_match", "max_seconds", "max_cost", "max_tokens", "feedback", "note",
    "review",
)  # fmt: skip
"""The settings that are written where they are not the usual ones."""
_UNKNOWN = "is a Python object, which the run does not hold"
_NAME_THE_GRAPH = "export the graph that the run is of by its module, such as my_agent.py:graph"
_NAME_THEM = "define them at the top level of a module, and import them where the graph is built"
_HOW = (
    "Run it by itself, with its inputs as JSON behind its name if you like; or open it in Stepgraph, as "
    "FILE.py:graph."
)
_RUN = """\
if __name__ == "__main__":
{trust}    values = json.loads(sys.argv[1]) if len(sys.argv) > 1 else {{}}
    run = graph.compile().run(values)
    for record in run.history:
        print(f"{{record.step:>4}}  {{record.node}} -> {{record.next}}")
    if run.pending is not None:
        print(f"It waits for a person: {{run.pending.request.prompt}}")
    run.raise_for_status()
    print(json.dumps(run.values, indent=2, ensure_ascii=False))
"""
_TRUST = "    {name}(graph)  # who runs this script trusts the Python that it names\n"


def write(source: Exportable) -> Exported:
    """Write a graph as a script.

    Raises:
        ExportError: It has Python objects that a script cannot name; the error names them.
    """
    return Exported(_Script(source).text())


class _Imports:
    """What the script imports, each name once."""

    def __init__(self) -> None:
        self._names: dict[str, tuple[str, str]] = {}
        self.use("stepgraph", "StateGraph")

    def use(self, module: str, name: str) -> str:
        """Import a name of a module, and return the name that the script has for it."""
        count, own = 1, name
        while self._names.get(own, (module, name)) != (module, name) or own in _TAKEN:
            count += 1
            own = f"{name}_{count}"
        self._names[own] = (module, name)
        return own

    def text(self) -> str:
        """Write them as a formatter sorts them: the standard library, what is installed, what lies beside."""
        modules: dict[str, list[str]] = {}
        for own, (module, name) in self._names.items():
            modules.setdefault(module, []).append(name if own == name else f"{name} as {own}")
        sections: list[list[str]] = [["import json", "import sys"], [], []]
        for module in sorted(modules, key=lambda name: (name.lower(), name)):
            root = module.partition(".")[0]
            section = 0 if root in sys.stdlib_module_names else 1 if root == "stepgraph" else 2
            sections[section].append(_import(module, sorted(modules[module], key=_by_kind)))
        return "\n\n".join("\n".join(section) for section in sections if section)


def _by_kind(name: str) -> tuple[int, str]:
    """Rank imported names: constants, then classes, then functions."""
    plain_name = name.partition(" as ")[0]
    kind = 0 if plain_name.isupper() and len(plain_name) > 1 else 1 if plain_name[:1].isupper() else 2
    return kind, plain_name


def _import(module: str, names: list[str]) -> str:
    line = f"from {module} import {', '.join(names)}"
    if len(line) <= WIDTH:
        return line
    return f"from {module} import (\n" + "".join(f"    {name},\n" for name in names) + ")"


class _Script:
    """Writes one script.

    Args:
        source: The graph.
    """

    def __init__(self, source: Exportable) -> None:
        self._graph, self._mask, self._is_of_run = source.graph, source.mask, source.run is not None
        self._imports = _Imports()
        self._refused: list[str] = []

    def text(self) -> str:
        """Write it.

        Raises:
            ExportError: It has Python objects that a script cannot name.
        """
        body = "\n".join(self._statements())
        if self._refused:
            more = len(self._refused) - _NAMED
            named = "; ".join(self._refused[:_NAMED]) + (f"; and {more} more" if more > 0 else "")
            raise ExportError(
                f"graph {self._mask.text(self._graph.name)!r} cannot be written as a script: {named}",
                hint=_NAME_THE_GRAPH if self._is_of_run else _NAME_THEM,
            )
        trust = ""
        if self._is_located:
            trust = _TRUST.format(name=self._imports.use("stepgraph.files", "trust_folder"))
        return "\n\n".join((self._docstring(), self._imports.text(), body, _RUN.format(trust=trust)))

    @property
    def _is_located(self) -> bool:
        """Whether something is looked up beside it: handlers, the folder of a command, a graph inside."""
        graph = self._graph
        commands = any(tool.command is not None for tool in graph.tools.values())
        return (
            bool(handler_refs(graph)) or commands or any(n.type == "subgraph" for n in graph.nodes.values())
        )

    def _docstring(self) -> str:
        settings = self._graph.settings
        title, about = (remark(self._mask.text(text)) for text in (settings.name, settings.note))
        paragraphs = (f'"""The graph {title}.', about, _HOW)
        return "\n\n".join("\n".join(_wrapped(text)) for text in paragraphs if text) + '\n"""'

    def _statements(self) -> Iterator[str]:
        graph = self._graph
        yield f"graph = {code(self._settings(), taken=8)}"
        if self._is_located:
            path = self._imports.use("pathlib", "Path")
            yield f"graph.source = {path}(__file__)  # what it names is looked up beside this script"
        for calls in (
            [self._key(key) for key in graph.keys.values()],
            [self._tool(tool) for tool in graph.tools.values()],
            [self._node(entry) for entry in graph.nodes.values()],
            [self._edge(edge) for edge in graph.edges],
        ):
            if calls:
                yield ""
                yield from calls

    def _settings(self) -> Call:
        settings = self._graph.settings
        arguments: list[tuple[str, Any]] = [
            ("", self._text(settings.name)),
            ("start", self._text(settings.start)),
        ]
        for name in _SAID:
            value = getattr(settings, name)
            if value != getattr(_DEFAULTS, name):
                arguments.append((name, self._text(value) if name == "note" else value))
        if settings.no_feedback:
            arguments.append(("no_feedback", [self._text(node) for node in settings.no_feedback]))
        return Call("StateGraph", (*arguments, *self._terms("reviews", settings.terms)))

    def _terms(self, name: str, terms: ReviewTerms) -> list[tuple[str, Any]]:
        if terms == NO_TERMS:
            return []
        arguments = [(each.name, self._plain(getattr(terms, each.name))) for each in fields(terms)]
        made = Call(
            self._imports.use("stepgraph", "ReviewTerms"),
            tuple(pair for pair in arguments if pair[1] is not None),
        )
        return [(name, made)]

    def _key(self, key: StateKey) -> str:
        arguments: list[tuple[str, Any]] = [("", self._text(key.name))]
        if key.type is not None:
            arguments.append(("type", key.type))
        if key.has_default and not key.secret:
            arguments.append(("default", self._mask.value(key.name, plain(key.default, key.name))))
        rest = {
            "input": key.input,
            "reducer": key.reducer,
            "secret": key.secret,
            "note": self._text(key.note),
        }
        arguments += _without(rest, input=False, reducer="replace", secret=False, note="")
        hidden = (
            "# Its default is a secret, and not written here: give it as an input.\n"
            if key.secret and key.has_default
            else ""
        )
        return hidden + code(Call("graph.add_key", tuple(arguments)))

    def _tool(self, tool: ToolEntry) -> str:
        arguments: list[tuple[str, Any]] = [("", self._text(tool.name))]
        if tool.tool is not None:
            arguments.append(("", self._object(tool.tool, f"tool {tool.name!r}")))
        elif tool.handler == OPAQUE:
            self._refuse(f"tool {tool.name!r}", _UNKNOWN)
        command = self._plain(tool.command.overrides()) if tool.command is not None else None
        rest = {
            "handler": tool.handler,
            "command": command,
            "returns": self._plain(tool.returns),
            "side_effects": tool.side_effects,
            "requires_approval": tool.requires_approval,
            "note": self._text(tool.note),
        }
        arguments += _without(
            rest,
            handler=None,
            command=None,
            returns=None,
            side_effects=False,
            requires_approval=False,
            note="",
        )
        return code(Call("graph.add_tool", tuple(arguments)))

    def _node(self, entry: NodeEntry) -> str:
        name = self._text(entry.name)
        if entry.settings is not None:
            verb, what = (
                "declare_node",
                [("", self._text(entry.type)), ("", self._plain(dict(entry.settings)))],
            )
        else:
            verb, what = "add_node", [("", self._object(entry.node, f"node {entry.name!r}"))]
        rest = {"review": entry.review, "side_effects": entry.side_effects, "note": self._text(entry.note)}
        arguments = [("", name), *what, *_without(rest, review=None, side_effects=False, note="")]
        arguments += self._terms("terms", entry.terms)
        if entry.timeout is not None:
            arguments.append(("timeout", entry.timeout))
        return code(Call(f"graph.{verb}", tuple(arguments)))

    def _edge(self, edge: Edge) -> str:
        verb = "add_edge"
        arguments: list[tuple[str, Any]] = [("", self._end(edge.source)), ("", self._end(edge.target))]
        condition = edge.condition
        if edge.broken is not None:
            arguments.append(("when", self._text(edge.broken.text)))
        elif isinstance(condition, KeyEquals):
            verb = "add_conditional_edge"
            arguments += [("", self._text(condition.key)), ("", self._plain(condition.value))]
        elif isinstance(condition, Expression):
            arguments.append(("when", self._text(condition.text)))
        elif isinstance(condition, HandlerPredicate):
            made = self._imports.use("stepgraph.conditions", "HandlerPredicate")
            arguments.append(("when", Call(made, (("", condition.ref),))))
        elif not isinstance(condition, Always | Chosen):
            where = f"the condition of edge {edge.source!r} -> {edge.target!r}"
            function = condition.function if isinstance(condition, Predicate) else condition
            known = None if isinstance(condition, Opaque) else function
            arguments.append(("when", self._object(known, where)))
        rest = {"label": self._text(edge.label or ""), "note": self._text(edge.note)}
        return code(Call(f"graph.{verb}", (*arguments, *_without(rest, label="", note=""))))

    def _end(self, name: str) -> Name | str:
        return Name(self._imports.use("stepgraph", "END")) if name == END else self._text(name)

    def _text(self, text: str) -> str:
        return self._mask.text(text)

    def _plain(self, value: Any) -> Any:
        """Hide secrets in a setting; a tuple stays one."""
        hidden = self._mask.value("", list(value) if isinstance(value, tuple) else value)
        return tuple(hidden) if isinstance(value, tuple) and isinstance(hidden, list) else hidden

    # Python objects

    def _object(self, found: object, what: str) -> Name | Call:
        """Write how the script gets at a Python object: it is imported, or made of its settings."""
        if found is None:
            return self._refuse(what, _UNKNOWN)
        if isinstance(found, BaseNode):
            return self._built(found, what)
        module, path = own_names(str(getattr(found, "__module__", ""))), getattr(found, "__qualname__", "")
        if not _leads_to(found, path) or not _is_dotted(module):
            kind = path if isinstance(path, str) and path.isprintable() and path else type(found).__name__
            return self._refuse(what, f"is {kind}, which no module has at its top level")
        if module == "__main__":
            return self._refuse(what, f"is {path} of the program that runs now")
        head, _, rest = path.partition(".")
        return Name(".".join(filter(None, (self._imports.use(module, head), rest))))

    def _built(self, node: BaseNode, what: str) -> Name | Call:
        kind = type(node)
        settings = node.settings
        if kind.__init__ is not BaseNode.__init__ or not isinstance(settings, Declared):
            return self._refuse(what, f"is a {kind.__name__} that only its program can make")
        made = self._class(kind, what)
        values: dict[str, Json] = {}
        for key, (name, field) in _fields(type(settings)).items():
            value = vars(settings)[name]
            if field.required or value != field.value():
                try:
                    values[key] = self._plain(plain(value, f"{what}: {key}"))
                except StateError as error:
                    return self._refuse(what, str(error))
        if all(key.isidentifier() and not keyword.iskeyword(key) for key in values):
            return Call(made.text, tuple(values.items()))
        return Call(made.text, (("**", values),))

    def _class(self, kind: type, what: str) -> Name:
        import stepgraph

        if getattr(stepgraph, kind.__name__, None) is kind:
            return Name(self._imports.use("stepgraph", kind.__name__))
        found = self._object(kind, what)
        return found if isinstance(found, Name) else Name(kind.__name__)

    def _refuse(self, what: str, why: str) -> Name:
        self._refused.append(self._mask.text(f"{what} {why}"))
        return Name("...")


def _fields(declared: type[Declared]) -> dict[str, tuple[str, Any]]:
    """Return the fields of settings by their keys in a table, each with its name in Python."""
    names = {id(field): name for name, field in declared._declared.items()}
    return {key: (names[id(field)], field) for key, field in keys_of(declared).items()}


def _leads_to(found: object, path: object) -> bool:
    """Check whether an object is found in its module under its qualified name; nothing is imported."""
    module: object = sys.modules.get(str(getattr(found, "__module__", "")))
    if not isinstance(path, str) or module is None or not _is_dotted(path):
        return False
    for part in path.split("."):
        module = getattr(module, part, None)
    return module is found


def _is_dotted(name: str) -> bool:
    return all(part.isidentifier() and not keyword.iskeyword(part) for part in name.split("."))


def _wrapped(text: str) -> list[str]:
    return wrap(text, WIDTH, break_long_words=False, break_on_hyphens=False)  # escapes stay whole


def _without(table: Mapping[str, Any], **defaults: Any) -> list[tuple[str, Any]]:
    """Leave out what has its default."""
    return [(key, value) for key, value in table.items() if value != defaults[key]]
