"""``stepgraph runs``."""

from __future__ import annotations

from tests.cli.calling import COUNT, Cli


def test_runs_are_listed_the_last_changed_first(cli: Cli) -> None:
    path = cli.count()
    for run_id in ("r-1", "r-2"):
        assert cli("run", path, "--run-id", run_id, "--trust").code == 0
    assert [run["id"] for run in cli("runs", "--json").json] == ["r-2", "r-1"]
    lines = cli("runs").out.splitlines()
    assert lines[0].split() == ["RUN", "GRAPH", "STATUS", "STEP", "NEXT", "CHANGED"]
    assert lines[1].split()[:6] == ["r-2", "count", "ended", "at", "END", "3/9"]


def test_runs_can_be_chosen_by_status(cli: Cli) -> None:
    cli.paused("r-1")
    cli("run", cli.count(), "--run-id", "r-2", "--trust")
    assert [run["id"] for run in cli("runs", "--status", "paused", "--json").json] == ["r-1"]
    assert cli("runs", "--status", "failed", "--json").json == []
    assert "there are no runs that are failed" in cli("runs", "--status", "failed").err


def test_a_run_that_is_not_there_is_named_with_the_nearest_one(cli: Cli) -> None:
    cli.paused("refund-1")
    for words in (("runs", "show"), ("resume",), ("fork",), ("export", "--to", "json")):
        result = cli(*words, "refund-2")
        assert (result.code, "did you mean 'refund-1'?" in result.err) == (4, True), result.err


def test_looking_makes_no_store(cli: Cli) -> None:
    for words in (("runs",), ("approvals",), ("doctor",), ("resume", "r-1")):
        cli(*words)
    assert not (cli.folder / "runs.db").exists()
    assert "there is no store at" in cli("runs").err


def test_show_tells_the_edge_of_each_step_and_why(cli: Cli) -> None:
    cli("run", cli.count(), "--run-id", "r-1", "--trust")
    out = cli("runs", "show", "r-1").out
    assert "r-1, ended at END after 3 of 9 steps" in out
    assert "1 of 2 -> work  again: count < 3" in out
    assert "2 of 2 -> END   always" in out
    data = cli("runs", "show", "r-1", "--json").json
    assert [edge["matched"] for edge in data["history"][2]["edges"]] == [False, True]
    assert data["history"][0]["updates"] == {"count": 1}


# acceptance 70
def test_show_has_the_traceback_of_the_users_code(cli: Cli) -> None:
    cli("run", cli.count("raise ValueError('no luck')"), "--run-id", "r-1", "--trust")
    out = cli("runs", "show", "r-1").out
    assert "FAILED    step 1, visit 1 of work" in out
    assert 'work.py", line 4, in work' in out
    assert "raise ValueError('no luck')" in out
    assert "nodes/handler.py" not in out
    assert "ValueError: no luck" in cli("runs", "show", "r-1", "--json").json["attempts"][0]["traceback"]


def test_show_has_the_loop_report_and_the_reviews(cli: Cli) -> None:
    review = cli.paused("r-1")
    cli("approvals", "decide", review, "--respond", "why so much?", "--as", "ana")
    cli("run", cli.count("return {}"), "--run-id", "r-2", "--trust")
    assert "respond by ana (cli)" in cli("runs", "show", "r-1").out
    assert "it kept going round work -> work" in cli("runs", "show", "r-2").out
    assert cli("runs", "show", "r-2", "--json").json["loop_report"]["cycle"] == ["work"]


def test_one_step_shows_the_state_after_it_and_every_edge_with_values(cli: Cli) -> None:
    cli("run", cli.count(), "--run-id", "r-1", "--trust")
    out = cli("runs", "show", "r-1", "--step", 2).out
    assert "1 again -> work: taken" in out
    assert "count = 2" in out
    assert "2 -> END: not reached" in out
    data = cli("runs", "show", "r-1", "--step", 3, "--json").json
    assert data["values"] == {"count": 3}
    assert data["edges"][0]["explanation"]["parts"][0] == {
        "text": "count",
        "role": "operand",
        "result": None,
        "value": 3,
    }


