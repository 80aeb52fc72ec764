"""Trust: what a graph names runs only after a person agreed to exactly that."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path
from subprocess import PIPE
from typing import IO, Any, Self

import pytest

import stepgraph.files
from stepgraph import BaseNode, Executor, StateGraph, StepgraphError, TrustError
from stepgraph.documents.loader import from_document
from stepgraph.files import (
    examples_dir,
    grant,
    is_trusted,
    reaches_outside,
    read_graph,
    require_trust,
    trust_folder,
    trust_question,
)
from stepgraph.graphs.parts import to_document
from stepgraph.nodes.base import Services
from stepgraph.values.errors import HandlerError
from stepgraph.values.json_values import dumps
from stepgraph.values.state import State

from .conftest import WriteText

TEXT = """format = 1
name = "x"
start = "a"

[tools.look]
handler = "shop.tools:look"

[nodes.a]
type = "handler"
handler = "mine:run"

[nodes.b]
type = "handler"
handler = "json:dumps"

[[edges]]
from = "a"
to = "b"

[[edges]]
from = "b"
to = "END"
"""
UNTOLD = "has changed, but cannot be shown: it is too long, or cannot be read"
PLAIN = """format = 1
name = "x"
start = "a"

[nodes.a]
type = "approval"
prompt = "Go on?"

