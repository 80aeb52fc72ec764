"""Hearing of the outages of a store."""

from __future__ import annotations

from threading import Event

from stepgraph.stores.serving import Outage


class Told(list[Outage]):
    """What a store told of an outage; it waits as long as it is let."""

    def __init__(self, patient: bool = True) -> None:
        super().__init__()
        self.patient = patient
        self.heard = Event()

    def __call__(self, outage: Outage) -> bool:
        self.append(outage)
        self.heard.set()
        return self.patient
