"""Templates of all that Jinja2 has, allowed or not, over values that make much of little."""

from __future__ import annotations

import inspect
from collections.abc import Mapping

from hypothesis import strategies as st

from stepgraph.templates.filters import FILTERS, FUNCTIONS, METHODS, NAMING
from stepgraph.templates.render_budget import TESTS, Function
from stepgraph.values.json_values import Json


def _deep(levels: int) -> Json:
    value: Json = "x"
    for level in range(levels):
        value = [value] if level % 2 else {"k": value}
    return value


HOSTILE: dict[str, Json] = {
    "n": 7,
    "zero": 0,
    "number": 10**3999,
    "float": 1.5e308,
    "t": "ab ŉ\x0b\n%s",
    "big": "a" * 40_000,
    "wide": "ŉ\U00010400" * 10_000,
    "rows": list(range(60)),
    "long": list(range(5_000)),
    "collide": [number * (2**61 - 1) for number in range(2_000)],
    "orders": [{"id": number, "item": "lamp", "tags": ["a", "b"]} for number in range(40)],
    "deep": _deep(90),
    "table": {"items": 1, "a.b": 2, "": 3, "k": {"k": [1]}},
    "nothing": None,
    "yes": True,
}
GENTLE: dict[str, Json] = {
    "n": 7,
    "m": -3,
    "f": 2.5,
    "t": "Some text, of-two  lines\nand (more)",
    "s": "abc",
    "empty": "",
    "words": ["lamp", "Cable", "b", "A"],
    "rows": [3, 1, 2],
    "blank": [],
    "yes": True,
    "order": {"id": 8, "item": "lamp", "price": 2.5},
    "orders": [{"id": 2, "item": "b"}, {"id": 1, "item": "C"}, {"id": 2, "item": "a"}],
}

numbers = st.sampled_from(["0", "1", "2", "-1", "3.5", "9999999999", "1e308"]) | st.integers(-20, 20).map(str)
texts = st.sampled_from(
    ["'a'", "''", "'ab '", "'%5.1f'", "'%999999999d'", "'%s%s'", "'id'", "'k.k.0'", "'9' * 4000"]
)
names = st.sampled_from([*HOSTILE, "x", "ns.x", "step", "state", "loop.index"])
atoms = names | numbers | texts | st.sampled_from(["true", "none", "[]", "{}", "namespace()", "range(300)"])
ARITHMETIC = ["+", "-", "*", "/", "//", "%", "~"]
COMPARING = ["==", "!=", "<", "<=", ">", ">=", "in", "not in"]
FOREIGN = [
    "rfind('a')",
    "__class__",
    "format(1)",
    "append(1)",
    "ljust(999999999)",
    "encode()",
    "mro()",
    *["id"] * 40,
]


def _calls(table: Mapping[str, Function]) -> st.SearchStrategy[str]:
    """Write calls with about as many values as the functions take."""
    return st.sampled_from(sorted(name for name in table if name.isidentifier())).flatmap(
        lambda name: _call(name, list(inspect.signature(table[name]).parameters.values())[2:])
    )


def _call(name: str, parameters: list[inspect.Parameter]) -> st.SearchStrategy[str]:
    if name in NAMING:
        inner = st.sampled_from(sorted(set(NAMING[name][1]) - set(NAMING) - {"d", "default"})).map(repr)
        attribute = ["'id', "] if NAMING[name][0] else [""]
        named = st.builds(
            "{}({}{}{})".format, st.just(name), st.sampled_from(attribute), inner, _commas(2, ", ")
        )
        return named | st.just("map(attribute='id')") | st.just("map(attribute='k', default=1)")
    needed = sum(each.default is each.empty and each.kind is not each.VAR_POSITIONAL for each in parameters)
    keys = [each.name for each in parameters if each.default is not each.empty]
    rest = _commas(len(parameters) - needed)
    if keys:
        rest |= st.builds("{}={}".format, st.sampled_from(keys), atoms | st.sampled_from(["'id'", "'k.k'"]))
    given = st.builds("{}{}".format, _commas(needed, least=needed), rest)
    return given.map(lambda text: f"{name}({text.strip(', ')})" if text else name)


def _commas(most: int, before: str = "", least: int = 0) -> st.SearchStrategy[str]:
    return st.lists(atoms, min_size=least, max_size=most).map(
        lambda given: "".join(before + each if before else each + ", " for each in given)
    )


