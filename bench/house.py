"""Count the house: files, code lines, and how its rooms, modules and classes hang together.

``python -m bench.house [TREE]``; nothing is imported, everything is read. A room is a module or package at
the top of ``stepgraph`` or of ``stepgraph_tui``; imports for type checkers and inside functions count too.
"""

from __future__ import annotations

import ast
import builtins
import io
import sys
import tokenize
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

import networkx as nx

from . import crossings

ROOTS = ("core/stepgraph", "tui/stepgraph_tui")
METHODS = 40
"""A class should not have more, with what it inherits from us."""
_NO_CODE = {
    tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT, tokenize.ENDMARKER,
}  # fmt: skip
_EXCEPTIONS = {
    name
    for name, value in vars(builtins).items()
    if isinstance(value, type) and issubclass(value, BaseException)
}


@dataclass
class Class:
    """One class of ours."""

    name: str
    module: str
    bases: list[str]
    methods: set[str]
    nested: bool


@dataclass
class Module:
    """One file: its code, whom it imports and which classes it has."""

    name: str
    text: str
    tree: ast.Module
    is_package: bool
    classes: list[Class] = field(default_factory=list)

    @cached_property
    def code_lines(self) -> int:
        """The lines that are neither blank nor comment nor docstring; counted when asked for."""
        return code_lines(self.text, self.tree)


def read(root: Path) -> dict[str, Module]:
    """Read all modules under a package's folder, by their dotted names."""
    modules = {}
    for file in sorted(root.rglob("*.py")):
        parts = file.relative_to(root.parent).with_suffix("").parts
        is_package = parts[-1] == "__init__"
        name = ".".join(parts[:-1] if is_package else parts)
        text = file.read_text(encoding="utf-8")
        tree = ast.parse(text)
        module = Module(name, text, tree, is_package)
        module.classes = list(_classes(tree, name, False))
        modules[name] = module
    return modules


def code_lines(text: str, tree: ast.Module) -> int:
    """Count the lines that are neither blank nor comment nor docstring."""
    lines: set[int] = set()
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type not in _NO_CODE:
            lines.update(range(token.start[0], token.end[0] + 1))
    for node in ast.walk(tree):
        if (
            isinstance(node, ast.Expr)
            and isinstance(node.value, ast.Constant)
            and isinstance(node.value.value, str)
        ):
            lines.difference_update(range(node.lineno, (node.end_lineno or node.lineno) + 1))
    return len(lines)


def _classes(node: ast.AST, module: str, nested: bool) -> Iterator[Class]:
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.ClassDef):
            methods = {
                part.name for part in child.body if isinstance(part, (ast.FunctionDef, ast.AsyncFunctionDef))
            }
            yield Class(child.name, module, [_last_name(base) for base in child.bases], methods, nested)
            yield from _classes(child, module, True)
        elif not isinstance(child, ast.expr):  # no class is in an expression, and most nodes are
            yield from _classes(child, module, nested)


def _last_name(base: ast.expr) -> str:
    while isinstance(base, ast.Subscript):
        base = base.value
    return base.attr if isinstance(base, ast.Attribute) else base.id if isinstance(base, ast.Name) else ""


def imports(module: Module, known: Mapping[str, Module]) -> set[str]:
    """Find the modules of ours that a module imports, anywhere in it."""
    found: set[str] = set()
    package = module.name if module.is_package else module.name.rpartition(".")[0]
    for node in ast.walk(module.tree):
        if isinstance(node, ast.Import):
            found.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            above = package.split(".")
            base = ".".join(above[: len(above) - node.level + 1]) if node.level else ""
            source = ".".join(filter(None, (base, node.module)))
            found.update(
                longer if (longer := f"{source}.{alias.name}") in known else source for alias in node.names
            )
    return {name for name in found if name in known and name != module.name}


def of_modules(modules: Mapping[str, Module]) -> nx.DiGraph[str]:
    """Draw an edge from each module to those that it imports."""
    graph: nx.DiGraph[str] = nx.DiGraph()
    graph.add_nodes_from(modules)
    graph.add_edges_from(
        (name, other) for name, module in modules.items() for other in imports(module, modules)
    )
    return graph


def of_rooms(graph: nx.DiGraph[str]) -> nx.DiGraph[str]:
    """Draw an edge from room to room wherever a module of one imports one of the other.

    The package's own ``__init__``, its public door, is the room above all others; ``__main__`` is none.
    """
    rooms: nx.DiGraph[str] = nx.DiGraph()

    def room(name: str) -> str:
        return [*name.split("."), "the door"][1]

    rooms.add_nodes_from(map(room, graph))
    rooms.add_edges_from((room(one), room(other)) for one, other in graph.edges if room(one) != room(other))
    rooms.remove_nodes_from(["__main__"])
    return rooms


def floors(graph: nx.DiGraph[str]) -> int:
    """Count the floors: the longest way down, each circle taken as one."""
    return int(nx.dag_longest_path_length(nx.condensation(graph))) + 1 if graph else 0


def circles(graph: nx.DiGraph[str]) -> list[list[str]]:
    """Find who imports one another, the largest circle first."""
    found = [sorted(part) for part in nx.strongly_connected_components(graph) if len(part) > 1]
    return sorted(found, key=len, reverse=True)


