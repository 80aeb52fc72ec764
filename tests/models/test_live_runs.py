"""Live runs through the engine: what the ledger keeps of calls, what they spend, and what bounds them."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from stepgraph import END, LLMNode, RunStatus, SqliteStore, StateGraph
from stepgraph.models.catalog import ModelCatalog
from stepgraph.models.watch import CallEvent, TextCame
from stepgraph.runs.answering import Answering
from stepgraph.runs.modes import SCRIPTED, RunMode, mode_of
from stepgraph.runs.run import Run
from stepgraph.runs.spending import SpendingLimits, set_limits
from stepgraph.stores.calls import calls_of
from tests.models.asking import KEY, read, settings_at
from tests.models.fake_server import Endless, FakeServer, Refused, Said

LIVE = RunMode(live=True)
PRICED = {"input_price": 1.0, "output_price": 2.0}


def graph(**settings: float) -> StateGraph:
    made = StateGraph("two", start="draft", **settings)  # type: ignore[arg-type]  # the limits
    made.add_node("draft", LLMNode(prompt="Write.", replies=["canned"]))
    made.add_node("check", LLMNode(prompt="Check: {{ response }}", output="verdict"))
    made.add_edge("draft", "check")
    made.add_edge("check", END)
    return made


FILE = """
format = 1
name = "one"
start = "draft"
max_cost = 0.5
max_tokens = 1000

[nodes.draft]
type = "llm"
prompt = "Write."

