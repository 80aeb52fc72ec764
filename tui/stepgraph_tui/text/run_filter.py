"""Which runs are asked for: words, fields of a run, and what is in it."""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from stepgraph.expressions import compile_test, parse
from stepgraph.values import ExpressionError, StepgraphError

from ..view.run_content import ContentReader, RunContent
from .run_list import DAMAGED, whereabouts

if TYPE_CHECKING:
    from stepgraph.expressions import Test
    from stepgraph.stores import Damage, StateStore, StoredRun
    from stepgraph.values import Json

FILTERS = "graph:X status:X node:X text:X state.score<3 model:X tool:X cost>0.1 tokens>X steps>X failed:X"
"""What a filter may say, for people."""
_WORDS = re.compile(r'(?:[^\s"]|"[^"]*")+')
_OF_LINE = frozenset({"", "graph", "status", "node", "steps", "seconds"})
"""What is known of each run without reading it."""
_FIELDS = frozenset({"graph", "status", "node", "text", "model", "tool", "failed"})
_NUMBERS = re.compile(r"(cost|tokens|steps|seconds)(<=|>=|==|=|<|>)\$?(\S*)")
_COMPARED: dict[str, Callable[[float, float], bool]] = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
    "=": operator.eq,
    "==": operator.eq,
}


@dataclass(frozen=True, slots=True)
class _AskedState:
    """A state, for a condition."""

    values: Mapping[str, Json]
    step: int
    last_output: str = ""

    def visit_count(self, node: str) -> int:
        """Count no visits: nobody was asked for them."""
        return 0


@dataclass(frozen=True)
class Term:
    """One of the things that must hold of a run."""

    field: str
    """What it looks at; empty for all that a line says."""
    word: str
    """What it looks for, as it was written."""
    compared: str = ""
    """How a number is compared."""

    @property
    def is_of_line(self) -> bool:
        """Whether no run need be read for it."""
        return self.field in _OF_LINE

    @cached_property
    def _sought(self) -> str:
        return self.word.strip('"').lower()

    @cached_property
    def _number(self) -> float:
        return float(self.word.replace(",", ""))

    @cached_property
    def _test(self) -> Test:
        return compile_test(parse(self.word))

    @property
    def problem(self) -> str:
        """What is wrong with it; empty where nothing is."""
        try:
            _ = self._number if self.compared else self._test if self.field == "state" else None
        except ExpressionError as error:
            return f"state.{self.word}: {error.message}"
        except ValueError:
            return f"{self.field}{self.compared}{self.word}: {self.word or 'nothing'} is not a number"
        return ""

    def holds_of(self, run: StoredRun) -> bool:
        """Check a run by its line."""
        head, pointer = run
        word = self._sought
        match self.field:
            case "steps" | "seconds":
                number = pointer.step if self.field == "steps" else pointer.seconds
                return _COMPARED[self.compared](number, self._number)
            case "graph":
                return word in head.graph.lower()
            case "node":
                return word in (pointer.current or "").lower()
            case "status":
                return pointer.status.value.startswith(word) or (
                    pointer.outcome is not None and pointer.outcome.value.startswith(word)
                )
        texts = (head.id, head.graph, head.source, head.origin, pointer.status.value, pointer.current)
        return any(word in text.lower() for text in texts if text) or word in whereabouts(run).lower()

    def holds_in(self, content: RunContent) -> bool:
        """Check a run by what is in it."""
        word = self._sought
        match self.field:
            case "cost" | "tokens":
                number = content.cost if self.field == "cost" else content.tokens
                return _COMPARED[self.compared](number, self._number)
            case "model":
                return any(word in name for name in content.models)
            case "tool":
                return any(word in name for name in content.tools)
            case "failed":
                return any(word in error.lower() for error in content.errors)
            case "state":
                try:
                    return self._test(_AskedState(content.values, content.step))
                except StepgraphError:  # it has no such key, or a text where a number is asked for
                    return False
        return any(word in text.lower() for text in content.texts())

    def tells(self, damage: Damage) -> bool:
        """Check what is damaged: nothing is known of it but what it is, and of which run."""
        word = self._sought
        if self.field:
            return self.field == "status" and DAMAGED.startswith(word)
        return any(word in text.lower() for text in (DAMAGED, damage.what, damage.run or ""))


@dataclass(frozen=True)
class RunFilter:
    """Which runs are asked for, as a person has written it.

    Words are looked for in all that a line says; ``graph:``, ``status:`` and ``node:`` before a word look
    there alone, and a status is also an outcome: ``status:stopped``. The rest looks into the run:
    ``text:invoice`` in all that its ledger says, ``state.score<3`` asks a condition of its state, ``model:``,
    ``tool:`` and ``failed:`` look at its calls and errors, ``cost>0.1``, ``tokens>1000`` and ``steps>10``
    count. All must hold. Quotes keep words together: ``text:"two words"``.
    """

    text: str = ""

    @cached_property
    def terms(self) -> tuple[Term, ...]:
        """All that must hold."""
        return tuple(map(_term, _WORDS.findall(self.text)))

    @property
    def of_content(self) -> tuple[Term, ...]:
        """Those for which a run must be read."""
        return tuple(term for term in self.terms if not term.is_of_line)

    @property
    def problem(self) -> str:
        """What is wrong with it; empty where nothing is."""
        return next(filter(None, (term.problem for term in self.terms)), "")

    def choose(self, runs: Sequence[StoredRun]) -> Sequence[StoredRun]:
        """Take the runs whose lines are asked for; what is in them is not looked at."""
        if self.problem:
            return []
        terms = [term for term in self.terms if term.is_of_line]
        return [run for run in runs if all(term.holds_of(run) for term in terms)] if terms else runs

    def holds_in(self, content: RunContent) -> bool:
        """Check what is in a run."""
        return all(term.holds_in(content) for term in self.of_content)

    def holds_of(self, stored: StoredRun, reader: ContentReader) -> bool:
        """Read a run, and check what is in it; of one that cannot be read nothing holds."""
        try:
            return self.holds_in(reader.read(stored))
        except StepgraphError:  # it was deleted just now, or is damaged
            return False

    def damaged(self, damages: Sequence[Damage]) -> Sequence[Damage]:
        """Take what is damaged and asked for."""
        return [damage for damage in damages if all(term.tells(damage) for term in self.terms)]


def runs_chosen(asked: RunFilter, store: StateStore, runs: Sequence[StoredRun]) -> Sequence[StoredRun]:
    """Take the runs that a filter asks for, and read them for that where it asks what is in them."""
    chosen, reader = asked.choose(runs), ContentReader(store)
    return [run for run in chosen if asked.holds_of(run, reader)] if asked.of_content else chosen


def _term(word: str) -> Term:
    number = _NUMBERS.fullmatch(word)
    if number is not None:
        return Term(number[1], number[3], number[2])
    if word.startswith("state."):
        return Term("state", word.removeprefix("state."))
    name, colon, rest = word.partition(":")
    return Term(name.lower(), rest) if colon and name.lower() in _FIELDS else Term("", word)
