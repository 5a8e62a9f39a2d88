"""Shell completion: what can follow on a command line of `twofold`.

A shell runs `twofold` with these variables in the environment, and reads lines from its output:

- `TWOFOLD_COMPLETE`: the shell, see `SHELLS`.
- `TWOFOLD_LINE`: the command line up to the cursor.
- `TWOFOLD_BREAKS` (bash): the characters at which the shell divides a word.
- `TWOFOLD_WORD` (PowerShell): the end of the line that the shell replaces.

Commands, options, players and keys are those of `data/completion/words.json`, so that an answer
loads neither NumPy nor kernels. `python -m tests.cli.completion_words` writes that file.
"""

import json
import os
import re
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple

from twofold.endgame.folder import SUFFIX, files_in, tables_folder

VARIABLE: Final = "TWOFOLD_COMPLETE"
"""The environment variable that asks for an answer instead of a command."""

FOLDER: Final = Path(__file__).parent / "data" / "completion"
SHELLS: Final = ("bash", "zsh", "fish", "powershell")
ESCAPES: Final = {"powershell": "`"}
"""The escape character of a shell, where it is not a backslash."""

RULES: Final = {
    "spawn": ("2:0.9,4:0.1",),
    "start": ("1", "2"),
    "goal": ("512", "1024", "2048"),
    "stop": ("goal", "never"),
}
"""The keys of rules, and usual values."""

SHAPES: Final = ("2x2", "2x3", "3x3", "3x4", "4x4", "5x5", "6x6")
"""The board sizes that are offered."""

_PLAIN: Final = re.compile(r"[\w.+/-]+", re.ASCII)

_BASH_SAFE: Final = re.compile(r"[\w.+/:=,@%^~-]*", re.ASCII)
_BASH_SAFE_QUOTED: Final = re.compile(r"[\w.+/:=,@%^~ -]*", re.ASCII)
"""Text that bash takes as it is, outside and inside quotes: it inserts candidates unescaped."""


class Candidate(NamedTuple):
    """One way to go on.

    Attributes:
        value: the whole word.
        help: a few words about it; may be empty.
        final: whether a space follows.
    """

    value: str
    help: str = ""
    final: bool = True


class Completions(NamedTuple):
    """What can follow: the candidates, and whether file names can too."""

    candidates: tuple[Candidate, ...]
    files: bool


class WrittenLine(NamedTuple):
    """A command line up to the cursor.

    Attributes:
        words: its words without quotes; the last one may be empty.
        quote: the quote that is still open, or empty.
        last: the last word as it is written, with its quotes.
    """

    words: tuple[str, ...]
    quote: str
    last: str


def split_line(line: str, escape: str = "\\") -> WrittenLine:
    """Divide a command line as a shell does.

    Args:
        line: the text up to the cursor.
        escape: the character that takes the meaning from the next one.
    """
    words, word, quote, start = [], "", "", 0
    characters = iter(enumerate(line))
    for index, character in characters:
        if character == escape and quote != "'":
            word += next(characters, (0, ""))[1]
        elif quote:
            quote, word = ("", word) if character == quote else (quote, word + character)
        elif character in "'\"":
            quote = character
        elif character in " \t\n":
            if line[start:index]:
                words.append(word)
            word, start = "", index + 1
        else:
            word += character
    return WrittenLine((*words, word), quote, line[start:])


# ---- what can follow


def complete(words: Sequence[str], table: Mapping[str, Any]) -> Completions:
    """What can stand in the place of the last word.

    Args:
        words: the command line without the name of the program.
        table: the commands, options, players and keys.
    """
    *before, word = words
    group, rest = _find_command(before, table)
    if "commands" in group:
        names = [Candidate(name, one["help"]) for name, one in group["commands"].items()]
        return _matching(word, [*names, *_options(group, rest, word)] if not rest else [])
    options, kind, count = group["options"], None, 0
    for one in rest:
        if kind is not None:
            kind = None
        elif one.startswith("-") and one != "-":
            kind = options.get(one, {}).get("takes")
        else:
            count += 1
    if kind is None and word.startswith("-") and "=" in word:
        name, _, value = word.partition("=")
        found = _of_kind(options.get(name, {}).get("takes", ""), value, table)
        return Completions(tuple(_prefixed(f"{name}=", found.candidates)), found.files)
    if kind is None and word.startswith("-"):
        return _matching(word, _options(group, rest, word))
    places = group["arguments"]
    if kind is None and places:
        kind = places[count] if count < len(places) else places[-1] if group["many"] else ""
    return _of_kind(kind or "", word, table)


