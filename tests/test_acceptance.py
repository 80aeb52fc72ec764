"""Every promise of the acceptance list has a test that names it by its number."""

from __future__ import annotations

import ast
import re
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

TESTS = Path(__file__).parent

# The rows of the acceptance list that the engine must keep; "e9" are the weak spots that it must not have.
REQUIRED = {
    "acceptance": {
        *range(1, 89),
        *range(90, 131),
        *range(132, 141),
        *range(142, 154),
    }
    - {14, 37, 38, 55, 69, 71},
    "e9": set(range(1, 21)),
}

MARK = re.compile(r"#\s*((?:acceptance|e9) \d.*)$")
ITEM = re.compile(r"(?:(acceptance|e9) )?(\d+)")


def marked(comment: str) -> Iterator[tuple[str, int]]:
    """The rows of a comment such as ``acceptance 12, 13, e9 4``."""
    kind = ""
    for item in comment.split(","):
        found = ITEM.fullmatch(item.strip())
        assert found, f"{item.strip()!r} names no row: {comment!r}"
        kind = found[1] or kind
        yield kind, int(found[2])


def marks_of(path: Path) -> Iterator[tuple[str, str]]:
    """Each mark of a file, with the test that it stands at: on its first line, or right above it."""
    text = path.read_text(encoding="utf-8")
    lines = text.splitlines()
    tests = {
        min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)]): node
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.FunctionDef) and node.name.startswith("test_")
    }
    first_lines = {node.lineno: node for node in tests.values()}
    for number, line in enumerate(lines, 1):
        mark = MARK.search(line)
        if mark is None:
            continue
        below = number
        while below < len(lines) and lines[below - 1].startswith("#"):
            below += 1
        test = tests.get(below) if line.startswith("#") else first_lines.get(number)
        assert test, f"{path.name}:{number} is a mark at no test: {line.strip()}"
        yield mark[1], test.name


def covered() -> dict[str, dict[int, list[str]]]:
    """The tests of every row that has any."""
    rows: dict[str, dict[int, list[str]]] = {kind: defaultdict(list) for kind in REQUIRED}
    for path in sorted(TESTS.rglob("test_*.py")):
        if path != Path(__file__):
            for comment, test in marks_of(path):
                for kind, number in marked(comment):
                    rows[kind][number].append(test)
    return rows


def test_every_required_row_has_a_test_that_names_it() -> None:
    rows = covered()
    missing = {kind: sorted(required - rows[kind].keys()) for kind, required in REQUIRED.items()}
    assert missing == {"acceptance": [], "e9": []}
