"""The home screen: what it lists, and what its keys do."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path
from typing import Any

import apsw
import pytest
from textual.pilot import Pilot
from textual.widgets import Input

from stepgraph import END, Decision, Executor, MemoryStore, SqliteStore, StateGraph
from stepgraph.files import examples_dir
from stepgraph.graphs.plan import CompiledGraph
from stepgraph.stores.base import Listing, StoredReview, StoredRun
from stepgraph.stores.ledger import Row, RunStatus
from stepgraph.stores.sqlite.checksums import checking_vfs
from stepgraph.testing import FakeClock, sequential_ids
from stepgraph.values.errors import StoreError
from stepgraph_tui.remembered import Remembered
from tests.app.at_home import REFUND, Host, at_home, pressed, waiting
from tests.app.playing import screen_lines
from tests.stores.forging import forged


def test_a_newcomer_is_shown_the_refund_example_and_what_to_do(tmp_path: Path) -> None:
    host = Host(tmp_path)
    text = pressed(host)
    for words in (
        "Stepgraph 0.",
        "Nothing waits for you.",
        "No recent graphs.",
        "▸ refund_triage",
        "Refunds of 100 or more go to a person",
        "Enter opens the graph. Then c starts a run, and s runs one node.",
        "Enter Open",
    ):
        assert words in text
    assert host.chosen == []


def test_one_enter_opens_the_refund_example(tmp_path: Path) -> None:
    host = Host(tmp_path)
    pressed(host, "enter")
    assert host.chosen == [(REFUND, None)]


def test_every_shipped_example_is_listed_with_its_note(tmp_path: Path) -> None:
    text = pressed(Host(tmp_path), size=(120, 40))
    for path in examples_dir().glob("*.toml"):
        assert path.stem in text
        assert StateGraph.from_file(path).settings.note in text


def test_what_waits_comes_first_and_enter_opens_its_run(tmp_path: Path) -> None:
    store = MemoryStore()
    waiting(store)
    host = Host(tmp_path, store)
    text = pressed(host, "enter")
    assert "▸ r-1 review" in text
    assert "high risk: Refund 240 EUR to Ana for order 8812?" in text
    assert host.chosen == [(REFUND, "r-1")]


def test_a_review_that_comes_or_is_decided_elsewhere_moves_no_cursor(tmp_path: Path) -> None:
    store = MemoryStore()
    executor = waiting(store, 2)
    host = Host(tmp_path, store)

    async def others_work(pilot: Pilot[None]) -> None:
        await pilot.press("j")
        assert host.selected.run == "r-2"
        executor.run(executor.start({}))
        host.home.look()
        await pilot.pause()
        assert "r-3 review" in host.text
        assert host.selected.run == "r-2"
        executor.decide("r-1", Decision.approve(by="ana"))
        host.home.look()
        await pilot.pause()
        assert "r-1 review" not in host.text
        assert host.selected.run == "r-2"

    at_home(host, others_work)


def test_the_cursor_stays_near_when_its_entry_goes(tmp_path: Path) -> None:
    store = MemoryStore()
    executor = waiting(store, 2)
    host = Host(tmp_path, store)

    async def others_decide(pilot: Pilot[None]) -> None:
        executor.resume("r-1", Decision.approve(by="ana"))
        host.home.look()
        assert host.selected.run == "r-2"
        executor.resume("r-2", Decision.approve(by="ana"))
        host.home.look()
        assert host.selected.kind == "example"

    at_home(host, others_decide)


def test_a_secret_in_a_question_is_masked(tmp_path: Path) -> None:
    file = tmp_path / "ask.toml"
    file.write_text(
        'format = 1\nname = "ask"\nstart = "ask"\n[state.token]\nsecret = true\ndefault = "hunter2-secret"\n'
        '[nodes.ask]\ntype = "approval"\nprompt = "Use {{ token }} [red]\\u001b[31m?"\n'
        '[[edges]]\nfrom = "ask"\nto = "END"\n',
        encoding="utf-8",
    )
    store = MemoryStore()
    executor = Executor(StateGraph.from_file(file).compile(), store, ids=sequential_ids())
    executor.run(executor.start({}))
    text = pressed(Host(tmp_path, store))
    assert "hunter2" not in text
    assert "Use *** [red]\\x1b[31m?" in text


def test_a_run_without_a_file_can_be_opened_too(tmp_path: Path) -> None:
    graph = StateGraph("built", start="ask")
    graph.declare_node("ask", "approval", {"prompt": "Go on?"})
    graph.add_edge("ask", "END")
    store = MemoryStore()
    executor = Executor(graph.compile(), store, ids=sequential_ids())
    executor.run(executor.start({}))
    host = Host(tmp_path, store)
    pressed(host, "enter")
    assert host.chosen == [(None, "r-1")]


def test_recent_files_are_listed_the_newest_first_and_missing_ones_say_so(tmp_path: Path) -> None:
    host = Host(tmp_path, None, REFUND, tmp_path / "gone.toml")

    async def look(pilot: Pilot[None]) -> None:
        assert host.selected.path == REFUND
        await pilot.press("j")
        assert host.selected.off
        lines = host.text.splitlines()
        (line,) = (line for line in lines if "gone.toml" in line)
        assert line.endswith("missing")
        assert lines.index(line) == 1 + next(
            at for at, one in enumerate(lines) if "refund_triage.toml" in one
        )
        await pilot.press("enter")
        assert "The file is gone" in host.text
        await pilot.press("k", "enter")

    at_home(host, look)
    assert host.chosen == [(REFUND, None)]


def test_x_forgets_a_recent_file_for_good_and_leaves_it_on_disk(tmp_path: Path) -> None:
    file = tmp_path / "mine.toml"
    file.write_text("", encoding="utf-8")
    host = Host(tmp_path, None, file)
    assert "mine.toml" not in pressed(host, "x")
    assert file.exists()
    assert Remembered.load(tmp_path / "remembered.json").recent == []


def test_a_broken_example_is_listed_and_says_so(tmp_path: Path) -> None:
    for name, text in (("a", "format = "), ("b", 'format = 1\nname = "b"\nstart = "x"\n')):
        (tmp_path / f"{name}.toml").write_text(text, encoding="utf-8")
    text = pressed(Host(tmp_path, examples=tmp_path))
    assert text.count("has ") == 2
    assert "has errors: " in text


def test_without_examples_the_screen_says_so(tmp_path: Path) -> None:
    assert "not installed here" in pressed(Host(tmp_path, examples=tmp_path / "none"), "j", "k", "G", "enter")


class Damaged(MemoryStore):
    """A store of which something cannot be read any more."""

    damaged = ""

    def runs(self, status: RunStatus | None = None, limit: int | None = None) -> Listing[StoredRun]:
        if self.damaged == "all":
            raise StoreError("it is [red]\x1b[31mdamaged")
        return super().runs(status, limit)

    def review(self, review_id: str) -> StoredReview | None:
        if self.damaged == "reviews":
            raise StoreError("this review is damaged")
        return super().review(review_id)


@pytest.mark.parametrize(
    ("damaged", "words"),
    [
        ("all", "The store cannot be read: it is [red]\\x1b[31mdamaged"),
        ("reviews", "cannot be read: this review is damaged"),
    ],
)
def test_a_damaged_store_is_one_line(tmp_path: Path, damaged: str, words: str) -> None:
    store = Damaged()
    waiting(store)
    store.damaged = damaged
    text = pressed(Host(tmp_path, store))
    assert words in text
    assert "refund_triage" in text


def test_a_damaged_run_is_listed_with_what_to_do_and_the_others_can_be_opened(tmp_path: Path) -> None:
    path = tmp_path / "runs.db"
    with SqliteStore(path) as store:
        waiting(store, 2)
    with forged(path) as connection:
        connection.execute("UPDATE runs SET review = 'a-9' WHERE id = 'r-1'")
    with closing(apsw.Connection(str(path), vfs=checking_vfs())) as connection:
        connection.execute("INSERT INTO runs SELECT 7, 'r-7', graph, created_at, source, origin, version,"
            " definition, status, current, step, step_limit, seconds, outcome, flagged, review, error,"
            " updated_at, 0 FROM runs LIMIT 1")  # fmt: skip
    with SqliteStore(path) as store:
        host = Host(tmp_path, store)

        async def look(pilot: Pilot[None]) -> None:
            assert "▸ r-7" in host.text
            assert "damaged: where it stands is not as it was written" in host.text
            assert "r-1" in host.text
            assert "damaged: there is no review 'a-9'" in host.text
            assert "`stepgraph doctor --repair` saves the rest." in host.text
            await pilot.press("enter", "j", "enter")
            assert host.chosen == []
            await pilot.press("j", "enter")
            assert host.chosen == [(REFUND, "r-2")]

        at_home(host, look)


def test_hostile_names_are_data_and_leave_the_columns_alone(tmp_path: Path) -> None:
    names = ["[red]bold[", "\u4e2d\u6587" * 20, "\u05e9\u05dc\u05d5\u05dd", "a\x1b[31mb\u202ec"]
    files = [tmp_path / f"{name}.toml" for name in names]
    for file in files:
        file.write_text("", encoding="utf-8")
    text = pressed(Host(tmp_path, None, *files))
    assert all(line.isprintable() for line in text.splitlines())
    assert "[red]bold[.toml" in text
    assert "a\\x1b[31mb\\u202ec" in text


def test_it_works_on_any_screen(tmp_path: Path) -> None:
    store = MemoryStore()
    waiting(store, 3)
    host = Host(tmp_path, store, REFUND)

    async def choose(pilot: Pilot[None]) -> None:
        for size in ((120, 40), (20, 5), (5, 2), (1, 1)):
            await pilot.resize_terminal(*size)
            await pilot.press("G", "g", "j", "j", "enter")
            await pilot.pause()
            assert host.chosen.pop() == (REFUND, "r-3")

    at_home(host, choose)


def test_in_little_room_the_cursor_is_always_in_view(tmp_path: Path) -> None:
    host = Host(tmp_path)

    async def move(pilot: Pilot[None]) -> None:
        for _ in range(6):
            assert any(line.startswith("▸") for line in screen_lines(host))
            await pilot.press("j")

    at_home(host, move, (40, 6))


def test_nothing_is_read_while_another_screen_is_on_top(tmp_path: Path) -> None:
    store = MemoryStore()
    host = Host(tmp_path, store)

    async def cover(pilot: Pilot[None]) -> None:
        await pilot.press("o")
        waiting(store)
        assert "r-1" not in host.text
        await pilot.press("escape")
        await pilot.pause()
        assert "r-1 review" in host.text

    at_home(host, cover)


class Counting(MemoryStore):
    """A store that counts how often reviews and whole runs are read."""

    def __init__(self) -> None:
        super().__init__()
        self.reviews_read = self.runs_read = 0

    def review(self, review_id: str) -> StoredReview | None:
        self.reviews_read += 1
        return super().review(review_id)

    def rows(self, run_id: str, *args: Any, **named: Any) -> list[Row]:
        self.runs_read += 1
        return super().rows(run_id, *args, **named)


def test_of_a_thousand_reviews_the_most_urgent_are_listed_and_the_rest_is_counted(tmp_path: Path) -> None:
    store, clock, ids = Counting(), FakeClock(), sequential_ids()
    graphs = {risk: asking(risk) for risk in ("low", "medium", "high")}
    for number in range(1, 1001):
        clock.advance(1)
        risk = "high" if number in (3, 500) else "medium" if number % 2 else "low"
        executor = Executor(graphs[risk], store, clock=clock, ids=ids)
        executor.run(executor.start({"token": "hunter2"}))
    store.reviews_read = store.runs_read = 0
    host = Host(tmp_path, store)

    async def look(pilot: Pilot[None]) -> tuple[list[str], str]:
        host.home.look()
        assert "WAITS FOR YOU: THE 100 MOST URGENT OF 1,000" in host.text
        section = host.list.sections[0]
        for text in ("high", "r-999", "tool_router"):
            host.home.query_one(Input).value = text
            await pilot.pause()
            assert "THE 100 MOST URGENT OF 1,000" in host.text
            assert "not searched: 900 more; `stepgraph approvals` lists all." in host.text
            assert ("Nothing here contains" in host.text) == (text == "r-999")
            assert ("r-3 " in host.text) == (text == "high")
            assert len(host.list._entries) == {"high": 2, "r-999": 0, "tool_router": 1}[text]
        host.home.query_one(Input).value = ""
        await pilot.pause()
        return [entry.title.split()[0] for entry in section.entries], section.remark

    listed, remark = at_home(host, look)
    assert listed[:4] == ["r-3", "r-500", "r-1", "r-5"]  # by risk, then what has waited longest
    assert len(listed) == 100
    assert remark == "900 more wait: `stepgraph approvals` lists all."
    assert store.reviews_read == 1100  # once each, and once more those that are listed
    assert store.runs_read == 100  # these for their secrets


def asking(risk: str) -> CompiledGraph:
    graph = StateGraph("asking", start="ask")
    graph.add_key("token", secret=True)
    graph.declare_node("ask", "approval", {"prompt": "Go on?", "risk": risk})
    graph.add_edge("ask", END)
    return graph.compile()
