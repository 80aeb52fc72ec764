"""Who may ask: the token, the hosts that the server answers to, and where a request may come from."""

from __future__ import annotations

import hashlib
import hmac
import ipaddress
import secrets
import time
from collections.abc import Callable, Iterable
from http.cookies import CookieError, SimpleCookie
from urllib.parse import urlsplit

from stepgraph.values.errors import StepgraphError

from .refused import RequestRefused

TOKEN_VARIABLE = "STEPGRAPH_TOKEN"  # noqa: S105 - the variable's name
SHORTEST = 16
"""How many characters a token has at least."""
COOKIE = "stepgraph"
_DAY = 12 * 3600
SAFE = ("GET", "HEAD", "OPTIONS")


def is_loopback(host: str) -> bool:
    """Tell whether a host's name or address is this machine itself."""
    if host.lower() == "localhost":
        return True
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False


def checked_token(token: str | None, host: str) -> str | None:
    """Give the token that clients must know; None where none is needed.

    Raises:
        StepgraphError: The host can be reached from elsewhere and there is no token, or it is too short.
    """
    token = (token or "").strip()
    if not token and not is_loopback(host):
        raise StepgraphError(
            f"a server on {host} can be reached from other machines, and would ask nobody who they are",
            hint=f"set {TOKEN_VARIABLE} to a secret of {SHORTEST} characters or more, or leave --host out",
        )
    if token and (len(token) < SHORTEST or not token.isascii() or not token.isprintable() or " " in token):
        raise StepgraphError(
            f"the token in {TOKEN_VARIABLE} cannot be used",
            hint=f"give it {SHORTEST} or more letters, digits and signs: `openssl rand -hex 20` makes one",
        )
    return token or None


class AccessRules:
    """Decides who may ask.

    Args:
        host: Where the server listens.
        token: What clients must know; None for nothing.
        names: Further names under which the server is reached.
        now: The time, in seconds since 1970.
    """

    def __init__(
        self,
        host: str,
        token: str | None,
        names: Iterable[str] = (),
        now: Callable[[], float] = time.time,
    ) -> None:
        self._local = is_loopback(host)
        self._names = {name.lower() for name in (host, *names)}
        self._token = token
        self._key = secrets.token_bytes(32)
        self._now = now
        self._ended: set[str] = set()
        """Sessions that were ended before their time."""

    @property
    def needs_token(self) -> bool:
        """Whether clients must know a token."""
        return self._token is not None

    def check_origin(
        self, method: str, host: str | None, origin: str | None, site: str | None, mode: str | None = None
    ) -> None:
        """Refuse requests under a name that is not the server's, and those that another site has made.

        Args:
            method: The HTTP method.
            host: The ``Host`` header.
            origin: The ``Origin`` header; where it is missing and something would change, the ``Referer``.
            site: The ``Sec-Fetch-Site`` header.
            mode: The ``Sec-Fetch-Mode`` header: what another site may do is to link here.

        Raises:
            RequestRefused: It is refused.
        """
        if host is None or not self._answers_to(host):
            raise RequestRefused(
                403,
                "the request names a host that this server is not",
                "use the address that the server printed; --allow-host adds a name",
            )
        follows = method in SAFE and mode == "navigate"
        elsewhere = site not in (None, "same-origin", "none") and not follows
        if elsewhere or (origin is not None and _place(origin) != host.lower()):
            raise RequestRefused(403, "the request was made by another site", "open the server's own page")

    def _answers_to(self, host: str) -> bool:
        try:
            parts = urlsplit(f"//{host}")
            name, _ = parts.hostname or "", parts.port
        except ValueError:
            return False
        if parts.netloc != host or parts.username is not None or not name:
            return False
        if is_loopback(name) or name.lower() in self._names:
            return True
        return not self._local and _is_address(name)  # a page can make a name point here, but not an address

    def knows_token(self, given: str) -> bool:
        """Compare what somebody gave as the token, in the same time whatever it is."""
        expected = self._token or ""
        return hmac.compare_digest(given.encode("utf-8", "replace"), expected.encode()) and bool(expected)

    def check_token(self, authorization: str | None, cookie: str | None) -> None:
        """Refuse who does not know the token.

        Raises:
            RequestRefused: Neither header shows it.
        """
        if self._token is None:
            return
        scheme, _, given = (authorization or "").partition(" ")
        if scheme.lower() == "bearer" and self.knows_token(given.strip()):
            return
        if authorization is None and self._is_session(_session_in(cookie)):
            return
        raise RequestRefused(
            401,
            "the request does not show the server's token",
            f"send the header `Authorization: Bearer` with what {TOKEN_VARIABLE} has on the server",
            {"WWW-Authenticate": "Bearer"},
        )

    # Sessions of browsers: signed, and gone when the server ends; only those that are over early are kept

    @staticmethod
    def same(one: str, other: str) -> bool:
        """Compare two signatures, in the same time whatever they are."""
        return hmac.compare_digest(one.encode("utf-8", "replace"), other.encode())

    def session(self) -> tuple[str, int]:
        """Make the cookie of somebody who knows the token, and say how many seconds it lasts."""
        said = f"{int(self._now()) + _DAY}.{secrets.token_hex(8)}"
        return f"{said}.{self.signature('session', said)}", _DAY

    def end_session(self, cookie: str | None) -> None:
        """Let a cookie open nothing any more, whoever has kept a copy of it."""
        session = _session_in(cookie)
        if self._is_session(session):
            self._ended = {each for each in self._ended if self._is_in_time(each)} | {session}

    def _is_session(self, session: str) -> bool:
        said, _, signature = session.rpartition(".")
        good = self.same(signature, self.signature("session", said))
        return good and self._is_in_time(session) and session not in self._ended

    def _is_in_time(self, session: str) -> bool:
        return int(session.partition(".")[0]) > self._now()

    def signature(self, *parts: str) -> str:
        """Sign texts so that nobody else can: for forms that only a page of ours may hold."""
        said = b"\0".join(part.encode("utf-8", "replace") for part in parts)
        return hmac.new(self._key, said, hashlib.sha256).hexdigest()


def _session_in(cookie: str | None) -> str:
    try:
        found = SimpleCookie(cookie or "").get(COOKIE)
    except CookieError:
        return ""
    return found.value if found is not None else ""


def _place(url: str) -> str | None:
    """Find the host and port of an address; None where it is none."""
    try:
        return urlsplit(url).netloc.lower()
    except ValueError:
        return None


def _is_address(name: str) -> bool:
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True
