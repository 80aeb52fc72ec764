"""Every code that can be printed is explained."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import stepgraph
from stepgraph.explain import all_codes, explain

CORE = Path(stepgraph.__file__).parent
LITERAL = re.compile(r"""["']([EFGRSV]\d{3})["']""")


def printed_codes() -> set[str]:
    """Every code that stands in the engine's own source; the explanations are no Python."""
    return {code for path in CORE.rglob("*.py") for code in LITERAL.findall(path.read_text(encoding="utf-8"))}


def test_every_code_in_the_source_is_explained() -> None:
    printed = printed_codes()
    assert {"E001", "F001", "G001", "G030", "G100", "R001", "S001", "V001"} <= printed
    assert printed - all_codes().keys() == set()


def test_no_code_is_explained_that_is_never_printed() -> None:
    assert all_codes().keys() - printed_codes() == set()


@pytest.mark.parametrize("code", sorted(all_codes()))
def test_an_explanation_has_a_title_and_says_more(code: str) -> None:
    found = explain(code)
    assert found is not None
    assert 5 < len(found.title) < 120
    assert not found.title.endswith(".")
    assert found.explanation.endswith(".")
    assert found.explanation.count("`") % 2 == 0


@pytest.mark.parametrize(
    "code", [code for code in sorted(all_codes()) if code.startswith("G") and code != "G036"]
)
def test_every_problem_of_a_graph_has_an_example_of_its_fix(code: str) -> None:
    assert all_codes()[code].fix


@pytest.mark.parametrize("spelling", ["G008", "g008", " G008 "])
def test_a_code_is_found_however_it_is_typed(spelling: str) -> None:
    found = explain(spelling)
    assert found is not None
    assert found.title == "The start is not a node of the graph"


@pytest.mark.parametrize("unknown", ["", "G999", "X001", "hello", "G0", "G038"])
def test_an_unknown_code_is_none(unknown: str) -> None:
    assert explain(unknown) is None


def test_all_codes_are_sorted_and_each_is_found_by_its_family() -> None:
    codes = all_codes()
    assert list(codes) == sorted(codes)
    assert all(explain(code) == meaning for code, meaning in codes.items())
