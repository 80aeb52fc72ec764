"""Language models: the protocol that nodes use, and the clients."""

from .client import LLMClient
from .scripted import ScriptedModel

__all__ = ["LLMClient", "ScriptedModel"]
