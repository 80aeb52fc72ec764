"""``stepgraph step``, ``resume``, ``retry``, ``fork`` and ``extend``: from the store alone."""

from __future__ import annotations

from pathlib import Path

import pytest

from stepgraph import Executor, NodeResult, ReviewRequest, SqliteStore, State, StateGraph
from tests.cli.calling import ASK, COUNT, Cli

FLAKY = """
from pathlib import Path

def work(state):
    mark = Path(__file__).with_name("fixed")
    if state["count"] == 1 and not mark.exists():
        raise ValueError("not yet")
    return {"count": state["count"] + 1}
"""

ROUND = (
    'format = 1\nname = "round"\nstart = "a"\nmax_steps = 8\n'
    + "".join(
        f'[nodes.{name}]\ntype = "router"\nkey = "n"\nthreshold = 1\nhigh = "h"\nlow = "l"\n'
        for name in "abcd"
    )
    + "".join(f'[[edges]]\nfrom = "{a}"\nto = "{b}"\n' for a, b in ("ab", "bc", "cd", "da"))
    + "[state.n]\ndefault = 0\n"
)
"""Goes round until its cap."""


def started(cli: Cli, run_id: str = "r-1") -> None:
    """A run that has failed at its second step, and whose cause is gone."""
    assert cli("run", cli.graph(COUNT, work=FLAKY), "--run-id", run_id, "--trust").code == 1
    (cli.folder / "fixed").touch()


def test_step_runs_exactly_one_node(cli: Cli) -> None:
    assert cli("run", cli.count(), "--run-id", "r-1", "--trust").code == 0
    made = cli("fork", "r-1", "--at", 0, "--run-id", "r-2")
    assert (made.code, made.out) == (0, "r-2\n")
    result = cli("step", "r-2", "--json")
    assert result.code == 0
    assert (result.json["step"], result.json["status"]) == (1, "ready")
    assert "stepgraph resume r-2" in result.err


def test_retry_tries_again_and_goes_on(cli: Cli) -> None:
    started(cli)
    result = cli("retry", "r-1", "--json")
    assert result.code == 0
    assert result.json["values"] == {"count": 3}
    assert len(result.json["trace"]["steps"]) == 3


def test_retry_once_tries_the_failed_part_and_does_not_go_on(cli: Cli) -> None:
    started(cli)
    result = cli("retry", "r-1", "--once", "--json")
    assert result.code == 0
    assert (result.json["step"], result.json["status"], result.json["values"]) == (2, "ready", {"count": 2})
    assert "ready after step 2; work comes next; go on with:\n  stepgraph resume r-1" in result.err


@pytest.mark.parametrize(
    ("words", "step", "following"),
    [
        (("--until", "c"), 2, "c"),
        (("--after", "b"), 2, "c"),
        (("--until", "d", "--until", "b"), 1, "b"),
        (("--after", "d", "--after", "c"), 3, "d"),
        (("--after", "c", "--until", "b"), 1, "b"),
        (("--until", "a"), 4, "a"),  # it comes next already: once round
    ],
)
def test_resume_stops_where_it_is_told_to(
    cli: Cli, words: tuple[str, ...], step: int, following: str
) -> None:
    cli("run", cli.graph(ROUND), "--run-id", "r-1")
    assert cli("fork", "r-1", "--at", 0, "--run-id", "r-2").code == 0
    result = cli("resume", "r-2", *words, "--json")
    assert (result.code, result.json["step"], result.json["status"]) == (0, step, "ready")
    assert f"ready after step {step}; {following} comes next; go on with:" in result.err
    assert "stepgraph resume r-2" in result.err


def test_resume_that_ends_before_it_gets_there_tells_its_end(cli: Cli) -> None:
    cli("run", cli.graph(ROUND), "--run-id", "r-1")
    cli("extend", "r-1", 3)
    result = cli("resume", "r-1", "--after", "d")
    assert result.code == 0
    assert "ended at its cap after 11 of 11 steps" in result.out


def test_a_node_that_is_not_there_is_refused_before_anything_runs(cli: Cli) -> None:
    assert cli("run", cli.count(), "--run-id", "r-1", "--trust").code == 0
    cli("fork", "r-1", "--at", 0, "--run-id", "r-2")
    for option in ("--until", "--after"):
        for adopt in ((), ("--adopt",)):
            result = cli("resume", "r-2", option, "wrok", *adopt)
            assert result.code == 1
            assert "graph 'count' has no node 'wrok'\n  hint: did you mean 'work'?" in result.err
    assert cli("runs", "show", "r-2", "--json").json["step"] == 0


