"""Where Temporal is: ``temporal://HOST:PORT/NAMESPACE?queue=NAME``, every part of which may be left out."""

from __future__ import annotations

import re
from datetime import timedelta
from functools import cache
from typing import Any, NamedTuple
from urllib.parse import parse_qs, urlsplit

from temporalio.client import Client
from temporalio.envconfig import ClientConfig
from temporalio.runtime import Runtime, TelemetryConfig
from temporalio.service import RPCError

from ...values.errors import StoreError

LOCAL = "127.0.0.1:7233"
"""Where a development server listens."""
QUEUE = "stepgraph"
"""The task queue of runs that were given no other."""
ANSWERS_WITHIN = timedelta(seconds=5)
"""How long Temporal may take to answer before people are told that it does not."""

_FORM = "write temporal://HOST:PORT/NAMESPACE?queue=NAME, or temporal alone for TEMPORAL_ADDRESS and its kind"


class TemporalAddress(NamedTuple):
    """Where runs are handed to."""

    target: str
    """The server's host and port."""
    namespace: str
    queue: str
    """The task queue of runs and workers."""
    options: dict[str, Any]
    """TLS, an API key and headers, as Temporal's environment and profile file have them."""

    @property
    def shown(self) -> str:
        """The address for people."""
        return f"temporal://{self.target}/{self.namespace}"

    async def connect(self, identity: str | None = None) -> Client:
        """Connect to the server.

        Args:
            identity: What people know this process by.

        Raises:
            RuntimeError: It does not answer, or refuses.
        """
        return await Client.connect(
            self.target, namespace=self.namespace, identity=identity, runtime=_runtime(), **self.options
        )


@cache
def _runtime() -> Runtime:
    """Create the client's runtime, without its own log: errors are reported in our words."""
    return Runtime(telemetry=TelemetryConfig(logging=None))


def error_line(error: Exception) -> str:
    """Describe a server or connection error on one line; of nested errors, the innermost one."""
    text = error.message if isinstance(error, RPCError) else str(error)
    inner = re.findall(r'message: "([^"]*)"', text)
    return inner[-1] if inner else text.strip().partition("\n")[0] or "it does not answer in time"


def read_address(address: str) -> TemporalAddress:
    """Parse an address; what it leaves out, Temporal's own environment and profile file say.

    Raises:
        StoreError: It cannot be read, or the profile file cannot.
    """
    try:
        parts = urlsplit(address if ":" in address else f"{address}:")
        asked = parse_qs(parts.query, strict_parsing=bool(parts.query))
        valid = parts.username is None and not parts.path.strip("/").count("/") and asked.keys() <= {"queue"}
        _ = parts.port
    except ValueError:
        valid = False
    if not valid:
        raise StoreError(
            f"the engine's address {address.partition('@')[2] or address!r} cannot be read", hint=_FORM
        )
    try:
        found: dict[str, Any] = dict(ClientConfig.load_client_connect_config())
    except (RuntimeError, ValueError, OSError) as error:
        raise StoreError(f"Temporal's profile cannot be read: {error}", hint=_FORM) from error
    host, space = found.pop("target_host", ""), found.pop("namespace", "")
    target = parts.netloc or host or LOCAL
    target = target if target.rpartition("]")[2].count(":") else f"{target}:7233"
    namespace = parts.path.strip("/") or space or "default"
    return TemporalAddress(target, namespace, asked.get("queue", [QUEUE])[0], found)
