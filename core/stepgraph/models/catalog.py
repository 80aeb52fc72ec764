"""The models that a run may ask, by alias: each is made when it is first asked."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from ..values.problems import did_you_mean
from .providers import make_client

if TYPE_CHECKING:
    from .client import LLMClient
    from .settings import ModelSettings


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
        self._lock = threading.Lock()

    def closed(self) -> ModelCatalog:
        """Give a catalog of the same models of which none may be asked."""
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
        """Go by other settings from now on; what a changed model was made of is made anew."""
        with self._lock:
            before, self.settings = self.settings, dict(settings)
            for alias in [alias for alias in self._made if before.get(alias) is not self.settings.get(alias)]:
                del self._made[alias]

    def why_not(self, alias: str) -> str:
        """Say why a model cannot be asked."""
        if alias in self.settings:
            return f"the model {alias!r} is not asked: the run is not live"
        return f"the model {alias!r} is not configured"

    def advice(self, alias: str) -> str:
        """Say what to type so that a model can be asked."""
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
