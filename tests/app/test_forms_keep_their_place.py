"""A form stays where it is and as large as it is, whatever is said in it."""

from __future__ import annotations

from textual.geometry import Region
from textual.pilot import Pilot

from stepgraph_tui.dialogs.design import EdgeForm, NodeForm
from tests.app.forms import DEFAULTS, REFUND, Host, filled


def frame(host: Host) -> Region:
    return host.screen.query_one(".frame").region


def test_an_error_line_moves_nothing_but_what_is_below_it() -> None:
    async def look(pilot: Pilot[None], host: Host) -> None:
        before = frame(host)
        for words in ("x", '"', "tab", "tab", "tab"):
            await pilot.press(words)
            await pilot.pause()
            assert frame(host) == before
        assert "✗" in host.text

    filled(NodeForm(DEFAULTS, "x"), *["tab"] * 6, then=look, size=(120, 40))


def test_a_list_of_completions_lies_above_the_form() -> None:
    async def look(pilot: Pilot[None], host: Host) -> None:
        place, below = frame(host), [view.region for view in host.screen.query("FieldView")]
        await pilot.press(*"ca")
        await pilot.pause()
        assert "▸ category" in host.text
        assert frame(host) == place
        assert [view.region for view in host.screen.query("FieldView")] == below

    edge = next(at for at, edge in enumerate(REFUND.edges) if edge.target == "END")
    form = EdgeForm(REFUND, edge, names=["category", "order"], is_new=True)
    filled(form, then=look, size=(120, 40))


def test_a_label_of_one_blank_is_refused_at_its_field() -> None:
    async def look(pilot: Pilot[None], host: Host) -> None:
        assert "a blank label cannot be seen" in host.text
        await pilot.press("ctrl+j")
        await pilot.pause()
        assert host.answers == []
        await pilot.press("backspace", "ctrl+j")
        await pilot.pause()
        assert host.answers == [None]

    edge = next(at for at, edge in enumerate(REFUND.edges) if "label" not in edge.table)
    form = EdgeForm(REFUND, edge)
    label = next(at for at, field in enumerate(form.contents.fields) if field.name == "label")
    shown = [field for field in form.contents.fields[:label] if field not in form.absent(form.answers())]
    filled(form, *["tab"] * len(shown), "space", then=look, size=(120, 40))
