"""Who answers, by name: the built-in providers, and those that installed packages add."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, TypeAlias

from ..values.errors import ModelError, StepgraphError
from ..values.messages import said

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

    from .client import LLMClient
    from .settings import ModelSettings

    Provider: TypeAlias = Callable[[ModelSettings], LLMClient]

GROUP = "stepgraph.models"
"""The entry-point group of other providers: what a name points to is called with the ``ModelSettings`` of an
alias and returns an ``LLMClient``, or better a ``ChatModel``."""

_BUILT_IN = {
    "openai": ".openai:openai_model",
    "anthropic": ".anthropic:anthropic_model",
    "scripted": ".scripted:scripted_model",
}


def provider_names(named: str = "") -> Sequence[str]:
    """Name the providers; those of packages are only looked for where ``named`` is none of ours."""
    return tuple(_BUILT_IN) if named in _BUILT_IN else (*_BUILT_IN, *(point.name for point in _points()))


def make_client(settings: ModelSettings) -> LLMClient:
    """Make the client of a model; this imports the provider's library.

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
            f"the provider {name!r} raised {type(error).__name__}{said(error)}",
            hint=f"it comes from the package{package}: update or remove it",
        ) from error
    return made


def check_library(settings: ModelSettings) -> None:
    """Do nothing where the library of a model's provider is installed; it is not imported.

    Raises:
        ModelError: It is not.
    """
    from importlib.util import find_spec

    name = settings.provider
    if name in ("openai", "anthropic") and find_spec(name) is None:
        raise missing_library(name)


def missing_library(provider: str) -> ModelError:
    """Say which extra brings the library of a provider."""
    return ModelError(
        f"the library of {provider} is not installed", hint=f"pip install 'stepgraph[{provider}]', then retry"
    )


@cache  # looking through what is installed takes a millisecond
def _points() -> list[EntryPoint]:
    from importlib.metadata import entry_points  # it loads half of email

    return [point for point in entry_points(group=GROUP) if point.name not in _BUILT_IN]
