"""The service without HTTP: who may start what where, and each review is decided once."""

from __future__ import annotations

import asyncio
import gc
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest

from stepgraph.reviews.inbox import Reviews
from stepgraph.reviews.model import Decision
from stepgraph.runs import operations
from stepgraph.runs.executor import Executor
from stepgraph.runs.views import open_run
from stepgraph.stores.base import StoredRun
from stepgraph.stores.ledger import RunStatus
from stepgraph.stores.sqlite import SqliteStore
from stepgraph.values.errors import (
    AlreadyDecided,
    Conflict,
    RunExists,
    StateError,
    StoreDamaged,
    TrustError,
    UnknownReview,
)
from stepgraph_tui.server.driver import settled
from stepgraph_tui.server.guard import RequestRefused
from tests.cli.calling import ASK, COUNT
from tests.rest.conftest import HELD, Serve, Served
from tests.rest.holding import Hold

APPROVE = Decision.approve(by="ana", comment="checked")


def test_the_inputs_of_a_client_name_no_tool(serve: Serve) -> None:
    end = '[[edges]]\nfrom = "a"\nto = "END"\n'
    served = serve(f'format = 1\nname = "open"\nstart = "a"\n[nodes.a]\ntype = "tool"\n{end}')
    inputs = {"tool_call": {"name": "files/write_file", "arguments": {}}}
    answer = served.client()("POST", "/api/v1/agent-executions/start?graph=open", inputs)
    assert answer.status == 422
    assert answer.json["message"].startswith(
        "the input 'tool_call' is refused: it names the tool that node 'a'"
    )
    assert served.service.store.runs() == []


def test_an_id_is_never_started_twice(served: Served) -> None:
    served.pause("e-1")
    before = open_run(served.service.store, "e-1").version
    with pytest.raises(RunExists):
        served.service.start("ask", {}, run_id="e-1")
    assert open_run(served.service.store, "e-1").version == before


@pytest.mark.parametrize("node", ["pay", "refuse"])
def test_no_start_is_chosen_behind_a_question_not_even_where_clients_may_choose(
    serve: Serve, node: str
) -> None:
    with pytest.raises(RequestRefused, match="a person is asked before, at 'ask'"):
        serve(any_start=True).service.start("ask", {}, start_node=node)


TWO = """
format = 1
name = "two"
start = "first"

[state.count]
default = 0

[nodes.first]
type = "handler"
handler = "work:work"

[nodes.second]
type = "handler"
handler = "work:work"
REVIEW

[nodes.third]
type = "handler"
handler = "work:work"

[[edges]]
from = "first"
to = "second"

[[edges]]
from = "second"
to = "third"
when = "count > 100"

[[edges]]
from = "second"
to = "END"

[[edges]]
from = "third"
to = "END"
"""
WORK = "def work(state):\n    return {'count': state['count'] + 1}\n"


def test_where_clients_may_choose_a_run_begins_there_and_says_so(serve: Serve) -> None:
    served = serve(TWO.replace("REVIEW", ""), any_start=True, work=WORK)
    served.service.start("two", {}, run_id="r", start_node="second").future.result()
    answer = served.service.read("r")
    assert (answer.status, answer.visit_history) == ("ended", ["second"])
    assert open_run(served.service.store, "r").plan.start == "second"


def test_code_that_changed_since_it_was_trusted_does_not_run(serve: Serve) -> None:
    served = serve(COUNT, work=WORK)
    (served.folder / "work.py").write_text("raise SystemExit\n", encoding="utf-8")
    with pytest.raises(TrustError):
        served.service.start("count", {}, run_id="r")
    assert served.service.store.runs() == []


def test_a_secret_is_in_no_answer_and_no_error(served: Served) -> None:
    token = served.pause()
    told = [served.service.read("e-1"), served.service.reviews(), served.service.review(token["review"])]
    told += [served.service.news("e-1", 0).status]
    assert not any("hunter2" in each.model_dump_json() for each in told)
    assert served.service.read("e-1").state_snapshot["token"] == "***"  # noqa: S105 - a mask
    with pytest.raises(StateError) as caught:
        served.service.start("ask", {"token": "correct-horse", "correct-horse": 1})
    assert "correct-horse" not in str(caught.value)


def test_the_review_of_another_run_decides_nothing(served: Served) -> None:
    token = served.pause("e-1")
    served.pause("e-2")
    with pytest.raises(UnknownReview):
        served.service.resume("e-2", APPROVE, token["review"], token["hash"])
    assert len(served.service.reviews().reviews) == 2


