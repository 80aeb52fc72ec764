"""Building a graph in the whole app: where new nodes go, what deleted ones leave, what stays in place."""

from __future__ import annotations

from textual.geometry import Offset

from stepgraph_tui.dialogs.design import EdgeForm, NodeForm
from stepgraph_tui.dialogs.pick import Pick
from stepgraph_tui.dialogs.questions import GapQuestion
from tests.app.bench import SMALL, Bench, P, dialog, header, press, said, text, workbench
from tests.app.filling import fill, form_on_top, type_in
from tests.app.letters import EDGES, LETTERS, choose_edge, design, draw, edges, go, nodes, selected


def test_a_node_that_leads_somewhere_is_asked_whether_a_new_one_comes_between_or_on_a_branch(
    bench: Bench,
) -> None:
    async def script(pilot: P) -> None:
        await press(pilot, "a", "enter")
        dialog(pilot, Pick)
        assert "▸ between draft and check" in text(pilot)
        await press(pilot, "escape")
        assert edges(pilot) == EDGES
        await press(pilot, "a", "enter")
        await type_in(pilot, "branch")
        await press(pilot, "enter")
        form_on_top(pilot, NodeForm)
        await fill(pilot, name="spell")
        form_on_top(pilot, EdgeForm)  # it is tried before the one that always matches
        await fill(pilot, when="count > 5")
        assert edges(pilot) == ["draft spell", "draft check", "spell END", *EDGES[1:]]
        assert design(pilot).edges[0].table["when"] == "count > 5"
        await press(pilot, "u", "u", "u")
        await go(pilot, "check")
        await press(pilot, "a", "enter")
        assert "▸ between check and send" in text(pilot)  # the way that always matches, as before
        await press(pilot, "up", "enter", "ctrl+j")
        assert edges(pilot) == ["draft check", "check llm", "check send", "llm draft", "send END"]

    draw(bench, script, size=SMALL)


def test_a_node_at_the_end_of_a_way_is_simply_followed_by_the_new_one(bench: Bench) -> None:
    async def script(pilot: P) -> None:
        await go(pilot, "send")
        await press(pilot, "a", "enter")
        form_on_top(pilot, NodeForm)
        await press(pilot, "ctrl+j")
        assert edges(pilot) == [*EDGES[:3], "send llm", "llm END"]

    draw(bench, script)


def test_an_edge_is_led_to_a_node_that_is_not_there_yet(bench: Bench) -> None:
    async def script(pilot: P) -> None:
        await go(pilot, "send")
        await press(pilot, "C")
        assert "▸ +  new node..." in text(pilot)
        await type_in(pilot, "router")
        assert "new router node" in text(pilot)
        await press(pilot, "enter")
        form_on_top(pilot, NodeForm)
        await press(pilot, "escape")
        assert (edges(pilot), selected(pilot)) == (EDGES, "send")
        assert said(pilot) == "undid: add router on a branch of send"
        assert "SAVED" in header(pilot)
        assert not workbench(pilot).file.history.can_redo
        await press(pilot, "C")
        await type_in(pilot, "archive")
        await press(pilot, "enter")
        assert "The type of archive" in text(pilot)
        await press(pilot, "enter", "ctrl+j", "ctrl+j")  # its form, then that of the edge
        assert edges(pilot)[3:] == ["send archive", "send END", "archive END"]
        assert design(pilot).nodes["archive"].table["type"] == "llm"
        await press(pilot, "u")
        assert (nodes(pilot), edges(pilot)) == (["draft", "check", "send"], EDGES)

    draw(bench, script, size=SMALL)


def test_a_name_that_no_node_may_have_is_not_offered(bench: Bench) -> None:
    async def script(pilot: P) -> None:
        for name in ("check", "END"):
            await press(pilot, "C")
            await type_in(pilot, name)
            assert "new node" not in text(pilot)
            await press(pilot, "escape")

    draw(bench, script)


def test_esc_in_the_form_of_what_was_just_made_takes_it_back_and_accepting_keeps_it(bench: Bench) -> None:
    async def script(pilot: P) -> None:
        await choose_edge(pilot, "check")
        await press(pilot, "a", "enter")
        form_on_top(pilot, NodeForm)
        await press(pilot, "escape")
        assert (edges(pilot), selected(pilot)) == (EDGES, 0)  # the edge, as before
        assert "SAVED" in header(pilot)
        await go(pilot, "check")
        await press(pilot, "C")
        await type_in(pilot, "END")
        await press(pilot, "enter")
        form_on_top(pilot, EdgeForm)
        await press(pilot, "escape")
        assert (edges(pilot), selected(pilot)) == (EDGES, "check")
        await press(pilot, "C")
        await type_in(pilot, "END")
        await press(pilot, "enter", "ctrl+j")
        assert edges(pilot) == [*EDGES[:2], "check END", *EDGES[2:]]
        assert said(pilot) == "connect check to END"
        await press(pilot, "escape", "enter", "escape")  # one that was there stays when its form is left
        assert "check" in nodes(pilot)

    draw(bench, script)


