"""A damaged store gives what it gave before or is refused: never something else, and never another error."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from tests.fuzz.stored_runs import (
    FLIPS,
    PLACES,
    SCRIBBLES,
    Change,
    cut,
    edited,
    edits,
    expected,
    good_store,
    paged,
    silently_different,
    told_of,
)


def test_a_good_store_gives_everything() -> None:
    assert [name for name, told in expected().items() if told.refused] == []
    assert expected()["doctor"].value is True


@given(FLIPS)
def test_a_flipped_byte_is_never_silent(change: Change) -> None:
    assert silently_different(change.made()) == []


@given(SCRIBBLES)
def test_bytes_written_over_are_never_silent(change: Change) -> None:
    assert silently_different(change.made()) == []


@given(PLACES)
def test_a_cut_file_is_never_silent(share: int) -> None:
    assert silently_different(cut(share)) == []


@given(st.integers(0, 1_000), st.integers(0, 1_000))
def test_a_page_in_the_place_of_another_is_known_to_doctor(to: int, page: int) -> None:
    content = paged(to, page)
    assert content == good_store() or told_of(content)["doctor"].value is False


@given(edits())
def test_a_row_that_another_program_changed_is_never_silent(statement: str) -> None:
    assert silently_different(edited(statement)) == []
