"""What a user says of a model: the keys of a table ``[models.ALIAS]``."""

from __future__ import annotations

import math
from typing import Annotated, Any, Literal

from ..values.declared import Converted, Declared, field
from ..values.user_settings import address, positive, variable


def _keyring(text: str) -> str:
    service, slash, user = text.partition("/")
    if not (service and slash and user):
        raise ValueError("an entry of the keyring is written service/user")
    return text


def _not_negative(value: Any) -> Any:
    if not (math.isfinite(value) and value >= 0):
        raise ValueError("it must not be less than 0")
    return value


def _price(value: float) -> float:
    if not 0 <= value <= 1_000_000:
        raise ValueError("it is a number from 0 to 1,000,000")
    return value


def _few(value: int) -> int:
    if not 0 <= value <= 10:
        raise ValueError("it is a number from 0 to 10")
    return value


def _count(value: int) -> int:
    if not 1 <= value <= 1_000_000:
        raise ValueError("it is a number from 1 to 1,000,000")
    return value


class ModelSettings(Declared):
    """What a user says of one model."""

    provider: str = field(
        min_length=1,
        description="Who answers: openai (or what speaks its protocol), anthropic, scripted, a package's.",
        examples=["openai"],
    )
    model: str = field("", description="The model's name at its provider.")
    base_url: Annotated[str, Converted(address)] | None = field(
        None, description="The address of a server that speaks the provider's protocol; none for its own."
    )
    key_env: Annotated[str, Converted(variable)] | None = field(
        None, description="The environment variable that holds the key."
    )
    keyring: Annotated[str, Converted(_keyring)] | None = field(
        None, description="Where the system's keyring holds the key: service/user."
    )
    timeout: Annotated[float, Converted(positive)] = field(
        60.0, description="Seconds without a word from the server after which a call fails."
    )
    retries: Annotated[int, Converted(_few)] = field(
        2, description="How often a call is made again when the server is busy or away."
    )
    max_tokens: Annotated[int, Converted(_count)] = field(4096, description="The most tokens of one reply.")
    temperature: Annotated[float, Converted(_not_negative)] | None = field(
        None, description="How freely it words; none for the provider's default."
    )
    input_price: Annotated[float, Converted(_price)] | None = field(
        None, description="US dollars a million tokens of what is said to it."
    )
    output_price: Annotated[float, Converted(_price)] | None = field(
        None, description="US dollars a million tokens of what it replies."
    )
    tools: Literal["native", "text"] = field(
        "native", description="How it is offered tools: by the provider's own way, or by lines CALL_TOOL."
    )
    replies: tuple[str, ...] = field(
        (), description="What a scripted model replies, in order, the last repeated."
    )
    options: dict[str, Any] = field(
        default_factory=dict, description="What else each request to the provider says, as it is."
    )

    def _check(self) -> None:
        if self.key_env is not None and self.keyring is not None:
            raise ValueError("it has two keys, key_env and keyring: leave out one of them")
        if (self.input_price is None) != (self.output_price is None):
            raise ValueError("input_price and output_price belong together: give both")
        if self.provider == "scripted" and not self.replies:
            raise ValueError("a scripted model needs replies")
        if self.provider in ("openai", "anthropic") and not self.model:
            raise ValueError('it names no model: give model = "..."')
