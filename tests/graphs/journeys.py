"""Every way that the example graphs offer; together they take each edge at least once."""

from __future__ import annotations

from stepgraph import Decision

from .playing import Journey

YES = Decision.approve(by="ana")
BENS = Decision.approve(by="ben")
NO = Decision.reject(by="ana", comment="paid once only")
WRITTEN = "tidy letter letter/write letter/read letter/write letter/read letter/END"

JOURNEYS = (
    Journey("threshold_router", "check_amount second_signature"),
    Journey("threshold_router", "check_amount second_signature", {"amount": 1000}),
    Journey("threshold_router", "check_amount book", {"amount": 999.99}),
    Journey("refund_triage", "classify lookup draft amount_check review pay notify", decisions=(YES,)),
    Journey("refund_triage", "classify lookup draft amount_check review refuse notify", decisions=(NO,)),
    Journey(
        "refund_triage",
        "classify lookup draft amount_check pay notify",
        {"ticket": "Order 7301 was charged twice."},
    ),
    Journey(
        "refund_triage",
        "classify hand_over",
        {"ticket": "Do you grind coffee, too?"},
        replies=("other", "A colleague will answer."),
    ),
    Journey("supplier_payment", "read_invoice advice pay", decisions=(YES, YES, BENS)),
    Journey("review_loop", "write read write read"),
    Journey("late_parcel", f"{WRITTEN} rules send patience refund close", decisions=(YES,)),
    Journey(
        "late_parcel",
        f"{WRITTEN} rules ask send patience refund close",
        {"days_late": 12},
        (YES, YES),
    ),
    Journey("late_parcel", f"{WRITTEN} rules ask", {"days_late": 12}, (NO,)),
    Journey("tool_router", "analyze check_stock analyze search_handbook analyze"),
    Journey(
        "support_triage",
        "classify fetch_billing draft compliance draft compliance draft compliance send",
    ),
    Journey(
        "support_triage",
        "classify fetch_billing draft compliance draft compliance draft compliance escalate send",
        {"customer": "C-219"},
        (YES,),
    ),
    Journey(
        "support_triage",
        "classify fetch_billing draft compliance draft compliance draft compliance escalate open_case",
        {"customer": "C-219"},
        (NO,),
    ),
    Journey("support_triage", "classify open_case", replies=("other",)),
    Journey("selective_feedback", "research write critique write critique write critique"),
    Journey(
        "selective_feedback",
        "research write critique research write critique",
        replies=(
            "- one fact",
            "A draft.",
            "VERDICT: more facts\nToo thin.",
            "- another fact",
            "A better draft.",
            "VERDICT: approve\nGood.",
        ),
    ),
    Journey("research_agent", "triage research critic research critic"),
    Journey("research_agent", "triage answer", replies=("answer at once", "Hello.")),
    Journey(
        "research_agent",
        "triage research critic research critic research critic caution",
        replies=(
            "look it up",
            *["I do not know.", '{"verdict": "revise", "remarks": "Look."}'] * 3,
            "Careful.",
        ),
    ),
    Journey("negotiation", "buyer seller referee buyer seller referee buyer seller referee contract"),
    Journey("negotiation", "buyer seller referee " * 5 + "part", {"budget": 750}),
    Journey("mcp_files", "look choose read answer"),
    Journey("mcp_files", "look choose", replies=("None of these can have it.",)),
)
