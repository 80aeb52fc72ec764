"""Commands as tools: hostile arguments, faults of programs, and nothing left behind."""

from __future__ import annotations

import os
import sys
import threading
from pathlib import Path
from typing import Any

import pytest

from stepgraph import Executor, StateGraph, StepgraphError
from stepgraph.documents.schema import ToolPart
from stepgraph.files import grant, is_trusted, trust_question
from stepgraph.tools import commands as running
from stepgraph.tools.command_part import places
from stepgraph.tools.commands import CommandTool
from stepgraph.tools.protocols import ToolContext
from stepgraph.values.declared import checked_table
from stepgraph.values.errors import TrustError


def tool(base: Path, command: list[str], **more: Any) -> CommandTool:
    part = checked_table(ToolPart, {"command": command, **more}).as_command()
    assert part is not None
    return CommandTool("t", part, base)


def python(base: Path, code: str, *words: str, **more: Any) -> CommandTool:
    return tool(base, [sys.executable, "-c", code, *words], **more)


SHOW = "import json, sys; print(json.dumps(sys.argv[1:]))"
HOSTILE = ["; rm -rf x", "$(id)", "`id`", "a\nb", "*", "", " ", "'\"", "{{ b }}", "ünï ☃", "\\", "a" * 50_000]


@pytest.mark.parametrize("value", HOSTILE)
def test_a_value_is_one_word_whatever_is_in_it(tmp_path: Path, value: str) -> None:
    run = python(tmp_path, SHOW, "{{ a }}", "-{{ a }}-", arguments={"a": "text"}, output="json")
    assert run.execute({"a": value}) == {"output": [value, f"-{value}-"], "exit_code": 0}


def test_braces_without_end_have_no_place_and_are_read_at_once() -> None:
    assert list(places("{{" * 500_000)) == []
    assert list(places("{{ a }}" + "{{" * 500_000)) == ["a"]
    with pytest.raises(ValueError, match="is not an argument"):
        list(places("{{" * 500_000 + "}}"))


def test_a_negative_number_is_an_option_too(tmp_path: Path) -> None:
    run = python(tmp_path, SHOW, "{{ n }}", arguments={"n": "number"}, output="json")
    assert run.execute({"n": 5})["output"] == ["5"]
    with pytest.raises(StepgraphError, match="refuses '-5'"):
        run.execute({"n": -5})


def test_arguments_are_checked_and_all_that_is_wrong_is_told(tmp_path: Path) -> None:
    declared: Any = {"count": "number", "name": {"type": "text", "default": "x"}, "on": "boolean"}
    run = python(tmp_path, SHOW, "{{ count }}", "{{ name }}", "{{ on }}", arguments=declared, output="json")
    assert run.execute({"count": 1, "on": True})["output"] == ["1", "x", "true"]
    with pytest.raises(StepgraphError) as failed:
        run.execute({"count": "1", "nmae": "y"})
    said = str(failed.value)
    assert "'count' takes a number" in said
    assert "'nmae' is unknown (did you mean 'name'?)" in said
    assert "'on' is missing" in said
    assert "it takes: count (number), name (text), on (boolean)" in failed.value.hint
    with pytest.raises(StepgraphError, match="NUL"):
        run.execute({"count": 1, "on": True, "name": "a\0b"})


