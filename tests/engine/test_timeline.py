"""What a run has spent on work, and on waiting for a person."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stepgraph.runs.history import Timeline
from stepgraph.stores.ledger import Row
from tests.examples import examples


def test_a_question_that_waits_counts_up_to_now() -> None:
    times = Timeline([Row(1, "start", 0, at=5.0), Row(2, "review", 1, "ask", 1, 10.0, 2.0)])
    assert (times.waiting(), times.waiting(30.0), times.waiting(3.0)) == (0.0, 18.0, 0.0)
    times.take(Row(3, "extend", 1, "ask", at=20.0))
    times.take(Row(4, "adopt", 1, "ask", at=21.0))
    assert times.asked == 12.0
    times.take(Row(5, "decision", 1, "ask", at=32.0))
    assert times.waits == {1: 20.0}
    assert times.waiting(99.0) == 20.0


MOMENTS = st.lists(st.tuples(st.floats(0, 1e6), st.floats(0, 1e6), st.booleans()), max_size=12)


@given(MOMENTS)
@examples(100)
def test_waits_add_up_and_no_clock_that_goes_back_makes_one_negative(
    moments: list[tuple[float, float, bool]],
) -> None:
    rows = []
    expected: dict[int, float] = {}
    for step, (asked, decided, again) in enumerate(moments, 1):
        for _ in range(1 + again):  # a question may be asked once more on the same visit
            rows += [Row(0, "review", step, "ask", at=asked), Row(0, "decision", step, "ask", at=decided)]
            expected[step] = expected.get(step, 0.0) + max(0.0, decided - asked)
    times = Timeline(rows)
    assert times.waits == expected
    assert times.waiting() == pytest.approx(sum(expected.values()))
    assert times.longest_wait == max(expected.values(), default=0.0)
