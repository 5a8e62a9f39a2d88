"""The most common tasks, in one call each: analyse, review, bench, compare, train.

    >>> from twofold import analyse, bench, compare
    >>> analyse("1100/0000/0000/0000", "greedy").best
    <Move.RIGHT: 1>
    >>> greedy, random = bench(["greedy", "random"], games=20)
    >>> bool(greedy.games.scores.mean() > random.games.scores.mean())
    True

    >>> print(compare("greedy", "random", games=20).words)
    greedy is stronger: 2,593 points a game more (238 %, 95 % interval 1,768 to 3,418) over 20 games

Players are specs, objects, classes of players, or functions that take a board and return a move;
boards and rules may be text. The commands of the same names do the
same; the modules behind them have more arguments.
"""

import os
import threading
from collections.abc import Callable, Iterable, Sequence
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import Any, TypeAlias

from numpy.typing import NDArray

from twofold.arena.bench import Bench, PlayerStanding, backend_at
from twofold.arena.duel import DuelOutcome
from twofold.arena.games import GameColumns
from twofold.arena.stats import format_runs
from twofold.errors import InvalidInput, InvalidSpec, UnsupportedRules
from twofold.game.board import Board
from twofold.game.drawing import preformatted
from twofold.game.formats import read_any_record
from twofold.game.game import Game
from twofold.game.notation import SeedRange, check_seed, shown
from twofold.game.record import Record
from twofold.game.rules import STANDARD, Move, Rules
from twofold.games.review import Review, default_judge, judge, tables_note, unit_of
from twofold.games.review import review as summed_up
from twofold.learn.run import run
from twofold.learn.settings import TrainingSettings, parse_schedule
from twofold.learn.training import Training, TrainingProgress
from twofold.limits import MAX_GAMES, MAX_SCORE, check_limit, cores
from twofold.players import GameResult, Player, PlayerSpec, play_games
from twofold.players.base import describe_caught
from twofold.players.own_code import player_of
from twofold.players.registry import default_player
from twofold.search.analysis import Analysis
from twofold.search.budget import Budget
from twofold.storage.files import writable

PlayerLike: TypeAlias = Player | type[Player] | Callable[[Board], Move] | PlayerSpec | str
"""A player, its class, a function that takes a board and returns a move, or a spec."""


def analyse(
    board: Board | Game | str | NDArray[Any],
    player: PlayerLike = "",
    budget: Budget | str | None = None,
    *,
    score: int | None = None,
) -> Analysis:
    """The values of the four moves on a board, by a player.

    Args:
        board: the position, with at least one legal move; its text; an array, such as an
            observation, see `Board.from_array`; or a game, for its board, score and rules.
        player: the player; the default player if empty.
        budget: limits of the search, such as `"time=1s"` or `"ply=3"`; None for the player's own.
        score: points so far, for players that use them; None if unknown, or for that of a game.

    Raises:
        GameOver: no move is legal.
        InvalidInput: board, player or budget cannot be used.
    """
    if isinstance(board, Game):
        rules, score = board.rules, board.score if score is None else score
        board = board.board
    else:
        board = Board.of(board)
        rules = Rules(rows=board.rows, cols=board.cols, start_tiles=1)
    if score is not None:
        check_limit("a score", score, 0, MAX_SCORE)
    with _opened(player or default_player(rules), rules) as opened:
        opened.start(opened.home or rules, 0)
        return opened.analyse(board, _budget(budget), score=score)


def review_game(
    game: Game | Record | str | os.PathLike[str],
    player: PlayerLike = "",
    budget: Budget | str | None = None,
) -> Review:
    """How well a game was played: accuracy, and how many moves were mistakes.

    Args:
        game: the game, its record, or the path of a file that holds one, in any format that
            `twofold convert` reads.
        player: the judge, which must value moves; a strong one if empty.
        budget: limits for each move; None for the player's own.

    Raises:
        InvalidRecord: the file is missing or holds no game.
        InvalidInput: game, player or budget cannot be used.
    """
    if isinstance(game, (str, os.PathLike)):
        game = read_any_record(game)
    elif not isinstance(game, (Game, Record)):
        raise InvalidInput(f"expected a game, its record or the path of one, got {shown(game)}")
    with _opened(player or default_judge(game.rules), game.rules) as opened:
        unit = unit_of(opened, game.rules)
        note = tables_note(game.player, opened.spec) if isinstance(game, Record) else ""
        return summed_up(judge(game, opened, _budget(budget)), opened.spec, unit, note)


class BenchResult(tuple[PlayerStanding, ...]):
    """The games of each player of a bench, in the order of the players; printed as a table."""

    __slots__ = ()

    @property
    def standings(self) -> tuple[PlayerStanding, ...]:
        """The same as a plain tuple."""
        return tuple(self)

    def __str__(self) -> str:
        return format_runs(self)

    def __repr__(self) -> str:
        return str(self)

    def _repr_html_(self) -> str:
        return preformatted(str(self))


