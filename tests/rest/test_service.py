"""The service without HTTP: who may start what where, and each review is decided once."""

from __future__ import annotations

import asyncio
import gc
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from stepgraph.reviews.inbox import Reviews
from stepgraph.reviews.model import Decision
from stepgraph.runs import operations
from stepgraph.runs.executor import Executor
from stepgraph.runs.views import open_run
from stepgraph.stores.ledger import RunStatus
from stepgraph.stores.sqlite import SqliteStore
from stepgraph.values.errors import (
    AlreadyDecided,
    Conflict,
    NotAllowed,
    NotReady,
    PayloadChanged,
    RunExists,
    StateError,
    TrustError,
    UnknownReview,
    UnknownRun,
)
from stepgraph_tui.server import driver
from stepgraph_tui.server.driver import settled
from stepgraph_tui.server.refused import RequestRefused
from stepgraph_tui.server.service import Service, gate_before
from tests.cli.calling import ASK, COUNT
from tests.rest.conftest import HELD, Serve, Served
from tests.rest.holding import Hold

APPROVE = Decision.approve(by="ana", comment="checked")


def test_a_run_pauses_and_goes_on_with_the_decision(served: Served) -> None:
    token = served.pause()
    going = served.service.resume("e-1", APPROVE, token["review"], token["hash"])
    going.future.result()
    answer = served.service.read("e-1")
    assert (answer.status, answer.outcome, answer.visit_history) == ("ended", "end", ["ask", "pay"])
    decided = served.service.review(token["review"]).decision
    assert decided is not None
    assert (decided.by, decided.comment, decided.source) == ("ana", "checked", "rest")


def test_a_decision_alone_leaves_the_run_ready_and_a_later_call_carries_it_on(served: Served) -> None:
    token = served.pause()
    served.service.decide(token["review"], APPROVE, token["hash"])
    assert served.service.read("e-1").status == "ready"
    served.service.resume("e-1", None).future.result()
    assert served.service.read("e-1").status == "ended"


def test_inputs_that_a_graph_does_not_declare_are_refused_by_name(served: Served) -> None:
    with pytest.raises(StateError, match=r"'ordr' is not declared; the input 'x' is not declared") as caught:
        served.service.start("ask", {"ordr": 1, "x": 2})
    assert "order" in caught.value.hint
    assert served.service.store.runs() == []


def test_a_graph_that_declares_no_keys_takes_any(serve: Serve) -> None:
    text = COUNT.replace('[state.count]\ntype = "number"\ndefault = 0\n', "")
    served = serve(text, work="def work(state):\n    return {'count': 9}\n")
    served.service.start("count", {"anything": 1}, run_id="r").future.result()
    assert served.service.read("r").state_snapshot == {"anything": 1, "count": 9}


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


def test_an_unknown_graph_is_named_with_those_that_there_are(served: Served) -> None:
    with pytest.raises(RequestRefused, match="no graph 'aks' here") as caught:
        served.service.start("aks", {})
    assert caught.value.status == 404
    assert "ask" in caught.value.hint


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


@pytest.mark.parametrize("review", ["before", "after", "last"])
def test_what_a_gate_guards_is_no_start_but_the_node_with_the_gate_is(serve: Serve, review: str) -> None:
    setting = f'review = "{review}"' if review != "last" else ""
    text = TWO.replace("REVIEW", setting)
    if review == "last":
        text = text.replace('start = "first"', 'start = "first"\nreview = "last"')
    served = serve(text, any_start=True, work=WORK)
    assert gate_before(served.service.graphs["two"], "third") is not None
    with pytest.raises(RequestRefused) as caught:
        served.service.start("two", {}, start_node="third")
    assert caught.value.status == 400
    if review != "last":
        served.service.start("two", {}, run_id="r", start_node="second").future.result()
        assert served.service.read("r").status == "paused"


