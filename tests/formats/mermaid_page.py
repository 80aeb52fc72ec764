"""Mermaid's own JavaScript in a browser: what it makes of a diagram, as data and as it is shown."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page

from tests.chromium import chromium

_READ = """async text => {
    const { db } = await mermaid.mermaidAPI.getDiagramFromText(text);
    const said = text => {
        const area = document.createElement('textarea');
        const plain = (text ?? '').replace(/\ufb02\xb0\xb0/g, '&#').replace(/\ufb02\xb0/g, '&');
        area.innerHTML = plain.replace(/\xb6\xdf/g, ';');
        return area.value;
    };
    return {
        nodes: Object.fromEntries([...db.getVertices()].map(([id, node]) => [id, said(node.text)])),
        edges: db.getEdges().map(edge => [edge.start, edge.end, said(edge.text), edge.stroke, edge.type]),
    };
}"""
_SHOW = """async text => {
    const { svg } = await mermaid.render('shown', text);
    document.body.innerHTML = svg;
    const words = selector => [...document.querySelectorAll(selector)].map(label => label.innerText ?? '');
    return { nodes: words('.nodeLabel'), edges: words('span.edgeLabel') };
}"""


def _script() -> Path | None:
    """Find Mermaid as a package has bundled it; the package itself is not imported."""
    found = find_spec("mermaid_parser")
    folders = found.submodule_search_locations if found is not None else None
    return Path(folders[0]) / "js" / "parser.bundle.js" if folders else None


class Mermaid:
    """A page that knows Mermaid."""

    def __init__(self, page: Page, script: Path) -> None:
        self.page = page
        page.set_content("<!doctype html><body></body>")
        code = script.read_text(encoding="utf-8")
        # What the package exports only parses; Mermaid itself stands in the same scope.
        whole = f"(module => {{{code};globalThis.mermaid = mermaid_default;}})({{exports: {{}}}});"
        page.add_script_tag(content=whole)
        page.evaluate("mermaid.initialize({ startOnLoad: false, maxTextSize: 1e7, maxEdges: 1e5 })")

    def read(self, text: str) -> Any:
        """Read a diagram: the nodes with their texts, and the edges."""
        return self.page.evaluate(_READ, text)

    def show(self, text: str) -> Any:
        """Draw a diagram, and read the words that stand in the picture."""
        return self.page.evaluate(_SHOW, text)


@contextmanager
def mermaid_page() -> Iterator[Mermaid]:
    """Open a page that knows Mermaid; a machine without it skips the test, unless it is there to test."""
    script = _script()
    if script is None and os.environ.get("CI") != "true":
        pytest.skip("Mermaid is not here: `make .venv/.dev` installs mermaid-parser-py, which has it")
    assert script is not None
    with chromium() as browser:
        page = browser.new_page()
        page.set_default_timeout(60_000)
        yield Mermaid(page, script)
