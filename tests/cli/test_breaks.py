"""``--break`` and ``--watch`` on the commands that drive and show runs, and ``stepgraph breaks``."""

from __future__ import annotations

import re
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


def test_a_run_halts_says_where_and_how_to_go_on(cli: Cli) -> None:
    result = cli("run", loop(cli), "--run-id", "r", "--break", "b:visits.b > 1", "--watch", "visits.b")
    assert result.code == 0
    assert "halted: before b when visits.b > 1: before step 5, b" in result.err
    assert "visits.b = 2" in result.err
    assert "stepgraph resume r '--break=b:visits.b > 1' --watch=visits.b" in result.err
    assert "visits.b = 1, before: 1" in result.out
    assert cli("runs", "show", "r", "--json").json["step"] == 4


def test_where_it_halted_does_not_hold_it(cli: Cli) -> None:
    assert "before step 1, a" in cli("run", loop(cli), "--run-id", "r", "--break", "a").err
    for step in (4, 7):
        result = cli("resume", "r", "--break", "a", "--json")
        assert [(hit["step"], hit["halts"]) for hit in result.json["hits"]] == [(step, True)]
    result = cli("resume", "r", "--break", "a", "--json")
    assert (result.code, result.json["status"], result.json["hits"]) == (0, "ended", [])


def test_a_run_that_is_opened_at_a_breakpoint_goes_through_it_and_says_so(cli: Cli) -> None:
    path = loop(cli)

    def resumed(run_id: str, *words: str) -> tuple[list[str], int]:
        """What it goes through, and before which step it halts then."""
        result = cli("resume", run_id, *words, "--json")
        told = [line for line in result.err.splitlines() if line.startswith("going on through: ")]
        return [line.removeprefix("going on through: ") for line in told], result.json["step"] + 1

    cli("run", path, "--run-id", "r", "--break", "after:a")
    cli("fork", "r", "--at", "0", "--run-id", "f")
    assert resumed("r", "--break", "b") == (["before b: before step 2, b"], 5)  # halted there by another one
    cli("step", "r")
    words = ("--break", "c", "--break", "a:n > 1", "--break", "b")
    assert resumed("r", *words) == (["before c: before step 6, c"], 8)  # stepped there
    assert resumed("f", "--break", "a:n == 0") == (["before a when n == 0: before step 1, a"], 4)  # forked
    assert resumed("f", "--break", "b") == ([], 5)  # it comes there only now
    cli("breaks", path, "--add", "b; every 2", "--add", "b; log at b", "--add", "b; every 3", "--add", "c")
    assert resumed("f", "--kept") == (["b1 before b, every 2 hits: before step 5, b, hit 2"], 6)
    assert cli("run", path, "--break", "a", "--json").json["step"] == 0  # a new run halts there


def test_a_review_that_was_decided_is_gone_on_with_in_one_go(cli: Cli) -> None:
    review = cli.paused()
    assert cli("approvals", "decide", review, "--approve").code == 0
    result = cli("resume", "r-1", "--break", "ask", "--break", "pay", "--json")
    assert "going on through: before ask: before step 1, ask" in result.err
    assert [hit["node"] for hit in result.json["hits"]] == ["pay"]


@pytest.mark.parametrize(
    ("where", "step"),
    [
        ("after:b", 2),
        ("edge:b->c", 2),
        ("key:last", 3),
        ("key:m=2:step > 0", None),
        ('key:m="2"', 1),
        ("type:m", None),
        ("b; after 1", 5),
        ("b; every 2", 5),
        ("fail", None),
        ("pause", None),
        ("nomatch", None),
    ],
)
def test_the_other_sorts(cli: Cli, where: str, step: int | None) -> None:
    result = cli("run", loop(cli), "--break", where, "--json")
    assert result.code == 0
    assert [hit["step"] for hit in result.json["hits"] if hit["halts"]] == ([step] if step else [])
    assert (result.json["status"] == "ready") == bool(step)


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


def test_a_log_point_writes_a_line_and_goes_on(cli: Cli) -> None:
    result = cli("run", loop(cli), "--break", "c; log m is {{ m }} at {{ step }}, {{ token }}", "--json")
    assert result.json["status"] == "ended"
    told = [line.strip() for line in result.err.splitlines() if line.strip().startswith("log ")]
    assert told == ["log  m is 2 at 3, ***", "log  m is 2 at 6, ***"]


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
        (["--break", "key:[0]"], "'[0]' is no part of the state"),
        (["--break", "type:step"], "'step' is no part of the state"),
    ],
)
def test_what_can_never_be_met_is_refused_before_anything_runs(cli: Cli, words: list[str], said: str) -> None:
    result = cli("run", loop(cli), *words)
    assert result.code == 1
    assert said in result.err
    assert "hint" in result.err
    assert "run r-" not in result.err


