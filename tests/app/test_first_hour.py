"""The first hour with a template: a letter is drafted, sent back, redrafted, edited, sent and looked at."""

from __future__ import annotations

import json

import pytest

from stepgraph.reviews.inbox import Reviews
from stepgraph_tui.cli.main import main
from stepgraph_tui.dialogs.approval import ReviewScreen
from stepgraph_tui.dialogs.design import NodeForm
from stepgraph_tui.dialogs.open_path import NewGraph
from stepgraph_tui.dialogs.run_form import RunForm
from stepgraph_tui.dialogs.value import ValueDialog
from stepgraph_tui.text.plain import QUOTE
from tests.app.bench import SMALL, Bench, P, dialog, header, press, text, until
from tests.app.filling import fill, form_on_top, paste, type_in
from tests.app.letters import go

QUESTION = "May this go to Noor?"
COMMENT = "Do not promise a day."
GREETING = " Best wishes, Mia"


def test_a_letter_is_sent_back_redrafted_edited_and_sent(
    bench: Bench, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(bench.folder)

    async def script(pilot: P) -> None:
        await make_the_graph(pilot)
        await change_the_question(pilot)
        await run_to_the_review(pilot)
        await reject(pilot)
        await see_that_the_comment_was_read(pilot)
        await see_what_became_of_the_letter(pilot)
        await approve_with_an_edit(pilot)
        await see_what_was_asked_and_what_ran(pilot)

    bench.play(script, size=SMALL)
    assert f'prompt = "{QUESTION}"' in (bench.folder / "mail.toml").read_text("utf-8")
    assert bench.nodes() == ["draft", "review", "revise", "review", "send"]
    see_it_in_the_ledger(bench)
    see_it_in_the_command_line(bench, capsys)


async def make_the_graph(pilot: P) -> None:
    """Make the graph from the template, from the home screen on."""
    await press(pilot, "a")
    dialog(pilot, NewGraph)
    await type_in(pilot, "mail.toml")
    await press(pilot, "down", "down")
    assert "▸ approval" in text(pilot)
    await pilot.press("enter")
    await until(pilot, lambda: "mail   DESIGN   SAVED" in header(pilot))


async def change_the_question(pilot: P) -> None:
    """Change what the approval asks, in its form, and save it."""
    await go(pilot, "review")
    await press(pilot, "enter")
    form_on_top(pilot, NodeForm)
    await fill(pilot, prompt=QUESTION)
    assert "mail *   DESIGN   MODIFIED" in header(pilot)
    await press(pilot, "ctrl+s")
    assert "mail   DESIGN   SAVED" in header(pilot)


async def run_to_the_review(pilot: P) -> None:
    """Start a run with the input of the template, and let it come to the question."""
    await press(pilot, "c")
    form_on_top(pilot, RunForm)
    await press(pilot, "enter")
    assert "DEBUG   READY   step 0/20" in header(pilot)
    await press(pilot, "c")
    dialog(pilot, ReviewScreen)
    assert f"Asks      {QUESTION}" in text(pilot)
    assert "with you tomorrow at the latest!" in text(pilot)


async def reject(pilot: P) -> None:
    """Reject the draft with a comment: the run continues to the next question."""
    await press(pilot, "n")
    await paste(pilot, COMMENT)
    await press(pilot, "enter")
    assert "Then → revise → review asks a person" in text(pilot)
    await press(pilot, "enter")
    dialog(pilot, ReviewScreen)
    assert "step 4 of 20, visit 2" in text(pilot)
    await press(pilot, "escape")
    assert "AWAITING HUMAN   step 3/20" in header(pilot)


async def see_that_the_comment_was_read(pilot: P) -> None:
    """Look at what the next node was asked."""
    page = await node_page(pilot, "revise")
    assert "removed" not in page  # what the model did not ask for was not there before either
    asked = page.split("\nasked\n")[1].split("─ Edges")[0]
    assert f"The colleague's reason:\n\n    {COMMENT}\n" in asked
    assert "tomorrow at the latest!" in asked


async def see_what_became_of_the_letter(pilot: P) -> None:
    """Compare the drafts word by word, in the State tab."""
    await press(pilot, "2")
    assert '"… you… → "… we a…' in text(pilot)  # as little room as there is, it goes to what differs
    await press(pilot, "enter")
    dialog(pilot, ValueDialog)
    assert "2 of 2: revise, step 3" in text(pilot)
    assert "{+we are sorry that +}your parcel is [-on its way-]{+late." in text(pilot)
    await press(pilot, "escape")


async def approve_with_an_edit(pilot: P) -> None:
    """Put a greeting below the letter; what is then done is shown before it is said yes to."""
    await press(pilot, "g i", "e", "ctrl+end")
    await paste(pilot, GREETING)
    await press(pilot, "ctrl+j")
    asked, _, now = text(pilot).partition("┃ Now ")
    assert "┃ Asked     │ send_mail(text=" in asked
    assert "Mia" not in asked
    shown, _, confirmed = now.partition("Approve send_mail(")
    assert 'Mia")' in shown
    assert 'Mia")?' in confirmed
    assert "Then → send ! → END" in confirmed
    await press(pilot, "enter")
    assert "ENDED   step 5/20" in header(pilot)


async def see_what_was_asked_and_what_ran(pilot: P) -> None:
    """Look back, from the end of the run, at the question, the decision, and what was done."""
    page = await node_page(pilot, "review")
    asked, _, rest = page.partition("\nasked\n")[2].partition("\ndecided\n")
    decided, _, edited = rest.partition("\nas edited\n")
    assert QUESTION not in asked  # it has no names in it: the settings show it as it is
    assert 'Your shop team")' in asked
    assert "edit by ana (app) at" in decided
    assert f'Your shop team{GREETING}")' in edited.split("─ Edges")[0]
    page = await node_page(pilot, "send")
    assert f"Your shop team{GREETING}" in page.partition("arguments.text")[2].split("─ Edges")[0]
    await press(pilot, "5")
    assert "decision by ana: edit, letter = " in text(pilot)
    await press(pilot, "[")
    assert "VIEWING 4" in header(pilot)
    await press(pilot, "2")
    assert "~   decision" in text(pilot)
    await press(pilot, "[", "[")
    page = await node_page(pilot, "review")
    assert "as edited" not in page
    decided = page.partition("\ndecided\n")[2].partition("\n")[0]
    assert decided.startswith("  reject by ana (app) at ")
    assert decided.endswith(COMMENT)


async def node_page(pilot: P, node: str = "") -> str:
    """Select a node in the graph, or stay where it is, and copy the Node tab, all of it."""
    if node:
        await press(pilot, "1")
        await go(pilot, node)
    await press(pilot, "4", "y")
    assert "[4 Node]" in text(pilot)
    return pilot.app.clipboard


def see_it_in_the_ledger(bench: Bench) -> None:
    """Compare what was decided with what the tool was called with."""
    run = bench.load()
    letter, record = run.values["letter"], run.values["review"]
    assert isinstance(letter, str)
    assert letter.endswith(GREETING)
    assert isinstance(record, dict)
    assert record["edited"] == ["letter"]
    assert run.history[4].asked() == {"arguments.text": letter}
    review = Reviews(bench.store).last_of("r-1")
    assert review is not None
    assert review.decision == run.history[3].decision
    assert run.history[4].decision is None


def see_it_in_the_command_line(bench: Bench, capsys: pytest.CaptureFixture[str]) -> None:
    """Read the same about the step of the second question."""
    store = ("--store", bench.url)
    assert main([*store, "runs", "show", "r-1", "--step", "4"]) == 0
    page = capsys.readouterr().out
    asked, _, decided = page.partition("\nDECIDED\n")
    assert '"edited": ["letter"]' in " ".join(asked.split())
    assert 'Your shop team")\n' in asked.partition("\nACTION\n")[2]
    edited = decided.partition("\nACTION AS EDITED\n")[2].partition("\nEDGES\n")[0]
    assert f'Your shop team{GREETING}")' in edited
    assert main([*store, "runs", "show", "r-1", "--step", "4", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["decision"]["verb"] == "edit"
    assert f"{QUOTE}{told['as_edited']['action']}" == edited.rstrip()
