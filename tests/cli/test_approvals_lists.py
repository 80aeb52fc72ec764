"""The lists of ``stepgraph approvals``, and deciding several reviews at once."""

from __future__ import annotations

import io

import pytest

from stepgraph.files import read_graph
from stepgraph_tui.view.reviews import RunMasks
from tests.cli.calling import ASK, REFUND, Cli, call


def ask(cli: Cli, run_id: str, risk: str = "low", amount: int = 240, terms: str = "") -> str:
    """The review of a new run that waits."""
    text = ASK.replace('risk = "high"', f'risk = "{risk}"').replace("240", str(amount))
    text = text.replace("[state.order]", f"[reviews]\n{terms}\n\n[state.order]")
    if "approvals" in terms:
        text = text.replace('"edit", ', "").replace(', "respond"', "").replace("editable =", "# editable =")
    result = cli("run", cli.graph(text), "--run-id", run_id, "--json")
    assert result.code == 10
    return str(result.json["review"]["id"])


def runs(cli: Cli, *words: object) -> list[str]:
    """The runs of the reviews that are listed."""
    return [review["run"] for review in cli("approvals", *words, "--json").json]


def test_a_filter_chooses_and_a_bad_one_says_what_is_possible(cli: Cli) -> None:
    ask(cli, "r-1")
    ask(cli, "r-2", "high", 99)
    assert runs(cli, "--filter", "risk:high") == ["r-2"]
    assert runs(cli, "--filter", "graph:ask node:as age:<1h pay 99") == ["r-2"]
    assert runs(cli, "--filter", '"Pay 240"') == ["r-1"]
    assert runs(cli, "--filter", "hunter2") == []  # a secret is not found
    assert runs(cli, "--filter", "mine", "--as", "ana") == []
    assert "nothing matches risk:medium" in cli("approvals", "--filter", "risk:medium").err
    bad = cli("approvals", "--filter", "rsk:high")
    assert bad.code == 1
    assert "no rsk: of its own" in bad.err
    assert "risk" in bad.err


def test_the_order_can_be_chosen(cli: Cli) -> None:
    for number, risk in enumerate(("low", "high", "medium"), 1):
        ask(cli, f"r-{number}", risk)
    assert runs(cli) == ["r-2", "r-3", "r-1"]
    assert runs(cli, "--sort", "risk") == ["r-2", "r-3", "r-1"]
    assert runs(cli, "--sort", "age") == ["r-1", "r-2", "r-3"]
    assert cli("approvals", "--sort", "colour").code == 2


def test_those_that_ask_the_same_are_one_line_with_a_count(cli: Cli) -> None:
    ids = [ask(cli, f"r-{number}") for number in (1, 2, 3)]
    ask(cli, "r-4", amount=99)
    listed = cli("approvals")
    assert len(listed.out.splitlines()) == 3
    assert "x3 pay(" in " ".join(listed.out.split())
    assert f"stepgraph approvals decide {' '.join(ids)} --reject --comment WHY" in listed.err
    data = cli("approvals", "--json").json
    assert [(review["run"], review["identical"]) for review in data] == [
        ("r-1", 3), ("r-2", 3), ("r-3", 3), ("r-4", 1),
    ]  # fmt: skip


def test_what_waits_no_more_is_listed_with_what_became_of_it(cli: Cli) -> None:
    first, second = ask(cli, "r-1"), ask(cli, "r-2")
    assert "nothing decided yet" in cli("approvals", "--state", "decided").err
    cli("approvals", "decide", first, "--reject", "--comment", "no", "--as", "ana")
    cli("runs", "stop", "r-2")
    out = cli("approvals", "--state", "decided").out
    assert "rejected ana" in " ".join(out.split())
    assert "withdrawn" in out
    data = cli("approvals", "--state", "decided", "--filter", "mine", "--as", "ana", "--json").json
    assert [review["id"] for review in data] == [first]
    assert data[0]["decision"]["comment"] == "no"
    assert second not in cli("approvals").out
    assert "nothing expired yet" in cli("approvals", "--state", "expired").err


