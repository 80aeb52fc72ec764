"""The referee of negotiation.toml: the gap between two offers, and the result in words."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

OFFER = re.compile(r"^OFFER:\s*(\d+(?:\.\d+)?)\s*$", re.MULTILINE)
"""A line of its own; numbers inside the prose are not offers."""


def compare_offers(state: Mapping[str, Any]) -> dict[str, Any]:
    """Measure the gap between the two offers of this round.

    Each side is held to its limit: an agent that offers more than its owner's budget, or less than
    its owner's floor, has offered the limit.

    Raises:
        ValueError: A message names no offer.
    """
    bid = min(_offer("buyer", state["buyer_says"]), state["budget"])
    ask = max(_offer("seller", state["seller_says"]), state["floor"])
    return {"offers": {"bid": bid, "ask": ask}, "gap": ask - bid}


def write_contract(state: Mapping[str, Any]) -> str:
    """Write down what was agreed; a bid above the ask costs the buyer no more than the ask."""
    price = state["offers"][-1]["ask"]
    return f"The buyer takes {state['item']} for {price:g} EUR after {len(state['offers'])} rounds."


def _offer(side: str, message: str) -> int | float:
    found = OFFER.findall(message)
    if not found:
        raise ValueError(f"the {side} named no price: the message needs a line such as OFFER: 800")
    number = float(found[-1])
    return int(number) if number.is_integer() else number