def test_a_conflict_for_which_nobody_waits_is_told_once(serve: Serve, hold: Hold) -> None:
    served = serve(COUNT, work=HELD)
    told: list[dict[str, object]] = []

    async def start_and_lose() -> None:
        asyncio.get_running_loop().set_exception_handler(lambda loop, context: told.append(context))
        path = "/api/v1/agent-executions/start?graph=count&executionId=r&wait=0"
        assert (await served.client().ask("POST", path)).status == 202
        assert await asyncio.to_thread(hold.entered.wait, 60)
        operations.stop(open_run(served.service.store, "r"), "ana", "", now=0)
        future = served.driver.drive("r")
        hold.go.set()
        await settled(future, 60)
        await asyncio.sleep(0)

    asyncio.run(start_and_lose())
    assert [(what, type(error)) for what, error in served.failures] == [
        ("run 'r' does not go on here", Conflict)
    ]
    served.failures.clear()  # whose traceback holds the future
    gc.collect()
    assert told == []


def test_many_clients_that_decide_at_once_decide_each_review_once(serve: Serve) -> None:
    served = serve(store=None)
    tokens = [served.pause(f"e-{number}") for number in range(6)]

    def decide(number: int) -> str:
        token = tokens[number % 6]
        decision = Decision(("approve", "reject")[number % 2], by=f"client {number}")
        try:
            if number % 3:
                served.service.resume(f"e-{number % 6}", decision, token["review"], token["hash"])
            else:
                served.service.decide(token["review"], decision, token["hash"])
        except AlreadyDecided as error:
            return str(error)
        return "won"

    with ThreadPoolExecutor(8) as pool:
        results = list(pool.map(decide, range(60)))
    assert results.count("won") == 6
    assert all("was decided before" in each and "by client" in each for each in results if each != "won")
    assert served.service.reviews().reviews == []
    for number in range(6):
        rows = served.service.store.rows(f"e-{number}", kinds=("decision",))
        assert len(rows) == 1


def test_a_run_that_another_process_moves_is_read_as_it_is_there(serve: Serve, tmp_path: Path) -> None:
    address = str(tmp_path / "runs.db")
    served = serve(store=SqliteStore(address))
    token = served.pause()
    stamp = served.service.store.stamp()
    with SqliteStore(address) as other:
        Reviews(other).decide(token["review"], APPROVE)
        app = served.service.graphs["ask"]
        executor = Executor(app, other)
        run = executor.run(executor.load("e-1"))
        assert run.status is RunStatus.ENDED
    assert served.service.store.stamp() != stamp
    news = served.service.news("e-1", 0)
    assert [step.node for step in news.steps] == ["ask", "pay"]
    assert news.status.status == "ended"


def _asking(**terms: str) -> str:
    said = "\n".join(f"{key} = {value}" for key, value in terms.items())
    return ASK.replace(
        'allow = ["approve", "edit", "reject", "respond"]', f'allow = ["approve", "reject"]\n{said}'
    ).replace('editable = { "order.amount" = "number" }\n', "")


def test_a_run_whose_deadline_somebody_else_applied_goes_on_too(serve: Serve) -> None:
    served = serve(_asking(deadline='"1h"', on_timeout='"reject"'))
    token = served.pause()
    deadline = served.service.settle()
    Reviews(served.service.store, lambda: deadline + 1).expire()
    assert served.service.read("e-1").status == "ready"
    served.service.settle()
    served.driver.drive("e-1").result(60)
    assert served.service.read("e-1").status == "ended"
    assert served.service.review(token["review"]).status == "expired"


def test_a_run_that_is_nowhere_in_a_graph_that_was_read_before_is_damage(
    served: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    served.pause()
    store = served.service.store
    head, pointer = store.load("e-1")
    for forged in (replace(pointer, current="nowhere"), replace(pointer, current=None)):
        monkeypatch.setattr(store, "load", lambda run_id, forged=forged: StoredRun(head, forged))
        with pytest.raises(StoreDamaged, match="not a node of its graph"):
            served.service.read("e-1")


def test_a_run_that_waits_for_a_thread_when_the_server_stops_stays_ready(serve: Serve, hold: Hold) -> None:
    served = serve(COUNT, work=HELD, threads=1)
    served.service.start("count", {}, run_id="one")
    waits = served.service.start("count", {}, run_id="two")
    assert hold.entered.wait(60)
    served.driver.stop()
    hold.go.set()
    served.driver.close()
    waits.future.result(60)
    assert served.service.read("two").status == "ready"
    served.driver.drive("two").result(60)  # nothing goes on any more
    assert open_run(served.service.store, "two").step == 0
