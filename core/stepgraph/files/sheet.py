"""The text of a graph file with its comments, cut into its tables."""

from __future__ import annotations


class Block:
    """The text of one table."""


class Sheet:
    """The text of a whole file."""
