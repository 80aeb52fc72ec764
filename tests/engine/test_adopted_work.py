"""An approval is for what a node and its tools were declared to do: other work is asked about anew."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from stepgraph import Decision, Executor, MemoryStore, Run, RunStatus, StateGraph
from stepgraph.files import grant

SHOP = """
from pathlib import Path
def write(word, amount):
    with (Path(__file__).parent / "done").open("a") as file:
        file.write(f"{word} {amount}\\n")
    return {"receipt": 1}
def pay(amount: float) -> dict: return write("pay", amount)
def steal(amount: float) -> dict: return write("steal", amount)
def work(state): return write("work", state["amount"])
def other(state): return write("other", state["amount"])
"""
HEAD = """format = 1
name = "g"
start = "a"
[state.amount]
default = 10
"""
PAY = '[tools.pay]\nhandler = "shop:pay"\nrequires_approval = true\n'
END = '[[edges]]\nfrom = "a"\nto = "END"\n'
TOOL = '[nodes.a]\ntype = "tool"\ntool = "pay"\narguments = { amount = "{{ amount }}" }\n'
OPEN = (
    '[state.tool_call]\ndefault = { name = "pay", arguments = { amount = 10 } }\n[nodes.a]\ntype = "tool"\n'
)
AGENT = (
    '[nodes.a]\ntype = "agent"\nprompt = "Pay."\ntools = ["pay"]\n'
    "replies = ['CALL_TOOL: pay {\"amount\": 10}', 'Paid.']\n"
)
WORK = '[nodes.a]\ntype = "handler"\nhandler = "shop:work"\nreview = "before"\n'
ASK = '[nodes.a]\ntype = "approval"\nprompt = "Refund {{ amount }}?"\n'
SCRIPT = """import sys
from pathlib import Path
with Path("done").open("a") as file:
    file.write(f"{sys.argv[1]} {sys.stdin.read()}\\n")
"""
COMMAND = (
    f'[tools.pay]\ncommand = ["{sys.executable}", "pay.py", "pay"]\nstdin = "10"\nrequires_approval = true\n'
    '[nodes.a]\ntype = "tool"\ntool = "pay"\n'
)


class Shop:
    """A graph file that changes while a run of it waits."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.store = folder, MemoryStore()
        (folder / "shop.py").write_text(SHOP, encoding="utf-8")
        (folder / "pay.py").write_text(SCRIPT, encoding="utf-8")

    def executor(self, text: str, name: str = "g.toml") -> Executor:
        """What runs the graph as it is now; its owner has trusted it."""
        (self.folder / name).write_text(HEAD + text + END, encoding="utf-8")
        graph = StateGraph.from_file(self.folder / "g.toml")
        grant(graph)
        return Executor(graph.compile(), self.store)

    def asked(self, text: str) -> Executor:
        """A run that waits for a person."""
        executor = self.executor(text)
        run = executor.run(executor.start({}, run_id="r"))
        assert (run.status, self.done) == (RunStatus.PAUSED, [])
        return executor

    def adopted(self, text: str) -> Run:
        """The run, gone on with by the graph as it is now."""
        executor = self.executor(text)
        return executor.run(executor.load("r", adopt=True))

    @property
    def done(self) -> list[str]:
        """What was done, in order."""
        file = self.folder / "done"
        return file.read_text(encoding="utf-8").splitlines() if file.exists() else []


@pytest.fixture
def shop(tmp_path: Path) -> Shop:
    return Shop(tmp_path)


@pytest.mark.parametrize(
    ("text", "old", "new", "does"),
    [
        (PAY + TOOL, "shop:pay", "shop:steal", "steal 10.0"),
        (PAY + OPEN, "shop:pay", "shop:steal", "steal 10.0"),
        (PAY + AGENT, "shop:pay", "shop:steal", "steal 10.0"),
        (WORK, "shop:work", "shop:other", "other 10"),
        (COMMAND, '"pay"]', '"steal"]', "steal 10"),
        (COMMAND, 'stdin = "10"', 'stdin = "99"', "pay 99"),
        (ASK, "Refund {{ amount }}?", "Delete all?", None),
    ],
    ids=["tool", "open", "agent", "gate", "command", "stdin", "question"],
)
@pytest.mark.parametrize("when", ["before", "after"])
def test_what_does_other_work_is_asked_about_anew(
    shop: Shop, text: str, old: str, new: str, does: str | None, when: str
) -> None:
    executor = shop.asked(text)
    if when == "before":
        executor.decide("r", Decision.approve(by="ana"))
    changed = shop.executor(text.replace(old, new))
    run = changed.load("r", adopt=True)
    if when == "after":
        changed.decide("r", Decision.approve(by="ana"))
        run = changed.load("r")
    changed.run(run)
    assert (run.status, shop.done) == (RunStatus.PAUSED, [])
    assert changed.resume("r", Decision.approve(by="ana")).status is RunStatus.ENDED
    assert shop.done == ([does] if does else [])


