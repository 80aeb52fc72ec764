"""``stepgraph models``: the models of the user's settings: listed, added, and tried with one short call."""

from __future__ import annotations

import sys
from argparse import Namespace
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from stepgraph.models import (
    CallWaits,
    ModelSettings,
    Preset,
    keep_in_keyring,
    key_source,
    presets,
    prices,
    probe,
    provider_names,
    read_model,
)
from stepgraph.values import NAME, ModelError, StepgraphError

from ..text.calls import key_text, model_text
from ..text.plain import took
from ..text.system import settings_file
from .exits import Exit
from .live import connections
from .output import can_ask
from .parser import Parser, add_command, price
from .tables import Fit, listing

if TYPE_CHECKING:
    from stepgraph.models import CallEvent
    from stepgraph.values import KeyPath

    from .output import Output


def ask_preset(output: Output, args: Namespace) -> Preset:
    """Ask for what was not given.

    Raises:
        StepgraphError: Nobody answers.
    """
    known = presets()
    provider = args.provider or _answer(output, f"Provider ({', '.join(known)})", "openai")
    found = known.get(provider, Preset(provider))
    if provider == "scripted" or provider not in known:
        return found
    if provider == "openai" and args.base_url is None and args.provider is None:
        url = _answer(output, "Address of another server that speaks its protocol (enter: OpenAI's own)", "")
        found = replace(found, base_url=url, key_env=None) if url else found
    if not args.model:
        found = replace(found, model=_answer(output, f"Model, such as {found.example}", ""))
    if found.needs_key and not (args.key_env or args.keyring):
        found = _key(output, found)
    if args.input_price is None and found.input_price is None:
        found = _prices(output, found)
    return found


def _key(output: Output, found: Preset) -> Preset:
    usual = found.key_env or ""
    shown = f"Variable that holds its key, or `keyring`, or `none` [{usual or 'none'}]"
    answer = _answer(output, shown, usual or "none", default_shown=True)
    if answer == "none":
        return replace(found, key_env=None)
    if answer != "keyring":
        return replace(found, key_env=answer)
    from getpass import getpass

    return replace(found, key_env=None, keeps=True, key=getpass("Key (it is not shown): "))


def _prices(output: Output, found: Preset) -> Preset:
    table = {"provider": found.provider, "model": found.model, "base_url": found.base_url}
    if prices(ModelSettings(table)) is not None:
        return found
    answers = [
        _answer(output, f"US dollars a million tokens {what} (enter: not known)", "")
        for what in ("said to it", "that it replies")
    ]
    try:
        given, out = (float(text) for text in answers)
    except ValueError:
        return found
    return replace(found, input_price=given, output_price=out)


def _answer(output: Output, question: str, default: str, *, default_shown: bool = False) -> str:
    shown = f" [{default}]" if default and not default_shown else ""
    output.told_stream.write(f"{question}{shown}: ")
    output.told_stream.flush()
    line = sys.stdin.readline()
    if not line:
        raise StepgraphError("nobody answers; nothing was written", hint="`stepgraph models add --help`")
    return line.strip() or default


_COLUMNS: tuple[tuple[str, Fit], ...] = (
    ("ALIAS", "keep"),
    ("MODEL", "fold"),
    ("KEY", "fold"),
    ("PRICE OF 1M TOKENS", "keep"),
)


def list_models(args: Namespace, output: Output) -> Exit:
    """List the models, each with where its key comes from and whether that is there; never the key."""
    found = connections(output, tells=True).models.settings
    if output.as_json:
        output.data([_json(alias, settings) for alias, settings in found.items()])
        return Exit.DONE
    if not found:
        output.narrate(f"no models are configured in {settings_file()}; add one with:")
        output.suggest("models", "add", "default")
        return Exit.DONE
    rows = [
        (alias, model_text(settings), _key_text(settings), _price_text(settings))
        for alias, settings in found.items()
    ]
    output.table(listing(_COLUMNS, rows, output.data_stream.columns))
    return Exit.DONE


def _key_text(settings: ModelSettings) -> str:
    source = key_source(settings)
    return key_text(source, source.is_there())


def _price_text(settings: ModelSettings) -> str:
    known = prices(settings)
    return "not known" if known is None else f"${known[0]:g} in, ${known[1]:g} out"


def _json(alias: str, settings: ModelSettings) -> dict[str, Any]:
    source, known = key_source(settings), prices(settings)
    return {
        "alias": alias,
        "provider": settings.provider,
        "model": settings.model,
        "base_url": settings.base_url,
        "key": {"from": source.kind, "name": source.name or None, "is_there": source.is_there()},
        "tools": settings.tools,
        "input_price": known[0] if known is not None else None,
        "output_price": known[1] if known is not None else None,
    }


