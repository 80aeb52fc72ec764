"""The first frame at a real terminal."""

from __future__ import annotations

import pytest

from stepgraph.files import examples_dir
from tests.app.bench import Bench
from tests.app.terminals import at_a_terminal, without_escapes
from tests.cli.calling import COMMAND


@pytest.mark.parametrize(("words", "shown"), [((), "EXAMPLES"), (("refund_triage.toml",), "classify")])
def test_the_first_frame_has_the_size_of_the_terminal(
    bench: Bench, words: tuple[str, ...], shown: str
) -> None:
    files = [examples_dir() / word for word in words]
    with at_a_terminal(*COMMAND, *files, "--store", bench.url, size=(104, 31)) as terminal:
        terminal.until(shown)
        terminal.until("Keys")
        painted = without_escapes(terminal.screen)
    above, _, below = painted.partition(shown)
    rows = [*above.splitlines()[-3:-1], *below.splitlines()[1:4]]
    assert {len(row) for row in rows} == {104}
