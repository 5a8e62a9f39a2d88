"""Describes the JSON that commands print: in a schema, and field by field in the built reference.

python docs/documents.py writes docs/_static/json-schema.json. `conf.py` adds `sections` to the page
docs/reference/json.md when the documentation is built.
"""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, is_dataclass
from functools import cache
from pathlib import Path
from types import NoneType
from typing import Any, Literal, get_args, get_origin, get_type_hints

import msgspec

from twofold.cli import (
    _documents,
    _output,
    _training,
    analyse,
    bench,
    compare,
    doctor,
    drive,
    engine,
    net,
    players,
    review,
    selftest,
    solve,
    tables,
    train,
    train_policy,
    tune,
)
from twofold.search.analysis import Timing

SCHEMA = Path(__file__).parent / "_static" / "json-schema.json"


@dataclass(frozen=True, slots=True)
class Command:
    """A command and what it prints.

    Attributes:
        name: its name, with an option where that changes the document.
        body: its document, without what all have.
        timing: of the document; None without.
        example: its words.
        path: a field of the example.
        value: the value of that field, as jq prints it.
    """

    name: str
    body: type[msgspec.Struct]
    timing: type[msgspec.Struct] | None
    example: str
    path: str
    value: str

    @property
    def title(self) -> str:
        """The name as one word."""
        return re.sub(r"\W+", "-", self.name)

    @property
    def whole(self) -> Any:
        """The document with what all have."""
        name: Any = Literal[self.name.partition(" --")[0]]
        fields = [
            ("schema", Literal[_output.SCHEMA]),
            ("command", name),
            ("timing", self.timing or Nothing),
            ("machine", _output.Machine),
        ]
        made = msgspec.defstruct(
            self.title, fields, bases=(self.body,), frozen=True, kw_only=True,
            namespace={"__doc__": self.body.__doc__},
        )  # fmt: skip
        meanings(made).update(COMMON)
        return made


class Nothing(msgspec.Struct, frozen=True):
    """Nothing that depends on time."""


BOARD = "0012/0013/0024/1357"
TRAIN = "--games 1000 --threads 1 --out net.safetensors"
TUNE = "--weights empty --games 2 --trials 2 --check-games 2 --rules 3x3 --out tune.db"
COMMANDS = (
    Command("analyse", analyse.AnalyseDocument, Timing,
            f"analyse {BOARD} --player greedy", ".best", '"up"'),
    Command("bench", bench.BenchDocument, bench.BenchTiming,
            "bench greedy --games 10", ".players[0].summary.mean_score", "3731.6"),
    Command("compare", compare.CompareDocument, _documents.JobsTiming,
            "compare greedy random --games 20", ".verdict", '"A"'),
    Command("doctor", doctor.DoctorDocument, None,
            "doctor", ".cache.writable", "true"),
    Command("drive", drive.DriveDocument, _documents.MovesTiming,
            "drive https://example.org/2048", ".max_tile", "2048"),
    Command("engine-check", engine.EngineCheckDocument, engine.EngineCheckTiming,
            "engine-check 'twofold engine greedy' --boards 1", ".passed", "true"),
    Command("net info", net.NetDocument, None,
            "net info tiny", ".card.patterns", '"5x4"'),
    Command("players", players.PlayersDocument, None,
            "players snake", ".evaluators[0].keys.ratio.default", '"0.25"'),
    Command("review", review.ReviewDocument, _documents.MovesTiming,
            "review game.2048 --player ntuple:net=tiny,ply=1", ".judged", "20"),
    Command("selftest", selftest.SelfTestDocument, None,
            "selftest", ".passed", "true"),
    Command("solve", solve.SolveDocument, solve.SolveTiming,
            "solve 2x2 --outcomes", '.outcomes.reach_rates."16".rate', "0.96251125375"),
    Command("tables info", tables.TablesInfoDocument, None,
            "tables info 442-16", ".large_tiles", "6"),
    Command("tables list", tables.TablesListDocument, None,
            "tables list", ".tables[0].name", '"44-16"'),
    Command("tables query", tables.TablesQueryDocument, None,
            "tables query abcd/6512/1212/2120", ".answer.best", '"up"'),
    Command("train", train.TrainDocument, _training.RunTiming,
            f"train 2x4 {TRAIN}", ".settings.seed", '"1"'),
    Command("train --runs", train.TrainRunsDocument, train.TrainRunsTiming,
            f"train 01 --rules 2x2 --runs 2 {TRAIN}", ".seeds[1]", '"2"'),
    Command("train-policy", train_policy.TrainPolicyDocument, _training.RunTiming,
            "train-policy 64-64 --rules 2x2 --moves 1024 --out policy.safetensors",
            ".settings.seed", '"1"'),
    Command("tune", tune.TuneDocument, _documents.JobsTiming,
            f"tune expectimax:ply=1 {TUNE}", ".trials[0].spec", '"expectimax:ply=1"'),
)  # fmt: skip

