"""Every code that Stepgraph can print, explained: what ``stepgraph check --explain CODE`` shows."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from .code import Code

__all__ = ["Code", "all_codes", "explain"]


_STATEMENT_END = re.compile(r"[.:](?: |$)")


def explain(code: str) -> Code | None:
    """What a code means, whatever the case it is written in; None when there is no such code."""
    wanted = code.strip().upper()
    for prefix, family in _FAMILIES.items():
        if wanted.startswith(prefix):
            found = family().get(wanted)
            if found is not None:
                return found
    return None


def all_codes() -> dict[str, Code]:
    """Every code with its meaning, sorted."""
    codes: dict[str, Code] = {}
    for family in _FAMILIES.values():
        codes |= family()
    return dict(sorted(codes.items()))


def _graphs() -> Mapping[str, Code]:
    from .graphs import CODES

    return CODES


def _parts() -> Mapping[str, Code]:
    from .parts import CODES

    return CODES


def _warnings() -> Mapping[str, Code]:
    from .warnings import CODES

    return CODES


def _node_types() -> Mapping[str, Code]:
    from ..nodes.settings import CODES  # loads pydantic

    return _with_fixes(CODES)


def _files() -> Mapping[str, Code]:
    from ..files.codes import CODES

    return _with_fixes(CODES)


def _with_fixes(explanations: Mapping[str, str]) -> Mapping[str, Code]:
    """The codes of a family that keeps one paragraph a code; its first statement is the title."""
    from .fixes import FIXES

    return {
        code: Code(_STATEMENT_END.split(text, maxsplit=1)[0], text, FIXES.get(code, ""))
        for code, text in explanations.items()
    }


def _errors() -> Mapping[str, Code]:
    from .errors import CODES

    return CODES


def _runs() -> Mapping[str, Code]:
    from .runs import CODES

    return CODES


_FAMILIES: dict[str, Callable[[], Mapping[str, Code]]] = {
    "G00": _graphs,
    "G01": _graphs,
    "G02": _parts,
    "G03": _node_types,
    "G04": _node_types,
    "G1": _warnings,
    "F": _files,
    "E": _errors,
    "R": _runs,
    "S": _errors,
    "V": _errors,
}
"""What each family of codes begins with, and where it is kept; a family is loaded when it is asked for."""
