"""An MCP server for mcp_files.toml: it lists and reads the text files of one folder, and changes nothing.

Put it into your settings (`stepgraph doctor` says where they are), with the folder that it may show:

    [mcp.files]
    command = ["python", "/path/to/servers/files_server.py", "/path/to/folder"]

The Python that runs it needs the package mcp: pip install "stepgraph[mcp]".
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from mcp.server.mcpserver import MCPServer
from mcp.server.mcpserver.exceptions import ToolError

MOST = 200
LARGEST = 100_000

server = MCPServer("files", log_level="ERROR")
root = Path(sys.argv[1] if len(sys.argv) > 1 else ".").resolve()


def inside(path: str) -> Path:
    """Find a path in the folder; links never lead outside it."""
    found = (root / path).resolve()
    if not found.is_relative_to(root):
        raise ToolError(f"{path} is outside of the folder")
    return found


@server.tool(name="list")
def list_files(folder: str = ".") -> dict[str, Any]:
    """List the files of a folder, with their sizes in bytes."""
    place = inside(folder)
    if not place.is_dir():
        raise ToolError(f"there is no folder {folder}")
    files = sorted(path for path in place.iterdir() if path.is_file() and not path.name.startswith("."))
    names = [{"path": str(path.relative_to(root)), "size": path.stat().st_size} for path in files[:MOST]]
    return {"files": names, "more": len(files) > MOST}


@server.tool()
def read(path: str) -> dict[str, Any]:
    """Read a text file."""
    place = inside(path)
    if not place.is_file():
        raise ToolError(f"there is no file {path}")
    if place.stat().st_size > LARGEST:
        raise ToolError(f"{path} has more than {LARGEST} bytes")
    try:
        return {"path": path, "text": place.read_text(encoding="utf-8")}
    except UnicodeDecodeError:
        raise ToolError(f"{path} is not text") from None


if __name__ == "__main__":
    server.run("stdio")