COMMON = {
    "schema": "version of the documents; raised when a field changes its name or its meaning, not "
    "when one is added",
    "command": "the command",
    "timing": "all that depends on time; empty for some commands",
    "machine": "all that depends on the machine",
}
"""What the fields are that all documents have."""


def summary(kind: Any) -> str:
    """The first sentence of a docstring."""
    return str(kind.__doc__).partition("\n")[0]


@cache
def meanings(kind: Any) -> dict[str, str]:
    """What each field is, from the docstrings of a type and its bases."""
    found: dict[str, str] = {}
    for base in reversed(kind.__mro__):
        part = (base.__doc__ or "").partition("Attributes:\n")[2]
        for name, text in re.findall(r"^ {8}(\w+): (.*(?:\n {12}.*)*)", part, re.MULTILINE):
            found[name] = " ".join(text.split())
    return found


def alternatives(kind: Any) -> list[Any]:
    """The types of a union."""
    if get_origin(kind) in (None, list, tuple, dict, Mapping, Literal):
        return [kind]
    if hasattr(kind, "__metadata__"):
        return alternatives(get_args(kind)[0])
    return list(get_args(kind))


def is_part(kind: Any) -> bool:
    """True for an object with known fields."""
    return isinstance(kind, type) and (issubclass(kind, msgspec.Struct) or is_dataclass(kind))


def name_of(kind: type) -> str:
    """The name of a shared part."""
    return re.sub(r"(?<!^)(?=[A-Z])", " ", kind.__name__.removesuffix("Document")).lower()


PLAIN = {str: "text", int: "integer", float: "number", bool: "true or false", NoneType: "null"}


def words(kind: Any, shared: set[Any]) -> str:
    """A type in words."""
    parts = [one for one in alternatives(kind) if one is not msgspec.UnsetType]
    if len(parts) > 1:
        return " or ".join(words(one, shared) for one in parts)
    (one,) = parts
    if one in PLAIN:
        return PLAIN[one]
    if one in shared:
        return f"*{name_of(one)}*"
    inner = get_args(one)
    if get_origin(one) is Literal:
        return ", ".join(f"`{each}`" for each in inner)
    if get_origin(one) is list or inner[1:] == (...,):
        return f"list: {words(inner[0], shared)}"
    if get_origin(one) is tuple:
        return f"list of {len(inner)}: {words(inner[0], shared)}"
    if get_origin(one) in (dict, Mapping):
        return "object" if inner[1] is Any else f"object: {words(inner[1], shared)}"
    return "object"


def nested(kind: Any) -> list[tuple[str, Any]]:
    """The objects in a type, and the path that leads to them."""
    found: list[tuple[str, Any]] = []
    for one in alternatives(kind):
        inner = get_args(one)
        if get_origin(one) is list or inner[1:] == (...,):
            found += [(f"[]{path}", part) for path, part in nested(inner[0])]
        elif get_origin(one) in (dict, Mapping):
            found += [(f".*{path}", part) for path, part in nested(inner[1])]
        elif is_part(one):
            found.append(("", one))
    return found


def uses(kind: Any) -> list[Any]:
    """The objects in an object, at any depth, each as often as it is named."""
    found = []
    for hint in get_type_hints(kind).values():
        for _, part in nested(hint):
            found += [part, *uses(part)]
    return found


def encoded(kind: Any) -> dict[str, str]:
    """The names of the fields in JSON; those of a dataclass are its own."""
    if not issubclass(kind, msgspec.Struct):
        return {}
    return {one.name: one.encode_name for one in msgspec.structs.fields(kind)}


def parents(kind: Any) -> list[Any]:
    """The types with fields from which an object has some of its own, nearest first."""
    return [
        base
        for base in kind.__mro__[1:]
        if issubclass(base, msgspec.Struct) and base is not msgspec.Struct and encoded(base)
    ]


def fields(kind: Any, shared: set[Any]) -> tuple[list[Any], dict[str, Any]]:
    """The shared parts that an object begins with, at most one, and its other fields."""
    begin = [base for base in parents(kind) if base in shared][:1]
    known = {name for base in begin for name in get_type_hints(base)}
    hints = get_type_hints(kind)
    # An interval is said at the top of the page.
    return begin, {name: hint for name, hint in hints.items() if name not in known
                   and not name.endswith("_95")}  # fmt: skip


def typed(kind: Any, name: str, shared: set[Any]) -> str:
    """The type of a field in words."""
    hints = get_type_hints(kind)
    return words(hints[name], shared) + ", interval" * (f"{name}_95" in hints)


