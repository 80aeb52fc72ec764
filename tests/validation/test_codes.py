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


@pytest.mark.parametrize(
    "code", [code for code in sorted(all_codes()) if code.startswith("G") and code != "G036"]
)
def test_every_problem_of_a_graph_has_an_example_of_its_fix(code: str) -> None:
    assert all_codes()[code].fix


@pytest.mark.parametrize("unknown", ["", "G999", "X001", "hello", "G0", "G038"])
def test_an_unknown_code_is_none(unknown: str) -> None:
    assert explain(unknown) is None


def test_all_codes_are_sorted_and_each_is_found_by_its_family() -> None:
    codes = all_codes()
    assert list(codes) == sorted(codes)
    assert all(explain(code) == meaning for code, meaning in codes.items())
