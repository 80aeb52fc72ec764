"""What a call costs: by the user's settings, else by the table of ``genai-prices`` where it is installed."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .messages import Usage
    from .settings import ModelSettings


_MILLION = 1_000_000


def cost(settings: ModelSettings, model: str, usage: Usage | None) -> float | None:
    """Compute what a call costs in US dollars; None where no price is known.

    Args:
        settings: What the user says of the model.
        model: Its full name, as the provider gives it.
        usage: The tokens; None where the provider does not say.
    """
    if usage is None:
        return None
    if settings.input_price is not None and settings.output_price is not None:
        return (usage.input * settings.input_price + usage.output * settings.output_price) / _MILLION
    return _by_table(settings, model, usage.input, usage.output, usage.cached)


def prices(settings: ModelSettings) -> tuple[float, float] | None:
    """Tell what a million tokens of input, and of output, cost in US dollars; None where it is not known."""
    from .messages import Usage

    if settings.provider == "scripted":
        return 0.0, 0.0
    asked, told = (
        cost(settings, settings.model, usage) for usage in (Usage(_MILLION, 0), Usage(0, _MILLION))
    )
    return None if asked is None or told is None else (asked, told)


def has_price(settings: ModelSettings) -> bool:
    """Tell whether the price of a model's calls is known beforehand."""
    return prices(settings) is not None


def _by_table(settings: ModelSettings, model: str, asked: int, told: int, cached: int) -> float | None:
    prices = _table()
    if prices is None or not model:
        return None
    where = (
        {"provider_api_url": settings.base_url} if settings.base_url else {"provider_id": settings.provider}
    )
    usage = prices.Usage(input_tokens=asked, output_tokens=told, cache_read_tokens=cached or None)
    for name in (model, settings.model):
        try:
            return float(prices.calc_price(usage, model_ref=name, **where).total_price)
        except Exception:  # noqa: S112  # the table does not know it, or cannot compute it: then nobody does
            continue
    return None


@cache
def _table() -> Any:
    try:
        import genai_prices
    except ImportError:
        return None
    return genai_prices
