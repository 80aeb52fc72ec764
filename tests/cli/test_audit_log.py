"""``stepgraph approvals log``, and what ``doctor`` says of the audit."""

from __future__ import annotations

import json
import re
import time

import apsw
import pytest

from stepgraph import Reviews, SqliteStore
from stepgraph.stores.audit import broken_links, chained
from stepgraph.stores.base import AuditEntry
from tests.cli.calling import ASK, Cli
from tests.stores.test_sqlite_audit import tampered
from tests.stores.test_sqlite_migrations import of_version

HOSTILE = "x\x1b[2Jy\nreview  approve\u202e"


@pytest.fixture(autouse=True)
def wide(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "200")


def decided(cli: Cli, run_id: str = "r-1", *options: str) -> str:
    review = cli.paused(run_id)
    assert cli("approvals", "decide", review, *(options or ("--approve", "--as", "ana"))).code == 0
    return review


def rows(out: str) -> list[list[str]]:
    return [re.split(r" {2,}", line.strip()) for line in out.splitlines()]


def test_nothing_decided_yet_is_said(cli: Cli) -> None:
    cli.paused()
    assert cli("approvals", "log").err == "nothing was decided yet\n"
    assert cli("approvals", "log", "--json").json == []


def test_who_decided_what_from_where_and_when_is_listed_with_the_latest_last(cli: Cli) -> None:
    first = decided(cli, "r-1", "--approve", "--as", "ana", "--comment", "checked the order")
    second = decided(cli, "r-2", "--approve", "--set", "order.amount=90", "--as", "bo")
    titles, one, two = rows(cli("approvals", "log").out)
    assert titles == ["NO", "WHEN", "WHO", "FROM", "DID", "REVIEW", "COMMENT", "RUN", "NODE", "GRAPH"]
    assert re.fullmatch(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d", one[1])
    assert [one[0], two[0]] == ["1", "2"]
    assert one[2:] == ["ana", "cli", "approve", first, "checked the order", "r-1", "ask", "ask"]
    assert two[2:] == ["bo", "cli", "edit", second, "changes order.amount", "r-2", "ask", "ask"]


def test_the_comment_is_there_on_a_narrow_screen_too(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    decided(cli, "r-1", "--approve", "--as", "ana@a-very-long-host-name", "--comment", "checked the order")
    monkeypatch.setenv("COLUMNS", "80")
    out = cli("approvals", "log").out
    assert "checked" in out
    assert max(map(len, out.splitlines())) <= 80


def test_as_json_it_can_be_verified_by_others(cli: Cli) -> None:
    decided(cli)
    decided(cli, "r-2", "--reject", "--as", "bo")
    data = cli("approvals", "log", "--json").json
    links = [AuditEntry(**each) for each in data]
    assert broken_links(links) == []
    assert chained(links[0], links[1].entry) == links[1]
    assert (data[1]["entry"]["verb"], data[1]["entry"]["by"], data[1]["entry"]["source"]) == (
        "reject",
        "bo",
        "cli",
    )
    assert (
        data[1]["entry"]["hash"]
        == cli("approvals", "show", data[1]["entry"]["review"], "--json").json["hash"]
    )


def test_a_run_and_the_last_ones_can_be_chosen(cli: Cli) -> None:
    for number in (1, 2, 3):
        decided(cli, f"r-{number}")

    def runs(*options: str) -> list[str]:
        return [each["entry"]["run"] for each in cli("approvals", "log", "--json", *options).json]

    assert runs("--last", "2") == ["r-2", "r-3"]
    assert runs("--last", "9") == ["r-1", "r-2", "r-3"]
    assert runs("--run", "r-2") == ["r-2"]
    assert runs("--run", "r-2", "--last", "1") == ["r-2"]
    assert cli("approvals", "log", "--last", "2").err == ""
    for wrong in ("0", "-1"):
        assert cli("approvals", "log", "--last", wrong).code == 2
    unknown = cli("approvals", "log", "--run", "r-9")
    assert (unknown.code, "no run 'r-9'" in unknown.err) == (4, True)


def test_the_decisions_about_a_deleted_run_stay(cli: Cli) -> None:
    decided(cli)
    assert cli("runs", "delete", "r-1", "--yes").code == 0
    assert [row[6] for row in rows(cli("approvals", "log", "--run", "r-1").out)] == ["COMMENT", "r-1"]
    assert cli("doctor").code == 0


def test_a_stop_or_an_edit_that_withdraws_a_review_is_in_it_with_who_did_it(cli: Cli) -> None:
    stopped, edited = cli.paused("r-1"), cli.paused("r-2")
    assert cli("runs", "stop", "r-1", "--as", "ana", "--comment", "not needed").code == 0
    assert cli("edit", "r-2", "--set", 'order={"id": "1", "amount": 5}', "--as", "bo", "--trust").code == 0
    one, two = rows(cli("approvals", "log").out)[1:]
    assert one[2:7] == ["ana", "cli", "withdrawn", stopped, "the run was stopped; not needed"]
    assert two[2:7] == ["bo", "cli", "withdrawn", edited, "the state was edited; changes order"]
    assert cli("doctor").code == 0
    assert cli("runs", "stop", "r-2", "--as", "cy").code == 0
    assert len(cli("approvals", "log", "--json").json) == 3


def test_deleting_and_pruning_a_run_that_waits_is_in_it_with_who_did_it(cli: Cli) -> None:
    deleted, pruned = cli.paused("r-1"), cli.paused("r-2")
    asked = cli("approvals", "show", deleted, "--json").json["hash"]
    assert cli("runs", "delete", "r-1", "--yes", "--as", "ana").code == 0
    assert cli("runs", "prune", "--older-than", "0s", "--yes", "--as", "bo").out == "r-2\n"
    one, two = rows(cli("approvals", "log").out)[1:]
    assert one[2:8] == ["ana", "cli", "withdrawn", deleted, "the run was deleted", "r-1"]
    assert two[2:8] == ["bo", "cli", "withdrawn", pruned, "the run was deleted", "r-2"]
    (first, _) = cli("approvals", "log", "--json").json
    assert (first["entry"]["hash"], first["entry"]["verb"]) == (asked, "delete")
    assert cli("doctor").code == 0


def test_of_a_deleted_run_from_before_the_audit_nobody_knows_what_was_secret(cli: Cli) -> None:
    path = cli.folder / "older.db"
    of_version(3, path)
    with SqliteStore(path) as store:
        said = [link.entry["comment"] for link in store.audit()]
    assert any(said)
    there = cli("approvals", "log", "--store", path, "--json").json
    assert [each["entry"]["comment"] for each in there] == said
    assert cli("runs", "delete", "paid", "refused", "dropped", "--yes", "--store", path).code == 0
    left = cli("approvals", "log", "--store", path, "--json").json
    assert [each["entry"]["comment"] for each in left[: len(said)]] == [bool(text) * "***" for text in said]


def test_words_of_others_cannot_fool_the_terminal(cli: Cli) -> None:
    decided(cli, "r-1", "--approve", "--as", HOSTILE, "--comment", HOSTILE)
    out = cli("approvals", "log").out
    assert not {"\x1b", "\u202e"} & set(out)
    assert len(out.splitlines()) == 2
    assert "\x1b" not in cli("approvals", "log", "--json").out
    assert cli("approvals", "log", "--json").json[0]["entry"]["by"] == HOSTILE


@pytest.mark.parametrize("options", [(), ("--json",)])
def test_secrets_are_never_shown(cli: Cli, options: tuple[str, ...]) -> None:
    """Neither one that somebody quotes, nor one that an edit sets."""
    graph = ASK.replace('editable = { "order.amount" = "number" }', 'editable = { "token" = "text" }')
    assert graph != ASK
    assert cli("run", cli.graph(graph), "--run-id", "r-1").code == 10
    (review,) = cli("approvals", "--json").json
    said = "it is hunter2-secret, now new-secret-9"
    words = ("--approve", "--set", "token=new-secret-9", "--as", "ana", "--comment", said)
    assert cli("approvals", "decide", review["id"], *words).code == 0
    out = cli("approvals", "log", *options).out
    assert "changes token" in out or '"edited": ["token"]' in out
    assert "it is ***, now ***" in out
    assert "secret" not in out


def test_a_chain_that_is_broken_is_one_line_in_the_log_and_named_by_doctor(cli: Cli) -> None:
    for number in (1, 2, 3):
        decided(cli, f"r-{number}")
    path = cli.folder / "runs.db"
    tampered(path, "UPDATE audit SET entry = replace(entry, 'ana', 'eve') WHERE number = 2")
    log = cli("approvals", "log")
    assert (log.code, len(log.out.splitlines())) == (1, 4)
    assert log.err == "warning: the audit is broken: audit entry 2 was changed; see `stepgraph doctor`\n"
    assert cli("approvals", "log", "--json").code == 1
    doctor = cli("doctor")
    assert doctor.code == 1
    assert re.search(r"^  health +its audit is broken$", doctor.out, re.MULTILINE)
    assert re.search(r"^  audit +audit entry 2 was changed$", doctor.out, re.MULTILINE)
    assert "no repair mends the audit" in doctor.err
    assert "--repair" not in doctor.err
    assert cli("doctor", "--json").json["store"]["audit"] == ["audit entry 2 was changed"]


def test_an_audit_whose_end_is_cut_off_is_missed_by_doctor(cli: Cli) -> None:
    for number in (1, 2, 3):
        decided(cli, f"r-{number}")
    tampered(cli.folder / "runs.db", "DELETE FROM audit WHERE number = 3")
    assert "warning: the audit is broken: audit entry 3 is cut off" in cli("approvals", "log").err
    store = cli("doctor", "--json").json["store"]
    assert store["audit"][0] == "audit entry 3 is cut off at the end of the audit"
    assert "has no entry in the audit: cut off at the end of it" in store["audit"][1]


def test_a_decision_of_which_another_one_was_made_in_the_ledger_is_named(cli: Cli) -> None:
    """With all the checksums, as a forger who knows the format would."""
    from stepgraph.stores import encoding

    review = decided(cli)
    path = cli.folder / "runs.db"
    connection = apsw.Connection(str(path))
    columns = f"SELECT {encoding.LEDGER} FROM ledger WHERE kind = 'decision'"  # noqa: S608  # constant
    row = [value for found in connection.execute(columns) for value in found]
    row[-1] = json.dumps({**json.loads(row[-1]), "by": "eve"})
    forged = (row[-1], encoding.row_digest(tuple(row)), row[0])
    connection.close()
    tampered(path, f"UPDATE ledger SET data = '{forged[0]}', digest = {forged[1]} WHERE id = {forged[2]}")  # noqa: S608
    assert "eve" in cli("approvals", "show", review).out
    found = cli("doctor", "--json")
    assert found.code == 1
    assert found.json["store"]["audit"] == ["audit entry 1 tells of another decision than row 3 of run 'r-1'"]


def test_the_audit_of_a_store_without_a_file_is_checked_too(
    cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    decided(cli)
    tampered(cli.folder / "runs.db", "UPDATE audit SET entry = '{}' WHERE number = 1")
    store = SqliteStore(cli.folder / "runs.db")
    monkeypatch.setattr("stepgraph_tui.cli.doctor.open_store", lambda address: store)
    assert cli("doctor", "--store", "memory:", "--json").json["store"]["health"] == "its audit is broken"


def test_votes_and_deadlines_are_in_it(cli: Cli) -> None:
    plain = ASK.replace('editable = { "order.amount" = "number" }\n', "")
    plain = plain.replace('allow = ["approve", "edit", "reject", "respond"]\n', "")
    asks = plain.replace('risk = "high"', 'risk = "high"\napprovals = 2')
    assert cli("run", cli.graph(asks), "--run-id", "r-1", "--as", "cy").code == 10
    (review,) = (each["id"] for each in cli("approvals", "--json").json)
    for name in ("ana", "bo"):
        assert cli("approvals", "decide", review, "--approve", "--as", name).code == 0
    late = plain.replace('risk = "high"', 'risk = "high"\ndeadline = "1s"\non_timeout = "reject"')
    assert cli("run", cli.graph(late), "--run-id", "r-2", "--as", "cy").code == 10
    path = cli.folder / "runs.db"
    with SqliteStore(path) as store:
        (expired,) = Reviews(store).expire(now=time.time() + 60)
    told = rows(cli("approvals", "log").out)[1:]
    assert [row[2:5] for row in told] == [
        ["ana", "cli", "vote"],
        ["bo", "cli", "approve"],
        ["timeout", "timeout", "timeout"],
    ]
    assert "on_timeout = reject" in told[2][6]
    assert told[2][5] == expired.id
    assert cli("doctor").code == 0
