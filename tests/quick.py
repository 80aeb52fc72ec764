"""Check in less than a minute what was changed, as one does before a merge.

Format and lint of everything, types of the changed files, and tests: those that were changed, those that name
a changed module, and a core that touches each room. The nearest tests come first; what has not begun when the
time is over is left out, and told::

    python -m tests.quick             # what is not committed
    python -m tests.quick main        # what a branch adds
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import time
from collections.abc import Iterable, Sequence
from pathlib import Path

import pytest

TREE = Path(__file__).parents[1]
SECONDS = 45
"""Since the start; what is running then may take a little longer."""
NEAR = 8
"""So many files of tests come before the core, the others behind it."""
CORE = (
    "tests/core",
    "tests/engine/test_steps.py",
    "tests/engine/test_pauses.py",
    "tests/stores/test_contract.py",
    "tests/packaging/test_house.py",
    "tests/transcripts/test_transcripts.py",
    "tests/app/test_journey.py",
)
_UNTIL = "STEPGRAPH_QUICK_UNTIL"


def changed_since(base: str) -> list[Path]:
    """List the Python files that differ from a commit and are there, relative to the tree."""
    tracked = _told("git", "diff", "--name-only", "--diff-filter=d", "--merge-base", base)
    new = _told("git", "ls-files", "--others", "--exclude-standard")
    return [Path(line) for line in (*tracked, *new) if line.endswith(".py")]


def tests_of(changed: Iterable[Path]) -> list[str]:
    """List the files of tests to run for changed files, the nearest first."""
    found = [str(path) for path in changed if path.match("test_*.py")]
    names = [_pattern(path) for path in changed if not path.match("test_*.py")]
    if names:
        pattern = re.compile("|".join(names))
        texts = {path: path.read_text(encoding="utf-8") for path in sorted(TREE.glob("tests/**/test_*.py"))}
        near = {str(path.relative_to(TREE)): len(pattern.findall(text)) for path, text in texts.items()}
        nearest = sorted((path for path, count in near.items() if count), key=lambda path: -near[path])
        found += [*nearest[:NEAR], *CORE, *nearest[NEAR:]]
    return list(dict.fromkeys((*found, *CORE)))


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    """Leave a test out when the time is over."""
    if _UNTIL in os.environ and time.time() > float(os.environ[_UNTIL]):
        pytest.skip("the time is over")


def main(base: str = "HEAD") -> int:
    """Check what differs from a commit; 0 when all is well."""
    os.chdir(TREE)
    until = time.time() + SECONDS
    changed = changed_since(base)
    shape = [
        ["ruff", "format", "--check", "--quiet"],
        ["ruff", "check", "--quiet"],
        ["lint-imports", "--no-logo"],
    ]
    if not all(_run(*words) for words in shape):
        return 1
    typed = [path for path in changed if path.parts[0] in ("core", "tui", "graphs", "tests", "bench")]
    types = subprocess.Popen(_words("mypy", "--no-error-summary", *map(str, typed))) if typed else None
    tests = [*_words("pytest", "-q", "-n", "2", "-p", "no:randomly", "-p", "tests.quick"), *tests_of(changed)]
    codes = [subprocess.run(tests, check=False, env={**os.environ, _UNTIL: str(until)}).returncode]
    if types is not None:
        codes.append(types.wait())
    return int(any(codes))


def _pattern(path: Path) -> str:
    """Match the imports of a module: by its dotted name, or by its own name out of its package."""
    *above, name = path.with_suffix("").parts[(0 if path.parts[0] in ("tests", "bench", "graphs") else 1) :]
    if name == "__init__":
        *above, name = above
    package = re.escape(".".join(above))
    return rf"\b{package}\.{name}\b|\bfrom {package} import [^\n]*\b{name}\b"


def _words(program: str, *words: str) -> list[str]:
    return [str(Path(sys.executable).with_name(program)), *words]


def _run(*words: str) -> bool:
    done = subprocess.run(_words(*words), check=False, capture_output=True, text=True)
    if done.returncode:
        print(done.stdout + done.stderr, file=sys.stderr)
    return not done.returncode


def _told(*words: str) -> Sequence[str]:
    return subprocess.run(words, check=True, capture_output=True, text=True, cwd=TREE).stdout.splitlines()


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
