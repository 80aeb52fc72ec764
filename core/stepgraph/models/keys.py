"""Where the key of a model comes from, and reading it; a key is never shown, kept or logged."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ..values.errors import ModelError
from ..values.messages import encodable

if TYPE_CHECKING:
    from .settings import ModelSettings

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
        """Tell whether the key can be read, or none is needed."""
        try:
            self.read()
        except ModelError:
            return False
        return True


def key_source(settings: ModelSettings) -> KeySource:
    """Tell where a model's key comes from, without looking whether it is there."""
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
    """Put a key into the system's keyring.

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
        """Make a whole text one that may be shown and kept."""
        text = encodable(text)
        return text.replace(self._key, HIDDEN) if self._key else text

    def take(self, piece: str) -> str:
        """Take the next piece of a text, and give what may be shown: what may begin a key is held back."""
        text = self.clean(self._held + piece)
        longest = min(len(self._key) - 1, len(text))
        held = next((size for size in range(longest, 0, -1) if self._key.startswith(text[-size:])), 0)
        self._held = text[len(text) - held :]
        return text[: len(text) - held]

    def rest(self) -> str:
        """Give what was held back, once the text has come to its end."""
        held, self._held = self._held, ""
        return held


def scrubbed(text: str, key: str = "") -> str:
    """Take the key, and whatever looks like one, out of a text of somebody else's."""
    if key:
        text = text.replace(key, HIDDEN)
    return _LIKE_KEYS.sub(HIDDEN, text)
