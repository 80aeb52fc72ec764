from textual import events
from tests.app.bench import *
from tests.app.letters import *
import pytest, asyncio
from tests.app.test_designing import draw
from tests.app.filling import at_once
@pytest.mark.parametrize("keys", [("enter","escape"),("s","escape"),("a","enter","escape"),("f6","escape"),("f6","a","escape"),("C","escape"),("T","escape"),("r","escape"),("o","enter","escape"),("enter","ctrl+j")])
@pytest.mark.parametrize("turns", [0,1,2,3,5,8,13,20,40])
def test_quick(bench, keys, turns):
    async def script(pilot):
        for key in keys:
            pilot.app.post_message(events.Key(key, key if len(key)==1 else None))
            for _ in range(turns): await asyncio.sleep(0)
        for _ in range(20): await pilot.pause()
    draw(bench, script)
