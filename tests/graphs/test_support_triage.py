"""support_triage: a letter is revised until it passes, three times at most, then a person decides."""

from __future__ import annotations

import pytest

from stepgraph import Executor, Run, RunStatus
from stepgraph.testing import ScriptedModel

from .playing import compiled, path, play, values

FINE = "Dear Noor, invoice 2026-118 has two months on it. Your billing team"
BAD = "Dear Noor, we guarantee that all is well."


def compliance_errors(run: Run) -> list[str]:
    return [record.updates["compliance_error"] for record in run.history if record.node == "compliance"]  # type: ignore[misc]


# acceptance 139, 140
@pytest.mark.parametrize("attempts", [1, 2, 3])
def test_a_letter_that_passes_on_its_nth_attempt_is_sent(attempts: int) -> None:
    drafts = [BAD] * (attempts - 1) + [FINE]
    run = play("support_triage", replies=["billing", *drafts])
    assert path(run) == ["classify", "fetch_billing", *["draft", "compliance"] * attempts, "send"]
    assert values(run)["delivery"] == {"status": "sent", "to": "Noor", "message": FINE}


# acceptance 110
def test_the_writer_reads_what_was_wrong_with_its_letter() -> None:
    model = ScriptedModel(["billing", BAD, FINE])
    executor = Executor(compiled("support_triage"), models={"default": model}, live=True)
    run = executor.run(executor.start({}))
    error = compliance_errors(run)[0]
    _, first, second = model.prompts
    assert "guarantee" in error
    assert error in second
    assert "not allowed to leave the house" not in first


# acceptance 110, 140
def test_the_third_failure_escalates_to_a_person() -> None:
    run = play("support_triage", replies=["billing", BAD, BAD, BAD])
    assert (run.status, run.current) == (RunStatus.PAUSED, "escalate")
    assert run.visits["draft"] == 3
    assert run.pending is not None
    assert "guarantee" in run.pending.request.prompt
    assert "send" not in path(run)


def test_a_message_about_something_else_goes_straight_to_a_colleague() -> None:
    run = play("support_triage", replies=["other"])
    assert path(run) == ["classify", "open_case"]
    assert values(run)["delivery"]["remark"] == ""


def test_an_unknown_customer_fails_by_name() -> None:
    run = play("support_triage", {"customer": "C-999"})
    assert run.current == "fetch_billing"
    assert "there is no customer 'C-999'" in str(run.error)
