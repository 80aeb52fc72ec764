"""The codes of warnings: what can run, but is most likely not meant (G100 and above)."""

from __future__ import annotations

from .code import Code

CODES: dict[str, Code] = {
    "G100": Code(
        "A node is never reached",
        "No path of edges that can be taken leads from the start to the node, so it will never run.",
        '[[edges]]\nfrom = "draft"\nto = "review"   # the node that was never reached',
    ),
    "G101": Code(
        "No path leads from a node to END",
        "Once a run comes to the node it can only go round in a cycle until it reaches max_steps.",
        '[[edges]]\nfrom = "critique"\nto = "END"\nwhen = \'verdict == "approved"\'',
    ),
    "G102": Code(
        "A cycle has no way out",
        "The nodes lead only to each other. A run that gets there ends at max_steps and nowhere else. Where "
        'on_no_match = "end", a node whose edges all have conditions counts as a way out.',
        '[[edges]]\nfrom = "critique"\nto = "END"\nwhen = \'verdict == "approved"\'',
    ),
    "G103": Code(
        "An edge is never taken",
        "The edges of a node are tried in their order, and the first that matches wins. An earlier edge "
        "without a condition, or with the same condition, always comes first.",
        "# put the edge without `when` behind the others of the same node",
    ),
    "G104": Code(
        "A node has no fallback",
        "All edges of the node have conditions. Where none of them holds the run fails (NoEdgeMatched). "
        'That may be what you want; a last edge without a condition, or on_no_match = "end", says otherwise.',
        '[[edges]]\nfrom = "classify"\nto = "handover"   # no `when`: taken when nothing else matches',
    ),
    "G105": Code(
        "Two edges have the same ends",
        "Both lead from the same node to the same node. One edge whose condition joins the two by `or` is "
        "easier to read, and drawn once. Two labels for two reasons are a good cause to keep them.",
        'when = \'category == "billing" or category == "refund"\'',
    ),
    "G106": Code(
        "A model is not configured",
        "The node asks a model by its alias, and this machine has no model of that alias. Canned replies "
        "let the node run offline.",
        'replies = ["billing"]',
    ),
    "G107": Code(
        "A key is read that nothing writes",
        "Every node says what it writes, and none writes this key; nor is it declared with input or with a "
        "default. Reading it will fail unless the run is started with it.",
        "[state.ticket]\ninput = true",
    ),
}
