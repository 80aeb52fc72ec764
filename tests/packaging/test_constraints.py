"""The pinned versions: complete, exact, and within the ranges that the project supports."""

from __future__ import annotations

import tomllib
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parents[2]


def pins() -> dict[str, str]:
    lines = (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines()
    pairs = (line.split("==") for line in lines if line and not line.startswith("#"))
    return {canonicalize_name(name): version for name, version in pairs}


def requirements() -> list[Requirement]:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    texts = project["dependencies"] + [
        text for extra in project["optional-dependencies"].values() for text in extra
    ]
    needs = [Requirement(text) for text in texts]
    return [need for need in needs if need.name != project["name"]]  # the extras that another one takes in


def test_every_dependency_is_pinned_within_its_range() -> None:
    pinned = pins()
    unpinned = [need.name for need in requirements() if canonicalize_name(need.name) not in pinned]
    assert not unpinned
    outside = [
        need.name
        for need in requirements()
        if not need.specifier.contains(pinned[canonicalize_name(need.name)])
    ]
    assert not outside


def test_the_pins_name_no_machine() -> None:
    text = (ROOT / "constraints.txt").read_text(encoding="utf-8")
    assert not [sign for sign in ("://", " @ ", "--hash", "/") if sign in text]
