"""Graphs for scenes that the shipped ones have nothing for: one that fails, one that is large."""

from __future__ import annotations

from bench.workflows import workflow

PARCELS = """\
format = 1
name = "parcels"
note = "Weighs a parcel, and prints the stamp for it."
start = "weigh"

[state.parcel]
type = "table"
default = { sender = "Ana", grams = 1200 }
note = "What is sent."

[state.price]
type = "number"
note = "What it costs, in euros."

[nodes.weigh]
type = "router"
key = "parcel.grams"
threshold = 1000
high = "parcel"
low = "letter"
output = "kind"

[nodes.stamp]
type = "handler"
handler = "parcels:stamp"
note = "Looks the price up and prints the stamp."

[state.kind]
type = "text"
note = "letter or parcel."

[[edges]]
from = "weigh"
to = "stamp"

[[edges]]
from = "stamp"
to = "END"
"""
FAILING = '''\
"""Stamps."""

PRICES = {"letter": 0.95, "small parcel": 4.5}


def price_of(kind):
    """What sending costs, in euros."""
    return PRICES[kind]


def stamp(state):
    return {"price": price_of(state["kind"])}
'''

_HEAD = """\
format = 1
name = "pipeline"
note = "A graph of a size that nobody draws by hand."
start = "{start}"
max_steps = {most}

[state.word]
type = "text"
default = "go"
note = "What the models say."
"""
_NODE = """
[nodes.{name}]
type = "llm"
prompt = "Go on?"
output = "word"
replies = ["go"]
"""
_EDGE = """
[[edges]]
from = "{source}"
to = "{target}"
"""
_WAY = """\
label = "{label}"
when = 'word == "go {number}"'
"""


def large_graph(count: int) -> str:
    """A graph file with so many nodes; a run of it goes on and on, never back."""
    diagram = workflow(count, seed=20)  # with this one, every node can be reached
    places = {node.id: place for place, node in enumerate(diagram.nodes)}
    ways: dict[str, dict[str, str]] = {node.id: {} for node in diagram.nodes}
    for edge in diagram.edges:
        ways[edge.source].setdefault(edge.target, edge.label.split()[-1] if edge.label else "skip")
    last = diagram.nodes[-1].id
    text = _HEAD.format(start=diagram.nodes[0].id, most=2 * count)
    text += "".join(_NODE.format(name=node.id) for node in diagram.nodes)
    for name, targets in ways.items():
        onwards = max(targets, key=places.__getitem__, default=None) if name != last else None
        for number, (target, label) in enumerate(sorted(targets.items(), key=lambda way: way[0] == onwards)):
            text += _EDGE.format(source=name, target=target)
            text += "" if target == onwards else _WAY.format(label=label, number=number)
    return text + _EDGE.format(source=last, target="END")


DEPLOY = """
format = 1
name = "deploy"
note = "A service is built, a person agrees, and it goes out."
start = "build"
max_steps = 20

[state.service]
type = "text"
input = true
default = "api"

[nodes.build]
type = "handler"
handler = "deploying:build"

[nodes.release]
type = "approval"
prompt = "Deploy {{ service }} to production?"
action = "deploy(service={{ service }})"
show = ["service"]
risk = "low"

[nodes.push]
type = "handler"
handler = "deploying:push"
side_effects = true

[[edges]]
from = "build"
to = "release"

[[edges]]
from = "release"
to = "push"
when = 'decision == "approve"'
label = "approved"

[[edges]]
from = "release"
to = "END"

[[edges]]
from = "push"
to = "END"
"""
"""Deployments that a person agrees to."""

DEPLOYING = """
import time
from pathlib import Path

RELEASED = Path(__file__).with_name("released")


def build(state):
    return {"image": f"{state['service']}:241"}


def push(state):
    while not RELEASED.exists():
        time.sleep(0.01)
    return {"pushed": True}
"""
"""Its module; what it pushes takes until a file lies beside it."""
