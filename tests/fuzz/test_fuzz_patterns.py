"""No regular expression of the product takes a square of a text's length, whatever the text is."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.fuzz.growth import RUNS, LongRun, grows_too_fast
from tests.fuzz.product_patterns import CAPS, ProductPattern, product_patterns

LONGEST = 50_000


@pytest.fixture(scope="module", autouse=True)
def collected() -> None:
    """Modules are imported before Hypothesis looks: some make random numbers meanwhile."""
    product_patterns()


@st.composite
def cases(draw: st.DrawFn) -> tuple[ProductPattern, str, str]:
    """A pattern, what stands before a run, and what behind it: mostly texts that the pattern looks for."""
    pattern = draw(st.sampled_from(product_patterns()))
    pieces = st.sampled_from((*pattern.literals, "x", " ", "\n")) | st.sampled_from(RUNS)
    head = "".join(draw(st.lists(pieces, max_size=4)))
    return pattern, head, draw(st.sampled_from(("x", "", "\n!", "\0")) | pieces)


@given(cases())
def test_no_pattern_takes_a_square_of_the_length_of_a_run(case: tuple[ProductPattern, str, str]) -> None:
    pattern, head, tail = case
    longest = CAPS.get(pattern.where, LONGEST)
    for run in dict.fromkeys((*RUNS, *pattern.literals)):
        found = grows_too_fast(pattern.use, LongRun(head, run, tail), longest)
        assert not found, f"{pattern} on {head!r}, a run of {run!r} and {tail!r}: {found}"


@pytest.mark.parametrize(
    ("where", "run"),
    [
        ("stepgraph.formats.jsonl:_TOKENS", LongRun("", '\\"', "")),
        ("stepgraph.formats.mermaid:_TITLE", LongRun("title: x", " ", "y")),
        ("stepgraph.extras.diagrams.read_dot:_LOOKS", LongRun("graph", " ", "x")),
        ("stepgraph.extras.diagrams.read_flowchart:_HEADER", LongRun("graph", " ", "x")),
        ("stepgraph.stores.opening:_SETTING", LongRun("", "?", "")),
        ("stepgraph_tui.dialogs.forms.formats:_BARE", LongRun("", '\\"', "")),
        ("stepgraph_tui.dialogs.forms.formats:_BARE", LongRun("", "1.", "")),
        ("stepgraph_tui.dialogs.forms.formats:_COLON", LongRun("", "a.", "")),
        ("stepgraph_tui.terminal:_PARTS", LongRun("", "é", "")),
        ("stepgraph_tui.terminal:_PARTS", LongRun("é", "\x1b[1m ", "")),
        ("stepgraph_tui.text.state_text:_NULLS", LongRun("", '\\"', "")),
    ],
)
def test_what_once_took_a_square_does_not_again(where: str, run: LongRun) -> None:
    (pattern,) = (each for each in product_patterns() if each.where == where)
    assert not grows_too_fast(pattern.use, run, LONGEST)
