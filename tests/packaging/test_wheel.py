"""What people get when they install Stepgraph: the wheel, built here and opened."""

from __future__ import annotations

import subprocess
import sys
import zipfile
from collections.abc import Iterator
from email.message import Message
from email.parser import Parser
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Iterator[zipfile.ZipFile]:
    folder = tmp_path_factory.mktemp("wheel")
    build = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)]
    process = subprocess.run(build, cwd=ROOT, capture_output=True, text=True, check=False, timeout=120)
    assert process.returncode == 0, process.stderr
    (path,) = folder.glob("*.whl")
    with zipfile.ZipFile(path) as opened:
        yield opened


@pytest.fixture(scope="module")
def metadata(wheel: zipfile.ZipFile) -> Message:
    (name,) = (name for name in wheel.namelist() if name.endswith(".dist-info/METADATA"))
    return Parser().parsestr(wheel.read(name).decode())


def below(root: Path, *suffixes: str) -> set[str]:
    """The files of those kinds below a folder, as paths relative to it."""
    files = (path for path in root.rglob("*") if path.suffix in suffixes)
    return {path.relative_to(root).as_posix() for path in files}


@pytest.mark.parametrize(
    ("source", "package"), [("core/stepgraph", "stepgraph"), ("tui/stepgraph_tui", "stepgraph_tui")]
)
def test_every_module_style_sheet_and_template_is_in_the_wheel(
    wheel: zipfile.ZipFile, source: str, package: str
) -> None:
    modules = below(ROOT / source, ".py", ".pyi", ".tcss", ".toml", ".json")
    assert "__init__.py" in modules
    assert {f"{package}/{module}" for module in modules} <= set(wheel.namelist())


def test_the_example_graphs_and_what_lies_beside_them_are_in_the_wheel(wheel: zipfile.ZipFile) -> None:
    examples = below(ROOT / "graphs", ".toml", ".py", ".json")
    assert any(name.endswith(".toml") for name in examples)
    assert {f"stepgraph/examples/{name}" for name in examples} <= set(wheel.namelist())


def test_both_packages_say_that_they_are_typed(wheel: zipfile.ZipFile) -> None:
    assert {"stepgraph/py.typed", "stepgraph_tui/py.typed"} <= set(wheel.namelist())


def test_nothing_but_the_packages_is_installed(wheel: zipfile.ZipFile) -> None:
    names = wheel.namelist()
    tops = {name.partition("/")[0] for name in names}
    assert {top for top in tops if not top.endswith(".dist-info")} == {"stepgraph", "stepgraph_tui"}
    assert not [name for name in names if "__pycache__" in name or name.endswith((".pyc", ".db", ".bak"))]


def test_the_wheel_installs_the_command(wheel: zipfile.ZipFile) -> None:
    (name,) = (name for name in wheel.namelist() if name.endswith("entry_points.txt"))
    assert "stepgraph = stepgraph_tui.cli:main" in wheel.read(name).decode()


def test_the_wheel_carries_the_license(wheel: zipfile.ZipFile, metadata: Message) -> None:
    assert metadata["License-Expression"] == "MIT"
    (name,) = (name for name in wheel.namelist() if name.endswith("licenses/LICENSE"))
    assert "Stepgraph contributors" in wheel.read(name).decode()


def test_every_runtime_dependency_has_a_range(metadata: Message) -> None:
    required = [text for text in metadata.get_all("Requires-Dist", []) if "extra ==" not in text]
    assert len(required) >= 5
    assert not [text for text in required if ">=" not in text or "<" not in text]


def test_the_wheel_and_the_command_tell_the_same_version(metadata: Message) -> None:
    ask = [sys.executable, "-c", "from stepgraph_tui.cli import main; raise SystemExit(main())", "--version"]
    process = subprocess.run(ask, capture_output=True, text=True, check=False, timeout=60)
    assert metadata["Version"] in process.stdout.split(), process.stderr
