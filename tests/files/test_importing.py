"""Modules with an import of their own: neighbours at any time, one of each, and nothing left behind."""

from __future__ import annotations

import signal
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import ModuleType

import pytest

from stepgraph.files.importing import load_module, own_names, read_sources

from .conftest import WriteText


def load(folder: Path, name: str = "tools") -> ModuleType:
    return load_module(name, read_sources([name], folder))


def test_in_any_thread_each_folder_has_its_own_neighbours(write: WriteText, tmp_path: Path) -> None:
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


# Anew


def test_a_neighbour_that_was_edited_is_imported_anew_with_who_imports_it(
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
