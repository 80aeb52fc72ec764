"""Any document in any form of TOML: its text stays, and after any change it says what the design says."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from random import Random
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from stepgraph.editing import Design, Part
from stepgraph.editing.text import design_text, losses, parts_text, read_design, read_parts
from stepgraph.toml.revising import formatted
from stepgraph.toml.values import graph_text, same
from tests.editing.comments import place_now
from tests.editing.forms import Writer
from tests.editing.mutating import KINDS, any_document, mutated, seeded
from tests.examples import examples
from tests.files.building import documents

seeds = st.integers(0, 2**32)


def parsed(text: str) -> dict[str, Any]:
    return tomllib.loads(text.removeprefix("\ufeff"))


def written(random: Random) -> tuple[str, Writer]:
    writer = Writer(random)
    return writer.text(any_document(random)), writer


@examples(150)
@given(seeds)
def test_the_text_after_any_changes_says_what_the_design_says(seed: int) -> None:
    random = seeded(seed)
    text, writer = written(random)
    first = design = read_design(text)
    assert same(design.document(), parsed(text))
    assert design_text(design) == text
    for _ in range(random.randint(1, 4)):
        design = mutated(random, design)
        new = design_text(design)
        assert same(parsed(new), design.document())
        assert_kept(new, first, design, writer)
    assert design_text(first) == text


def assert_kept(new: str, first: Design, design: Design, writer: Writer) -> None:
    """Each comment is there, or was told as lost, or what it belonged to is gone."""
    told = " ".join(losses(design))
    for comment, place in writer.places.items():
        is_kept = comment in new or comment.split()[1] in told
        assert is_kept or (place is not None and is_gone(place, first, design)), comment


def is_gone(place: tuple[str | int, ...], first: Design, design: Design) -> bool:
    """Whether a place is no more; a place in a list, or one value for all parts, is not looked at closely."""
    if len(place) == 1 and place[0] in KINDS:
        return True
    now = place_now(place, first, design)
    return now is None or any(isinstance(step, int) for step in place[2:])


@examples(80)
@given(seeds)
def test_formatting_keeps_meaning_and_comments_and_is_done_once(seed: int) -> None:
    text, _ = written(seeded(seed))
    new = formatted(text, parsed(text))  # it compares both itself, and raises
    assert formatted(new, parsed(new)) == new


@given(documents())
def test_what_is_written_without_a_file_is_in_the_standard_shape(document: Mapping[str, Any]) -> None:
    text = graph_text(document)
    assert formatted(text, parsed(text)) == text
    design = read_design(text)
    made = Design(design.head, tuple(Part(part.kind, part.name, part.table) for part in design.parts))
    assert same(parsed(design_text(made)), design.document())


@given(seeds)
def test_parts_that_are_copied_and_pasted_say_the_same(seed: int) -> None:
    design = read_design(written(seeded(seed))[0])
    if design.parts:
        pasted = read_parts(parts_text(design.parts))
        found = {(part.kind, part.name): part.table for part in pasted if part.kind != "edges"}
        wanted = {(part.kind, part.name): part.table for part in design.parts if part.kind != "edges"}
        assert same([found[key] for key in sorted(wanted)], [wanted[key] for key in sorted(wanted)])
        edges = [part.table for part in pasted if part.kind == "edges"]
        assert same(edges, [edge.table for edge in design.edges])


def test_all_undone_is_the_same_text_again() -> None:
    text, _ = written(seeded(7))
    designs = [read_design(text)]
    for number in range(20):
        designs.append(mutated(seeded(number), designs[-1]))
    texts = [design_text(design) for design in designs]
    assert [design_text(design) for design in reversed(designs)] == texts[::-1]
