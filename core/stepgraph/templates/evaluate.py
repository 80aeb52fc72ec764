"""Rendering: the tree that Jinja2 parsed is walked, and each part of it is computed here.

Nothing of a template becomes Python code, and no value's attributes are read: what the methods below do not
do cannot be done. Every part that is visited costs a step of the budget.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, cast

from jinja2 import nodes

from .filters import FILTERS, FUNCTIONS, METHODS
from .render_budget import (
    COMPARISONS,
    GUARDS,
    ITEM,
    LONGEST,
    MAX_BITS,
    STEP,
    TESTS,
    Absent,
    MissingValue,
    Namespace,
    RenderBudget,
    TemplateError,
    items_of,
    kind_of,
    number,
    part_of,
    present,
    whole,
)

_ARITHMETIC: dict[str, Callable[[Any, Any], Any]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": operator.truediv,
    "//": operator.floordiv,
    "%": operator.mod,
}
_SIGNS = {
    "eq": "==",
    "ne": "!=",
    "lt": "<",
    "lteq": "<=",
    "gt": ">",
    "gteq": ">=",
    "in": "in",
    "notin": "not in",
}


class Rendering:
    """One rendering of a template.

    Args:
        names: What the template sees, by name.
    """

    def __init__(self, names: Mapping[str, Any]) -> None:
        self.budget = RenderBudget()
        self.line = 0
        """Where it failed, once it has."""
        self._names = dict(names)
        self._written: list[str] = []
        self._length = 0

    def text(self, template: nodes.Template) -> str:
        """Render a whole template."""
        self._each(template.body)
        return "".join(self._written)

    def value(self, node: nodes.Node) -> Any:
        """Compute an expression.

        Raises:
            MissingValue: A name or a part of a value is not there.
        """
        found = self.visit(node)
        if isinstance(found, Absent):
            self.line = self.line or node.lineno
            raise MissingValue(found.message)
        return found

    def visit(self, node: nodes.Node) -> Any:
        """Visit a part of the template; the line of the innermost that fails is kept."""
        try:
            self.budget.spend(STEP)
            return getattr(self, method_of(type(node)))(node)
        except Exception:
            self.line = self.line or node.lineno
            raise

    def _each(self, parts: Iterable[nodes.Node]) -> None:
        for part in parts:
            self.visit(part)

    # statements

    def _output(self, node: nodes.Output) -> None:
        for part in node.nodes:
            text = self.budget.text(self.value(part))
            self._length += len(text)
            if self._length > LONGEST:
                raise TemplateError(f"it renders more than {LONGEST:,} characters")
            self._written.append(text)

    def _templatedata(self, node: nodes.TemplateData) -> str:
        return node.data

    def _if(self, node: nodes.If) -> None:
        for branch in (node, *node.elif_):
            if self.value(branch.test):
                self._each(branch.body)
                return
        self._each(node.else_)

    def _for(self, node: nodes.For) -> None:
        items, outer = items_of(self.value(node.iter)), self._names
        if node.test is not None:
            items = [item for item in items if self._turn(outer, node.target, item).value(node.test)]
        for index, item in enumerate(items):
            self._turn(outer, node.target, item)._names["loop"] = _loop(index, items)
            self._each(node.body)
        self._names = outer
        if not items:
            self._each(node.else_)

    def _turn(self, outer: dict[str, Any], target: nodes.Node, item: Any) -> Rendering:
        """Begin a turn of a loop, which forgets what the one before has set."""
        self.budget.spend(STEP + len(outer))
        self._names = dict(outer)
        self._bind(target, item)
        return self

    def _assign(self, node: nodes.Assign) -> None:
        self._bind(node.target, self.visit(node.node))  # what is absent fails where it is used

    def _assignblock(self, node: nodes.AssignBlock) -> None:
        written, length, names = self._written, self._length, dict(self._names)
        self._written, self._length = [], 0
        self._each(node.body)
        text = self.budget.join(self._written)
        self._written, self._length, self._names = written, length, names
        self._bind(node.target, text)

    def _bind(self, target: nodes.Node, value: Any) -> None:
        if isinstance(target, nodes.Name):
            self._names[target.name] = value
        elif isinstance(target, nodes.NSRef):
            namespace = self._names.get(target.name)
            if not isinstance(namespace, Namespace):
                message = (
                    f"{target.name!r} is not a namespace: {{% set {target.name} = namespace() %}} makes one"
                )
                raise TemplateError(message)
            namespace.values[target.attr] = value
        elif isinstance(target, nodes.Tuple):
            if not isinstance(value, list) or len(value) != len(target.items):
                raise TemplateError(f"{kind_of(value)} cannot be taken apart into {len(target.items)} names")
            for part, item in zip(target.items, value, strict=True):
                self._bind(part, item)

    # values

    def _name(self, node: nodes.Name) -> Any:
        if node.name in self._names:
            return self._names[node.name]
        return Absent(f"there is no {node.name[:100]!r}")

    def _const(self, node: nodes.Const) -> Any:
        return node.value

    def _list(self, node: nodes.List | nodes.Tuple) -> list[Any]:
        self.budget.spend(len(node.items) * ITEM)
        return [self.value(item) for item in node.items]

    _tuple = _list

    def _dict(self, node: nodes.Dict) -> dict[str, Any]:
        self.budget.spend(len(node.items) * ITEM)
        return {self._key(pair.key): self.value(pair.value) for pair in node.items}

    def _key(self, node: nodes.Expr) -> str:
        key = self.value(node)
        if not isinstance(key, str):
            raise TemplateError(f"a key of a table is a text, not {kind_of(key)}")
        self.budget.look(key)
        return key

    def _getattr(self, node: nodes.Getattr) -> Any:
        return part_of(self.budget, self.visit(node.node), node.attr)

    def _getitem(self, node: nodes.Getitem) -> Any:
        value = self.visit(node.node)
        if not isinstance(node.arg, nodes.Slice):
            return part_of(self.budget, value, self.value(node.arg))
        parts = (node.arg.start, node.arg.stop, node.arg.step)
        bounds = [None if part is None else whole(self.value(part)) for part in parts]
        return _call_checked("[:]", _slice, self.budget, present(value), slice(*bounds))

    def _filter(self, node: nodes.Filter) -> Any:
        value = (self.visit if node.name in GUARDS else self.value)(node.node)  # type: ignore[arg-type]  # no block
        return self._call_listed(f"the filter {node.name!r}", FILTERS[node.name], node, value)

    def _test(self, node: nodes.Test) -> Any:
        value = (self.visit if node.name in GUARDS else self.value)(node.node)
        return self._call_listed(f"the test {node.name!r}", TESTS[node.name], node, value)

    def _call(self, node: nodes.Call) -> Any:
        if isinstance(node.node, nodes.Getattr):
            name = node.node.attr
            return self._call_listed(f"{name}()", METHODS[name], node, self.value(node.node.node))
        name = node.node.name  # type: ignore[attr-defined]  # nothing else is allowed
        return self._call_listed(f"{name}()", FUNCTIONS[name], node)

    def _call_listed(
        self,
        what: str,
        function: Callable[..., Any],
        node: nodes.Filter | nodes.Test | nodes.Call,
        *value: Any,
    ) -> Any:
        """Call what is in one of the tables."""
        args = [self.value(arg) for arg in node.args]
        named = {pair.key: self.value(pair.value) for pair in cast("list[nodes.Keyword]", node.kwargs)}
        return _call_checked(what, function, self.budget, *value, *args, **named)

    # operators

    def _condexpr(self, node: nodes.CondExpr) -> Any:
        if self.value(node.test):
            return self.value(node.expr1)
        return "" if node.expr2 is None else self.value(node.expr2)

    def _and(self, node: nodes.And) -> Any:
        return self.value(node.left) and self.value(node.right)

    def _or(self, node: nodes.Or) -> Any:
        return self.value(node.left) or self.value(node.right)

    def _not(self, node: nodes.Not) -> bool:
        return not self.value(node.node)

    def _neg(self, node: nodes.Neg) -> Any:
        return -number(self.value(node.node))

    def _compare(self, node: nodes.Compare) -> bool:
        left = self.value(node.expr)
        for operand in node.ops:
            right = self.value(operand.expr)
            if not _call_checked(_SIGNS[operand.op], COMPARISONS[operand.op], self.budget, left, right):
                return False
            left = right
        return True

    def _concat(self, node: nodes.Concat) -> str:
        return self.budget.join([self.budget.text(self.value(part)) for part in node.nodes])

    def _add(self, node: nodes.BinExpr) -> Any:
        return _call_checked(
            node.operator, _computed, self.budget, node.operator, *map(self.value, (node.left, node.right))
        )

    _sub = _mul = _div = _floordiv = _mod = _add


def method_of(kind: type[nodes.Node]) -> str:
    """Name the method of ``Rendering`` that computes such parts of a template."""
    return f"_{kind.__name__.lower()}"


def _loop(index: int, items: Sequence[Any]) -> dict[str, Any]:
    """Build the ``loop`` variable of one turn."""
    rest = len(items) - index
    loop = {
        "index": index + 1,
        "index0": index,
        "revindex": rest,
        "revindex0": rest - 1,
        "first": index == 0,
        "last": rest == 1,
        "length": len(items),
    }
    if index:
        loop["previtem"] = items[index - 1]
    if rest > 1:
        loop["nextitem"] = items[index + 1]
    return loop


def _slice(budget: RenderBudget, value: Any, bounds: slice) -> Any:
    if not isinstance(value, (str, list)):
        raise TemplateError(f"{kind_of(value)} cannot be cut: only texts and lists can")
    budget.make(len(range(*bounds.indices(len(value)))), 1 if isinstance(value, str) else ITEM)
    return value[bounds]


def _computed(budget: RenderBudget, sign: str, left: Any, right: Any) -> Any:
    """Compute with two numbers, join two texts or lists, or repeat a text."""
    if sign == "+" and {type(left), type(right)} in ({str}, {list}):
        budget.make(len(left) + len(right), 1 if isinstance(left, str) else ITEM)
        return left + right
    if sign == "*" and {type(left), type(right)} == {str, int}:
        text, times = (left, right) if isinstance(left, str) else (right, left)
        budget.make(len(text) * max(times, 0))
        return text * times
    if isinstance(left, str) or isinstance(right, str):
        instead = (
            "'%.2f' | format(value)" if sign == "%" else "`~` joins values as text, `| float` reads a number"
        )
        raise TemplateError(f"{kind_of(left)} and {kind_of(right)}; {instead}")
    bits = sum(side.bit_length() for side in (left, right) if isinstance(side, int))
    budget.spend(bits // 8)
    if sign == "*" and bits > MAX_BITS:
        raise TemplateError("the number has more than 4,000 digits")
    return number(_ARITHMETIC[sign](number(left), number(right)))


def _call_checked(
    what: str, function: Callable[..., Any], budget: RenderBudget, *given: Any, **named: Any
) -> Any:
    """Call one of ours, and say of what fails in it what it was."""
    try:
        return function(budget, *given, **named)
    except MissingValue:
        raise
    except ZeroDivisionError:
        message = "division by zero"
    except OverflowError:
        message = "the number is too large"
    except RecursionError:
        message = "the value is nested too deeply"
    except TypeError:
        message = f"it does not take {' and '.join(map(kind_of, (*given, *named.values())))}"
    except (TemplateError, ValueError) as error:
        message = str(error)
    raise TemplateError(f"{what}: {message}")