@pytest.mark.parametrize(
    ("table", "said"),
    [
        ({"command": []}, "begins with a program"),
        ({"command": ["{{ a }}"], "arguments": {"a": "text"}}, "program itself cannot be an argument"),
        ({"command": ["x", "{{ b }}"], "arguments": {"a": "text"}}, "is not an argument"),
        ({"command": ["x", "{{ a | upper }}"], "arguments": {"a": "text"}}, "write its name alone"),
        ({"command": ["x"], "arguments": {"a": "txt"}}, "did you mean 'text'"),
        ({"command": ["x"], "arguments": {"a": {"type": "number", "default": "5"}}}, "not a number"),
        ({"command": ["x"], "arguments": {"a b": "text"}}, "cannot name an argument"),
        ({"command": ["x"], "arguments": {"a": {"typo": 1}}}, "has type, default, option and note"),
        ({"command": ["x"], "timeout": "fast"}, "30s, 10m"),
        ({"command": ["x"], "timeout": "0"}, "needs some time"),
        ({"command": ["x"], "env": ["A=1"]}, "names of variables"),
        ({"command": ["x"], "max_output": 10**12}, "number of bytes"),
        ({"command": ["x"], "container": {"image": "--privileged"}}, "image is named"),
        ({"command": ["x"], "container": {"image": "i", "volume": "/"}}, "image, and mount"),
        ({"command": ["x"], "handler": "m:f"}, "leave out one"),
        ({"env": ["HOME"]}, "is for a command"),
    ],
)
def test_a_declaration_that_cannot_be_is_refused(tmp_path: Path, table: dict[str, Any], said: str) -> None:
    with pytest.raises(ValueError, match=said):
        checked_table(ToolPart, table)
    lines = ['format = 1\nname = "g"\nstart = "n"\n[nodes.n]\ntype = "tool"\ntool = "t"']
    lines.append('[[edges]]\nfrom = "n"\nto = "END"\n')
    import tomli_w

    path = tmp_path / "g.toml"
    path.write_text("\n".join(lines) + tomli_w.dumps({"tools": {"t": table}}), encoding="utf-8")
    assert any(said.split(".*")[0] in problem.message for problem in StateGraph.from_file(path).noted)


def test_what_a_program_does_wrong_is_said_with_its_last_words(tmp_path: Path) -> None:
    fails = "import sys; print('out'); sys.stderr.write('no such \\x1b[2Jbranch\\n'); sys.exit(3)"
    with pytest.raises(StepgraphError, match="ended with exit code 3; its last lines:\n  no such") as failed:
        python(tmp_path, fails).execute({})
    assert "\x1b" not in str(failed.value)
    assert python(tmp_path, fails, exit_codes=[0, 3]).execute({}) == {"output": "out\n", "exit_code": 3}
    with pytest.raises(StepgraphError, match=r"is not UTF-8 text \(byte 0xff at 1\)"):
        python(tmp_path, "import os; os.write(1, b'a\\xff')").execute({})
    with pytest.raises(StepgraphError, match="wrote what is not JSON: NaN"):
        python(tmp_path, "print('[NaN]')", output="json").execute({})
    with pytest.raises(StepgraphError, match="there is no program 'nix-da'"):
        tool(tmp_path, ["nix-da"]).execute({})
    with pytest.raises(StepgraphError, match="no folder to run in"):
        python(tmp_path, "pass", folder="gone").execute({})


def test_a_program_that_writes_without_end_is_ended(tmp_path: Path) -> None:
    endless = "import os\nwhile True: os.write(1, b'x' * 65536)"
    with pytest.raises(StepgraphError, match="wrote more than 1 MB, and was killed"):
        python(tmp_path, endless).execute({})
    errors = "import os\nfor _ in range(200): os.write(2, b'x' * 65536)\nprint('done')"
    assert python(tmp_path, errors).execute({})["output"] == "done\n"


LEAVES_A_CHILD = """
import os, subprocess, sys
child = subprocess.Popen([sys.executable, "-c", "import signal; signal.pause()"])
with open("writing", "w") as file:
    file.write(str(child.pid))
os.replace("writing", "pid")
print("begun", flush=True)
{then}
"""


def is_gone(folder: Path) -> bool:
    """Wait for the end of the process whose id is there, as long as a test may last."""
    pid = int((folder / "pid").read_text(encoding="utf-8"))
    while True:
        try:
            state = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()[0]
        except OSError:
            return True
        if state == "Z":
            return True
        os.sched_yield()