def bench(
    players: Sequence[PlayerLike] | PlayerLike,
    games: int = 100,
    *,
    seed: int = 1,
    rules: Rules | str = STANDARD,
    jobs: int | None = None,
    ray: str = "",
) -> BenchResult:
    """Let players play the same seeds; the error of a player stands in its line of the result.

    Args:
        players: one or several; all but specs play in this thread, one by one.
        games: games of each player.
        seed: seed of the first game; the others follow.
        rules: the rules of all games.
        jobs: games at the same time of players by spec; None for one on each core.
        ray: address of a Ray cluster to play on, `local` for one on this machine; "" for no
            cluster. All players are then specs.
    """
    rules = Rules.of(rules)
    listed = _listed(players, rules)
    if not isinstance(ray, str):
        raise InvalidInput(f"expected the address of a Ray cluster as text, got {shown(ray)}")
    if ray and (here := [player for player in listed if isinstance(player, Player)]):
        raise InvalidSpec(
            f"expected specs of players for a Ray cluster, got {shown(here[0])}: objects play in "
            "this process. Name the class in its file, as my_player.py:Mine"
        )
    seeds = SeedRange(check_seed(seed), check_limit("games", games, 1, MAX_GAMES))
    named = Bench(None, rules)
    for player in listed:
        if isinstance(player, PlayerSpec):
            named.add(player, seeds)
    with backend_at(ray, jobs) as backend:
        named.play(cores() if jobs is None else jobs, backend=backend)
    found = iter(named.standings())
    standings = [
        _standing(player, rules, seeds) if isinstance(player, Player) else next(found)
        for player in listed
    ]
    return BenchResult(standings)


def _listed(players: Any, rules: Rules) -> list[Player | PlayerSpec]:
    """The players; errors of all specs come before the kernels of one are compiled."""
    alone = isinstance(players, str) or not isinstance(players, Iterable)
    listed = [_player(one) for one in ([players] if alone else players)]
    if not listed:
        raise InvalidInput("expected at least one player, got none")
    return [one.settled(rules) if isinstance(one, PlayerSpec) else one for one in listed]


def _standing(player: Player, rules: Rules, seeds: SeedRange) -> PlayerStanding:
    results: list[GameResult] = []
    error, failed = "", None
    try:
        results.extend(play_games(player, rules, seeds))
    except UnsupportedRules:
        raise
    except Exception as fault:  # of a player of the user
        error, failed = describe_caught(fault), seeds.part(len(results)).first
    return PlayerStanding(player.spec, player.spec, GameColumns.of_results(results), error, failed)


def compare(
    first: PlayerLike,
    second: PlayerLike,
    games: int = 200,
    *,
    seed: int = 1,
    rules: Rules | str = STANDARD,
    jobs: int | None = None,
    ray: str = "",
) -> DuelOutcome:
    """Which of two players is stronger, on the same seeds.

    `twofold.arena.duel` also has the sequential test, which stops as soon as it is known.

    Args:
        first: player A.
        second: player B.
        games: games of each player; four times as many show half the difference.
        seed: seed of the first game; the others follow.
        rules: the rules of all games.
        jobs: as in `bench`.
        ray: as in `bench`.

    Raises:
        InvalidInput: both are the same player.
    """
    players = _listed([first, second], Rules.of(rules))
    if _identity(players[0]) == _identity(players[1]):
        raise InvalidInput(f"expected two different players, got {players[0]} twice")
    a, b = bench(players, games, seed=seed, rules=rules, jobs=jobs, ray=ray)
    return DuelOutcome((a, b))


def _identity(player: Player | PlayerSpec) -> object:
    """Its canonical spec; the object itself for a player that no spec has made."""
    if isinstance(player, PlayerSpec):
        return player.canonical
    return player if player.made_from is None else player.spec


def train(
    patterns: str,
    out: str | Path,
    *,
    games: int | None = None,
    seconds: float | None = None,
    schedule: str = "tc",
    rules: Rules | str = STANDARD,
    on_progress: Callable[[TrainingProgress], None] | None = None,
    stop: threading.Event | None = None,
    **settings: Any,
) -> Training:
    """Train a new n-tuple network; `ntuple:net=FILE` is then a player.

    Args:
        patterns: a name such as `4x6`, or cells such as `"0123 4567"`.
        out: the file for the network and the state of its training; overwritten.
        games: games to play; None for no limit.
        seconds: time to take; None for no limit.
        schedule: the methods and their step sizes, such as `td:0.1@90%,tc:1@10%`.
        rules: shape, spawns and start tiles.
        on_progress: called with the progress, four times a second.
        stop: ends the training when another thread sets it; the file is written all the same.
        settings: more of `TrainingSettings`, such as `threads=2`, `seed=5`, `stages=(8192,)`.

    Raises:
        InvalidInput: neither games nor seconds are given, a setting cannot be used, or `out` names
            no file that can be written.
        ResourceError: there is no room for the network, or the file cannot be written.
    """
    if games is None and seconds is None and stop is None:
        raise InvalidInput("expected a number of games or of seconds, got neither")
    writable(out)  # before the network is made
    asked = TrainingSettings(
        patterns=patterns, rules=Rules.of(rules), schedule=parse_schedule(schedule), **settings
    )
    training = Training(asked, games=games, seconds=seconds)
    run(training, out, stop=stop, on_progress=on_progress)
    return training


def _opened(player: PlayerLike, rules: Rules) -> AbstractContextManager[Player]:
    """A player made from its spec, closed at the end, or a given player, which stays open."""
    found = _player(player)
    return found.settled(rules).make() if isinstance(found, PlayerSpec) else nullcontext(found)


def _player(given: PlayerLike) -> Player | PlayerSpec:
    if isinstance(given, (Player, PlayerSpec)):
        return given
    if isinstance(given, str):
        return PlayerSpec.parse(given)
    if callable(given):
        return player_of(given, getattr(given, "__name__", shown(given)), {})
    raise InvalidSpec(f"expected a player or its spec, got {shown(given)}")


def _budget(budget: Budget | str | None) -> Budget | None:
    return budget if budget is None or isinstance(budget, Budget) else Budget.parse(budget)
