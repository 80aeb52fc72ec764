"""Stores: where runs live.

``Ledger`` does once what every store does; a store of your own is a ``Backend`` below it, in a module beside
these or in a package of yours, and ``stepgraph.stores.opening`` registers it by the scheme of its addresses.
In a database, ``stepgraph.stores.sql`` has most of one. ``MemoryStore`` alone stands by itself: it keeps rows
by reference, which costs a step nothing. Where a store can be taken away while it is open, it raises
``StoreLost`` and is a ``RescuableStore``. Where a server keeps it, its backend is a ``ServedBackend``.
"""

from ..doors import door

__all__, __getattr__, __dir__ = door(__name__)
