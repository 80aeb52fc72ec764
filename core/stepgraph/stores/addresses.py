"""Addresses of servers as they may be shown: without a password."""

from __future__ import annotations

import re
from urllib.parse import unquote

_QUERY = r"(?:\?(?:[^@=]+=.*)?)?$"
_AFTER_THE_USER = re.compile(
    r"(?P<user>^[^:/?#]*:/{0,2}(?:[^:/?#@\[][^:?#@]*)?)"  # a [ begins an address like [::1]
    rf":(?!\d*(?:[/,][^@?#]*)?{_QUERY})"  # that is a port
    # Whoever writes a password without escaping it, or leaves the host out, shall not see it everywhere.
    rf"(?:[^?#]*(?P<at>@)(?=[^?#@]*{_QUERY})|.*(?P<last>@)|.*)",
    re.DOTALL,
)
_SETTING = re.compile(r"(?<=[?&])([^=&]*+)(=[^&]*&?)?")
_SECRET = re.compile(r"pas(?!sfile)|pwd|secret|token", re.IGNORECASE)


def without_password(address: str) -> str:
    """Leave the password out of a server's address, wherever in it one may stand."""
    shown = _AFTER_THE_USER.sub(_user_alone, address, count=1)
    kept = _SETTING.sub(_unless_secret, shown)
    return kept.rstrip("?&") if kept != shown else shown


def _unless_secret(setting: re.Match[str]) -> str:
    return "" if setting[2] and _SECRET.search(unquote(setting[1])) else setting[0]


def _user_alone(found: re.Match[str]) -> str:
    return found["user"] + ("@" if found["at"] or found["last"] else ":...")
