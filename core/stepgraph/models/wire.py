"""How providers are spoken to: what each must do, and what the libraries of all are told alike."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from .draft import Draft
    from .messages import ModelRequest
    from .reading import ReplyStream
    from .settings import ModelSettings


class Wire(Protocol):
    """How one provider is spoken to."""

    def open(self, request: ModelRequest) -> ReplyStream:
        """Send a request, and give the stream of the reply."""
        ...

    def take(self, draft: Draft, event: Any) -> str:
        """Put an event into the draft, and give the text in it."""
        ...

    def model_in(self, event: Any) -> object:
        """Give the model's full name where an event says it."""
        ...

    def close(self) -> None:
        """Close the connections."""
        ...


class WireMaker(Protocol):
    """Makes what speaks to a provider, by the model's settings, its key and its address."""

    def __call__(self, settings: ModelSettings, key: str, address: str) -> Wire:
        """Make it; this imports the provider's library."""
        ...


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