def test_a_condition_that_fails_halts_and_says_so(cli: Cli) -> None:
    result = cli("run", loop(cli), "--break", "b:last > 3", "--json")
    [hit] = result.json["hits"]
    assert (result.code, hit["step"], hit["halts"]) == (0, 2, True)
    assert "no key" in hit["error"]


def test_step_and_show_follow_watches(cli: Cli) -> None:
    cli("run", loop(cli), "--run-id", "r", "--break", "b")
    result = cli("step", "r", "--watch", "visits.b", "--json")
    assert result.json["watches"] == [
        {
            "watch": "visits.b",
            "now": {"value": 1},
            "before": {"value": 0},
            "changed": True,
            "steps": [{"step": 0, "shown": "0", "error": False}, {"step": 2, "shown": "1", "error": False}],
        }
    ]
    assert "visits.b = 1, before: 1" in cli("step", "r", "--watch", "visits.b").out
    shown = cli("runs", "show", "r", "--watch", "last")
    assert 'last = "l", before: (last: the state has no key "last")' in shown.out
    assert 'step 3: "l"' in shown.out
    early = cli("runs", "show", "r", "--watch", "last", "--step", "1", "--json")
    assert "error" in early.json["watches"][0]["now"]
    assert cli("runs", "show", "r", "--watch", "n +").code == 1
    assert cli("runs", "show", "r", "--watch", "n", "--loop").code == 2


def test_breakpoints_are_kept_for_a_graph_and_used_when_asked_for(cli: Cli) -> None:
    path = loop(cli)
    before = path.read_bytes()
    assert "nothing is kept" in cli("breaks", path).err
    result = cli("breaks", path, "--add", "c:n == 0", "--add", "b", "--watch", "m", "--json")
    assert [(each["id"], each["breakpoint"]) for each in result.json["breakpoints"]] == [
        ("b1", "c:n == 0"),
        ("b2", "b"),
    ]
    assert cli("run", path, "--json").json["status"] == "ended"
    result = cli("run", path, "--kept", "--json")
    assert [hit["id"] for hit in result.json["hits"]] == ["b2"]
    assert result.json["watches"][0]["watch"] == "m"
    assert "--kept" in result.err
    cli("breaks", path, "--off", "b2")
    assert "b2  before b, off" in cli("breaks", path).out
    assert [hit["id"] for hit in cli("run", path, "--kept", "--json").json["hits"]] == ["b1"]
    cli("breaks", path, "--off", "w1")
    assert "w1  watch m, off" in cli("breaks", path).out
    assert cli("breaks", path, "--json").json["watches"][0]["enabled"] is False
    assert cli("run", path, "--kept", "--json").json["watches"][0]["watch"] == "m"  # shown in any case
    cli("breaks", path, "--on", "w1")
    assert cli("breaks", path, "--json").json["watches"][0]["enabled"] is True
    cli("breaks", path, "--on", "b2", "--remove", "b1", "--remove", "w1")
    assert cli("breaks", path).out.split() == ["b2", "before", "b"]
    for words, said in (
        (["--remove", "b9"], "no breakpoint or watch 'b9'"),
        (["--off", "w1"], "no breakpoint or watch 'w1'"),
        (["--off", "b2", "--on", "b2"], "b2 is to be both on and off"),
        (["--add", "nowhere"], "has no node 'nowhere'"),
        (["--add", "b; every two"], "cannot be read from its semicolon on"),
        (["--add", "b; log"], "cannot be read from its semicolon on"),
        (["--watch", "n +"], "does not parse"),
    ):
        result = cli("breaks", path, *words)
        assert (result.code, said in result.err) == (1, True)
    assert path.read_bytes() == before


def test_a_long_text_that_changed_is_told_from_where_it_did(cli: Cli) -> None:
    path = cli.count("n = state['count'] + 1; return {'count': n, 'word': 'alike ' * 30 + str(n)}")
    out = cli("run", path, "--trust", "--watch", "word").out
    assert re.search(r'word = …[alike ]+3", before: …[alike ]+2"', out)


def test_many_changes_of_a_watch_are_cut_and_all_there_as_data(cli: Cli) -> None:
    path = cli.graph(LOOP.replace("max_steps = 7", "max_steps = 40"))
    result = cli("run", path, "--run-id", "r", "--watch", "step")
    assert "31 earlier; step 31: 31; " in result.out
    data = cli("runs", "show", "r", "--watch", "step", "--json").json
    assert len(data["watches"][0]["steps"]) == 41


