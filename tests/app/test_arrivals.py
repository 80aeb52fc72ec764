"""Being told that a review has come: title, bell, desktop notification, and the user's own command."""

from __future__ import annotations

import json
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any, get_args

import pytest
from textual.drivers.headless_driver import HeadlessDriver

from stepgraph import Decision, MemoryStore
from stepgraph.reviews.inbox import Reviews
from stepgraph.reviews.terms import OnTimeout
from stepgraph_tui.arrivals import Arrivals
from stepgraph_tui.on_pause import PauseCommand
from stepgraph_tui.terminal_signals import Notify, TerminalSignals
from stepgraph_tui.text.inbox import due_text
from tests.app.bench import Bench, P, until
from tests.app.hearing import PATIENCE
from tests.app.test_inbox_screen import mail
from tests.engine.terms import Bench as Waits


def test_each_review_is_told_of_once_and_what_waits_already_is_not(bench: Bench) -> None:
    mail(bench)
    arrivals = Arrivals(bench.store)
    assert arrivals.look() == []
    assert arrivals.waiting == 1
    (new,) = mail(bench, "ben")
    (review,) = arrivals.look()
    assert review.id == new
    assert review.request.prompt == "Send it to ben with ***?"
    assert arrivals.look() == []
    Reviews(bench.store).decide(new, Decision.reject(by="ben"))
    assert arrivals.look() == []
    assert arrivals.waiting == 1


@pytest.mark.parametrize(
    ("rule", "told"), [("reject", "is ready"), ("fail", "has failed"), ("approve_unsafe", "is ready")]
)
def test_what_a_deadline_has_ended_is_told_once_whoever_has_applied_it(rule: OnTimeout, told: str) -> None:
    with MemoryStore() as store:
        waits = Waits(store, deadline=60.0, on_timeout=rule)
        arrivals = Arrivals(store, waits.clock.time)
        arrivals.look()
        late, _ = waits.paused("r-1"), waits.paused("r-2")
        assert len(arrivals.look()) == 2
        waits.executor.decide("r-2", Decision.reject(by="ana"))
        waits.clock.advance(60)
        waits.reviews.expire()
        assert (arrivals.look(), [review.id for review in arrivals.due]) == ([], [late.id])
        assert due_text(arrivals.due[0]).endswith(f"run r-1 {told}")
        assert (arrivals.look(), arrivals.due) == ([], [])


def test_a_look_at_a_store_that_nobody_changed_reads_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    with MemoryStore() as store:
        arrivals = Arrivals(store)
        arrivals.look()
        monkeypatch.setattr(store, "runs", lambda status: pytest.fail("it was read"))
        assert arrivals.look() == []


def signals(kind: Notify, **environment: str) -> tuple[TerminalSignals, list[str]]:
    written: list[str] = []
    return TerminalSignals(kind, written.append, environment), written


@pytest.mark.parametrize(
    ("kind", "sequence"),
    [
        ("off", []),
        ("title", []),
        ("bell", ["\x07"]),
        ("osc9", ["\x1b]9;Stepgraph: mailer ask\x07"]),
        ("osc777", ["\x1b]777;notify;Stepgraph;mailer ask\x07"]),
    ],
)
def test_a_person_is_called_as_they_wish(kind: Notify, sequence: list[str]) -> None:
    terminal, written = signals(kind)
    terminal.call("mailer ask")
    assert written == sequence


def test_tmux_hands_a_notification_through() -> None:
    terminal, written = signals("osc9", TMUX="socket,1,0")
    terminal.call("x")
    assert written == ["\x1bPtmux;\x1b\x1b]9;Stepgraph: x\x07\x1b\\"]


@pytest.mark.parametrize("kind", get_args(Notify))
@pytest.mark.parametrize("tmux", [{}, {"TMUX": "1"}])
def test_no_text_of_others_is_part_of_a_sequence(kind: Notify, tmux: dict[str, str]) -> None:
    terminal, written = signals(kind, **tmux)
    terminal.call("a\x07b\x1b\\c\x9cd\x1b]2;evil\x07;e\nf\x1bPtmux;\u202e" + "g" * 5_000)
    told = "".join(written)
    assert told.count("\x07") <= 1
    assert told.count("\x1b") <= (4 if tmux else 1)
    assert not {"\x9c", "\n", "\u202e", "\x9d"} & set(told)
    assert told.count(";") <= 4
    assert len(told) < 300


def test_the_title_counts_what_waits_and_is_put_back() -> None:
    terminal, written = signals("title")
    for waiting in (0, 0, 2, 2, 3):
        terminal.show_count(waiting)
    terminal.close()
    assert written == [
        "\x1b[22;2t\x1b]2;Stepgraph\x07",
        "\x1b]2;Stepgraph: 2 waiting\x07",
        "\x1b]2;Stepgraph: 3 waiting\x07",
        "\x1b[23;2t",
    ]


def test_who_wants_no_word_gets_none() -> None:
    terminal, written = signals("off")
    terminal.show_count(3)
    terminal.close()
    assert written == []


# The user's own command

PYTHON = sys.executable


def command(tmp_path: Path, code: str) -> list[str]:
    script = tmp_path / "told.py"
    script.write_text(f"import json, os, sys, time\nfrom pathlib import Path\n{code}\n", encoding="utf-8")
    return [PYTHON, str(script), str(tmp_path / "told; $(touch pwned)")]


