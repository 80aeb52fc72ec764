"""Finding the Python functions that graphs name."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from stepgraph.files import resolve_handler
from stepgraph.files.importing import read_sources
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


def test_a_module_elsewhere_is_found_on_the_python_path(tmp_path: Path) -> None:
    assert resolve("os.path:join", tmp_path) is os.path.join


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
        ("typo:f", "'typo' does not import: SyntaxError", "fix it"),
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


def test_a_failed_import_is_tried_again(write: WriteText) -> None:
    path = write("import later\ndef f(): return later.X", "waiting.py")
    with pytest.raises(HandlerError):
        resolve("waiting:f", path.parent)
    write("X = 5", "later.py")
    assert resolve("waiting:f", path.parent)() == 5
