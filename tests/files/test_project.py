"""What a ``langgraph.json`` says of variables and folders holds when its graphs are imported."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from stepgraph import GraphFileError
from stepgraph.files import grant, load_graph
from stepgraph.files.graph_refs import graph_ref
from stepgraph.files.opening import unopened
from stepgraph.files.project import read_variables

NAMES = ("STEPGRAPH_T_KEY", "STEPGRAPH_T_URL", "STEPGRAPH_T_SET")


@pytest.fixture(autouse=True)
def own_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have the variables removed again, whoever sets them."""
    for name in NAMES:
        monkeypatch.setenv(name, "x")
        monkeypatch.delenv(name)
    monkeypatch.setenv("STEPGRAPH_T_SET", "before")


def project(folder: Path, env: object) -> Path:
    """Write a project whose graph reads a variable when it is imported."""
    (folder / "src" / "agents").mkdir(parents=True)
    (folder / "src" / "agents" / "one.py").write_text(
        "import os\n"
        "from stepgraph import StateGraph\n"
        "graph = StateGraph('g', start='a')\n"
        "graph.add_key('key', default=os.environ.get('STEPGRAPH_T_KEY', 'none'))\n"
    )
    listed = {"graphs": {"one": "./src/agents/one.py:graph"}, "env": env}
    (folder / "langgraph.json").write_text(json.dumps(listed))
    return folder / "src" / "agents" / "one.py"


def key_of(module: Path) -> object:
    ref = graph_ref(f"{module}:graph")
    assert ref is not None
    grant(unopened(ref))
    return load_graph(ref).keys["key"].default


@pytest.mark.parametrize(
    "env",
    [".env", {"STEPGRAPH_T_KEY": "s3cret", "STEPGRAPH_T_SET": "other", "STEPGRAPH_T_URL": None}],
)
def test_they_are_set_where_they_have_no_value(tmp_path: Path, env: object) -> None:
    module = project(tmp_path, env)
    (tmp_path / ".env").write_text("STEPGRAPH_T_KEY=s3cret\nSTEPGRAPH_T_SET=other\nSTEPGRAPH_T_URL=\n")
    assert key_of(module) == "s3cret"
    assert os.environ["STEPGRAPH_T_SET"] == "before"
    assert "STEPGRAPH_T_URL" not in os.environ


@pytest.mark.parametrize("env", [".env", ["STEPGRAPH_T_KEY"], None])
def test_a_file_that_is_not_there_sets_nothing(tmp_path: Path, env: object) -> None:
    assert key_of(project(tmp_path, env)) == "none"


def test_nothing_is_read_before_the_code_is_trusted(tmp_path: Path) -> None:
    ref = graph_ref(f"{project(tmp_path, {'STEPGRAPH_T_KEY': 's3cret'})}:graph")
    assert ref is not None
    unopened(ref)
    assert "STEPGRAPH_T_KEY" not in os.environ


def test_a_file_that_is_no_text_is_named(tmp_path: Path) -> None:
    module = project(tmp_path, ".env")
    (tmp_path / ".env").write_bytes(b"A=\xff")
    with pytest.raises(GraphFileError, match=r"\.env: the variables in it cannot be read"):
        key_of(module)


@pytest.mark.parametrize(
    ("line", "value"),
    [
        ("A=1", "1"),
        ("  export A = two words  # note", "two words"),
        ("A=a#b", "a#b"),
        ("A='it ${B} # all'", "it ${B} # all"),
        ('A="a\\n\\"b\\" ${B}-${NONE:-x}${NONE}" # note', 'a\n"b" bee-x'),
        ("A=${B}s\r", "bees"),
        ("A='two\nlines'", "two\nlines"),
        ("A=it's", "it's"),
        ("A=", ""),
    ],
)
def test_lines_are_read_as_shells_and_dotenv_read_them(line: str, value: str) -> None:
    assert read_variables(f"# A=0\nB=bee\nno variable\n{line}\n") == {"B": "bee", "A": value}


@pytest.mark.parametrize(
    ("dependencies", "folder"), [(None, "."), (["."], "."), (["./libs", "langchain_openai", 3], "libs")]
)
def test_code_imports_from_the_project_and_its_local_dependencies(
    tmp_path: Path, dependencies: object, folder: str
) -> None:
    module = project(tmp_path, None)
    (tmp_path / "langgraph.json").write_text(json.dumps({"graphs": {}, "dependencies": dependencies}))
    local = tmp_path / folder
    for name, where in (("first", tmp_path), ("second", local / "src"), ("third", local / "plain_folder")):
        where.mkdir(parents=True, exist_ok=True)
        (where / f"stepgraph_test_{name}.py").write_text(f"{name} = '{name}'")
    imports = (
        "from stepgraph_test_first import first\n"
        "from stepgraph_test_second import second\n"
        "from plain_folder.stepgraph_test_third import third\n"
    )
    text = module.read_text().replace("os.environ.get('STEPGRAPH_T_KEY', 'none')", "first + second + third")
    module.write_text(imports + text)
    assert key_of(module) == "firstsecondthird"
    (tmp_path / "stepgraph_test_first.py").write_text("first = 'edited'")
    assert key_of(module) == "editedsecondthird"
