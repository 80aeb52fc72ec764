"""A conversation in the state: read and edited message by message, while the run goes on beside it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tests.app.bench import LARGE, SMALL, Bench, P, press, said, text, workbench

CHAT = """
format = 1
name = "chat"
start = "agent"

[state.messages]
type = "list"
reducer = "append"
default = [{ role = "user", content = "Where is order 8812?" }]
[state.order]
default = "8812"
[state.token]
secret = true
default = "hunter2-secret"

[nodes.agent]
type = "llm"
messages = "messages"
prompt = "{% if visits.agent == 1 %}Look hunter2-secret up.{% endif %}"
replies = ["It is on its way.\\nSecond line.", "LONG"]

[[edges]]
from = "agent"
to = "END"
when = "visits.agent == 2"
[[edges]]
from = "agent"
to = "agent"
"""
LONG = "\\\\n".join(f"line {number}" for number in range(40))


def messages(bench: Bench) -> list[Any]:
    run = bench.store.load("r-1")
    found = bench.store.values("r-1", run.pointer.version)["messages"]
    assert isinstance(found, list)
    return found


def played(bench: Bench, script: Any, *, steps: int = 1, size: tuple[int, int] = LARGE) -> Path:
    path = bench.graph(CHAT.replace("LONG", LONG.replace("\\\\", "\\")))
    bench.run(path, steps=steps)
    bench.play(script, path, run="r-1", size=size)
    return path


def test_a_list_of_messages_opens_as_a_conversation_that_marks_what_is_new(bench: Bench) -> None:
    async def script(pilot: P) -> None:
        await press(pilot, "2", "enter")
        shown = text(pilot)

        assert "[2 Chat]" in shown
        assert "2 new of 3" in shown
        assert "Where is order 8812?" in shown
        assert "+ user" in shown
        assert "+ assistant" in shown
        assert "It is on its way." in shown
        assert "hunter2" not in shown
        await press(pilot, "v")
        assert "[2 State]" in text(pilot)

    played(bench, script)


def test_the_run_goes_on_beside_the_conversation_and_long_messages_are_folded(bench: Bench) -> None:
    async def script(pilot: P) -> None:
        await press(pilot, "2", "enter", "s")
        assert "line 0" in text(pilot)
        assert "more lines: Enter shows all" in text(pilot)
        await press(pilot, "enter", *["j"] * 40)
        assert "line 39" in text(pilot)
        await press(pilot, "escape")
        assert "[2 State]" in text(pilot)

    played(bench, script, size=SMALL)


def test_a_message_is_edited_inserted_and_deleted(bench: Bench) -> None:
    async def script(pilot: P) -> None:
        await press(pilot, "2", "enter", "G", "e", "f7", *"Lost.", "ctrl+j")
        assert "→ assistant: Lost." in text(pilot)
        await press(pilot, "y")
        await workbench(pilot).workers.wait_for_complete()
        await press(pilot, "a", *"So?", "ctrl+j", "y")
        await workbench(pilot).workers.wait_for_complete()
        await press(pilot, "g g", "d", "y")
        await workbench(pilot).workers.wait_for_complete()

    played(bench, script)

    assert [message["content"] for message in messages(bench)] == ["Look hunter2-secret up.", "Lost.", "So?"]


def test_a_message_of_the_past_that_is_gone_is_not_edited(bench: Bench) -> None:
    async def script(pilot: P) -> None:
        await press(pilot, "2", "enter", "left_square_bracket", "e")
        assert "1 new of 1" in text(pilot)
        assert said(pilot)

    played(bench, script)
    assert not [row for row in bench.store.rows("r-1") if row.kind == "edit"]


def test_the_same_list_is_shown_as_json(bench: Bench) -> None:
    async def script(pilot: P) -> None:
        await press(pilot, "2", "enter", "equals_sign")
        assert '"role": "assistant"' in text(pilot)

    played(bench, script)


def test_of_a_long_conversation_the_end_is_shown_until_somebody_goes_to_its_start(bench: Bench) -> None:
    said_ = [{"role": "user", "content": f"message {number}."} for number in range(400)]

    async def script(pilot: P) -> None:
        await press(pilot, "2", "enter", "G")
        assert "402" in text(pilot)
        assert "message 0." not in text(pilot)
        await press(pilot, "g g")
        assert "message 0." in text(pilot)

    path = bench.graph(CHAT.replace('"LONG"', '"Done."'))
    bench.run(path, {"messages": said_}, steps=1)
    bench.play(script, path, run="r-1", size=LARGE)
