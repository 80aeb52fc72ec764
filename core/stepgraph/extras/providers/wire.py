"""The wire protocol of providers: what each implements, and the settings shared by all of their libraries."""

from __future__ import annotations

import json
import socket
import threading
import time
from _thread import start_new_thread
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from queue import Empty, SimpleQueue
from types import TracebackType
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, Self

from ...models.client import CallWatch
from ...models.settings import KeySource, scrubbed
from ...values.errors import ModelError
from ...values.messages import encodable

if TYPE_CHECKING:
    from ...models.client import ModelRequest
    from ...models.settings import ModelSettings
    from .live import Draft


class Wire(Protocol):
    """How one provider is spoken to."""

    def open(self, request: ModelRequest) -> ReplyStream:
        """Send a request, and return the stream of the reply."""
        ...

    def take(self, draft: Draft, event: Any) -> tuple[str, str]:
        """Add an event to the draft; return what the model thinks in it, and what it says."""
        ...

    def model_in(self, event: Any) -> object:
        """Return the model's full name where an event has it."""
        ...

    def close(self) -> None:
        """Close the connections."""
        ...


class WireMaker(Protocol):
    """Makes what speaks to a provider, by the model's settings, its key and its address."""

    def __call__(self, settings: ModelSettings, key: str, address: str) -> Wire:
        """Build it; this imports the provider's library."""
        ...


def client_options(library: Any, settings: ModelSettings, key: str, address: str) -> dict[str, Any]:
    """Describe how the client of a library reaches its server; whether a call is made again is ours to say.

    Args:
        library: The library's module; openai and anthropic are made alike.
        settings: What the user says of the model.
        key: Its key; empty for none.
        address: Where it is asked.
    """
    from ...models.bounded import bounded_client

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


_WORDS = 200
"""The most characters of a server's own words."""
_BUSY = {"overloaded_error", "api_error", "server_error", "rate_limit_error", "service_unavailable_error"}
_NO_QUOTA = ("insufficient_quota", "billing_error", "billing_hard_limit_reached")
_TOO_LONG = (
    "context_length_exceeded",
    "prompt is too long",
    "context length",
    "context window",
    "context size",
)


class Unavailable(ModelError):
    """A model that cannot answer now, and may in a moment.

    Args:
        message: What happened.
        hint: What to do next, where trying again did not help.
        after: The seconds after which the server says to ask again, or the date; empty where it does not say.
    """

    def __init__(self, message: str, *, hint: str = "", after: str = "") -> None:
        super().__init__(message, hint=hint)
        self.after = after


class Said(NamedTuple):
    """What a server says of a refusal."""

    message: str
    kinds: tuple[str, ...]


