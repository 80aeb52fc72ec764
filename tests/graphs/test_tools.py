"""The functions beside the graphs, called as plain Python."""

from __future__ import annotations

from typing import Any

import pytest

from .playing import handler


@pytest.mark.parametrize("ticket", ["order 8812", "Re: 8812!", "first 1, then 8812, not 7301"])
def test_the_first_known_order_of_a_ticket_is_found(ticket: str) -> None:
    assert handler("refund_tools:lookup_order")(ticket)["id"] == "8812"


@pytest.mark.parametrize(
    ("ticket", "said"),
    [("my order is late", "it names no number"), ("order 88123", "it names 88123")],
)
def test_a_ticket_without_a_known_order_says_what_it_names(ticket: str, said: str) -> None:
    with pytest.raises(LookupError, match=said):
        handler("refund_tools:lookup_order")(ticket)


def test_paying_an_order_twice_gives_the_same_receipt() -> None:
    pay = handler("refund_tools:pay")
    assert pay("8812", 240, "EUR") == pay("8812", 240, "EUR")


@pytest.mark.parametrize("amount", [0, -1.5])
def test_nothing_is_not_paid(amount: float) -> None:
    with pytest.raises(ValueError, match="must be above 0"):
        handler("refund_tools:pay")("8812", amount, "EUR")


def test_stock_is_found_whatever_the_case() -> None:
    assert handler("shop_tools:check_stock")(" meridian HELMET", "lyon")["count"] == 4


def test_a_product_that_nobody_sells_lists_what_there_is() -> None:
    with pytest.raises(LookupError, match=r"'tandem' in 'Lyon'; we sell: Meridian helmet in Lyon"):
        handler("shop_tools:check_stock")("tandem", "Lyon")


@pytest.mark.parametrize(
    ("query", "titles"),
    [
        ("open on Saturday?", ["Opening hours"]),
        ("opening hours, and returns", ["Opening hours", "Returns"]),
        ("quantum", []),
    ],
)
def test_the_handbook_gives_the_best_passages_first(query: str, titles: list[str]) -> None:
    found = handler("shop_tools:search_handbook")(query)
    assert [passage["title"] for passage in found["passages"]] == titles


def checked(draft: str, disputed: bool = False) -> dict[str, Any]:
    state = {"draft": draft, "billing": {"invoice": {"number": "2026-118", "disputed": disputed}}}
    result: dict[str, Any] = handler("support_tools:check_compliance")(state)
    return result


@pytest.mark.parametrize("promise", ["We guarantee it", "It will NEVER HAPPEN AGAIN", "we promise you"])
def test_promises_about_the_future_fail(promise: str) -> None:
    result = checked(f"Invoice 2026-118. {promise}.")
    assert result["compliance"] == "failed"
    assert "we promise nothing about the future" in result["compliance_error"]


@pytest.mark.parametrize("offer", ["credit", "refund", "discount"])
def test_offers_fail_only_while_the_invoice_is_disputed(offer: str) -> None:
    letter = f"Invoice 2026-118: we give you a {offer}."
    assert checked(letter)["compliance"] == "passed"
    assert f'says "{offer}"' in checked(letter, disputed=True)["compliance_error"]


def test_every_broken_rule_is_named_at_once() -> None:
    errors = checked("We guarantee a refund.", disputed=True)["compliance_error"].splitlines()
    assert len(errors) == 3
    assert all(error.startswith("- ") for error in errors)


def round_of(bid: str, ask: str, budget: float = 850, floor: float = 780) -> dict[str, Any]:
    state = {"buyer_says": bid, "seller_says": ask, "budget": budget, "floor": floor}
    result: dict[str, Any] = handler("negotiation_rules:compare_offers")(state)
    return result


def test_numbers_in_the_prose_are_no_offers() -> None:
    result = round_of("OFFER: 700\nI said 790!\nOFFER: 710", "In 2022 I paid 3000.\nOFFER: 820.5")
    assert result == {"offers": {"bid": 710, "ask": 820.5}, "gap": 110.5}


def test_each_side_is_held_to_its_limit() -> None:
    assert round_of("OFFER: 2000", "OFFER: 1") == {"offers": {"bid": 850, "ask": 780}, "gap": -70}


def test_a_bid_above_the_ask_costs_no_more_than_the_ask() -> None:
    state = {"item": "a mill", "offers": [{"bid": 70, "ask": 90}, {"bid": 85, "ask": 80.5}]}
    contract = handler("negotiation_rules:write_contract")(state)
    assert contract == "The buyer takes a mill for 80.5 EUR after 2 rounds."