def test_a_retry_that_fails_again_gives_exit_1(cli: Cli) -> None:
    started(cli)
    (cli.folder / "fixed").unlink()
    result = cli("retry", "r-1")
    assert result.code == 1
    assert "not yet" in result.err


def test_resume_of_a_failed_run_runs_nothing_and_names_retry(cli: Cli) -> None:
    started(cli)
    result = cli("resume", "r-1")
    assert result.code == 1
    assert "run r-1 had failed already; nothing ran" in result.err
    assert "stepgraph retry r-1" in result.err
    assert cli("runs", "show", "r-1", "--json").json["step"] == 1


def test_resume_of_a_paused_run_asks_again_and_gives_exit_10(cli: Cli) -> None:
    review = cli.paused()
    for verb in ("resume", "step"):
        result = cli(verb, "r-1")
        assert result.code == 10
        assert f"stepgraph approvals decide {review} --approve" in result.err


def test_resume_of_an_ended_run_says_that_nothing_ran(cli: Cli) -> None:
    assert cli("run", cli.count(), "--run-id", "r-1", "--trust").code == 0
    (cli.folder / "work.py").write_text("raise AssertionError('imported')", encoding="utf-8")
    result = cli("resume", "r-1")
    assert result.code == 0
    assert "nothing ran" in result.err


def test_step_of_an_ended_run_is_refused(cli: Cli) -> None:
    assert cli("run", cli.count(), "--run-id", "r-1", "--trust").code == 0
    result = cli("step", "r-1")
    assert result.code == 1
    assert "it is ended" in result.err


@pytest.mark.parametrize(
    "words", [("step",), ("resume",), ("retry",), ("fork", "--at", "0"), ("runs", "show")]
)
def test_an_unknown_run_gives_exit_4(cli: Cli, words: tuple[str, ...]) -> None:
    result = cli(*words, "r-none")
    assert result.code == 4
    assert "no run 'r-none'" in result.err


def test_fork_takes_new_values_and_leaves_the_old_run_alone(cli: Cli) -> None:
    assert cli("run", cli.count(), "--run-id", "r-1", "--trust").code == 0
    forked = cli("fork", "r-1", "--at", 1, "--input", "count=2", "--run-id", "r-2", "--json")
    assert forked.code == 0
    assert (forked.json["values"], forked.json["origin"]) == ({"count": 2}, "r-1@1")
    assert cli("resume", "r-2", "--json").json["step"] == 2
    assert cli("runs", "show", "r-1", "--json").json["values"] == {"count": 3}


@pytest.mark.parametrize(("at", "said"), [(9, "has no step 9"), (3, "the run ended there")])
def test_fork_where_nothing_follows_is_refused(cli: Cli, at: int, said: str) -> None:
    assert cli("run", cli.count(), "--run-id", "r-1", "--trust").code == 0
    result = cli("fork", "r-1", "--at", at)
    assert result.code == 1
    assert said in result.err


def test_extend_lets_a_capped_run_go_on(cli: Cli) -> None:
    path = cli.graph(COUNT.replace("max_steps = 9", "max_steps = 2"), work=FLAKY)
    (cli.folder / "fixed").touch()
    assert "at its cap" in cli("run", path, "--run-id", "r-1", "--trust").out
    extended = cli("extend", "r-1", 3, "--json")
    assert (extended.code, extended.json["status"], extended.json["max_steps"]) == (0, "ready", 5)
    assert cli("resume", "r-1", "--json").json["outcome"] == "end"


def test_extend_of_a_paused_run_says_that_it_still_waits(cli: Cli) -> None:
    assert cli("run", cli.graph(ASK), "--run-id", "r-1").code == 10
    extended = cli("extend", "r-1", 3)
    assert extended.code == 0
    assert "stepgraph approvals decide" in extended.err
    assert "stepgraph resume" not in extended.err


