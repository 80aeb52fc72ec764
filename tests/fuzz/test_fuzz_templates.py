"""Templates are refused by ``check``, or rendered within their bounds, and as Jinja2 renders them."""

from __future__ import annotations

import json
import sys
import tracemalloc
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any

import pytest
from hypothesis import event, example, given
from jinja2 import StrictUndefined
from jinja2.sandbox import ImmutableSandboxedEnvironment

from stepgraph import NodeFailed
from stepgraph.templates.parsing import with_key
from stepgraph.templates.template import Template
from stepgraph.values.errors import ExpressionError
from stepgraph.values.state import State
from tests.fuzz.template_texts import GENTLE, HOSTILE, gentle, templates

ABSENT = ("needs what the state does not have", "it is empty", " has no item ")
UNUSABLE = ("does not parse", "is not allowed")
WORK = 200_000
LONGEST = 50_000
MAX_MEMORY = 6_000_000
"""The state's own values are not counted: they were there before."""


@contextmanager
def small_budget() -> Iterator[None]:
    """Make everything smaller for a while: what is beyond a bound is found sooner."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("stepgraph.templates.render_budget.WORK", WORK)
        for module in ("render_budget", "evaluate"):
            patch.setattr(f"stepgraph.templates.{module}.LONGEST", LONGEST)
        yield


class Counted:
    """Counts the functions that are called, and the memory that is held."""

    def __enter__(self) -> Counted:
        self.calls = 0
        tracemalloc.start()
        sys.setprofile(self._heard)
        return self

    def __exit__(self, *_: object) -> None:
        sys.setprofile(None)
        self.memory = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()

    def _heard(self, frame: object, event: str, arg: object) -> None:
        self.calls += event in ("call", "c_call")


@given(text=templates)
@pytest.mark.usefixtures("usual_garbage")
def test_any_template_is_refused_or_stays_within_its_bounds(text: str) -> None:
    template = Template(text, "prompt")
    problems = list(template.problems("n"))
    if problems:
        event("refused")
        assert problems[0].code == "G034"
        assert "\n" in problems[0].excerpt or "nested too deeply" in problems[0].message
    for use in (template.render, template.value):
        with small_budget(), Counted() as counted:
            outcome = outcome_of(use, State(HOSTILE))
        if isinstance(outcome, NodeFailed):
            event("failed")
            assert outcome.message.startswith("the template 'prompt' ")
            assert len(outcome.message) < 2_000
            assert not any(
                word in outcome.message for word in ("Error:", "object at", "<class", "NoneType", "jinja")
            )
            assert any(why in outcome.message for why in UNUSABLE) == bool(problems)
        else:
            event("rendered")
            assert use == template.value or len(outcome) <= LONGEST
            json.dumps(outcome).encode()
        assert counted.calls <= WORK
        assert counted.memory <= MAX_MEMORY


def outcome_of(use: Any, state: State) -> Any:
    try:
        return use(state)
    except NodeFailed as failed:
        return failed


def printed(value: Any) -> Any:
    return json.dumps(value, ensure_ascii=False) if isinstance(value, (list, dict)) else value


class Absent(StrictUndefined):
    """Counts what a template asks for that is not there."""

    asked = 0

    def __init__(self, *args: Any, **named: Any) -> None:
        super().__init__(*args, **named)
        Absent.asked += 1


JINJA = ImmutableSandboxedEnvironment(
    undefined=Absent,
    finalize=printed,
    keep_trailing_newline=True,
    optimized=False,  # else it computes constants while it compiles, also those that are never rendered
)


NUMBERS_TOO = ("indent", "truncate")
"""The filters of texts that take numbers as well, which Jinja2 refuses there."""


@given(text=gentle)
@example("{{ 3 | truncate(9) }}")
@example("{% if (empty)[0] in blank %}{{ x }}{% endif %}")
@example("{{ t if (('-')[1] in blank) }}")
@example("{% set most = blank | max %}{{ t }}")
@example("{% for x in words if t is number %}{{ ('x y' | upper)[3] ~ t }}{% else %}none{% endfor %}")
def test_a_template_renders_as_with_jinja2(text: str) -> None:
    template = Template(text, "prompt")
    assert list(template.problems("n")) == []
    outcome = outcome_of(template.render, State(GENTLE))
    expected, Absent.asked = None, 0
    with suppress(Exception):  # whatever Jinja2 raises, it does not render it
        expected = JINJA.from_string(text).render(GENTLE)
    if expected is None:
        event("Jinja2 fails")
        assert isinstance(outcome, NodeFailed) or any(name in text for name in NUMBERS_TOO)
    elif Absent.asked and isinstance(outcome, NodeFailed):
        event("what is absent is refused at once, and Jinja2 never looks at it")
        assert any(why in outcome.message for why in ABSENT)
    else:
        assert outcome == expected


@given(text=gentle)
def test_a_renamed_key_changes_nothing_that_is_rendered(text: str) -> None:
    for old, new in (("n", "number"), ("order", "an order"), ("s", "x")):
        if new in Template(text, "p").names:
            continue
        try:
            renamed = with_key(text, old, new)
        except ExpressionError:
            continue
        values = {new if key == old else key: value for key, value in GENTLE.items()}
        before = outcome_of(Template(text, "p").render, State(GENTLE))
        after = outcome_of(Template(renamed, "p").render, State(values))
        assert isinstance(before, NodeFailed) == isinstance(after, NodeFailed)
        assert isinstance(before, NodeFailed) or before == after