def add_model(args: Namespace, output: Output) -> Exit:
    """Write a model into the settings; what is not given is asked, where somebody is there to be asked."""
    alias = args.alias
    if not NAME.fullmatch(alias):
        raise StepgraphError(f"{alias!r} cannot name a model", hint="letters, digits, dots, dashes and _ can")
    file = settings_file()
    if alias in connections(output).models.settings:
        raise StepgraphError(f"there is a model {alias!r} already", hint=f"change it in {file}")
    table = _table(args, alias, ask_preset(output, args) if can_ask() else None)
    wrong: list[str] = []

    def report(where: KeyPath, what: str) -> None:
        wrong.append(what)

    settings = read_model(table, ("models", alias), report)
    if settings is None:
        raise StepgraphError("; ".join(wrong), hint="nothing was written; `stepgraph models add --help`")
    from stepgraph.files import append_table

    written = append_table(file, ("models", alias), table)
    output.narrate(f"added to {file}:")
    output.quote(written.splitlines())
    source = key_source(settings)
    if not source.is_there():
        output.narrate(f"its key is not there yet: {source.text}")
    output.narrate("try it, then run a graph with it:")
    output.suggest("models", "test", alias)
    output.suggest("run", "FILE", "--live")
    return Exit.DONE


def _table(args: Namespace, alias: str, answers: Preset | None) -> dict[str, Any]:
    """Collect what is written of a model.

    Raises:
        StepgraphError: There is no such provider.
    """
    chosen = answers if answers is not None else presets().get(args.provider, Preset(args.provider or ""))
    if chosen.provider and chosen.provider not in provider_names():
        hint = f"there are: {', '.join(presets())}; a package can bring others"
        raise StepgraphError(f"there is no provider {chosen.provider!r}", hint=hint)
    keyring = f"stepgraph/{alias}" if args.keyring or chosen.keeps else None
    table: dict[str, Any] = {
        "provider": chosen.provider,
        "model": args.model or chosen.model,
        "base_url": args.base_url or chosen.base_url,
        "key_env": None if keyring else args.key_env or (chosen.key_env if not args.base_url else None),
        "keyring": keyring,
        "input_price": args.input_price if args.input_price is not None else chosen.input_price,
        "output_price": args.output_price if args.output_price is not None else chosen.output_price,
        "replies": args.reply or None,
    }
    if not table["provider"]:
        raise StepgraphError("the provider is missing", hint=f"--provider takes {', '.join(presets())}")
    if keyring is not None and chosen.key:
        keep_in_keyring(keyring, chosen.key)
    return {name: value for name, value in table.items() if value not in (None, "")}


def test_model(args: Namespace, output: Output) -> Exit:
    """Ask a model for one word, and tell how long it took and what it cost."""
    found = connections(output, tells=True)
    if args.alias not in found.models:
        raise ModelError(found.models.why_not(args.alias), hint=found.models.advice(args.alias))

    def hear(event: CallEvent) -> None:
        if isinstance(event, CallWaits):
            output.narrate(f"waits {event.seconds:.0f} s: {event.why}")

    try:
        probed = probe(found.models, args.alias, hear)
    except ModelError as error:
        raise ModelError(f"the model {args.alias!r}: {error.message}", hint=error.hint) from None
    finally:
        found.close()
    reply, first = probed.reply, probed.first
    usage = reply.usage
    if output.as_json:
        output.data(
            {
                "alias": args.alias,
                "model": reply.model,
                "reply": reply.text,
                "seconds": round(probed.seconds, 6),
                "first_word": None if first is None else round(first, 6),
                "input_tokens": usage.input if usage is not None else None,
                "output_tokens": usage.output if usage is not None else None,
                "cost": reply.cost,
            }
        )
        return Exit.DONE
    words = f" (the first word after {took(first)})" if first is not None else ""
    tokens = f"{usage.input:,} in, {usage.output:,} out" if usage is not None else "not reported"
    output.page(
        [
            ("model", f"{probed.provider} {reply.model}"),
            ("reply", reply.text.strip()),
            ("took", took(probed.seconds) + words),
            ("tokens", tokens),
            ("cost", "not known" if reply.cost is None else f"${reply.cost:.6f}"),
        ]
    )
    return Exit.DONE


def models_options(parser: Parser) -> None:
    """Declare what ``models`` and its verbs take."""
    parser.set_defaults(command=list_models)
    verbs = parser.add_subparsers(metavar="VERB", parser_class=Parser)
    add_command(verbs, "add", _add_options, "write a model into your settings; asks what it needs")
    add_command(verbs, "test", _test_options, "ask a model for one word, to see whether it answers")


def _add_options(parser: Parser) -> None:
    parser.add_argument("alias", metavar="ALIAS", nargs="?", default="default")
    parser.add_argument(
        "--provider", metavar="NAME", help=f"{', '.join(presets())}, or one that a package brings"
    )
    parser.add_argument("--model", metavar="NAME", default="", help="the provider's name for the model")
    parser.add_argument(
        "--base-url", metavar="URL", help="the base URL of a server that speaks the provider's protocol"
    )
    key = parser.add_mutually_exclusive_group()
    key.add_argument("--key-env", metavar="VARIABLE", help="the variable that holds the key (not the key)")
    key.add_argument("--keyring", action="store_true", help="the system's keyring holds the key")
    parser.add_argument("--input-price", metavar="USD", type=price, help="price per million input tokens")
    parser.add_argument("--output-price", metavar="USD", type=price, help="price per million output tokens")
    parser.add_argument(
        "--reply",
        action="append",
        default=[],
        metavar="TEXT",
        help="a reply of a scripted model; repeatable",
    )
    parser.set_defaults(command=add_model)


def _test_options(parser: Parser) -> None:
    parser.add_argument("alias", metavar="ALIAS", nargs="?", default="default")
    parser.set_defaults(command=test_model)
