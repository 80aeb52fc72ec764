"""The tools and the compliance rules of support_triage.toml, on the accounts in billing.json."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

ACCOUNTS = Path(__file__).with_name("billing.json")
PROMISES = ("guarantee", "never happen again", "we promise")
"""Words that a letter must not contain: a court could hold us to them."""
OFFERS = ("credit", "refund", "discount")
"""Words that a letter must not contain while its invoice is disputed."""


def fetch_billing(customer: str) -> dict[str, Any]:
    """Return a customer's account and last invoice.

    Raises:
        LookupError: There is no such customer.
    """
    accounts: dict[str, dict[str, Any]] = json.loads(ACCOUNTS.read_text(encoding="utf-8"))
    if customer not in accounts:
        raise LookupError(f"there is no customer {customer!r}; we know {', '.join(accounts)}")
    return accounts[customer]


def check_compliance(state: Mapping[str, Any]) -> dict[str, str]:
    """Check the draft in the state; all rules that it breaks are listed at once, for the writer."""
    broken = list(_broken_rules(state["draft"], state["billing"]["invoice"]))
    return {
        "compliance": "failed" if broken else "passed",
        "compliance_error": "\n".join(f"- {rule}" for rule in broken),
    }


def _broken_rules(draft: str, invoice: Mapping[str, Any]) -> Iterator[str]:
    text = draft.casefold()
    for words in PROMISES:
        if words in text:
            yield f'The letter says "{words}": we promise nothing about the future.'
    if invoice["number"] not in draft:
        yield f"The letter does not name the invoice it is about, {invoice['number']}."
    for word in OFFERS:
        if invoice["disputed"] and word in text:
            yield f'The letter says "{word}": nothing may be offered while the invoice is disputed.'


def send_reply(customer: str, message: str) -> dict[str, str]:
    """Send a letter to a customer; stands in for a mail service."""
    return {"status": "sent", "to": customer, "message": message.strip()}


def open_case(customer: str, message: str, remark: str) -> dict[str, str]:
    """Put a customer's message on a colleague's desk; stands in for a ticket system."""
    return {"status": "with a colleague", "customer": customer, "message": message, "remark": remark}
