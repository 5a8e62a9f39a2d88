"""Players that commands ask for: settled, checked, made ready."""

import os
import re
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Final

from twofold.cli._output import print_note
from twofold.cli._progress import loading
from twofold.endgame.folder import SETS, USUAL, files_in, tables_folder
from twofold.endgame.pattern import suits
from twofold.errors import InvalidSpec, UnsupportedRules
from twofold.game import Game
from twofold.limits import BITS_MAX_SIDE
from twofold.notation import parse_spec, shown
from twofold.players import Player, make_player, settled, short_spec
from twofold.players.own_code import is_code
from twofold.players.registry import entry_of, parse_player
from twofold.players.strengths import STRENGTHS
from twofold.rules import STANDARD, Rules
from twofold.search.budget import Budget

TABLES_HINT: Final = "endgame tables make the default player stronger: twofold tables build default"
"""Said in a terminal where the default player plays without any."""

STRENGTHS_HINT: Final = (
    "`twofold tables build default` would make normal, strong and max stronger: none of its "
    "endgame tables is built"
)
"""Said where such a strength is measured without any."""

TRAINS: Final = {"ntuple": "train NETWORK", "policy": "train-policy"}
"""The commands that train networks for these players."""


def settled_specs(specs: Sequence[str], rules: Rules) -> list[str]:
    """The specs with `tables=auto` replaced by the names of tables, as results show and keep them.

    Raises `InvalidInput` if a spec is wrong, or names endgame tables that cannot be used.
    """
    with loading():
        return [settled(spec, rules) for spec in specs]


def named_files(*specs: str | None) -> list[str]:
    """The files that specs name: networks, tables, code, programs."""
    parsed = [parse_spec(spec) for spec in specs if spec]
    words = [word for one in parsed for word in (one.name, *one.values.values())]
    parts = [[word, word.rpartition(":")[0], *re.split(r"[+\s]", word)] for word in words]
    return [part for some in parts for part in some if os.path.isfile(part)]


def prepare(specs: Sequence[str], rules: Rules, seed: int, *, allow_code: bool = True) -> None:
    """Check that players can be made and can play; have their kernels compiled.

    Raises `InvalidInput` if a spec is wrong, or its player cannot play under these rules.
    """
    for spec in specs:
        with hint_at_rules(spec, rules):
            open_player(spec, rules, seed, allow_code=allow_code).close()


@contextmanager
def hint_at_rules(spec: str, rules: Rules) -> Iterator[None]:
    """Say in an error about a player of other shapes which option or other player to use."""
    try:
        yield
    except UnsupportedRules as error:
        from twofold.engine.messages import ALL_SHAPES

        with make_player(spec) as player:
            shapes = [shape for shape in ALL_SHAPES if not player.unsupported(Rules(*shape))]
        if rules.shape in shapes:
            raise
        if rules == STANDARD and len(shapes) == 1:
            raise UnsupportedRules(f"{error}; add --rules {shapes[0][0]}x{shapes[0][1]}") from None
        raise UnsupportedRules(f"{error}; {_other_player(spec, rules)}") from None


def _other_player(spec: str, rules: Rules) -> str:
    """Who plays on boards that a player cannot play on."""
    command = TRAINS.get(parse_spec(spec).name)
    other = "the player strong plays on them"
    if command is None or max(rules.shape) > BITS_MAX_SIDE:
        return other
    rows, cols = rules.shape
    return f"{other}, and `twofold {command} --rules {rows}x{cols} --out FILE` trains a network"


def open_player(
    spec: str, rules: Rules, seed: int, *, at_home: bool = False, allow_code: bool = True
) -> Player:
    """A player that is ready: started, and its kernels compiled by a first analysis.

    With `at_home` a player that plays under one set of rules alone is started with these. Raises
    `InvalidInput` if the spec is wrong, or the player cannot play under these rules.
    """
    with loading():
        player = make_player(settled(spec, rules), allow_code=allow_code)
        rules = player.home or rules if at_home else rules
        player.start(rules, seed)
        if player.compiled:
            opening = Game(rules, seed=seed)
            if opening.legal_moves():
                player.analyse(opening.board, Budget(ply=1), score=0)
            player.start(rules, seed)
    return player


def check_limits(player: Player, *names: str) -> None:
    """Refuse limits on the search of a player that would ignore them: ply, time or nodes.

    Raises `InvalidSpec` if its search takes no limits, or it has no search.
    """
    if not names or player.takes_limits:
        return
    spec = short_spec(player.spec)
    name = parse_player(spec).name
    has_key = not is_code(name) and names[0] in entry_of(name).keys
    hint = f". Use the key of the player: {name}:{names[0]}=" if has_key else ""
    raise InvalidSpec(
        f"expected a player whose search can be limited, such as ntuple, with --{names[0]}, "
        f"got {shown(spec)}{hint}"
    )


def hint_at_tables(rules: Rules) -> None:
    """Say in a terminal that endgame tables would help the default player, if it lacks some.

    Those of the usual set: others help it less.
    """
    in_terminal = sys.stdout.isatty() and sys.stderr.isatty()
    if in_terminal and suits(rules) and not (files_in(tables_folder()) and _has_usual_tables()):
        print_note(TABLES_HINT)


def hint_at_strengths(specs: Sequence[str], rules: Rules) -> None:
    """Say once on stderr that strengths named in specs would use endgame tables, if any were built.

    A spec with `tables=` has its answer.
    """
    if not any(map(_uses_tables, specs)) or not suits(rules):
        return
    if not (files_in(tables_folder()) and _has_usual_tables()):
        print_note(STRENGTHS_HINT)


def _uses_tables(spec: str) -> bool:
    """True for a strength that plays with the tables built here, whichever they are."""
    name, values = parse_spec(spec)
    return name in STRENGTHS and "tables" not in values and "tables=" in STRENGTHS[name][0]


def _has_usual_tables() -> bool:
    from twofold.endgame.library import built  # takes a second: it loads kernels

    return set(SETS[USUAL]) <= {head.pattern.name for _, head in built()}
