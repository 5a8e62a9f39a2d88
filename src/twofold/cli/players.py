"""`twofold players`: who can play."""

from typing import Any

from twofold.cli._options import JsonOption
from twofold.cli._output import print_out, wrapped, write_json
from twofold.evaluators import EVALUATORS, Evaluator
from twofold.notation import format_number
from twofold.players import entries
from twofold.players.entry import Entry

EXAMPLE = "  twofold players"


def command(json: JsonOption = False) -> None:
    """List players and evaluators, their keys and defaults."""
    known = EVALUATORS.values()
    if json:
        players = [_document(entry) for entry in entries()]
        evaluators = [_evaluator_document(evaluator) for evaluator in known]
        write_json("players", {"players": players, "evaluators": evaluators})
        return
    for entry in entries():
        print_out(_described(entry))
    print_out("path/to/file.py:Name\n    a player of your own: a Player class or a function")
    for evaluator in known:
        print_out(_evaluator_described(evaluator))
    print_out("eval=path/to/file.py:Name\n    an evaluator of your own")


def _document(entry: Entry) -> dict[str, Any]:
    keys = {
        name: {"default": key.default, "help": key.help} for name, key in sorted(entry.keys.items())
    }
    return {
        "name": entry.name,
        "summary": entry.summary,
        "source": entry.source,
        "keys": keys,
    }


def _evaluator_document(evaluator: Evaluator) -> dict[str, Any]:
    keys = {
        name: {"default": format_number(weight.value), "help": weight.help}
        for name, weight in sorted(evaluator.weight_keys.items())
    }
    return {
        "name": evaluator.name,
        "summary": evaluator.summary,
        "source": evaluator.source,
        "keys": keys,
    }


def _described(entry: Entry) -> str:
    pairs = [(f"{name}={key.default}", key.help) for name, key in entry.keys.items()]
    return _section(entry.name, entry.summary, entry.source, pairs)


def _evaluator_described(evaluator: Evaluator) -> str:
    pairs = [
        (f"{name}={format_number(weight.value)}", weight.help)
        for name, weight in evaluator.weight_keys.items()
    ]
    return _section(f"eval={evaluator.name}", evaluator.summary, evaluator.source, pairs)


def _section(title: str, summary: str, source: str, pairs: list[tuple[str, str]]) -> str:
    lines = [title, wrapped(f"    {summary}", 4)]
    if source:
        lines.append(wrapped(f"    source: {source}", 4))
    width = max((len(pair) for pair, _ in pairs), default=0)
    lines += [wrapped(f"    {pair:<{width}}  {text}", width + 6) for pair, text in pairs]
    return "\n".join(lines)
