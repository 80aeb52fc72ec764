"""Whatever a file, a state or a terminal brings: the app opens, says what is wrong, and stays usable."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from stepgraph.reviews.inbox import Reviews
from stepgraph_tui.app import StepgraphApp
from stepgraph_tui.dialogs.questions import TrustDialog
from stepgraph_tui.dialogs.run_form import RunForm
from stepgraph_tui.drawing.picture.glyphs import ASCII
from stepgraph_tui.screens.inbox import InboxScreen
from stepgraph_tui.text.cells import cell_len
from tests.app.bench import (
    GRAPHS,
    LARGE,
    REFUND,
    SMALL,
    Bench,
    P,
    dialog,
    header,
    press,
    said,
    settle,
    shown,
    start,
    text,
    until,
    workbench,
)
from tests.app.filling import form_on_top
from tests.app.gates import GATED
from tests.app.playing import screen_lines

TABS = "23456791"
WRONG = """
format = 1
name = "wrong"
start = "nowhere"

[nodes.a]
type = "router"
key = "amount"
threshold = 1
high = "h"
low = "l"

[[edges]]
from = "a"
to = "b"
"""
KEEP = """
format = 1
name = "keep"
start = "keep"

[state.value]
default = 0

[nodes.keep]
type = "router"
key = "number"
threshold = 1
high = "high"
low = "low"

[state.number]
type = "number"
default = 3

