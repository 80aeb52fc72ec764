"""Examples for the codes whose explanations are kept beside the code that finds the problems."""

from __future__ import annotations

FIXES: dict[str, str] = {
    "F006": 'name = "refund-triage"   # text goes in quotes',
    "F008": "format = 1",
    "F020": 'prompt = "..."   # not promt',
    "F021": '[nodes.draft]\ntype = "llm"',
    "F022": 'max_steps = 30   # not "30"',
    "F023": 'due = "2030-01-31"   # not due = 2030-01-31',
    "F024": 'when = { predicate = "refund_tools:is_billing" }',
    "G030": '[nodes.draft]\ntype = "llm"',
    "G031": '[nodes.draft]\ntype = "llm"\noutput = "draft"   # not outputs',
    "G032": '[nodes.draft]\ntype = "llm"\nprompt = "Answer: {{ question }}"',
    "G033": '[nodes.amount_check]\ntype = "router"\nthreshold = 100   # not "100"',
    "G034": 'prompt = "Answer: {{ question }}"   # two braces on each side',
    "G035": '[nodes.review]\ntype = "approval"\nallow = ["edit", "reject"]\neditable = { draft = "text" }',
    "G037": "def fetch(state):\n    return asyncio.run(fetch_page(state['url']))",
}