def _larger(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    methods = _calls(METHODS).map(lambda call: call if "(" in call else f"{call}()")
    return (
        st.builds("({} {} {})".format, inner, st.sampled_from(ARITHMETIC), inner)
        | st.builds("({} {} {})".format, inner, st.sampled_from(COMPARING), inner)
        | st.builds("({} {} {})".format, inner, st.sampled_from(["and", "or"]), inner)
        | st.builds("({} | {})".format, inner, _calls(FILTERS))
        | st.builds("({} | {})".format, inner, _calls(FILTERS))
        | st.builds("{}.{}".format, names, methods | st.sampled_from(["id", "k", "0", "first"]))
        | st.builds("({}).{}".format, inner, methods)
        | st.builds("{}.{}".format, names, st.sampled_from(FOREIGN))
        | st.builds("({} is {})".format, inner, _calls(TESTS))
        | st.builds("({} if {} else {})".format, inner, inner, inner)
        | st.builds("({})[{}]".format, inner, inner)
        | st.builds("({})[{}:{}]".format, inner, numbers, numbers)
        | st.builds("[{}, {}]".format, inner, inner)
        | st.builds("{{'k': {}, {}: 1}}".format, inner, texts)
        | st.builds("(not {})".format, inner)
        | st.builds("(-{})".format, inner)
        | st.builds("range({})".format, inner)
    )


expressions = st.recursive(atoms, _larger, max_leaves=8)
outputs = st.builds("{{{{ {} }}}}".format, expressions)
SHARING = "{% for i in range(40) %}{% set ns.x = [ns.x, ns.x] %}{% endfor %}"
rare = st.sampled_from(
    [
        "{% macro m() %}{{ m() }}{% endmacro %}{{ m() }}",
        "{% include big %}",
        "{% for x in rows recursive %}{{ loop(rows) }}{% endfor %}",
        "{{ 9 ** 9 ** 9 }}",
        "{{ 1e999 }}",
        "{{ '\\ud800' }}",
        "{{ range(*rows) }}",
        "{% set ns = namespace(x=big) %}" + SHARING,
        SHARING,
        *["text "] * 40,
    ]
)


def _blocks(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    return (
        st.builds("{}{}".format, inner, inner)
        | st.builds("{{% for x in {} %}}{}{{% endfor %}}".format, expressions, inner)
        | st.builds(
            "{{% for x in {} if {} %}}{}{{% else %}}{}{{% endfor %}}".format, *[expressions] * 2, *[inner] * 2
        )
        | st.builds("{{% for x, y in {} %}}{}{{% endfor %}}".format, expressions, inner)
        | st.builds("{{% if {} %}}{}{{% else %}}{}{{% endif %}}".format, expressions, inner, inner)
        | st.builds("{{% set x %}}{}{{% endset %}}".format, inner)
    )


statements = st.builds("{{% set {} = {} %}}".format, st.sampled_from(["x", "big", "ns.x"]), expressions)
templates = st.builds(
    "{{% set ns = namespace(x=[1], y=1) %}}{{% set x = [n, t] %}}{}".format,
    st.recursive(
        outputs | outputs | statements | st.just("text ") | outputs | statements | rare, _blocks, max_leaves=6
    ),
)
"""Some are refused, most render or fail."""


# what Jinja2 and we should read alike

_texts = st.sampled_from(
    ["t", "s", "empty", "'x y'", "'-'", "order.item", "order['item']", "words[0]", "words[-1]"]
)
_numbers = st.sampled_from(["n", "m", "f", "1", "2", "0", "2.5", "order.id", "rows[1]", "rows | length"])
_lists = st.sampled_from(
    ["words", "rows", "blank", "[1, 2]", "['b', 'a', 'B']", "rows | sort", "words | sort"]
)
_small = st.integers(-2, 6).map(str)
_number = st.recursive(
    _numbers,
    lambda inner: (
        st.builds("({} {} {})".format, inner, st.sampled_from(["+", "-", "*", "/", "//", "%"]), inner)
        | st.builds("({} | {})".format, inner, st.sampled_from(["abs", "int", "float", "round", "round(1)"]))
        | st.builds("({} | round({}, '{}'))".format, inner, _small, st.sampled_from(["ceil", "floor"]))
        | st.builds("(-{})".format, inner)
        | st.builds(
            "({} | {})".format, st.sampled_from(["rows", "blank"]), st.sampled_from(["sum", "max", "min"])
        )
        | st.builds("({} | {})".format, _texts, st.sampled_from(["length", "int(3)", "float(1.5)", "count"]))
    ),
    max_leaves=4,
)
_filters = st.sampled_from(
    [
        "upper",
        "lower",
        "title",
        "capitalize",
        "trim",
        "string",
        "reverse",
        "indent",
        "indent(2, true)",
        "d('x')",
        "indent(1, false, true)",
        "indent('> ')",
        "truncate(9)",
        "truncate(9, true, '!', 0)",
        "truncate(12, leeway=1)",
        "replace('a', 'bb')",
        "replace('', '.', 2)",
        "replace('e', '', 1)",
        "first",
        "last",
        "list | join('|')",
    ]
)
_text = st.recursive(
    _texts,
    lambda inner: (
        st.builds("({} | {})".format, inner, _filters)
        | st.builds("({} ~ {})".format, inner, inner | _number)
        | st.builds("({} + {})".format, inner, inner)
        | st.builds("({} * {})".format, inner, _small)
        | st.builds("({})[{}:{}]".format, inner, _small | st.just(""), _small | st.just(""))
        | st.builds("({})[{}]".format, inner, _small)
        | st.builds("({} | {}('{}'))".format, _lists, st.just("join"), st.sampled_from([", ", ""]))
        | st.builds("('%.1f %5d %s' | format({}, {}, {}))".format, _number, _number, inner)
        | st.builds("({}).{}()".format, inner, st.sampled_from(["upper", "lower", "strip", "title"]))
        | st.builds("({}).split({}) | join('/')".format, inner, st.sampled_from(["", "' '", "'a'"]))
        | st.builds("({}).replace('o', '0')".format, inner)
        | st.builds(
            "(orders | map(attribute='item') | {} | join(','))".format,
            st.sampled_from(["sort", "unique", "list"]),
        )
        | st.builds(
            "(orders | selectattr('id', '{}', {}) | list | length)".format,
            st.sampled_from(["gt", "==", "le"]),
            _small,
        )
        | st.builds("(orders | rejectattr('id', 'odd') | map(attribute='item') | join)".format)
        | st.builds(
            "(orders | sort(attribute='item', reverse={}) | map(attribute='id') | join)".format, st.booleans()
        )
        | st.builds("(order | dictsort | map('first') | join(' '))".format)
        | st.builds(
            "({} | select('{}') | list | length)".format,
            _lists,
            st.sampled_from(["string", "number", "defined"]),
        )
    ),
    max_leaves=5,
)
_condition = st.recursive(
    st.builds("({} {} {})".format, _number, st.sampled_from(COMPARING[:6]), _number)
    | st.builds("({} {} {})".format, _text, st.sampled_from(COMPARING), _text)
    | st.builds("({} in {})".format, _text | _number, _lists)
    | st.builds(
        "({} is {})".format,
        _texts | _numbers | _lists,
        st.sampled_from(["string", "number", "mapping", "none", "sequence"]),
    )
    | st.builds(
        "({} is {})".format,
        st.sampled_from(["n", "m", "rows[0]"]),
        st.sampled_from(["odd", "even", "divisibleby 3", "eq 7"]),
    )
    | st.builds(
        "({} is {})".format,
        st.sampled_from(["n", "absent", "order.absent"]),
        st.sampled_from(["defined", "undefined"]),
    )
    | _text
    | _number
    | _lists,
    lambda inner: (
        st.builds("({} {} {})".format, inner, st.sampled_from(["and", "or"]), inner)
        | st.builds("(not {})".format, inner)
    ),
    max_leaves=3,
)
_output = (
    st.builds("{{{{ {} }}}}".format, _text | _number)
    | st.builds("{{{{ {} if {} else {} }}}}".format, _text, _condition, _number)
    | st.builds("{{{{ {} if {} }}}}".format, _text, _condition)
    | st.sampled_from(
        ["{{ x }}", "{{ loop.last }}", "{{ absent | default('none') }}", "{{ y | d }}", " a \n", "{# no #}"]
    )
)
gentle = st.recursive(
    _output,
    lambda inner: (
        st.builds("{}{}".format, inner, inner)
        | st.builds("{{% for x in {} %}}{}{{% endfor %}}".format, _lists, inner)
        | st.builds(
            "{{%- for x in {} if {} -%}} {} {{%- else %}}{}{{% endfor -%}}".format,
            _lists,
            _condition,
            inner,
            inner,
        )
        | st.builds("{{% for x, y in order.items() %}}{}{{% endfor %}}".format, inner)
        | st.builds("{{% for x in s %}}{}{{{{ loop.index0 }}}}{{% endfor %}}".format, inner)
        | st.builds(
            "{{% if {} %}}{}{{% elif {} %}}{}{{% endif %}}".format, _condition, inner, _condition, inner
        )
        | st.builds("{{% set {} = {} %}}".format, st.sampled_from(["x", "y", "n", "s"]), _text | _number)
        | st.builds("{{% set x %}}{}{{% endset %}}".format, inner)
        | st.builds("{{% set ns = namespace(x={}) %}}{}{{{{ ns.x }}}}".format, _number, inner)
        | st.builds(
            (
                "{{% set ns = namespace(x=1) %}}{{% for i in {} %}}{{% set ns.x = ns.x + loop.index %}}"
                "{{% endfor %}}{{{{ ns.x }}}}"
            ).format,
            _lists,
        )
    ),
    max_leaves=6,
)
"""Templates as people write them."""

assert FUNCTIONS.keys() == {"namespace", "range"}, "the grammars write them by hand"
