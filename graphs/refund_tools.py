"""The tools of refund_triage.toml, on the small order database in orders.json."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

ORDERS = Path(__file__).with_name("orders.json")


def lookup_order(ticket: str) -> dict[str, Any]:
    """Find the order that a ticket names: its id, amount, currency, customer and item.

    Raises:
        LookupError: The ticket names no order that the shop knows.
    """
    orders: dict[str, dict[str, Any]] = json.loads(ORDERS.read_text(encoding="utf-8"))
    numbers = re.findall(r"\d+", ticket)
    for number in numbers:
        if number in orders:
            order = orders[number]
            return {"id": number, **{key: order[key] for key in ("amount", "currency", "customer", "item")}}
    named = f"it names {', '.join(numbers)}" if numbers else "it names no number"
    raise LookupError(f"the ticket is about no order that we know ({named}; we know {', '.join(orders)})")


def pay(order_id: str, amount: int | float, currency: str) -> dict[str, Any]:
    """Refund an amount to the customer of an order; stands in for a payment service.

    The receipt is made from the order, so paying the same order again gives the same receipt: a real
    service would be given such a key to tell a retry from a second payment.

    Raises:
        ValueError: The amount is nothing that can be paid.
    """
    if amount <= 0:
        raise ValueError(f"cannot pay {amount} {currency} for order {order_id}: the amount must be above 0")
    return {"receipt": f"rf-{order_id}", "amount": amount, "currency": currency}


def notify(customer: str, message: str) -> dict[str, str]:
    """Put a letter to a customer into the outbox; stands in for a mail service."""
    return {"to": customer, "message": message.strip()}