@pytest.mark.parametrize("any_start", [False, True])
def test_the_own_start_may_always_be_named_and_an_unknown_node_never(serve: Serve, any_start: bool) -> None:
    served = serve(any_start=any_start)
    served.service.start("ask", {}, start_node="ask").future.result()
    with pytest.raises(RequestRefused, match="has no node 'nowhere'"):
        served.service.start("ask", {}, start_node="nowhere")
    if not any_start:
        with pytest.raises(RequestRefused, match="starts it nowhere else"):
            served.service.start("ask", {}, start_node="pay")


def test_code_that_changed_since_it_was_trusted_does_not_run(serve: Serve) -> None:
    served = serve(COUNT, work=WORK)
    (served.folder / "work.py").write_text("raise SystemExit\n", encoding="utf-8")
    with pytest.raises(TrustError):
        served.service.start("count", {}, run_id="r")
    assert served.service.store.runs() == []


def test_a_run_that_cannot_go_on_here_is_not_decided_by_resuming_it(serve: Serve) -> None:
    served = serve(TWO.replace("REVIEW", 'review = "before"'), work=WORK)
    served.service.start("two", {}, run_id="r").future.result()
    review = served.service.read("r").review
    assert review is not None
    (served.folder / "work.py").write_text("raise SystemExit\n", encoding="utf-8")
    with pytest.raises(TrustError):
        served.service.resume("r", APPROVE, review.id, review.hash)
    assert served.service.review(review.id).status == "pending"
    served.service.decide(review.id, APPROVE, review.hash)  # which runs nothing, and needs no trust
    assert served.service.read("r").status == "ready"


@pytest.mark.parametrize(
    ("decision", "seen", "error"),
    [
        (Decision("edit", {"token": "x"}), None, NotAllowed),
        (Decision("edit", {"order.id": "1"}), None, NotAllowed),
        (Decision("edit", {"order.amount": "much"}), None, NotAllowed),
        (Decision("edit"), None, NotAllowed),
        (Decision("approve", {"order.amount": 3}), None, NotAllowed),
        (APPROVE, "0" * 16, PayloadChanged),
    ],
)
def test_what_is_not_offered_changes_nothing(
    served: Served, decision: Decision, seen: str | None, error: type[Exception]
) -> None:
    token = served.pause()
    before = open_run(served.service.store, "e-1").version
    for decide in (
        lambda: served.service.decide(token["review"], decision, seen or token["hash"]),
        lambda: served.service.resume("e-1", decision, token["review"], seen or token["hash"]),
    ):
        with pytest.raises(error):
            decide()
    assert open_run(served.service.store, "e-1").version == before
    assert served.service.read("e-1").review is not None


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


@pytest.mark.parametrize("ready", [False, True])
def test_only_a_ready_run_is_carried_on_without_a_decision(served: Served, ready: bool) -> None:
    token = served.pause()
    if ready:
        served.service.resume("e-1", APPROVE, token["review"], token["hash"]).future.result()
    with pytest.raises(NotReady):
        served.service.resume("e-1", None)
    with pytest.raises(UnknownRun):
        served.service.resume("nobody", None)


def test_a_run_is_driven_by_one_at_a_time(serve: Serve, hold: Hold) -> None:
    served = serve(COUNT, work=HELD)
    going = served.service.start("count", {}, run_id="r")
    assert hold.entered.wait(60)
    assert served.service.read("r").running
    with pytest.raises(Conflict, match="goes on already"):
        served.service.resume("r", None)
    assert served.driver.drive("r") is going.future  # it is looked at once more at its end
    hold.go.set()
    going.future.result(60)
    answer = served.service.read("r")
    assert (answer.visit_history, answer.running) == (["work"] * 3, False)


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


def test_a_stopping_server_finishes_the_node_and_leaves_the_run_ready(serve: Serve, hold: Hold) -> None:
    served = serve(COUNT, work=HELD)
    going = served.service.start("count", {}, run_id="r")
    assert hold.entered.wait(60)
    served.driver.stop()
    hold.go.set()
    going.future.result(60)
    assert open_run(served.service.store, "r").step == 1
    assert served.service.read("r").status == "ready"
    with pytest.raises(RequestRefused) as caught:
        served.service.start("count", {})
    assert caught.value.status == 503


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


