"""Training settings: methods, learning rates, order, stages, restarts."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise
from math import ceil, log
from operator import attrgetter
from typing import Annotated, Any, Final, Literal, get_origin

import msgspec
from msgspec.structs import force_setattr

from twofold.errors import InvalidNetwork
from twofold.game.notation import format_number, parse_seed, shown
from twofold.game.rules import STANDARD, Rules
from twofold.kernels.updates import MAX_STEPS
from twofold.learn.rules import TC, TD, Decay, LearningRule, load_decay, load_rule
from twofold.limits import (
    BITS_MAX_EXPONENT,
    BITS_MAX_SIDE,
    MAX_BAND,
    MAX_BANDS,
    MAX_DOWNGRADE,
    MAX_JOBS,
    MAX_SEED,
    MIN_DOWNGRADE,
    check_limit,
)
from twofold.settings import Setting, check_settings, document, setting, settings_of
from twofold.values.network import check_stages, format_patterns, parse_patterns

Method = Literal["td", "tc", "rule"]

RATES: Final[dict[Method, float]] = {"td": 0.1, "tc": 1.0, "rule": 0.1}
"""Default learning rates. Source: Szubert and Jaskowski 2014; Jaskowski 2018."""

RESTART: Final = 10
"""Fewest moves of a game that restarts. Source: Matsuzaki 2017."""

MIDDLE: Final = 0.5
"""Default point of restarts: the middle of the game. Source: Matsuzaki 2017."""

_MAX_VALUE: Final = 1e7
_RESTART = re.compile(r"([0-9]{1,10})(?:@(0?\.[0-9]{1,9}))?", re.ASCII)
_NUMBER = r"-?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:e[+-]?[0-9]+)?"
_PHASE = re.compile(rf"(td|tc|rule)(?::({_NUMBER}))?(?:@({_NUMBER})%)?", re.ASCII)


@dataclass(frozen=True, slots=True)
class Phase:
    """A part of a training run.

    Attributes:
        method: `td`; `tc` for temporal coherence; `rule` for the learning rule of the settings.
            The memory of `tc` and `rule` is 0 when the phase begins.
        rate: learning rate of a whole board, shared equally by its features.
        share: part of the run's games or time; the phases add up to 1.
    """

    method: Method
    rate: float
    share: float = 1.0

    def __str__(self) -> str:
        method = f"{self.method}:{format_number(self.rate)}"
        if self.share == 1:
            return method
        share = float(f"{100 * self.share:.12g}")  # in floats 100 * 0.07 is above 7
        return f"{method}@{format_number(share)}%"


def parse_schedule(text: str) -> tuple[Phase, ...]:
    """Parse phases: `tc`, `td:0.1`, or `td:0.1@90%,tc:1@10%`; shares add up to 100 %."""
    if not isinstance(text, str):
        raise InvalidNetwork(f"expected a schedule as text, got {shown(text)}")
    words = text.split(",")
    found = [_PHASE.fullmatch(word.strip()) for word in words]
    if not all(found) or len(words) > 100:
        raise InvalidNetwork(
            f"expected phases such as tc, td:0.1 or td:0.1@90%,tc:1@10%, got {shown(text)}"
        )
    phases = tuple(_phase(match, alone=len(words) == 1) for match in found if match)
    if abs(sum(phase.share for phase in phases) - 1) > 1e-6:
        raise InvalidNetwork(f"expected shares that add up to 100%, got {shown(text)}")
    return phases


def _phase(match: re.Match[str], *, alone: bool) -> Phase:
    method: Method = next(name for name in RATES if name == match[1])
    rate, share = match[2], match[3]
    if share is None and not alone:
        raise InvalidNetwork("expected a share such as @90% for each of several phases")
    number = RATES[method] if rate is None else float(rate)
    part = 1.0 if share is None else float(share) / 100
    if not 0 < number <= 10:
        raise InvalidNetwork(f"expected a learning rate above 0 and up to 10, got {rate}")
    if not 0 < part <= 1:
        raise InvalidNetwork(f"expected a share above 0% and up to 100%, got {share}%")
    return Phase(method, number, part)


def format_schedule(schedule: tuple[Phase, ...]) -> str:
    """Format phases; the inverse of `parse_schedule`."""
    return ",".join(map(str, schedule))


def parse_restart(text: str) -> dict[str, Any]:
    """Parse a restart: fewest moves and, after `@`, the part of the game: `10`, `10@0.3`."""
    found = _RESTART.fullmatch(text.strip())
    if not found:
        raise InvalidNetwork(f"expected a restart such as 10 or 10@0.3, got {shown(text)}")
    return {"restart": int(found[1]), "restart_at": float(found[2] or MIDDLE)}


def parse_sums(expected: str) -> Callable[[str], tuple[int, ...]]:
    """A parser of tile sums with commas between them; `expected` names them in errors."""

    def parse(text: str) -> tuple[int, ...]:
        words = text.split(",") if text else []
        if not all(word.strip().isdecimal() and len(word) < 12 for word in words):
            raise InvalidNetwork(f"expected {expected}, got {shown(text)}")
        return tuple(int(word) for word in words)

    return parse


class TrainingSettings(msgspec.Struct, frozen=True, kw_only=True):
    """All settings that decide what a training run learns.

    Attributes:
        patterns: a name or a list, see `values.network`.
        rules: shape up to 4x4, spawns, start tiles; the goal is ignored.
        stages: boundaries of the stages, see `Network`.
        schedule: the phases in order.
        optimism: initial value of every board, in points, split over its features.
        lambda_: lambda of TD(lambda); 0 for TD(0), 1 for n-step TD.
        steps: n of n-step and TD(lambda) updates, 1 to 16; None: the fewest with lambda^n <= 0.1.
        order: `forward` updates during a game, `backward` after it, from its end.
        carousel: begin games at each stage in turn.
        restart: fewest moves of a finished game that restarts from an earlier board; 0: none do.
        restart_at: the point where it restarts, as a part of the game, 0.01 to 0.99.
        bands: lower tile sums of bands, ascending; the last is open. Some games begin from
            afterstates with which earlier games entered a band.
        band_share: share of such games, 0.001 to 1, split equally over the bands in use.
        downgrade: in every second game moves are chosen on the downgraded board once the different
            tiles sum to this, so the game visits boards new to the network; 0 for never.
        rule: learning rule of the `rule` phases.
        decay: schedule of step sizes; None for constant steps.
        threads: threads that share the weights; only 1 is reproducible.

    Raises:
        InvalidNetwork: a setting is invalid, or two exclude each other.
        LimitExceeded: a number beyond its limits.
    """

    patterns: Annotated[
        str,
        setting(
            "Network to train: 4x6, 8x6, ..., or patterns such as '0123 4567'.",
            "NETWORK",
            argument=True,
            follows="patterns",
        ),
    ]
    schedule: Annotated[
        tuple[Phase, ...],
        setting(
            "Learning schedule: tc, td:0.1, or td:0.1@90%,tc:1@10%.",
            "S",
            parse=parse_schedule,
            format=format_schedule,
            shown="tc",
            follows="tc td:0.1 td:0.1@90%,tc:1@10%",
        ),
    ] = parse_schedule("tc")
    rule: Annotated[
        LearningRule | None,
        setting(
            "Your own learning rule, instead of tc.",
            "FILE:NAME",
            parse=load_rule,
            format=attrgetter("name"),
        ),
    ] = None
    decay: Annotated[
        Decay | None,
        setting(
            "Your own schedule of step sizes.",
            "FILE:NAME",
            parse=load_decay,
            format=attrgetter("name"),
        ),
    ] = None
    optimism: Annotated[
        float,
        setting("Initial value of every board, in points.", "V", ge=-_MAX_VALUE, le=_MAX_VALUE),
    ] = 0.0
    lambda_: Annotated[
        float, setting("Lambda of TD(lambda): 0 is one-step, 1 is n-step.", "L", ge=0, le=1)
    ] = msgspec.field(name="lambda", default=0.0)
    steps: Annotated[
        int | None,
        setting(
            "Number of steps of TD(lambda) and n-step TD. Default: chosen from lambda.",
            "N",
            ge=1,
            le=MAX_STEPS,
        ),
    ] = None
    order: Annotated[
        Literal["forward", "backward"],
        setting(
            "Order of updates: forward, or backward after each game.",
            "O",
            follows="forward backward",
        ),
    ] = "forward"
    stages: Annotated[
        tuple[int, ...],
        setting(
            "Tile sums at which stages begin: 16384,32768. Default: one stage.",
            "SUMS",
            parse=parse_sums("stages such as 16384,32768"),
        ),
    ] = ()
    carousel: Annotated[
        bool, setting("Start games from each stage in turn (carousel shaping).")
    ] = False
    restart: Annotated[
        int,
        setting(
            "Restart games of N moves or more in their middle; 10@0.3: after 30 %. 0: never.",
            "N",
            ge=0,
            le=10**9,
            parse=parse_restart,
            shown="0",
        ),
    ] = 0
    restart_at: Annotated[float, setting(name="part of restarts", ge=0.01, le=0.99)] = MIDDLE
    bands: Annotated[
        tuple[int, ...],
        setting(
            "Also start games from stored boards with these tile sums: 14000,16000.",
            "SUMS",
            parse=parse_sums("bands such as 14000,16000"),
        ),
    ] = ()
    band_share: Annotated[
        float, setting("Share of games that start from --bands.", "P", ge=0.001, le=1)
    ] = 0.5
    downgrade: Annotated[
        int,
        setting(
            "In every other game, halve large tiles once the distinct tiles sum to SUM. 0: never.",
            "SUM",
            ge=MIN_DOWNGRADE,
            le=MAX_DOWNGRADE,
            or_zero=True,
        ),
    ] = 0
    seed: Annotated[
        int,
        setting(
            "Seed of the games.", "S", ge=0, le=MAX_SEED, parse=parse_seed, format=str, shown="1"
        ),
    ] = 1
    threads: Annotated[int, setting(ge=1, le=MAX_JOBS)] = 1
    rules: Annotated[Rules, setting(parse=Rules.parse, format=str)] = STANDARD

    def __post_init__(self) -> None:
        rules = self.rules
        if max(rules.shape) > BITS_MAX_SIDE or max(rules.spawn_exponents) > BITS_MAX_EXPONENT:
            raise InvalidNetwork(
                f"expected rules of up to 4x4 with spawn tiles up to 32768, got {rules}"
            )
        patterns = parse_patterns(self.patterns, rules.shape)
        force_setattr(self, "patterns", format_patterns(patterns, rules.shape))
        check_stages(self.stages)
        if not self.schedule:
            raise InvalidNetwork("expected at least one phase, got none")
        _check_rule(self.schedule, self.rule)
        check_settings(self, InvalidNetwork)
        if self.steps is None:
            force_setattr(self, "steps", _fewest_steps(self.lambda_))
        if self.order not in ("forward", "backward"):
            raise InvalidNetwork(f"expected order forward or backward, got {shown(self.order)}")
        if self.carousel and not self.stages:
            raise InvalidNetwork("expected stages for the carousel, such as stages=16384,32768")
        _check_begins(self.carousel, self.restart, self.bands)
        _check_bands(self.bands)

    @property
    def memory(self) -> int:
        """Numbers kept per weight: the maximum over the phases."""
        return max(self.rule_of(phase).memory for phase in self.schedule)

    @property
    def coherent(self) -> bool:
        """True if the memory holds the two sums of temporal coherence."""
        return any(phase.method == "tc" for phase in self.schedule)

    @property
    def begins_elsewhere(self) -> bool:
        """True if some games begin elsewhere than with start tiles."""
        return self.carousel or bool(self.restart or self.bands)

    def rule_of(self, phase: Phase) -> LearningRule:
        """The learning rule of a phase."""
        if phase.method == "rule":
            assert self.rule is not None
            return self.rule
        return TC if phase.method == "tc" else TD

    def document(self) -> dict[str, Any]:
        """The settings as JSON values; code by its name."""
        return document(self)

    def describe(self) -> str:
        """The schedule and the settings that differ from the defaults, on one line."""
        joined = {
            "lambda_": f"lambda {format_number(self.lambda_)}, {self.steps} steps",
            "restart": f"restart {self.restart}"
            + f"@{format_number(self.restart_at)}" * (self.restart_at != MIDDLE),
            "bands": f"bands {'/'.join(map(str, self.bands))} "
            f"for {format_number(self.band_share)} of the games",
        }
        parts = [format_schedule(self.schedule)]
        for one in settings_of(type(self)):
            value = getattr(self, one.name)
            is_said = value != one.default or (one.name == "lambda_" and self.steps != 1)
            if is_said and one.name not in _UNSAID:
                parts.append(joined.get(one.name) or _described(one, value))
        return ", ".join(parts)


_UNSAID: Final = {
    "patterns", "rules", "schedule", "seed", "threads", "steps", "restart_at", "band_share",
}  # fmt: skip
"""Settings that `describe` leaves out, or tells with others."""


def _described(one: Setting, value: Any) -> str:
    if isinstance(value, bool):
        return one.words
    if isinstance(value, tuple):
        return f"{one.words} {'/'.join(map(str, value))}"
    if isinstance(value, LearningRule | Decay):
        return f"{one.words} {value.name}"
    if isinstance(value, int | float):
        return f"{one.words} {format_number(value)}"
    return value if get_origin(one.type) is Literal else f"{one.words} {value}"


def _check_rule(schedule: tuple[Phase, ...], rule: LearningRule | None) -> None:
    """Check that rule and phases match, and that only one of `rule` and `tc` uses the memory."""
    methods = {phase.method for phase in schedule}
    if (rule is not None) != ("rule" in methods):
        raise InvalidNetwork(
            "expected a learning rule together with phases such as rule:0.1, "
            f"got {format_schedule(schedule)} and {'no rule' if rule is None else rule.name}"
        )
    if {"tc", "rule"} <= methods:
        raise InvalidNetwork(
            f"expected phases of the rule or of tc, got both in {format_schedule(schedule)}"
        )


def _check_begins(carousel: bool, restart: int, bands: tuple[int, ...]) -> None:
    used = {"the carousel": carousel, "restarts": restart, "bands": bands}
    if len(found := [name for name, value in used.items() if value]) > 1:
        raise InvalidNetwork(
            f"expected one of the carousel, restarts and bands, got {' and '.join(found)}"
        )


def _check_bands(bands: tuple[int, ...]) -> None:
    check_limit("bands", len(bands), 0, MAX_BANDS)
    rising = all(low < high for low, high in pairwise((0, *bands)))
    if not rising or max(bands, default=0) > MAX_BAND:
        raise InvalidNetwork(
            f"expected bands as ascending tile sums up to {MAX_BAND:,}, "
            f"such as 14000,16000, got {','.join(map(str, bands))}"
        )


def _fewest_steps(lambda_: float) -> int:
    """The fewest n with lambda^n <= 0.1; 5 for lambda 1. Source: Jaskowski 2018 (delayed TC)."""
    if lambda_ == 0:
        return 1
    if lambda_ == 1:
        return 5
    return min(ceil(log(0.1) / log(lambda_)), MAX_STEPS)
