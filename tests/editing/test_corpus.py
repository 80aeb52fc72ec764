"""Files with comments in odd places: after any edit each comment is where it belongs, or it was told."""

from __future__ import annotations

import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from stepgraph.editing import Design, Edit
from stepgraph.editing.edges import Connect, DeleteEdge, EditEdge, EditPart, EditSettings, MoveEdge
from stepgraph.editing.nodes import AddNode, ChangeType, DeleteNodes, DuplicateNodes
from stepgraph.editing.renaming import Rename
from stepgraph.editing.text import design_text, losses, read_design
from stepgraph.toml.revising import formatted
from tests.editing.comments import FILE, named_place, place_now, places
from tests.examples import some

FILES = sorted((Path(__file__).parent / "corpus").glob("*.toml"))
EDITS: dict[str, Callable[[Design], Edit]] = {
    "change a value": lambda design: _setting(design, prompt="Write another letter\nwith two lines"),
    "add a key": lambda design: _setting(design, note="New."),
    "remove the keys": lambda design: EditPart("nodes", _first(design), _first(design), {"type": "llm"}),
    "change the type": lambda design: ChangeType(_first(design), "handler"),
    "change a setting": lambda design: EditSettings({**design.head, "max_steps": 7}),
    "insert a node": lambda design: AddNode("handler", after=_first(design)),
    "delete a neighbor": lambda design: DeleteNodes((list(design.nodes)[1],)),
    "delete the first": lambda design: DeleteNodes((_first(design),)),
    "duplicate": lambda design: DuplicateNodes((_first(design),)),
    "rename": lambda design: Rename("nodes", _first(design), 'an "odd" name'),
    "connect": lambda design: Connect(list(design.nodes)[1], _first(design), "step < 9", "again"),
    "reorder edges": lambda design: MoveEdge(0, 1),
    "edit an edge": lambda design: EditEdge(0, {**design.edges[0].table, "when": "step < 4", "label": "go"}),
    "delete an edge": lambda design: DeleteEdge(0),
}


def _first(design: Design) -> str:
    return next(iter(design.nodes))


def _setting(design: Design, **settings: str) -> EditPart:
    name = _first(design)
    return EditPart("nodes", name, name, {**design.nodes[name].table, **settings})


def opened(file: Path) -> tuple[str, Design]:
    text = file.read_bytes().decode()
    return text, read_design(text)


def parsed(text: str) -> dict[str, Any]:
    return tomllib.loads(text.removeprefix("\ufeff"))


def assert_kept(text: str, before: Design, after: Design) -> str:
    """Each comment whose table and key are there is at them, or was told as lost."""
    new, document = design_text(after), parsed(text)
    assert parsed(new) == after.document()
    now, told = places(new), " ".join(losses(after))
    for comment in places(text):
        wanted = place_now(named_place(comment, document), before, after)
        if wanted is not None and repr(comment)[1:-1] not in told:
            assert not _allowed(wanted).isdisjoint(now[comment]), comment
    return new


def _allowed(place: tuple[str | int, ...]) -> set[tuple[str | int, ...]]:
    """Where a comment may be: in the one value that says all of a kind, and where that value was, too."""
    if place[0] not in ("state", "nodes", "edges"):
        return {place}
    return {place, place[:1], FILE} if len(place) == 1 else {place, place[:1]}


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_a_file_that_is_not_edited_stays_as_it_is(file: Path) -> None:
    text, design = opened(file)
    assert design_text(design) == text
    assert losses(design) == []
    assert assert_kept(text, design, design) == text


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_each_comment_is_where_it_belongs_after_an_edit(file: Path) -> None:
    text, design = opened(file)
    for edit in some(list(EDITS), 5, FILES.index(file)):
        edited = EDITS[edit](design).apply(design).design
        new = assert_kept(text, design, edited)
        assert design_text(read_design(new)) == new, edit


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_each_comment_is_where_it_belongs_after_many_edits(file: Path) -> None:
    text, design = opened(file)
    edited = design
    for name in ("change a value", "insert a node", "change a setting", "reorder edges", "rename", "connect"):
        edited = EDITS[name](edited).apply(edited).design
    assert_kept(text, design, edited)


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_formatting_leaves_each_comment_where_it_belongs(file: Path) -> None:
    text = opened(file)[0]
    new = formatted(text, parsed(text))
    now, document = places(new), parsed(text)
    for comment in places(text):
        assert not _allowed(named_place(comment, document)).isdisjoint(now[comment])
    assert formatted(new, parsed(new)) == new
