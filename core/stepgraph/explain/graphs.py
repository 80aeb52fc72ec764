"""The codes of a graph's frame: its settings, its names, and the ends of its edges (G001 to G019)."""

from __future__ import annotations

from .code import Code

CODES: dict[str, Code] = {
    "G001": Code(
        "The graph has no usable name",
        "Every graph has a name: runs, reviews and exports carry it. It is any text that is not blank.",
        'name = "refund-triage"',
    ),
    "G002": Code(
        "The graph has no nodes",
        "A run executes one node after another, so a graph needs at least one.",
        '[nodes.draft]\ntype = "llm"\nprompt = "Write a short answer to: {{ question }}"',
    ),
    "G003": Code(
        "A node has no usable name",
        "Edges, histories and breakpoints know a node by its name. It is any text that is not blank.",
        '[nodes.draft]   # not [nodes.""]',
    ),
    "G004": Code(
        "Two nodes have the same name",
        "A name stands for one node. The first of the two is kept, so that the other checks can go on.",
        'graph.add_node("draft", write)\ngraph.add_node("draft_again", rewrite)',
    ),
    "G005": Code(
        "A node has a reserved name",
        "END is where runs end; it is also spelt __END__. A node of that name could not be told from it.",
        "[nodes.finish]   # not [nodes.END]",
    ),
    "G006": Code(
        "A setting of the graph has a value that it does not take",
        "max_steps is a whole number of 1 or more. on_max_steps is return_last, flag or fail. on_no_match "
        "is fail or end. max_seconds is a number above 0, or left out. feedback is true or false.",
        'max_steps = 50\non_max_steps = "flag"',
    ),
    "G007": Code(
        "The graph does not say where it starts",
        "A run begins at the start node, and no node is taken for it by position or by name.",
        'start = "draft"',
    ),
    "G008": Code(
        "The start is no node of the graph",
        "The start names a node that the graph does not have. The message has the nearest name, or lists "
        "the known ones.",
        'start = "draft"   # the name of a [nodes.draft] table',
    ),
    "G009": Code(
        "The graph starts at END",
        "A run of such a graph would be over before anything ran. The start is a node.",
        'start = "draft"   # not "END"',
    ),
    "G010": Code(
        "An edge leaves an unknown node",
        "The node that an edge leaves must be one of the graph's. It is most often a typing mistake, or a "
        "node that was renamed or removed.",
        '[[edges]]\nfrom = "draft"   # the name of a [nodes.draft] table\nto = "END"',
    ),
    "G011": Code(
        "An edge leads to an unknown node",
        "An edge leads to a node of the graph, or to END. It is most often a typing mistake, or a node that "
        'was renamed or removed. In Python the end is the constant END of stepgraph, not the text "END".',
        '[[edges]]\nfrom = "draft"\nto = "review"   # the name of a [nodes.review] table',
    ),
    "G012": Code(
        "An edge lacks one of its ends",
        "An edge goes from a node to a node or to END, each given by its name. One of the two is blank or "
        "no text.",
        '[[edges]]\nfrom = "draft"\nto = "END"',
    ),
    "G013": Code(
        "An edge leaves END",
        "A run is over when it reaches END, so an edge out of it could never be taken. To go on after some "
        "work, lead its edge to a node instead of END.",
        '[[edges]]\nfrom = "pay"\nto = "notify"   # and from notify to END',
    ),
    "G014": Code(
        "A node has no edge that leaves it",
        "After each node the run needs to know where to go. The last node of a path leads to END; that is "
        "written down, so that a forgotten edge is not taken for an end.",
        '[[edges]]\nfrom = "notify"\nto = "END"',
    ),
    "G015": Code(
        "no_feedback names an unknown node",
        "no_feedback is a list of nodes that do not see their previous output when they are visited again.",
        'no_feedback = ["research"]',
    ),
    "G016": Code(
        "A condition cannot be used",
        "Conditions are a small part of Python's expressions: names and paths of the state, constants, "
        "comparisons, in, not in, is None, and, or, not. There are no calls and no arithmetic. The caret "
        "points to the first character that does not fit. In Python a condition may also be a plain "
        "(not async) function, or a key and the value that it equals.",
        "when = 'category == \"billing\" and visits.draft < 3'",
    ),
    "G017": Code(
        "A node or a tool is async",
        "Stepgraph runs one node at a time and never awaits, so an async function would never run. Call "
        "async code from a plain function.",
        "def fetch(state):\n    return asyncio.run(fetch_page(state['url']))",
    ),
    "G018": Code(
        "A node has nothing that could run",
        "A node is a function that takes the state and returns a dict (or a NodeResult), or an object with "
        "such a method execute. A class is neither: give an object of it.",
        'graph.add_node("draft", write_draft)   # not write_draft({})\n'
        'graph.add_node("check", Check())       # not Check',
    ),
    "G019": Code(
        "A node uses a tool that the graph does not declare",
        "The tools that nodes name are declared in the graph, so that a reader sees what it may call. Only "
        "a graph that is built in Python without any tools leaves them all to its executor.",
        '[tools.lookup_order]\nhandler = "refund_tools:lookup_order"',
    ),
}
