"""The peers' environments: one each under ``.bench``, made when missing or when a version changes."""

from __future__ import annotations

import subprocess
import sys
import venv
from functools import cache

from .measure import ROOT

PEERS = {
    "langgraph_peer": ("langgraph==1.2.22", "langgraph-checkpoint-sqlite==3.1.2"),
    "burr_peer": ("apache-burr==0.42.0",),
}


@cache
def interpreter(name: str) -> str:
    """The Python of a contender; ours for the engine and the floor.

    Raises:
        SystemExit: Its packages could not be installed.
    """
    if name not in PEERS:
        return sys.executable
    folder = ROOT / ".bench" / name
    python = folder / ("Scripts/python.exe" if sys.platform == "win32" else "bin/python")
    stamp = folder / "installed"
    wanted = "\n".join(PEERS[name])
    if not (python.exists() and stamp.exists() and stamp.read_text(encoding="utf-8") == wanted):
        print(f"installing {', '.join(PEERS[name])} into {folder}", file=sys.stderr, flush=True)
        venv.create(folder, clear=True, with_pip=True)
        install = [str(python), "-m", "pip", "install", "-qq", "--disable-pip-version-check", *PEERS[name]]
        if subprocess.run(install, check=False).returncode:
            raise SystemExit(f"{name} could not be installed")
        stamp.write_text(wanted, encoding="utf-8")
    return str(python)