def _find_command(
    words: Sequence[str], table: Mapping[str, Any]
) -> tuple[Mapping[str, Any], list[str]]:
    """The command or group that the words name, and the words after it."""
    group, rest = table, list(words)
    while rest and rest[0] in group.get("commands", {}):
        group, rest = group["commands"][rest[0]], rest[1:]
    return group, rest


def _options(group: Mapping[str, Any], used: Sequence[str], word: str) -> list[Candidate]:
    """The options that are not given yet; none before a word begins like one."""
    if not word.startswith("-"):
        return []
    options = group["options"].items()
    return [Candidate(name, one["help"]) for name, one in options if name not in used]


def _of_kind(kind: str | Sequence[str], word: str, table: Mapping[str, Any]) -> Completions:
    """The values of an option or argument: `kind` is the words themselves, or a kind of value."""
    if not isinstance(kind, str):
        return _matching(word, map(Candidate, kind))
    if kind == "player":
        return _player(word, table)
    if kind == "rules":
        return _matching(word, _rules(word))
    if kind in ("network", "policy"):
        names = table["networks" if kind == "network" else "policies"]
        return _matching(word, map(Candidate, names), files=True)
    if kind == "tables":
        return _matching(word, _joined(word, [*table["tables"], *_built()]), files=True)
    if kind == "built":
        return _matching(word, map(Candidate, _built()), files=True)
    return Completions((), files=kind == "file")


def _matching(word: str, candidates: Iterable[Candidate], *, files: bool = False) -> Completions:
    unique = {one.value: one for one in candidates if one.value.startswith(word)}
    return Completions(tuple(unique.values()), files)


def _prefixed(before: str, candidates: Iterable[Candidate]) -> Iterator[Candidate]:
    return (one._replace(value=before + one.value) for one in candidates)


def _player(word: str, table: Mapping[str, Any]) -> Completions:
    """A player's name, or the keys and values after it."""
    name, colon, rest = word.partition(":")
    players = table["players"]
    if not colon or name not in players:
        names: list[Candidate] = []
        for one, entry in players.items():
            alone = all(key["default"] for key in entry["keys"].values())
            if alone:
                names.append(Candidate(one, entry["help"]))
            if entry["keys"]:
                about = "with keys" if alone else entry["help"]
                names.append(Candidate(f"{one}:", about, final=False))
        return _matching(word, names, files=True)
    done, _, last = rest.rpartition(",")
    before = word[: len(word) - len(last)]
    given = dict(part.partition("=")[::2] for part in done.split(",") if done)
    keys = _keys_of(players[name]["keys"], given, table)
    key, equals, value = last.partition("=")
    if not equals:
        new = [
            Candidate(f"{one}=", _key_help(entry), final=False)
            for one, entry in keys.items()
            if one not in given
        ]
        return _matching(word, _prefixed(before, new))
    found = _key_values(keys.get(key, {}), value, table)
    return Completions(tuple(_prefixed(f"{before}{key}=", found.candidates)), found.files)


def _keys_of(
    keys: Mapping[str, Any], given: Mapping[str, str], table: Mapping[str, Any]
) -> Mapping[str, Any]:
    """The keys of a player, with the weights of its evaluator."""
    if "eval" not in keys:
        return keys
    evaluator = table["evaluators"].get(given.get("eval", keys["eval"]["default"]), {})
    return {**keys, **evaluator.get("keys", {})}


def _key_help(entry: Mapping[str, str]) -> str:
    default = entry["default"]
    return f"{entry['help']} (default {default})" if default else entry["help"]