[[edges]]
from = "keep"
to = "END"
when = "number > 0 and value != 1"
label = "kept"
"""


async def through_all_tabs(pilot: P) -> list[str]:
    """Show each tab, and move in two of them."""
    seen = []
    for tab in TABS:
        await pilot.press(tab, *("kj" if tab in "35" else ""))
        seen.append(text(pilot))
    return seen


# Graph files


def test_a_file_with_errors_opens_on_its_problems(bench: Bench) -> None:
    async def script(pilot: P) -> None:
        assert shown(pilot) == "problems"
        assert "nowhere" in text(pilot)
        assert "6 shows them" in said(pilot)
        await press(pilot, "c")
        assert pilot.app.screen is workbench(pilot)
        assert "NO RUN" in header(pilot)
        await through_all_tabs(pilot)
        bench.graph(KEEP)
        await press(pilot, "c")
        form_on_top(pilot, RunForm)
        await press(pilot, "enter", "s")
        assert "ENDED" in header(pilot)

    bench.play(script, bench.graph(WRONG))


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (b"", "F0"),
        (b"format = 1\nname = [\n", "line"),
        (b"\xff\xfe\x00graph", "UTF-8"),
        (b'format = 1\nname = "' + b"x" * 100_000 + b'"\n[nodes.a]', ""),
    ],
    ids=["empty", "syntax", "binary", "long"],
)
def test_what_is_no_graph_file_is_told_as_a_problem(bench: Bench, content: bytes, told: str) -> None:
    path = bench.folder / "graph.toml"
    path.write_bytes(content)

    async def script(pilot: P) -> None:
        assert shown(pilot) == "problems"
        await press(pilot, *"scrtS[Xp")
        assert pilot.app.screen is workbench(pilot)
        assert told in text(pilot)
        assert "NO RUN" in header(pilot)
        await press(pilot, "A")
        assert "Nothing waits for you." in text(pilot)
        await press(pilot, "q")
        assert pilot.app.screen is workbench(pilot)
        assert told in text(pilot)

    bench.play(script, path)


def test_reviews_are_decided_above_a_file_that_is_no_graph(bench: Bench) -> None:
    path = bench.folder / "graph.toml"
    path.write_bytes(b"format = 1\nname = [\n")
    review = bench.run(REFUND, steps=5).pending
    assert review is not None

    async def script(pilot: P) -> None:
        await press(pilot, "A", "enter", "n", *"no", "enter", "enter")
        await until(pilot, lambda: isinstance(pilot.app.screen, InboxScreen) and "rejected by" in text(pilot))
        await press(pilot, "q")
        assert pilot.app.screen is workbench(pilot)
        assert "0 waiting" in header(pilot)

    bench.play(script, path)
    assert Reviews(bench.store).get(review.id).status == "decided"


def test_a_file_that_is_gone_is_told_as_a_problem(bench: Bench) -> None:
    async def script(pilot: P) -> None:
        assert "gone.toml" in text(pilot)
        await through_all_tabs(pilot)

    bench.play(script, bench.folder / "gone.toml", size=LARGE)


def test_a_file_that_was_broken_meanwhile_starts_nothing_and_shows_why(bench: Bench) -> None:
    path = bench.graph(KEEP)

    async def script(pilot: P) -> None:
        await start(pilot)
        await press(pilot, "s")
        bench.graph("format = 1\nname = [\n")
        await press(pilot, "c")
        assert pilot.app.screen is workbench(pilot)
        assert shown(pilot) == "problems"
        assert "ENDED" in header(pilot)
        await press(pilot, "S")
        assert "run r-1" in header(pilot)
        assert "keep" in text(pilot)

    bench.play(script, path)


def test_a_run_goes_on_when_its_file_is_gone(bench: Bench) -> None:
    path = bench.graph(KEEP)
    run = bench.run(path)
    path.unlink()

    async def script(pilot: P) -> None:
        assert "READY" in header(pilot)
        await press(pilot, "s")
        assert "ENDED" in header(pilot)

    bench.play(script, path, run=run.id)


def test_a_run_that_is_not_there_any_more_is_not_missed(bench: Bench) -> None:
    async def script(pilot: P) -> None:
        assert "NO RUN" in header(pilot)

    bench.play(script, REFUND, run="r-99")


# Code


def test_code_runs_only_after_it_was_trusted(bench: Bench) -> None:
    path = bench.graph(GATED, work="def count(state):\n    return {}\n\nwait = count\n")

    async def script(pilot: P) -> None:
        await start(pilot)
        question = dialog(pilot, TrustDialog)
        assert "not trusted yet" in question.question
        listed = "".join(line.strip(" │┃") for line in screen_lines(pilot.app))
        assert "graph.toml" in listed
        assert "work.py" in listed
        await press(pilot, "enter")
        assert "NO RUN" in header(pilot)
        assert said(pilot) == "! not trusted: nothing ran"
        await press(pilot, "c", "enter", "y")
        assert "READY   step 0" in header(pilot)
        await press(pilot, "c")
        assert "ENDED   step 3" in header(pilot)

    bench.play(script, path, size=(160, 40))
    assert bench.nodes("r-3") == ["first", "wait", "last"]


def test_code_is_not_trusted_in_a_browser(bench: Bench) -> None:
    bench.in_browser = True
    other = bench.trusted(GATED, "other.toml", work="def count(state):\n    return {}\n\nwait = count\n")
    run = bench.run(other)
    path = bench.graph(GATED, work="def count(state):\n    return {'n': 1}\n\nwait = count\n")

    async def script(pilot: P) -> None:
        await start(pilot)
        assert f"stepgraph run {path}" in dialog(pilot, TrustDialog).remarks[0]
        await press(pilot, "y", "f", "y", "escape")
        assert said(pilot) == "! not trusted: nothing ran"

    async def stored(pilot: P) -> None:
        await press(pilot, "s")
        assert f"stepgraph step {run.id}" in dialog(pilot, TrustDialog).remarks[0]
        await press(pilot, "y", "f", "y", "escape")
        assert said(pilot) == "! not trusted: nothing ran"

    bench.play(script, path, size=(160, 40))
    bench.play(stored, other, run=run.id, size=(160, 40))
    assert bench.store.load(run.id).pointer.step == 0


def test_code_that_does_not_import_is_told_and_can_be_mended(bench: Bench) -> None:
    path = bench.trusted(GATED, work="def count(:\n")

    async def script(pilot: P) -> None:
        await start(pilot)
        assert "does not import" in said(pilot)
        bench.trusted(GATED, work="def count(state):\n    return {}\n\nwait = count\n")
        await start(pilot)
        assert "READY   step 0" in header(pilot)

    bench.play(script, path, size=LARGE)


def test_what_a_node_prints_is_in_the_log_and_nowhere_else(bench: Bench) -> None:
    path = bench.trusted(
        GATED, work="def count(state):\n    raise ValueError('\\x1b[31mred [b]\\u202e')\n\nwait = count\n"
    )

    async def script(pilot: P) -> None:
        await start(pilot)
        await press(pilot, "s")
        page = text(pilot)
        assert "\\x1b[31mred [b]\\u202e" in page
        assert "\x1b" not in page
        assert "\u202e" not in page

    bench.play(script, path, size=LARGE)


# Values


SMALL_VALUES: dict[str, object] = {
    "escapes": "\x1b[31mred\x1b]0;title\x07 [bold]markup[/] \x00\x9b \u202eabc",
    "right to left": "שלום עולם مرحبا بالعالم",
    "wide": "漢字かな交じり文 👩‍👩‍👧‍👦",
    "keys": {"[red]": 1, "\x1b[2J": 2, "": 3, "漢字": 4, "a.b": 5},
    "nothing": [None, "", {}, []],
    "numbers": [1e308, -0.0, 10**100, True],
}


def deep(levels: int) -> Any:
    """A value in a value in a value."""
    value: Any = "the bottom"
    for _ in range(levels):
        value = {"down": [value]}
    return value


@pytest.mark.parametrize(
    "value",
    [
        SMALL_VALUES,
        deep(40),
        "word " * 2_000_000,
        "x" * 10_000_000,
        [{"id": number, "name": "n"} for number in range(100_000)],
    ],
    ids=["hostile", "deep", "a text of 10 MB", "a line of 10 MB", "100,000 items"],
)
def test_every_tab_stays_usable_with_any_value(bench: Bench, value: Any) -> None:
    path = bench.graph(KEEP)
    run = bench.run(path, {"value": value}, steps=1)

    async def script(pilot: P) -> None:
        await pilot.press("2", "g", "G", "l", "v")
        pages = [text(pilot), *await through_all_tabs(pilot)]
        await pilot.press("2", "enter")
        pages.append(text(pilot))
        await pilot.press("escape", "/", *"na", "enter", "n", "escape")
        await pilot.press("5", "k", "enter")
        pages.append(text(pilot))
        for line in "\n".join(pages).splitlines():
            assert not {character for character in line if ord(character) < 32 or character in "\x9b\u202e"}
            assert cell_len(line) <= 80

    bench.play(script, path, run=run.id)


def test_a_large_value_can_be_given_to_the_next_run(bench: Bench) -> None:
    path = bench.graph(KEEP)
    run = bench.run(path, {"value": "x" * 1_000_000}, steps=1)

    async def script(pilot: P) -> None:
        await press(pilot, "S")
        assert "READY   step 0" in header(pilot)

    bench.play(script, path, run=run.id)
    assert len(str(bench.load("r-2").values["value"])) == 1_000_000


# Terminals


def test_without_colour_everything_is_still_said(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    run = bench.run(REFUND, steps=5)

    async def script(pilot: P) -> None:
        await through_all_tabs(pilot)
        assert "AWAITING HUMAN" in header(pilot)
        await press(pilot, "A")
        assert "RISK HIGH" in text(pilot)
        strips = pilot.app.screen._compositor.render_strips()
        colours = {
            segment.style.color.name
            for strip in strips
            for segment in strip
            if segment.style is not None and segment.style.color is not None
        }
        assert all(red == green == blue for red, green, blue in map(_parts, colours)), colours

    bench.play(script, REFUND, run=run.id)


def _parts(colour: str) -> tuple[str, str, str]:
    return colour[1:3], colour[3:5], colour[5:7]


def test_a_terminal_that_has_ascii_alone_shows_nothing_else(bench: Bench) -> None:
    run = bench.run(REFUND, {"ticket": "order 8812, 漢字"}, steps=5)
    app = bench.app(REFUND)
    app.context.glyphs = ASCII

    async def look() -> None:
        async with app.run_test(size=SMALL) as pilot:
            await pilot.pause()
            workbench(pilot).runs.shown.open(run.id)
            pages = await through_all_tabs(pilot)
            await press(pilot, "A")
            pages.append(text(pilot))
            await press(pilot, "escape", "?")
            pages.append(text(pilot))
            odd = {character for page in pages for character in page if ord(character) > 126}
            assert odd <= set("漢字"), odd

    asyncio.run(look())
    app.context.store.close()


def test_a_terminal_of_any_size_shows_it_all_again_afterwards(bench: Bench) -> None:
    run = bench.run(REFUND, steps=5)

    async def script(pilot: P) -> None:
        await pilot.resize_terminal(20, 5)
        await through_all_tabs(pilot)
        for key in ("A", "?", ":", "@", "ctrl+o"):
            await pilot.press(key, "escape")
        for size in ((1, 1), (300, 90), (40, 12)):
            await pilot.resize_terminal(*size)
            await pilot.press("2", "1")
        await pilot.resize_terminal(*SMALL)
        await press(pilot, "5")
        page = text(pilot)
        for part in ("AWAITING HUMAN   step 4/30", "┃ ► A review", "[2 State]", "after step 4", "4 steps"):
            assert part in page

    bench.play(script, REFUND, run=run.id)


def test_the_smallest_workbench_has_header_and_pane(bench: Bench) -> None:
    run = bench.run(REFUND, steps=2)

    async def script(pilot: P) -> None:
        assert "READY" in header(pilot)
        await press(pilot, "2", "s")
        assert "next_action" in text(pilot)

    bench.play(script, REFUND, run=run.id, size=(20, 5))
    assert len(bench.nodes()) == 3


def test_every_shipped_example_can_be_opened_and_started(bench: Bench) -> None:
    files = sorted(GRAPHS.glob("*.toml"))

    async def script(pilot: P) -> None:
        app = pilot.app
        assert isinstance(app, StepgraphApp)
        for number, file in enumerate(files, start=1):
            app.open_graph(file)
            await settle(pilot)
            await start(pilot)
            await press(pilot, "s")
            assert f"run r-{number}" in header(pilot)
            assert "step 1/" in header(pilot)
            await press(pilot, "q")

    bench.play(script, size=LARGE)
