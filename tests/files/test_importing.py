"""Modules with an import of their own: neighbours at any time, one of each, and nothing left behind."""

from __future__ import annotations

import builtins
import gc
import pickle
import signal
import subprocess
import sys
import weakref
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import ModuleType

import pytest

from stepgraph.files import importing
from stepgraph.files.importing import load_module, own_names
from stepgraph.files.sources import read_sources

from .conftest import WriteText


def load(folder: Path, name: str = "tools") -> ModuleType:
    return load_module(name, read_sources([name], folder))


def test_a_function_may_import_its_neighbours_when_it_is_called(write: WriteText, tmp_path: Path) -> None:
    late = "def late():\n    import helper, shop.prices\n    return helper, shop.prices"
    write(f"import helper\ndef early(): return helper\n{late}", "tools.py")
    write("COUNT = []", "helper.py")
    write("PRICE = 3", "shop/prices.py")
    tools = load(tmp_path)
    helper, prices = tools.late()
    assert helper is tools.early()
    assert prices.PRICE == 3
    assert not {"helper", "shop", "shop.prices"} & set(sys.modules)
    assert str(tmp_path) not in sys.path


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


def test_modules_that_import_each_other_are_one_each(write: WriteText, tmp_path: Path) -> None:
    write("import helper\nNAMES = []\ndef f(): return helper.names()", "tools.py")
    write("def names():\n    import tools\n    return tools.NAMES", "helper.py")
    tools = load(tmp_path)
    assert tools.f() is tools.NAMES


def test_a_package_without_code_of_its_own_knows_itself(write: WriteText, tmp_path: Path) -> None:
    write("from ns.parts import other\nfrom . import near\nfound = other.X + near.X", "ns/parts/tools.py")
    write("X = 1", "ns/parts/other.py")
    write("X = 2", "ns/parts/near.py")
    assert load(tmp_path / "ns" / "parts").found == 3


CLASSES = """
from __future__ import annotations
import copy, pickle
from dataclasses import dataclass, field
from enum import Enum
from typing import NamedTuple, get_type_hints
from pydantic import BaseModel
from helper import Price

class Kind(Enum):
    A = 1

@dataclass
class Order:
    price: Price
    kind: Kind = Kind.A
    more: list[Order] = field(default_factory=list)

class Model(BaseModel):
    price: Price
    order: Order | None = None
    child: Model | None = None

class Pair(NamedTuple):
    a: int

def double(x):
    return 2 * x

def work():
    order = Order(Price(3))
    same = pickle.loads(pickle.dumps([order, Pair(1), Kind.A, double, Price]))
    assert same == [order, Pair(1), Kind.A, double, Price]
    assert copy.deepcopy(order) == order
    assert get_type_hints(Order)["price"] is Price
    model = Model(price={"amount": 3}, child={"price": Price(4)})
    assert pickle.loads(pickle.dumps(model)) == model
    return model.child.price
"""


def test_what_programs_do_with_classes_and_functions_works_in_them(write: WriteText, tmp_path: Path) -> None:
    write(CLASSES, "tools.py")
    write("from dataclasses import dataclass\n@dataclass\nclass Price:\n    amount: int\n", "helper.py")
    tools = load(tmp_path)
    assert tools.work().amount == 4
    assert type(pickle.loads(pickle.dumps(tools.Order(1)))) is tools.Order  # noqa: S301  # our own


FORKS = """
import multiprocessing

def double(x):
    import helper
    return helper.TWO * x

def apart():
    with multiprocessing.get_context("fork").Pool(1) as pool:
        return pool.map(double, [1, 2])
"""


def test_processes_that_are_forked_have_its_functions(write: WriteText, tmp_path: Path) -> None:
    write(FORKS, "tools.py")
    write("TWO = 2", "helper.py")
    code = f"""
from pathlib import Path
from stepgraph.files.importing import load_module
from stepgraph.files.sources import read_sources
print(load_module("tools", read_sources(["tools"], Path({str(tmp_path)!r}))).apart())
"""
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, check=True, text=True, timeout=60
    )
    assert done.stdout == "[2, 4]\n"


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


def test_what_was_edited_often_does_not_pile_up(write: WriteText, tmp_path: Path) -> None:
    write("class Kept: ...", "helper.py")
    dead = []
    for number in range(40):
        write(f"import helper\nNUMBER = {number}\ndef f(): return helper", "tools.py")
        module = load(tmp_path)
        assert number == module.NUMBER
        dead.append(weakref.ref(module))
        del module
    gc.collect()
    assert sum(ref() is not None for ref in dead) <= 8
    mine = [name for name in sys.modules if name.startswith("_stepgraph_") and name.endswith(".tools")]
    here = [name for name in mine if str(tmp_path) in str(sys.modules[name].__file__)]
    assert len(here) == 8
    assert len([root for root in importing._roots.values() if root.sources.folder == tmp_path]) == 8


def test_what_runs_still_keeps_its_neighbours_when_its_module_was_edited(
    write: WriteText, tmp_path: Path
) -> None:
    write("import helper\ndef f():\n    import helper\n    return helper.NAME", "tools.py")
    write("NAME = 'one'", "helper.py")
    before = load(tmp_path)
    write("NAME = 'other'", "helper.py")
    write("import helper\ndef f(): return helper.NAME * 2", "tools.py")
    assert load(tmp_path).f() == "otherother"
    assert before.f() == "one"


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


def test_a_thread_may_import(write: WriteText, tmp_path: Path) -> None:
    write("import helper\nFOUND = helper.X", "tools.py")
    write("X = 1", "helper.py")
    with ThreadPoolExecutor(1) as threads:
        assert threads.submit(load, tmp_path).result().FOUND == 1


def test_a_module_that_takes_the_finders_away_harms_nobody(write: WriteText, tmp_path: Path) -> None:
    write(
        "import sys\nsys.meta_path[:] = [one for one in sys.meta_path if 'stepgraph' not in one.__module__]",
        "tools.py",
    )
    write("import helper\nFOUND = helper.X", "others.py")
    write("X = 1", "helper.py")
    load(tmp_path)
    assert load(tmp_path, "others").FOUND == 1


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


def test_what_is_put_among_the_builtins_is_seen(
    write: WriteText, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("builtins.ours", 1, raising=False)
    text = "import builtins\nbuiltins.theirs = 2\nfound = ours, theirs\ndef f(): return later, ascii('four')"
    write(text, "tools.py")
    try:
        tools = load(tmp_path)
        assert tools.found == (1, 2)
    finally:
        vars(builtins).pop("theirs", None)
    monkeypatch.setattr("builtins.later", 3, raising=False)
    assert tools.f() == (3, "'four'")
    monkeypatch.setattr("builtins.ascii", lambda _: "patched")
    assert tools.f() == (3, "patched")
    with pytest.raises(NameError, match="name 'nowhere' is not defined"):
        exec("nowhere", vars(tools))  # noqa: S102  # as its own code would


def test_private_names_are_not_shown() -> None:
    private = f"_stepgraph_{'0a' * 12}.helper.x and _stepgraph_{'1b' * 12}_2.tools"
    assert own_names(private) == "helper.x and tools"
    assert own_names("_stepgraph_x.helper") == "_stepgraph_x.helper"
