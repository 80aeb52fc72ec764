"""The lists of ``stepgraph approvals``, and deciding several reviews at once."""

from __future__ import annotations

import pytest

from stepgraph.files import read_graph
from stepgraph_tui.view.reviews import RunMasks
from tests.cli.calling import ASK, REFUND, Cli


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
    assert runs(cli, "--filter", 'graph:ask node:as age:<1h "pay 99"') == ["r-2"]
    assert runs(cli, "--filter", '"Pay 240"') == ["r-1"]
    assert runs(cli, "--filter", "hunter2") == []  # a secret is not found
    assert runs(cli, "--filter", "mine", "--as", "ana") == []
    assert "nothing matches risk:medium" in cli("approvals", "--filter", "risk:medium").err
    bad = cli("approvals", "--filter", "rsk:high")
    assert bad.code == 1
    assert "no rsk: of its own" in bad.err
    assert "risk" in bad.err


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


def test_each_that_is_too_risky_is_named(cli: Cli) -> None:
    ids = [ask(cli, f"r-{risk}", risk) for risk in ("high", "low", "medium")]
    told = cli("approvals", "decide", *ids, "--approve")
    assert (
        f"high and medium-risk reviews must be approved one at a time: reviews {ids[0]}, {ids[2]}" in told.err
    )


# The user's own command


def test_a_command_that_fails_is_told_and_changes_nothing(cli: Cli) -> None:
    home = cli.folder / "home"
    home.mkdir(exist_ok=True)
    (home / "settings.toml").write_text('on_pause = ["/nowhere/notify"]\n', encoding="utf-8")
    result = cli("run", cli.graph(ASK), "--run-id", "r-1")
    assert result.code == 10
    assert "on_pause: /nowhere/notify cannot be started" in result.err
