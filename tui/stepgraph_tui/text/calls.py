"""Models and calls in words: who answers an alias, who was asked, what it took, what it cost."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from .characters import visible
from .plain import call_text, plural, shortened, took
from .system import command

if TYPE_CHECKING:
    from collections.abc import Container

    from stepgraph.graphs import CompiledGraph
    from stepgraph.models import KeySource, ModelSettings
    from stepgraph.runs import Spending, SpendingLimits
    from stepgraph.values import Json


if TYPE_CHECKING:
    Call = Mapping[str, Json]

_ERROR = 400  # characters of an error


def is_of_model(call: Call) -> bool:
    """Check whether a model was called, rather than a tool."""
    return call.get("kind") == "model"


def name_of(call: Call) -> str:
    """Name who was called: ``default, gpt-4o-mini``; the alias alone where the model has no other name."""
    model = call.get("model") or call.get("provider") or ""
    return ", ".join(str(part) for part in (call.get("name", ""), model) if part)


def thoughts_of(call: Call) -> str:
    """Return what a model thought before it answered; empty where that is not known."""
    thoughts = call.get("thoughts")
    return thoughts if isinstance(thoughts, str) else ""


def asked_text(kind: str, name: str) -> str:
    """Describe who is called: ``asks default``, ``calls search``."""
    return f"{'asks' if kind == 'model' else 'calls'} {name}"


def wait_text(seconds: float, why: str) -> str:
    """Describe the wait before a call is retried: ``waits 4 s: rate limited (429)``."""
    return f"waits {whole_seconds(seconds)}: {why}"


def whole_seconds(seconds: float) -> str:
    """Write a time to the second, and never as nothing: ``4 s``, ``2m 5s``."""
    return f"{max(1, round(seconds))} s" if seconds < 60 else took(seconds)


def ended_text(call: Call) -> str:
    """Describe what came of a call, on one line."""
    if "error" in call:
        return f"{unanswered_text(call)}: {shortened(str(call['error']), _ERROR)}"
    if not is_of_model(call):
        return f"{done_text(call)} answered in {took(seconds_of(call))}"
    return "; ".join((f"{name_of(call)} {_answered_by(call)}", *facts_of(call), *_tools_wanted(call)))


def unanswered_text(call: Call) -> str:
    """Describe a call that failed, without the reason: ``no answer from default after 5.0 s``."""
    return f"no answer from {call.get('name', '')!s} after {took(seconds_of(call))}"


def _answered_by(call: Call) -> str:
    if call.get("source") == "replay":
        return "answered from the recording"
    return f"answered in {took(seconds_of(call))}"


def done_text(call: Call) -> str:
    """Write the call of a tool with its arguments."""
    arguments = call.get("arguments")
    return call_text(str(call.get("name", "")), arguments if isinstance(arguments, dict) else {})


def _tools_wanted(call: Call) -> Iterator[str]:
    wanted = call.get("tool_calls")
    for each in wanted if isinstance(wanted, list) else ():
        if isinstance(each, dict):
            yield f"asks for {done_text(each)}"


def facts_of(call: Call) -> Iterator[str]:
    """Describe what a call took and cost, as far as that is known."""
    tokens = tokens_text(number_of(call, "input_tokens"), number_of(call, "output_tokens"))
    if tokens:
        yield tokens
    cost = call.get("cost")
    if isinstance(cost, int | float):
        yield dollars(cost)


def tokens_text(given: float, answered: float) -> str:
    """Count tokens: ``812 + 120 tokens``, the input first; empty for none."""
    return f"{given:,.0f} + {plural(int(answered), 'token')}" if given or answered else ""


def spent_text(spent: Spending) -> str:
    """Describe the cost of model calls: ``3 calls, 812 + 120 tokens, $0.0004``; empty if there were none."""
    if not spent.calls:
        return ""
    facts = [plural(spent.calls, "call")]
    if spent.sources == {"replay"}:
        return f"{facts[0]}, all replayed"
    if spent.tokens:
        facts.append(tokens_text(spent.input_tokens, spent.output_tokens))
    if spent.unpriced < spent.calls and (spent.tokens or spent.cost):
        facts.append(dollars(spent.cost))
    if spent.unpriced:
        facts.append(f"{plural(spent.unpriced, 'call')} at an unknown price")
    return ", ".join(facts)


def spent_briefly(spent: Spending) -> list[str]:
    """Describe what calls took in the fewest words: ``$0.0025``, ``2,468 tokens``."""
    if not spent.tokens and not spent.cost:
        return []
    return [cost_text(spent, "cost not known"), plural(spent.tokens, "token")]


def cost_text(spent: Spending, unknown: str = "not known") -> str:
    """Write what calls cost: ``$0.0025``, ``$0.0025 and more`` where the price of some is not known."""
    cost = dollars(spent.cost)
    if not spent.unpriced:
        return cost
    return f"{cost} and more" if spent.unpriced < spent.calls else unknown


def limits_text(limits: SpendingLimits) -> str:
    """Describe how much a run may spend: ``$0.50``, ``10,000 tokens``; empty for no limit."""
    cost = dollars(limits.max_cost) if limits.max_cost is not None else ""
    tokens = f"{limits.max_tokens:,} tokens" if limits.max_tokens is not None else ""
    return " and ".join(filter(None, (cost, tokens)))


def read_limits(text: str) -> SpendingLimits:
    """Read how much a run may spend: ``$1``, ``0.50``, ``20,000 tokens``, ``$1 and 20,000 tokens``.

    Raises:
        ValueError: It is none of these.
    """
    cost, tokens = None, None
    for part in filter(None, map(str.strip, text.lower().replace(",", "").split(" and "))):
        number, unit = part.lstrip("$").removesuffix("usd").strip(), "cost"
        if number.endswith(("tokens", "token")):
            number, unit = number.removesuffix("s").removesuffix("token").strip(), "tokens"
        if unit == "cost":
            cost = float(number)
        else:
            tokens = int(number)
    if (cost is not None and not 0 < cost < float("inf")) or (tokens is not None and tokens <= 0):
        raise ValueError(text)
    from stepgraph.runs import SpendingLimits as Limits  # few texts are read

    return Limits(cost, tokens)


def dollars(cost: float) -> str:
    """Write an amount of US dollars, the small ones exactly enough: ``$0.0004``, ``$12.30``."""
    if cost == 0 or cost >= 1:
        return f"${cost:,.2f}"
    if cost < 0.0001:
        return "<$0.0001"
    exact = f"{cost:.4f}"
    return f"${exact[:-2]}{exact[-2:].rstrip('0')}"


def number_of(call: Call, name: str) -> float:
    """Read a number of a call; 0 where it is not known."""
    value = call.get(name)
    return value if isinstance(value, int | float) else 0


def seconds_of(call: Call) -> float:
    """Read how long a call lasted."""
    return number_of(call, "seconds")


def callers(graph: CompiledGraph, only: str | None = None) -> dict[str, list[str]]:
    """Find which nodes may ask each model in a live run, by alias, in the order of the graph.

    Args:
        graph: The graph.
        only: The one node that is looked at; all of them when None.
    """
    found: dict[str, list[str]] = {}
    for name, entry in graph.nodes.items():
        if only in (None, name):
            for alias in sorted(entry.facts.all_models):
                found.setdefault(alias, []).append(name)
    return found


def scripted_tools(graph: CompiledGraph, servers: Container[str]) -> list[str]:
    """Name the tools whose scripted answers hold in a live run too, as the settings lack their server.

    Args:
        graph: The graph.
        servers: The servers of the user's settings.
    """
    found = []
    for name, entry in graph.tools.items():
        server, slash, _ = name.partition("/")
        if slash and entry.returns is not None and server not in servers:
            found.append(f"{visible(name)} gives scripted answers: the settings have no [mcp.{server}]")
    return found


def model_text(settings: ModelSettings) -> str:
    """Name who answers: ``openai gpt-4o-mini``, ``openai llama3 at localhost:11434``."""
    from urllib.parse import urlsplit

    named = " ".join(filter(None, (settings.provider, settings.model)))
    at = f" at {urlsplit(settings.base_url).netloc}" if settings.base_url else ""
    return named + at


def price_text(settings: ModelSettings) -> str:
    """Describe what a model costs: ``$0.15 in, $0.60 out a million tokens``, or that nobody knows."""
    from stepgraph.models import prices

    known = prices(settings)
    if known is None:
        return "price not known"
    return f"${known[0]:,.2f} in, ${known[1]:,.2f} out a million tokens" if any(known) else "costs nothing"


def key_text(source: KeySource, is_there: bool) -> str:
    """Describe where a model's key comes from, and whether it is there."""
    if source.kind == "none":
        return "no key"
    is_set = (
        {"variable": "is set", "keyring": "has it"}
        if is_there
        else {"variable": "is not set", "keyring": "lacks it"}
    )
    return f"{source.text} {is_set[source.kind]}"


def missing_text(alias: str) -> str:
    """Describe what to type for a model that is not configured."""
    return f"not configured: {command('models', 'add', alias)}"
