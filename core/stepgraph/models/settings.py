"""The models of a user's settings: the tables ``[models.ALIAS]``, read and checked."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Annotated, Any, Literal
from urllib.parse import urlsplit

from ..values.declared import Converted, Declared, checked_table, field, keys_of, plain_table
from ..values.messages import choice_hint, expectation, path_of
from ..values.problems import KeyPath, did_you_mean
from .providers import provider_names

if TYPE_CHECKING:
    from pydantic_core import ErrorDetails

ReportWrong = Callable[[KeyPath, str], None]
"""Takes where something is wrong in the file, and what."""

ALIAS = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]{0,63}")
_KEYS = ("api_key", "apikey", "key", "token", "secret")
_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


def _url(text: str) -> str:
    refusal = "an address begins with http:// or https:// and names a host"
    try:
        parts = urlsplit(text)
    except ValueError:
        raise ValueError(refusal) from None
    if parts.scheme not in ("http", "https") or not parts.hostname or not text.isprintable() or " " in text:
        raise ValueError(refusal)
    if parts.username or parts.password:
        raise ValueError("a key does not belong into an address: name it by key_env")
    return text


def _variable(text: str) -> str:
    if not _VARIABLE.fullmatch(text):
        raise ValueError(
            "a variable's name has letters, digits and underscores (the name, not the key itself)"
        )
    return text


def _keyring(text: str) -> str:
    service, slash, user = text.partition("/")
    if not (service and slash and user):
        raise ValueError("an entry of the keyring is written service/user")
    return text


def _positive(value: float) -> float:
    if not (math.isfinite(value) and value > 0):
        raise ValueError("it must be more than 0")
    return value


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
    base_url: Annotated[str, Converted(_url)] | None = field(
        None, description="The address of a server that speaks the provider's protocol; none for its own."
    )
    key_env: Annotated[str, Converted(_variable)] | None = field(
        None, description="The environment variable that holds the key."
    )
    keyring: Annotated[str, Converted(_keyring)] | None = field(
        None, description="Where the system's keyring holds the key: service/user."
    )
    timeout: Annotated[float, Converted(_positive)] = field(
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


def read_models(table: object, report: ReportWrong) -> dict[str, ModelSettings]:
    """Read the tables of models; what is wrong is reported by its place, and its model left out."""
    if not isinstance(table, Mapping):
        report(("models",), 'models are tables: [models.default], with provider = "openai" and model = "..."')
        return {}
    found = {}
    for alias, settings in table.items():
        where: KeyPath = ("models", alias)
        if not ALIAS.fullmatch(alias):
            report(where, f"{alias!r} cannot name a model: letters, digits, dots, dashes and underscores can")
        elif not isinstance(settings, Mapping):
            report(where, f"a model is a table: [models.{alias}]")
        elif (model := read_model(settings, where, report)) is not None:
            found[alias] = model
    return found


def read_model(table: Mapping[str, Any], where: KeyPath, report: ReportWrong) -> ModelSettings | None:
    """Read one model's table; None where something is wrong, which is reported."""
    model = plain_table(ModelSettings, table)
    if model is None:
        return _report(table, where, report)
    known = provider_names(model.provider)
    if model.provider not in known:
        hint = did_you_mean(model.provider, known, listing="there are")
        report((*where, "provider"), f"{path_of(where)}: there is no provider {model.provider!r} ({hint})")
        return None
    return model


def _report(table: Mapping[str, Any], where: KeyPath, report: ReportWrong) -> ModelSettings | None:
    from pydantic import ValidationError

    try:
        return checked_table(ModelSettings, table)
    except ValidationError as error:
        for detail in error.errors(include_url=False):
            at = (*where, *(part for part in detail["loc"] if not str(part).startswith("function-")))
            report(at, f"{path_of(where)}: {_wrong(path_of(at[len(where) :]), detail)}")
        return None


def _wrong(name: str, detail: ErrorDetails) -> str:
    """Say what is wrong with a setting; of a key's place not what it is, for it may be the key itself."""
    said = detail["msg"].removeprefix("Value error, ")
    if detail["type"] == "extra_forbidden":
        own = "a key is not written here: name the variable that holds it, key_env"
        hint = own if name in _KEYS else did_you_mean(name, keys_of(ModelSettings), listing="it has")
        return f"there is no setting {name!r} ({hint})"
    if detail["type"] == "missing":
        return f"{name} is missing"
    if not name:
        return said
    if detail["type"] == "value_error" and name in ("key_env", "keyring", "base_url"):
        return f"{name} is not right: {said}"
    hint = choice_hint(detail)
    return f"{name} {expectation(detail)}" + (f" ({hint})" if hint else "")
