"""The models that a run may ask, by alias: each is made when it is first asked."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, Any, TypeAlias

from ..locks import Lock
from ..values.errors import ModelError, StepgraphError
from ..values.messages import error_detail
from ..values.problems import did_you_mean

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

    from .client import LLMClient, Usage
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
    """Find what a million tokens of input, and of output, cost in US dollars; None where it is not known."""
    from .client import Usage

    if settings.provider == "scripted":
        return 0.0, 0.0
    input_price, output_price = (
        cost(settings, settings.model, usage) for usage in (Usage(_MILLION, 0), Usage(0, _MILLION))
    )
    return None if input_price is None or output_price is None else (input_price, output_price)


def has_price(settings: ModelSettings) -> bool:
    """Check whether the price of a model's calls is known beforehand."""
    return prices(settings) is not None


def _by_table(
    settings: ModelSettings, model: str, input_tokens: int, output_tokens: int, cached: int
) -> float | None:
    prices = _table()
    if prices is None or not model:
        return None
    where = (
        {"provider_api_url": settings.base_url} if settings.base_url else {"provider_id": settings.provider}
    )
    usage = prices.Usage(
        input_tokens=input_tokens, output_tokens=output_tokens, cache_read_tokens=cached or None
    )
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


if TYPE_CHECKING:
    Provider: TypeAlias = Callable[[ModelSettings], LLMClient]

GROUP = "stepgraph.models"
"""The entry-point group of other providers: what a name points to is called with the ``ModelSettings`` of an
alias and returns an ``LLMClient``, or better a ``ChatModel``."""

_BUILT_IN = {
    "openai": "..extras.providers.openai:openai_model",
    "anthropic": "..extras.providers.anthropic:anthropic_model",
    "scripted": ".scripted:scripted_model",
}


def provider_names(named: str = "") -> Sequence[str]:
    """Name the providers; those of packages are only looked for where ``named`` is none of ours."""
    return tuple(_BUILT_IN) if named in _BUILT_IN else (*_BUILT_IN, *(point.name for point in _points()))


def make_client(settings: ModelSettings) -> LLMClient:
    """Build the client of a model; this imports the provider's library.

    Raises:
        ModelError: The library or its key is missing, or the package of the provider is broken.
    """
    name = settings.provider
    if name in _BUILT_IN:
        module, function = _BUILT_IN[name].split(":")
        provider: Provider = getattr(import_module(module, __package__), function)
        return provider(settings)
    point = next((point for point in _points() if point.name == name), None)
    if point is None:
        raise ModelError(f"there is no provider {name!r}", hint="install the package that brings it")
    try:
        made: LLMClient = point.load()(settings)
    except StepgraphError:
        raise
    except Exception as error:  # whatever a foreign module does
        package = f" {point.dist.name}" if point.dist is not None else ""
        raise ModelError(
            f"the provider {name!r} raised {type(error).__name__}{error_detail(error)}",
            hint=f"it comes from the package{package}: update or remove it",
        ) from error
    return made


def check_library(settings: ModelSettings) -> None:
    """Raise unless the library of a model's provider is installed; it is not imported.

    Raises:
        ModelError: It is not.
    """
    from importlib.util import find_spec

    name = settings.provider
    if name in ("openai", "anthropic") and find_spec(name) is None:
        raise missing_library(name)


def missing_library(provider: str) -> ModelError:
    """Find which extra brings the library of a provider."""
    return ModelError(
        f"the library of {provider} is not installed", hint=f"pip install 'stepgraph[{provider}]', then retry"
    )


@cache  # looking through what is installed takes a millisecond
def _points() -> list[EntryPoint]:
    from importlib.metadata import entry_points  # it loads half of email

    return [point for point in entry_points(group=GROUP) if point.name not in _BUILT_IN]


class ModelCatalog(Mapping[str, "LLMClient"]):
    """The models of the user's settings.

    Nothing is imported, no key is read and nobody is connected to before a model is first asked.

    Args:
        settings: The settings of each alias.
        live: False where no model may be asked: then the catalog is empty, and only advises.
    """

    def __init__(self, settings: Mapping[str, ModelSettings], *, live: bool = True) -> None:
        self.settings = dict(settings)
        self.live = live
        self._made: dict[str, LLMClient] = {}
        self._lock = Lock()

    def closed(self) -> ModelCatalog:
        """Return a catalog of the same models, none of which may be called."""
        return ModelCatalog(self.settings, live=False)

    def __getitem__(self, alias: str) -> LLMClient:
        if not self.live:
            raise KeyError(alias)
        with self._lock:
            if alias not in self._made:
                self._made[alias] = make_client(self.settings[alias])
            return self._made[alias]

    def __contains__(self, alias: object) -> bool:
        return self.live and alias in self.settings

    def __iter__(self) -> Iterator[str]:
        return iter(self.settings if self.live else ())

    def __len__(self) -> int:
        return len(self.settings) if self.live else 0

    def renew(self, settings: Mapping[str, ModelSettings]) -> None:
        """Go by other settings from now on; what a changed model was made of is made again."""
        with self._lock:
            before, self.settings = self.settings, dict(settings)
            for alias in [alias for alias in self._made if before.get(alias) is not self.settings.get(alias)]:
                del self._made[alias]

    def why_not(self, alias: str) -> str:
        """Explain why a model cannot be asked."""
        if alias in self.settings:
            return f"the model {alias!r} is not asked: the run is not live"
        return f"the model {alias!r} is not configured"

    def advice(self, alias: str) -> str:
        """Describe what to type so that a model can be asked."""
        live = "" if self.live else "run or retry it with --live, or give the node `replies`"
        if alias in self.settings:
            return live
        meant = did_you_mean(alias, self.settings, listing="configured")
        add = f"type `stepgraph models add {alias}`"
        return "; ".join(filter(None, (meant, add, live and f"then {live}")))

    def close(self) -> None:
        """Close the connections of the models that were asked."""
        with self._lock:
            for client in self._made.values():
                close = getattr(client, "close", None)
                if callable(close):
                    close()
            self._made.clear()


@dataclass(frozen=True, slots=True)
class Preset:
    """What is written of a model, as far as it is known."""

    provider: str
    model: str = ""
    base_url: str | None = None
    key_env: str | None = None
    input_price: float | None = None
    output_price: float | None = None
    keeps: bool = False
    """Whether the system's keyring holds the key."""
    key: str = ""
    """The key that is put there; it is written nowhere else."""
    needs_key: bool = True
    example: str = ""
    """The name of such a model."""


_OLLAMA, _OPENROUTER = "http://localhost:11434/v1", "https://openrouter.ai/api/v1"
_PRESETS = {
    "openai": Preset("openai", key_env="OPENAI_API_KEY", example="gpt-5-mini"),
    "anthropic": Preset("anthropic", key_env="ANTHROPIC_API_KEY", example="claude-haiku-4-5"),
    "ollama": Preset("openai", "", _OLLAMA, None, 0.0, 0.0, needs_key=False, example="qwen3:8b"),
    "openrouter": Preset("openai", "", _OPENROUTER, "OPENROUTER_API_KEY", example="mistralai/mistral-small"),
}


def presets() -> dict[str, Preset]:
    """Return the providers that can be added by name, with what is usual there."""
    others = {name: Preset(name) for name in provider_names() if name not in _PRESETS}
    return _PRESETS | others
