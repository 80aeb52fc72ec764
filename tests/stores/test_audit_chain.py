"""The chain of the audit: whatever is done to it is found, and by the number of the entry."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from stepgraph.stores.audit import GENESIS, broken_links, chained, differences, entry_of
from stepgraph.stores.base import AuditEntry
from stepgraph.stores.ledger import Row, RunHead
from stepgraph.values.json_values import canonical
from tests.examples import examples

texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=5)
scalars = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | texts
values = scalars | st.lists(scalars, max_size=3) | st.dictionaries(texts, scalars, max_size=3)
contents = st.dictionaries(texts, values, max_size=4)
HASH = chained(None, {"who": "a stranger"}).hash


def chain(entries: list[Any]) -> list[AuditEntry]:
    links: list[AuditEntry] = []
    for entry in entries:
        links.append(chained(links[-1] if links else None, entry))
    return links


def told(links: list[AuditEntry], written: int | None = None) -> list[str]:
    return [str(damage) for damage in broken_links(links, written)]


FIVE = chain([{"by": name} for name in ("ana", "bo", "cy", "di", "ed")])


@examples(100)
@given(entries=st.lists(contents, max_size=6))
def test_a_chain_as_it_was_made_is_whole(entries: list[Any]) -> None:
    links = chain(entries)
    assert told(links, len(entries)) == []
    assert [link.number for link in links] == list(range(1, len(entries) + 1))
    assert [link.previous for link in links] == [GENESIS, *(link.hash for link in links)][: len(links)]


@examples(200)
@given(entries=st.lists(contents, min_size=1, max_size=6), data=st.data())
def test_a_change_of_any_part_of_one_entry_is_found_there(entries: list[Any], data: st.DataObject) -> None:
    links = chain(entries)
    at = data.draw(st.integers(0, len(links) - 1))
    was = links[at]
    hashes = st.sampled_from([HASH, GENESIS, "", *(link.hash for link in links)])
    links[at] = data.draw(
        st.builds(lambda entry: was._replace(entry=entry), contents)
        | st.builds(lambda hash_: was._replace(previous=hash_), hashes)
        | st.builds(lambda hash_: was._replace(hash=hash_), hashes)
    )
    assume(canonical([*links[at]]) != canonical([*was]))
    assert told(links)[0].startswith(f"audit entry {at + 1} was ")


@examples(100)
@given(entries=st.lists(contents, min_size=2, max_size=6), data=st.data())
def test_two_entries_that_change_places_are_found_at_the_first_of_them(
    entries: list[Any], data: st.DataObject
) -> None:
    links = chain(entries)
    one, other = sorted(data.draw(st.sets(st.integers(0, len(links) - 1), min_size=2, max_size=2)))
    texts_swapped = [*links]
    texts_swapped[one] = links[other]._replace(number=one + 1)
    texts_swapped[other] = links[one]._replace(number=other + 1)
    assert told(texts_swapped)[0] == f"audit entry {one + 1} was written as entry {other + 1}"
    rows_swapped = [*links]
    rows_swapped[one], rows_swapped[other] = links[other], links[one]
    assert told(rows_swapped) != []


@examples(100)
@given(entries=st.lists(contents, min_size=1, max_size=6), data=st.data())
def test_what_is_taken_out_is_found_wherever_it_was(entries: list[Any], data: st.DataObject) -> None:
    links = chain(entries)
    first = data.draw(st.integers(0, len(links) - 1))
    last = data.draw(st.integers(first, len(links) - 1))
    left = links[:first] + links[last + 1 :]
    names = f"entry {first + 1} is" if first == last else f"entries {first + 1} to {last + 1} are"
    what = "missing" if last + 1 < len(links) else "cut off at the end of the audit"
    assert told(left, len(links)) == [f"audit {names} {what}"]


def test_entries_that_were_numbered_anew_around_a_hole_are_found() -> None:
    left = [*FIVE[:2], *(link._replace(number=link.number - 1) for link in FIVE[3:])]
    assert told(left) == ["audit entry 3 was written as entry 4", "audit entry 4 was written as entry 5"]


def test_an_entry_that_was_written_anew_with_its_hash_does_not_fit_the_next_one() -> None:
    forged = chained(FIVE[1], {"by": "eve"})
    assert told([*FIVE[:2], forged, *FIVE[3:]]) == [
        "audit entry 4 does not follow entry 3: one of the two was rewritten"
    ]


def test_one_entry_twice_is_found() -> None:
    assert told([FIVE[0], FIVE[0], *FIVE[1:]]) == ["audit entry 1 stands behind entry 1"]


def test_a_count_that_was_set_back_is_found() -> None:
    assert told(FIVE, 3) == ["the audit goes up to entry 5, and its store counts 3"]


def test_what_is_added_after_a_cut_leaves_the_gap() -> None:
    added = chained(AuditEntry(5, {}, "", FIVE[2].hash), {"by": "flo"})
    assert told([*FIVE[:3], added], 6) == ["audit entries 4 to 5 are missing"]


HEAD = RunHead("r-1", "paying", 100.0)


def decided(seq: int, by: str = "ana", head: RunHead = HEAD) -> tuple[RunHead, Row]:
    data: dict[str, Any] = {
        "verb": "edit",
        "by": by,
        "values": {"amount": 10},
        "comment": "",
        "source": "cli",
    }
    row = Row(seq, "decision", 1, "ask", 1, 100.0 + seq, review=f"a-{seq}", data=data)
    return head, row


def compared(links: list[AuditEntry], rows: list[tuple[RunHead, Row]], **more: Any) -> list[str]:
    return [str(damage) for damage in differences(links, {"r-1": 100.0}, rows, **more)]


LINKS = chain([entry_of(*decided(3)), entry_of(*decided(5)), entry_of(*decided(7))])
ROWS = [decided(3), decided(5), decided(7)]


def test_an_entry_has_the_paths_of_an_edit_and_not_its_values() -> None:
    entry = LINKS[0].entry
    assert (entry["verb"], entry["edited"], entry["what"]) == ("edit", ["amount"], "decision")
    assert "10" not in str({**entry, "decision": "", "at": 0, "started_at": 0})


def test_the_audit_and_the_ledgers_are_compared_both_ways() -> None:
    assert compared(LINKS, ROWS) == []
    assert compared(LINKS[:2], ROWS) == [
        "run 'r-1', row 7: its decision about review a-7 has no entry in the audit: cut off at the end of it"
    ]
    assert compared([LINKS[0], LINKS[2]], ROWS) == [
        "run 'r-1', row 5: its decision about review a-5 has no entry in the audit: missing from it"
    ]
    assert compared([], ROWS[:1]) == [
        "run 'r-1', row 3: its decision about review a-3 has no entry in the audit: cut off at the end of it"
    ]
    assert compared(LINKS, [ROWS[0], decided(5, by="eve"), ROWS[2]]) == [
        "audit entry 2 records another decision than row 5 of run 'r-1'"
    ]
    assert compared(LINKS, ROWS[:2]) == [
        "audit entry 3 records row 7 of run 'r-1', which has no such decision"
    ]
    assert compared(LINKS, ROWS[:2], later=LINKS[2:]) != []
    assert compared(LINKS[:2], ROWS[:2], later=LINKS[2:]) == [], "made while the rows were read"
    twice = [*LINKS, chained(LINKS[-1], LINKS[0].entry)]
    assert compared(twice, ROWS) == ["audit entry 4 records the same decision as entry 1"]


@pytest.mark.parametrize("runs", [{}, {"r-1": 900.0}, {"r-2": 100.0}])
def test_the_entries_of_a_deleted_run_need_no_rows(runs: dict[str, float]) -> None:
    assert differences(LINKS, runs, []) == []


def test_what_a_repair_had_to_leave_out_is_not_told_again() -> None:
    repair = {"what": "repair", "at": 200.0, "runs": ["r-1"]}
    links = chain([link.entry for link in LINKS] + [repair, entry_of(*decided(6))])
    assert compared(links, [ROWS[0], decided(6)]) == []
    assert compared(links, [ROWS[0]]) == [
        "audit entry 5 records row 6 of run 'r-1', which has no such decision"
    ]


@pytest.mark.parametrize("entry", [{}, {"unreadable": "{"}, {"run": 5, "row": [], "started_at": None}])
def test_an_entry_that_tells_of_nothing_stops_no_comparison(entry: dict[str, Any]) -> None:
    assert compared([*LINKS, LINKS[0]._replace(number=4, entry=entry)], ROWS) == []
