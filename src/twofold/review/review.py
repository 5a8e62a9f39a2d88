"""Review: what a player thinks of every move of a game, and what that says of the whole game.

    >>> from twofold import Game, make_player
    >>> game = Game(seed=1)
    >>> for move in "ruld":
    ...     _ = game.play(Move.parse(move))
    >>> judged = list(judge(game, make_player("ntuple:net=tiny,ply=1")))
    >>> [one.move.letter for one in judged], [one.best.letter for one in judged]
    (['r', 'u', 'l', 'd'], ['r', 'l', 'l', 'd'])
    >>> review(judged).total
    4

The ratio of a move is its value by the value of the best one, and everything else follows from it:
see `twofold.review.accuracy` for the formulas and `twofold.review.judge` for what a value is.
"""

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from math import prod
from typing import Final

from twofold.board import Board
from twofold.drawing import preformatted
from twofold.game import Game
from twofold.limits import BITS_MAX_EXPONENT
from twofold.players import Player
from twofold.records.record import Record
from twofold.review.accuracy import LABELS, Label, game_accuracy
from twofold.review.judge import Judge, MoveJudgement
from twofold.rules import Move, Rules
from twofold.search.budget import Budget
from twofold.search.stop import Stop

__all__ = [
    "MoveJudgement",
    "Review",
    "ReviewedPosition",
    "default_judge",
    "judge",
    "positions",
    "review",
    "unit_of",
]

NETWORK_JUDGE: Final = "ntuple:ply=3"
"""Who judges 4x4 games where no player is named: its values are points."""

LARGE_JUDGE: Final = "expectimax:eval=rows,ply=3"
"""Who judges all others."""


@dataclass(frozen=True, slots=True)
class ReviewedPosition:
    """A position of a game and the move made there.

    Attributes:
        move_number: moves made before.
        board: the board.
        score: points so far.
        move: the move.
    """

    move_number: int
    board: Board
    score: int
    move: Move


@dataclass(frozen=True, slots=True)
class Review:
    """What the judgements of a game say together. Forced moves are in `labels` and runs alone.

    Attributes:
        total: moves judged.
        forced: of these, how many were the only legal one.
        accuracy: in percent; 100 without a move that was a choice.
        match_rate: share of the choices that were a best move, 0 to 1; 1 without a choice.
        goodness_of_fit: product of all ratios, 0 to 1.
        labels: how many moves have each label, from `perfect` to `terrible`.
        longest_perfect_run: most perfect moves in a row.
    """

    total: int
    forced: int
    accuracy: float
    match_rate: float
    goodness_of_fit: float
    labels: dict[Label, int]
    longest_perfect_run: int

    def __str__(self) -> str:
        """Accuracy, match rate and how many moves have each label, a line each."""
        lines = [
            f"accuracy    {self.accuracy:.1f} %",
            f"match rate  {100 * self.match_rate:.1f} %",
            *(f"{label:<12}{count:,}" for label, count in self.labels.items()),
        ]
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        return preformatted(str(self))


def unit_of(player: Player, rules: Rules) -> str:
    """The unit of a player's values: `points`, or its own.

    Raises:
        InvalidSpec: the player does not value moves.
        UnsupportedRules: it cannot play under these rules.
    """
    return Judge(player, rules, Budget()).unit


def default_judge(rules: Rules) -> str:
    """The spec of the player who judges where none is named."""
    fits = rules.shape == (4, 4) and max(rules.spawn_exponents) <= BITS_MAX_EXPONENT
    return NETWORK_JUDGE if fits else LARGE_JUDGE


def judge(
    game: Game | Record,
    player: Player,
    budget: Budget | None = None,
    *,
    stop: Stop | None = None,
    start: int = 0,
) -> Iterator[MoveJudgement]:
    """Judge the moves of a game, in order.

    A judgement does not depend on the others: what was judged before can be left out, or kept.

    Args:
        game: the game, or its record.
        player: who judges; it is started for the rules of the game, and used by nobody else
            until the end.
        budget: limits on each move; None for the player's own.
        stop: a flag that another thread may raise: no judgement follows.
        start: move number of the first move to judge.

    Raises:
        InvalidSpec: the player does not value moves.
        UnsupportedRules: it cannot play under the rules of the game.
        InvalidInput: a move of a record that nobody has checked is impossible.
    """
    opened = Judge(player, game.rules, budget or Budget())
    return _judgements(opened, game, stop, start)


def _judgements(
    opened: Judge, game: Game | Record, stop: Stop | None, start: int
) -> Iterator[MoveJudgement]:
    for one in positions(game):
        if one.move_number < start:
            continue
        found = opened.judgement(one.move_number, one.board, one.score, one.move, stop)
        if found is None:
            return
        yield found


def positions(game: Game | Record) -> Iterator[ReviewedPosition]:
    """The positions of a game in which a move was made, in order.

    Raises:
        InvalidInput: a move of a record is impossible.
    """
    played = game if isinstance(game, Game) else game.resume()
    board, score = played.start_board, played.start_score
    for number, step in enumerate(played.iter_steps(), played.start_move_number):
        yield ReviewedPosition(number, board, score, step.move)
        board, score = step.board, score + step.reward


def review(judgements: Iterable[MoveJudgement]) -> Review:
    """What the judgements of a game, or of a part of it, say together.

    Args:
        judgements: in order.
    """
    judged = list(judgements)
    choices = [one for one in judged if not one.forced]
    count = Counter(one.label for one in judged)
    return Review(
        total=len(judged),
        forced=len(judged) - len(choices),
        accuracy=game_accuracy((one.accuracy, one.stake) for one in choices) if choices else 100.0,
        match_rate=sum(one.is_best for one in choices) / len(choices) if choices else 1.0,
        goodness_of_fit=prod(one.ratio for one in judged),
        labels={label: count[label] for label, _ in LABELS},
        longest_perfect_run=_longest_run(judged),
    )


def _longest_run(judged: Iterable[MoveJudgement]) -> int:
    longest = run = 0
    for one in judged:
        run = run + 1 if one.is_best else 0
        longest = max(longest, run)
    return longest
