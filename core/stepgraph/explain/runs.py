"""The codes of what goes wrong while a graph runs."""

from __future__ import annotations

from .code import Code

CODES: dict[str, Code] = {
    "R000": Code(
        "The run cannot go on",
        "The error has no family of its own; its message says what happened and its hint what to do next.",
        "stepgraph runs show RUN",
    ),
    "R001": Code(
        "The run reached its cap",
        "It completed max_steps steps without coming to END, and on_max_steps is fail. The loop report "
        "shows the cycle that repeated and the edge that kept matching.",
        "stepgraph extend RUN 20",
    ),
    "R002": Code(
        "No edge matched",
        "A node ran, and the conditions of all its edges came out false. Its step is kept. The message lists "
        "the edges.",
        '[[edges]]\nfrom = "classify"\nto = "handover"   # no `when`: taken when nothing else matches',
    ),
    "R003": Code(
        "A node failed",
        "It raised an error, said that it failed, or returned what no node may return. Its step does not "
        "count, and the run waits at the node.",
        "stepgraph retry RUN",
    ),
    "R004": Code(
        "The condition of an edge failed",
        "A node ran, and a condition could not be answered. The step is kept; `retry` tries the edges again "
        "and does not run the node a second time.",
        "stepgraph retry RUN",
    ),
    "R005": Code(
        "A value does not belong in the state",
        "The state is JSON. The value is not, or is not of the type that its key declares, or an input that "
        "the graph asks for is missing. The message has its path.",
        'return {"docs": sorted(docs)}   # a list, not a set',
    ),
    "R006": Code(
        "The run's status does not allow that",
        "Only a run that is READY can take a step; a paused one waits for a decision, an ended one is over.",
        "stepgraph runs show RUN",
    ),
    "R007": Code(
        "The run was started with another graph",
        "A run goes on with the graph that it was started with. The message lists the differences; the run "
        "can be moved to the new graph where its next node is still there.",
        'executor.load("r-1", adopt=True)',
    ),
}