def test_step_0_is_the_start(cli: Cli) -> None:
    cli("run", cli.count(), "--run-id", "r-1", "--trust")
    assert cli("runs", "show", "r-1", "--step", 0, "--json").json["values"] == {"count": 0}
    assert "0: the start" in cli("runs", "show", "r-1", "--step", 0).out


def test_a_step_that_never_was_is_refused(cli: Cli) -> None:
    cli("run", cli.count(), "--run-id", "r-1", "--trust")
    for number in (4, -1):
        result = cli("runs", "show", "r-1", "--step", number)
        assert result.code == 1
        assert f"no step {number}" in result.err


def test_a_failed_condition_is_told_at_its_edge(cli: Cli) -> None:
    work = "def work(state):\n    return {'count': 'many'}\n"
    path = cli.graph(COUNT.replace('type = "number"\n', ""), work=work)
    assert cli("run", path, "--run-id", "r-1", "--trust").code == 1
    assert "1 again -> work: failed" in cli("runs", "show", "r-1", "--step", 1).out
    out = cli("runs", "show", "r-1").out
    assert "FAILED    the routing of step 1" in out
    assert "none of 2" in out
    assert "the condition of edge 1 failed" in " ".join(out.split())
    assert "Traceback" not in out


def test_what_failed_last_is_told_once_and_what_failed_before_too(cli: Cli) -> None:
    path = cli.count("raise ValueError('no luck')")
    cli("run", path, "--run-id", "r-1", "--trust")
    cli.count("raise ValueError('no money')")
    assert cli("retry", "r-1", "--trust").code == 1
    out = cli("runs", "show", "r-1").out
    assert out.count("raised ValueError on visit 1: no money") == 1
    assert out.count("raised ValueError on visit 1: no luck") == 1


def test_the_loop_of_a_run_is_explained_and_what_to_type_for_more_steps(cli: Cli) -> None:
    path = cli.count("return {}")
    cli("run", path, "--run-id", "r-1", "--trust")
    shown = cli("runs", "show", "r-1", "--loop")
    assert "LOOP        work -> work" in shown.out
    assert "gone round 9 times, steps 1 to 9; it has not left the loop" in shown.out
    assert "AT          work kept taking 1 again -> work" in shown.out
    assert "stepgraph extend r-1 9" in shown.err
    loop = cli("runs", "show", "r-1", "--loop", "--json").json["loop"]
    assert (loop["cycle"], loop["rounds"], loop["unchanged"]) == (["work"], 9, ["count"])
    (again,) = loop["choices"][0]["edges"]
    assert again["operands"] == [
        {"text": "count", "values": [{"step": step, "value": 0} for step in range(4, 10)]}
    ]


def test_a_run_without_a_loop_says_so(cli: Cli) -> None:
    cli.paused("r-1")
    shown = cli("runs", "show", "r-1", "--loop")
    assert (shown.code, shown.out) == (0, "")
    assert "there is no loop to explain" in shown.err
    assert cli("runs", "show", "r-1", "--loop", "--json").json["loop"] is None
    assert cli("runs", "show", "r-1", "--loop", "--step", "1").code == 2


def test_show_tells_work_and_waiting_apart(cli: Cli) -> None:
    review = cli.paused("r-1")
    assert "of waiting" in cli("runs", "show", "r-1").out
    cli("approvals", "decide", review, "--respond", "why so much?", "--as", "ana")
    first, second = (cli("runs", "show", "r-1", "--json").json for _ in range(2))
    assert first["waiting_seconds"] == second["waiting_seconds"] > 0
    assert first["work_seconds"] > 0
    cli("run", cli.count(), "--run-id", "r-2", "--trust")
    assert "waiting" not in cli("runs", "show", "r-2").out
    assert cli("runs", "show", "r-2", "--json").json["waiting_seconds"] == 0