def test_what_is_gone_or_damaged_is_kept_and_told(cli: Cli) -> None:
    path = loop(cli)
    cli("breaks", path, "--add", "c", "--add", "b", "--watch", "n")
    [folder] = (cli.folder / "home" / "debug").iterdir()
    (folder / "b2.json").write_text("{")
    path.write_text(LOOP.replace('"c"', '"d"').replace("nodes.c", "nodes.d"))
    result = cli("breaks", path)
    assert result.code == 0
    assert "b1  before c  (broken: graph 'loop' has no node 'c'" in result.out
    assert "b2  damaged: its file is no JSON" in result.out
    assert f"(mend {folder / 'b2.json'}, or remove it with its id)" in result.out
    refused = cli("breaks", path, "--off", "b2")
    assert refused.code == 1
    assert "b2 cannot be switched: its file is no JSON" in refused.err
    result = cli("run", path, "--kept", "--json")
    assert result.json["status"] == "ended"
    assert "warning: the kept breakpoint b1 is not looked at: it can never be met: graph 'loop'" in result.err
    assert (
        "warning: the kept breakpoint b2 is not looked at: it is damaged: its file is no JSON" in result.err
    )
    assert f"hint: mend {folder / 'b2.json'}, or remove it with\n  stepgraph breaks {path}" in result.err
    assert result.err.splitlines()[-1] == "warning: it went without b2, b1; see above"
    assert [(each["id"], each["file"]) for each in result.json["left_out"]] == [
        ("b2", str(folder / "b2.json")),
        ("b1", str(folder / "b1.json")),
    ]
    assert "is no JSON" in result.json["left_out"][0]["reason"]
    assert (folder / "b2.json").read_text() == "{"


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("", "its file is empty"),
        ('{"version": 2}', "no breakpoint that this version can read"),
        (
            '{"version": 1, "breakpoint": {"kind": "before", "node": "b", "every": 0}}',
            "every of a breakpoint is 0",
        ),
        ('{"version": 1, "breakpoint": {"kind": "before", "node": "b", "when": "n >"}}', "incomplete"),
        ('{"version": 1, "breakpoint": {"kind": "changes", "path": "n["}}', "n["),
        (
            '{"version": 1, "breakpoint": {"kind": "before", "node": "b", "when": "visits.z > 1"}}',
            "visits of 'z'",
        ),
    ],
)
def test_the_others_that_are_kept_go_on_beside_a_bad_one(cli: Cli, content: str, said: str) -> None:
    path = loop(cli)
    cli("breaks", path, "--add", "b", "--add", "c", "--watch", "n")
    [folder] = (cli.folder / "home" / "debug").iterdir()
    (folder / "b1.json").write_text(content)
    (folder / "w1.json").write_text('{"version": 1, "watch": "n +"}')
    for words in (["run", path, "--run-id", "r"], ["resume", "r"]):
        result = cli(*words, "--kept", "--json")
        assert result.code == 0
        assert [hit["id"] for hit in result.json["hits"]] == ["b2"]
        assert [each["id"] for each in result.json["left_out"]] == ["b1", "w1"]
        assert said in result.json["left_out"][0]["reason"]
        assert said in result.err
        assert result.err.count("mend ") == 2
        assert "the kept watch w1 is not shown" in result.err
    listed = cli("breaks", path)
    assert listed.code == 0
    assert said in listed.out
    cli("breaks", path, "--remove", "b1", "--remove", "w1")
    whole = cli("run", path, "--kept", "--json")
    assert (whole.json["left_out"], "warning" in whole.err) == ([], False)
    assert "left_out" not in cli("run", path, "--break", "b", "--json").json


def test_one_that_is_off_and_broken_is_not_warned_of(cli: Cli) -> None:
    path = loop(cli)
    cli("breaks", path, "--add", "c")
    cli("breaks", path, "--off", "b1")
    path.write_text(LOOP.replace('"c"', '"d"').replace("nodes.c", "nodes.d"))
    assert "warning" not in cli("run", path, "--kept").err
    assert "broken" in cli("breaks", path).out


def test_help_says_how_to_write_them(cli: Cli) -> None:
    for command in ("run", "resume", "retry", "breaks"):
        said = cli(command, "--help").out
        for spelling in ("NODE[:CONDITION]", "edge:A->B", "key:NAME=VALUE", "nomatch", "; log TEXT"):
            assert spelling in said
