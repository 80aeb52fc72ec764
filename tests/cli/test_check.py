"""``stepgraph check``."""

from __future__ import annotations

import pytest

from tests.cli.calling import Cli


def test_a_code_is_explained(cli: Cli) -> None:
    result = cli("check", "--explain", "g008")
    assert result.code == 0
    assert result.out.startswith("G008: ")
    assert cli("check", "--explain", "G008", "--json").json["code"] == "G008"


@pytest.mark.parametrize("code", ["F001", "F007", "F008", "G035", "G011"])
def test_an_explanation_does_not_say_its_title_twice(cli: Cli, code: str) -> None:
    title, *rest = cli("check", "--explain", code).out.split("\n\n")
    assert title.removeprefix(f"{code}: ")[:40] not in " ".join(rest)
    assert rest[0][0].isupper()
