"""The REST interface: statuses, fields, refusals, and what hostile requests get."""

from __future__ import annotations

import asyncio
import gzip
from typing import Any

import pytest

from stepgraph_tui.server import guard
from tests.cli.calling import COUNT
from tests.rest.client import Answer, Client, scope_of
from tests.rest.conftest import HELD, Serve, Served
from tests.rest.holding import Hold

RUNS, REVIEWS = "/api/v1/agent-executions", "/api/v1/reviews"
START = f"{RUNS}/start?graph=ask&executionId=e-1"


@pytest.fixture
def client(served: Served) -> Client:
    return served.client()


def refused(answer: Answer, status: int, code: str | None = None) -> dict[str, str]:
    """Check that an answer is a refusal of the one form that there is, and give it."""
    said = answer.json
    assert answer.status == status, said
    assert answer.headers["content-type"] == "application/json"
    assert said.keys() == {"code", "message", "hint"}
    assert all(isinstance(text, str) for text in said.values())
    assert said["message"]
    assert "Traceback" not in answer.text
    assert code is None or said["code"] == code
    return said  # type: ignore[no-any-return]  # JSON, looked at above


def decision(answer: Answer, **said: Any) -> dict[str, Any]:
    """Make the decision that an answer's tracking token allows."""
    review = answer.json["review"]
    return {"decision": "approve", "review": review["id"], "hash": review["hash"], "by": "ana", **said}


# The ways of an execution


def test_an_execution_pauses_is_resumed_and_ends(client: Client) -> None:  # acceptance 133, 134, 136, 137
    started = client("POST", START, {})
    assert started.status == 202
    assert started.headers["location"] == f"{RUNS}/e-1"
    token = started.json["review"]
    assert token["prompt"] == "Pay 240?"
    assert token["action"] == "pay(amount=240)"
    assert token["allow"] == ["approve", "edit", "reject", "respond"]
    assert token["editable"] == {"order.amount": "number"}
    assert client("GET", f"{RUNS}/e-1").json == started.json
    ended = client("POST", f"{RUNS}/e-1/resume", decision(started, comment="checked"))
    assert ended.status == 200
    told = ended.json
    assert told["executionId"] == "e-1"
    assert (told["status"], told["outcome"], told["review"]) == ("ended", "end", None)
    assert told["visitHistory"] == ["ask", "pay"]
    assert told["stateSnapshot"]["token"] == "***"  # noqa: S105 - a mask
    assert told["stateSnapshot"]["review"]["comment"] == "checked"


# acceptance 152
def test_a_review_is_listed_read_and_decided_and_the_loser_is_told_who_won(client: Client) -> None:
    started = client("POST", START)
    token = started.json["review"]
    listed = client("GET", REVIEWS).json
    assert [each["id"] for each in listed["reviews"]] == [token["id"]]
    read = client("GET", f"{REVIEWS}/{token['id']}").json
    assert {each["decision"]: each["sideEffects"] for each in read["consequences"]}["approve"] == ["pay"]
    body = {"decision": "reject", "hash": token["hash"], "by": "ana"}
    decided = client("POST", f"{REVIEWS}/{token['id']}/decision", body)
    assert (decided.status, decided.json["status"]) == (200, "decided")
    assert decided.json["decision"]["source"] == "rest"
    listed = {
        state: client("GET", f"{REVIEWS}?state={state}").json for state in ("pending", "decided", "broken")
    }
    assert [len(found["reviews"]) for found in listed.values()] == [0, 1, 0]
    assert listed["decided"]["reviews"][0]["decision"]["by"] == "ana"
    refused(client("GET", f"{REVIEWS}?state=odd"), 422)
    lost = client("POST", f"{REVIEWS}/{token['id']}/decision", {**body, "by": "ben"})
    assert "reject by ana (rest)" in refused(lost, 409, "V001")["message"]
    assert "ana" in refused(client("POST", f"{RUNS}/e-1/resume", decision(started)), 409, "V001")["message"]
    assert client("POST", f"{RUNS}/e-1/resume").json["visitHistory"] == ["ask", "refuse"]
    refused(client("POST", f"{RUNS}/e-1/resume"), 409, "R006")


@pytest.mark.parametrize("run_id", ["a/b", "ä ö", "..", "start", "100%", "a?b#c"])
def test_any_id_of_a_store_has_an_address(served: Served, run_id: str) -> None:
    from urllib.parse import quote

    served.pause(run_id)
    client = served.client()
    path = f"{RUNS}/{quote(run_id, safe='')}"
    assert client("GET", path).json["executionId"] == run_id
    assert client("POST", f"{path}/resume", decision(client("GET", path))).status == 200


# What is refused


