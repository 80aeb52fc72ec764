"""Data, narration and what nodes print are kept apart; readers that go away are no error."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import pytest

from tests.cli.calling import COMMAND, COUNT, Cli, call

PRINTS = """
import atexit, os, subprocess, sys

atexit.register(print, "FROM THE END")

def work(state):
    print("FROM PYTHON")
    os.write(1, b"FROM THE FILE NUMBER\\n")
    subprocess.run([sys.executable, "-c", "print('FROM A CHILD')"], check=True)
    return {"count": state["count"] + 1}
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("STEPGRAPH_STORE", str(tmp_path / "runs.db"))
    (tmp_path / "graph.toml").write_text(COUNT, encoding="utf-8")
    return tmp_path


def run(folder: Path, code: str, *words: str, **env: str) -> tuple[int, str, str]:
    (folder / "work.py").write_text(code, encoding="utf-8")
    result = call("run", folder / "graph.toml", "--trust", "--run-id", "r-1", *words, env=env)
    return result.code, result.out, result.err


def test_what_nodes_print_never_mixes_with_data(folder: Path) -> None:
    code, out, err = run(folder, PRINTS, "--json")
    assert code == 0
    assert json.loads(out)["values"] == {"count": 3}
    for source in ("PYTHON", "THE FILE NUMBER", "A CHILD", "THE END"):
        assert f"FROM {source}" in err


def test_a_node_that_asks_at_the_terminal_fails_as_a_node(folder: Path) -> None:
    code, out, err = run(folder, "def work(state):\n    return {'count': int(input('how many? '))}\n")
    assert (code, out) == (1, "")
    assert "raised EOFError" in err
    assert "use an approval node" in err


@pytest.mark.parametrize("error", ["SystemExit(0)", "KeyboardInterrupt"])
def test_a_node_cannot_end_the_process(cli: Cli, error: str) -> None:
    result = cli("run", cli.count(f"raise {error}"), "--trust")
    assert result.code == 1
    assert f"node 'work' raised {error.split('(')[0]}" in result.err
    assert cli("runs", "--json").json[0]["status"] == "failed"


@pytest.mark.parametrize("value", ["None", "[1]", "{1: 2}", "{'count': {1}}"])
def test_a_node_that_returns_nonsense_is_a_node_failure(cli: Cli, value: str) -> None:
    result = cli("run", cli.count(f"return {value}"), "--trust")
    assert result.code == 1
    assert "error: node 'work' returned" in result.err


def test_a_reader_that_goes_away_is_no_error(folder: Path) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    done = subprocess.run(
        [*COMMAND, "demo"], stdout=writing, stderr=subprocess.PIPE, check=False, encoding="utf-8", timeout=60
    )
    os.close(writing)
    assert (done.returncode, done.stderr) == (0, "")


def test_a_reader_of_the_narration_that_goes_away_stops_no_run(folder: Path) -> None:
    (folder / "work.py").write_text("def work(state):\n    return {'count': 3}\n", encoding="utf-8")
    reading, writing = os.pipe()
    os.close(reading)
    words = ["run", str(folder / "graph.toml"), "--trust", "--json"]
    done = subprocess.run(
        [*COMMAND, *words], stdout=subprocess.PIPE, stderr=writing, check=False, encoding="utf-8", timeout=60
    )
    os.close(writing)
    assert done.returncode == 0
    assert json.loads(done.stdout)["outcome"] == "end"


def test_closed_streams_never_become_the_store(folder: Path) -> None:
    (folder / "work.py").write_text(PRINTS, encoding="utf-8")
    words = [*COMMAND, "run", str(folder / "graph.toml"), "--trust"]
    done = subprocess.run(["/bin/sh", "-c", 'exec "$@" <&- >&- 2>&-', "sh", *words], check=False, timeout=60)
    assert done.returncode == 0
    assert call("doctor", "--json").json["store"]["health"] == "ok"


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device that is always full")
def test_a_full_disk_under_the_data_is_one_message(folder: Path) -> None:
    with Path("/dev/full").open("w", encoding="utf-8") as full:
        done = subprocess.run(
            [*COMMAND, "demo"], stdout=full, stderr=subprocess.PIPE, check=False, encoding="utf-8", timeout=60
        )
    assert done.returncode == 1
    assert "error: the output cannot be written: No space left on device" in done.stderr
    assert "Traceback" not in done.stderr
    assert "Exception ignored" not in done.stderr


def test_colour_comes_when_forced_and_never_with_no_color(folder: Path) -> None:
    good = "def work(state):\n    return {'count': 3}\n"
    code, out, err = run(folder, good, FORCE_COLOR="1", TERM="xterm-256color")
    assert code == 0
    assert "\x1b[1m" in out + err
    code, out, err = run(folder, "def work(state):\n    return 1\n", "--run-id", "r-2", NO_COLOR="1")
    assert code == 1
    assert "\x1b[" not in out + err


def test_characters_that_the_stream_cannot_write_are_escaped(folder: Path) -> None:
    code, out, _ = run(
        folder, "def work(state):\n    return {'count': 3, 'é': 'ü'}\n", PYTHONIOENCODING="ascii"
    )
    assert code == 0
    assert "\\xfc" in out


@pytest.mark.parametrize(
    "harm",
    [
        "sys.stdout.close(); sys.stderr.close()",
        "sys.stdout.buffer.close()",
        "sys.__stdout__.close(); sys.__stderr__.close()",
        "sys.stdout = sys.stderr = None",
        "del sys.stdout, sys.stderr",
        "sys.stdout = open(os.devnull, 'w'); sys.stdout.close()",
        "sys.stdout.reconfigure(encoding='ascii', errors='strict')",
        "os.close(0); os.close(1); os.close(2)",
    ],
)
def test_what_a_node_does_to_its_streams_ends_with_its_step(folder: Path, harm: str) -> None:
    code, out, err = run(
        folder,
        "import os, sys\n\n"
        "def work(state):\n"
        "    print('SAID ü', state['count'])\n"
        "    os.write(1, b'WRITTEN')\n"
        "    if state['count'] == 1:\n"
        f"        {harm}\n"
        "    return {'count': state['count'] + 1}\n",
        "--json",
    )
    assert code == 0, err
    assert json.loads(out)["values"] == {"count": 3}
    assert (err.count("SAID ü"), err.count("WRITTEN"), err.count("-> END")) == (3, 3, 1)


def test_a_node_that_takes_its_stream_apart_fails_and_the_next_one_can_print(folder: Path) -> None:
    code, out, err = run(
        folder,
        "import sys\n\ndef work(state):\n    print('SAID')\n    sys.stdout.detach()\n",
    )
    assert (code, out) == (1, "")
    assert "error: node 'work' raised UnsupportedOperation" in err
    assert call("runs", "--json").json[0]["status"] == "failed"