def meaning(kind: Any, name: str) -> str:
    """What a field is."""
    return meanings(kind)[name].rstrip(".")


def is_small(kind: Any, shared: set[Any]) -> bool:
    """True for an object of few fields, none of which is an object of its own."""
    _, own = fields(kind, shared)
    inner = [part for hint in own.values() for _, part in nested(hint)]
    return len(own) <= 7 and all(part in shared for part in inner)


def folded(kind: Any, shared: set[Any]) -> str:
    """All fields of an object in one line."""
    begin, own = fields(kind, shared)
    names = encoded(kind)
    parts = [f"the fields of *{name_of(base)}*" for base in begin]
    for name in own:
        kept = typed(kind, name, shared)
        kept = "" if kept == "text" else f" ({kept})"
        parts.append(f"`{names.get(name, name)}`{kept} {meaning(kind, name)}")
    return " · ".join(parts)


def rows(kind: Any, shared: set[Any], before: str = "") -> list[str]:
    """The fields of an object as rows of a table."""
    names = encoded(kind)
    begin, own = fields(kind, shared)
    found = [f"| `{before}…` | *{name_of(base)}* | its fields |" for base in begin]
    for name, hint in own.items():
        path = f"{before}{names.get(name, name)}"
        about, below = meaning(kind, name), []
        for more, part in nested(hint):
            if part in shared:
                continue
            if is_small(part, shared):
                about += f": {folded(part, shared)}"
            else:
                below += rows(part, shared, f"{path}{more}.")
        found += [f"| `{path}` | {typed(kind, name, shared)} | {about} |", *below]
    return found


def timing_rows(kind: Any, shared: set[Any]) -> list[str]:
    """The times of a document, in one row where they are few."""
    if kind in shared:
        return [f"| `timing` | *{name_of(kind)}* | its times |"]
    if is_small(kind, shared):
        return [f"| `timing` | object | {folded(kind, shared)} |"]
    return rows(kind, shared, "timing.")


def table(lines: list[str]) -> str:
    """Rows below their heading."""
    return "\n".join(["| field | type | meaning |", "|---|---|---|", *lines])


def shared_parts() -> set[Any]:
    """The types that several documents or parts name, or begin with."""
    whole = [kind for one in COMMANDS for kind in (one.body, one.timing) if kind]
    named = [part for kind in whole for part in uses(kind)]
    kinds = {*whole, *named}
    begun = [base for kind in kinds for base in parents(kind)]
    every = [*named, *whole, *begun]
    return {kind for kind in {*named, *begun, *whole} if every.count(kind) > 1} | {_output.Machine}


def part_row(kind: Any, shared: set[Any]) -> str:
    """A shared part as a row of their table."""
    return f"| *{name_of(kind)}* | {summary(kind).rstrip('.')} | {folded(kind, shared)} |"


def sections() -> str:
    """A section for each command, and the parts that they share."""
    shared = shared_parts()
    found = []
    for one in COMMANDS:
        lines = rows(one.body, shared)
        if one.timing is not None:
            lines += timing_rows(one.timing, shared)
        example = f"`twofold {one.example} --json | jq '{one.path}'` prints `{one.value}`."
        found += [f"## {one.name}\n\n{summary(one.body)}\n{example}", table(lines)]
    known = [part_row(part, shared) for part in sorted(shared, key=name_of)]
    found.append("## Parts of several documents")
    found.append("\n".join(["| part | is | fields |", "|---|---|---|", *known]))
    return "\n\n".join(found) + "\n"


def schema() -> dict[str, Any]:
    """The JSON Schema of all documents."""
    made = [one.whole for one in COMMANDS]
    every, parts = msgspec.json.schema_components(made, ref_template="#/$defs/{name}")
    kinds = {one.__name__: one for whole in made for one in (whole, *uses(whole))}
    for name, part in parts.items():
        part["description"] = summary(kinds[name])
        fields = {one: name for name, one in encoded(kinds[name]).items()}
        for field, about in part["properties"].items():
            about["description"] = meanings(kinds[name])[fields.get(field, field)]
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "JSON of the commands of twofold",
        "oneOf": every,
        "$defs": parts,
    }


def schema_text() -> str:
    """The JSON Schema as a file has it: a line for each object."""
    whole = schema()
    parts = [
        f"  {json.dumps(name)}: {json.dumps(part)}" for name, part in whole.pop("$defs").items()
    ]
    return json.dumps(whole, indent=1)[:-2] + ',\n "$defs": {\n' + ",\n".join(parts) + "\n }\n}\n"


if __name__ == "__main__":
    SCHEMA.write_text(schema_text(), encoding="utf-8")