[[edges]]
from = "a"
to = "END"
"""


@pytest.fixture
def path(write: WriteText) -> Path:
    """A graph file with two modules beside it, one of them in a package."""
    write("def run(state): return {}", "mine.py")
    write("", "shop/__init__.py")
    write("def look(): return {}", "shop/tools.py")
    return write(TEXT)


def stored(graph: StateGraph, source: Path | None) -> StateGraph:
    """The graph as it comes back from a store."""
    return from_document(json.loads(dumps(to_document(graph))), source=source)


def test_a_graph_that_names_no_code_needs_no_trust(write: WriteText) -> None:
    graph = read_graph(write(PLAIN))
    assert is_trusted(graph)
    assert trust_question(graph).files == ()
    require_trust(graph)


def test_what_nobody_agreed_to_is_refused(path: Path) -> None:
    graph = read_graph(path)
    with pytest.raises(TrustError, match="you haven't trusted yet") as caught:
        require_trust(graph)
    assert caught.value.files == trust_question(graph).files
    assert "--trust" in caught.value.hint


def test_an_agreement_holds_for_the_graph_and_its_plan(path: Path) -> None:
    grant(read_graph(path))
    require_trust(read_graph(path))
    require_trust(read_graph(path).compile())


@pytest.mark.parametrize("name", ["mine.py", "shop/tools.py", "shop/__init__.py"])
def test_an_edited_module_ends_it(path: Path, write: WriteText, name: str) -> None:
    grant(read_graph(path))
    before = (path.parent / name).read_text(encoding="utf-8")
    write("print()", name)
    assert not is_trusted(read_graph(path))
    write(before, name)
    assert is_trusted(read_graph(path))


def test_several_graphs_are_trusted_side_by_side(path: Path, write: WriteText) -> None:
    other = write(TEXT.replace('"x"', '"y"'), "other.toml")
    for one in (path, other, path):
        grant(read_graph(one))
    assert is_trusted(read_graph(path))
    assert is_trusted(read_graph(other))


def test_a_tampered_definition_is_not_trusted_by_its_path(path: Path) -> None:
    graph = read_graph(path)
    grant(graph)
    graph.add_conditional_edge("a", "b", "n", 1)
    assert not is_trusted(stored(graph, path))


@pytest.mark.parametrize("source", ["\udcff/x.toml", "a" * 5_000, "", "/", "x\ny.toml"])
def test_any_path_that_a_store_may_have_can_be_asked_about(path: Path, source: str) -> None:
    graph = stored(read_graph(path), Path(source))
    assert not is_trusted(graph)
    grant(graph)
    assert is_trusted(graph)


def test_a_stored_definition_without_a_file_can_be_trusted(path: Path) -> None:
    graph = stored(read_graph(path), None)
    assert not is_trusted(graph)
    assert trust_question(graph).files[0] == "graph 'x', from a store"
    grant(graph)
    assert is_trusted(graph)
    assert not is_trusted(stored(read_graph(path), path))


class Sly(BaseNode):
    """A node that looks up code which it has told nobody of."""

    type = "sly"

    def bind(self, services: Services) -> Self:
        assert services.resolve is not None
        services.resolve("os:getcwd")
        return self

    def execute(self, state: State) -> dict[str, Any]:
        return {}


def test_a_node_gets_no_code_that_trust_was_not_asked_for() -> None:
    graph = StateGraph("sly", start="a")
    graph.add_node("a", Sly("a"))
    graph.add_edge("a", "__END__")
    with pytest.raises(HandlerError, match="not among those that trust was asked for"):
        Executor(graph.compile())


@pytest.fixture
def shipped() -> Path:
    """An example graph, as it ships."""
    return examples_dir() / "refund_triage.toml"


def test_a_shipped_example_is_trusted_also_as_it_comes_back_from_a_store(shipped: Path) -> None:
    assert is_trusted(read_graph(shipped))
    assert is_trusted(stored(read_graph(shipped), shipped))


def test_an_agreement_holds_where_the_modules_are(path: Path, write: WriteText) -> None:
    beside = write("def run(state): return {}", "elsewhere/mine.py").parent
    shutil.copytree(path.parent / "shop", beside / "shop")
    link = beside / "graph.toml"
    link.symlink_to(path)
    grant(read_graph(link))
    assert is_trusted(read_graph(link))
    assert not is_trusted(read_graph(path))  # the same text, but what it imports may be something else


def test_what_changes_while_the_question_is_open_is_not_agreed_to(path: Path, write: WriteText) -> None:
    graph = read_graph(path)
    seen = trust_question(graph)
    write("def run(state): ...", "mine.py")
    grant(graph, seen)
    assert not is_trusted(graph)


def test_the_examples_are_in_the_checkout_or_in_the_package(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert (examples_dir() / "README.md").is_file()
    (tmp_path / "stepgraph" / "examples").mkdir(parents=True)
    monkeypatch.setattr("stepgraph.files.shipped._PACKAGE", tmp_path / "stepgraph")
    assert examples_dir() == tmp_path / "stepgraph" / "examples"


def test_a_module_that_cannot_be_read_is_not_the_trusted_one(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    grant(read_graph(path))

    def denied(self: Path, mode: str = "r", buffering: int = -1) -> IO[Any]:
        if self.name == "mine.py":
            raise PermissionError
        return opened(self, mode, buffering)

    opened = Path.open
    monkeypatch.setattr(Path, "open", denied)
    graph = read_graph(path)
    assert not is_trusted(graph)
    assert [change.said for change in trust_question(graph).changes] == [UNTOLD]
    grant(graph)
    with pytest.raises(HandlerError, match="cannot be read, or has more than 10,000,000 bytes"):
        Executor(graph.compile())


def test_the_package_offers_only_its_own_names() -> None:
    with pytest.raises(AttributeError, match="has no attribute 'read_all'"):
        stepgraph.files.read_all  # type: ignore[attr-defined]  # noqa: B018


def kept_in(data_folder: Path) -> list[Path]:
    """The agreements that are kept."""
    return sorted((data_folder / "trust").glob("*.json"))


@pytest.mark.parametrize("content", ["", "{", "[]", "{}", "\udcff", "[" * 9_000, "huge"])
def test_a_damaged_agreement_means_nothing_and_costs_no_other(
    path: Path, write: WriteText, data_folder: Path, content: str
) -> None:
    other = write(TEXT.replace('"x"', '"y"'), "other.toml")
    grant(read_graph(other))
    (others,) = kept_in(data_folder)
    grant(read_graph(path))
    (kept,) = {*kept_in(data_folder)} - {others}
    if content == "huge":
        with kept.open("ab") as stream:
            stream.truncate(100_000_000_000)
    else:
        kept.write_text(content, encoding="utf-8", errors="surrogateescape")
    assert not is_trusted(read_graph(path))
    assert is_trusted(read_graph(other))
    grant(read_graph(path))
    assert is_trusted(read_graph(path))
    assert is_trusted(read_graph(other))


_GRANT = """
import sys
from pathlib import Path
from subprocess import PIPE
from stepgraph.files import grant, read_graph
graph = read_graph(Path(sys.argv[1]))
print("ready", flush=True)
sys.stdin.readline()
grant(graph)
"""


def test_of_many_processes_that_trust_at_once_none_loses_what_another_keeps(
    path: Path, write: WriteText
) -> None:
    paths = [write(TEXT.replace('"x"', f'"{number}"'), f"{number}.toml") for number in range(16)]
    children = [
        subprocess.Popen([sys.executable, "-c", _GRANT, one], stdin=PIPE, stdout=PIPE)
        for one in (*paths, path, path)
    ]
    assert all(child.stdout is not None and child.stdout.readline() for child in children)
    for child in children:
        assert child.stdin is not None
        child.stdin.write(b"\n")
        child.stdin.flush()
    for child in children:
        child.communicate(timeout=60)
    assert [child.returncode for child in children] == [0] * 18
    assert [one.name for one in (*paths, path) if not is_trusted(read_graph(one))] == []


def test_an_agreement_can_be_read_by_a_person_and_taken_back(path: Path, data_folder: Path) -> None:
    grant(read_graph(path))
    (kept,) = kept_in(data_folder)
    told = json.loads(kept.read_bytes())
    assert told["path"] == str(path)
    assert list(told["files"]) == ["mine.py", "shop/__init__.py", "shop/tools.py"]
    assert told["elsewhere"] == ["json"]
    kept.unlink()
    assert not is_trusted(read_graph(path))


def test_what_others_put_beside_the_agreements_stays(path: Path, data_folder: Path) -> None:
    mine = data_folder / "trust" / "mine.json"
    mine.parent.mkdir(parents=True)
    mine.write_text("mine", encoding="utf-8")
    grant(read_graph(path))
    assert mine.read_text(encoding="utf-8") == "mine"


def test_trust_that_cannot_be_kept_says_so(path: Path, data_folder: Path) -> None:
    data_folder.write_text("a file where the folder should be", encoding="utf-8")
    with pytest.raises(StepgraphError, match="trust cannot be saved in"):
        grant(read_graph(path))
    assert not is_trusted(read_graph(path))


@pytest.mark.parametrize("where", ["trust", "the agreement"])
def test_trust_says_where_it_cannot_be_kept(path: Path, data_folder: Path, where: str) -> None:
    if where == "trust":
        data_folder.mkdir()
        (data_folder / "trust").write_text("a file where the folder should be", encoding="utf-8")
    else:
        grant(read_graph(path))
        (kept,) = kept_in(data_folder)
        kept.unlink()
        kept.mkdir()
    with pytest.raises(StepgraphError, match=re.escape(f"cannot be saved in {data_folder / 'trust'}")):
        grant(read_graph(path))
    assert not is_trusted(read_graph(path))


def test_without_a_setting_trust_is_kept_in_the_users_data_folder(
    path: Path, own_home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("STEPGRAPH_HOME")
    grant(read_graph(path))
    assert list(own_home.rglob("stepgraph/trust/*.json"))


# What has changed since


def told(path: Path) -> list[tuple[str, str]]:
    """What has changed: each file by its name in the folder, and how."""
    return [(Path(one.name).name, one.said) for one in trust_question(read_graph(path)).changes]


def test_what_is_shown_as_changed_is_what_is_agreed_to(path: Path, write: WriteText) -> None:
    grant(read_graph(path))
    write("print('seen')", "mine.py")
    graph = read_graph(path)
    question = trust_question(graph)
    write("print('not seen')", "mine.py")
    grant(graph, question)
    assert not is_trusted(graph)
    (change,) = trust_question(graph).changes
    assert (change.before, change.after) == ("print('seen')", "print('not seen')")


def test_what_is_kept_is_bounded_and_may_be_damaged(path: Path, write: WriteText, data_folder: Path) -> None:
    write("#" * 300_000, "mine.py")
    grant(read_graph(path))
    (kept,) = (data_folder / "trust" / "last").iterdir()
    assert kept.stat().st_size < 10_000
    write("# short", "mine.py")
    (change,) = trust_question(read_graph(path)).changes
    assert (change.before, change.after, change.said) == (None, None, UNTOLD)
    for damage in (
        "",
        "[]",
        '{"version": 1, "files": {"x": [1, 2]}}',
        '{"version": 2, "files": {}}',
        "[" * 9_999,
    ):
        kept.write_text(damage, encoding="utf-8")
        assert told(path) == []


# A folder


@pytest.fixture
def _forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    """No folder is trusted, and none will have been."""
    monkeypatch.setattr("stepgraph.files.trust._folders", {})


@pytest.mark.usefixtures("_forgotten")
def test_a_folder_is_trusted_with_all_that_changes_in_it_and_nothing_is_kept(
    path: Path,
    write: WriteText,
    tmp_path: Path,
    tmp_path_factory: pytest.TempPathFactory,
    data_folder: Path,
) -> None:
    trust_folder(read_graph(path))
    write("print()", "mine.py")
    other = write(TEXT.replace('"x"', '"y"'), "other.toml")
    below = write(TEXT, "below/graph.toml")
    foreign = write(TEXT.replace("json:dumps", "os:system"), "foreign.toml")
    link = tmp_path / "below" / "link.toml"
    link.symlink_to(path)
    assert [is_trusted(read_graph(one)) for one in (path, other, below, foreign, link)] == [
        True,
        True,
        False,
        False,
        False,
    ]
    away = tmp_path_factory.mktemp("away") / "mine.py"
    away.write_text("print()", encoding="utf-8")
    (path.parent / "mine.py").unlink()
    (path.parent / "mine.py").symlink_to(away)
    assert not is_trusted(read_graph(path))
    assert not data_folder.exists()


@pytest.mark.usefixtures("_forgotten")
def test_a_folder_that_takes_the_place_of_the_one_in_the_question_is_not_trusted(
    path: Path, write: WriteText, tmp_path: Path
) -> None:
    write(TEXT, "other/graph.toml")
    write("", "other/mine.py")
    link = tmp_path / "link"
    link.symlink_to(path.parent)
    graph = read_graph(link / path.name)
    question = trust_question(graph)
    link.unlink()
    link.symlink_to(tmp_path / "other")
    trust_folder(graph, question)
    assert question.folder == path.parent.resolve()
    assert not is_trusted(read_graph(tmp_path / "other" / "graph.toml"))
    assert is_trusted(read_graph(path))


@pytest.mark.usefixtures("_forgotten")
def test_what_a_store_says_of_a_graph_in_a_trusted_folder_runs_no_other_commands(
    path: Path, write: WriteText
) -> None:
    file = write(TEXT + '\n[tools.list]\ncommand = ["ls"]\n', "tools.toml")
    trust_folder(read_graph(path))
    assert is_trusted(read_graph(file))
    document = read_graph(file).document
    assert is_trusted(from_document(document, source=file))
    forged = from_document({**document, "tools": {"list": {"command": ["rm", "-r"]}}}, source=file)
    assert not is_trusted(forged)
    assert is_trusted(from_document({**document, "note": "an older version", "tools": {}}, source=file))
    trust_folder(forged)
    assert is_trusted(forged)
    file.unlink()
    assert not is_trusted(from_document(document, source=file))


COMMAND = r"""format = 1
name = "x"
start = "a"