class FailureWords:
    """Words for the failures of one model.

    Args:
        settings: What the user says of it.
        source: Where its key comes from.
        key: The key, which is taken out of every text.
        address: Where it is asked.
    """

    def __init__(self, settings: ModelSettings, source: KeySource, key: str, address: str) -> None:
        self._settings, self._source, self._key, self._address = settings, source, key, address

    def of(self, error: BaseException, draft: Draft, answered: bool) -> ModelError:
        """Find what an error of the library means.

        Args:
            error: What it raised.
            draft: What had come until then.
            answered: Whether the server had begun to answer.
        """
        status = getattr(error, "status_code", None)
        if isinstance(status, int) and status >= 300:
            return self._refused(status, self._server_words(error), _header(error, "retry-after"))
        if isinstance(error, ModelError):
            error.message = scrubbed(error.message, self._key)
            error.args = (error.message,)
            return error
        if _is_connection(error):
            return self._cut_off(draft) if answered else self._unreachable(error)
        if getattr(error, "body", None) is not None:  # an error in the middle of a stream
            return self._broken_off(self._server_words(error), draft)
        return ModelError(
            f"its reply cannot be read: {self._clean(type(error).__name__, str(error))}",
            hint=f"does {self._address} speak the protocol of {self._settings.provider}? retry to ask again",
        )

    def _refused(self, status: int, reason: Said, after: str) -> ModelError:
        words, settings = (
            f" ({status}): {reason.message}" if reason.message else f" ({status})",
            self._settings,
        )
        if any(kind in _NO_QUOTA for kind in reason.kinds) or status == 402:
            return ModelError(f"its account has no quota left{words}", hint="check its billing, then retry")
        if status == 401:
            return self._key_refused(words)
        if status == 403:
            return ModelError(f"the key may not use it{words}", hint="check what the key allows, then retry")
        if status == 404:
            hint = f"look at `model` ({settings.model}) and `base_url` in the settings, then retry"
            return ModelError(f"{self._address} does not have it{words}", hint=hint)
        if status in (400, 413, 422) and _is_too_long(reason):
            return self.too_long(words)
        if 300 <= status < 400:
            return ModelError(
                f"{self._address} sends elsewhere{words}", hint="fix `base_url` in the settings"
            )
        if status == 429:
            return Unavailable(f"too many requests{words}", hint="wait a while, then retry", after=after)
        if status >= 500 or status in (408, 409):
            what = "it is overloaded" if status in (503, 529) else "its server failed"
            return Unavailable(f"{what}{words}", hint="wait a while, then retry", after=after)
        return ModelError(
            f"it refused the request{words}", hint="correct the request or the settings, then retry"
        )

    def too_long(self, words: str = "") -> ModelError:
        """Build the error for a request longer than the model's context."""
        return ModelError(
            f"the request is too long{words}",
            hint="shorten the prompt or the conversation, or use a model with a larger context; then retry",
        )

    def _key_refused(self, words: str) -> ModelError:
        if self._source.kind == "none":
            hint = "it wants a key: name the variable that holds it, `key_env`, in the settings; then retry"
        else:
            hint = f"look at {self._source.text}, then retry"
        return ModelError(f"its key was refused{words}", hint=hint)

    def _unreachable(self, error: BaseException) -> ModelError:
        why = error.__cause__ if error.__cause__ is not None else error
        if "imeout" in type(error).__name__ and "Connect" not in type(why).__name__:
            return ModelError(
                f"{self._address} does not answer", hint="retry, or give the model a longer `timeout`"
            )
        reason = self._clean("", str(why))
        return Unavailable(
            f"no answer from {self._address}" + (f": {reason}" if reason else ""),
            hint="is the server running, and `base_url` right? then retry",
        )

    def _cut_off(self, draft: Draft) -> ModelError:
        came = f"after {len(draft.text):,} characters" if draft.text else "before its first word"
        return ModelError(f"the connection was cut {came}", hint="retry to ask it again")

    def _broken_off(self, reason: Said, draft: Draft) -> ModelError:
        words = f": {reason.message}" if reason.message else ""
        if not draft.began and any(kind in _BUSY for kind in reason.kinds):
            return Unavailable(f"it is overloaded{words}", hint="wait a while, then retry")
        return ModelError(f"it broke off{words}", hint="retry to ask it again")

    def _server_words(self, error: BaseException) -> Said:
        """Read the server's own words out of an error: the whole body, or what is under ``error`` in it."""
        body: Any = getattr(error, "body", None)
        inner = body.get("error", body) if isinstance(body, Mapping) else body
        kinds: tuple[str, ...] = ()
        if isinstance(inner, Mapping):
            kinds = tuple(str(inner[name]) for name in ("code", "type") if inner.get(name))
            inner = inner.get("message", "")
        if not isinstance(inner, str):
            inner = json.dumps(inner)
        if _is_html(inner):
            inner = "the answer is a page of HTML"
        return Said(self._clean("", inner), kinds)

    def _clean(self, kind: str, text: str) -> str:
        line = " ".join(encodable(scrubbed(text, self._key)).split())
        if len(line) > _WORDS:
            line = f"{line[:_WORDS]}…"
        return f"{kind}: {line}" if kind and line else kind or line.rstrip(".")

    def not_a_stream(self, kind: str, beginning: str) -> ModelError:
        """Build the error for an answer with the wrong content type."""
        what = "a page of HTML" if _is_html(beginning) else kind or "something"
        shown = "" if _is_html(beginning) or not beginning else f": {self._clean('', beginning)}"
        often = ", often with /v1 at the end" if self._settings.provider == "openai" else ""
        return ModelError(
            f"{self._address} answers with {what}, not with a reply{shown}",
            hint=f"fix `base_url`{often}, in the settings; then retry",
        )

    def finished(self, draft: Draft) -> ModelError | None:
        """Find what is wrong with a reply that has come to its end; None for nothing."""
        if draft.refusal or draft.finish == "filter":
            words = (
                f": {self._clean('', draft.refusal)}" if draft.refusal else ", or a filter withheld its reply"
            )
            return ModelError(f"it refused to answer{words}", hint="rephrase it, then retry")
        if draft.finish == "length":
            return ModelError(
                f"its reply was cut at max_tokens = {draft.max_tokens:,}",
                hint="raise `max_tokens` in the settings, or ask for less; then retry",
            )
        if draft.finish == "context":
            return self.too_long()
        if not draft.finish:
            if not draft.began:
                return ModelError(
                    "its reply cannot be read: there is nothing of the protocol in it",
                    hint=f"does {self._address} speak the protocol of {self._settings.provider}?",
                )
            return self._cut_off(draft)
        return None


