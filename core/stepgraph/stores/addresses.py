"""Addresses of servers as they may be shown: without a password."""

from __future__ import annotations

import re

_AFTER_THE_USER = re.compile(
    r"(?P<user>^[^:/?#]*://[^:/?#@]*)"
    r":(?!\d*(?:[/?#,]|$))"  # that is a port
    r"(?:[^?#]*@|.*@)"  # whoever writes a password without escaping it shall not see it everywhere
)
_IN_THE_QUERY = re.compile(r"(?<=[?&])(?:ssl)?password=[^&#]*&?", re.IGNORECASE)


def without_password(address: str) -> str:
    """Leave the password out of a server's address, wherever in it one may stand."""
    shown, found = _IN_THE_QUERY.subn("", _AFTER_THE_USER.sub(r"\g<user>@", address, count=1))
    return shown.rstrip("?&") if found else shown