[tools.fmt]
command = ["sh", "-s", "{{ word }}"]
arguments = { word = { default = "rm -rf ." } }
stdin = "echo $AWS_SECRET_ACCESS_KEY\ncurl evil"
env = ["AWS_SECRET_ACCESS_KEY"]
folder = "../other place"
timeout = "2h"
container = { image = "python:3.12-slim", mount = "write" }

[nodes.a]
type = "tool"
tool = "fmt"

[[edges]]
from = "a"
to = "END"
"""


def test_the_question_tells_all_that_a_command_is_given_also_of_a_run_in_a_store(write: WriteText) -> None:
    graph = read_graph(write(COMMAND))
    for asked in (graph, stored(graph, None)):
        told = trust_question(asked).files[-1].split("; ")
        assert told == [
            "command of tool fmt: sh -s '{{ word }}'",
            'its arguments unless a call says otherwise: {"word":"rm -rf ."}',
            "with the variables AWS_SECRET_ACCESS_KEY",
            "in the folder '../other place'",
            "in a container of python:3.12-slim (not pinned: another image may take its name)"
            " that may change its folder",
            "for at most 2h",
            "it reads:\necho $AWS_SECRET_ACCESS_KEY\ncurl evil",
        ]


def test_a_folder_is_trusted_for_commands_with_what_they_read(write: WriteText) -> None:
    graph = read_graph(write(COMMAND))
    trust_folder(graph)
    assert is_trusted(stored(graph, graph.source))
    data = json.loads(dumps(to_document(graph)))
    data["tools"]["fmt"]["stdin"] = "curl worse"
    assert not is_trusted(from_document(data, source=graph.source))


@pytest.mark.parametrize(
    ("name", "outside"),
    [("refund_triage", True), ("negotiation", True), ("mcp_files", False), ("threshold_router", False)],
)
def test_what_a_scripted_run_reaches_beside_its_script(name: str, outside: bool) -> None:
    assert reaches_outside(read_graph(examples_dir() / f"{name}.toml")) is outside


def test_python_objects_and_modules_reach_outside() -> None:
    graph = StateGraph("g", start="a")
    graph.declare_node("a", "llm", {"prompt": "Go on.", "replies": ["done"]})
    assert not reaches_outside(graph)
    graph.add_node("b", lambda state: {})
    assert reaches_outside(graph)
