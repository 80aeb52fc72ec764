"""What the libraries of all providers are told alike: where the key goes, and which call is which."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .messages import ModelRequest
    from .settings import ModelSettings


def client_options(library: Any, settings: ModelSettings, key: str, address: str) -> dict[str, Any]:
    """Say how the client of a library reaches its server; whether a call is made again is ours to say.

    Args:
        library: The library's module; openai and anthropic are made alike.
        settings: What the user says of the model.
        key: Its key; empty for none.
        address: Where it is asked.
    """
    from .bounded import bounded_client

    return {
        "api_key": key or "none",  # else the library looks for one everywhere, and sends it to any server
        "base_url": address,
        "max_retries": 0,
        "timeout": library.Timeout(settings.timeout + 5, connect=min(10.0, settings.timeout)),
        "http_client": bounded_client(library.DefaultHttpxClient),  # the key goes only where the settings say
    }


def request_headers(request: ModelRequest) -> dict[str, str] | None:
    """Name the call: alike for each attempt at it, otherwise for another call of its step."""
    key = request.idempotency_key
    return {"Idempotency-Key": f"{key}:{request.digest[:12]}"} if key else None
