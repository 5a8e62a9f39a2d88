"""What the options of `twofold train` ask for: limits, settings, a file that may be used."""

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import typer

from twofold.cli._common import read_seconds

if TYPE_CHECKING:
    from collections.abc import Sequence
    from contextlib import AbstractContextManager

    from twofold.learn.settings import Settings

DEFAULT_TIME: Final = "30m"
"""The time of a run where neither time nor games are given."""

SETTINGS: Final = (
    "schedule", "optimism", "initial_weight", "trace", "steps", "order", "stages", "carousel",
    "restart", "bands", "band_share", "tables", "downgrade", "seed", "rules",
)  # fmt: skip
"""Options of a new run that its file holds."""


def read_limits(games: int | None, time: str, *, resume: bool) -> dict[str, Any]:
    """Games and seconds of a run, None for no limit, or for those that it began with."""
    from twofold.limits import MAX_TRAINING_GAMES, check_limit

    if games is not None:
        check_limit("games", games, 1, MAX_TRAINING_GAMES)
    if not time and games is None and not resume:
        time = DEFAULT_TIME
    return {"games": games, "seconds": read_seconds(time, "time") if time else None}


def read_sums(text: str, expected: str) -> tuple[int, ...]:
    """Tile sums with commas between them."""
    from twofold.errors import InvalidNetwork
    from twofold.notation import shown

    words = text.split(",") if text else []
    if not all(word.strip().isdecimal() and len(word) < 12 for word in words):
        raise InvalidNetwork(f"expected {expected}, got {shown(text)}")
    return tuple(int(word) for word in words)


def check_out(out: str) -> None:
    """Refuse a name that no file of a run can have."""
    from twofold.errors import InvalidInput
    from twofold.learn.checkpoint import curve_path
    from twofold.networks.library import SUFFIX, TDL_SUFFIX

    if not out:
        raise InvalidInput("expected --out FILE, to keep the network in")
    if not Path(out).name or not Path(out).absolute().parent.is_dir():
        raise InvalidInput(f"expected --out in an existing folder, got {out}")
    if Path(out) == curve_path(out) or Path(out).suffix == TDL_SUFFIX:
        raise InvalidInput(f"expected --out with a name that ends in {SUFFIX}, got {out}")


def check_new(out: str, *, resume: bool) -> None:
    """Refuse to write over a file, unless the run in it goes on."""
    from twofold.errors import InvalidInput
    from twofold.networks.file import read_card

    if not resume and Path(out).exists():
        raise InvalidInput(
            f"expected a new file for --out, or --resume to go on with the run in it, got {out}"
        )
    first = Path(out).with_stem(f"{Path(out).stem}-1")
    if resume and first.exists() and not Path(out).exists():
        raise InvalidInput(f"expected --runs N to go on with {first} and those after it, got none")
    if resume:
        read_card(out)  # before kernels are compiled


def held(out: str) -> "AbstractContextManager[None]":
    """The file of the run, for this run alone."""
    from twofold.locks import alone

    return alone(os.path.realpath(out), "training run")


def check_resumed(context: typer.Context, names: "Sequence[str]") -> None:
    """Refuse settings where a run goes on, which has its own."""
    from twofold.errors import InvalidInput

    for parameter in context.command.params:
        name = parameter.name or ""
        source = context.get_parameter_source(name)
        if name in names and source is not None and source.name == "COMMANDLINE":
            raise InvalidInput(
                f"expected --resume without {parameter.opts[0]}: the run goes on with the "
                "settings that it began with"
            )


def read_settings(
    network: str, *, seed: str, schedule: str, restart: str, **more: Any
) -> "Settings":
    """The settings of a new run."""
    from twofold.learn.settings import Settings, parse_restart, parse_schedule
    from twofold.notation import parse_seed

    moves, part = parse_restart(restart)
    return Settings(
        patterns=network,
        seed=parse_seed(seed),
        schedule=parse_schedule(schedule),
        restart=moves,
        restart_at=part,
        **more,
    )
