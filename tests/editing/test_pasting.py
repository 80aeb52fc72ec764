"""Copying, cutting and pasting nodes as text."""

from __future__ import annotations

import pytest

from stepgraph.editing import EditError
from stepgraph.editing.nodes import DeleteNodes
from stepgraph.editing.pasting import Paste, copied
from tests.editing.designs import design_of, edited, ways


@pytest.mark.parametrize("names", [[], ["nobody"], ["END"]])
def test_only_nodes_can_be_copied_and_cut(names: list[str]) -> None:
    with pytest.raises(EditError):
        copied(design_of(), names)
    with pytest.raises(EditError):
        edited(DeleteNodes(names, "cut"))


def test_what_was_cut_and_pasted_is_there_again() -> None:
    design = design_of()
    text = copied(design, ["review"])
    cut = DeleteNodes(["review"], "cut").apply(design)
    assert cut.said == "cut review and 3 edges"
    pasted = Paste(text, "draft").apply(cut.design)
    assert pasted.said == "paste review and 2 edges after draft"
    assert pasted.design.document()["nodes"].keys() == design.document()["nodes"].keys()
    assert sorted(ways(pasted.design)) == sorted(ways(design))


def test_edges_to_places_that_are_not_here_are_left_out_and_counted() -> None:
    text = copied(design_of(), ["classify"])
    done = edited(Paste(text), "")
    assert done.said == "paste classify and 1 edge; without 1 edge to places that do not exist here"
    assert ways(done.design) == ["classify -> END"]
    assert done.design.start == "classify"


def test_a_node_without_any_way_out_leads_on_to_where_the_way_led() -> None:
    done = edited(Paste('[nodes.new]\ntype = "llm"\nprompt = "p"\n', "look_up"))
    assert ways(done.design)[2:4] == ["look_up -> new", "new -> draft"]
    assert ways(edited(Paste("[nodes.new]\n")).design)[-1] == "new -> END"


def test_the_old_way_stays_when_nothing_pasted_leads_there() -> None:
    design = design_of()
    done = Paste(copied(design, ["review"]), "look_up").apply(design)
    assert ways(done.design)[2:4] == [
        "look_up -> review_2",
        'review_2 -> draft if decision == "reject" and visits.draft < 3',
    ]
    text = '[nodes.new]\n[[edges]]\nfrom = "new"\nto = "END"\n'
    assert ways(edited(Paste(text, "look_up")).design)[2:5] == [
        "look_up -> new",
        "look_up -> draft",
        "new -> END",
    ]


def test_keys_and_tools_that_are_missing_come_along() -> None:
    text = "[state.ticket]\nsecret = true\n[state.extra]\n[tools.look_up]\n[tools.send]\n[nodes.n]\n"
    done = edited(Paste(text))
    assert done.said == "paste n, extra and send"
    assert done.design.keys["ticket"].table == {"input": True}
    assert list(done.design.keys) == ["ticket", "order", "extra"]
    assert list(done.design.tools) == ["look_up", "send"]


def test_edges_alone_can_be_pasted() -> None:
    done = edited(Paste('[[edges]]\nfrom = "draft"\nto = "draft"\nwhen = "step > 1"\n'))
    assert (done.said, done.node) == ("paste 1 edge", None)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "   \n\n",
        "hello world",
        "name = 'x'",
        "\x1b[31mred\x00\nmore",
        "[nodes.a",
        "[nodes]\na = 5",
        "nodes = 3",
        "x" * 100_000,
        "[[[[" * 10_000,
        "half \ud83d",
        "[nodes.a]\ntype = 5000000000000000000000000000000" + "0" * 5000,
        "[state.ticket]\n",
        '[[edges]]\nfrom = "nobody"\nto = "draft"\n',
        "a." * 5000 + "b = 1",
    ],
)
def test_garbage_is_refused_in_one_readable_line(text: str) -> None:
    with pytest.raises(EditError) as caught:
        edited(Paste(text))
    assert caught.value.hint
    assert caught.value.message.isprintable()
    assert len(caught.value.message) < 300


def test_the_node_to_paste_behind_must_exist() -> None:
    with pytest.raises(EditError, match="there is no node nobody"):
        edited(Paste("[nodes.a]\n", "nobody"))
    assert edited(Paste("[nodes.a]\n", "END"), "").node == "a"


def test_nodes_with_reserved_names_get_others() -> None:
    assert edited(Paste("[nodes.END]\n")).node == "END_2"
