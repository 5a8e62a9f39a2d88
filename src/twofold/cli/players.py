"""`twofold players`: who can play."""

from typing import TYPE_CHECKING, Any

from twofold.cli._common import JsonOption, print_out, write_json

if TYPE_CHECKING:
    from twofold.players.registry import Entry

EXAMPLE = "  twofold players"


def command(json: JsonOption = False) -> None:
    """List the players, their keys and defaults."""
    from twofold.players import entries

    if json:
        write_json("players", {"players": [_document(entry) for entry in entries()]})
        return
    for entry in entries():
        print_out(_described(entry))
    print_out("path/to/file.py:Name\n    a player of your own: a Player class or a function")


def _document(entry: "Entry") -> dict[str, Any]:
    keys = {
        name: {"default": key.default, "help": key.help} for name, key in sorted(entry.keys.items())
    }
    return {
        "name": entry.name,
        "summary": entry.summary,
        "source": entry.source,
        "keys": keys,
    }


def _described(entry: "Entry") -> str:
    lines = [entry.name, f"    {entry.summary}"]
    if entry.source:
        lines.append(f"    source: {entry.source}")
    pairs = [(f"{name}={key.default}", key.help) for name, key in entry.keys.items()]
    width = max((len(pair) for pair, _ in pairs), default=0)
    lines += [f"    {pair:<{width}}  {text}".rstrip() for pair, text in pairs]
    return "\n".join(lines)
