"""The tools of tool_router.toml: the stock and the handbook of a bicycle shop, from shop.json."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

SHOP = Path(__file__).with_name("shop.json")
PASSAGES = 2
"""The most passages of the handbook that a search returns."""


def check_stock(product: str, branch: str) -> dict[str, Any]:
    """Count the pieces of a product that a branch has.

    Raises:
        LookupError: No branch sells such a product.
    """
    stock = _shop()["stock"]
    for entry in stock:
        if _same(entry["product"], product) and _same(entry["branch"], branch):
            return dict(entry)
    known = ", ".join(f"{entry['product']} in {entry['branch']}" for entry in stock)
    raise LookupError(f"nothing is known of {product!r} in {branch!r}; we sell: {known}")


def search_handbook(query: str) -> dict[str, Any]:
    """Find the passages of the handbook that share the most words with a query, best first."""
    wanted = _words(query)
    scored = [(len(wanted & _words(f"{page['title']} {page['text']}")), page) for page in _shop()["handbook"]]
    best = sorted((pair for pair in scored if pair[0]), key=lambda pair: -pair[0])
    return {"query": query, "passages": [page for _, page in best[:PASSAGES]]}


def _shop() -> dict[str, list[dict[str, Any]]]:
    shop: dict[str, list[dict[str, Any]]] = json.loads(SHOP.read_text(encoding="utf-8"))
    return shop


def _same(one: str, other: str) -> bool:
    return one.casefold().strip() == other.casefold().strip()


def _words(text: str) -> set[str]:
    """The words of a text that carry meaning: those of more than three letters, without a plural s."""
    return {word.rstrip("s") for word in re.findall(r"\w{4,}", text.casefold())}
