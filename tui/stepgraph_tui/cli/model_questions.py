"""The questions of ``stepgraph models add``, for somebody who has never written such settings."""

from __future__ import annotations

import sys
from dataclasses import replace
from typing import TYPE_CHECKING

from stepgraph.models.presets import Preset, presets
from stepgraph.values.errors import StepgraphError

if TYPE_CHECKING:
    from argparse import Namespace

    from .output import Output


def asked(output: Output, args: Namespace) -> Preset:
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
    said = _answer(output, shown, usual or "none", default_shown=True)
    if said == "none":
        return replace(found, key_env=None)
    if said != "keyring":
        return replace(found, key_env=said)
    from getpass import getpass

    return replace(found, key_env=None, keeps=True, key=getpass("Key (it is not shown): "))


def _prices(output: Output, found: Preset) -> Preset:
    from stepgraph.models.prices import prices
    from stepgraph.models.settings import ModelSettings

    table = {"provider": found.provider, "model": found.model, "base_url": found.base_url}
    if prices(ModelSettings(table)) is not None:
        return found
    said = [
        _answer(output, f"US dollars a million tokens {what} (enter: not known)", "")
        for what in ("said to it", "that it replies")
    ]
    try:
        given, told = (float(text) for text in said)
    except ValueError:
        return found
    return replace(found, input_price=given, output_price=told)


def _answer(output: Output, question: str, default: str, *, default_shown: bool = False) -> str:
    shown = f" [{default}]" if default and not default_shown else ""
    output.told_stream.write(f"{question}{shown}: ")
    output.told_stream.flush()
    line = sys.stdin.readline()
    if not line:
        raise StepgraphError("nobody answers; nothing was written", hint="`stepgraph models add --help`")
    return line.strip() or default
