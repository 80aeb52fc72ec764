"""Foreign text in the app: nothing hides, no row is too wide, no line of others looks like ours."""

from __future__ import annotations

import json

import pytest
from textual.scroll_view import ScrollView

from stepgraph.reviews.model import Decision
from stepgraph_tui.text.cells import cell_len
from stepgraph_tui.text.characters import shows
from tests.app.bench import SMALL, Bench, P, press, start, until
from tests.app.playing import screen_lines, widget_lines
from tests.fuzz.foreign_texts import FORGED

FILLERS = "\u3164" * 40
BAD = f"x{FILLERS}y\n{FORGED}\x1b]0;pwned\x07\u202e\u2800\U000e0041z"
HINDI = "का" * 40
GRAPH = f"""
format = 1
name = {json.dumps(BAD.replace(chr(27), "").replace(chr(0xE0041), ""))}
start = "begin"
[state.text]
default = {json.dumps(HINDI, ensure_ascii=False)}
[state.bad]
default = "none"
[state.order]
default = {{ "k\u2800ey\\n{FORGED}" = 1, note = "a\\n{FORGED}" }}
[nodes.begin]
type = "handler"
handler = "work:begin"
note = {json.dumps(f"n{FILLERS}{FORGED}")}
[nodes.ask]
type = "approval"
prompt = "{{{{ bad }}}}"
action = "{{{{ bad }}}}"
allow = ["approve"]
risk = "high"
[nodes."{HINDI[:16]}"]
type = "handler"
handler = "work:fail"
[[edges]]
from = "begin"
to = "ask"
label = {json.dumps(f"go{FILLERS}{chr(10)}{FORGED}")}
when = "bad != 'none'"
[[edges]]
from = "ask"
to = "{HINDI[:16]}"
[[edges]]
from = "{HINDI[:16]}"
to = "END"
"""
WORK = f"""
BAD = {BAD!r}
def begin(state):
    print(BAD, state["text"])
    return {{"bad": BAD}}
def fail(state):
    raise ValueError(BAD)
"""


def check(pilot: P) -> str:
    width, _ = pilot.app.size
    rows = screen_lines(pilot.app)
    for row in rows:
        assert all(shows(row)), ascii(row)
        assert cell_len(row) <= width, ascii(row)
    for view in pilot.app.screen.query(ScrollView):
        for line in widget_lines(view) if view.display and view.region else ():
            assert not line.strip(" ┃").startswith(FORGED), line
    return "\n".join(rows)


@pytest.mark.parametrize("size", [SMALL, (60, 15), (120, 40)])
def test_nothing_hides_and_nothing_is_forged_in_any_pane(bench: Bench, size: tuple[int, int]) -> None:
    seen: dict[str, str] = {}

    async def look(pilot: P, *names: str) -> None:
        for name in names:
            await press(pilot, *name)
            seen[name] = check(pilot)

    async def script(pilot: P) -> None:
        await start(pilot)
        await press(pilot, "s")
        await look(pilot, "1", "2", "3", "4", "5k", "6", "9")
        await press(pilot, "2", "enter")
        seen["value"] = check(pilot)
        await press(pilot, "escape", "]", "s")
        seen["asks"] = check(pilot)
        await press(pilot, "d")
        seen["details"] = check(pilot)
        await press(pilot, "escape", "escape")
        bench.executor(bench.folder / "graph.toml").decide("r-1", Decision.approve(by="ana"))
        await press(pilot, "s")
        await look(pilot, "3", "4", "5k", "5k", "9", "2")
        await press(pilot, "5", "enter")
        seen["expanded"] = check(pilot)

    bench.play(script, bench.trusted(GRAPH, work=WORK), size=size)
    assert "\\u3164" in seen["9"]
    assert "\\u3164" in seen["asks"]


def test_home_tells_what_waits_on_one_line(bench: Bench) -> None:
    bench.run(bench.trusted(GRAPH, work=WORK), steps=2)

    async def script(pilot: P) -> None:
        assert f"\\n{FORGED[:4]}" in check(pilot) or "\\u3164" in check(pilot)

    bench.play(script)


def test_what_is_printed_when_the_app_is_left_is_visible(bench: Bench) -> None:
    text = GRAPH.replace("[nodes.ask]", f"[nodes.{json.dumps(f'ask{chr(10)}{FORGED}{chr(27)}[2J')}]")
    text = text.replace('to = "ask"', f"to = {json.dumps(f'ask{chr(10)}{FORGED}{chr(27)}[2J')}")
    text = text.replace('from = "ask"', f"from = {json.dumps(f'ask{chr(10)}{FORGED}{chr(27)}[2J')}")
    bench.run(bench.trusted(text, work=WORK), steps=2)

    async def script(pilot: P) -> list[str]:
        await pilot.press("ctrl+q")
        await until(pilot, lambda: pilot.app.return_value is not None)
        return pilot.app.return_value or []

    words = bench.play(script)
    assert any(FORGED in word for word in words)
    for word in words:
        assert all(shows(word)), ascii(word)
        assert not word.strip().startswith(FORGED)