@pytest.mark.parametrize(
    ("text", "old", "new"),
    [
        (
            PAY + TOOL,
            "[nodes.a]",
            'note = "It pays."\nside_effects = true\n[nodes.a]\ntimeout = "1h"\ndeadline = "0"',
        ),
        (PAY + TOOL, "[nodes.a]", "[tools.look]\nreturns = { x = 1 }\n[nodes.a]"),
        (PAY + TOOL, "requires_approval = true\n", ""),
        (PAY + AGENT, '"Pay."', '"Pay now."'),
        (WORK, "shop:work", "shop:work"),
    ],
    ids=["words", "another tool", "no gate", "prompt of the agent", "nothing"],
)
def test_what_does_the_same_work_keeps_its_approval(shop: Shop, text: str, old: str, new: str) -> None:
    shop.asked(text).decide("r", Decision.approve(by="ana"))
    run = shop.adopted(
        text.replace(old, new) + '[nodes.b]\ntype = "wait"\nfor = "1s"\n[[edges]]\nfrom="b"\nto="a"\n'
    )
    assert (run.status, len(shop.done)) == (RunStatus.ENDED, 1)


def test_one_vote_before_and_one_behind_approve_nothing_that_changed_between_them(shop: Shop) -> None:
    two = PAY + TOOL + "approvals = 2\n"
    shop.asked(two).decide("r", Decision.approve(by="ana"))
    executor = shop.executor(two.replace("shop:pay", "shop:steal"))
    executor.load("r", adopt=True)
    executor.decide("r", Decision.approve(by="ben"))
    run = executor.run(executor.load("r"))
    assert (run.status, shop.done) == (RunStatus.PAUSED, [])


def test_work_inside_of_a_subgraph_is_compared_there(shop: Shop) -> None:
    inner, outer = PAY + TOOL, '[nodes.a]\ntype = "subgraph"\ngraph = "inner.toml"\n'
    (shop.folder / "inner.toml").write_text(HEAD + inner + END, encoding="utf-8")
    executor = shop.asked(outer)
    executor.decide("r", Decision.approve(by="ana"))
    stolen = inner.replace("shop:pay", "shop:steal")
    (shop.folder / "inner.toml").write_text(HEAD + stolen + END, encoding="utf-8")
    assert shop.adopted(outer).status is RunStatus.PAUSED
    assert shop.done == []
    assert shop.adopted(outer).pending is not None


def test_a_tool_that_a_graph_inside_declares_is_compared_for_a_node_around_it(shop: Shop) -> None:
    around = OPEN + '[nodes.sub]\ntype = "subgraph"\ngraph = "inner.toml"\n[[edges]]\nfrom="sub"\nto="a"\n'
    (shop.folder / "inner.toml").write_text(HEAD + PAY + TOOL + END, encoding="utf-8")
    shop.asked(around).decide("r", Decision.approve(by="ana"))
    stolen = PAY.replace("shop:pay", "shop:steal") + TOOL
    (shop.folder / "inner.toml").write_text(HEAD + stolen + END, encoding="utf-8")
    assert shop.adopted(around).status is RunStatus.PAUSED
    assert shop.done == []


@pytest.mark.parametrize("other", ["true", "1.0", '"1"'])
def test_an_approval_of_a_call_is_for_no_call_whose_arguments_are_equal_in_python_alone(
    shop: Shop, other: str
) -> None:
    one = PAY + AGENT.replace("10}", "1}")
    shop.asked(one).decide("r", Decision.approve(by="ana"))
    assert shop.adopted(one.replace("1}", f"{other}}}")).status is RunStatus.PAUSED
    assert shop.done == []
