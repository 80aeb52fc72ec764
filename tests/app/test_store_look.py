"""The app's one look at the store: who is told, what it costs, and a store that cannot be read."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest
from textual.screen import ModalScreen

from stepgraph import Decision, MemoryStore
from stepgraph.reviews.inbox import Reviews
from stepgraph.stores.sqlite import SqliteStore
from stepgraph.values.errors import StoreError, StoreUnreachable
from stepgraph_tui.app import StepgraphApp
from stepgraph_tui.dialogs.approval import ReviewScreen
from stepgraph_tui.dialogs.approval.composing import SENDING
from stepgraph_tui.screens.inbox import InboxScreen
from stepgraph_tui.store_look import StoreLook, tell
from tests.app.bench import (
    LARGE,
    REFUND,
    Bench,
    P,
    dialog,
    header,
    press,
    said,
    settle,
    start,
    text,
    workbench,
)
from tests.app.test_inbox_screen import mail

DOWN = StoreUnreachable("the store pg does not answer", "does not answer", hint="start it")


class Opening(ModalScreen[None]):
    """A screen that wants to be told."""

    told = 0

    def look_again(self) -> None:
        self.told += 1


@pytest.fixture(autouse=True)
def seconds_pass_when_told(monkeypatch: pytest.MonkeyPatch) -> None:
    """The app does not look by itself."""
    monkeypatch.setattr("stepgraph_tui.app.EVERY", 3600.0)


def app_of(pilot: P) -> StepgraphApp:
    assert isinstance(pilot.app, StepgraphApp)
    return pilot.app


async def second(pilot: P) -> None:
    """Let the app do what it does each second."""
    app_of(pilot)._look()
    await pilot.pause()


def test_what_could_not_be_read_is_told_to_all_who_ask_without_asking_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with MemoryStore() as store:
        asked = []

        def stamp() -> object:
            asked.append("stamp")
            raise DOWN

        look = StoreLook(store)
        before = store.stamp()
        look.read()
        assert look.stamp() == before
        with monkeypatch.context() as patch:
            patch.setattr(store, "stamp", stamp)
            look.read()
            for _ in range(3):
                with pytest.raises(StoreError, match="does not answer"):
                    look.stamp()
        assert asked == ["stamp"]
        look.read()
        assert look.stamp() == before


@pytest.mark.parametrize(
    "keys",
    [[], ["A"], ["R"], ["A", "R"], ["R", "A"], ["A", "enter"], ["A", "space", "enter"]],
    ids=["home", "inbox", "runs", "both", "other", "review", "reviews"],
)
@pytest.mark.parametrize("is_open", [False, True], ids=["alone", "above a run"])
def test_a_second_in_which_nobody_commits_costs_one_reading_of_the_stamp(
    bench: Bench, monkeypatch: pytest.MonkeyPatch, keys: list[str], is_open: bool
) -> None:
    mail(bench, "ana")
    mail(bench, "ben")
    reads: list[str] = []

    async def script(pilot: P) -> None:
        await press(pilot, *keys)
        await second(pilot)
        store = app_of(pilot).context.store
        assert isinstance(store, SqliteStore)

        def counted(name: str) -> Callable[..., object]:
            read = getattr(store, name)

            def reading(*given: object) -> object:
                reads.append(name)
                return read(*given)

            return reading

        with monkeypatch.context() as patch:
            for name in ("stamp", "runs", "load", "versions", "review", "rows", "values"):
                patch.setattr(store, name, counted(name))
            await second(pilot)

    bench.play(script, REFUND if is_open else None)
    assert [read for read in reads if read == "stamp"] == ["stamp"]
    assert reads[1:] == ([] if keys or is_open else ["runs"])  # home counts them anew


def test_a_decision_of_another_process_reaches_the_header_and_the_lists_in_one_look(bench: Bench) -> None:
    first, second_one = mail(bench, count=2)
    reviews = Reviews(bench.store)

    async def script(pilot: P) -> None:
        await second(pilot)
        assert "A 2 waiting" in header(pilot)
        reviews.decide(first, Decision.reject(by="ben", comment="no"))
        await second(pilot)
        assert "A 1 waiting" in header(pilot)
        await press(pilot, "A")
        reviews.decide(second_one, Decision.reject(by="ben", comment="no"))
        await second(pilot)
        assert "[1 Pending 0] 2 Decided 2" in header(pilot)
        await press(pilot, "q")
        assert "A 0 waiting" in header(pilot)

    bench.play(script, REFUND)


def test_a_server_that_is_down_is_told_and_everything_goes_on_when_it_answers(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    (review,) = mail(bench)

    def down() -> object:
        raise DOWN

    async def script(pilot: P) -> None:
        store = app_of(pilot).context.store
        for keys, told in (("", said), ("A", text), ("R", text)):
            await press(pilot, *keys)
            with monkeypatch.context() as patch:
                patch.setattr(store, "stamp", down)
                patch.setattr(store, "runs", lambda *given: pytest.fail("it was asked again"))
                await second(pilot)
                assert "does not answer" in told(pilot)
            await second(pilot)
            assert "does not answer" not in told(pilot)
            await press(pilot, *("q" if keys else ""))
        Reviews(bench.store).decide(review, Decision.reject(by="ben", comment="no"))
        await second(pilot)
        assert "A 0 waiting" in header(pilot)
        assert pilot.app.screen is workbench(pilot)

    bench.play(script, REFUND)


def test_what_was_opened_while_the_server_was_down_opens_when_it_answers(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    mail(bench)

    def down(*given: object) -> object:
        raise DOWN

    async def script(pilot: P) -> None:
        app = app_of(pilot)
        store = app.context.store
        await second(pilot)
        assert "r-1" in text(pilot)
        with monkeypatch.context() as patch:
            for name in ("stamp", "runs", "load"):
                patch.setattr(store, name, down)
            await second(pilot)
            seen = text(pilot)
            assert "The store does not answer; looking again." in seen
            assert "▸ r-1 ask" in seen  # the cursor stays where it was
            await press(pilot, "enter")
            assert "NO RUN" in header(pilot)
            assert "A ? waiting" in header(pilot)
            await second(pilot)
            assert "does not answer" in said(pilot)
        await second(pilot)
        assert "run r-1" in header(pilot)
        assert "A 1 waiting" in header(pilot)

    bench.play(script, size=LARGE)


def test_a_dialog_says_that_the_server_is_down_only_while_it_is(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    (review,) = mail(bench)

    def down(*given: object) -> object:
        raise DOWN

    async def script(pilot: P) -> None:
        await press(pilot, "A", "enter")
        store = app_of(pilot).context.store
        with monkeypatch.context() as patch:
            for name in ("stamp", "runs", "load", "review"):
                patch.setattr(store, name, down)
            await second(pilot)
            assert "the store does not answer; looking again" in text(pilot)
            assert "recorded once it answers" not in text(pilot)
            dialog(pilot, ReviewScreen).state.sent = Decision.approve(by="ana")
            dialog(pilot, ReviewScreen).tell(SENDING)
            await second(pilot)
            assert "The decision is recorded once it answers." in text(pilot)
        await second(pilot)
        assert "does not answer" not in text(pilot)
        assert "the decision is being recorded" in text(pilot)

    bench.play(script)
    assert Reviews(bench.store).get(review).status == "pending"


def test_a_list_below_another_screen_waits_until_it_is_seen_again(bench: Bench) -> None:
    mail(bench)

    async def script(pilot: P) -> None:
        await press(pilot, "A", "R")
        (inbox,) = [screen for screen in pilot.app.screen_stack if isinstance(screen, InboxScreen)]
        mail(bench, "ben")
        await second(pilot)
        assert len(inbox._table.lists.pending) == 1
        await press(pilot, "q")
        assert pilot.app.screen is inbox
        assert len(inbox._table.lists.pending) == 2

    bench.play(script)


def test_a_dialog_that_is_just_opening_is_not_told(bench: Bench) -> None:
    mail(bench, count=1)

    async def script(pilot: P) -> None:
        pilot.app.push_screen(opening := Opening())
        tell([opening])
        assert opening.told == 0
        await pilot.pause()
        tell([opening])
        assert opening.told == 1

    bench.play(script)


def test_a_run_that_is_behind_what_is_shown_was_lost_and_what_was_seen_stays(bench: Bench) -> None:
    """A server that has lost steps: the run has the same head, and is at an earlier version."""

    async def script(pilot: P) -> None:
        await start(pilot)
        await press(pilot, "s", "s")
        await settle(pilot)
        stored, rows = bench.store.load("r-1"), bench.store.rows("r-1", upto=1)
        definition = bench.store.definition(stored.pointer.definition)
        bench.store.delete_runs({"r-1": stored.pointer.version})
        version, before = stored.pointer.version, text(pilot)
        first = replace(stored.pointer, version=1, step=0)
        bench.store.create(stored._replace(pointer=first), rows, definition)
        await second(pilot)
        assert f"run 'r-1' is at version 1 and was at {version}: the store has lost" in said(pilot)
        assert "step 2" in before
        assert "step 2" in text(pilot)

    bench.play(script, REFUND)
