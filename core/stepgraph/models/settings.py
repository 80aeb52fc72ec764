"""What a user says of a model: the keys of a table ``[models.ALIAS]``."""

from __future__ import annotations

import math
import os
import re
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, Literal

from ..values.declared import Converted, Declared, field, keys_of
from ..values.errors import ModelError, StepgraphError
from ..values.messages import choice_hint, encodable, error_detail, expectation, path_of
from ..values.problems import KeyPath, did_you_mean
from ..values.user_settings import ReportWrong, Tables, address, positive, read_table, read_tables, variable
from .catalog import provider_names
from .client import CallPlace, CallWatch, ChatModel, Message, ModelReply, ModelRequest, TextCame

if TYPE_CHECKING:
    from pydantic_core import ErrorDetails

    from .client import CallEvent, CallListener, LLMClient


def _keyring_entry(text: str) -> str:
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
    keyring: Annotated[str, Converted(_keyring_entry)] | None = field(
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


USUAL_VARIABLES = {"openai": "OPENAI_API_KEY", "anthropic": "ANTHROPIC_API_KEY"}
"""The variables in which the keys of providers usually are; only for the provider's own address."""

_LIKE_KEYS = re.compile(r"(?i)\b(?:(?:sk|pk|key|gsk|xai)-|bearer\s+)[\w.*…-]{6,}")
HIDDEN = "•••"
_SHORTEST = 12
"""Characters: what is shorter is not a secret, but a word for servers that want any: ``ollama``."""


@dataclass(frozen=True, slots=True)
class KeySource:
    """Where a model's key comes from."""

    kind: str
    """``variable``, ``keyring`` or ``none``."""
    name: str = ""
    """The variable, or service/user in the keyring."""

    @property
    def text(self) -> str:
        """The source in a few words."""
        return {"variable": self.name, "keyring": f"keyring {self.name}"}.get(self.kind, "no key")

    def read(self) -> str:
        """Read the key; empty where the model needs none.

        Raises:
            ModelError: It is not there.
        """
        if self.kind == "none":
            return ""
        if self.kind == "keyring":
            return _from_keyring(self.name)
        key = os.environ.get(self.name, "").strip()
        if not key:
            raise ModelError(
                f"its key is missing: the variable {self.name} is not set",
                hint=f"export {self.name}=..., then retry",
            )
        if not (key.isascii() and key.isprintable()):
            raise ModelError(f"the variable {self.name} does not hold a key", hint="keys are plain ASCII")
        return key

    def is_there(self) -> bool:
        """Check whether the key can be read, or none is needed."""
        try:
            self.read()
        except ModelError:
            return False
        return True


def key_source(settings: ModelSettings) -> KeySource:
    """Find where a model's key comes from, without looking whether it is there."""
    if settings.key_env is not None:
        return KeySource("variable", settings.key_env)
    if settings.keyring is not None:
        return KeySource("keyring", settings.keyring)
    usual = USUAL_VARIABLES.get(settings.provider) if settings.base_url is None else None
    return KeySource("variable", usual) if usual else KeySource("none")


def _from_keyring(entry: str) -> str:
    service, _, user = entry.partition("/")
    keyring = _keyring()
    try:
        key = keyring.get_password(service, user)
    except Exception as error:  # backends raise whatever their system does
        raise ModelError(
            f"the system's keyring cannot be read ({type(error).__name__})", hint=_INSTEAD
        ) from None
    if not key:
        raise ModelError(
            f"its key is missing: the keyring has no entry {entry}",
            hint=f"`keyring set {service} {user}` adds it, then retry",
        )
    return str(key)


def keep_in_keyring(entry: str, key: str) -> None:
    """Store a key in the system's keyring.

    Raises:
        ModelError: There is none, or it refuses.
    """
    service, _, user = entry.partition("/")
    try:
        _keyring().set_password(service, user, key)
    except ModelError:
        raise
    except Exception as error:
        raise ModelError(
            f"the system's keyring refused the key ({type(error).__name__})", hint=_INSTEAD
        ) from None


_INSTEAD = "name a variable that holds the key instead: key_env"


def _keyring() -> Any:
    try:
        import keyring
    except ImportError:
        raise ModelError(
            "keys from the system's keyring need a package that is not installed",
            hint="pip install 'stepgraph[keyring]', or name a variable instead: key_env",
        ) from None
    return keyring


class KeySieve:
    """Takes a key out of a reply: some servers say back what they were sent.

    Args:
        key: The key; empty for none.
    """

    def __init__(self, key: str) -> None:
        self._key = key if len(key) >= _SHORTEST else ""
        self._held = ""

    def clean(self, text: str) -> str:
        """Clean a whole text so that it may be shown and kept."""
        text = encodable(text)
        return text.replace(self._key, HIDDEN) if self._key else text

    def take(self, piece: str) -> str:
        """Return what may be shown of the next piece of a text; what may begin a key is held back."""
        text = self.clean(self._held + piece)
        longest = min(len(self._key) - 1, len(text))
        held = next((size for size in range(longest, 0, -1) if self._key.startswith(text[-size:])), 0)
        self._held = text[len(text) - held :]
        return text[: len(text) - held]

    def rest(self) -> str:
        """Return what was held back, once the text has come to its end."""
        held, self._held = self._held, ""
        return held


def scrubbed(text: str, key: str = "") -> str:
    """Remove the key, and whatever looks like one, from a text of somebody else's."""
    if key:
        text = text.replace(key, HIDDEN)
    return _LIKE_KEYS.sub(HIDDEN, text)


_REQUEST = ModelRequest((Message("user", "Reply with one word: ready"),))


@dataclass(frozen=True, slots=True)
class ProbeResult:
    """What a model answered, and how long that took."""

    provider: str
    reply: ModelReply
    seconds: float
    first: float | None
    """Seconds until its first word; None where it does not stream."""


def probe(
    models: Mapping[str, LLMClient],
    alias: str,
    tell: CallListener | None = None,
    stopped: Callable[[], bool] | None = None,
) -> ProbeResult:
    """Ask a model for one word.

    Args:
        models: The models by alias.
        alias: Which of them.
        tell: Hears of the call while it lasts.
        stopped: Whether somebody has asked to stop.

    Raises:
        ModelError: It cannot be asked, refused, or gave no answer that can be read.
        CallStopped: Somebody stopped it.
    """
    times: list[float] = []

    def hear(event: CallEvent) -> None:
        if isinstance(event, TextCame):
            times.append(time.perf_counter())
        if tell is not None:
            tell(event)

    try:
        client = models[alias]
        began = time.perf_counter()
        if isinstance(client, ChatModel):
            place = CallPlace("", "", 0, "model", alias)
            provider, reply = client.provider, client.reply(_REQUEST, CallWatch(place, hear, stopped))
        else:
            provider, reply = type(client).__name__, ModelReply(client.generate(_REQUEST.prompt()))
    except StepgraphError:
        raise
    except Exception as error:  # a client raises whatever its library raises
        raise ModelError(
            f"it raised {type(error).__name__}{error_detail(error)}", hint="look at its settings"
        ) from error
    first = times[0] - began if times else None
    return ProbeResult(provider, reply, time.perf_counter() - began, first)


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
    """Describe what is wrong with a setting; never quote a key's place, for it may be the key itself."""
    message = detail["msg"].removeprefix("Value error, ")
    if detail["type"] == "extra_forbidden":
        own = "a key is not written here: name the variable that holds it, key_env"
        hint = own if name in _KEYS else did_you_mean(name, keys_of(ModelSettings), listing="it has")
        return f"there is no setting {name!r} ({hint})"
    if detail["type"] == "missing":
        return f"{name} is missing"
    if not name:
        return message
    if detail["type"] == "value_error" and name in ("key_env", "keyring", "base_url"):
        return f"{name} is not right: {message}"
    hint = choice_hint(detail)
    return f"{name} {expectation(detail)}" + (f" ({hint})" if hint else "")
