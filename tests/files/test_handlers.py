"""Finding the Python functions that graphs name."""

from __future__ import annotations

import os
import py_compile
import sys
from pathlib import Path
from typing import Any

import pytest

from stepgraph import END, StateGraph
from stepgraph.conditions import HandlerPredicate
from stepgraph.files import handler_refs, resolve_handler
from stepgraph.files.sources import read_sources
from stepgraph.values.errors import HandlerError
from stepgraph.values.handler_names import is_handler

from .conftest import WriteText


def resolve(ref: str, folder: Path | None) -> Any:
    """The function of a handler, in a module beside a graph file in that folder or elsewhere."""
    return resolve_handler(ref, read_sources([ref.partition(":")[0]], folder))


@pytest.mark.parametrize("ref", ["m:f", "shop.tools:look_up", "_m:_f", "mödul:größe"])
def test_a_module_and_a_function_are_a_handler(ref: str) -> None:
    assert is_handler(ref)


@pytest.mark.parametrize(
    "ref", ["", "m", "m:", ":f", "m:f:g", "m.f", "m:f()", "../m:f", "m:f.g", "1m:f", "m :f", "m:f\n"]
)
def test_anything_else_is_not(ref: str) -> None:
    assert not is_handler(ref)
    with pytest.raises(HandlerError, match="not written as module:function"):
        resolve(ref, None)


def test_the_module_beside_the_graph_comes_first(write: WriteText) -> None:
    path = write("def dumps(value): return 'mine'", "json.py")
    assert resolve("json:dumps", path.parent)(1) == "mine"
    assert resolve("json:dumps", None)(1) == "1"
    assert sys.modules["json"].__file__ != str(path)


def test_a_module_elsewhere_is_found_on_the_python_path(tmp_path: Path) -> None:
    assert resolve("os.path:join", tmp_path) is os.path.join


def test_two_graphs_may_each_have_a_module_of_the_same_name(write: WriteText) -> None:
    one = write("import helper\ndef f(): return helper.NAME", "one/tools.py")
    two = write("import helper\ndef f(): return helper.NAME", "two/tools.py")
    write("NAME = 'one'", "one/helper.py")
    write("NAME = 'two'", "two/helper.py")
    names = [resolve("tools:f", path.parent)() for path in (one, two, one)]
    assert names == ["one", "two", "one"]
    assert "helper" not in sys.modules
    assert str(one.parent) not in sys.path


def test_a_neighbour_wins_over_a_module_that_is_loaded_already(
    write: WriteText, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = write("import neighbour\ndef f(): return neighbour.NAME", "tools.py")
    write("NAME = 'beside'", "neighbour.py")
    loaded = type(sys)("neighbour")
    monkeypatch.setitem(sys.modules, "neighbour", loaded)
    assert resolve("tools:f", path.parent)() == "beside"
    assert sys.modules["neighbour"] is loaded


def test_one_module_is_loaded_once_for_all_its_functions(write: WriteText) -> None:
    path = write("calls = []\ndef f(): calls.append(1)\ndef g(): return len(calls)", "counting.py")
    resolve("counting:f", path.parent)()
    assert resolve("counting:g", path.parent)() == 1


def test_an_edited_module_is_loaded_anew(write: WriteText) -> None:
    path = write("def f(): return 1", "edited.py")
    assert resolve("edited:f", path.parent)() == 1
    write("def f(): return 2", "edited.py")
    assert resolve("edited:f", path.parent)() == 2


def test_compiled_files_are_never_run_instead_of_the_source(write: WriteText) -> None:
    path = write("def f(): return 'evil'", "compiled.py")
    py_compile.compile(
        str(path), doraise=True, invalidation_mode=py_compile.PycInvalidationMode.UNCHECKED_HASH
    )
    write("def f(): return 'good'", "compiled.py")
    assert resolve("compiled:f", path.parent)() == "good"


def test_packages_beside_the_graph_may_import_their_own_parts(write: WriteText, tmp_path: Path) -> None:
    write("", "shop/__init__.py")
    write("PRICE = 3", "shop/prices.py")
    write("from .prices import PRICE\ndef f(): return PRICE", "shop/tools.py")
    assert resolve("shop.tools:f", tmp_path)() == 3


def test_a_folder_without_init_is_a_package_too(write: WriteText, tmp_path: Path) -> None:
    write("def f(): return 4", "plain/tools.py")
    assert resolve("plain.tools:f", tmp_path)() == 4


@pytest.mark.parametrize(
    ("ref", "message", "hint"),
    [
        ("refund_tool:pay", "there is no module 'refund_tool': neither in ", "did you mean 'refund_tools'?"),
        ("refund_tools:pey", "the handler 'refund_tools:pey' is not there", "did you mean 'pay'?"),
        ("refund_tools:LIMIT", "is int 'LIMIT', which cannot be called", "name a function"),
        ("raises:f", "'raises' does not import: ValueError: no config", "traceback"),
        ("exits:f", "'exits' ends the program while it is imported", "__main__"),
        ("needs:f", "'needs' does not import: No module named 'not_installed_anywhere'", "install"),
        ("typo:f", "'typo' does not import: SyntaxError", "mend it"),
        ("m" * 300 + ":f", "there is no module 'mmm", ""),
        ("os.nothing:f", "there is no module 'os.nothing'", ""),
    ],
)
def test_what_goes_wrong_is_said(write: WriteText, ref: str, message: str, hint: str) -> None:
    path = write("LIMIT = 3\ndef pay(): ...", "refund_tools.py")
    write("raise ValueError('no config')", "raises.py")
    write("import sys; sys.exit(0)", "exits.py")
    write("import not_installed_anywhere", "needs.py")
    write("def f(:", "typo.py")
    with pytest.raises(HandlerError) as caught:
        resolve(ref, path.parent)
    assert message in caught.value.message
    assert hint in caught.value.hint


def test_without_a_folder_only_the_python_path_is_named() -> None:
    with pytest.raises(HandlerError, match="no module 'not_there' on the Python path"):
        resolve("not_there:f", None)


def test_a_failed_import_leaves_nothing_behind(write: WriteText) -> None:
    path = write("raise ValueError", "raising.py")
    with pytest.raises(HandlerError):
        resolve("raising:f", path.parent)
    assert not [name for name in sys.modules if name.endswith(".raising")]


def test_a_failed_import_is_tried_again(write: WriteText) -> None:
    path = write("import later\ndef f(): return later.X", "waiting.py")
    with pytest.raises(HandlerError):
        resolve("waiting:f", path.parent)
    write("X = 5", "later.py")
    assert resolve("waiting:f", path.parent)() == 5


def test_all_named_handlers_are_listed_once_in_order() -> None:
    graph = StateGraph("x", start="a")
    graph.declare_node("a", "handler", {"handler": "m:node"})
    graph.add_tool("t", handler="m:tool")
    graph.add_tool("u", handler="m:node")
    graph.add_tool("bad", handler="no function")
    graph.add_edge("a", END, when=HandlerPredicate("m:test"))
    assert handler_refs(graph) == ["m:node", "m:tool", "m:test"]


def test_python_objects_name_no_handlers() -> None:
    from stepgraph import HandlerNode

    graph = StateGraph("x", start="a")
    graph.add_node("a", HandlerNode(handler="m:node"))
    graph.add_tool("t", tool=lambda: {})
    assert handler_refs(graph) == []