def test_deleting_a_node_between_others_offers_to_bridge_the_gap_in_one_step(bench: Bench) -> None:
    async def script(pilot: P) -> None:
        await go(pilot, "check")
        await press(pilot, "d")
        dialog(pilot, GapQuestion)
        assert "draft → draft  when visits.draft < 2" in text(pilot)
        assert "The conditions after check are then tried" in text(pilot)
        await press(pilot, "escape")
        assert edges(pilot) == EDGES
        await press(pilot, "d", "b")
        assert edges(pilot) == ["draft draft", "draft send", "send END"]
        assert (selected(pilot), said(pilot)) == ("draft", "delete check and 3 edges; 2 edges instead")
        await press(pilot, "u")
        assert (edges(pilot), selected(pilot)) == (EDGES, "check")
        await press(pilot, "U")
        assert selected(pilot) == "draft"
        await press(pilot, "u", "d", "d")
        assert edges(pilot) == ["send END"]
        await press(pilot, "d")  # nothing leads to it: nothing is asked
        assert nodes(pilot) == ["send"]

    draw(bench, script, size=SMALL)


def test_a_gap_between_conditions_that_cannot_be_joined_is_said_to_stay(bench: Bench) -> None:
    python = LETTERS.replace('to = "check"', 'to = "check"\nwhen = { predicate = "letters:ready" }')

    async def script(pilot: P) -> None:
        await go(pilot, "check")
        await press(pilot, "d")
        assert nodes(pilot) == ["draft", "send"]
        assert "not bridged: the conditions before and after check cannot be combined" in said(pilot)

    draw(bench, script, python)


def test_the_target_of_an_edge_is_selected_in_its_form_to_be_typed_over(bench: Bench) -> None:
    async def script(pilot: P) -> None:
        await choose_edge(pilot, "check")
        await press(pilot, "enter")
        form_on_top(pilot, EdgeForm)
        await press(pilot, *"send", "ctrl+j")
        assert edges(pilot) == ["draft send", *EDGES[1:]]

    draw(bench, script)


# What stays in place

CHAIN = 'format = 1\nname = "chain"\nstart = "n0"\n' + "".join(
    f'[nodes.n{number}]\ntype = "llm"\nprompt = "Go."\nreplies = ["ok"]\n'
    f'[[edges]]\nfrom = "n{number}"\nto = "{f"n{number + 1}" if number < 29 else "END"}"\n'
    for number in range(30)
)


def place(pilot: P, node: str) -> Offset:
    """Where a node is on the screen."""
    viewport = workbench(pilot).panes.graph_view.viewport
    assert viewport.laid_out is not None
    return viewport.laid_out.place_of(node).offset + viewport.shift


def test_undo_and_deletion_leave_the_eyes_where_they_are(bench: Bench) -> None:
    async def script(pilot: P) -> None:
        await go(pilot, "n15")
        at = place(pilot, "n15")
        await press(pilot, "a", "enter", "enter", "ctrl+j")
        assert selected(pilot) == "llm"
        at = place(pilot, "n15")
        await press(pilot, "u")  # not to the start
        assert (selected(pilot), place(pilot, "n15")) == ("n15", at)
        below = place(pilot, "n14")
        await press(pilot, "d", "d")
        assert (selected(pilot), place(pilot, "n14")) == ("n14", below)
        await press(pilot, "u")
        assert (selected(pilot), place(pilot, "n14")) == ("n15", below)
        await press(pilot, "space", "k", "k", "k", "d", "d")  # the marked one goes, the selected one stays
        assert ("n15" in nodes(pilot), selected(pilot)) == (False, "n12")

    draw(bench, script, CHAIN, size=SMALL)


def test_undo_shows_what_it_changed_elsewhere(bench: Bench) -> None:
    async def script(pilot: P) -> None:
        await go(pilot, "n20")
        await press(pilot, "t")
        await type_in(pilot, "router")
        await press(pilot, "enter", "g")
        assert selected(pilot) == "n0"
        await press(pilot, "u")
        assert selected(pilot) == "n20"

    draw(bench, script, CHAIN, size=SMALL)


def test_undo_gives_back_the_very_picture_and_0_draws_afresh(bench: Bench) -> None:
    async def script(pilot: P) -> None:
        viewport = workbench(pilot).panes.graph_view.viewport

        def layers() -> list[int]:
            assert viewport.laid_out is not None
            return [box.layer for box in viewport.laid_out.picture.boxes]

        assert viewport.laid_out is not None
        first = viewport.laid_out.picture
        await choose_edge(pilot, "check")
        await press(pilot, "d")
        assert layers() == [0, 1, 2, 3]  # nothing led down to check any more, and it stays all the same
        await press(pilot, "u")
        assert viewport.laid_out.picture is first
        await press(pilot, "U", "0")
        assert layers() != [0, 1, 2, 3]

    draw(bench, script)
