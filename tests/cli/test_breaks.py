"""``--break`` and ``--watch`` on the commands that drive and show runs, and ``stepgraph breaks``."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.calling import ASK, Cli

NODE = '[nodes.{}]\ntype = "router"\nkey = "n"\nthreshold = 1\nhigh = "1"\nlow = "{}"\noutput = "{}"\n'
LOOP = (
    'format = 1\nname = "loop"\nstart = "a"\nmax_steps = 7\n[state.n]\ndefault = 0\n'
    + '[state.token]\ndefault = "hunter2-secret"\nsecret = true\n'
    + NODE.format("a", "2", "m")
    + NODE.format("b", "2", "m")
    + NODE.format("c", "l", "last")
    + "".join(f'[[edges]]\nfrom = "{a}"\nto = "{b}"\n' for a, b in ("ab", "bc", "ca"))
)
"""Goes round until its cap; ``m`` is "2" from step 1 on, ``last`` is "l" from step 3 on."""


def loop(cli: Cli) -> Path:
    return cli.graph(LOOP, "loop.toml")


def test_what_pauses_and_fails_says_its_breakpoint_and_keeps_its_exit_code(cli: Cli) -> None:
    result = cli("run", cli.graph(ASK), "--break", "pause", "--run-id", "r")
    assert result.code == 10
    assert "halted: a pause: at step 1, ask" in result.err
    path = cli.count("raise ValueError('no')")
    result = cli("run", path, "--trust", "--break", "fail", "--run-id", "f")
    assert (result.code, "halted: a failure: at step 1, work" in result.err) == (1, True)
    (cli.folder / "work.py").write_text("def work(state):\n    return {'count': state['count'] + 1}\n")
    result = cli("retry", "f", "--trust", "--break", "key:count=2", "--watch", "count", "--json")
    assert [hit["after"] for hit in result.json["hits"]] == [2]
    assert result.json["watches"][0]["now"] == {"value": 2}


def test_secrets_are_masked_wherever_they_are_looked_at(cli: Cli) -> None:
    words = ["--break", "b:token == 'x' or token != 'y'", "--watch", "token", "--watch", "token < 3"]
    for more in ([], ["--json"]):
        result = cli("run", loop(cli), *words, *more)
        assert "halted: before b" in result.err
        assert "hunter2" not in result.out + result.err
        assert "***" in result.out
    result = cli("run", loop(cli), "--break", "b:token == 'hunter2-secret'")
    assert "resume" in result.err
    assert "hunter2" not in result.out + result.err
    result = cli("run", loop(cli), "--break", "key:token", "--json")
    assert result.json["status"] == "ended"


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--break", "bb"], "has no node 'bb' (did you mean 'b'?)"),
        (["--break", "b:n >"], "incomplete"),
        (["--break", "edge:a->c"], "no edge leads from 'a' to 'c' (it leads to: b)"),
        (["--break", "key:n=3=4:"], "no condition behind its colon"),
        (["--break", "b; log {{ n"], "does not parse"),
        (["--break", ""], "names no node"),
        (["--watch", "n +"], "the watch 'n +' does not parse"),
        (["--watch", " "], "write what to follow"),
        (["--break", "key:a b"], """one of that very name is state["a b"]"""),
        (["--break", "key:[0]"], "'[0]' is not part of the state"),
        (["--break", "type:step"], "'step' is not part of the state"),
    ],
)
def test_what_can_never_be_met_is_refused_before_anything_runs(cli: Cli, words: list[str], said: str) -> None:
    result = cli("run", loop(cli), *words)
    assert result.code == 1
    assert said in result.err
    assert "hint" in result.err
    assert "run r-" not in result.err


def test_what_is_gone_or_damaged_is_kept_and_told(cli: Cli) -> None:
    path = loop(cli)
    cli("breaks", path, "--add", "c", "--add", "b", "--watch", "n")
    [folder] = (cli.folder / "home" / "debug").iterdir()
    (folder / "b2.json").write_text("{")
    path.write_text(LOOP.replace('"c"', '"d"').replace("nodes.c", "nodes.d"))
    result = cli("breaks", path)
    assert result.code == 0
    assert "b1  before c  (broken: graph 'loop' has no node 'c'" in result.out
    assert "b2  damaged: its file is not JSON" in result.out
    assert f"(fix {folder / 'b2.json'}, or remove it with its id)" in result.out
    refused = cli("breaks", path, "--off", "b2")
    assert refused.code == 1
    assert "b2 cannot be switched: its file is not JSON" in refused.err
    result = cli("run", path, "--kept", "--json")
    assert result.json["status"] == "ended"
    assert "warning: the kept breakpoint b1 is not looked at: it can never be hit: graph 'loop'" in result.err
    assert (
        "warning: the kept breakpoint b2 is not looked at: it is damaged: its file is not JSON" in result.err
    )
    assert f"hint: fix {folder / 'b2.json'}, or remove it with\n  stepgraph breaks {path}" in result.err
    assert result.err.splitlines()[-1] == "warning: it went without b2, b1; see above"
    assert [(each["id"], each["file"]) for each in result.json["left_out"]] == [
        ("b2", str(folder / "b2.json")),
        ("b1", str(folder / "b1.json")),
    ]
    assert "is not JSON" in result.json["left_out"][0]["reason"]
    assert (folder / "b2.json").read_text() == "{"
