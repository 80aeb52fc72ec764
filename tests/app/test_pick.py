"""Taking one of many by a part of its name."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from textual.events import Paste
from textual.pilot import Pilot
from textual.widgets import Input

from stepgraph.editing import Design, Part
from stepgraph.nodes.registry import node_types
from stepgraph_tui.dialogs.pick import Pick, PickList, PickOption, ranked, targets_to_pick, types_to_pick
from tests.app.asking import Asking, answered, answered_in_turn
from tests.app.playing import play, screen_lines

FEW = (
    PickOption("draft", "draft", "llm", "L"),
    PickOption("review_draft", "review_draft", "approval", "A"),
    PickOption("notify", "notify", "tool, tells the customer of the draft", "T"),
    PickOption("END", "END", "the run ends here"),
)
MANY = [PickOption(f"node_{number}", f"node_{number}", "llm", "L") for number in range(2_000)]


class Host(Asking):
    """Asks to pick, and keeps the answer."""

    def __init__(self, choices: Sequence[PickOption], hint: str = "", current: str = "") -> None:
        super().__init__(Pick("Connect draft to", choices, hint=hint, current=current))


def test_all_choices_are_listed_in_their_order_with_letters_and_notes() -> None:
    _, text = answered(Host(FEW, hint="The edge comes last."))
    names = ("The edge comes last.", "▸ L  draft", "A  review_draft", "approval", "T  notify", "END")
    places = [text.index(name) for name in names]
    assert places == sorted(places)
    assert "Connect draft to" in text
    assert "Enter Accept  ↓ Down  ↑ Up  Esc Cancel" in text


def test_typing_narrows_it_down_arrows_move_and_enter_takes() -> None:
    cases: dict[tuple[str, ...], str] = {
        ("enter",): "draft",
        ("ctrl+j",): "draft",
        ("up", "enter"): "draft",
        ("down", "down", "up", "enter"): "review_draft",
        ("pagedown", "enter"): "END",
        ("pagedown", "down", "pageup", "enter"): "draft",
        (*"rvw", "enter"): "review_draft",
        (*"x", "backspace", "down", "enter"): "review_draft",
    }
    told = answered_in_turn(lambda _: Pick("Connect draft to", FEW), *cases)
    assert [answers for answers, _ in told] == [[answer] for answer in cases.values()]


def test_esc_takes_nothing() -> None:
    assert answered(Host(FEW), *"not", "escape")[0] == [None]


def test_when_nothing_fits_it_says_so_and_enter_takes_nothing() -> None:
    answers, text = answered(Host(FEW), *"zz9", "down", "pagedown", "enter")
    assert answers == []
    assert "Nothing here fits 'zz9'." in text


def test_without_choices_there_is_nothing_to_take() -> None:
    answers, text = answered(Host(()), "enter", "down")
    assert answers == []
    assert "There is nothing to choose." in text


def test_the_current_choice_has_the_cursor_until_something_is_typed() -> None:
    told = answered_in_turn(
        lambda _: Pick("Connect draft to", FEW, current="notify"),
        ["enter"],
        [*"dr", "enter"],
        ["d", "backspace", "enter"],
    )
    assert [answers for answers, _ in told] == [["notify"], ["draft"], ["notify"]]
    assert answered(Host(FEW, current="gone"), "enter")[0] == ["draft"]


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("draft", ["draft", "review_draft", "notify"]),  # the name, a part of a name, a part of a note
        ("DRAFT", ["draft", "review_draft", "notify"]),
        ("draft review", ["review_draft"]),
        ("tool tells", ["notify"]),
        ("re", ["review_draft", "END"]),
        ("ntf", ["notify"]),
        ("dd", []),
        ("   ", ["draft", "review_draft", "notify", "END"]),
        ("][^-\\", []),
        ("x" * 1_000, []),
    ],
)
def test_the_best_match_comes_first(text: str, names: list[str]) -> None:
    assert [choice.name for choice in ranked(FEW, text)] == names


def test_a_name_that_is_typed_in_full_comes_before_longer_ones() -> None:
    assert [choice.name for choice in ranked(MANY, "node_1")][:3] == ["node_1", "node_10", "node_11"]
    assert all(choice.name.startswith("node_1") for choice in ranked(MANY, "node_1")[:1_111])


def test_letters_are_matched_in_a_reasonable_time_whatever_the_names_are() -> None:
    long = [PickOption("a", "a" * 10_000_000, "b" * 10_000_000)] * 100
    assert ranked(long, "a" * 399 + "c") == []
    assert ranked(long, "a" * 400) == long


@pytest.mark.parametrize("size", [(80, 24), (20, 5)])
def test_thousands_of_choices_scroll_with_the_cursor(size: tuple[int, int]) -> None:
    keys = [*["pagedown"] * 3, "down"]
    (_, text), (answers, _) = answered_in_turn(
        lambda _: Pick("Connect draft to", MANY), keys, [*keys, "enter"], size=size
    )
    assert f"▸ L  {answers[0]}" in text


def clicked(host: Host, line: int, times: int = 1) -> tuple[list[str | None], str]:
    """What was handed back after a click on a line of the list, and the screen."""

    async def click(pilot: Pilot[None]) -> str:
        await pilot.click(PickList, offset=(3, line), times=times)
        await pilot.pause()
        return "\n".join(screen_lines(host))

    text = play(host, click)
    return host.answers, text


def test_a_click_selects_and_only_a_second_one_takes() -> None:
    answers, text = clicked(Host(FEW), 2)
    assert answers == []
    assert "▸ T  notify" in text
    assert clicked(Host(FEW), 2, times=2)[0] == ["notify"]


def test_a_click_beside_the_choices_does_nothing() -> None:
    host = Host(FEW)

    async def click(pilot: Pilot[None]) -> None:
        await pilot.press(*"notify")
        await pilot.click(PickList, offset=(3, 2), times=2)
        await pilot.pause()

    play(host, click)
    assert host.answers == []


def test_the_dialog_stays_where_it_is_while_it_is_narrowed_down() -> None:
    def frame(text: str) -> list[int]:
        return [at for at, line in enumerate(text.splitlines()) if set("┏┗") & set(line)]

    assert frame(answered(Host(FEW))[1]) == frame(answered(Host(FEW), *"zz9")[1])


HOSTILE = (
    PickOption("a", "\x1b[31mred [bold]name[/] \u202eabc", "two\nlines", "\x07"),
    PickOption("b", "漢字" * 200, "ملاحظة"),
    PickOption("c", "x" * 10_000, "y" * 10_000),
    PickOption("d", "", ""),
)


@pytest.mark.parametrize("size", [(80, 24), (1, 1)])
def test_whatever_the_choices_say_shows_as_data(size: tuple[int, int]) -> None:
    (answers, text), (taken, _) = answered_in_turn(
        lambda _: Pick("Connect draft to", HOSTILE, hint="[red]\x1b[0m hint"),
        [],
        [*"[bold", "enter"],
        size=size,
    )
    assert answers == []
    assert taken == ["a"]
    assert "\x1b" not in text
    assert "\u202e" not in text
    if size == (80, 24):
        assert r"\x1b[31mred [bold]name[/] \u202eabc" in text
        assert "[red]\\x1b[0m hint" in text


def test_a_pasted_text_is_one_line_of_bounded_length() -> None:
    host = Host(FEW)

    async def paste(pilot: Pilot[None]) -> tuple[str, str]:
        field = host.screen.query_one(Input)
        field.post_message(Paste("noti\x1b\nmore"))
        await pilot.pause()
        first = field.value
        field.value = ""
        field.post_message(Paste("x" * 5_000_000))
        await pilot.pause()
        return first, field.value

    assert play(host, paste) == (r"noti\x1b", "")


def test_every_node_type_is_offered_with_its_letter_and_what_it_does() -> None:
    types = types_to_pick()
    assert [choice.id for choice in types] == list(node_types())
    assert [choice.mark for choice in types][:5] == ["L", "T", "A", "R", "H"]
    assert types[0].note == "Asks a model and puts its reply into the state"
    assert all(choice.note for choice in types)


def test_an_edge_can_lead_to_every_node_and_to_end() -> None:
    tables: dict[str, dict[str, object]] = {
        "draft": {"type": "llm"},
        "review": {"type": "approval"},
        "odd": {"type": 3},
        "bare": {},
    }
    nodes = [Part("nodes", name, table) for name, table in tables.items()]
    edges = [Part("edges", "", {"from": "draft", "to": "review"}), Part("edges", "", {"from": "draft"})]
    design = Design({"start": "draft"}, (*nodes, *edges))
    told = [(choice.id, choice.mark, choice.note) for choice in targets_to_pick(design, "draft")]
    assert told == [
        ("draft", "L", "llm, this node itself"),
        ("review", "A", "approval, has an edge"),
        ("odd", "3", "3"),
        ("bare", "?", ""),
        ("END", "", "the run ends here"),
    ]
    assert [choice.note for choice in targets_to_pick(design)][:2] == ["llm", "approval"]