def test_a_deadline_is_applied_once_and_the_run_goes_on(serve: Serve) -> None:
    served = serve(_asking(deadline='"1h"', on_timeout='"reject"'))
    token = served.pause()
    deadline = served.service.review(token["review"]).deadline
    assert served.service.settle() == deadline
    assert deadline is not None
    late = Service(served.service.store, served.service.graphs, served.driver, now=lambda: deadline + 1)
    late.settle()
    served.driver.drive("e-1").result(60)
    answer = late.read("e-1")
    assert (answer.status, answer.visit_history) == ("ended", ["ask", "refuse"])
    assert late.review(token["review"]).status == "expired"
    with pytest.raises(AlreadyDecided, match="deadline"):
        late.decide(token["review"], APPROVE, token["hash"])


def test_several_people_approve_and_who_started_it_does_not(serve: Serve) -> None:
    served = serve(_asking(approvals="2", allow_self="false"))
    served.service.start("ask", {}, run_id="r", by="zoe").future.result()
    review = served.service.read("r").review
    assert review is not None
    assert (review.approvals_missing, review.started_by) == (2, "zoe")
    with pytest.raises(NotAllowed, match="Zoe started run r"):
        served.service.decide(review.id, Decision.approve(by="Zoe"), review.hash)
    first = served.service.decide(review.id, Decision.approve(by="ana"), review.hash)
    assert (first.status, first.approvals_missing, [vote.by for vote in first.votes]) == (
        "pending",
        1,
        ["ana"],
    )
    with pytest.raises(NotAllowed, match="already"):
        served.service.decide(review.id, Decision.approve(by="ana"), review.hash)
    served.service.resume("r", Decision.approve(by="ben"), review.id, review.hash).future.result()
    assert served.service.read("r").status == "ended"
    assert [entry.entry["source"] for entry in served.service.store.audit()] == ["rest", "rest"]


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


def test_a_bug_in_driving_a_run_is_told_and_the_run_can_be_driven_again(
    serve: Serve, monkeypatch: pytest.MonkeyPatch
) -> None:
    served = serve(COUNT, work=WORK)
    with monkeypatch.context() as patched:
        patched.setattr(Executor, "load", lambda *_: 1 / 0)
        going = served.service.start("count", {}, run_id="r")
        with pytest.raises(ZeroDivisionError):
            going.future.result(60)
    [(what, error)] = served.failures
    assert "'r'" in what
    assert isinstance(error, ZeroDivisionError)
    served.service.resume("r", None).future.result(60)
    assert served.service.read("r").status == "ended"


def test_beyond_what_may_wait_nothing_is_started(
    serve: Serve, hold: Hold, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(driver, "WAITING", 2)
    served = serve(COUNT, work=HELD, threads=1)
    going = [served.service.start("count", {}, run_id=run_id) for run_id in ("one", "two")]
    with pytest.raises(RequestRefused) as caught:
        served.service.start("count", {}, run_id="three")
    assert caught.value.status == 503
    hold.go.set()
    for each in going:
        each.future.result(60)
    assert len(served.service.store.runs()) == 2


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


LONG_REPLY = """
format = 1
name = "sort"
start = "draft"
[state.kind]
type = "text"
[nodes.draft]
type = "llm"
prompt = "Which?"
schema = ["kind"]
replies = ["{reply}"]
timeout = "10m"
[[edges]]
from = "draft"
to = "END"
"""


@pytest.mark.parametrize(
    ("reply", "said"),
    [
        ("```" + r"\n" * 60_000 + "x", "the reply does not fit"),
        ("CALL_TOOL: x" + " " * 60_000 + "y", "no tool's name"),
    ],
)
def test_a_reply_that_is_one_long_run_silences_nobody(serve: Serve, reply: str, said: str) -> None:
    served = serve(LONG_REPLY.format(reply=reply))
    going = served.service.start("sort", {}, run_id="s-1").future
    assert served.client()("GET", "/health").status == 200
    going.result(60)
    assert said in str(served.service.read("s-1").error)
