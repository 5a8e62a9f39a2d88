"""`twofold players`: who can play."""

from typing import Annotated, Any, Final, Self

import msgspec

from twofold.cli._documents import Part
from twofold.cli._options import JsonOption, argument
from twofold.cli._output import print_out, wrapped, write_json
from twofold.errors import InvalidInput
from twofold.game.notation import did_you_mean, format_number, shown
from twofold.players import entries
from twofold.players.keys import Entry
from twofold.players.presets import STRENGTHS
from twofold.values import EVALUATORS, Evaluator

EXAMPLE = """  twofold players
  twofold players expectimax
  twofold players snake --json"""

EXAMPLES: Final = {
    "expectimax": (
        "watch expectimax:eval=snake,ply=2",
        "bench expectimax:ply=2,empty=300 --games 100",
        "analyse 0012/0013/0024/1357 --player expectimax:time=50ms",
    ),
    "ntuple": (
        "watch ntuple:ply=2",
        "bench ntuple:net=tiny,ply=1 --games 100",
        "watch ntuple:net=default,ply=3,tables=auto",
    ),
    "policy": ("watch policy:ply=1", "bench policy:net=FILE,ply=1 --games 100"),
    "exact": ("solve --rules 3x3 --out 3x3.table", "watch exact:table=3x3.table"),
    "engine": ("""bench 'engine:cmd="python engine.py",time=50ms' --games 10""",),
}
"""Commands with a player, for those that have more to show than their name."""


def command(
    name: Annotated[
        str | None,
        argument(
            "NAME",
            "One player or evaluator. Default: all of them.",
            follows="players and evaluators",
        ),
    ] = None,
    json: JsonOption = False,
) -> None:
    """List players and evaluators, their keys and defaults.

    With NAME only that player or evaluator, with examples.
    """
    if name is not None:  # of `strong:threads=2` and `eval=snake` the name alone
        name = name.partition(":")[0].removeprefix("eval=")
    strengths = [one for one in STRENGTHS if name in (None, one)]
    players = [entry for entry in entries() if name in (None, entry.name)]
    evaluators = [one for one in EVALUATORS.values() if name in (None, one.name)]
    if name is not None and not (strengths or players or evaluators):
        known = dict.fromkeys([*STRENGTHS, *(entry.name for entry in entries()), *EVALUATORS])
        raise InvalidInput(
            f"expected a player or an evaluator ({', '.join(known)}), got {shown(name)}"
            f"{did_you_mean(name, known)}"
        )
    if json:
        levels = [StrengthDocument(one, *STRENGTHS[one].by_size.values()) for one in strengths]
        found = {"players": players, "evaluators": evaluators, "strengths": levels}
        write_json("players", PlayersDocument.of(None, **found))
        return
    for one in strengths:
        pairs = list(STRENGTHS[one].by_size.items())
        print_out(_section(one, f"by strength: {STRENGTHS[one].about}", "", pairs))
    for entry in players:
        print_out(_described(entry))
        if name is not None and "eval" in entry.keys:
            weights = f"twofold players {entry.keys['eval'].default}"
            print_out(wrapped(f"    the weights of its evaluator are keys, too: {weights}", 4))
    if name is None:
        print_out("path/to/file.py:Name\n    a player of your own: a Player class or a function")
    for evaluator in evaluators:
        print_out(_described(evaluator))
    if name is None:
        print_out("eval=path/to/file.py:Name\n    an evaluator of your own")
        return
    print_out("\nExample:")
    lines = [one for it in players for one in EXAMPLES.get(it.name, (f"watch {it.name}",))]
    lines += [f"watch expectimax:eval={evaluator.name}" for evaluator in evaluators]
    for one in strengths:
        lines += [f"watch {one}", f"bench {one}:threads=2 --games 20"]
    print_out("\n".join(f"  twofold {line}" for line in lines))


def _keys(one: Entry | Evaluator) -> dict[str, tuple[str, str]]:
    """The keys of a player or an evaluator: defaults, and what they mean."""
    if isinstance(one, Entry):
        return {name: (key.default, key.help) for name, key in one.keys.items()}
    weights = one.weight_keys.items()
    return {name: (format_number(weight.value), weight.help) for name, weight in weights}


class KeyDocument(msgspec.Struct, frozen=True):
    """A key of a player, or a weight of an evaluator.

    Attributes:
        default: its default, as text.
        help: what it is.
    """

    default: str
    help: str


class EntryDocument(Part, frozen=True):
    """A player or an evaluator.

    Attributes:
        name: its name.
        summary: what it does.
        source: where it was published; empty if nowhere.
        keys: its keys by name.
    """

    name: str
    summary: str
    source: str
    keys: dict[str, KeyDocument]

    @classmethod
    def of(cls, source: Entry | Evaluator, **given: Any) -> Self:
        """The document of a player or an evaluator."""
        keys = {name: KeyDocument(*key) for name, key in sorted(_keys(source).items())}
        return super().of(source, keys=keys, **given)


class StrengthDocument(msgspec.Struct, frozen=True):
    """A strength, by which a player can be named.

    Attributes:
        name: its name.
        on_4x4: spec of the player on 4x4 boards.
        smaller: spec of the player on smaller boards.
        larger: spec of the player on larger boards.
    """

    name: str
    on_4x4: str = msgspec.field(name="4x4")
    smaller: str
    larger: str


class PlayersDocument(Part, frozen=True):
    """Who can play.

    Attributes:
        players: the players.
        evaluators: the evaluators.
        strengths: the strengths.
    """

    players: list[EntryDocument]
    evaluators: list[EntryDocument]
    strengths: list[StrengthDocument]


def _described(one: Entry | Evaluator) -> str:
    title = one.name if isinstance(one, Entry) else f"eval={one.name}"
    pairs = [(f"{name}={default}", words) for name, (default, words) in _keys(one).items()]
    return _section(title, one.summary, one.source, pairs)


def _section(title: str, summary: str, source: str, pairs: list[tuple[str, str]]) -> str:
    lines = [title, wrapped(f"    {summary}", 4)]
    if source:
        lines.append(wrapped(f"    source: {source}", 4))
    width = max((len(pair) for pair, _ in pairs), default=0)
    lines += [wrapped(f"    {pair:<{width}}  {text}", width + 6) for pair, text in pairs]
    return "\n".join(lines)
