"""Measure how many small faults the tests outside tests/app find.

Two hundred mutants of the parts that must not be wrong: a comparison or a boolean turned round, a
constant off by one, a statement dropped, two branches swapped. Each is put into a copy of a tree, and
the tests that run its line are run there; it is killed when one of them fails, or takes a minute of
processor time. Run by hand::

    python -m bench.mutants choose TREE CHOSEN.json         # once, on the tree before
    nice -n 19 python -m bench.mutants run TREE CHOSEN.json RESULTS.json
    python -m bench.mutants show RESULTS.json

A mutant is known by its function's qualified name, the text of its statement and what is done to it,
without the module: so the same mutants can be run on another tree, in which files have moved. Where the
function has another name, the only statement of the same text is taken; mutants whose text is gone are
counted apart. ``run`` goes on where it was ended: results that are there already are kept, and beside them
which tests run which line (``.lines.json``). Another tree needs another file of results.
"""

from __future__ import annotations

import ast
import contextlib
import json
import os
import random
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, field
from itertools import zip_longest
from pathlib import Path
from typing import Any

_ENGINE = "core/stepgraph"
PARTS = {
    "conditions": (
        [f"{_ENGINE}/conditions", f"{_ENGINE}/values/compare.py"],
        ["tests/core", "tests/engine", "tests/validation"],
    ),
    "expressions": ([f"{_ENGINE}/expressions"], ["tests/core", "tests/validation"]),
    "stepping": (
        [
            f"{_ENGINE}/runs/{name}.py"
            for name in (
                "executor",
                "step",
                "advance",
                "arrival",
                "turns",
                "run",
                "operations",
                "forking",
                "loops",
            )
        ],
        ["tests/engine", "tests/graphs"],
    ),
    "reviews": (
        [f"{_ENGINE}/reviews", f"{_ENGINE}/runs/decision_preview.py"],
        ["tests/engine", "tests/nodes/test_approval.py", "tests/cli/test_approvals.py"],
    ),
    "drawing": (["tui/stepgraph_tui/drawing"], ["tests/drawing"]),
    "editing": ([f"{_ENGINE}/editing"], ["tests/editing"]),
}
"""Where each part stands in the tree that mutants are chosen from, and the tests that hold it."""
COUNT = 200
SEED = 8
PROCESSOR_SECONDS = 60  # for the tests of one mutant, which rarely take ten; then it counts as hanging
SECONDS = 900

_OTHER: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq, ast.NotEq: ast.Eq,
    ast.Is: ast.IsNot, ast.IsNot: ast.Is, ast.In: ast.NotIn, ast.NotIn: ast.In,
}  # fmt: skip


@dataclass(frozen=True)
class Mutant:
    """One fault, known by what it changes and not by where that stands."""

    part: str
    function: str
    statement: str
    kind: str
    occurrence: int
    """Which of the same statements of the function it is."""
    place: int
    """Which of the places in the statement that a fault of this kind fits into."""


@dataclass
class Statement:
    """A statement in a tree, and what could be wrong with it."""

    file: Path
    function: str
    text: str
    lines: range
    faults: list[tuple[str, Callable[[], None]]] = field(default_factory=list)
    """Kinds, and what changes the syntax tree accordingly."""


def statements(file: Path) -> tuple[ast.Module, list[Statement]]:
    """Read a file: its syntax tree, and the statements of its functions with the faults that fit."""
    tree = ast.parse(file.read_text(encoding="utf-8"))
    return tree, list(_inside(tree, (), False, file))


def _inside(parent: ast.AST, names: tuple[str, ...], counts: bool, file: Path) -> Iterator[Statement]:
    for name, value in ast.iter_fields(parent):
        if not isinstance(value, list):
            continue
        for index, node in enumerate(value):
            if isinstance(node, ast.ClassDef):
                yield from _inside(node, (*names, node.name), False, file)
            elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
                yield from _inside(node, (*names, node.name), True, file)
            elif isinstance(node, ast.stmt):
                if counts and name in ("body", "orelse", "finalbody"):
                    yield _statement(node, value, index, ".".join(names), file)
                yield from _inside(node, names, counts, file)
            elif isinstance(node, (ast.ExceptHandler, ast.match_case)):
                yield from _inside(node, names, counts, file)


