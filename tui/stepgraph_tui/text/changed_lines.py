"""The lines in which two texts differ."""

from __future__ import annotations

from collections.abc import Iterator
from difflib import SequenceMatcher
from itertools import takewhile

_AROUND = 2  # lines before and after those that differ
_COMPARED = 4_000  # lines that differ; of more, all old ones are told first, then all new ones
_ENDS = "only the line ends differ"


def changed_lines(old: str, new: str, *, compared: int = _COMPARED) -> tuple[str, ...]:
    """List the lines that differ, each after ``-`` or ``+``, with some after a blank around them.

    Args:
        old: The text that is told as removed.
        new: The text that is told as added.
        compared: How many lines are compared; of more, all old ones are told first, then all new ones.
    """
    lines = tuple(_line_by_line(old.splitlines(), new.splitlines(), compared))
    return lines if lines or old == new else (_ENDS,)


def _line_by_line(old: list[str], new: list[str], compared: int) -> Iterator[str]:
    start = sum(1 for _ in takewhile(_is_pair, zip(old, new, strict=False)))
    shortest = min(len(old), len(new)) - start
    pairs = zip(reversed(old), reversed(new), strict=False)
    end = min(shortest, sum(1 for _ in takewhile(_is_pair, pairs)))
    first = max(0, start - _AROUND)
    last = max(0, end - _AROUND)
    before, after = old[first : len(old) - last], new[first : len(new) - last]
    if len(before) > compared or len(after) > compared:
        yield from (f"-{line}" for line in old[start : len(old) - end])
        yield from (f"+{line}" for line in new[start : len(new) - end])
        return
    for group in SequenceMatcher(None, before, after).get_grouped_opcodes(_AROUND):
        yield f"line {first + group[0][3] + 1}"
        for tag, i1, i2, j1, j2 in group:
            if tag == "equal":
                yield from (f" {line}" for line in before[i1:i2])
            else:
                yield from (f"-{line}" for line in before[i1:i2])
                yield from (f"+{line}" for line in after[j1:j2])


def _is_pair(lines: tuple[str, str]) -> bool:
    return lines[0] == lines[1]
