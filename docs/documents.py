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


PLAIN = {str: "text", int: "integer", float: "number", bool: "true or false", NoneType: "null"}


def words(kind: Any) -> str:
    """A type in words."""
    parts = [one for one in alternatives(kind) if one is not msgspec.UnsetType]
    if len(parts) > 1:
        return " or ".join(map(words, parts))
    (one,) = parts
    if one in PLAIN:
        return PLAIN[one]
    inner = get_args(one)
    if get_origin(one) is Literal:
        return ", ".join(f"`{each}`" for each in inner)
    if get_origin(one) is list or inner[1:] == (...,):
        return f"list: {words(inner[0])}"
    if get_origin(one) is tuple:
        return f"list of {len(inner)}: {words(inner[0])}"
    if get_origin(one) in (dict, Mapping) and inner[1] is not Any:
        return f"object: {words(inner[1])}"
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


def rows(kind: Any, before: str = "") -> list[str]:
    """The fields of an object, and of the objects in it, as rows of a table."""
    names, hints = encoded(kind), get_type_hints(kind)
    found = []
    for name, hint in hints.items():
        if name.endswith("_95"):
            continue  # the top of the page describes intervals
        path = f"{before}{names.get(name, name)}"
        type_ = words(hint) + ", interval" * (f"{name}_95" in hints)
        found.append(f"| `{path}` | {type_} | {meanings(kind)[name].rstrip('.')} |")
        for more, part in nested(hint):
            found += rows(part, f"{path}{more}.")
    return found


def section(title: str, text: str, lines: list[str]) -> str:
    """A heading, a text and a table of fields."""
    return "\n".join([f"## {title}\n\n{text}\n\n| field | type | meaning |\n|---|---|---|", *lines])


def sections() -> str:
    """A section for each command, and one for the machine, which all documents name."""
    found = []
    for one in COMMANDS:
        lines = rows(one.body) + (rows(one.timing, "timing.") if one.timing else [])
        example = f"`twofold {one.example} --json | jq '{one.path}'` prints `{one.value}`."
        found.append(section(one.name, f"{summary(one.body)}\n{example}", lines))
    machine = section("machine", summary(_output.Machine), rows(_output.Machine, "machine."))
    return "\n\n".join([*found, machine]) + "\n"


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
            about.get("anyOf", []).sort(key=str)  # msgspec's order differs between versions
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
