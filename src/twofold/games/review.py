"""Review of a game: grades every move with a player.

    >>> from twofold import Game, make_player
    >>> game = Game(seed=1)
    >>> for move in "ruld":
    ...     _ = game.play(Move.parse(move))
    >>> judged = list(judge(game, make_player("ntuple:net=tiny,ply=1")))
    >>> [one.move.letter for one in judged], [one.best.letter for one in judged]
    (['r', 'u', 'l', 'd'], ['r', 'l', 'l', 'd'])
    >>> review(judged).total
    4

`twofold.games.judge` defines the ratio of a move and the accuracy.
"""

import re
from collections import Counter
from collections.abc import Container, Iterable, Iterator, Sequence
from dataclasses import dataclass
from math import prod
from typing import Final

from twofold.figures import kept_words
from twofold.game.board import Board
from twofold.game.drawing import preformatted
from twofold.game.game import Game
from twofold.game.record import Record
from twofold.game.rules import Move, Rules
from twofold.games.judge import LABELS, THEN, Judge, Label, game_accuracy
from twofold.games.judge import MoveJudgement as MoveJudgement  # part of this module, too
from twofold.games.kept import streaks
from twofold.limits import BITS_MAX_EXPONENT
from twofold.players import Player, short_spec
from twofold.search.analysis import PROBABILITY, unit_words
from twofold.search.budget import Budget, Stop

NETWORK_JUDGE: Final = "ntuple:ply=3"
"""The judge of 4x4 games if none is named; its values are points."""

LARGE_JUDGE: Final = "expectimax:eval=rows,ply=3"
"""The judge of other games."""

WORST: Final = 10
"""Maximum number of moves that a `Review` keeps."""

TABLES_NOTE: Final = (
    "the game was played with endgame tables and the judge has none: its marks are too low for "
    "moves that the tables chose. A fair judge is --player strong, after: twofold tables build "
    "default"
)
"""Said of a review by a weaker judge than the player of the game."""

NO_CHOICE: Final = "there was no choice"
"""Said of a review of forced moves only, or of no moves."""

_TABLES: Final = re.compile(r"\btables=(?!none\b)")

UNIT_WORDS: Final = {
    PROBABILITY: "in probabilities; they do not say what a move loses: policy:ply=1 judges better"
}
"""Units that read otherwise in a sentence."""


@dataclass(frozen=True, slots=True)
class ReviewedPosition:
    """A position, with the move made there; `move_number` counts the moves before."""

    move_number: int
    board: Board
    score: int
    move: Move


@dataclass(frozen=True, slots=True)
class Review:
    """Summary of graded moves. Forced moves count only in `total`, `labels` and runs.

    Attributes:
        accuracy: in percent; None if all moves were forced.
        match_rate: share of moves that were best, 0 to 1; None if all moves were forced.
        goodness_of_fit: product of all ratios, 0 to 1; None if all moves were forced.
        labels: number of moves per label, from `best` to `blunder`.
        longest_perfect_run: most best moves in a row.
        worst: the moves that kept least of the best move's value, worst first; at most `WORST`.
        player: spec of the judge; empty if not known.
        unit: unit of its values.
        note: a warning about the judge, as `tables_note`, or why there is no accuracy; else empty.
    """

    total: int
    forced: int
    accuracy: float | None
    match_rate: float | None
    goodness_of_fit: float | None
    labels: dict[Label, int]
    longest_perfect_run: int
    worst: tuple[MoveJudgement, ...] = ()
    player: str = ""
    unit: str = ""
    note: str = ""

    def __str__(self) -> str:
        """The judge, accuracy, best moves, moves per label and the worst moves, one per line."""
        lines = [
            *([judge_words(short_spec(self.player), self.unit)] if self.player else []),
            *([self.note] if self.note not in ("", NO_CHOICE) else []),
            f"accuracy        {accuracy_words(self)}",
            f"best moves      {percent_words(self.match_rate, 100)}",
            *(f"{label:<16}{count:,}" for label, count in self.labels.items()),
            *map(move_words, self.worst),
        ]
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        return preformatted(str(self))


def percent_words(figure: float | None, factor: int = 1) -> str:
    """A figure times a factor as `98.2 %`; a dash for None."""
    return "–" if figure is None else f"{factor * figure:.1f} %"


def accuracy_words(found: Review) -> str:
    """The accuracy as `98.2 %`, or a dash and why there is none."""
    return f"–, {NO_CHOICE}" if found.accuracy is None else percent_words(found.accuracy)


def unit_of(player: Player, rules: Rules) -> str:
    """The unit of a player's values, such as `points`; errors as in `judge`."""
    return Judge(player, rules, Budget()).unit


def default_judge(rules: Rules) -> str:
    """The spec of the judge if none is named."""
    fits = rules.shape == (4, 4) and max(rules.spawn_exponents) <= BITS_MAX_EXPONENT
    return NETWORK_JUDGE if fits else LARGE_JUDGE


def judge(
    game: Game | Record, player: Player, budget: Budget | None = None, *, stop: Stop | None = None
) -> Iterator[MoveJudgement]:
    """Grade the moves of a game, in order; grades do not depend on each other.

    Args:
        game: the game, or its record.
        player: any player that values moves; used exclusively until the end.
        budget: limits per move; None for those of the player.
        stop: a flag with which another thread ends the iteration.

    Raises:
        InvalidSpec: the player does not value moves.
        UnsupportedRules: the player cannot play under the rules of the game.
        InvalidInput: an unchecked record has an impossible move.
    """
    opened = Judge(player, game.rules, budget or Budget())
    return _judgements(opened, game, stop)


