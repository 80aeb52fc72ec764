"""Stores: where runs live.

A store of your own is a class with the methods of ``StateStore``, in a module beside these or in a package of
yours; ``stepgraph.stores.opening`` registers it by the scheme of its addresses. What it keeps are ``Row``,
``RunHead`` and ``Pointer``. ``stepgraph.stores.encoding`` turns them into columns and back,
``stepgraph.stores.audit`` chains the entries of its audit, ``stepgraph.stores.snapshots`` says when a
snapshot pays, and ``stepgraph.stores.opening`` has the errors.
Where it can be taken away while it is open, it raises ``StoreLost`` and is a ``RescuableStore`` too. Where a
server keeps it, it waits as ``stepgraph.stores.serving`` says and is a ``ServerStore``.
"""

from ..doors import door

__all__, __getattr__, __dir__ = door(__name__)
