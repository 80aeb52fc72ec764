"""What the app says to do about damage: what a server keeps is not a file that can be copied."""

from __future__ import annotations

import pytest

from stepgraph.stores.base import Damage
from stepgraph.stores.opening import damaged, mending
from stepgraph_tui.dialogs.pages import DamagePage
from stepgraph_tui.screens.runs.actions import delete_damaged_question
from stepgraph_tui.text.inbox import BrokenReview
from stepgraph_tui.text.system import command

DAMAGE = Damage("it is not as it was written", "r-1", 3)


def words(url: str) -> list[str]:
    page = DamagePage(DAMAGE, None, url, "", lambda text: None)
    said = [page.text(), delete_damaged_question(DAMAGE, url), BrokenReview.of(DAMAGE, url).ways_on(command)]
    return [*said, mending(url), damaged(url, DAMAGE.what).hint]


@pytest.mark.parametrize(
    "url", ["postgresql://ana@db/runs", "redis://db", "rediss://db", "unix:///run/redis"]
)
def test_nobody_is_sent_to_repair_what_a_server_keeps(url: str) -> None:
    assert [said for said in words(url) if "--repair" in said] == []
    page, _, ways, mends, hint = words(url)
    assert all("backup of the database" in said for said in (ways, mends, hint))
    assert "restore a backup of its database" in page