class Ancestry:
    """Which of our classes a class inherits from; of two with one name, the nearer one."""

    def __init__(self, classes: Iterable[Class]) -> None:
        self.classes = list(classes)
        self._by_name: dict[str, list[Class]] = defaultdict(list)
        for each in self.classes:
            self._by_name[each.name].append(each)

    def bases(self, of: Class) -> list[Class]:
        """Find the direct bases of a class that are ours."""
        found = []
        for name in of.bases:
            near = [each for each in self._by_name[name] if each is not of]
            near.sort(key=lambda each: _shared(each.module, of.module), reverse=True)
            found.extend(near[:1])
        return found

    def all_of(self, of: Class) -> list[Class]:
        """List a class and all that it inherits from."""
        found = [of]
        for base in self.bases(of):
            found.extend(each for each in self.all_of(base) if each not in found)
        return found

    def chain(self, of: Class) -> list[Class]:
        """List the longest chain of bases, from the class up."""
        return [of, *max(map(self.chain, self.bases(of)), key=len, default=[])]

    def is_exception(self, of: Class) -> bool:
        """Tell whether a class is an exception or a warning."""
        return any(name in _EXCEPTIONS for each in self.all_of(of) for name in each.bases)

    def is_message(self, of: Class) -> bool:
        """Tell whether a class is a message that stands in a widget."""
        return of.nested and any("Message" in each.bases for each in self.all_of(of))


def _shared(one: str, other: str) -> int:
    """Count the parts that two dotted names begin with alike."""
    count = 0
    for a, b in zip(one.split("."), other.split("."), strict=False):
        if a != b:
            break
        count += 1
    return count


def report(tree: Path) -> Iterator[str]:
    """Tell everything that is counted, line by line."""
    everything: dict[str, Module] = {}
    parts = []
    for root in ROOTS:
        modules = read(tree / root)
        parts.append(modules)
        lines = sum(each.code_lines for each in modules.values())
        everything |= modules
        graph = of_modules(modules)
        rooms = of_rooms(graph)
        yield f"{root}: {len(modules)} files, {lines:,} lines of code"
        yield f"  {len(rooms)} rooms on {floors(rooms)} floors, {rooms.number_of_edges()} arrows"
        yield f"  circles of rooms: {_told(circles(rooms))}"
        yield f"  circles of modules: {_told(circles(graph))}"
    lines = sum(each.code_lines for each in everything.values())
    yield f"together: {len(everything)} files, {lines:,} lines of code"
    yield from _about_classes(Ancestry(each for module in everything.values() for each in module.classes))
    importers = Counter(name for each in everything.values() for name in imports(each, everything))
    yield from crossings.report(parts[0], parts[1], importers)
    yield from _rooms(everything)


def _rooms(modules: Mapping[str, Module]) -> Iterator[str]:
    """List the rooms, the largest first, each with its lines of code and its files."""
    rooms: Counter[str] = Counter()
    files: Counter[str] = Counter()
    for name, module in modules.items():
        room = ".".join(name.split(".")[:2])
        rooms[room] += module.code_lines
        files[room] += 1
    for room, lines in rooms.most_common():
        yield f"  {lines:>6,} lines, {files[room]:>3} files  {room}"


def _about_classes(ancestry: Ancestry) -> Iterator[str]:
    ours = [each for each in ancestry.classes if not ancestry.is_exception(each)]
    longest = max(map(ancestry.chain, ours), key=len, default=[])
    yield f"  longest chain of classes: {len(longest)}: " + " > ".join(each.name for each in longest)
    over = sum(len(ancestry.chain(each)) > 2 for each in ours)
    yield f"  classes whose chain is longer than two: {over}"
    counted = [(sum(len(one.methods) for one in ancestry.all_of(each)), each.name) for each in ours]
    large = sorted((pair for pair in counted if pair[0] > METHODS), reverse=True)
    yield f"  classes over {METHODS} methods: {len(large)}" + _listed(
        f"{name} {count}" for count, name in large
    )
    messages = {id(each) for each in ancestry.classes if ancestry.is_message(each)}
    twice = Counter(each.name for each in ancestry.classes if id(each) not in messages)
    verbs = Counter(each.name for each in ancestry.classes if id(each) in messages)
    yield "  class names used twice: " + _twice(twice)
    yield "  verbs of messages used twice: " + _twice(verbs)


def _told(found: list[list[str]]) -> str:
    if not found:
        return "none"
    shown = [", ".join(part[:6]) + (", ..." if len(part) > 6 else "") for part in found]
    return "; ".join(f"{len(part)} ({text})" for part, text in zip(found, shown, strict=True))


def _twice(names: Counter[str]) -> str:
    found = sorted(name for name, count in names.items() if count > 1)
    return f"{len(found)}" + _listed(found)


def _listed(names: Iterable[str]) -> str:
    told = ", ".join(names)
    return f": {told}" if told else ""


if __name__ == "__main__":
    for line in report(Path(sys.argv[1] if len(sys.argv) > 1 else ".")):
        print(line)
