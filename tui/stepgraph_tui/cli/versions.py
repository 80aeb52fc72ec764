"""The versions of installed packages."""

from __future__ import annotations

from importlib.metadata import PackageNotFoundError, version


def version_of(package: str) -> str:
    """Look up the version of an installed package, or that it is not installed."""
    try:
        return version(package)
    except PackageNotFoundError:
        return "not installed"