@pytest.mark.parametrize(
    ("target", "status", "named"),
    [
        (f"{RUNS}/start?graph=aks", 404, "aks"),
        (f"{RUNS}/start", 422, "graph"),
        (f"{RUNS}/start?graph=ask&executionID=x", 422, "executionID"),
        (f"{RUNS}/start?graph=ask&graph=ask", 422, "twice"),
        (f"{RUNS}/start?graph=ask&executionId=a/b", 422, "executionId"),
        (f"{RUNS}/start?graph=ask&executionId=", 422, "executionId"),
        (f"{RUNS}/start?graph=ask&executionId={'a' * 201}", 422, "executionId"),
        (f"{RUNS}/start?graph=ask&wait=-1", 422, "wait"),
        (f"{RUNS}/start?graph=ask&wait=soon", 422, "wait"),
        (f"{RUNS}/start?graph=ask&wait={'9' * 5000}", 422, "wait"),
        (f"{RUNS}/start?graph=ask&startNodeId=pay", 400, "starts at 'ask'"),
        (f"{RUNS}/start?graph=ask&startNodeId=nowhere", 400, "nowhere"),
        (f"{RUNS}/nobody/resume", 404, "nobody"),
        (f"{REVIEWS}/nobody/decision", 422, "decision"),
    ],
)
def test_a_refusal_names_what_is_wrong_and_starts_nothing(
    served: Served, target: str, status: int, named: str
) -> None:
    assert named in refused(served.client()("POST", target, {}), status)["message"]
    assert served.service.store.runs() == []


@pytest.mark.parametrize(
    "target",
    [f"{RUNS}/nobody", f"{REVIEWS}/nobody", f"{RUNS}/nobody/events", f"{RUNS}/%ff", "/nope", "/api"],
)
def test_what_is_not_there_is_404(client: Client, target: str) -> None:  # acceptance 135
    refused(client("GET", target), 404)


# Hostile bodies


def test_a_body_that_says_that_it_is_large_is_not_read(served: Served) -> None:
    sent = [b"x"]
    headers = {"content-type": "application/json", "content-length": "100000000"}
    answer = asyncio.run(served.client().ask("POST", START, sent, headers))
    refused(answer, 413, "H413")
    assert answer.headers["connection"] == "close"
    assert served.service.store.runs() == []


def test_a_body_that_grows_beyond_the_limit_is_refused_on_the_way(served: Served) -> None:
    part = b"x" * 100_000
    parts = [part] * 1_000
    answer = asyncio.run(served.client().ask("POST", START, parts, {"content-type": "application/json"}))
    refused(answer, 413, "H413")
    assert served.service.store.runs() == []


@pytest.mark.parametrize(
    "kind", ["", "text/plain", "application/x-www-form-urlencoded", "application/json; charset=latin-1"]
)
def test_a_body_must_be_declared_as_json(client: Client, kind: str) -> None:
    refused(client("POST", START, b"{}", content_type=kind), 415, "H415")


def test_a_compressed_body_is_refused_before_it_grows(client: Client) -> None:
    answer = client("POST", START, gzip.compress(b"[" * 900_000), content_encoding="gzip")
    assert "compressed" in refused(answer, 415, "H415")["message"]


# Who may ask


@pytest.mark.parametrize(
    "host",
    [
        "evil.example",
        "127.0.0.1.evil.example",
        "",
        "localhost@evil.example",
        "evil.example:8000",
        "localhost.",
        "localhost:99999",
        "127.0.0.1,evil.example",
        "2130706433",
        "[127.0.0.1]",
        "[::1",
        "[::2]",
        "10.0.0.1",
    ],
)
def test_a_name_that_is_not_the_servers_is_refused(client: Client, host: str) -> None:
    refused(client("GET", "/health", host=host), 403, "H403")


@pytest.mark.parametrize("host", ["localhost:8000", "127.0.0.1", "[::1]:8000", "LOCALHOST", "127.0.0.2:1"])
def test_loopback_names_are_answered(client: Client, host: str) -> None:
    assert client("GET", "/health", host=host).status == 200


@pytest.mark.parametrize(
    "headers",
    [
        {"origin": "https://evil.example"},
        {"origin": "null"},
        {"origin": "http://127.0.0.1:9999"},
        {"origin": ""},
        {"origin": "http://[::1"},
        {"origin": "http://[x]"},
        {"origin": "http://127.0.0.1:8000@evil.example"},
        {"referer": "https://evil.example/page"},
        {"referer": "http://[x]"},
        {"sec-fetch-site": "cross-site"},
        {"sec-fetch-site": "same-site"},
        {"sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate"},
    ],
)
def test_a_cross_site_request_starts_nothing(served: Served, headers: dict[str, str]) -> None:
    refused(served.client(**headers)("POST", START, {}), 403, "H403")
    assert served.service.store.runs() == []
    assert served.failures == []


