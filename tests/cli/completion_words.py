"""The words that shell completion knows, and the command that writes them anew.

    python -m tests.cli.completion_words

They follow from the commands, the players and the evaluators.
"""

import json
from typing import Any, Final

from twofold.arena.presets import PRESETS
from twofold.arena.tuning.settings import SAMPLERS
from twofold.browser.pages import ADAPTERS
from twofold.cli import COMMANDS, _loaded
from twofold.completion import FOLDER, SHELLS
from twofold.endgame.folder import LARGE, SETS
from twofold.endgame.pattern import MAX_TARGET, MIN_TARGET, SHAPES
from twofold.evaluators import EVALUATORS
from twofold.networks.library import POLICY, shipped
from twofold.networks.patterns import NAMED
from twofold.notation import format_number, parse_spec
from twofold.players import entries
from twofold.players.entry import Entry, Key
from twofold.players.keys import Choice
from twofold.players.registry import entry_of
from twofold.players.strengths import STRENGTHS
from twofold.records.formats import FORMATS

PATH: Final = FOLDER / "words.json"

KINDS: Final = {
    "A": "player",
    "B": "player",
    "PLAYER": "player",
    "RULES": "rules",
    "NETWORK": "network",
    "NET": "network",
    **dict.fromkeys(("FILE", "FOLDER", "IN", "OUT", "PATH", "STUDY", "FILE:NAME"), "file"),
}
"""What a value is, by its name in the help."""

READ: Final = [one.name for one in FORMATS]
VALUES: Final[dict[tuple[str, str], str | list[str]]] = {
    ("analyse", "--board-format"): ["text", "hex", "hex-low", "original"],
    ("bench", "--preset"): sorted(PRESETS, reverse=True),
    ("completion", "SHELL"): list(SHELLS),
    ("convert", "--from"): READ,
    ("convert", "--to"): [*READ, "html"],
    ("drive", "--adapter"): list(ADAPTERS),
    ("net convert", "--bytes"): ["2", "4", "8"],
    ("players", "NAME"): list(
        dict.fromkeys([*STRENGTHS, *(one.name for one in entries()), *EVALUATORS])
    ),
    ("tables build", "--bits"): ["8", "16"],
    ("tables build", "NAME"): [*SETS, *LARGE],
    ("tables info", "NAME"): "built",
    ("tables query", "--tables"): "tables",
    ("tables remove", "NAME"): "built",
    ("train", "NETWORK"): list(NAMED),
    ("train", "--order"): ["forward", "backward"],
    ("train", "--schedule"): ["tc", "td:0.1", "td:0.1@90%,tc:1@10%"],
    ("train", "--tables"): "tables",
    ("tune", "--objective"): ["score", "log-score", "2048"],
    ("tune", "--sampler"): list(SAMPLERS),
}
"""The values of single options and arguments: words, or a kind."""

KEYS: Final = {"eval": "evaluator", "net": "network", "table": "file", "tables": "tables"}
"""What the value of a key is."""


def words() -> dict[str, Any]:
    """Everything that shell completion knows."""
    return {
        "commands": {name: _command(name, _loaded(name)) for name in COMMANDS},
        "options": {"--help": _HELP, "--version": {"help": "Show the version."}},
        "players": {name: _strength(on_4x4) for name, (on_4x4, *_) in STRENGTHS.items()}
        | {one.name: _player(one) for one in entries()},
        "evaluators": {
            name: {"help": one.summary, "keys": _weights(one)} for name, one in EVALUATORS.items()
        },
        "networks": list(shipped()),
        "policies": [POLICY],
        "tables": _table_names(),
    }


def _player(entry: Entry) -> dict[str, Any]:
    keys = {name: _key(name, key) for name, key in entry.keys.items()}
    if entry.name == "policy":
        keys["net"]["takes"] = "policy"
    return {"help": entry.summary, "keys": keys}


def _strength(spec: str) -> dict[str, Any]:
    """A strength has the keys of its player on 4x4."""
    return _player(entry_of(parse_spec(spec).name)) | {"help": spec}


_HELP: Final = {"help": "Show this message and exit."}


def _command(path: str, command: Any) -> dict[str, Any]:
    about = command.help.splitlines()[0]
    if hasattr(command, "commands"):
        inner = {one: _command(f"{path} {one}", it) for one, it in command.commands.items()}
        return {"help": about, "commands": inner, "options": {"--help": _HELP}}
    options: dict[str, Any] = {}
    arguments = []
    many = False
    for one in command.params:
        if one.param_type_name == "argument":
            arguments.append(_kind(path, one.metavar))
            many = one.nargs == -1
            continue
        entry = {"help": one.help}
        if not one.is_flag:
            entry["takes"] = _kind(path, one.opts[0], one.metavar)
        options[one.opts[0]] = entry
    return {
        "help": about,
        "arguments": arguments,
        "many": many,
        "options": {**options, "--help": _HELP},
    }


def _kind(path: str, name: str, metavar: str = "") -> Any:
    return VALUES.get((path, name), KINDS.get(metavar or name, ""))


def _key(name: str, key: Key) -> dict[str, Any]:
    entry: dict[str, Any] = {"default": key.default, "help": key.help}
    if isinstance(key.parse, Choice):
        entry["takes"] = list(key.parse.values)
    elif name in KEYS:
        entry["takes"] = KEYS[name]
    return entry


def _weights(evaluator: Any) -> dict[str, Any]:
    return {
        name: {"default": format_number(one.value), "help": one.help}
        for name, one in evaluator.weight_keys.items()
    }


def _table_names() -> list[str]:
    targets = [1 << exponent for exponent in range(MAX_TARGET, MIN_TARGET - 1, -1)]
    return list(dict.fromkeys([*LARGE, *(f"{one}-{t}" for one in SHAPES for t in targets)]))


def text(value: Any = None, indent: str = "") -> str:
    """The JSON text of a value: a line for each entry that holds no further entries."""
    value = words() if value is None else value
    inner = value.values() if isinstance(value, dict) else ()
    if not any(isinstance(one, dict) for one in inner):
        return json.dumps(value, ensure_ascii=False)
    deeper = indent + " "
    lines = [f"{deeper}{json.dumps(key)}: {text(one, deeper)}" for key, one in value.items()]
    return "{\n" + ",\n".join(lines) + f"\n{indent}}}"


if __name__ == "__main__":
    PATH.write_text(text() + "\n", encoding="utf-8")
