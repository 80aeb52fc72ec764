"""Small graphs that benchmarks run, and the tests of the same screens."""

from __future__ import annotations

LOOP = """
format = 1
name = "loop"
start = "think"
max_steps = 10_000_000

[state.amount]
type = "number"
default = 1

[nodes.think]
type = "llm"
prompt = "Think about {{ amount }}."
replies = ["yes", "no"]
output = "answer"

[nodes.weigh]
type = "router"
key = "amount"
threshold = 10
high = "done"
low = "again"

[[edges]]
from = "think"
to = "weigh"

[[edges]]
from = "weigh"
to = "END"
when = 'route == "done"'
label = "done"

[[edges]]
from = "weigh"
to = "think"
label = "again"
"""
"""Two nodes that go on for as long as one likes."""

FAILS = """
format = 1
name = "fails"
start = "write"
[nodes.write]
type = "llm"
prompt = "Write."
replies = ["no"]
[[edges]]
from = "write"
to = "END"
when = 'response == "yes"'
"""
"""A graph whose routing fails after its only node."""