def _statement(node: ast.stmt, among: list[Any], index: int, function: str, file: Path) -> Statement:
    bodies = {"body", "orelse", "finalbody", "handlers", "cases"}
    own = {name: value for name, value in ast.iter_fields(node) if name not in bodies}
    heads = [part for value in own.values() for part in (value if isinstance(value, list) else [value])]
    heads = [part for part in heads if isinstance(part, ast.AST)]
    is_block = any(getattr(node, name, None) for name in bodies)
    text = f"{type(node).__name__} " + "; ".join(map(ast.unparse, heads)) if is_block else ast.unparse(node)
    last = max((getattr(part, "end_lineno", node.lineno) for part in heads), default=node.lineno)
    found = Statement(file, function, text, range(node.lineno, last + 1))
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
        return found  # a docstring
    for head in heads:
        for inner in ast.walk(head):
            found.faults.extend(_faults(inner))
    drops = isinstance(node, (ast.AugAssign, ast.Raise)) or (
        isinstance(node, ast.Expr) and isinstance(node.value, ast.Call)
    )
    if isinstance(node, ast.Assign):
        drops = any(isinstance(target, (ast.Attribute, ast.Subscript)) for target in node.targets)
    if drops:
        found.faults.append(("drop", lambda: among.__setitem__(index, ast.Pass())))
    if isinstance(node, ast.Return) and node.value is not None:
        nothing = ast.Constant(None)
        if ast.unparse(node.value) != "None":
            found.faults.append(("drop", lambda: setattr(node, "value", nothing)))
    if isinstance(node, ast.If):
        negated = ast.UnaryOp(ast.Not(), node.test)
        found.faults.append(("swap", lambda: setattr(node, "test", negated)))
    return found


def _faults(node: ast.AST) -> Iterator[tuple[str, Callable[[], None]]]:
    """The faults that fit into one place of an expression."""
    if isinstance(node, ast.Compare):
        for index, operator in enumerate(node.ops):
            other = _OTHER[type(operator)]()
            yield "compare", lambda index=index, other=other: node.ops.__setitem__(index, other)  # type: ignore[misc]  # bound early
    elif isinstance(node, ast.BoolOp):
        yield "boolean", lambda: setattr(node, "op", ast.Or() if isinstance(node.op, ast.And) else ast.And())
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        twice = ast.UnaryOp(ast.Not(), node.operand)
        yield "boolean", lambda: setattr(node, "operand", twice)
    elif isinstance(node, ast.Constant) and isinstance(node.value, bool):
        yield "constant", lambda: setattr(node, "value", not node.value)
    elif isinstance(node, ast.Constant) and isinstance(node.value, int):
        yield "constant", lambda: setattr(node, "value", int(str(node.value)) + 1)
    elif isinstance(node, ast.IfExp):
        yield "swap", lambda: setattr(node, "test", ast.UnaryOp(ast.Not(), node.test))


def choose(tree: Path) -> list[Mutant]:
    """Choose the mutants, as many of each part and about as many of each kind; the same for the same tree."""
    chance = random.Random(SEED)  # noqa: S311  # a sample, no secret
    chosen: list[Mutant] = []
    for number, (part, (places, _)) in enumerate(PARTS.items()):
        fits: list[Mutant] = []
        for place in places:
            root = tree / place
            for file in sorted(root.rglob("*.py")) if root.is_dir() else [root]:
                fits.extend(_fits(part, statements(file)[1]))
        share = (number + 1) * COUNT // len(PARTS) - number * COUNT // len(PARTS)
        chance.shuffle(fits)
        kinds = [
            [each for each in fits if each.kind == kind] for kind in sorted({each.kind for each in fits})
        ]
        turns = [each for row in zip_longest(*kinds) for each in row if each is not None]
        chosen.extend(turns[:share])
    return chosen


def _fits(part: str, found: list[Statement]) -> Iterator[Mutant]:
    seen: Counter[tuple[str, str]] = Counter()
    for statement in found:
        key = (statement.function, statement.text)
        places: Counter[str] = Counter()
        for kind, _ in statement.faults:
            yield Mutant(part, *key, kind, seen[key], places[kind])
            places[kind] += 1
        seen[key] += 1


