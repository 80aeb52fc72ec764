"""Modules beside a graph file: the bytes that were compared run, whatever is on the disk by then."""

from __future__ import annotations

import json
import pickle
import py_compile
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

import stepgraph.files
from stepgraph import CompiledGraph, Executor, TrustError
from stepgraph.files import grant, read_graph, require_trust, resolve_handler
from stepgraph.files.importing import MAX_SOURCE, SourceFile, Sources, load_module, read_sources
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


def test_a_folder_that_becomes_a_package_after_it_was_compared_is_none(
    write: WriteText, compared: Callable[[Callable[[], object]], None]
) -> None:
    path = graph_of(write, "shop.tools:f", shop__tools=AGREED)
    compared(lambda: write("raise AssertionError('ran')", "shop/__init__.py"))
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


@pytest.mark.parametrize("name", ["helper", "shop.names"])
def test_a_neighbor_without_a_source_is_not_there(write: WriteText, tmp_path: Path, name: str) -> None:
    write("", "shop/__init__.py")
    place = tmp_path / f"{name.replace('.', '/')}.py"
    cached = compiled(place, "NAME = 'other'", "")
    cached.rename(place.with_suffix(".pyc"))
    place.unlink()
    with pytest.raises(HandlerError, match=f"No module named '{name}'"):
        ran(graph_of(write, tools=f"import {name}\ndef f(state): return {{}}"))


# Names


@pytest.mark.parametrize("name", ["colorsys", "csv"])
def test_a_neighbor_never_hides_the_standard_library(
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


# What people see of it


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