def _judgements(opened: Judge, game: Game | Record, stop: Stop | None) -> Iterator[MoveJudgement]:
    for one in positions(game):
        found = opened.judgement(one.move_number, one.board, one.score, one.move, stop)
        if found is None:
            return
        yield found


def positions(game: Game | Record) -> Iterator[ReviewedPosition]:
    """The positions of a game in which a move was made; `InvalidInput` for an impossible move."""
    played = game if isinstance(game, Game) else game.resume()
    board, score = played.start_board, played.start_score
    for number, step in enumerate(played.iter_steps(), played.start_move_number):
        yield ReviewedPosition(number, board, score, step.move)
        board, score = step.board, score + step.reward


def review(
    judgements: Iterable[MoveJudgement], player: str = "", unit: str = "", note: str = ""
) -> Review:
    """Summarise the grades of a game or of a part of it, in order.

    Args:
        judgements: the grades.
        player: spec of the judge, for `print`.
        unit: unit of its values.
        note: a warning about the judge, for `print`.
    """
    judged = list(judgements)
    choices = [one for one in judged if not one.forced]
    count = Counter(one.label for one in judged)
    return Review(
        total=len(judged),
        forced=len(judged) - len(choices),
        accuracy=game_accuracy((one.accuracy, one.stake) for one in choices),
        match_rate=sum(one.is_best for one in choices) / len(choices) if choices else None,
        goodness_of_fit=prod(one.ratio for one in choices) if choices else None,
        labels={label: count[label] for label, _ in LABELS},
        longest_perfect_run=streaks(one.is_best for one in judged)[1],
        worst=tuple(worst_of(judged, WORST)),
        player=player,
        unit=unit,
        note=note or ("" if choices else NO_CHOICE),
    )


def worst_of(judged: Iterable[MoveJudgement], count: int) -> list[MoveJudgement]:
    """The moves that kept least of the best move's value, worst first; best ones never."""
    wrong = [one for one in judged if not one.is_best]
    return sorted(wrong, key=lambda one: one.ratio)[:count]


def judge_words(player: str, unit: str) -> str:
    """Who judged, and in which unit: `judged by ntuple:ply=3, values in points`."""
    units = THEN.join(UNIT_WORDS.get(one) or unit_words(one) for one in unit.split(THEN))
    return f"judged by {player}, values {units}"


def tables_note(played_by: str, judge_spec: str) -> str:
    """A warning if a game was played with endgame tables and its judge has none; else empty.

    Args:
        played_by: who played, as its record says: a spec, or free text.
        judge_spec: spec of the judge.
    """
    if not _TABLES.search(played_by) or _TABLES.search(judge_spec):
        return ""
    return TABLES_NOTE


def move_words(one: MoveJudgement) -> str:
    """A grade in words: `move 12: up instead of left, mistake, keeps 95.2 %`."""
    made, best = one.move.name.lower(), one.best.name.lower()
    kept = f"keeps {kept_words(one.ratio)}"
    return f"move {one.move_number + 1:,}: {made} instead of {best}, {one.label}, {kept}"


MOST_TILES: Final = 3
"""Maximum tiles that separate phases: the largest ones made."""

LEAST_TILE: Final = 64
"""Smallest tile that separates phases; earlier moves decide little."""


@dataclass(frozen=True, slots=True)
class GamePhase:
    """A phase: the positions with move numbers from `start` to `end` - 1.

    It begins after the tile `after` is made (0: at the start) and ends when the tile `before` is
    made (0: at the end of the game).
    """

    after: int
    before: int
    start: int
    end: int


def phases(game: Game | Record) -> list[GamePhase]:
    """The phases of a game, at least one."""
    first, last, largest, made = 0, 0, 0, dict[int, int]()
    for one in positions(game):
        if not made:
            first = one.move_number
        largest = max(largest, one.board.max_tile)
        made.setdefault(largest, one.move_number)
        last = one.move_number + 1
    board = game.board if isinstance(game, Game) else game.ending()[0]
    made.setdefault(max(largest, board.max_tile), last)
    cuts = [(tile, at) for tile, at in made.items() if tile >= LEAST_TILE and at > first]
    return _between(first, last, cuts[-MOST_TILES:])


def _between(first: int, last: int, cuts: Sequence[tuple[int, int]]) -> list[GamePhase]:
    """The phases that the given (tile, move number) pairs separate."""
    ends = [*cuts, (0, last)]
    starts = [(0, first), *cuts]
    return [
        GamePhase(after, before, start, end)
        for (after, start), (before, end) in zip(starts, ends, strict=True)
        if start < end
    ]


def by_phase(
    found: Iterable[GamePhase], judgements: Sequence[MoveJudgement]
) -> list[tuple[GamePhase, Review]]:
    """The phases with graded moves, each with its review."""
    parts = [
        (phase, [one for one in judgements if phase.start <= one.move_number < phase.end])
        for phase in found
    ]
    return [(phase, review(part)) for phase, part in parts if part]


def by_maker(
    judgements: Iterable[MoveJudgement], autoplay: Container[int]
) -> tuple[Review | None, Review | None]:
    """Separate reviews of the person's moves and of the helping player's; None without moves.

    `autoplay` holds the numbers of the player's moves, counted from 1.
    """
    own: list[MoveJudgement] = []
    helped: list[MoveJudgement] = []
    for one in judgements:
        (helped if one.move_number + 1 in autoplay else own).append(one)
    return review(own) if own else None, review(helped) if helped else None
