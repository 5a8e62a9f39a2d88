"""Settings of a tuning: the player, its weights and their ranges, the games, the objective."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from twofold import notation
from twofold.errors import InvalidInput, InvalidSpec, LimitExceeded
from twofold.evaluators import Evaluator
from twofold.evaluators.base import Weight
from twofold.limits import MAX_GAMES, MAX_SPREAD, MIN_SPREAD, check_limit
from twofold.notation import check_seed, did_you_mean, format_number, shown
from twofold.players import make_player, settled
from twofold.rules import Rules
from twofold.version import __version__

DIGITS: Final = 4
"""Significant digits of a weight in a trial."""

FORMAT: Final = 2
"""Version of the file of trials; raised when a field changes its name or meaning."""

SAMPLERS: Final = ("cma", "tpe")
"""The samplers that propose weights, CMA-ES and a tree-structured Parzen estimator."""


@dataclass(frozen=True, slots=True)
class Range:
    """The range in which the weight `name` is tuned; `log` means a logarithmic scale."""

    name: str
    start: float
    low: float
    high: float
    log: bool

    def place(self, value: float) -> float:
        """The position of a value between `low` (0) and `high` (1)."""
        if self.log:
            return math.log(value / self.low) / math.log(self.high / self.low)
        return (value - self.low) / (self.high - self.low)

    def at(self, place: float) -> float:
        """The value at a position between 0 and 1."""
        if self.log:
            value = self.low * math.exp(place * math.log(self.high / self.low))
        else:
            value = self.low + place * (self.high - self.low)
        return min(max(value, self.low), self.high)


def range_of(name: str, start: float, spread: float) -> Range:
    """The range of one weight around its start.

    Positive: from start / spread to start x spread, logarithmic. A power (`..._power`): plus and
    minus 1, but at least start / 10. Negative: plus and minus (spread - 1) times its size. Zero:
    from -spread to spread.
    """
    if name.endswith("_power") and start > 0:
        return Range(name, start, max(start - 1, start / 10), start + 1, False)
    if start > 0:
        return Range(name, start, start / spread, start * spread, True)
    reach = spread if start == 0 else (spread - 1) * -start
    return Range(name, start, start - reach, start + reach, False)


def within(one: Range, low: float, high: float) -> Range:
    """The part of a range that the evaluator accepts."""
    if max(one.low, low) >= min(one.high, high):
        raise InvalidSpec(
            f"expected a weight that can vary, got {one.name}, which can only be {one.start:g}"
        )
    return replace(one, low=max(one.low, low), high=min(one.high, high))


@dataclass(frozen=True, slots=True)
class TuningObjective:
    """The figure whose mean is maximised: `score`, `log-score` or the reach rate of a tile."""

    text: str = "score"

    @classmethod
    def parse(cls, text: str) -> "TuningObjective":
        """Parse `score`, `log-score` or a tile such as `2048`."""
        if text in ("score", "log-score"):
            return cls(text)
        if text.isascii() and text.isdecimal() and notation.parse_tile(text, InvalidInput) >= 2:
            return cls(text.lstrip("0"))
        raise InvalidInput(f"expected score, log-score or a tile from 4 up, got {shown(text)}")

    @property
    def name(self) -> str:
        """The objective in words, for a table."""
        if self.text.isdecimal():
            return f"reach rate of {self.text}"
        return f"mean {'log score' if self.text == 'log-score' else self.text}"

    def value(self, score: int, max_tile: int) -> float:
        """The figure of one game: its score, ln(score + 1), or 1 if it reached the tile, else 0."""
        if self.text.isdecimal():
            return float(max_tile >= int(self.text))
        return math.log1p(score) if self.text == "log-score" else float(score)

    def shown(self, value: float, sign: str = "") -> str:
        """Format a mean."""
        return f"{value:{sign},.{0 if self.text == 'score' else 4}f}"


@dataclass(frozen=True, slots=True)
class TuningSettings:
    """Everything that determines the trials; equal for all runs on one file.

    `player` is the spec with the start weights as given, `canonical` its canonical form; for the
    other attributes see `make`.
    """

    player: str
    canonical: str
    rules: Rules
    seed: int
    games: int
    weights: tuple[Range, ...]
    sampler: str
    spread: float
    objective: TuningObjective

    @classmethod
    def make(
        cls,
        player: str,
        *,
        games: int = 100,
        seed: int = 1,
        rules: Rules | None = None,
        weights: Sequence[str] = (),
        sampler: str = "cma",
        spread: float = 4.0,
        objective: str = "score",
    ) -> "TuningSettings":
        """Check settings and make them.

        Args:
            player: the spec with the start weights.
            games: games a trial.
            seed: of the first game, and of the sampler.
            rules: None for the standard rules.
            weights: names of those to tune; empty for all of the evaluator.
            sampler: see `SAMPLERS`.
            spread: see `range_of`.
            objective: see `TuningObjective.parse`.
        """
        check_limit("games", games, 1, MAX_GAMES)
        seed = check_seed(seed)
        if not MIN_SPREAD <= spread <= MAX_SPREAD:
            raise LimitExceeded(
                f"expected a spread from {MIN_SPREAD:g} to {MAX_SPREAD:g}, got {spread:g}"
            )
        if sampler not in SAMPLERS:
            raise InvalidInput(f"expected a sampler ({', '.join(SAMPLERS)}), got {shown(sampler)}")
        used_rules = Rules() if rules is None else rules
        aim = TuningObjective.parse(objective)
        player = settled(player, used_rules)
        canonical, found = _weights_of(player, used_rules, seed)
        ranges = tuple(
            within(range_of(name, one.value, spread), one.low, one.high)
            for name, one in ((name, found[name]) for name in _chosen(found, weights))
        )
        return cls(player, canonical, used_rules, seed, games, ranges, sampler, spread, aim)

    @property
    def start(self) -> dict[str, float]:
        """The start weights."""
        return {weight.name: weight.start for weight in self.weights}

    def rounded(self, values: Mapping[str, float]) -> dict[str, float]:
        """Weights as they are played: rounded to DIGITS, except those at their start."""
        return {
            weight.name: weight.start
            if values[weight.name] == weight.start
            else float(f"{values[weight.name]:.{DIGITS}g}")
            for weight in self.weights
        }

    def spec(self, values: Mapping[str, float]) -> str:
        """The player's spec with the weights that differ from the start."""
        name, given = notation.parse_spec(self.player)
        rounded = self.rounded(values)
        changed = {
            weight.name: format_number(rounded[weight.name])
            for weight in self.weights
            if rounded[weight.name] != weight.start
        }
        return notation.format_spec(name, given | changed)

    def document(self) -> dict[str, Any]:
        """The settings as a file of trials stores them."""
        return {
            "format": FORMAT,
            "twofold": __version__,
            "player": self.canonical,
            "rules": str(self.rules),
            "seed": str(self.seed),
            "games": self.games,
            "objective": self.objective.text,
            "weights": ",".join(weight.name for weight in self.weights),
            "sampler": self.sampler,
            "spread": self.spread,
        }


def _weights_of(player: str, rules: Rules, seed: int) -> tuple[str, dict[str, Weight]]:
    """The canonical spec and the weights that it can set."""
    with make_player(player) as made:
        made.start(rules, seed)
        keys = notation.parse_spec(made.spec).values
        evaluator = getattr(made, "evaluator", None)
        weights = evaluator.weight_keys if isinstance(evaluator, Evaluator) else {}
        return made.spec, {name: one for name, one in weights.items() if name in keys}


def _chosen(found: Mapping[str, Weight], names: Sequence[str]) -> Sequence[str]:
    if not found:
        raise InvalidSpec(
            "expected a player with weights in its spec, such as expectimax:eval=rows, "
            "got one without"
        )
    for name in names:
        if name not in found:
            raise InvalidInput(
                f"expected weights among {', '.join(found)}, got {shown(name)}"
                f"{did_you_mean(name, found)}"
            )
    if len(set(names)) < len(names):
        raise InvalidInput(f"expected each weight once, got {shown(','.join(names))}")
    return names or list(found)
