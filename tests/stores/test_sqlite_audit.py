"""The audit in a SQLite file: only added to, by any number of processes, and every other change is found."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

import apsw
import pytest

from stepgraph import Reviews, SqliteStore
from stepgraph.stores.audit import audit_damages
from stepgraph.stores.sqlite import auditing, file_damages, repair
from stepgraph.stores.sqlite.checksums import checking_vfs
from stepgraph.values.errors import StoreDamaged
from tests.stores.asking import decide, waiting
from tests.stores.test_sqlite_migrations import of_version

TRIGGERS = ("audit_keeps_entries", "audit_keeps_texts", "audit_goes_on")


def opened(path: Path) -> closing[apsw.Connection]:
    return closing(apsw.Connection(str(path), vfs=checking_vfs()))


def decided(path: Path, count: int = 5) -> Path:
    """Make a store with some decisions of one run each."""
    with SqliteStore(path) as store:
        for number, review in enumerate(waiting(store, count), 1):
            decide(store, review, f"ana {number}", 1_800_000_000.0 + number)
    return path


def tampered(path: Path, *statements: str) -> Path:
    """Change an audit as who knows the file would: its triggers are there again afterwards."""
    with opened(path) as connection:
        made = dict(connection.execute("SELECT name, sql FROM sqlite_schema WHERE type = 'trigger'"))
        for name in TRIGGERS:
            connection.execute(f"DROP TRIGGER {name}")
        for statement in statements:
            connection.execute(statement)
        for name in TRIGGERS:
            connection.execute(made[name])
    return path


def told(path: Path) -> list[str]:
    return [str(damage) for damage in file_damages(path)]


@pytest.mark.parametrize(
    ("statement", "why"),
    [
        ("UPDATE audit SET entry = '{}' WHERE number = 2", "never changed"),
        ("UPDATE audit SET number = 99 WHERE number = 5", "never changed"),
        ("DELETE FROM audit WHERE number = 5", "never deleted"),
        ("DELETE FROM audit", "never deleted"),
        ("INSERT OR REPLACE INTO audit VALUES(5, '{}', '', '')", "comes after the others"),
        ("REPLACE INTO audit VALUES(1, '{}', '', '')", "comes after the others"),
        ("INSERT INTO audit VALUES(0, '{}', '', '')", "comes after the others"),
    ],
)
def test_the_table_refuses_what_would_change_an_entry(path: Path, statement: str, why: str) -> None:
    decided(path)
    with opened(path) as connection, pytest.raises(apsw.ConstraintError, match=why):
        connection.execute(statement)
    assert told(path) == []


@pytest.mark.parametrize(
    ("statements", "found"),
    [
        (
            ["UPDATE audit SET entry = replace(entry, 'ana 3', 'eve') WHERE number = 3"],
            ["audit entry 3 was changed"],
        ),
        (["UPDATE audit SET entry = '{' WHERE number = 4"], ["audit entry 4 was changed"]),
        (["UPDATE audit SET entry = '[]' WHERE number = 4"], ["audit entry 4 was changed"]),
        (["UPDATE audit SET hash = previous WHERE number = 1"], ["audit entry 1 was changed"]),
        (["DELETE FROM audit WHERE number IN (2, 3)"], ["audit entries 2 to 3 are missing"]),
        (["DELETE FROM audit WHERE number = 5"], ["audit entry 5 is cut off at the end of the audit"]),
        (["DELETE FROM audit"], ["audit entries 1 to 5 are cut off at the end of the audit"]),
        (
            [
                "UPDATE audit SET number = 9 WHERE number = 4",
                "UPDATE audit SET number = 4 WHERE number = 5",
                "UPDATE audit SET number = 5 WHERE number = 9",
            ],
            ["audit entry 4 was written as entry 5", "audit entry 5 was written as entry 4"],
        ),
    ],
)
def test_doctor_names_the_first_entry_that_was_tampered_with_and_how(
    path: Path, statements: list[str], found: list[str]
) -> None:
    lines = told(tampered(decided(path), *statements))
    assert lines[: len(found)] == found
    with SqliteStore(path) as store:
        assert audit_damages(store) != []
        assert len(store.runs()) == 5, "the runs are whole"


def test_a_count_of_the_entries_that_is_gone_is_told(path: Path) -> None:
    tampered(decided(path), "DELETE FROM sqlite_sequence")
    assert told(path) == ["the audit goes up to entry 5, and its store counts 0"]
    with SqliteStore(path) as store:
        assert [str(damage) for damage in audit_damages(store)] == told(path)


@pytest.mark.parametrize("cut", [1, 3, 5])
def test_an_end_that_was_cut_off_is_still_missed_after_later_decisions(path: Path, cut: int) -> None:
    tampered(decided(path), f"DELETE FROM audit WHERE number > {5 - cut}")  # noqa: S608  # a number
    with SqliteStore(path) as store:
        decide(store, waiting(store, 1, "later", "b")[0])
    names = "entry 5 is" if cut == 1 else f"entries {6 - cut} to 5 are"
    assert told(path)[0] == f"audit {names} missing"


def test_a_decision_that_was_put_into_the_ledger_by_hand_has_no_entry(path: Path) -> None:
    tampered(decided(path), "DELETE FROM audit WHERE number = 5", "UPDATE sqlite_sequence SET seq = 4")
    assert told(path) == [
        "run 'r-5', row 3: its decision about review a-5 has no entry in the audit: cut off at the end of it"
    ]
    with SqliteStore(path) as store:
        assert [str(damage) for damage in audit_damages(store)] == told(path)


def test_a_store_without_its_triggers_is_damaged(path: Path) -> None:
    decided(path)
    with opened(path) as connection:
        connection.execute("DROP TRIGGER audit_keeps_entries")
    with pytest.raises(StoreDamaged, match="'audit_keeps_entries' is not what Stepgraph made"):
        SqliteStore(path)


def test_the_decisions_of_an_older_file_are_entered_when_it_is_carried_forward(path: Path) -> None:
    of_version(3, path)
    assert told(path) == []
    with SqliteStore(path) as store:
        links = store.audit()
        assert [(link.entry["run"], link.entry["by"], link.entry["carried"]) for link in links] == [
            ("paid", "ana", True),
            ("refused", "bo", True),
            ("dropped", "cy", True),
        ]
        assert (links[2].entry["what"], links[2].entry["verb"]) == ("withdrawn", "edit")
        assert (links[0].entry["edited"], links[0].entry["source"]) == (["amount"], "app")
        assert audit_damages(store) == []
    with SqliteStore(path) as store:
        assert store.audit() == links, "once"
        decide(store, "a-5", "cy")
        assert "carried" not in store.audit()[3].entry
    assert told(path) == []


def test_a_repaired_store_takes_the_audit_as_it_is(path: Path) -> None:
    tampered(
        decided(path),
        "UPDATE audit SET entry = '{}' WHERE number = 2",
        "DELETE FROM audit WHERE number = 5",
        "UPDATE ledger SET digest = 7 WHERE id = (3 << 32) + 3",
    )
    with SqliteStore(path) as store:
        before = store.audit()
    done = repair(path, path.with_name("new.db"))
    assert (len(done.whole), len(done.cut), done.entries) == (4, 1, 4)
    with SqliteStore(done.path) as store:
        *links, last = store.audit()
        assert links == before
        assert (last.number, last.entry["what"], last.entry["runs"]) == (6, "repair", ["r-3"])
        # Decided anew: what the cut run has lost is no damage, what comes now is looked at again.
        decide(store, "a-3", "bo", 1_800_000_009.0)
    assert told(done.path) == [
        "audit entry 2 was changed",
        "audit entry 5 is missing",
        "run 'r-2', row 3: its decision about review a-2 has no entry in the audit: missing from it",
        "run 'r-5', row 3: its decision about review a-5 has no entry in the audit: missing from it",
    ]


def test_a_whole_store_is_rescued_with_its_audit(path: Path) -> None:
    decided(path)
    with SqliteStore(path) as store:
        saved = store.rescue(path.with_name("copy.db"))
        assert saved.is_whole
        assert saved.lines() == [f"5 runs copied whole to {saved.path}, and the audit (5 entries)"]
        with SqliteStore(saved.path) as copy:
            assert copy.audit() == store.audit()
    assert told(saved.path) == []


def test_the_audit_of_runs_that_are_all_deleted_is_rescued(path: Path) -> None:
    decided(path, 2)
    with SqliteStore(path) as store:
        store.delete_runs(store.versions())
        saved = store.rescue(path.with_name("copy.db"))
        assert (saved.is_whole, saved.has_runs, saved.entries) == (True, False, 2)
        with SqliteStore(saved.path) as copy:
            assert copy.audit() == store.audit()
    assert told(path) == told(saved.path) == []


def test_an_entry_that_cannot_be_written_leaves_the_run_as_it_was(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with SqliteStore(path) as store:
        (review,) = waiting(store, 1)

        def fail(*args: object) -> None:
            raise KeyboardInterrupt

        with monkeypatch.context() as patched:
            patched.setattr(auditing, "insert_link", fail)
            with pytest.raises(KeyboardInterrupt):
                decide(store, review)
        assert store.audit() == []
        assert Reviews(store).get(review).status == "pending"
        decide(store, review, "bo")
        assert [link.entry["by"] for link in store.audit()] == ["bo"]
