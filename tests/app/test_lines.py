"""What all lists share: searching, and lines that fit their width."""

from __future__ import annotations

from stepgraph_tui.widgets.lines import Search


class Shelf:
    """Texts to search, and what was gone to."""

    def __init__(self, *texts: str, here: int = 0) -> None:
        self.texts = list(texts)
        self.gone: list[int | None] = []
        self.search = Search(lambda: self.texts, lambda: here, self.gone.append)


def test_an_empty_text_ends_the_search() -> None:
    shelf = Shelf("apple")
    shelf.search.find("a")
    assert shelf.search.find("") == ""
    assert shelf.search.pattern is None
    assert shelf.gone == [0, None]
