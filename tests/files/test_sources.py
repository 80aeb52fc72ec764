"""Modules beside a graph file: the bytes that were compared run, whatever is on the disk by then."""

from __future__ import annotations

import inspect
import json
import pickle
import py_compile
import sys
import traceback
from collections.abc import Callable
from importlib.machinery import EXTENSION_SUFFIXES
from pathlib import Path
from threading import Thread

import pytest

import stepgraph.files
from stepgraph import CompiledGraph, Executor, TrustError
from stepgraph.files import grant, read_graph, require_trust, resolve_handler
from stepgraph.files.importing import load_module
from stepgraph.files.sources import MAX_SOURCE, SourceFile, Sources, read_sources
from stepgraph.values.errors import HandlerError

from .conftest import WriteText

TEXT = """format = 1
name = "x"
start = "a"

[nodes.a]
type = "handler"
handler = "{ref}"

[[edges]]
from = "a"
to = "END"
"""
AGREED = "def f(state): return {'ran': 'agreed'}"
OTHER = "def f(state): return {'ran': 'other'}"


def graph_of(write: WriteText, ref: str = "tools:f", **modules: str) -> Path:
    """A trusted graph with modules beside it, named with two underscores for a slash."""
    for name, text in modules.items():
        write(text, name.replace("__", "/") + ".py")
    path = write(TEXT.format(ref=ref))
    grant(read_graph(path))
    return path


def ran(path: Path) -> object:
    """What the graph's node says that it is."""
    executor = Executor(read_graph(path).compile())
    run = executor.run(executor.start({}))
    run.raise_for_status()
    return run.values["ran"]


@pytest.fixture
def compared(monkeypatch: pytest.MonkeyPatch) -> Callable[[Callable[[], object]], None]:
    """Lets somebody else do something each time after a graph was compared with what was agreed to."""

    def after(then: Callable[[], object]) -> None:
        def compare(app: CompiledGraph) -> Sources:
            sources = require_trust(app)
            then()
            return sources

        monkeypatch.setattr(stepgraph.files, "require_trust", compare)

    return after


# What was compared, runs


def test_what_is_swapped_after_it_was_compared_never_runs(
    write: WriteText, compared: Callable[[Callable[[], object]], None]
) -> None:
    path = graph_of(write, tools=AGREED)
    compared(lambda: write(OTHER, "tools.py"))
    told = []
    for _ in range(50):
        write(AGREED, "tools.py")
        told.append(ran(path))
    assert told == ["agreed"] * 50


def test_a_package_that_appears_after_the_module_was_compared_is_not_taken(
    write: WriteText, compared: Callable[[Callable[[], object]], None]
) -> None:
    path = graph_of(write, tools=AGREED)
    compared(lambda: write(OTHER, "tools/__init__.py"))
    assert ran(path) == "agreed"


def test_a_module_that_appears_beside_the_graph_is_not_taken_for_one_from_elsewhere(
    write: WriteText, compared: Callable[[Callable[[], object]], None]
) -> None:
    path = graph_of(write, "string:capwords")
    compared(lambda: write("def capwords(state): return {'ran': 'other'}", "string.py"))
    with pytest.raises(Exception, match="no attribute 'split'"):  # the standard library's
        ran(path)


def test_packages_of_a_module_are_as_they_were_compared(
    write: WriteText, compared: Callable[[Callable[[], object]], None]
) -> None:
    one = graph_of(write, "shop.tools:f", shop____init__="", shop__tools=AGREED)
    compared(lambda: write("raise AssertionError('ran')", "shop/__init__.py"))
    assert ran(one) == "agreed"


def test_a_folder_that_becomes_a_package_after_it_was_compared_is_none(
    write: WriteText, compared: Callable[[Callable[[], object]], None]
) -> None:
    path = graph_of(write, "shop.tools:f", shop__tools=AGREED)
    compared(lambda: write("raise AssertionError('ran')", "shop/__init__.py"))
    assert ran(path) == "agreed"


def test_a_link_that_leads_elsewhere_after_it_was_compared_changes_nothing(
    write: WriteText, tmp_path: Path, compared: Callable[[Callable[[], object]], None]
) -> None:
    for name, text in (("one", AGREED), ("two", OTHER)):
        write(text, f"{name}/tools.py")
        write(TEXT.format(ref="tools:f"), f"{name}/graph.toml")
    link = tmp_path / "link"
    link.symlink_to("one")
    grant(read_graph(link / "graph.toml"))

    def turn() -> None:
        link.unlink()
        link.symlink_to("two")

    compared(turn)
    assert ran(link / "graph.toml") == "agreed"
    with pytest.raises(TrustError):
        ran(link / "graph.toml")


