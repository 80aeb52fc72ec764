"""A real browser without a window, for what only a browser can tell."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from playwright.sync_api import Browser, sync_playwright

CHROMIUM = Path("/usr/bin/chromium")
QUIET = [
    "--no-sandbox",  # it may be started by root, and sees only our own pages
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


@contextmanager
def chromium() -> Iterator[Browser]:
    """Start Debian's Chromium; a machine without it skips the test, unless it is there to test."""
    if not CHROMIUM.exists() and os.environ.get("CI") != "true":
        pytest.skip(f"there is no {CHROMIUM}: install Debian's chromium")
    with sync_playwright() as play:
        started = play.chromium.launch(executable_path=CHROMIUM, args=QUIET)
        yield started
        started.close()