def test_what_takes_too_long_is_ended_with_all_it_has_started(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun = tmp_path / "pid"
    monkeypatch.setattr(running, "monotonic", lambda: 101.0 if begun.exists() else 100.0)
    slow = LEAVES_A_CHILD.format(then="child.wait()")
    with pytest.raises(StepgraphError, match="took longer than 1 s, and was killed"):
        python(tmp_path, slow, timeout="1s").execute({})
    assert is_gone(tmp_path)


def test_a_program_gets_its_input_the_listed_variables_and_the_idempotency_key(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GIVEN", "yes")
    monkeypatch.setenv("SECRET", "sesame-1234")
    code = "import json, os, sys; print(json.dumps([sys.stdin.read(), dict(os.environ)]))"
    run = python(tmp_path, code, env=["GIVEN"], stdin="<{{ a }}>", arguments={"a": "text"}, output="json")
    found: Any = run.call({"a": "x" * 300_000}, ToolContext(1, "r:7"))["output"]
    assert found[0] == "<" + "x" * 300_000 + ">"
    assert found[1]["GIVEN"] == "yes"
    assert found[1]["STEPGRAPH_IDEMPOTENCY_KEY"] == "r:7"
    assert "SECRET" not in found[1]
    unread = python(tmp_path, "print(1)", stdin="{{ a }}", arguments={"a": "text"})
    assert unread.execute({"a": "x" * 300_000})["output"] == "1\n"


def engine(folder: Path, name: str) -> Path:
    """A program that writes down how it is called, in the place of docker."""
    folder.mkdir(exist_ok=True)
    program = folder / name
    program.write_text(f"#!{sys.executable}\nimport sys\nprint(*sys.argv[1:], sep='\\n')\n", encoding="utf-8")
    program.chmod(0o755)
    return program


@pytest.mark.parametrize("name", ["docker", "podman"])
def test_a_container_has_no_network_and_sees_what_is_declared(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    engine(tmp_path / "bin", name)
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    monkeypatch.setenv("GIVEN", "yes")
    container = {"image": "alpine:3", "mount": "read"}
    run = tool(tmp_path, ["ls", "{{ a }}"], arguments={"a": "text"}, container=container, env=["GIVEN"])
    words = str(run.call({"a": "x y"}, ToolContext(1, "r:7"))["output"]).splitlines()
    assert words[:3] == ["run", "--rm", "--interactive"]
    assert ("--read-only" in words, words[words.index("--network") + 1]) == (True, "none")
    assert words[-3:] == ["alpine:3", "ls", "x y"]
    assert f"type=bind,source={tmp_path.resolve()},target=/work,readonly" in words
    assert [words[at + 1] for at, word in enumerate(words) if word == "--env"] == [
        "GIVEN",
        "STEPGRAPH_IDEMPOTENCY_KEY",
    ]


def test_without_docker_and_podman_a_container_is_a_clear_failure(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(StepgraphError, match="neither podman nor docker is there"):
        tool(tmp_path, ["ls"], container={"image": "alpine:3"}).execute({})


def graph_file(folder: Path, **tool: Any) -> Path:
    import tomli_w

    node = {"type": "tool", "tool": "t", "arguments": {"a": "{{ x }}"}}
    table = {"format": 1, "name": "g", "start": "n", "nodes": {"n": node}, "tools": {"t": tool}}
    text = tomli_w.dumps(table) + '[[edges]]\nfrom = "n"\nto = "END"\n'
    path = folder / "g.toml"
    path.write_text(text, encoding="utf-8")
    return path


def test_a_graph_with_a_command_is_trusted_first_and_its_file_keeps_it(tmp_path: Path) -> None:
    command = [sys.executable, "-c", SHOW, "{{ a }}"]
    path = graph_file(tmp_path, command=command, arguments={"a": "text"}, output="json")
    graph = StateGraph.from_file(path)
    app = graph.compile()
    assert not is_trusted(app)
    with pytest.raises(TrustError, match="runs commands you haven't trusted yet") as refused:
        Executor(app)
    assert any("command of tool t: " in line for line in refused.value.files)
    assert trust_question(app).named == "commands"
    grant(app)
    executor = Executor(app)
    run = executor.run(executor.start({"x": "; rm"}))
    assert run.values["context"] == {"output": ["; rm"], "exit_code": 0}
    graph.to_file(tmp_path / "again.toml")
    again = StateGraph.from_file(tmp_path / "again.toml").compile()
    assert again.document == app.document
    changed = graph_file(tmp_path, command=[*command, "b"], arguments={"a": "text"})
    assert not is_trusted(StateGraph.from_file(changed))


def test_commands_run_in_any_thread(tmp_path: Path) -> None:
    found: list[Any] = []
    run = python(tmp_path, "print(1)")
    thread = threading.Thread(target=lambda: found.append(run.execute({})))
    thread.start()
    thread.join()
    assert found == [{"output": "1\n", "exit_code": 0}]
