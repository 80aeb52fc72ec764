"""A node that is declared by type is asked once for what it needs; a Python object at every check."""

from __future__ import annotations
