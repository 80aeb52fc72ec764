"""Any text, on rows of any widths: what was seen of it is exactly what the rows have shown."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from stepgraph_tui.dialogs.approval.rows import Passage, Reading, RowWriter, Told, told
from stepgraph_tui.text.plain import visible_lines

ODD = "\u3164\u115f\u2800\u200d\ufe0f\u0301\u3000\U000e0041\u202e\x1b\t\n\u0915\u093e\u4ef7\U0001f468"
TEXTS = st.lists(
    st.one_of(st.text(max_size=30), st.sampled_from([*ODD, " "]).flatmap(lambda c: st.just(c * 40))),
    max_size=8,
).map("".join)
WIDTHS = st.integers(1, 200)


def passages_of(text: Told, width: int) -> list[Passage]:
    """What each row of a page of that width shows of a text."""
    page = RowWriter(width)
    page.text("Label", text)
    return [row.passage for row in page.rows if row.passage is not None]


@given(TEXTS, WIDTHS)
def test_the_rows_show_every_character_in_order(text: str, width: int) -> None:
    page = RowWriter(width)
    page.text("Label", told("Asks", text))
    shown = "".join(part for row in page.rows for part, role in row.parts if role == "data")
    assert "".join(shown.split()) == "".join("".join(visible_lines(text)).split())


@given(TEXTS, WIDTHS, WIDTHS, st.data())
def test_a_text_is_read_when_its_last_row_was_shown_and_no_sooner(
    text: str, width: int, other: int, data: st.DataObject
) -> None:
    whole, reading = told("Asks", text + "."), Reading()
    wanted = {"question": [(whole,)]}
    passages = [passage for passage in passages_of(whole, width) if passage.start < passage.stop]
    missed = data.draw(st.sampled_from(passages))
    for passage in passages:
        if passage != missed:
            reading.note(passage)
    for passage in passages_of(whole, other):  # at another size
        if passage.start < missed.stop and missed.start < passage.stop:
            assert reading.missing(wanted)
            reading.note(passage)
    assert not reading.missing(wanted)
