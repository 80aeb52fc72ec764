"""Quick fixes: each makes its problem go away and brings no other error."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from stepgraph.documents.loader import GraphRebuilder
from stepgraph.editing import Design
from stepgraph.editing.fixes import fixes_for
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


def errors_in(problems: list[Problem]) -> list[Problem]:
    return [problem for problem in problems if problem.is_error]


def edge(source: str, target: str, **rest: str) -> str:
    lines = "".join(f"{key} = '{value}'\n" for key, value in rest.items())
    return f'[[edges]]\nfrom = "{source}"\nto = "{target}"\n{lines}'


FIXED: list[tuple[str, str, list[str]]] = [
    ("F008", SOUND.replace("format = 1\n", ""), ["add format = 1"]),
    (
        "F020",
        SOUND.replace('name = "fixed"', 'nmae = "fixed"'),
        ["write name instead of nmae", "leave nmae out"],
    ),
    (
        "F020",
        SOUND.replace("input = true", "inputs = true"),
        ["write input instead of inputs", "leave inputs out"],
    ),
    (
        "F020",
        SOUND + '[tools.t]\nretuns = {}\nhandler = "m:f"\n',
        ["write returns instead of retuns", "leave retuns out"],
    ),
    ("F020", SOUND + edge("review", "END", whn="step < 3"), ["write when instead of whn", "leave whn out"]),
    ("F020", SOUND + edge("draft", "review", labl="x", label="y"), ["leave labl out"]),
    ("F020", SOUND.replace('name = "fixed"', 'max_step = "many"\nname = "fixed"'), ["leave max_step out"]),
    ("F021", SOUND.replace('type = "llm"', 'tpye = "llm"'), ["write type instead of tpye"]),
    (
        "F022",
        SOUND.replace("start", 'max_steps = "30"\nstart', 1),
        ['write 30 instead of "30"', "leave max_steps out"],
    ),
    (
        "F022",
        SOUND.replace("start", 'max_seconds = "2.5"\nstart', 1),
        ['write 2.5 instead of "2.5"', "leave max_seconds out"],
    ),
    (
        "F022",
        SOUND.replace("start", 'feedback = "False"\nstart', 1),
        ['write false instead of "False"', "leave feedback out"],
    ),
    (
        "F022",
        SOUND.replace("start", 'on_max_steps = "flags"\nstart', 1),
        ['write "flag" instead of "flags"', "leave on_max_steps out"],
    ),
    (
        "F022",
        SOUND.replace("start", 'no_feedback = "draft"\nstart', 1),
        ['write ["draft"] instead of "draft"', "leave no_feedback out"],
    ),
    (
        "F022",
        SOUND.replace("input = true", "input = true\nnote = 3"),
        ['write "3" instead of 3', "leave note out"],
    ),
    (
        "F022",
        SOUND.replace("input = true", 'input = true\ntype = "numbr"'),
        ['write "number" instead of "numbr"', "leave type out"],
    ),
    ("F022", SOUND.replace("start", "max_steps = 1.5\nstart", 1), ["leave max_steps out"]),
    ("F022", SOUND.replace("start", 'max_steps = "many"\nstart', 1), ["leave max_steps out"]),
    ("G007", SOUND.replace('start = "draft"\n', ""), ["start at draft"]),
    ("G008", SOUND.replace('start = "draft"', 'start = "drat"'), ["start at draft"]),
    ("G008", SOUND.replace('start = "draft"', 'start = "other"'), ["start at draft"]),
    ("G009", SOUND.replace('start = "draft"', 'start = "END"'), ["start at draft"]),
    (
        "G010",
        SOUND.replace('from = "review"', 'from = "reveiw"'),
        ["let it leave review", "remove the edge reveiw -> END"],
    ),
    ("G010", SOUND + edge("somebody", "END"), ["remove the edge somebody -> END"]),
    ("G011", SOUND.replace('to = "review"', 'to = "Review"'), ["lead it to review"]),
    ("G011", SOUND.replace('to = "END"', 'to = "end"'), ["lead it to END"]),
    ("G011", SOUND.replace('to = "END"', 'to = "somebody"'), []),
    ("G013", SOUND + edge("END", "draft"), ["remove the edge END -> draft"]),
    ("G014", SOUND.removesuffix(edge("review", "END")), ["add an edge from review to END"]),
    (
        "G015",
        SOUND.replace("start", 'no_feedback = ["draf"]\nstart', 1),
        ["write draft instead of draf", "take draf out of no_feedback"],
    ),
    ("G015", SOUND.replace("start", 'no_feedback = ["who"]\nstart', 1), ["take who out of no_feedback"]),
    (
        "G019",
        SOUND.replace(
            "[nodes.review]",
            '[tools.look]\nreturns = {}\n[nodes.call]\ntype = "tool"\ntool = "lok"\n[nodes.review]',
        )
        + edge("call", "END"),
        ["write look instead of lok", "declare the tool lok"],
    ),
    (
        "G020",
        SOUND.replace("Answer {{ question }}", "Answer {{ question }}, draft {{ visits.drat }}"),
        ["write draft instead of drat"],
    ),
    (
        "G020",
        SOUND.replace('to = "review"', 'to = "review"\nwhen = "visits.drat < 3"'),
        ["write draft instead of drat"],
    ),
    ("G030", SOUND.replace('type = "llm"', 'type = "lm"'), ['write "llm" instead of "lm"']),
    ("G030", SOUND.replace('type = "llm"', 'type = "magic"'), []),
    (
        "G031",
        SOUND.replace('prompt = "Answer', 'promt = "Answer'),
        ["write prompt instead of promt", "leave promt out"],
    ),
    ("G031", SOUND.replace('replies = ["yes"]', 'replies = ["yes"]\ncolor = "red"'), ["leave color out"]),
    (
        "G033",
        SOUND.replace('replies = ["yes"]', 'replies = "yes"'),
        ['write ["yes"] instead of "yes"', "leave replies out"],
    ),
    (
        "G107",
        SOUND.replace("{{ question }}", "{{ last_outptu }}"),
        ["make last_outptu an input of the graph", "let last_outptu be an empty text at first"],
    ),
    (
        "G033",
        SOUND.replace('type = "approval"', 'type = "approval"\nrisk = "hihg"'),
        ['write "high" instead of "hihg"', "leave risk out"],
    ),
    (
        "G103",
        SOUND + edge("draft", "END", when="step > 3"),
        ["try draft -> END before draft -> review", "remove the edge draft -> END"],
    ),
    (
        "G104",
        SOUND.replace('to = "review"', 'to = "review"\nwhen = \'response == "yes"\''),
        [
            "add a last edge from draft to END",
            "take draft -> review when no other edge matches",
            'let runs end where no edge matches: on_no_match = "end"',
        ],
    ),
    (
        "G107",
        SOUND.replace("{{ question }}", "{{ qestion }} {{ question }}"),
        [
            "write question instead of qestion",
            "make qestion an input of the graph",
            "let qestion be an empty text at first",
        ],
    ),
    (
        "G107",
        SOUND.replace("{{ question }}", "{{ weather }}"),
        ["make weather an input of the graph", "let weather be an empty text at first"],
    ),
    (
        "G107",
        SOUND.replace('to = "END"', 'to = "END"\nwhen = \'respnse == "yes"\'') + edge("review", "draft"),
        [
            "write response instead of respnse",
            "make respnse an input of the graph",
            "let respnse be an empty text at first",
        ],
    ),
    ("G100", SOUND + REVIEW.replace("review", "lost") + edge("lost", "END"), ["delete lost with its edges"]),
    ("G106", SOUND.replace('replies = ["yes"]\n', ""), []),
    (
        "F023",
        SOUND.replace("input = true", "default = 2026-01-01"),
        ['write "2026-01-01" instead of 2026-01-01', "leave default out"],
    ),
    ("G001", SOUND.replace('name = "fixed"\n', 'name = " "\n'), ["name the graph fixed"]),
    (
        "G003",
        SOUND.replace("[nodes.review]", '[nodes." "]').replace('"review"', '" "'),
        ["name the node node"],
    ),
    ("G006", SOUND.replace("start", "max_steps = 0\nstart", 1), ["leave max_steps out: 50 holds"]),
    ("G012", SOUND.replace('to = "review"', 'to = ""'), ["lead it to END"]),
    (
        "G014",
        SOUND.replace(edge("draft", "review"), ""),
        ["add an edge from draft to END", "add an edge from draft to review"],
    ),
    (
        "G016",
        SOUND + edge("review", "draft", when='response = "yes" && step <> 3'),
        ['write response == "yes" and step != 3'],
    ),
    (
        "G016",
        SOUND + edge("review", "draft", when=""),
        ["take the edge always: leave the blank condition out"],
    ),
    ("G016", SOUND + edge("review", "draft", when="response +"), []),
    (
        "G019",
        SOUND + '[nodes.call]\ntype = "tool"\ntool = "weather"\n' + edge("call", "END"),
        ["declare the tool weather"],
    ),
    (
        "G021",
        SOUND + '[tools.t]\nhandler = "tools/shop.py:look"\n',
        ["write 'tools.shop:look' instead of 'tools/shop.py:look'"],
    ),
    (
        "G021",
        SOUND + '[nodes.h]\ntype = "handler"\nhandler = "shop.look"\n' + edge("h", "END"),
        ["write 'shop:look' instead of shop.look"],
    ),
    (
        "G022",
        SOUND + '[state.n]\ntype = "number"\ndefault = "3"\n',
        ['write 3 instead of "3"', "leave default out"],
    ),
    (
        "G022",
        SOUND + '[state.n]\ntype = "text"\nreducer = "append"\n',
        ['write type = "list"', "leave type out"],
    ),
    (
        "F022",
        SOUND.replace('type = "llm"', 'type = "llm"\nreview = "befor"'),
        ['write "before" instead of "befor"', "leave review out"],
    ),
    (
        "G026",
        SOUND.replace("Send", "Really send").replace('?"', '?"\neditable = { log = "list" }')
        + '[state.log]\nreducer = "append"\n',
        ["leave log out"],
    ),
    ("G027", SOUND + "[tools.look]\n", ["give look a scripted answer"]),
    ("G027", SOUND + '[tools.look]\nreturns = "sunny"\n', ["put what look returns into a table"]),
    ("G029", SOUND + edge("review", "draft", when="step > 3", label=" "), ["leave label out"]),
    (
        "G032",
        SOUND.replace('prompt = "Answer {{ question }}"\n', ""),
        ['add prompt = "Write here what the model is asked."'],
    ),
    (
        "G035",
        SOUND.replace('?"', '?"\neditable = { response = "text" }\nallow = ["approve"]'),
        ['write allow = ["approve", "edit"]'],
    ),
    ("G035", SOUND.replace('?"', '?"\nallow = ["approve", "approve"]'), ['write allow = ["approve"]']),
    ("G035", SOUND.replace('?"', '?"\nallow = ["edit"]'), ["leave allow out"]),
    (
        "G102",
        SOUND.replace('to = "END"', 'to = "draft"').replace(
            'to = "review"', 'to = "review"\nwhen = \'response == "yes"\''
        ),
        ["add a last edge from draft to END"],
    ),
    (
        "G107",
        SOUND + edge("review", "draft", when="decision == maybe"),
        [
            'write "maybe" in quotes, as a text',
            "make maybe an input of the graph",
            "let maybe be an empty text at first",
        ],
    ),
    ("F021", SOUND + "[[edges]]\nfrom = 'review'\n", ["lead it to END", "remove the edge review -> ?"]),
]


@pytest.mark.parametrize(("code", "text", "labels"), FIXED)
def test_each_fix_removes_its_problem_and_brings_no_other(code: str, text: str, labels: list[str]) -> None:
    design = read_design(text)
    before = problems_of(design)
    problem = next(problem for problem in before if problem.code == code)
    fixes = fixes_for(problem, design)
    assert [fix.label for fix in fixes] == labels
    for fix in fixes:
        after = problems_of(fix.edit.apply(design).design)
        assert kinds([problem]) - kinds(after), fix.label
        assert not kinds(errors_in(after)) - kinds(before), fix.label


def test_a_node_with_a_reserved_name_is_renamed() -> None:
    design = read_design(SOUND + REVIEW.replace("nodes.review", "nodes.END"))
    problem = next(problem for problem in problems_of(design) if problem.code == "G005")
    (fix,) = fixes_for(problem, design)
    assert list(fix.edit.apply(design).design.nodes) == ["draft", "review", "end"]


def join(one: str, other: str) -> tuple[Design, Problem]:
    text = SOUND.replace(edge("draft", "review"), one + other + edge("draft", "END"))
    design = read_design(text)
    return design, next(problem for problem in problems_of(design) if problem.code == "G105")


def test_edges_with_the_same_ends_are_joined() -> None:
    design, problem = join(
        edge("draft", "review", when='response == "yes"', label="sure"),
        edge("draft", "review", when="step > 3 and step < 5", note="after a while"),
    )
    (fix,) = fixes_for(problem, design)
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
    assert fixes_for(problem, design) == []


def test_a_problem_of_something_that_is_gone_has_no_fix() -> None:
    texts = [text for _, text, labels in FIXED if labels]
    problems = [problem for text in texts for problem in problems_of(read_design(text))]
    empty = Design({})
    assert {problem.code for problem in problems if fixes_for(problem, empty)} <= {"F008", "G001"}
