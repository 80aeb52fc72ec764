"""Keys that were meant for something else do not decide."""

from __future__ import annotations

from stepgraph_tui.dialogs.approval.arming import Arming


def test_a_key_counts_after_half_a_second_of_quiet() -> None:
    arming = Arming(10.0)
    assert not arming.stir(10.49)
    assert not arming.stir(10.98)
    assert arming.stir(11.48)


def test_once_armed_keys_count_at_any_speed() -> None:
    arming = Arming(10.0)
    assert arming.stir(10.5)
    assert arming.stir(10.51)
    assert arming.seconds_left(10.51) == 0


def test_keys_are_judged_by_when_they_were_pressed() -> None:
    arming = Arming(10.0)
    assert not arming.stir(9.0)
    assert not arming.stir(10.4)
    assert arming.seconds_left(10.6) > 0


def test_a_late_report_of_an_early_key_does_not_shorten_the_wait() -> None:
    arming = Arming(10.0)
    arming.stir(10.3)
    arming.stir(10.1)
    assert not arming.stir(10.7)


def test_arming_anew_waits_again() -> None:
    arming = Arming(10.0)
    assert arming.stir(11.0)
    arming.restart(12.0)
    assert arming.seconds_left(12.2) > 0
    assert not arming.stir(11.9)
    assert arming.stir(12.5)
