"""What terminals can show."""

from __future__ import annotations

from collections.abc import Mapping


def is_plain(environment: Mapping[str, str], encoding: str) -> bool:
    """Say whether a terminal cannot be trusted to show lines and arrows: Linux's console, or no UTF-8."""
    return environment.get("TERM") == "linux" or not encoding.lower().replace("-", "").startswith("utf")
