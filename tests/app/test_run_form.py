"""The form that starts a run."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from typing import Any

import pytest
from textual.app import App
from textual.containers import VerticalScroll
from textual.pilot import Pilot

from stepgraph import StateGraph
from stepgraph.graphs.plan import CompiledGraph
from stepgraph.values.json_values import Json
from stepgraph.values.state import StateKey
from stepgraph_tui.dialogs.forms import FormDialog
from stepgraph_tui.dialogs.forms.editors import TextField
from stepgraph_tui.dialogs.forms.of_state import state_field
from stepgraph_tui.dialogs.run_form import RunForm, RunInputs
from stepgraph_tui.themes import DARK
from stepgraph_tui.widgets.chrome.line_field import LineField
from tests.app.forms import result, told
from tests.app.playing import play, screen_lines

REFUND = "graphs/refund_triage.toml"


class Host(App[None]):
    """Shows the form, and keeps what it hands back."""

    def __init__(self, graph: CompiledGraph, given: Mapping[str, Json] | None = None) -> None:
        super().__init__()
        self.form = FormDialog(RunForm(graph, given))
        self.answers: list[RunInputs | None] = []

    def on_mount(self) -> None:
        self.register_theme(DARK)
        self.theme = DARK.name
        self.push_screen(self.form, self.answers.append)

    @property
    def text(self) -> str:
        return "\n".join(screen_lines(self))


def graph(*keys: StateKey) -> CompiledGraph:
    """A graph that declares these keys."""
    made = StateGraph("made", start="work")
    made.add_node("work", lambda state: {})
    made.add_edge("work", "END")
    made.keys.update({key.name: key for key in keys})
    return made.compile()


def refund() -> CompiledGraph:
    return StateGraph.from_file(REFUND).compile()


def filled(
    app: CompiledGraph,
    *presses: str,
    given: Mapping[str, Json] | None = None,
    size: tuple[int, int] = (80, 24),
    then: Callable[[Pilot[None], Host], Awaitable[None]] | None = None,
) -> Host:
    """The host after some keys in the form."""
    host = Host(app, given)

    async def press(pilot: Pilot[None]) -> None:
        await pilot.press(*presses)
        await pilot.pause()
        if then is not None:
            await then(pilot, host)

    play(host, press, size)
    return host


TEXT = StateKey("words", type="text", input=True, note="What to say.")
AMOUNT = StateKey("amount", type="number", input=True)
LINES = StateKey("lines", type="text", input=True, default="one\ntwo")


def started(app: CompiledGraph, given: Mapping[str, Json] | None = None, /, **texts: str) -> RunInputs:
    """What comes of the form when some fields hold other texts."""
    answer = result(RunForm(app, given), **texts)
    assert isinstance(answer, RunInputs)
    return answer


def test_one_enter_takes_a_form_that_is_filled_in() -> None:
    assert filled(refund(), "enter").answers == [RunInputs({})]


def test_what_is_typed_becomes_the_input() -> None:
    assert started(graph(TEXT), words="a=1") == RunInputs({"words": "a=1"})
    assert started(graph(AMOUNT), amount="12.5") == RunInputs({"amount": 12.5})


def test_enter_goes_on_to_the_next_field_and_starts_behind_the_last() -> None:
    async def look(pilot: Pilot[None], host: Host) -> None:
        for words in ("Start a run of made", "words", "text, required", "What to say.", "Enter Next field"):
            assert words in host.text
        assert "missing" not in host.text  # before it was asked for
        await pilot.press(*"hi", "enter")
        assert "Enter Start" in host.text
        await pilot.press("7", "enter")

    assert filled(graph(TEXT, AMOUNT), then=look).answers == [RunInputs({"words": "hi", "amount": 7})]


def test_in_a_text_of_lines_enter_breaks_the_line_and_ctrl_j_starts() -> None:
    async def look(pilot: Pilot[None], host: Host) -> None:
        assert "Enter New line" in host.text
        await pilot.press("enter", *"zero", "ctrl+j")

    (answer,) = filled(graph(LINES), then=look).answers
    assert answer is not None
    assert answer.values == {"lines": "\nzeroone\ntwo"}


@pytest.mark.parametrize("key", ["ctrl+j", "ctrl+s"])
def test_ctrl_j_and_ctrl_s_start_from_any_field(key: str) -> None:
    assert filled(graph(TEXT, LINES), *"a", key).answers == [RunInputs({"words": "a"})]


def test_nothing_starts_while_something_is_wrong_and_the_cursor_goes_there() -> None:
    async def look(pilot: Pilot[None], host: Host) -> None:
        assert host.answers == []
        assert "is missing" in host.text
        assert isinstance(host.focused, LineField)
        await pilot.press(*"3x")
        assert 'takes a number, not "3x": write one such as 240' in host.text
        await pilot.press("backspace")
        assert "takes a number" not in host.text
        await pilot.press("shift+tab", "enter")
        assert host.answers == []  # Enter went on to the amount
        await pilot.press("enter")

    host = filled(graph(TEXT, AMOUNT), *"word", "enter", "enter", then=look)
    assert host.answers == [RunInputs({"words": "word", "amount": 3})]


def test_other_keys_and_the_runs_id_are_folded_away() -> None:
    async def unfold(pilot: Pilot[None], host: Host) -> None:
        assert "More: the run's id and 8 other keys" in host.text
        assert "category" not in host.text
        await pilot.press("tab", "enter")
        await pilot.pause()
        assert "category" in host.text
        await pilot.press("tab", *"r-mine", "enter", *"billing", "ctrl+j")

    assert filled(refund(), then=unfold).answers == [RunInputs({"category": "billing"}, "r-mine")]


def test_an_id_that_can_name_no_run_is_told_below_it() -> None:
    assert "cannot name a run" in told(RunForm(refund()), **{"run id": "x" * 201})["run id"]


def test_given_values_stand_in_the_form_and_are_handed_back() -> None:
    given: dict[str, Json] = {"amount": 3, "extra": [1, {"a": "b"}], "words": "x"}
    assert started(graph(TEXT, AMOUNT), given) == RunInputs(given)


def test_a_value_can_be_taken_away() -> None:
    key = StateKey("amount", type="number", input=True, default=3)
    assert started(graph(key), amount="") == RunInputs({"amount": None})
    text = StateKey("words", type="text", input=True, default="x")
    assert started(graph(text), words="") == RunInputs({"words": ""})


def test_a_graph_that_asks_for_nothing_starts_by_one_enter() -> None:
    async def look(pilot: Pilot[None], host: Host) -> None:
        assert "asks for no inputs" in host.text
        await pilot.press("enter")

    assert filled(graph(), then=look).answers == [RunInputs({})]


def test_esc_cancels_and_asks_only_when_something_was_typed() -> None:
    assert filled(graph(TEXT), "escape").answers == [None]

    async def answer(pilot: Pilot[None], host: Host) -> None:
        assert "Throw away what you typed?" in host.text
        await pilot.press("enter")
        assert host.screen is host.form
        await pilot.press("escape", "y")

    assert filled(graph(TEXT), "a", "escape", then=answer).answers == [None]


def test_a_secret_is_never_seen() -> None:
    key = StateKey("token", type="text", input=True, secret=True, default="hunter2-secret")

    async def look(pilot: Pilot[None], host: Host) -> None:
        await pilot.press(*"abc")
        assert "hunter2" not in host.text
        assert "abc" not in host.text
        await pilot.press("enter")

    assert filled(graph(key), then=look).answers == [RunInputs({"token": "abc"})]


def test_a_wrong_secret_is_not_quoted() -> None:
    key = StateKey("pin", type="number", input=True, secret=True)
    wrong = told(RunForm(graph(key)), pin="sesame")["pin"]
    assert "takes a number" in wrong
    assert "sesame" not in wrong


@pytest.mark.parametrize("size", [(80, 24), (1, 1)])
def test_hostile_names_notes_and_values_are_data(size: tuple[int, int]) -> None:
    evil = "[red]\x1b[31mred\u202e \u4e2d\u6587 [/nothing]"
    keys = [
        StateKey(evil, type="text", input=True, note=evil, default=evil),
        StateKey("list", type="list", input=True, default=[evil] * 50),
        StateKey("rtl", type="text", input=True, default="\u05e9\u05dc\u05d5\u05dd " * 40),
    ]

    async def look(pilot: Pilot[None], host: Host) -> None:
        for line in screen_lines(host):
            assert line.isprintable()
        await pilot.press("ctrl+j")

    assert filled(graph(*keys), size=size, then=look).answers == [RunInputs({})]


def test_what_is_pasted_cannot_move_the_cursor() -> None:
    from textual.events import Paste

    async def paste(pilot: Pilot[None], host: Host) -> None:
        field = host.form.query_one(TextField)
        field.post_message(Paste("a\x1b[2Jb\r\nc"))
        await pilot.pause()
        assert field.text == "a\\x1b[2Jb\nc"
        line = host.form.query_one(LineField)
        line.post_message(Paste("1\x1b2\nrest"))
        await pilot.pause()
        assert line.value == "1\\x1b2"
        line.select_all()
        line.post_message(Paste("3"))
        await pilot.pause()
        assert line.value == "3"

    filled(graph(TEXT, AMOUNT), then=paste)


def test_a_huge_value_is_kept_as_it_is() -> None:
    given: dict[str, Json] = {"words": "x" * 10_000_000, "amount": 1}

    async def look(pilot: Pilot[None], host: Host) -> None:
        assert "10,000,000 characters" in host.text
        await pilot.press("enter")

    assert filled(graph(TEXT, AMOUNT), given=given, then=look).answers == [RunInputs(given)]


def test_a_graph_of_many_keys_still_opens() -> None:
    keys = [StateKey(f"key{number}") for number in range(3_000)]
    app = graph(TEXT, *keys)

    async def unfold(pilot: Pilot[None], host: Host) -> None:
        await pilot.press(*"a", "tab", "enter")
        await pilot.pause()
        host.form.query_one(VerticalScroll).scroll_end(animate=False)
        await pilot.pause()
        assert "2,960 more" in host.text
        await pilot.press("ctrl+j")

    assert filled(app, then=unfold).answers == [RunInputs({"words": "a"})]


@pytest.mark.parametrize(
    ("type_", "value"),
    [
        ("text", "plain"),
        ("text", "12"),
        ("text", '"quoted"'),
        ("text", "null"),
        ("text", "tab\tand \x00"),
        ("text", " "),
        ("number", 12.5),
        ("number", 10**30),
        ("boolean", False),
        ("list", [1, "two", None]),
        ("table", {"a": {"b": ["\x1b"] * 40}}),
        (None, "12"),
        (None, "true"),
        (None, "twelve"),
        (None, ""),
        (None, " spaced "),
        (None, {"a": 1}),
    ],
)
def test_a_value_survives_being_written_and_read(type_: Any, value: Json) -> None:
    field = state_field(StateKey("key", type=type_), value)
    assert field.read(field.text) == value
    fresh = state_field(StateKey("key", type=type_), None)
    if value != "" and not (type_ == "text" and field.text != value):  # text is never TOML in a new field
        assert fresh.read(field.text) == value
    assert all(line.isprintable() for line in field.text.split("\n"))


def test_what_only_the_engine_refuses_is_told_below_all_fields() -> None:
    async def look(pilot: Pilot[None], host: Host) -> None:
        assert "the input 'amount' is refused" in host.text

    given: dict[str, Json] = {"amount": "from a run of an older graph"}
    host = filled(graph(StateKey("amount", type="number")), "ctrl+j", given=given, then=look)
    assert host.answers == []


def test_an_error_that_is_folded_away_is_unfolded() -> None:
    async def fold(pilot: Pilot[None], host: Host) -> None:
        await pilot.press("tab", "enter", "tab", "tab", "tab", *"x", "shift+tab", "shift+tab", "shift+tab")
        await pilot.press("enter")
        await pilot.pause()
        assert "takes a number" not in host.text
        await pilot.press("ctrl+j")
        await pilot.pause()
        assert "takes a number" in host.text
        await pilot.press("backspace", "ctrl+j")

    app = graph(TEXT, StateKey("words2", type="text"), StateKey("amount", type="number"))
    assert filled(app, "a", then=fold).answers == [RunInputs({"words": "a"})]
