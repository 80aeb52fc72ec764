"""Stores: where runs live."""

from .opening import default_store_url, open_store

__all__ = ["default_store_url", "open_store"]
