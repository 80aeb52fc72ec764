"""The house in order: names that stand once, short chains of classes, docstrings that are statements."""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from bench.house import ROOTS, Ancestry, Module, read
from stepgraph.doors import homes_in

TREE = Path(__file__).parents[2]

NO_STATEMENT = re.compile(r"(The|A|An|What|How|Where|Which|Who|Why|Each|Every|All|It|Its)\b")
PROPERTIES = {"property", "cached_property"}


@pytest.fixture(scope="module")
def modules() -> list[Module]:
    """All modules; read here, for each process of the suite imports this file."""
    return [module for root in ROOTS for module in read(TREE / root).values()]


@pytest.fixture(scope="module")
def classes(modules: list[Module]) -> Ancestry:
    """All their classes."""
    return Ancestry(each for module in modules for each in module.classes)


def test_no_class_name_stands_twice(classes: Ancestry) -> None:
    """Messages aside: those that stand in a widget are named by it, too."""
    names = Counter(each.name for each in classes.classes if not classes.is_message(each))
    assert [name for name, count in names.items() if count > 1] == []


def test_no_class_has_a_chain_of_bases_of_ours(classes: Ancestry) -> None:
    ours = [each for each in classes.classes if not classes.is_exception(each)]
    assert [each.name for each in ours if len(classes.chain(each)) > 2] == []


def functions(modules: list[Module]) -> Iterator[tuple[str, str]]:
    """Where each function with a docstring is, and the first line of that."""
    for module in modules:
        for node in ast.walk(module.tree):
            if not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
                continue
            decorators = {getattr(each, "id", "") for each in node.decorator_list}
            said = ast.get_docstring(node)
            if said and not decorators & PROPERTIES:
                yield f"{module.name}:{node.lineno}", said.splitlines()[0]


def test_the_docstring_of_a_function_says_what_it_does(modules: list[Module]) -> None:
    found = list(functions(modules))
    assert len(found) > 1_000
    assert [(where, said) for where, said in found if NO_STATEMENT.match(said)] == []


def test_no_process_of_ours_looks_for_modules_in_the_current_folder(modules: list[Module]) -> None:
    """``python -m`` and ``python -c`` put that folder first; whoever wrote what is in it would run there."""
    commands = [
        (f"{module.name}:{node.lineno}", [ast.unparse(each) for each in node.elts[:2]])
        for module in modules
        for node in ast.walk(module.tree)
        if isinstance(node, (ast.List, ast.Tuple))
        and node.elts
        and ast.unparse(node.elts[0]) == "sys.executable"
    ]
    assert len(commands) == 2
    assert [where for where, words in commands if words[1:] != ["'-P'"]] == []


DOORS = {
    ".".join(stub.parent.relative_to(TREE / root.split("/")[0]).parts): homes_in(
        stub.read_text(encoding="utf-8")
    )
    for root in ROOTS
    for stub in (TREE / root).rglob("__init__.pyi")
}


def test_no_door_hides_a_name_behind_a_module_of_the_same_name(modules: list[Module]) -> None:
    """Importing ``room.parse`` would put the module where the function of that name was."""
    known = {module.name for module in modules}
    assert [
        f"{room}.{name}" for room, names in DOORS.items() for name in names if f"{room}.{name}" in known
    ] == []


def test_the_app_comes_into_a_room_of_the_engine_by_its_door(modules: list[Module]) -> None:
    rooms = {module.name for module in modules if module.is_package}
    doors = {room for room in DOORS if room.startswith("stepgraph.")}
    by_the_window = [
        f"{module.name}:{node.lineno} {node.module}"
        for module in modules
        if module.name.startswith("stepgraph_tui")
        for node in ast.walk(module.tree)
        if isinstance(node, ast.ImportFrom) and not node.level and node.module not in rooms
        if (node.module or "").rpartition(".")[0] in doors
    ]
    assert [each for each in by_the_window if not each.endswith("stepgraph.expressions.tree")] == []