def test_a_neighbour_that_imports_the_module_gets_it_as_it_was_compared(
    write: WriteText, compared: Callable[[Callable[[], object]], None]
) -> None:
    path = graph_of(
        write,
        tools="import helper\ndef f(state): return {'ran': helper.told()}",
        helper="from tools import NAME",
    )
    write("from tools import NAME\ndef told(): return NAME", "helper.py")
    tools = "NAME = 'agreed'\nimport helper\ndef f(state): return {'ran': helper.told()}"
    write(tools, "tools.py")
    grant(read_graph(path))
    compared(lambda: write(tools.replace("agreed", "other"), "tools.py"))
    assert ran(path) == "agreed"


def test_what_is_too_large_or_unreadable_is_not_run(write: WriteText, tmp_path: Path) -> None:
    write("#" * (MAX_SOURCE + 1), "tools.py")
    sources = read_sources(["tools"], tmp_path)
    assert sources.digests == {"tools.py": None}
    with pytest.raises(ImportError, match="cannot be read, or has more than 10,000,000 bytes"):
        load_module("tools", sources)


# Only sources are run


def compiled(path: Path, code: str, text: str) -> Path:
    """A source beside which lies the compiled code of another one, and says that it is to be believed."""
    path.write_text(code, encoding="utf-8")
    hashed = py_compile.PycInvalidationMode.UNCHECKED_HASH
    cached = py_compile.compile(str(path), doraise=True, invalidation_mode=hashed)
    path.write_text(text, encoding="utf-8")
    return Path(cached or "")


def test_neighbours_run_from_their_source_too(write: WriteText, tmp_path: Path) -> None:
    path = graph_of(write, tools="import helper\ndef f(state): return {'ran': helper.NAME}", helper="")
    compiled(tmp_path / "helper.py", "NAME = 'other'", "NAME = 'source'")
    assert ran(path) == "source"


@pytest.mark.parametrize(
    "tools",
    [
        "from .names import NAME\ndef f(state): return {'ran': NAME}",
        "from shop.names import NAME\ndef f(state): return {'ran': NAME}",
        "def f(state):\n    from .names import NAME\n    return {'ran': NAME}",
    ],
    ids=["relative", "absolute", "relative, in the function"],
)
def test_what_a_package_imports_of_its_own_runs_from_its_source(
    write: WriteText, tmp_path: Path, tools: str
) -> None:
    path = graph_of(write, "shop.tools:f", shop____init__="", shop__tools=tools)
    compiled(tmp_path / "shop" / "names.py", "NAME = 'other'", "NAME = 'source'")
    assert ran(path) == "source"


@pytest.mark.parametrize("name", ["helper", "shop.names"])
def test_a_neighbour_without_a_source_is_not_there(write: WriteText, tmp_path: Path, name: str) -> None:
    write("", "shop/__init__.py")
    place = tmp_path / f"{name.replace('.', '/')}.py"
    cached = compiled(place, "NAME = 'other'", "")
    cached.rename(place.with_suffix(".pyc"))
    place.unlink()
    with pytest.raises(HandlerError, match=f"No module named '{name}'"):
        ran(graph_of(write, tools=f"import {name}\ndef f(state): return {{}}"))


def test_a_source_comes_before_an_extension_of_the_same_name(write: WriteText, tmp_path: Path) -> None:
    path = graph_of(write, tools="import helper\ndef f(state): return {'ran': helper.NAME}")
    write("NAME = 'source'", "helper.py")
    (tmp_path / f"helper{EXTENSION_SUFFIXES[0]}").write_bytes(b"no library")
    assert ran(path) == "source"


# Names