def test_what_is_broken_is_told_with_what_to_do(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    assert cli("approvals", "--state", "broken").code == 0
    review = ask(cli, "r-1")
    assert cli("run", REFUND, "--run-id", "r-2").code == 10
    other = read_graph(REFUND).compile()
    monkeypatch.setattr(RunMasks, "plan", lambda masks, run: other)  # such as an older version has
    listed = cli("approvals")
    assert "1 cannot go on, and is not listed; see why with:" in listed.err
    assert review not in listed.out
    assert "r-2" in listed.out
    broken = cli("approvals", "--state", "broken")
    assert broken.code == 1
    assert "any more: nothing could go on after a decision" in " ".join(broken.out.split())
    assert "ends the run where it stands" in broken.err
    (data,) = cli("approvals", "--state", "broken", "--json").json
    assert data["status"] == "broken"
    assert "runs stop" in data["hint"]


# Several at once


def test_several_are_rejected_with_one_comment(cli: Cli) -> None:
    ids = [ask(cli, "r-1", "high"), ask(cli, "r-2", "low", 99)]
    told = cli("approvals", "decide", *ids, "--reject", "--comment", "no", "--as", "ana")
    assert told.code == 0
    for words in (*ids, "high risk", "low risk", "run r-2", "pay(amount=99)", "reject of 2 reviews by ana"):
        assert words in told.err
    assert "resume r-1" in told.err
    assert "resume r-2" in told.err
    for review in cli("approvals", "--state", "decided", "--json").json:
        decision = review["decision"]
        assert (decision["by"], decision["comment"], decision["source"]) == ("ana", "no", "cli")
    assert cli("approvals", "--json").json == []


def test_identical_ones_of_low_risk_are_approved_together(cli: Cli) -> None:
    ids = [ask(cli, f"r-{number}") for number in (1, 2)]
    told = cli("approvals", "decide", *ids, *ids, "--approve", "--json")
    assert told.code == 0
    assert [review["id"] for review in told.json] == ids
    assert "hunter2" not in told.out + told.err


@pytest.mark.parametrize(
    ("risks", "amounts", "verb", "why"),
    [
        (("low", "high"), (240, 240), "--approve", "high risk: approve it by itself"),
        (("low", "low"), (240, 99), "--approve", "do not all ask the same"),
        (("low", "low"), (240, 240), "--edit", "only be approved or rejected together"),
    ],
)
def test_others_are_not_and_then_none_is_decided(
    cli: Cli, risks: tuple[str, str], amounts: tuple[int, int], verb: str, why: str
) -> None:
    ids = [ask(cli, f"r-{at}", risk, amounts[at]) for at, risk in enumerate(risks)]
    told = cli("approvals", "decide", *ids, verb)
    assert told.code == 1
    assert "nothing was decided" in told.err
    assert why in told.err
    assert len(cli("approvals", "--json").json) == 2


def test_all_that_is_refused_is_told_at_once_and_none_is_decided(cli: Cli) -> None:
    ids = [ask(cli, f"r-{number}") for number in (1, 2, 3)]
    cli("approvals", "decide", ids[1], "--approve", "--as", "ben")
    words = ("--reject", "--comment", "not now", "--as", "ana")
    told = cli("approvals", "decide", "a-none", *ids, "--json", *words)
    assert told.code == 4  # that of the first one
    assert told.out == ""
    assert "there is no review 'a-none'" in told.err
    assert "approve by ben (cli)" in told.err
    assert "nothing was decided: 2 of 4 cannot be decided so" in told.err
    assert f"approvals decide {ids[0]} {ids[2]} --reject --comment 'not now' --as ana" in told.err
    assert runs(cli) == ["r-1", "r-3"]
    assert cli("approvals", "decide", *ids, *words).code == 3
    assert runs(cli) == ["r-1", "r-3"]
    assert cli("approvals", "decide", ids[0], ids[2], *words).code == 0
    assert runs(cli) == []


def test_who_may_not_decide_one_of_them_decides_none(cli: Cli) -> None:
    ids = [ask(cli, "r-1")]
    ids.append(ask(cli, "r-2", terms='approvers = ["ben"]'))
    told = cli("approvals", "decide", *ids, "--reject", "--as", "ana")
    assert told.code == 1
    assert f"ana may not decide review {ids[1]}" in told.err
    assert "decide the other one with:" in told.err
    assert runs(cli) == ["r-1", "r-2"]
    both = cli("approvals", "decide", *ids, "a-none", "--approve", "--as", "ben")
    assert "of the others: they ask the same on different terms" in both.err


def test_each_that_is_too_risky_is_named(cli: Cli) -> None:
    ids = [ask(cli, f"r-{risk}", risk) for risk in ("high", "low", "medium")]
    told = cli("approvals", "decide", *ids, "--approve")
    assert f"reviews {ids[0]}, {ids[2]} have high or medium risk: approve each by itself" in told.err


def test_the_first_of_two_approvals_says_that_they_still_wait(cli: Cli) -> None:
    ids = [ask(cli, f"r-{number}", terms="approvals = 2") for number in (1, 2)]
    told = cli("approvals", "decide", *ids, "--approve", "--as", "ana")
    assert told.code == 0
    assert "2 reviews still wait for more approvals" in told.err
    assert "resume" not in told.err
    again = cli("approvals", "decide", *ids, "--approve", "--as", "Ana")
    assert again.code == 1
    assert again.err.count("you approved review") == 2
    done = cli("approvals", "decide", *ids, "--approve", "--as", "ben")
    assert done.code == 0
    assert "still wait" not in done.err


def test_one_that_is_decided_while_one_answers_keeps_no_other_from_it(
    cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    ids = [ask(cli, f"r-{number}") for number in (1, 2, 3)]

    class Thinking(io.StringIO):
        def isatty(self) -> bool:
            return True

        def readline(self, size: int = -1, /) -> str:  # type: ignore[override]  # bytes, says its base
            monkeypatch.setattr("sys.stdin", io.StringIO())
            cli("approvals", "decide", ids[1], "--approve", "--as", "ben")
            return "y\n"

    monkeypatch.setattr("sys.stdin", Thinking())
    told = cli("approvals", "decide", *ids, "--reject", "--as", "ana")
    assert told.code == 3
    assert "approve by ben (cli)" in told.err
    assert "reject of 2 reviews by ana" in told.err


def test_who_is_asked_and_says_no_decides_none(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    ids = [ask(cli, f"r-{number}") for number in (1, 2)]
    monkeypatch.setattr("sys.stdin", Terminal("n\n"))
    told = cli("approvals", "decide", *ids, "--approve")
    assert told.code == 1
    assert "Approve 2 reviews? [y/N]" in told.err
    monkeypatch.setattr("sys.stdin", Terminal("y\n"))
    assert cli("approvals", "decide", *ids, "--approve").code == 0


def test_another_hash_decides_none_of_those_that_have_it_not(cli: Cli) -> None:
    ids = [ask(cli, f"r-{number}") for number in (1, 2)]
    assert cli("approvals", "decide", *ids, "--reject", "--expect-hash", "0" * 16).code == 5
    assert len(cli("approvals", "--json").json) == 2


# The user's own command


def test_a_run_that_pauses_tells_the_users_command(cli: Cli) -> None:
    told = cli.folder / "told.json"
    code = f"import sys; open({str(told)!r}, 'a').write(sys.stdin.read() + chr(10))"
    words = ", ".join(f"'''{word}'''" for word in ("python3", "-c", code))
    home = cli.folder / "home"
    home.mkdir(exist_ok=True)
    (home / "settings.toml").write_text(f"on_pause = [{words}]\n", encoding="utf-8")
    env = {"STEPGRAPH_HOME": str(home)}
    assert call("run", cli.graph(ASK), "--run-id", "r-1", env=env).code == 10
    assert '"run": "r-1"' in told.read_text("utf-8")
    assert "hunter2" not in told.read_text("utf-8")
    assert call("resume", "r-1", env=env).code == 10  # it waited before: nobody is told again
    assert told.read_text("utf-8").count("\n") == 1


def test_a_command_that_fails_is_told_and_changes_nothing(cli: Cli) -> None:
    home = cli.folder / "home"
    home.mkdir(exist_ok=True)
    (home / "settings.toml").write_text('on_pause = ["/nowhere/notify"]\n', encoding="utf-8")
    result = cli("run", cli.graph(ASK), "--run-id", "r-1")
    assert result.code == 10
    assert "on_pause: /nowhere/notify cannot be started" in result.err