def failures(words: list[str], *reviews: dict[str, Any], **limits: float) -> list[str]:
    """What is said of a command that fails for some reviews."""
    said: list[str] = []
    calls = PauseCommand(words, said.append, **limits)
    for review in reviews:
        calls.tell(review)
    calls.close(PATIENCE)
    return said


def test_the_command_reads_each_review_as_json_and_no_shell_reads_its_words(tmp_path: Path) -> None:
    words = command(tmp_path, "with open(sys.argv[1], 'a') as file: file.write(sys.stdin.read() + '\\n')")
    assert failures(words, {"id": "a-1"}, {"id": "a-2", "prompt": "é"}) == []
    lines = (tmp_path / "told; $(touch pwned)").read_text("utf-8").splitlines()
    assert [json.loads(line) for line in lines] == [{"id": "a-1"}, {"id": "a-2", "prompt": "é"}]
    assert not (tmp_path / "pwned").exists()


def test_without_a_command_nothing_runs() -> None:
    assert failures([], {"id": "a-1"}) == []


@pytest.mark.parametrize(
    ("code", "said"),
    [
        ("sys.exit('no \\x1b[31mdisplay')", "ended with 1: no \\x1b[31mdisplay"),
        ("sys.exit(3)", "ended with 3"),
        ("os.kill(os.getpid(), 9)", "ended with -9"),
    ],
)
def test_its_failure_is_told_once(tmp_path: Path, code: str, said: str) -> None:
    (told,) = failures(command(tmp_path, code), {"id": "a-1"}, {"id": "a-2"})
    assert told.startswith("on_pause: ")
    assert told.endswith(said)


def test_one_that_does_not_read_is_no_failure(tmp_path: Path) -> None:
    assert failures(command(tmp_path, "sys.stdin.close()"), {"prompt": "x" * 1_000_000}) == []


def test_one_that_is_not_there_is_told() -> None:
    (told,) = failures(["/nowhere/notify"], {"id": "a-1"})
    assert told == "on_pause: /nowhere/notify cannot be started: No such file or directory"


def test_one_that_takes_too_long_is_killed_and_told(tmp_path: Path) -> None:
    (told,) = failures(command(tmp_path, "time.sleep(600)"), {"id": "a-1"}, limit=0.01)
    assert told.endswith("took longer than 0.01 seconds, and was killed")


def test_leaving_does_not_wait_for_one_that_hangs(tmp_path: Path) -> None:
    code = "Path(sys.argv[1]).write_text(str(os.getpid())); print('up', flush=True); time.sleep(600)"
    said: list[str] = []
    calls = PauseCommand(command(tmp_path, code), said.append)
    calls.tell({"id": "a-1"})
    assert calls._thread is not None
    calls.close(0.0)
    calls._thread.join(PATIENCE)
    assert not calls._thread.is_alive()
    assert calls._process is None or calls._process.poll() is not None
    assert said == []


# In the app


def test_the_app_tells_of_a_review_of_another_process_once(
    bench: Bench, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    words = command(tmp_path, "with open(sys.argv[1], 'a') as file: file.write(sys.stdin.read() + '\\n')")
    bench.settings = replace(bench.settings, notify="osc9", on_pause=words)
    written: list[str] = []
    monkeypatch.setattr(HeadlessDriver, "is_headless", property(lambda driver: False))
    monkeypatch.setattr(HeadlessDriver, "write", lambda driver, data: written.append(data))
    mail(bench)

    async def script(pilot: P) -> None:
        look = pilot.app._look  # type: ignore[attr-defined]  # the app's own
        mail(bench, "ben")
        for _ in range(3):
            look()
        told = "".join(written)
        assert told.count("\x1b]9;") == 1
        assert "Stepgraph: mailer ask: Send it to ben with ***?\x07" in told
        assert "\x1b]2;Stepgraph: 2 waiting\x07" in told
        mail(bench, "cy", count=5)
        look()
        assert "".join(written).count("\x1b]9;") == 2
        assert "5 reviews have come" in "".join(written)
        await until(pilot, lambda: len(asked()) == 6)

    def asked() -> list[Any]:
        return [json.loads(line) for line in file.read_text("utf-8").splitlines()] if file.exists() else []

    file = tmp_path / "told; $(touch pwned)"
    bench.play(script)
    assert "\x1b[23;2t" in "".join(written)
    assert [review["id"] for review in asked()] == [f"a-{number}" for number in range(2, 8)]
    assert asked()[0]["values"] == {"to": "ben", "token": "***"}
    assert asked()[0]["command"] == "stepgraph approvals show a-2"
    assert "hunter2" not in file.read_text("utf-8")


def test_the_app_says_once_that_the_command_fails(bench: Bench) -> None:
    bench.settings = replace(bench.settings, on_pause=["/nowhere/notify"])

    async def script(pilot: P) -> None:
        for name in ("ben", "cy"):
            mail(bench, name)
            pilot.app._look()  # type: ignore[attr-defined]  # the app's own
        await until(pilot, lambda: len(pilot.app._notifications))
        calls = pilot.app._calls._on_pause  # type: ignore[attr-defined]  # the app's own
        calls.close(PATIENCE)
        assert not calls._thread.is_alive()
        await pilot.pause()
        (said,) = pilot.app._notifications
        assert said.message.startswith("on_pause: /nowhere/notify cannot be started")

    bench.play(script)