@pytest.mark.parametrize("name", ["colorsys", "csv"])
def test_a_neighbour_never_hides_the_standard_library(
    write: WriteText, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.delitem(sys.modules, name, raising=False)
    path = graph_of(write, tools=f"import {name}\ndef f(state): return {{'ran': {name}.__file__}}")
    write("raise AssertionError('ran')", f"{name}.py")
    assert not str(ran(path)).startswith(str(path.parent))


def test_a_folder_without_code_never_hides_an_installed_package(write: WriteText, tmp_path: Path) -> None:
    path = graph_of(write, tools="import pytest, plain.part\ndef f(state): return {'ran': pytest.__file__}")
    (tmp_path / "pytest").mkdir()
    write("", "plain/part.py")
    assert not str(ran(path)).startswith(str(tmp_path))


def test_what_another_thread_imports_meanwhile_never_comes_from_the_folder(
    write: WriteText, monkeypatch: pytest.MonkeyPatch
) -> None:
    found: list[str] = []

    def look() -> None:
        try:
            import elsewhere  # type: ignore[import-not-found]  # noqa: F401
        except ModuleNotFoundError as error:
            found.append(str(error))

    def look_in_another_thread() -> None:
        thread = Thread(target=look)
        thread.start()
        thread.join()

    monkeypatch.setattr("stepgraph.testing.look_in_another_thread", look_in_another_thread, raising=False)
    tools = "from stepgraph import testing\ntesting.look_in_another_thread()\n" + AGREED
    path = graph_of(write, tools=tools, elsewhere="raise AssertionError('ran')")
    assert ran(path) == "agreed"
    assert found == ["No module named 'elsewhere'"]


def test_two_modules_of_one_package_share_it(write: WriteText, tmp_path: Path) -> None:
    write("parts = []", "shop/__init__.py")
    for name in ("one", "two"):
        write(f"from . import parts\nparts.append({name!r})", f"shop/{name}.py")
    sources = read_sources(["shop.one", "shop.two"], tmp_path)
    told = [load_module(name, sources) for name in ("shop.one", "shop.two")]
    assert [module.parts for module in told] == [["one", "two"]] * 2


def test_a_name_that_is_a_module_and_a_folder_is_the_module_as_python_has_it(
    write: WriteText, tmp_path: Path
) -> None:
    write(AGREED, "shop.py")
    write(AGREED, "shop/tools.py")
    for names in (["shop", "shop.tools"], ["shop.tools", "shop"]):
        sources = read_sources(names, tmp_path)
        assert sorted(sources.digests) == ["shop.py", "shop/tools.py"]
        with pytest.raises(ModuleNotFoundError):
            load_module("shop.tools", sources)


# What people see of it


def test_tracebacks_and_inspect_show_what_ran_and_not_what_is_there_now(write: WriteText) -> None:
    path = graph_of(write, tools="def f(state):\n    raise ValueError('no')  # as agreed")
    executor = Executor(read_graph(path).compile())
    write("\n\n# something else", "tools.py")
    run = executor.run(executor.start({}))
    assert run.error is not None
    cause = run.error.__cause__
    assert cause is not None
    assert "raise ValueError('no')  # as agreed" in "".join(traceback.format_exception(cause))
    assert cause.__traceback__ is not None
    sources = read_sources(["tools"], path.parent)
    write("def g(): ...  # newer", "tools.py")
    module = load_module("tools", sources)
    assert inspect.getsource(module) == "\n\n# something else"
    newer = load_module("tools", read_sources(["tools"], path.parent))
    assert inspect.getsource(newer.g) == "def g(): ...  # newer"


def test_lines_are_counted_as_python_counts_them(write: WriteText, tmp_path: Path) -> None:
    write("x = '\x0c\u2028'\r\ndef f(): ...  # here", "tools.py")
    assert (
        inspect.getsource(load_module("tools", read_sources(["tools"], tmp_path)).f) == "def f(): ...  # here"
    )


@pytest.mark.parametrize(
    ("data", "text"),
    [
        (b"# coding: utf-7\n# a remark+AAo-import os\n", "# coding: utf-7\n# a remark\nimport os\n"),
        (b"# coding: nothing\n\xff", "# coding: nothing\n\ufffd"),
        (b"\xff\x00", "\ufffd\x00"),
        (b"a\r\nb\rc", "a\nb\nc"),
    ],
)
def test_a_text_is_shown_as_python_reads_it(data: bytes, text: str) -> None:
    assert SourceFile(Path("tools.py"), data).text == text


def test_its_classes_can_be_pickled_and_its_files_read(write: WriteText, tmp_path: Path) -> None:
    write("class Thing: ...", "tools.py")
    write("data", "data.txt")
    module = load_module("tools", read_sources(["tools"], tmp_path))
    assert type(pickle.loads(pickle.dumps(module.Thing()))) is module.Thing  # noqa: S301  # our own
    assert module.__loader__.get_data(str(tmp_path / "data.txt")) == b"data"  # type: ignore[union-attr]
    assert Path(module.__file__ or "").samefile(tmp_path / "tools.py")


def test_what_is_edited_and_trusted_anew_runs(write: WriteText) -> None:
    path = graph_of(write, tools=AGREED)
    assert ran(path) == "agreed"
    write(OTHER, "tools.py")
    with pytest.raises(TrustError):
        ran(path)
    grant(read_graph(path))
    assert ran(path) == "other"


def test_a_folder_beside_the_graph_is_no_module_from_elsewhere(write: WriteText, tmp_path: Path) -> None:
    write(AGREED, "json/tools.py")
    sources = read_sources(["json", "json.tools"], tmp_path)
    assert sources.elsewhere == ("json",)
    assert resolve_handler("json:dumps", sources) is json.dumps
    assert resolve_handler("json.tools:f", sources)({}) == {"ran": "agreed"}
