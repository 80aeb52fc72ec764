"""Modules with an import of their own: neighbors at any time, one of each, and nothing left behind."""

from __future__ import annotations

import builtins
import signal
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import ModuleType

import pytest

from stepgraph.files.importing import load_module, own_names, read_sources, typed_imports

from .conftest import WriteText


def load(folder: Path, name: str = "tools") -> ModuleType:
    return load_module(name, read_sources([name], folder))


def test_in_any_thread_each_folder_has_its_own_neighbors(write: WriteText, tmp_path: Path) -> None:
    for name in ("one", "two"):
        write(
            "def f():\n    import helper\n    from helper import NAME\n    return helper.NAME, NAME",
            f"{name}/tools.py",
        )
        write(f"NAME = {name!r}", f"{name}/helper.py")
    modules = [load(tmp_path / name) for name in ("one", "two")] * 8
    with ThreadPoolExecutor(4) as threads:
        told = list(threads.map(lambda module: module.f(), modules))
    assert told == [("one", "one"), ("two", "two")] * 8


@pytest.mark.parametrize(
    "text",
    [
        "from helper import *\nfound = NAME",
        "import helper as other\nfound = other.NAME",
        "from shop import prices\nfound = prices.NAME",
        "import shop.prices as prices\nfound = prices.NAME",
        "import shop.prices\nfound = shop.prices.NAME",
        "from shop.prices import NAME as found",
        "import importlib\nfound = importlib.import_module('helper').NAME",
        "import importlib\nfound = importlib.import_module('shop.prices').NAME",
        "import importlib, helper\nassert importlib.import_module('helper') is helper\nfound = helper.NAME",
        "found = __import__('helper').NAME",
        "found = __import__('shop.prices').prices.NAME",
        "exec('import helper')\nfound = helper.NAME",
        "try:\n    import not_there\nexcept ImportError:\n    import helper\n    found = helper.NAME",
        "try:\n    from helper import no\nexcept ImportError:\n    import helper\n    found = helper.NAME",
    ],
)
def test_every_way_to_import_finds_them(write: WriteText, tmp_path: Path, text: str) -> None:
    write(text, "tools.py")
    write("NAME = 'here'", "helper.py")
    write("", "shop/__init__.py")
    write("NAME = 'here'", "shop/prices.py")
    assert load(tmp_path).found == "here"
    assert not {"helper", "shop", "shop.prices"} & set(sys.modules)


def test_what_is_there_only_later_is_found_when_it_is_imported(write: WriteText, tmp_path: Path) -> None:
    write("def f():\n    import helper\n    return helper.NAME", "tools.py")
    found = load(tmp_path)
    with pytest.raises(ModuleNotFoundError, match="No module named 'helper'"):
        found.f()
    write("NAME = 'here'", "helper.py")
    load(tmp_path)  # as each step does
    assert found.f() == "here"


def test_imports_of_everybody_else_are_left_alone(write: WriteText, tmp_path: Path) -> None:
    before = builtins.__import__
    write("import helper", "tools.py")
    write("", "helper.py")
    load(tmp_path)
    assert builtins.__import__ is before


def test_what_is_typed_in_a_debugger_looks_beside_too(write: WriteText, tmp_path: Path) -> None:
    write("def f(): return globals()", "tools.py")
    write("NAME = 'here'", "helper.py")
    write("NAME = 'here'", "shop/prices.py")
    names = load(tmp_path).f()
    with typed_imports():
        exec("import helper, shop.prices\nfrom helper import NAME", names)  # noqa: S102  # as pdb does
    assert (names["NAME"], names["shop"].prices.NAME, names["helper"].NAME) == ("here",) * 3
    assert "helper" not in sys.modules


def test_names_of_the_standard_library_are_never_hidden(write: WriteText, tmp_path: Path) -> None:
    write(
        "import json, helper as other, json.decoder as d\nfound = json.loads('1'), other.NAME, d", "tools.py"
    )
    write("1 / 0", "json.py")
    write("NAME = 'here'", "helper.py")
    found = load(tmp_path).found
    assert found[:2] == (1, "here")
    assert found[2].__name__ == "json.decoder"


def test_a_long_module_and_one_with_an_error_keep_their_lines(write: WriteText, tmp_path: Path) -> None:
    ways = "".join(f"elif x == {n}:\n    import helper\n" for n in range(500))
    write(f"x = 499\nif x == -1:\n    pass\n{ways}\ndef f():\n    import helper; 1 / 0", "tools.py")
    write("", "helper.py")
    found = load(tmp_path)
    with pytest.raises(ZeroDivisionError) as caught:
        found.f()
    assert caught.traceback[-1].lineno == 1_006 - 1
    write(f"FOUND = {'+'.join(['1'] * 2_000)}", "deep.py")
    assert load(tmp_path, "deep").FOUND == 2_000
    write("import helper\nreturn", "wrong.py")
    with pytest.raises(SyntaxError) as wrong:
        load(tmp_path, "wrong")
    assert (wrong.value.lineno, wrong.value.filename) == (2, str(tmp_path / "wrong.py"))


# Anew


def test_a_neighbor_that_was_edited_is_imported_anew_with_who_imports_it(
    write: WriteText, tmp_path: Path
) -> None:
    write("import helper\ndef f(): return helper.NAME", "tools.py")
    write("NAME = 'one'", "helper.py")
    before = load(tmp_path)
    assert load(tmp_path) is before
    write("NAME = 'another'", "helper.py")
    after = load(tmp_path)
    assert (before.f(), after.f()) == ("one", "another")
    assert load(tmp_path) is after
    (tmp_path / "helper.py").unlink()
    with pytest.raises(ModuleNotFoundError, match="No module named 'helper'"):
        load(tmp_path)


# The process


def test_the_folder_and_the_signals_of_the_process_stay(write: WriteText, tmp_path: Path) -> None:
    write(
        "import os, signal\nos.chdir('/')\nsignal.signal(signal.SIGUSR1, signal.SIG_IGN)\n1 / 0", "tools.py"
    )
    here, before = Path.cwd(), signal.getsignal(signal.SIGUSR1)
    with pytest.raises(ZeroDivisionError):
        load(tmp_path)
    assert (Path.cwd(), signal.getsignal(signal.SIGUSR1)) == (here, before)


def test_a_process_without_a_folder_can_import(
    write: WriteText, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write("FOUND = 1", "tools.py")
    gone = tmp_path / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    gone.rmdir()
    assert load(tmp_path).FOUND == 1


def test_the_finders_stay_as_they_are_for_a_thread_that_walks_them_meanwhile(
    write: WriteText, tmp_path: Path
) -> None:
    write("import sys, helper\nDURING = list(sys.meta_path)", "tools.py")
    write("import importlib\nX = importlib.import_module('deeper').X", "helper.py")
    write("X = 1", "deeper.py")
    write("FIRST = 1", "others.py")
    load(tmp_path, "others")  # what takes part in imports does so from now on
    before = list(sys.meta_path)
    assert load(tmp_path).DURING == before == sys.meta_path


def test_private_names_are_not_shown() -> None:
    private = f"_stepgraph_{'0a' * 12}.helper.x and _stepgraph_{'1b' * 12}_2.tools"
    assert own_names(private) == "helper.x and tools"
    assert own_names("_stepgraph_x.helper") == "_stepgraph_x.helper"
