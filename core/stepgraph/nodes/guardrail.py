"""The node type ``guardrail``: rules that must hold before a run goes on."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from ..conditions.base import Expression
from ..expressions import MISSING, Explanation
from ..values.declared import Declared, field
from ..values.errors import ExpressionError, NodeFailed
from ..values.json_values import json_line
from ..values.problems import Place, Problem
from .base import BaseNode, NodeFacts, NodeResult, holding

if TYPE_CHECKING:
    from ..values.state import State

PASS, BLOCK = "pass", "block"


class GuardrailSettings(Declared):
    """The settings of a ``guardrail`` node."""

    rules: dict[str, str] = field(
        description="The rules: each in words, with its condition.",
        examples=[{"the amount is at most 500": "amount <= 500"}],
        json_schema_extra=holding("condition"),
    )
    on_fail: Literal["fail", "route"] = field(
        "fail", description="What a broken rule does: fail the run here, or let the edges decide."
    )
    output: str = field(
        "verdict",
        min_length=1,
        description="The state key for the verdict: pass or block.",
        json_schema_extra=holding("key"),
    )
    record: str = field(
        "broken",
        min_length=1,
        description="The state key for the list of broken rules, in words.",
        json_schema_extra=holding("key"),
    )

    def _check(self) -> None:
        """Refuse what guards nothing, and one key for both."""
        if not self.rules:
            raise ValueError("'rules' is empty, so nothing would ever be blocked: write a rule")
        if any(not words.strip() for words in self.rules):
            raise ValueError("a rule has no words: say what must hold, as the run says it when it does not")
        if self.output == self.record:
            raise ValueError(
                f"'output' and 'record' both name the key {self.output!r}, but one takes a word and the "
                "other a list: name two keys"
            )


class GuardrailNode(BaseNode):
    """Checks rules; the run continues only if all hold.

    ``pass`` goes under its output key where all hold, and an empty list under its record key. Where one does
    not, the node fails and says which and why; with ``on_fail = "route"`` it writes ``block`` and the broken
    rules instead, so that its edges lead on. A rule that cannot be answered, because what it asks about is
    missing, does not hold.
    """

    type: ClassVar[str] = "guardrail"
    Settings = GuardrailSettings
    settings: GuardrailSettings

    def execute(self, state: State) -> NodeResult:
        """Ask every rule."""
        facts = _StateFacts(state)
        asked = {words: rule.explain(facts) for words, rule in self._rules.items()}
        broken = {words: answer for words, answer in asked.items() if answer.result is not True}
        count = f"{len(broken)} of {len(asked)} rules"
        if broken and self.settings.on_fail == "fail":
            reasons = "; ".join(f"{words} ({_why(answer)})" for words, answer in broken.items())
            raise NodeFailed(
                f"{count} broken: {reasons}" if len(asked) > 1 else f"the rule is broken: {reasons}",
                hint='change the state and retry, or write on_fail = "route" and lead an edge on from here',
            )
        verdict = BLOCK if broken else PASS
        lines = [f"{verdict}: {count} broken"]
        for words, answer in broken.items():
            lines += [words, *(f"  {line}" for line in answer.lines())]
        updates = {self.settings.output: verdict, self.settings.record: list(broken)}
        return NodeResult(updates, "\n".join(lines) if broken else f"{PASS}: all {len(asked)} rules hold")

    @cached_property
    def _rules(self) -> dict[str, Expression]:
        """The rules, each parsed.

        Raises:
            ExpressionError: One does not parse.
        """
        return {words: Expression(text) for words, text in self.settings.rules.items()}

    def facts(self) -> NodeFacts:
        """Declare its rules, as far as they parse, its verdict and its record."""
        settings = self.settings
        return NodeFacts(
            conditions=tuple(_parsed(settings.rules)),
            writes=frozenset({settings.output, settings.record}),
        )

    def problems(self) -> Iterator[Problem]:
        """Find rules that do not parse."""
        for words, text in self.settings.rules.items():
            try:
                Expression(text)
            except ExpressionError as error:
                message = f"node {self.name!r}: the rule {words!r} cannot be asked: {error.message}"
                place = Place(node=self.name, key=f"rules.{words}")
                excerpt = error.caret() if text.strip() else ""
                yield Problem("G016", "error", message, place, error.hint, excerpt=excerpt)


def _parsed(rules: Mapping[str, str]) -> Iterator[tuple[str, Expression]]:
    """Yield the rules that parse, each with its setting."""
    for words, text in rules.items():
        try:
            yield f"rules.{words}", Expression(text)
        except ExpressionError:
            continue


class _StateFacts:
    """What conditions ask about, as a node sees it."""

    def __init__(self, state: State) -> None:
        self.values: Mapping[str, Any] = state
        self.step = state.step
        self._state = state

    @property
    def last_output(self) -> str:
        return self._state.last_output

    def visit_count(self, node: str) -> int:
        return self._state.visits.get(node, 0)


def _why(answer: Explanation) -> str:
    """Explain in one line why a rule does not hold: what could not be evaluated, or what it looked at."""
    found = dict.fromkeys(_values_seen(answer))
    return ", ".join(found) or answer.text


def _values_seen(answer: Explanation) -> Iterator[str]:
    if answer.error is not None and all(part.error is None for part in answer.parts):
        yield answer.error
    elif answer.role == "operand" and answer.value is not MISSING:
        yield f"{answer.text} = {json_line(answer.value)}"
    else:
        for part in answer.parts:
            yield from _values_seen(part)
