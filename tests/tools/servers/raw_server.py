"""A server of tools that follows a script of faults: it speaks the protocol by hand, to break it."""

from __future__ import annotations

import json
import os
import sys
from typing import Any

FAULT = sys.argv[1]
TOOL = {"name": "t", "inputSchema": {"type": "object"}}
CLOSED = {"type": "object", "properties": {"a": {"type": "number"}}, "additionalProperties": False}
if FAULT == "closed":
    TOOL["inputSchema"] = CLOSED


def write(text: str | bytes) -> None:
    os.write(1, (text.encode() if isinstance(text, str) else text) + b"\n")


def answer(request: dict[str, Any], result: Any) -> None:
    write(json.dumps({"jsonrpc": "2.0", "id": request["id"], "result": result}))


def called(request: dict[str, Any]) -> None:
    if FAULT == "rubbish":
        write("Listening on port \x1b[31m8080")
    elif FAULT == "binary":
        write(b"\xff\xfe\x00\x01")
    elif FAULT == "array":
        write("[1, 2")
    elif FAULT == "nan":
        text = '{"jsonrpc":"2.0","id":%s,"result":{"content":[],"structuredContent":{"x":NaN}}}'
        write(text % json.dumps(request["id"]))
    elif FAULT == "endless":
        while True:
            os.write(1, b"x" * 65536)
    elif FAULT == "exit":
        sys.stderr.write(f"token {os.environ.get('TOKEN')} was refused\n")
        sys.stderr.flush()
        os._exit(3)
    elif FAULT == "malformed":
        answer(request, {"content": "no list"})
    elif FAULT == "error":
        error = {"code": -32000, "message": "the disk is full"}
        write(json.dumps({"jsonrpc": "2.0", "id": request["id"], "error": error}))


def main() -> None:
    if FAULT == "banner":
        write("Welcome!")
    if FAULT == "stillborn":
        sys.stderr.write("no configuration\n")
        sys.stderr.flush()
        os._exit(1)
    for line in sys.stdin:
        request = json.loads(line)
        method = request["method"]
        if method == "server/discover":
            error = {"code": -32601, "message": "unknown"}
            write(json.dumps({"jsonrpc": "2.0", "id": request["id"], "error": error}))
        elif method == "initialize" and FAULT != "mute":
            about = {"name": "raw", "version": "1"}
            said = {"protocolVersion": "2025-06-18", "capabilities": {"tools": {}}, "serverInfo": about}
            answer(request, said)
        elif method == "tools/list":
            answer(request, {"tools": [TOOL]})
        elif method == "tools/call":
            called(request)


main()