class Mutated:
    """A copy of a tree, in which one mutant at a time stands, and the tests that run its line.

    Args:
        tree: The tree that is copied.
        scratch: Where to.
        lines: Where it is kept which tests run which line.
    """

    def __init__(self, tree: Path, scratch: Path, lines: Path) -> None:
        self._root = scratch / "tree"
        leave = shutil.ignore_patterns(".*", "__pycache__", "build", "dist")
        shutil.copytree(tree, self._root, ignore=leave)
        self._by_name: dict[tuple[str, str], list[Statement]] = defaultdict(list)
        self._by_text: dict[str, list[Statement]] = defaultdict(list)
        for folder in ("core", "tui"):
            for file in sorted((self._root / folder).rglob("*.py")):
                for statement in statements(file)[1]:
                    self._by_name[statement.function, statement.text].append(statement)
                    self._by_text[statement.text].append(statement)
        if not lines.exists():
            lines.write_text(json.dumps(self._measured(scratch / "coverage")), encoding="utf-8")
        self._tests: dict[str, dict[str, list[str]]] = json.loads(lines.read_text(encoding="utf-8"))

    def result(self, mutant: Mutant) -> str:
        """Put a mutant in, run its tests, and take it out again."""
        found = self._find(mutant)
        if found is None:
            return "gone"
        known = self._tests.get(str(found.file.relative_to(self._root)), {})
        tests = sorted({test for line in found.lines for test in known.get(str(line), [])})
        if not tests:
            return "survived: no test runs it"
        before = found.file.read_text(encoding="utf-8")
        tree, all_found = statements(found.file)
        (same,) = [one for one in all_found if (one.lines, one.text) == (found.lines, found.text)]
        faults = [apply for kind, apply in same.faults if kind == mutant.kind]
        if mutant.place >= len(faults):
            return "gone"
        faults[mutant.place]()
        found.file.write_text(ast.unparse(ast.fix_missing_locations(tree)), encoding="utf-8")
        try:
            result = self._killed(tests)
            # The names of some tests cannot be given to pytest: then whole files.
            if result.endswith("with 4"):
                result = self._killed(sorted({test.partition("::")[0] for test in tests}))
            return result
        finally:
            found.file.write_text(before, encoding="utf-8")

    def _find(self, mutant: Mutant) -> Statement | None:
        same = self._by_name[mutant.function, mutant.statement]
        if len(same) > mutant.occurrence:
            return same[mutant.occurrence]
        named = [
            one
            for one in self._by_text[mutant.statement]
            if one.function.split(".")[-1] == mutant.function.split(".")[-1]
        ]
        anywhere = named or self._by_text[mutant.statement]
        return anywhere[0] if len(anywhere) == 1 else None

    def _environment(self) -> dict[str, str]:
        paths = os.pathsep.join(str(self._root / folder) for folder in ("core", "tui"))
        return {**os.environ, "PYTHONPATH": paths, "PYTHONDONTWRITEBYTECODE": "1"}

    def _measured(self, data: Path) -> dict[str, dict[int, list[str]]]:
        """Run all tests once as they are: which of them run which line."""
        from coverage import CoverageData

        folders = sorted(
            {test for _, tests in PARTS.values() for test in tests if (self._root / test).exists()}
        )
        words = [*_PYTEST, "--cov", "--cov-context=test", "--cov-report=", "--cov-fail-under=0", *folders]
        done = subprocess.run(
            [sys.executable, "-m", "pytest", *words],
            cwd=self._root,
            env={**self._environment(), "COVERAGE_FILE": str(data)},
            check=False,
        )
        if done.returncode:
            raise SystemExit("the tests fail without any mutant")
        coverage = CoverageData(str(data))
        coverage.read()
        return {
            str(Path(file).relative_to(self._root)): {
                line: sorted({name.rpartition("|")[0] for name in contexts if name})
                for line, contexts in coverage.contexts_by_lineno(file).items()
            }
            for file in coverage.measured_files()
        }

    def _killed(self, tests: list[str]) -> str:
        """Run tests in a fork of this process, which has imported what they need and nothing of the tree."""
        child = os.fork()
        if child == 0:
            _run_tests(self._root, tests, self._environment())
        with _alarm(SECONDS):
            try:
                _, status = os.waitpid(child, 0)
            except TimeoutError:
                os.kill(child, signal.SIGKILL)
                os.waitpid(child, 0)
                return "killed: it hangs"
        if os.WIFSIGNALED(status):
            return "killed: it hangs"
        code = os.WEXITSTATUS(status)
        verdicts = {0: "survived", 1: "killed", 2: "killed", _RAISED: "killed"}
        return verdicts.get(code, f"error: pytest ended with {code}")