def _key_values(entry: Mapping[str, Any], value: str, table: Mapping[str, Any]) -> Completions:
    """The values of a key. A comma may follow each, so that no space does."""
    kind = entry.get("takes", "")
    if kind == "evaluator":
        known = [Candidate(name, one["help"]) for name, one in table["evaluators"].items()]
        found = _matching(value, known, files=True)
    elif kind == "tables":
        found = _of_kind(
            kind, value, {**table, "tables": ["auto", "default", "large", "none", *table["tables"]]}
        )
    elif kind:
        found = _of_kind(kind, value, table)
    else:
        default = entry.get("default", "")
        found = _matching(value, [Candidate(default, "default")] if default else [])
    return found._replace(candidates=tuple(one._replace(final=False) for one in found.candidates))


def _rules(word: str) -> Iterator[Candidate]:
    """Board sizes at first, then the keys of rules and usual values."""
    before, space, last = word.rpartition(" ")
    key, equals, _ = last.partition("=")
    if equals:
        for value in RULES.get(key, ()):
            yield Candidate(f"{before}{space}{key}={value}")
        return
    if not space:
        yield from map(Candidate, SHAPES)
    for one in RULES:
        if f"{one}=" not in before:
            yield Candidate(f"{before}{space}{one}=", final=False)


def _joined(word: str, names: Iterable[str]) -> Iterator[Candidate]:
    """Names of which several can be joined by `+`."""
    before, plus, _ = word.rpartition("+")
    for name in names:
        yield Candidate(f"{before}{plus}{name}")


def _built() -> list[str]:
    """The endgame tables that are built on this machine."""
    names = [path.name.removesuffix(SUFFIX).replace("_", "/") for path in files_in(tables_folder())]
    return [name for name in names if _PLAIN.fullmatch(name)]


# ---- what a shell reads


def answer_lines(shell: str, line: str, breaks: str = "", word: str | None = None) -> list[str]:
    """The lines that a shell reads: `files` or `words`, and one for each candidate.

    bash gets the text that it puts in place; the other shells get the text, 1 or 0 for whether a
    space follows (zsh only), and the help, separated by tabs.

    Args:
        shell: one of `SHELLS`.
        line: the command line up to the cursor.
        breaks: the characters at which bash divides a word.
        word: the end of the line that PowerShell replaces.
    """
    written = split_line(line, ESCAPES.get(shell, "\\"))
    if len(written.words) < 2:
        return ["words"]
    with open(FOLDER / "words.json", encoding="utf-8") as file:
        found = complete(written.words[1:], json.load(file))
    kept = _kept(written, breaks, word)
    safe = [one for one in found.candidates if shell != "bash" or _is_safe(one, written)]
    lines = [_formatted(shell, one, kept, written.quote) for one in safe]
    return ["files" if found.files else "words", *lines]


def _is_safe(candidate: Candidate, line: WrittenLine) -> bool:
    """True if bash can insert the candidate: nothing in the word is escaped or has a meaning."""
    if line.last[:1] in ("'", '"'):
        return bool(_BASH_SAFE_QUOTED.fullmatch(candidate.value + line.last[1:]))
    return bool(_BASH_SAFE.fullmatch(candidate.value + line.last))


def _kept(line: WrittenLine, breaks: str, word: str | None) -> int:
    """How many characters of the last word the shell keeps and does not replace."""
    whole = line.words[-1]
    if word is not None:
        word = word.strip("'\"")
        return len(whole) - len(word) if whole.endswith(word) else 0
    if line.last[:1] in ("'", '"'):
        return 0
    return max((whole.rfind(character) + 1 for character in breaks), default=0)


def _formatted(shell: str, candidate: Candidate, kept: int, quote: str) -> str:
    value = candidate.value[kept:]
    if shell == "bash":
        return value + " " * (candidate.final and not quote)
    if shell == "zsh":
        return f"{value}\t{int(candidate.final)}\t{candidate.help}"
    return f"{value}\t{candidate.help}"


def main(environment: Mapping[str, str] = os.environ) -> None:
    """Print the answer to the question in the environment, from one of `SHELLS`."""
    shell = environment[VARIABLE]
    if not environment.get("TWOFOLD_LINE", "").isprintable():
        return  # nothing that a person types
    lines = answer_lines(
        shell,
        environment.get("TWOFOLD_LINE", ""),
        environment.get("TWOFOLD_BREAKS", ""),
        environment.get("TWOFOLD_WORD", "") if shell == "powershell" else None,
    )
    sys.stdout.buffer.write("".join(f"{line}\n" for line in lines).encode())
    sys.stdout.flush()
