"""What fails is run once more: alone, and only then it counts."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.twice import MANY

TREE = Path(__file__).parents[2]
FLAKY = """
def test_flaky(tmp_path_factory):
    first = __import__("pathlib").Path(__file__).with_name("was-here")
    there = first.exists()
    first.touch()
    assert there
"""
BROKEN = "def test_broken(): assert False\n"
SOUND = "def test_sound(): pass\n"
UNREADABLE = "def test_unreadable(: pass\n"


@pytest.mark.parametrize(
    ("code", "told", "exit_code"),
    [
        (SOUND, "1 passed in ", 0),
        (SOUND + FLAKY, "2 passed, 1 flaky in ", 0),
        (SOUND + BROKEN, "1 failed, 1 passed in ", 1),
        (SOUND + BROKEN + FLAKY, "1 failed, 2 passed, 1 flaky in ", 1),
        (
            f"import pytest\n@pytest.mark.parametrize('n', range({MANY}))\ndef test_many(n): assert False\n",
            f"{MANY} failed in ",
            1,
        ),
        (UNREADABLE, "1 error in ", 2),
    ],
    ids=["sound", "flaky", "broken", "both", "many", "unreadable"],
)
def test_only_what_fails_twice_fails_the_run(tmp_path: Path, code: str, told: str, exit_code: int) -> None:
    path = tmp_path / "test_some.py"
    path.write_text(code, encoding="utf-8")
    words = [
        "-q",
        "-p",
        "xdist.plugin",
        "-n",
        "0",
        "--color=no",
        "--rootdir",
        str(tmp_path),
        "-c",
        "none.ini",
        path.name,
    ]
    (tmp_path / "none.ini").write_text("[pytest]\n", encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-m", "tests.twice", *words],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(TREE), "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    lines = done.stdout.splitlines()
    assert (done.returncode, lines[-1][: len(told)]) == (exit_code, told), done.stdout + done.stderr
    assert (
        [line for line in lines if line.startswith("flaky: ")] == ["flaky: test_some.py::test_flaky"]
    ) == ("flaky" in told)
