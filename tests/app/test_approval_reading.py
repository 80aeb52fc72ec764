"""What was not on the screen cannot be approved, and what was can be approved as fast as ever."""

from __future__ import annotations

from typing import Any

from textual.pilot import Pilot

from stepgraph import END, StateGraph
from tests.app.approving import Desk, Host, asking, pending, press
from tests.app.playing import play


class Reader:
    """Somebody who presses the key to approve after each key that the dialog names, and reads what comes."""

    def __init__(self, pilot: Pilot[Any], host: Host) -> None:
        self._pilot, self._host = pilot, host
        self.read = ""

    async def read_on(self) -> None:
        """Read until the dialog asks whether to approve."""
        self._look()
        for _ in range(400):
            await press(self._pilot, "y")
            if not self._host.dialog.box.idle:
                return
            gate = self._host.dialog.view.gate
            assert gate
            await press(self._pilot, "d" if gate.startswith("d ") else "pagedown")
            self._look()
        raise AssertionError(self._host.text)

    def _look(self) -> None:
        text = "".join(line[2:-2] for line in self._host.text.split("\n") if line.startswith("┃"))
        self.read += "".join(text.replace("│", "").split())


def test_another_review_and_one_that_was_asked_anew_are_not_read_yet() -> None:
    desk = Desk()
    graph = asking({"said": "x" * 900}, action="{{ said }}")
    run, other = desk.run(graph), desk.run(graph)
    host = Host(desk, pending(run).id)

    async def script(pilot: Pilot[Any]) -> None:
        await Reader(pilot, host).read_on()
        await press(pilot, "escape", "greater_than_sign", "y")
        assert pending(other).run_id in host.text
        assert "Press Enter" not in host.text
        await press(pilot, "less_than_sign", "y")
        assert "Press Enter" in host.text  # it was read before
        await press(pilot, "escape")
        desk.executor(graph).edit(run.id, {"said": "y" * 900}, by="ana")
        host.dialog.look_again()
        await press(pilot, "y")
        assert "this request changed" in host.text
        await press(pilot, "greater_than_sign", "y")
        assert "yyyy" in host.text
        assert host.dialog.box.idle

    play(host, script)


def test_a_text_of_several_lines_is_shown_by_its_lines_and_is_still_one_argument() -> None:
    desk = Desk()
    graph = StateGraph("letters", start="write")
    graph.add_node("write", lambda _: {"letter": 'Dear Noor,\nall is paid", to="ben'}, review="after")
    graph.add_edge("write", END)
    host = Host(desk, pending(desk.run(graph)).id)

    async def script(pilot: Pilot[Any]) -> None:
        await Reader(pilot, host).read_on()
        rows = [line.strip("┃ ") for line in host.text.split("\n")]
        assert "Asks      Continue with the result of 'write'?" in rows
        start = rows.index(r'Action    │ merge(letter="Dear Noor,\n')
        assert rows[start + 1] == r'│ all is paid\", to=\"ben")'

    play(host, script)
