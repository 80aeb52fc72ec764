"""The library of research_agent.toml: the documents in library.json, searched and read."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

LIBRARY = Path(__file__).with_name("library.json")


def search(query: str) -> dict[str, Any]:
    """Search the library for words; returns the documents that contain any of them, best first."""
    wanted = _words(query)
    found = [(len(wanted & _words(f"{each['title']} {each['text']}")), each) for each in _documents()]
    found = sorted((hit for hit in found if hit[0]), key=lambda hit: -hit[0])
    return {"documents": [{"id": each["id"], "title": each["title"]} for _, each in found]}


def read(document: str) -> dict[str, str]:
    """Read a document of the library by its id.

    Raises:
        LookupError: There is no such document.
    """
    documents = {each["id"]: each for each in _documents()}
    if document not in documents:
        raise LookupError(f"there is no document {document!r}; search for words to find its id")
    return documents[document]


def _documents() -> list[dict[str, str]]:
    documents: list[dict[str, str]] = json.loads(LIBRARY.read_text(encoding="utf-8"))
    return documents


def _words(text: str) -> set[str]:
    return set(re.findall(r"[a-z0-9]+", text.casefold()))
