"""Any order of what several clients ask: each review is decided once, and nothing is started twice."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from stepgraph.files import read_graph
from stepgraph.runs.views import open_run
from stepgraph.stores.audit import broken_links
from stepgraph.stores.memory import MemoryStore
from stepgraph_tui.server.driver import ThreadDriver
from stepgraph_tui.server.guard import AccessRules
from stepgraph_tui.server.pages import Site
from stepgraph_tui.server.service import Service
from tests.cli.calling import ASK
from tests.examples import examples
from tests.rest.client import Client

RUNS = "/api/v1/agent-executions"
IDS = ("e-1", "e-2")
ASKS_TWICE = (
    ASK.replace('to = "refuse"', 'to = "ask"')
    .replace("[nodes.refuse]", "[nodes.unused]")
    .replace('from = "refuse"', 'from = "unused"')
)
"""A rejection asks again."""

WAYS = st.sampled_from(["start", "carry on", "approve", "reject", "stale", "decide", "read", "list"])


@given(st.lists(st.tuples(WAYS, st.sampled_from(IDS)), max_size=25))
@examples(40)
def test_any_sequence_of_requests_decides_each_review_once(
    tmp_path_factory: Any, asked: list[tuple[str, str]]
) -> None:
    folder = tmp_path_factory.mktemp("any")
    (folder / "ask.toml").write_text(ASKS_TWICE, encoding="utf-8")
    app = read_graph(folder / "ask.toml").compile()
    store = MemoryStore()
    driver = ThreadDriver(store, {app.definition_hash: app}, lambda what, error: None, threads=2)
    failures: list[BaseException] = []
    access = AccessRules("127.0.0.1", None)
    site = Site(Service(store, {"ask": app}, driver), access, str, lambda what, error: failures.append(error))
    client = Client(site.app)
    seen: dict[str, list[dict[str, Any]]] = {run_id: [] for run_id in IDS}
    won: list[str] = []
    try:
        for way, run_id in asked:
            answer = _ask(client, way, run_id, seen[run_id])
            assert answer.status < 500
            if answer.status in (200, 201, 202) and way in ("approve", "reject", "decide"):
                won.append(seen[run_id][-1]["id"])
            review = answer.json.get("review")
            if review is not None and review not in seen[run_id]:
                seen[run_id].append(review)
    finally:
        driver.close()
    assert failures == []
    assert len(won) == len(set(won))
    audit = store.audit()
    assert sorted(str(each.entry["review"]) for each in audit) == sorted(won)
    assert broken_links(audit) == []
    for run in store.runs():
        decided = [row.review for row in store.rows(run.head.id, kinds=("decision",))]
        assert len(decided) == len(set(decided))
        assert open_run(store, run.head.id).history is not None


def _ask(client: Client, way: str, run_id: str, seen: list[dict[str, Any]]) -> Any:
    review = (seen[0] if way == "stale" else seen[-1]) if seen else {"id": "a-none", "hash": "0" * 16}
    if way == "start":
        return client("POST", f"{RUNS}/start?graph=ask&executionId={run_id}", {})
    if way == "carry on":
        return client("POST", f"{RUNS}/{run_id}/resume")
    if way == "read":
        return client("GET", f"{RUNS}/{run_id}")
    if way == "list":
        return client("GET", "/api/v1/reviews")
    said = {"hash": review["hash"], "by": "ana", "decision": "reject" if way == "reject" else "approve"}
    if way == "decide":
        return client("POST", f"/api/v1/reviews/{review['id']}/decision", said)
    if way == "stale":  # the first review that there ever was, with a hash that never was
        return client("POST", f"{RUNS}/{run_id}/resume", {**said, "review": review["id"], "hash": "f" * 16})
    return client("POST", f"{RUNS}/{run_id}/resume", {**said, "review": review["id"]})