_RAISED = 70  # out of pytest itself: a warning after the last test, say
_PYTEST = ["-q", "-x", "-n0", "-p", "no:randomly", "-p", "no:cacheprovider", "--hypothesis-seed=0"]


def _run_tests(root: Path, tests: list[str], environment: dict[str, str]) -> None:
    """Run tests in this process, and end it with pytest's exit code."""
    code = _RAISED
    try:
        resource.setrlimit(resource.RLIMIT_CPU, (PROCESSOR_SECONDS, PROCESSOR_SECONDS))
        os.chdir(root)
        os.environ.update(environment)
        sys.path[:0] = [str(root / "core"), str(root / "tui")]
        sys.dont_write_bytecode = True
        with Path(os.devnull).open("w", encoding="utf-8") as nowhere:
            os.dup2(nowhere.fileno(), 1)
            os.dup2(nowhere.fileno(), 2)
        import pytest

        code = int(pytest.main([*_PYTEST, *tests]))
    finally:
        os._exit(code)


@contextlib.contextmanager
def _alarm(seconds: int) -> Iterator[None]:
    def over(*_: object) -> None:
        raise TimeoutError

    before = signal.signal(signal.SIGALRM, over)
    signal.alarm(seconds)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


def run(tree: Path, chosen: Path, results: Path) -> None:
    """Run all mutants that have no result yet."""
    import jinja2
    import networkx
    import pydantic
    import pytest
    import rich.console  # imported here, once for all forks; pytest wants to import hypothesis itself

    del jinja2, networkx, pydantic, pytest, rich
    mutants = [Mutant(**each) for each in json.loads(chosen.read_text(encoding="utf-8"))]
    known = json.loads(results.read_text(encoding="utf-8")) if results.exists() else []
    with tempfile.TemporaryDirectory(prefix="mutants-") as folder:
        mutated = Mutated(tree.resolve(), Path(folder).resolve(), results.with_suffix(".lines.json"))
        for number, mutant in enumerate(mutants[len(known) :], len(known) + 1):
            result = mutated.result(mutant)
            known.append({**asdict(mutant), "result": result})
            results.write_text(json.dumps(known, indent=1), encoding="utf-8")
            print(f"{number:4} {mutant.part:12} {mutant.kind:9} {result:10} {mutant.function}", flush=True)
    show(results)


def show(results: Path) -> None:
    """Print the share that is killed, and who survives."""
    known = json.loads(results.read_text(encoding="utf-8"))
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    for each in known:
        counts[each["part"]][each["result"].partition(":")[0]] += 1
        counts["all"][each["result"].partition(":")[0]] += 1
    for each in known:
        if not each["result"].startswith("killed"):
            print(f"{each['result']}: {each['function']}: {each['kind']} in {each['statement']!r}")
    for part, count in counts.items():
        there = count.total() - count["gone"]
        share = f"{count['killed'] / there:.1%}" if there else "none"
        print(f"{part:12} {share:>6} killed of {there}, {count['gone']} gone, {count['error']} errors")


if __name__ == "__main__":
    verb, *paths = sys.argv[1:]
    files = [Path(path) for path in paths]
    if verb == "choose":
        found = [asdict(mutant) for mutant in choose(files[0])]
        files[1].write_text(json.dumps(found, indent=1), encoding="utf-8")
    elif verb == "run":
        run(*files)
    else:
        show(*files)
