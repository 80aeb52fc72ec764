"""The line of a graph file that names its schema, as editors that use Taplo read it: ``#:schema PATH``.

It is one of the comments before the first key or table. A path in it is seen from the file's folder, and is
part of an address: what means something there is written as ``%20``.
"""

from __future__ import annotations

from urllib.parse import quote

_WORD, _BLANKS = "#:schema", " \t"


def schema_line(text: str) -> str | None:
    """Find the schema that a file names; None where it names none.

    Args:
        text: The file's text.
    """
    for line in text.splitlines():
        said = line.strip(_BLANKS)
        if said and not said.startswith("#"):
            return None
        named = said.removeprefix(_WORD)
        if named != said and named.startswith(tuple(_BLANKS)):
            return named.strip(_BLANKS)
    return None


def with_schema_line(text: str, name: str) -> str:
    """Put the line above everything else.

    Args:
        text: The text of a file that has no such line.
        name: The schema's name beside the file.
    """
    ends = "\r\n" if text.partition("\n")[0].endswith("\r") else "\n"
    return f"#:schema ./{quote(name)}{ends}{text}"