def test_a_changed_graph_file_is_remarked_and_the_stored_definition_counts(cli: Cli) -> None:
    started(cli)
    cli.graph(COUNT.replace("count < 3", "count < 7").replace("max_steps = 9", "max_steps = 8"), work=FLAKY)
    result = cli("retry", "r-1", "--json")
    assert result.code == 0
    assert "has changed since:" in result.err
    assert "max_steps: 9 became 8" in result.err
    assert result.json["values"] == {"count": 3}


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ("", ""),
        ("#", ""),
        (
            "edit",
            "differs from what the run goes by; with --adopt, `resume`, `step` and `retry` go on with",
        ),
        ("break", "can no longer be read; the run goes by what the store has"),
        ("remove", "can no longer be read; the run goes by what the store has"),
    ],
)
def test_what_makes_a_run_ready_remarks_on_a_changed_graph_file_too(cli: Cli, change: str, said: str) -> None:
    review, path = cli.paused(), cli.folder / "graph.toml"
    if change == "remove":
        path.unlink()
    else:
        text = ASK.replace('low = "little"', 'low = "less"') if change == "edit" else ASK
        path.write_text({"#": f"# only a note\n{ASK}", "break": f"[{ASK}"}.get(change, text))
    for words, code in (
        (["resume", "r-1"], 10),
        (["fork", "r-1", "--run-id", "r-2"], 0),
        (["edit", "r-2", "--set", "order.amount=9"], 0),
        (["extend", "r-1", "5"], 0),
        (["approvals", "decide", review, "--approve"], 0),
    ):
        result = cli(*words)
        assert result.code == code
        notes = [line for line in result.err.splitlines() if line.startswith(f"note: {path}")]
        assert len(notes) == bool(said), words
        assert said in result.err
    assert cli("resume", "r-1").code == 0
    assert "note:" not in cli("resume", "r-1").err  # it has ended: nothing goes by anything any more


def test_a_run_goes_on_when_its_graph_file_is_gone(cli: Cli) -> None:
    review = cli.paused()
    (cli.folder / "graph.toml").unlink()
    assert cli("approvals", "decide", review, "--reject").code == 0
    result = cli("resume", "r-1")
    assert result.code == 0
    assert "can no longer be read" in result.err
    assert f"stepgraph check {cli.folder / 'graph.toml'}" in result.err


def ask(state: State) -> NodeResult:
    return NodeResult() if state.decision else NodeResult.pause(ReviewRequest("Go on?"))


def test_a_graph_built_in_python_is_shown_and_decided_but_not_run(cli: Cli, tmp_path: Path) -> None:
    graph = StateGraph("built", start="ask")
    graph.add_node("ask", ask)
    graph.add_edge("ask", "ask", lambda context: context.step > 9)
    graph.add_edge("ask", "__END__")
    with SqliteStore(tmp_path / "runs.db") as store:
        executor = Executor(graph.compile(), store)
        executor.run(executor.start({}, "r-1"))
    review = cli("approvals", "--json").json[0]["id"]
    page = cli("approvals", "show", review)
    assert page.code == 0
    assert "approve -> cannot be known: it depends on what the code of 'ask' does" in page.out
    assert cli("approvals", "decide", review, "--approve").code == 0
    assert cli("runs", "show", "r-1").code == 0
    result = cli("resume", "r-1")
    assert result.code == 1
    assert "nodes ask of its graph 'built' are Python objects" in result.err
    assert cli("extend", "r-1", 2).code == 0


def test_a_second_question_of_the_same_run_pauses_again(cli: Cli) -> None:
    text = ASK.replace('from = "refuse"\nto = "END"', 'from = "refuse"\nto = "ask"')
    assert cli("run", cli.graph(text), "--run-id", "r-1").code == 10
    first = cli("approvals", "--json").json[0]["id"]
    assert cli("approvals", "decide", first, "--reject").code == 0
    assert cli("resume", "r-1").code == 10
    second = cli("approvals", "--json").json[0]["id"]
    assert second != first
    assert "since the last decision (step 1)" in cli("approvals", "show", second).out


@pytest.mark.parametrize("verb", ["step", "resume", "retry"])
@pytest.mark.parametrize("word", ["my_agent.py:graph", "letter.toml"])
def test_a_graph_in_the_place_of_a_run_is_told_how_to_start_one(cli: Cli, verb: str, word: str) -> None:
    result = cli(verb, word)
    assert result.code == 4
    assert f"error: {word!r} names a graph, and this takes a run of it" in result.err
    assert f"start one: stepgraph run {word};" in result.err
