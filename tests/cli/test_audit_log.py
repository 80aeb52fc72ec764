"""``stepgraph approvals log``, and what ``doctor`` says of the audit."""

from __future__ import annotations

import re

import pytest

from stepgraph import SqliteStore
from tests.cli.calling import ASK, Cli
from tests.stores.test_sqlite_audit import tampered
from tests.stores.test_sqlite_migrations import of_version


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


def test_an_audit_whose_end_is_cut_off_is_missed_by_doctor(cli: Cli) -> None:
    for number in (1, 2, 3):
        decided(cli, f"r-{number}")
    tampered(cli.folder / "runs.db", "DELETE FROM audit WHERE number = 3")
    assert "warning: the audit is broken: audit entry 3 is cut off" in cli("approvals", "log").err
    store = cli("doctor", "--json").json["store"]
    assert store["audit"][0] == "audit entry 3 is cut off at the end of the audit"
    assert "has no entry in the audit: cut off at the end of it" in store["audit"][1]


def test_the_audit_of_a_store_without_a_file_is_checked_too(
    cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    decided(cli)
    tampered(cli.folder / "runs.db", "UPDATE audit SET entry = '{}' WHERE number = 1")
    store = SqliteStore(cli.folder / "runs.db")
    monkeypatch.setattr("stepgraph_tui.cli.doctor.open_store", lambda address: store)
    assert cli("doctor", "--store", "memory:", "--json").json["store"]["health"] == "its audit is broken"
