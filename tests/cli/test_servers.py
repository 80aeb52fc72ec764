"""Commands on a store that a server keeps."""

from __future__ import annotations

from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest

from stepgraph.extras.postgres.store import PostgresStore
from stepgraph.extras.redis.store import RedisStore
from stepgraph.stores import open_store
from stepgraph.stores.serving import Outage, unreachable
from tests.cli.calling import ASK, Cli
from tests.servers.postgres import PostgresServer
from tests.servers.redis import RedisServer


@pytest.fixture(params=["postgres", "redis"])
def url(request: pytest.FixtureRequest) -> str:
    """The address of a store that is not there yet, of a user who gets in with any password."""
    if request.param == "postgres":
        postgres: PostgresServer = request.getfixturevalue("postgres_server")
        return postgres.fresh_url()
    redis: RedisServer = request.getfixturevalue("shared_redis")
    with redis.client() as client:
        assert client.execute_command("ACL", "SETUSER", "owner", "on", "nopass", "~*", "+@all")
    return redis.fresh_url().replace("unix://", "unix://owner@")


def test_a_run_is_started_decided_and_listed_there(cli: Cli, url: str) -> None:
    graph = cli.graph(ASK)
    started = cli("run", graph, "--run-id", "r-1", "--store", url)
    assert started.code == 10
    assert f"--store '{url}'" in started.err
    review = cli("approvals", "--store", url, "--json").json[0]["id"]
    assert cli("approvals", "decide", review, "--reject", "--store", url).code == 0
    assert cli("resume", "r-1", "--store", url).code == 0
    assert [run["status"] for run in cli("runs", "--store", url, "--json").json] == ["ended"]
    assert len(cli("approvals", "log", "--store", url, "--json").json) == 1
    facts = cli("doctor", "--store", url, "--json").json["store"]
    assert (facts["health"], facts["runs"], facts["address"]) == ("ok", 1, url)
    assert facts["server"].startswith(("PostgreSQL", "Redis"))
    assert facts["durability"].endswith(("(fsync is off)", "(appendfsync no)"))


def test_a_damaged_run_is_named_by_doctor_and_no_file_is_offered(cli: Cli, url: str) -> None:
    cli("run", cli.graph(ASK), "--run-id", "r-1", "--store", url)
    with open_store(url) as store:
        if isinstance(store, PostgresStore):
            store.backend.link.connection().execute("UPDATE ledger SET node = 'other'")
        else:
            assert isinstance(store, RedisStore)
            store.backend.server.command("LSET", "rows:1", 0, '0:["start",0,"other"]')
    result = cli("doctor", "--store", url)
    assert result.code == 1
    assert "row 1 of run number 1 is not as it was written" in result.out
    assert "--repair" not in result.err
    for words in (("runs",), ("runs", "--json"), ("approvals",), ("approvals", "--state", "broken")):
        listed = cli(*words, "--store", url)
        said = listed.out + listed.err
        assert ("--repair" in said, "save" in said) == (False, False), words
    repair = cli("doctor", "--repair", "--store", url)
    assert repair.code == 1
    assert "restore a backup of its database" in repair.err


def test_waiting_for_a_server_is_told_once(cli: Cli, url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    going_on: list[bool] = []

    def runs(self: PostgresStore | RedisStore, *args: Any) -> None:
        for tries, waited, over in ((2, 0.0, False), (3, 1.0, False), (4, 61.0, False), (4, 61.0, True)):
            going_on.append(self.on_outage(Outage("is down", self.url, 0.0, tries, waited, over)))
        raise unreachable(self.url, "is down")

    for kind in (PostgresStore, RedisStore):
        monkeypatch.setattr(kind, "runs", runs)
    result = cli("runs", "--store", url)
    assert going_on[:3] == [True, True, False]
    assert result.err.count("waiting for the store") == 1
    assert "it is down; ctrl+c stops waiting" in result.err
    assert result.err.count("answers again after 61 s") == 1


def test_ctrl_c_while_a_command_waits_for_a_server_says_what_is_not_known(
    cli: Cli, url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert cli("run", cli.graph(ASK), "--run-id", "r-1", "--store", url).code == 10
    review = cli("approvals", "--store", url, "--json").json[0]["id"]

    def commit(self: PostgresStore | RedisStore, *args: Any, **named: Any) -> None:
        assert self.on_outage(Outage("is down", self.url, 0.0, 2))
        raise KeyboardInterrupt

    for kind in (PostgresStore, RedisStore):
        monkeypatch.setattr(kind, "commit", commit)
    result = cli("approvals", "decide", review, "--reject", "--store", url)
    assert result.code == 130
    assert "no longer waiting for the store: whether what was asked last is recorded shows when" in result.err


def test_a_run_of_which_the_server_has_lost_a_step_is_not_gone_on_with(
    cli: Cli, shared_redis: RedisServer
) -> None:
    """The server is set back while a node runs, as one that came back with an older copy."""
    url = shared_redis.fresh_url()
    prefix = parse_qs(urlsplit(url).query)["prefix"][0]
    body = f"""
if state['count'] in (0, 2):
        with redis.Redis(unix_socket_path={str(shared_redis.socket)!r}) as client:
            if state['count'] == 0:
                KEPT.update((key, client.dump(key)) for key in client.scan_iter({prefix!r} + '*'))
            else:
                for key, value in KEPT.items():
                    client.restore(key, 0, value, replace=True)
    return {{'count': state['count'] + 1}}
""".strip()
    graph = cli.count(body, head="import redis\nKEPT = {}")
    result = cli("run", graph, "--trust", "--run-id", "r-1", "--store", url)
    assert result.code == 1
    assert "run 'r-1' is at version 1 and was at 3: the store has lost what it had recorded" in result.err
    assert "stepgraph check --explain S008" in result.err
    assert "somebody" not in result.err
    assert "The store has lost steps that it had recorded" in cli("check", "--explain", "S008").out