@pytest.mark.parametrize("mode", ["no-cors", "cors", "websocket"])
def test_another_site_may_link_here_and_load_nothing(client: Client, mode: str) -> None:
    for target in (REVIEWS, "/inbox", "/style.css", f"{RUNS}/e-1/events"):
        headers = {"sec_fetch_site": "cross-site", "sec_fetch_mode": mode}
        refused(client("GET", target, **headers), 403, "H403")
    linked = {
        "sec_fetch_site": "cross-site",
        "sec_fetch_mode": "navigate",
        "referer": "https://evil.example/",
    }
    answer = client("GET", "/inbox", **linked)
    assert answer.status == 200
    assert answer.headers["cross-origin-resource-policy"] == "same-origin"


TOKEN = "a-token-of-many-letters"  # noqa: S105 - of the tests alone


@pytest.mark.parametrize(
    "header",
    [
        None,
        "Bearer wrong-token-of-many",
        f"Basic {TOKEN}",
        "Bearer",
        f"Bearer {TOKEN}x",
        f"Bearer {TOKEN[:-1]}",
        "Bearer \xff",
    ],
)
def test_without_the_token_nothing_is_answered_and_it_is_never_told(
    served: Served, header: str | None
) -> None:
    client = served.client(host="0.0.0.0", token=TOKEN)  # noqa: S104 - nothing listens
    headers = {} if header is None else {"authorization": header}
    for method, target in (("POST", START), ("GET", REVIEWS), ("GET", "/openapi.json"), ("GET", "/nope")):
        answer = client(method, f"{target}{'&' if '?' in target else '?'}token={TOKEN}", **headers)
        refused(answer, 401, "H401")
        assert answer.headers["www-authenticate"] == "Bearer"
        assert TOKEN not in answer.text
    assert served.service.store.runs() == []
    assert not any(TOKEN in line for line in served.log)


def test_the_token_opens_and_health_needs_none(served: Served) -> None:
    client = served.client(host="0.0.0.0", token=TOKEN)  # noqa: S104 - nothing listens
    assert client("GET", REVIEWS, authorization=f"bearer {TOKEN}", host="10.1.2.3").status == 200
    assert client("GET", "/health").status == 200
    refused(client("GET", REVIEWS, authorization=f"Bearer {TOKEN}", host="evil.example"), 403)


def test_a_failure_that_nobody_expected_is_500_and_says_nothing_of_itself(
    served: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken() -> object:
        raise RuntimeError("with a secret in it")

    monkeypatch.setattr(served.service.store, "stamp", broken)
    answer = served.client()("GET", "/health")
    refused(answer, 500, "H500")
    assert "secret" not in answer.text
    [(what, error)] = served.failures
    assert what == "GET /health failed"
    assert isinstance(error, RuntimeError)


def test_more_requests_at_once_than_can_be_answered_are_told_so(
    serve: Serve, hold: Hold, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(guard, "AT_ONCE", 1)
    client = serve(COUNT, work=HELD).client()

    async def scene() -> list[int]:
        waits = asyncio.create_task(client.ask("POST", f"{RUNS}/start?graph=count"))
        await asyncio.to_thread(hold.entered.wait, 60)
        refused_ = await client.ask("GET", "/health")
        hold.go.set()
        return [refused_.status, (await waits).status]

    assert asyncio.run(scene()) == [503, 201]


def test_requests_without_the_token_leave_room_for_those_that_show_it(
    served: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(guard, "AT_ONCE", 4)
    monkeypatch.setattr(guard, "RESERVE", 2)
    client = served.client(token=TOKEN)
    headers = {**client.headers, "content-type": "application/x-www-form-urlencoded"}

    async def scene() -> list[int]:
        bodies = [asyncio.Event() for _ in range(4)]

        async def log_in(body: asyncio.Event) -> int:
            status = []

            async def receive() -> Any:
                await body.wait()  # the client has sent its headers, and nothing more
                return {"type": "http.disconnect"}

            async def send(message: Any) -> None:
                status.append(message.get("status"))

            await client.app(scope_of("POST", "/login", headers), receive, send)
            return int(status[0])

        begun = [asyncio.create_task(log_in(body)) for body in bodies]
        await asyncio.wait(begun, return_when=asyncio.FIRST_COMPLETED)
        known = await client.ask("GET", f"{RUNS}/nobody", headers={"authorization": f"Bearer {TOKEN}"})
        for body in bodies:
            body.set()
        return [known.status, *await asyncio.gather(*begun)]

    assert asyncio.run(scene()) == [404, 400, 400, 503, 503]


def test_no_websocket_is_opened(client: Client) -> None:
    said: list[Any] = []

    async def scene() -> None:
        async def receive() -> Any:
            return {"type": "websocket.connect"}

        async def send(message: Any) -> None:
            said.append(message["type"])

        await client.app({"type": "websocket", "path": "/", "headers": []}, receive, send)

    asyncio.run(scene())
    assert said == ["websocket.close"]
