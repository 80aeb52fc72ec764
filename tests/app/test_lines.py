"""What all lists share: searching, and lines that fit their width."""

from __future__ import annotations

import pytest
from rich.style import Style

from stepgraph_tui.text.cells import cell_len
from stepgraph_tui.widgets.lines import Search, marked, strip_of, wrapped


class Shelf:
    """Texts to search, and what was gone to."""

    def __init__(self, *texts: str, here: int = 0) -> None:
        self.texts = list(texts)
        self.gone: list[int | None] = []
        self.search = Search(lambda: self.texts, lambda: here, self.gone.append)


def test_a_search_begins_here_and_goes_round() -> None:
    shelf = Shelf("apple", "pear", "Apple pie", "plum", here=1)
    search = shelf.search
    assert search.find("APPLE") == "2 of 2"
    assert search.next(1) == "1 of 2"
    assert search.next(-1) == "2 of 2"
    assert shelf.gone == [2, 0, 2]
    assert [place in search for place in range(4)] == [True, False, True, False]


def test_what_is_not_there_is_said_and_ends_like_any_other_search() -> None:
    shelf = Shelf("apple")
    assert shelf.search.find("[") == "not found"
    assert shelf.search.next(1) == "not found"
    assert shelf.search.place is None
    assert shelf.search.end()
    assert not shelf.search.end()
    assert shelf.search.next(1) == ""


def test_an_empty_text_ends_the_search() -> None:
    shelf = Shelf("apple")
    shelf.search.find("a")
    assert shelf.search.find("") == ""
    assert shelf.search.pattern is None
    assert shelf.gone == [0, None]


def test_a_search_is_made_anew_in_other_texts_without_going_anywhere() -> None:
    shelf = Shelf("apple", "pear")
    shelf.search.renew()
    assert shelf.search.pattern is None
    shelf.search.find("pear")
    shelf.texts = ["pear", "plum", "pear"]
    shelf.search.renew(1)
    assert (shelf.search.place, str(shelf.search)) == (2, "2 of 2")
    assert shelf.gone == [1]


def test_a_search_that_left_something_out_says_so() -> None:
    shelf = Shelf("apple")
    shelf.search.partly = True
    assert shelf.search.find("x") == "not found, not all was searched"


@pytest.mark.parametrize("text", ["", "word " * 30, "漢字" * 40, "x" * 100, " a  b "])
def test_texts_are_wrapped_to_any_width_and_nothing_is_lost(text: str) -> None:
    for width in range(2, 40):
        lines = wrapped(text, width)
        assert all(cell_len(line) <= width for line in lines)
        assert "".join(lines).replace(" ", "") == text.replace(" ", "")


def test_a_line_is_exactly_as_wide_as_asked() -> None:
    plain = Style()
    for width in range(30):
        strip = strip_of([("漢字 and more", plain), (" of it", plain)], width, plain)
        assert strip.cell_length == width
    assert strip_of([("too long", plain)], 5, plain).text == "too …"


def test_all_that_matches_is_set_apart() -> None:
    bold, search = Style(bold=True), Shelf("").search
    search.find("a")
    assert search.pattern is not None
    parts = list(marked([("banAna", Style())], search.pattern, bold))
    assert [text for text, style in parts if style.bold] == ["a", "A", "a"]
    assert "".join(text for text, _ in parts) == "banAna"