def _is_too_long(reason: Said) -> bool:
    text = " ".join((reason.message, *reason.kinds)).lower()
    return any(words in text for words in _TOO_LONG)


def _is_html(text: str) -> bool:
    return text.lstrip()[:15].lower().startswith(("<!doctype", "<html", "<head"))


def _is_connection(error: BaseException) -> bool:
    names = {cls.__name__ for cls in type(error).__mro__}
    return bool(names & {"APIConnectionError", "TransportError", "OSError"})


def _header(error: BaseException, name: str) -> str:
    response: Any = getattr(error, "response", None)
    found = response.headers.get(name) if response is not None else None
    return found if isinstance(found, str) else ""


_LOOK = 0.03
"""Seconds between two looks whether somebody has asked to stop, while nothing comes."""
_END = object()


class ReplyStream(Protocol):
    """A stream of the official libraries: events, and the response that they come by."""

    response: Any

    def __iter__(self) -> Iterator[Any]:
        """Return the events."""
        ...

    def close(self) -> None:
        """Close the connection."""
        ...


class StreamReader:
    """Reads the events of a stream; in a ``with`` statement, behind which nobody reads on.

    A thread that waits for a byte hears no signal and no request to stop. So another one waits, which is a
    daemon: it holds no process up. To leave shuts the connection's socket, which wakes it, so that the server
    hears of it too. While the server has not even begun to answer there is no socket to be had; the thread
    then closes the connection as soon as the answer begins, or the library's own timeout ends it.

    Args:
        open: Sends the request and gives the stream.
        watch: Says when to stop.
        timeout: Seconds without an event after which it gives up.
    """

    def __init__(self, open: Callable[[], ReplyStream], watch: CallWatch, timeout: float) -> None:
        self._open, self._watch, self._timeout = open, watch, timeout
        self._events: SimpleQueue[Any] = SimpleQueue()
        self._stream: ReplyStream | None = None
        self._left = threading.Event()
        self._ended = False

    @property
    def answered(self) -> bool:
        """Whether the server has begun to answer."""
        return self._stream is not None

    def __enter__(self) -> Self:
        start_new_thread(self._read, ())  # a Thread would be waited for until it runs, for a millisecond
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._left.set()
        if not self._ended and self._stream is not None:
            _shut(self._stream)

    def __iter__(self) -> Iterator[Any]:
        """Yield the events as they come.

        Raises:
            ModelError: Nothing came for too long.
            CallStopped: Somebody has asked to stop.
        """
        heard = time.monotonic()
        while True:
            self._watch.check()
            try:
                event = self._events.get(timeout=_LOOK)
            except Empty:
                self._check_time(time.monotonic() - heard)
                continue
            if event is _END:
                return
            if isinstance(event, _Raised):
                raise event.error
            heard = time.monotonic()
            yield event

    def _check_time(self, silent: float) -> None:
        left = self._watch.time_left
        if left is not None and left <= 0:
            raise ModelError("its node ran out of time", hint="give the node a longer timeout, then retry")
        if silent > self._timeout:
            raise ModelError(
                f"no word came for {self._timeout:g} seconds",
                hint="retry, or give the model a longer `timeout` in the settings",
            )

    def _read(self) -> None:
        last: Any = _END
        try:
            self._stream = stream = self._open()
            try:
                for event in stream:
                    if self._left.is_set():
                        break
                    self._events.put(event)
            finally:
                stream.close()
        except BaseException as error:  # whatever it is, the waiting caller gets it
            last = _Raised(error)
        self._ended = True
        self._events.put(last)


class _Raised:
    def __init__(self, error: BaseException) -> None:
        self.error = error


def _shut(stream: ReplyStream) -> None:
    """Shut the socket below a stream; closing it would not wake a thread that reads from it."""
    network = stream.response.extensions.get("network_stream")
    found = network.get_extra_info("socket") if network is not None else None
    if found is not None:
        with suppress(OSError):
            found.shutdown(socket.SHUT_RDWR)
