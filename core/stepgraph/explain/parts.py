"""The codes of what graphs are made of: conditions, handlers, state keys, tools, gates (G020 to G029)."""

from __future__ import annotations

from .code import Code

CODES: dict[str, Code] = {
    "G020": Code(
        "A condition counts the visits of an unknown node",
        "visits.NAME is how often the run has come to the node of that name; a node that the graph does not "
        "have is never visited. Names that are no identifiers go in brackets.",
        "when = 'visits.draft < 3'      # or: visits[\"draft letter\"] < 3",
    ),
    "G021": Code(
        "A handler is not spelt module:function",
        "Python code is named by its module, a colon, and its function. The module is looked up beside the "
        "graph file first. The check looks at the spelling alone: it imports nothing.",
        'handler = "refund_tools:lookup_order"',
    ),
    "G022": Code(
        "A state key is declared wrongly",
        "A key has a name; its type is text, number, boolean, list or table; its reducer is replace, append "
        "(which keeps a list) or merge (which keeps a table). A default is JSON, and of that type.",
        '[state.messages]\nreducer = "append"\ndefault = []',
    ),
    "G023": Code(
        "A state key is declared twice",
        "A key has one declaration. The first of the two is kept, so that the other checks can go on.",
        'graph.add_key("messages", reducer="append", default=[])   # once',
    ),
    "G024": Code(
        "Two tools have the same name",
        "A name stands for one tool. The first of the two is kept, so that the other checks can go on.",
        'graph.add_tool("search_orders", tool=search_orders)',
    ),
    "G025": Code(
        "Review gates are not available",
        'review = "before" or "after" on a node, and requires_approval on a tool, ask a person before the '
        "work goes on. This version does not have them yet, and running the graph without asking would be "
        "dangerous, so it is refused. An approval node asks in the same place.",
        '[nodes.review]\ntype = "approval"\nprompt = "Pay {{ order.amount }}?"',
    ),
    "G026": Code(
        "A reviewer's edit would be appended",
        "The reviewer may edit a value whose key has the reducer append. What is written to such a key goes "
        "behind what is there, so the edit would add to the old value instead of replacing it.",
        '[nodes.review]\ntype = "approval"\nprompt = "Send this?"\n'
        'editable = { draft = "text" }   # a key with the reducer replace',
    ),
    "G027": Code(
        "A tool cannot work as it is declared",
        "A tool has a name, and one of three things to run: an object (in Python), a handler, or canned "
        "answers in returns, which are a table or a list of tables.",
        "[tools.lookup_order]\nreturns = { id = 8812, amount = 240 }",
    ),
}