[[edges]]
from = "draft"
to = "END"
"""


class Bench:
    """A store, and executors that go by modes."""

    def __init__(self, server: FakeServer, store: SqliteStore, provider: str) -> None:
        self.server, self.store, self.provider = server, store, provider
        self.events: list[CallEvent] = []
        self.stop = threading.Event()
        self.answering = self.priced()

    def priced(self, **settings: object) -> Answering:
        """Make models at a price, or at what the settings say."""
        said = settings_at(self.server, self.provider, key_env="TEST_KEY", **(settings or PRICED))
        return Answering(ModelCatalog({"default": read(said)}))

    def start(self, mode: RunMode = LIVE, limits: SpendingLimits | None = None, **settings: float) -> Run:
        """Start a run and run it as far as it goes."""
        executor = self.answering.executor(
            graph(**settings).compile(), self.store, mode, tell=self.events.append, stopped=self.stop.is_set
        )
        run = executor.start({}, "r-1")
        if limits is not None:
            set_limits(run, limits, "ana", 1.0)
        return executor.run(run)

    def retry(self, **settings: float) -> Run:
        """Retry it, in its own mode."""
        mode = mode_of(self.store, "r-1")
        executor = self.answering.executor(graph(**settings).compile(), self.store, mode)
        return executor.run(executor.retry("r-1"))


@pytest.fixture
def bench(server: FakeServer, tmp_path: Path, provider: str) -> Iterator[Bench]:
    with SqliteStore(tmp_path / "runs.db") as store:
        made = Bench(server, store, provider)
        yield made
        made.answering.close()


def test_a_live_run_asks_also_where_there_are_canned_replies(bench: Bench) -> None:
    bench.server.then(Said("a poem", usage=(10, 5)), Said("fine", usage=(20, 1)))
    run = bench.start()
    assert run.values["response"] == "a poem"
    assert run.values["verdict"] == "fine"
    assert "".join(event.text for event in bench.events if isinstance(event, TextCame)) == "a poemfine"
    (call,) = calls_of(run.history[0].row)
    assert (call["text"], call["input_tokens"], call["output_tokens"]) == ("a poem", 10, 5)
    assert call["provider"] == bench.provider
    spent = run.spending
    assert (spent.calls, spent.input_tokens, spent.output_tokens, spent.unpriced) == (2, 30, 6, 0)
    assert spent.cost == pytest.approx(42e-6)
    assert spent.sources == {"live"}
    assert {node: each.tokens for node, each in run.spending_by_node.items()} == {"draft": 15, "check": 21}


def test_a_scripted_run_never_asks_and_says_what_to_type(bench: Bench) -> None:
    run = bench.start(SCRIPTED)
    assert run.values["response"] == "canned"
    assert run.status is RunStatus.FAILED
    assert run.error is not None
    assert "the model 'default' is not asked: the run is not live" in run.error.message
    assert "--live" in run.error.hint
    assert bench.server.requests == []
    assert run.spending.calls == 0


def test_a_model_that_is_not_configured_says_what_to_type(bench: Bench) -> None:
    bench.answering = Answering(ModelCatalog({}))
    run = bench.start()
    assert run.error is not None
    assert "the model 'default' is not configured" in run.error.message
    assert "`stepgraph models add default`" in run.error.hint


def test_a_failed_call_is_a_failed_step_that_retry_takes_up(bench: Bench) -> None:
    bench.server.then(Said(tools=[("t", "{")], usage=(8, 2)), Said("better"), Said("fine"))
    run = bench.start()
    assert run.status is RunStatus.FAILED
    assert run.error is not None
    assert "the model 'default': it calls the tool 't'" in run.error.message
    assert run.step == 0
    assert run.spending.tokens == 10
    again = bench.retry()
    assert again.status is RunStatus.ENDED
    assert again.values["response"] == "better"
    assert again.spending.tokens == 10 + 2 * 19
    first, second = (request.headers["idempotency-key"] for request in bench.server.requests[:2])
    assert first == second, "the same step, asked again, has the same key"


def test_a_reply_that_was_stopped_fails_the_step_and_retry_asks_again(bench: Bench) -> None:
    bench.server.then(Endless("on "), Said("a poem"), Said("fine"))
    bench.server.delay = 0.001

    class Stopping(list[CallEvent]):
        def append(self, event: CallEvent) -> None:
            if isinstance(event, TextCame):
                bench.stop.set()

    bench.events = Stopping()
    run = bench.start()
    assert run.status is RunStatus.FAILED
    assert run.error is not None
    assert "was stopped before its answer was whole" in run.error.message
    assert bench.retry().values["verdict"] == "fine"


def test_no_key_is_in_the_ledger(bench: Bench, tmp_path: Path) -> None:
    bench.server.then(
        Refused(401, f"Incorrect API key provided: {KEY}"), Said(f"you sent {KEY}", words=False), Said("x")
    )
    assert bench.start().status is RunStatus.FAILED
    assert bench.retry().status is RunStatus.ENDED
    bench.store.close()
    kept = b"".join(file.read_bytes() for file in tmp_path.iterdir())
    assert b"Incorrect API key" in kept, "the message itself is kept"
    assert KEY.encode() not in kept


def test_max_tokens_fails_the_next_call_and_more_can_be_allowed(bench: Bench) -> None:
    bench.server.then(Said("a poem", usage=(90, 10)), Said("fine"))
    run = bench.start(max_tokens=100)
    assert run.status is RunStatus.FAILED
    assert run.step == 1
    assert run.error is not None
    assert "the run has used 100 tokens, and max_tokens = 100" in run.error.message
    assert "--max-tokens" in run.error.hint
    assert len(bench.server.requests) == 1
    executor = bench.answering.executor(graph(max_tokens=100).compile(), bench.store, LIVE)
    run = executor.load("r-1")
    set_limits(run, SpendingLimits(max_tokens=500), "ana", 2.0)
    assert run.limits == SpendingLimits(max_tokens=500)
    assert bench.retry(max_tokens=100).status is RunStatus.ENDED


def test_max_cost_fails_the_next_call(bench: Bench) -> None:
    bench.server.then(Said("a poem", usage=(100, 100)))
    run = bench.start(limits=SpendingLimits(max_cost=0.0003))
    assert run.error is not None
    assert "the run has spent $0.0003, and max_cost = $0.0003" in run.error.message
    assert "--max-cost" in run.error.hint


def test_a_cost_that_nobody_can_count_is_not_bounded_by_guessing(bench: Bench) -> None:
    bench.answering = bench.priced(timeout=30)
    run = bench.start(max_cost=5.0)
    assert run.error is not None
    assert "max_cost = $5 cannot be held: nobody knows what the model costs" in run.error.message
    assert bench.server.requests == []


def test_calls_at_an_unknown_price_are_counted(bench: Bench) -> None:
    bench.answering = bench.priced(timeout=30)
    run = bench.start()
    assert (run.spending.unpriced, run.spending.cost) == (2, 0.0)


def test_a_fork_has_spent_nothing_yet(bench: Bench) -> None:
    run = bench.start(limits=SpendingLimits(max_tokens=999))
    executor = bench.answering.executor(graph().compile(), bench.store, LIVE)
    forked = executor.fork(run.id, at=1, new_run_id="r-2")
    assert forked.spending.tokens == 0
    assert forked.limits == SpendingLimits(max_tokens=999)
    executor.run(forked)
    assert forked.spending.calls == 1
    assert executor.load("r-1").spending.calls == 2


def test_what_was_spent_grows_with_the_handle(bench: Bench) -> None:
    executor = bench.answering.executor(graph().compile(), bench.store, LIVE)
    run = executor.start({}, "r-1")
    counts = [run.spending.calls]
    for _ in executor.iterate(run):
        counts.append(run.spending.calls)
    assert counts == [0, 1, 2]


@pytest.mark.parametrize("settings", [{"max_cost": 0}, {"max_cost": float("nan")}, {"max_tokens": 0}])
def test_a_limit_that_is_none_is_a_problem_of_the_graph(settings: dict[str, float]) -> None:
    with pytest.raises(Exception, match="above 0"):
        graph(**settings).compile()


def test_limits_are_written_into_the_file_and_the_definition(tmp_path: Path) -> None:
    file = tmp_path / "one.toml"
    file.write_text(FILE)
    graph = StateGraph.from_file(file)
    copy = tmp_path / "copy.toml"
    graph.to_file(copy)
    back = StateGraph.from_file(copy).compile()
    assert (back.settings.max_cost, back.settings.max_tokens) == (0.5, 1000)
    assert back.definition_hash == graph.compile().definition_hash
    file.write_text(FILE.replace("max_cost = 0.5\n", ""))
    assert StateGraph.from_file(file).compile().definition_hash != back.definition_hash
