"""N-tuple networks and their learning on lists and dictionaries, in float64; slow.

Written from the papers and from what the docstring of `kernels.learning` promises. Only the
rules, the dice and the settings are shared with the package.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cache, lru_cache
from math import fsum, inf

import numpy as np
from numpy.typing import NDArray

from tests.values.plain import downgraded, turned
from twofold.game import reference
from twofold.game.rules import Rules
from twofold.learn.settings import Method, Phase, TrainingSettings
from twofold.limits import BITS_MAX_EXPONENT
from twofold.values.network import Network

Cells = tuple[int, ...]
Shape = tuple[int, int]
Feature = tuple[int, Cells]
"""The number of a pattern and the exponents on its cells."""

CAROUSEL_GAMES = 200
CAROUSEL_AFTERS = 1000


@cache
def views(shape: Shape) -> list[Cells]:
    """The cells of a board in each symmetry of its shape, eight or four."""
    rows, cols = shape
    numbers = [[row * cols + col for col in range(cols)] for row in range(rows)]
    same_shape = [grid for grid in turned(numbers) if (len(grid), len(grid[0])) == shape]
    return [tuple(cell for row in grid for cell in row) for grid in same_shape]


def symmetric(cells: Cells, shape: Shape) -> list[Cells]:
    """The board in each symmetry of its shape."""
    return [tuple(cells[cell] for cell in view) for view in views(shape)]


# The network


class NaiveNetwork:
    """Weights by what a pattern sees; a table for each stage.

    Args:
        patterns: their cells.
        shape: rows and columns.
        stages: the sums of different tiles at which the next stage begins.
        start: the weights of the first stage that no update has changed yet.
    """

    def __init__(
        self,
        patterns: list[Cells],
        shape: Shape,
        stages: tuple[int, ...] = (),
        start: Callable[[Feature], float] = lambda feature: 0.0,
    ) -> None:
        self.patterns, self.shape, self.stages, self.start = patterns, shape, stages, start
        self.weights: list[dict[Feature, float]] = [{} for _ in range(len(stages) + 1)]
        self.seen = [
            (number, [view[cell] for cell in pattern])
            for view in views(shape)
            for number, pattern in enumerate(patterns)
        ]

    def stage(self, cells: Cells) -> int:
        """How many of the thresholds the sum of the different tiles has reached."""
        different = sum({2**exponent for exponent in cells if exponent})
        return sum(different >= threshold for threshold in self.stages)

    def features(self, cells: Cells) -> list[Feature]:
        """What each pattern sees in each symmetry of the board."""
        return [(number, tuple([cells[cell] for cell in seen])) for number, seen in self.seen]

    def weight(self, stage: int, feature: Feature) -> float:
        """The weight of a stage; while nothing has changed it, that of the stage before."""
        for table in reversed(self.weights[: stage + 1]):
            if feature in table:
                return table[feature]
        return self.start(feature)

    def value(self, cells: Cells) -> float:
        """The sum of the weights of the features; in whatever order they come."""
        stage = self.stage(cells)
        return fsum(self.weight(stage, feature) for feature in self.features(cells))


@dataclass
class Learner:
    """Updates of a network: TD learning, or TC learning with two sums for each weight."""

    network: NaiveNetwork
    method: Method
    rate: float
    updates: int = 0
    sums: dict[tuple[int, Feature], tuple[float, float]] = field(default_factory=dict)

    def begin(self, phase: Phase) -> None:
        """Change the method; the sums of a phase of TC learning begin with 0."""
        self.method, self.rate = phase.method, phase.rate
        if phase.method == "tc":
            self.sums = {}

    def update(self, cells: Cells, target: float) -> None:
        """Move the value of an afterstate towards a target."""
        self.updates += 1
        stage, features = self.network.stage(cells), self.network.features(cells)
        step = self.rate / len(features) * (target - self.network.value(cells))
        for feature in features:
            change = step
            if self.method == "tc":
                total, sizes = self.sums.get((stage, feature), (0.0, 0.0))
                change = step * (abs(total) / sizes if sizes else 1.0)
                self.sums[stage, feature] = total + step, sizes + abs(step)
            self.network.weights[stage][feature] = self.network.weight(stage, feature) + change


# Games


@dataclass
class Played:
    """A game so far, or the rest of one that was taken up again at an afterstate.

    Attributes:
        afters: afterstates, in their order.
        rewards: of the moves that made them.
        values: what they were worth when they were chosen or, backward, after their update.
    """

    board: Cells
    afters: list[Cells] = field(default_factory=list)
    rewards: list[int] = field(default_factory=list)
    values: list[float] = field(default_factory=list)
    moves: int = 0

    def add(self, after: Cells, reward: int, value: float) -> None:
        self.afters.append(after)
        self.rewards.append(reward)
        self.values.append(value)

    def target(self, number: int, steps: int, lambda_: float, over: bool) -> float:
        """The mixture of returns of 1 to `steps` steps, (1 - lambda) lambda^(n - 1) of each.

        The last of them takes what is left. After the end of a game come no rewards, and the
        value is 0.

        Source: Sutton and Barto 2018, truncated lambda-returns.
        """
        longest = len(self.afters) - 1 - number
        rewards = [*self.rewards[number + 1 :], 0]
        values = [*self.values[number + 1 :], 0.0]
        count = min(steps, longest + 1 if over else longest)
        returns = [sum(rewards[:n]) + values[n - 1] for n in range(1, count + 1)]
        if not returns:
            return self.values[number]
        shares = [(1 - lambda_) * lambda_ ** (n - 1) for n in range(1, count)]
        shares.append(lambda_ ** (count - 1))
        return fsum(share * value for share, value in zip(shares, returns, strict=True))


class NaiveTraining:
    """Training in one thread: game after game.

    Args:
        settings: as for the real one.
        games: games to begin, in all.
        start: weights of the first stage; None for those of the settings.

    Attributes:
        results: score, moves and largest exponent of the games begun with start tiles.
        closest: how near two different choices ever were, relative to their totals; where
            this is far from 0, no rounding can have changed a move.
    """

    def __init__(
        self,
        settings: TrainingSettings,
        games: int,
        start: Callable[[Feature], float] | None = None,
    ) -> None:
        self.settings, self.rules, self.games = settings, settings.rules, games
        real = Network(settings.patterns, settings.rules.shape)
        share = settings.optimism / real.features
        self.network = NaiveNetwork(
            [pattern.cells for pattern in real.patterns],
            settings.rules.shape,
            settings.stages,
            start or (lambda feature: share),
        )
        self.learner = Learner(self.network, "td", 0.0)
        self.steps = settings.steps or 1
        self.results: list[tuple[int, int, int]] = []
        self.closest = inf
        self.moves = self.begun = 0
        rows = 1 + len(settings.bands or settings.stages)
        self.kept: list[list[Cells]] = [[] for _ in range(rows)]
        self.turn, self.turn_left = 0, CAROUSEL_GAMES

    def run(self) -> None:
        """All phases: each has its games, and the next one begins when all of them are over."""
        share = 0.0
        for phase in self.settings.schedule:
            share += phase.share
            self.learner.begin(phase)
            limit = round(self.games * min(share, 1.0))
            self._play_until(limit)

    # ---- a game

    def _play_until(self, limit: int) -> None:
        """Game after game, until so many have begun."""
        last: Played | None = None
        while self.begun < limit:
            seed = reference.player_dice(self.settings.seed, self.begun)
            self.begun += 1
            after = self._middle(last) or self._from_carousel(seed)
            last = self._begin(seed, after)
            self._play(last, seed, after is None)

    def _middle(self, last: Played | None) -> Cells | None:
        """Where the game before is taken up again, if it was long enough."""
        restart = self.settings.restart
        if last is None or not restart or last.moves < restart:
            return None
        return last.afters[int(len(last.afters) * self.settings.restart_at)]

    def _begin(self, seed: int, after: Cells | None) -> Played:
        rules = self.rules
        if after is None:
            board: Cells = (0,) * (rules.rows * rules.cols)
            for number in range(rules.start_tiles):
                board = self._spawn(board, seed, number)
            return Played(board)
        game = Played(self._spawn(after, seed, rules.start_tiles - 1))
        game.add(after, 0, self.network.value(after))
        return game

    def _spawn(self, cells: Cells, seed: int, number: int) -> Cells:
        rules, bits = self.rules, reference.dice(seed, number)
        cell, exponent = reference.spawn(cells, bits, rules.spawn_exponents, rules.spawn_weights)
        return (*cells[:cell], exponent, *cells[cell + 1 :])

    def _play(self, game: Played, seed: int, is_full: bool) -> None:
        forward = self.settings.order == "forward"
        row = self._row(game.afters[0]) if game.afters else 0
        score = 0
        explores = bool(self.settings.downgrade) and seed % 2 == 1
        while choice := self._move(game.board, explores):
            after, reward, value = choice
            if max(after) > BITS_MAX_EXPONENT:  # not made: 64 bits cannot hold it
                break
            game.add(after, reward, value)
            game.moves += 1
            self.moves += 1
            score += reward
            row = self._keep(after, row)
            ready = len(game.afters) - 1 - self.steps
            if forward and ready >= 0:
                self._update(game, ready, over=False)
            game.board = self._spawn(after, seed, self.rules.start_tiles + game.moves - 1)
        if is_full:
            self.results.append((score, game.moves, max(game.board)))
        over = choice is None
        end = len(game.afters) if over else len(game.afters) - 1
        if forward:
            for number in range(max(len(game.afters) - self.steps, 0), end):
                self._update(game, number, over)
            return
        for number in reversed(range(end)):
            self._update(game, number, over)
            game.values[number] = self.network.value(game.afters[number])

    def _update(self, game: Played, number: int, over: bool) -> None:
        target = game.target(number, self.steps, self.settings.lambda_, over)
        self.learner.update(game.afters[number], target)

    def _move(self, board: Cells, explores: bool) -> tuple[Cells, int, float] | None:
        """The best; where the game explores, that when downgraded."""
        smaller = downgraded(board, self.settings.downgrade) if explores else board
        chosen = self._choose(smaller)
        if smaller == board or chosen is None:
            return chosen
        ours = slides(smaller, self.rules).index((list(chosen[0]), chosen[1]))
        after, reward = slides(board, self.rules)[ours]
        return tuple(after), reward, self.network.value(as_bits(tuple(after)))

    def _choose(self, board: Cells) -> tuple[Cells, int, float] | None:
        """(afterstate, reward, value) of the largest reward plus value, the first of equals."""
        found = [
            (tuple(after), reward, self.network.value(as_bits(after)))
            for after, reward in slides(board, self.rules)
        ]
        if not found:
            return None
        best = max(found, key=lambda choice: choice[1] + choice[2])
        total, twins = best[1] + best[2], symmetric(as_bits(best[0]), self.rules.shape)
        others = [choice for choice in found if as_bits(choice[0]) not in twins]
        gaps = [total - choice[1] - choice[2] for choice in others]
        self.closest = min([self.closest, *(gap / max(abs(total), 1.0) for gap in gaps)])
        return best

    # ---- the carousel

    def _row(self, after: Cells) -> int:
        """The stage of an afterstate, or the number of bands at or below its tile sum."""
        if not self.settings.bands:
            return self.network.stage(after)
        total = sum(2**exponent for exponent in after if exponent)
        return sum(total >= low for low in self.settings.bands)

    def _keep(self, after: Cells, entered: int) -> int:
        """Keep the first afterstate of a row; returns the highest row entered."""
        row = self._row(after)
        if (self.settings.carousel or self.settings.bands) and row > entered:
            self.kept[row].append(after)
        return max(row, entered)

    def _from_carousel(self, seed: int) -> Cells | None:
        """The afterstate that the next game begins from, or None for a new game."""
        if self.settings.bands:
            return self._from_bands(seed)
        if not self.settings.carousel:
            return None
        if self.turn_left == 0:
            self.turn, self.turn_left = self.turn + 1, CAROUSEL_GAMES
            if self.turn == len(self.kept) or not self.kept[self.turn]:
                self.turn = 0
        self.turn_left -= 1
        if self.turn == 0:
            return None
        return self._one_of(self.kept[self.turn], reference.dice(seed, 2**64 - 2))

    def _from_bands(self, seed: int) -> Cells | None:
        """The same by bands: the low half of a draw decides whether, the high half which band."""
        draw = reference.dice(seed, 2**64 - 2)
        held = [kept for kept in self.kept if kept]
        if not held or draw % 2**32 >= round(self.settings.band_share * 2**32):
            return None
        band = held[(draw >> 32) * len(held) >> 32]
        return self._one_of(band, reference.dice(seed, 2**64 - 3))

    def _one_of(self, kept: list[Cells], draw: int) -> Cells:
        """One of the last thousand afterstates that were kept."""
        chosen = ((draw >> 32) * min(len(kept), CAROUSEL_AFTERS)) >> 32
        # A ring: afterstate k lies at place k modulo 1000, where a later one may have come.
        return [kept[k] for k in range(len(kept)) if k % CAROUSEL_AFTERS == chosen][-1]


@lru_cache(maxsize=1 << 18)
def slides(board: Cells, rules: Rules) -> list[tuple[list[int], int]]:
    """(afterstate, reward) of the legal moves."""
    legal = reference.legal_moves(board, *rules.shape)
    return [reference.slide(board, *rules.shape, move) for move in legal]


def as_bits(cells: Sequence[int]) -> Cells:
    """A board as 64 bits hold it: 65536 becomes 32768."""
    return tuple(min(exponent, BITS_MAX_EXPONENT) for exponent in cells)


# Both kinds of weights


def table_of(network: Network, pattern: int, stage: int = 0) -> NDArray[np.float32]:
    """The weights of a pattern by the exponents that it sees; a view."""
    return network.table(pattern, stage).reshape((16,) * len(network.patterns[pattern].cells))


def start_of(network: Network) -> Callable[[Feature], float]:
    """The present weights of the first stage, for a naive network to start from."""
    tables = [table_of(network, number).copy() for number in range(len(network.patterns))]
    return lambda feature: float(tables[feature[0]][feature[1]])


def twin_of(network: Network) -> NaiveNetwork:
    """A naive network with the weights of the first stage of a real one."""
    patterns = [pattern.cells for pattern in network.patterns]
    return NaiveNetwork(patterns, network.shape, network.stages, start_of(network))
