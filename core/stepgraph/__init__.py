"""Stepgraph: state graphs that orchestrate AI agents, run one node at a time.

Everything that most programs need is importable from here. What only some writers need is in modules of its
own: ``stepgraph.nodes.settings`` for node types, ``stepgraph.conditions`` for conditions,
``stepgraph.stores`` for stores, ``stepgraph.testing`` for tests.

Each name loads its module when it is first used, so that ``import stepgraph`` stays cheap. The stub beside
this file is the one list of them.
"""

from .doors import door

__version__ = "0.1.0"
__all__, __getattr__, __dir__ = door(__name__, keep=True)
