"""Quick fixes: each makes its problem go away and brings no other error."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from stepgraph.documents.loader import GraphRebuilder
from stepgraph.editing import Design
from stepgraph.editing.fixes import fix_for
from stepgraph.editing.text import read_design
from stepgraph.graphs.validation import check
from stepgraph.values.problems import Problem

FILE = Path("/graphs/fixed.toml")
HEAD = 'format = 1\nname = "fixed"\nstart = "draft"\n'
ASKED = "[state.question]\ninput = true\n"
DRAFT = '[nodes.draft]\ntype = "llm"\nprompt = "Answer {{ question }}"\nreplies = ["yes"]\n'
REVIEW = '[nodes.review]\ntype = "approval"\nprompt = "Send {{ response }}?"\n'
EDGES = '[[edges]]\nfrom = "draft"\nto = "review"\n[[edges]]\nfrom = "review"\nto = "END"\n'
SOUND = HEAD + ASKED + DRAFT + REVIEW + EDGES


def problems_of(design: Design) -> list[Problem]:
    return check(GraphRebuilder().build(design.document(), FILE))


def kinds(problems: list[Problem]) -> Counter[Any]:
    """The problems without the numbers of edges, which may change."""
    return Counter(
        (problem.code, problem.place.node, problem.place.key, problem.about) for problem in problems
    )


def edge(source: str, target: str, **rest: str) -> str:
    lines = "".join(f"{key} = '{value}'\n" for key, value in rest.items())
    return f'[[edges]]\nfrom = "{source}"\nto = "{target}"\n{lines}'


def test_the_graph_that_the_tests_break_is_sound() -> None:
    assert problems_of(read_design(SOUND)) == []


FIXED = [
    ("F008", SOUND.replace("format = 1\n", ""), "add format = 1"),
    ("F020", SOUND.replace('name = "fixed"', 'nmae = "fixed"'), "write name instead of nmae"),
    ("F020", SOUND.replace("input = true", "inputs = true"), "write input instead of inputs"),
    ("F020", SOUND + '[tools.t]\nretuns = {}\nhandler = "m:f"\n', "write returns instead of retuns"),
    ("F020", SOUND + edge("review", "END", whn="step < 3"), "write when instead of whn"),
    ("F020", SOUND + edge("draft", "review", labl="x", label="y"), None),
    ("F020", SOUND.replace('name = "fixed"', 'max_step = "many"\nname = "fixed"'), None),
    ("F021", SOUND.replace('type = "llm"', 'tpye = "llm"'), "write type instead of tpye"),
    ("F022", SOUND.replace("start", 'max_steps = "30"\nstart', 1), 'write 30 instead of "30"'),
    ("F022", SOUND.replace("start", 'max_seconds = "2.5"\nstart', 1), 'write 2.5 instead of "2.5"'),
    ("F022", SOUND.replace("start", 'feedback = "False"\nstart', 1), 'write false instead of "False"'),
    ("F022", SOUND.replace("start", 'on_max_steps = "flags"\nstart', 1), 'write "flag" instead of "flags"'),
    ("F022", SOUND.replace("start", 'no_feedback = "draft"\nstart', 1), 'write ["draft"] instead of "draft"'),
    ("F022", SOUND.replace("input = true", "input = true\nnote = 3"), 'write "3" instead of 3'),
    (
        "F022",
        SOUND.replace("input = true", 'input = true\ntype = "numbr"'),
        'write "number" instead of "numbr"',
    ),
    ("F022", SOUND.replace("start", "max_steps = 1.5\nstart", 1), None),
    ("F022", SOUND.replace("start", 'max_steps = "many"\nstart', 1), None),
    ("G007", SOUND.replace('start = "draft"\n', ""), "start at draft"),
    ("G008", SOUND.replace('start = "draft"', 'start = "drat"'), "start at draft"),
    ("G008", SOUND.replace('start = "draft"', 'start = "other"'), "start at draft"),
    ("G009", SOUND.replace('start = "draft"', 'start = "END"'), "start at draft"),
    ("G010", SOUND.replace('from = "review"', 'from = "reveiw"'), "let it leave review"),
    ("G010", SOUND + edge("somebody", "END"), None),
    ("G011", SOUND.replace('to = "review"', 'to = "Review"'), "lead it to review"),
    ("G011", SOUND.replace('to = "END"', 'to = "end"'), "lead it to END"),
    ("G011", SOUND.replace('to = "END"', 'to = "somebody"'), None),
    ("G013", SOUND + edge("END", "draft"), "remove the edge END -> draft"),
    ("G014", SOUND.removesuffix(edge("review", "END")), "add an edge from review to END"),
    ("G015", SOUND.replace("start", 'no_feedback = ["draf"]\nstart', 1), "write draft instead of draf"),
    ("G015", SOUND.replace("start", 'no_feedback = ["who"]\nstart', 1), None),
    (
        "G019",
        SOUND.replace(
            "[nodes.review]",
            '[tools.look]\nreturns = {}\n[nodes.call]\ntype = "tool"\ntool = "lok"\n[nodes.review]',
        )
        + edge("call", "END"),
        "write look instead of lok",
    ),
    (
        "G020",
        SOUND.replace("Answer {{ question }}", "Answer {{ question }}, draft {{ visits.drat }}"),
        "write draft instead of drat",
    ),
    (
        "G020",
        SOUND.replace('to = "review"', 'to = "review"\nwhen = "visits.drat < 3"'),
        "write draft instead of drat",
    ),
    ("G107", SOUND.replace("{{ question }}", "{{ last_outptu }}"), None),
    ("G030", SOUND.replace('type = "llm"', 'type = "lm"'), 'write "llm" instead of "lm"'),
    ("G030", SOUND.replace('type = "llm"', 'type = "magic"'), None),
    ("G031", SOUND.replace('prompt = "Answer', 'promt = "Answer'), "write prompt instead of promt"),
    ("G031", SOUND.replace('replies = ["yes"]', 'replies = ["yes"]\ncolour = "red"'), None),
    ("G033", SOUND.replace('replies = ["yes"]', 'replies = "yes"'), 'write ["yes"] instead of "yes"'),
    (
        "G033",
        SOUND.replace('type = "approval"', 'type = "approval"\nrisk = "hihg"'),
        'write "high" instead of "hihg"',
    ),
    ("G103", SOUND + edge("draft", "END", when="step > 3"), "remove the edge draft -> END"),
    (
        "G104",
        SOUND.replace('to = "review"', 'to = "review"\nwhen = \'response == "yes"\''),
        "add a last edge from draft to END",
    ),
    (
        "G107",
        SOUND.replace("{{ question }}", "{{ qestion }} {{ question }}"),
        "write question instead of qestion",
    ),
    ("G107", SOUND.replace("{{ question }}", "{{ weather }}"), None),
    (
        "G107",
        SOUND.replace('to = "END"', 'to = "END"\nwhen = \'respnse == "yes"\'') + edge("review", "draft"),
        "write response instead of respnse",
    ),
    ("G100", SOUND + REVIEW.replace("review", "lost") + edge("lost", "END"), None),
    ("G106", SOUND.replace('replies = ["yes"]\n', ""), None),
]


@pytest.mark.parametrize(("code", "text", "label"), FIXED)
def test_a_fix_removes_its_problem_and_brings_no_other(code: str, text: str, label: str | None) -> None:
    design = read_design(text)
    before = problems_of(design)
    problem = next(problem for problem in before if problem.code == code)
    fix = fix_for(problem, design)
    assert (fix.label if fix is not None else None) == label
    if fix is None:
        return
    after = problems_of(fix.edit.apply(design).design)
    assert kinds([problem]) - kinds(after)
    assert not kinds(after) - kinds(before)


def join(one: str, other: str) -> tuple[Design, Problem]:
    text = SOUND.replace(edge("draft", "review"), one + other + edge("draft", "END"))
    design = read_design(text)
    return design, next(problem for problem in problems_of(design) if problem.code == "G105")


def test_edges_with_the_same_ends_are_joined() -> None:
    design, problem = join(
        edge("draft", "review", when='response == "yes"', label="sure"),
        edge("draft", "review", when="step > 3 and step < 5", note="after a while"),
    )
    fix = fix_for(problem, design)
    assert fix is not None
    assert fix.label == "join both edges draft -> review by `or`"
    joined = fix.edit.apply(design)
    assert joined.said == fix.label
    assert dict(joined.design.edges[0].table) == {
        "from": "draft",
        "to": "review",
        "when": 'response == "yes" or step > 3 and step < 5',
        "label": "sure",
        "note": "after a while",
    }
    assert problems_of(joined.design) == []


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (
            edge("draft", "review", when="step > 3", label="late"),
            edge("draft", "review", when="step < 2", label="soon"),
        ),
        (edge("draft", "review", when="step > 3 # late"), edge("draft", "review", when="step < 2")),
        (
            edge("draft", "review", when="step > 3"),
            edge("draft", "END", when="step == 1") + edge("draft", "review", when="step < 2"),
        ),
        (
            edge("draft", "review", when="step > 3 and step < 99"),
            edge("draft", "review", when="step < 2 or " + "step < 3 or " * 80 + "step < 4"),
        ),
    ],
)
def test_edges_that_cannot_be_joined_without_a_thought_are_left(one: str, other: str) -> None:
    design, problem = join(one, other)
    assert fix_for(problem, design) is None


def test_a_problem_of_something_that_is_gone_has_no_fix() -> None:
    texts = [text for _, text, label in FIXED if label is not None]
    problems = [problem for text in texts for problem in problems_of(read_design(text))]
    empty = Design({})
    assert {problem.code for problem in problems if fix_for(problem, empty) is not None} <= {"F008"}
