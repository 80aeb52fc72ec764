"""Providers by the names that people know them by, with what is usual there."""

from __future__ import annotations

from dataclasses import dataclass

from .providers import provider_names


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
    """Give the providers that can be added by name, with what is usual there."""
    others = {name: Preset(name) for name in provider_names() if name not in _PRESETS}
    return _PRESETS | others
