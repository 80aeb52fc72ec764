"""The command line, and a server, on stores of the session's own."""

from tests.cli.conftest import cli
from tests.rest.conftest import serve

__all__ = ["cli", "serve"]
