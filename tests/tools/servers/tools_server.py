"""A server of tools for the tests, made with the official SDK: over stdio, or over HTTP at a free port."""

from __future__ import annotations

import os
import signal
import sys
from pathlib import Path
from typing import Any

import anyio
from mcp.server.mcpserver import Context, Image, MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from mcp_types import ToolAnnotations

server = MCPServer("tests", log_level="ERROR")
HOME = Path(os.environ.get("SERVER_FOLDER", "."))


def _begun(what: str) -> int:
    """Write down that a tool was called, and give how often it was."""
    with (HOME / what).open("a", encoding="utf-8") as file:
        file.write(f"{os.getpid()}\n")
    return len((HOME / what).read_text(encoding="utf-8").splitlines())


def _die(file: str, times: int, words: str) -> dict[str, int]:
    calls = _begun(file)
    if calls <= times:
        sys.stderr.write(f"{words}\n")
        sys.stderr.flush()
        os.kill(os.getpid(), signal.SIGKILL)
    return {"calls": calls}


@server.tool()
def add(a: int, b: int = 1) -> dict[str, int]:
    """Add two numbers."""
    return {"sum": a + b}


@server.tool()
def say(text: str) -> str:
    """Give a text back."""
    return text


@server.tool()
def fail(why: str) -> str:
    """Fail, and say why."""
    raise ToolError(why)


@server.tool()
def picture() -> Image:
    """Answer with a picture."""
    return Image(data=b"\x89PNG", format="png")


@server.tool(structured_output=False)
def much(size: int) -> str:
    """Answer with a long text."""
    return "x" * size


@server.tool()
def seen(name: str) -> dict[str, Any]:
    """Give a variable of the environment."""
    return {"value": os.environ.get(name), "names": sorted(os.environ)}


@server.tool()
def meta(context: Context) -> dict[str, Any]:
    """Give what came with the call."""
    found = context.request_context.meta
    return {"meta": dict(found) if found else {}}


@server.tool()
async def hang() -> str:
    """Never answer."""
    _begun("hang")
    try:
        await anyio.sleep_forever()
    finally:
        _begun("cancelled")
    return ""


@server.tool()
def die(times: int, words: str = "out of memory") -> dict[str, int]:
    """End the server as kill -9 does, so many times; then answer."""
    return _die("die", times, words)


@server.tool(annotations=ToolAnnotations(destructive_hint=True))
def destroy() -> dict[str, int]:
    """End the server once, as if in the middle of its work."""
    return _die("destroy", 1, "no disk")


@server.tool()
async def grow(context: Context) -> str:
    """Get another tool, and say so."""

    @server.tool()
    def grown() -> str:
        return "grown"

    await context.session.send_tool_list_changed()
    return "yes"


if __name__ == "__main__":
    if sys.argv[1:2] == ["http"]:
        server.run("streamable-http", port=int(sys.argv[2]))
    else:
        server.run("stdio")
