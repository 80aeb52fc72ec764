"""The models of a user's settings: the tables ``[models.ALIAS]``, read and checked."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from ..values.declared import keys_of
from ..values.messages import choice_hint, expectation, path_of
from ..values.problems import KeyPath, did_you_mean
from ..values.user_settings import ReportWrong, Tables, read_table, read_tables
from .providers import provider_names
from .settings import ModelSettings

if TYPE_CHECKING:
    from pydantic_core import ErrorDetails

_KEYS = ("api_key", "apikey", "key", "token", "secret")
_TABLES = Tables(
    "models",
    "a model",
    'models are tables: [models.default], with provider = "openai" and model = "..."',
)


def read_models(tables: object, report: ReportWrong) -> dict[str, ModelSettings]:
    """Read the tables of models; what is wrong is reported by its place, and its model left out."""
    return read_tables(_TABLES, tables, read_model, report)


def read_model(table: Mapping[str, Any], where: KeyPath, report: ReportWrong) -> ModelSettings | None:
    """Read one model's table; None where something is wrong, which is reported."""
    model = read_table(ModelSettings, table, where, report, _wrong)
    if model is None:
        return None
    known = provider_names(model.provider)
    if model.provider not in known:
        hint = did_you_mean(model.provider, known, listing="there are")
        report((*where, "provider"), f"{path_of(where)}: there is no provider {model.provider!r} ({hint})")
        return None
    return model


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
