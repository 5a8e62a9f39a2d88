"""Processes that begin with the package imported, forked from one that does nothing else.

One that imports the kernels for itself takes seconds of the processor. They are for
tests of what such processes leave behind; how commands start and stop is tested with real ones.
"""

import multiprocessing
import os
import sys
from collections.abc import Callable
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from twofold.arena import workers
from twofold.cli import main

if TYPE_CHECKING:
    from multiprocessing.context import ForkServerContext

IMPORTED = [
    "twofold.arena.bench",
    "twofold.cli.bench",
    "twofold.arena.tune",
    "twofold.cli.solve",
    "twofold.cli.tune",
    "twofold.tables.solver",
    "twofold.learn.run",
    "twofold.players.loop",
    "twofold.players.presets",
    "twofold.players.compiled",
    "twofold.search.expectimax",
    "cmaes",
]


def context() -> "ForkServerContext":
    """How such processes are started."""
    found = multiprocessing.get_context("forkserver")
    found.set_forkserver_preload(IMPORTED)
    return found


def fork(target: Callable[..., object], *arguments: object) -> BaseProcess:
    """Run a function of a module that imports little in a process of its own."""
    process = context().Process(target=target, args=arguments)
    process.start()
    return process


def command(said: Path, prepare: Callable[[], object] | None, *arguments: str) -> None:
    """Run `twofold ARGUMENTS...`.

    Args:
        said: where stdout and stderr go, with the suffixes `.out` and `.err`.
        prepare: called before.
        arguments: of the command.
    """
    with said.with_suffix(".out").open("w") as out, said.with_suffix(".err").open("w") as err:
        os.dup2(out.fileno(), 1)
        os.dup2(err.fileno(), 2)
        sys.stdout, sys.stderr = out, err
        if prepare is not None:
            prepare()
        main(list(arguments))


@pytest.fixture
def forked_workers(monkeypatch: pytest.MonkeyPatch) -> None:
    """The tests of a module have workers that are there at once, where the system can fork.

    How workers are started otherwise is tested in `tests/arena/test_workers.py`.
    """
    if os.name == "posix":
        monkeypatch.setattr(workers, "QuietSpawn", context)


def save_every_layer() -> None:
    """Have a solution lose no work at all."""
    from twofold.tables import store

    store.LayerStore.__init__.__defaults__ = (None, 0.0)
    store.INTERVAL = 0.0  # type: ignore[misc]


def full_disk() -> None:
    """Let no file of this process and its workers grow beyond 130,000 bytes.

    Byte code is not written: Python 3.11 keeps what it could write of it as if it were whole.
    """
    import resource

    sys.dont_write_bytecode = True
    os.environ["PYTHONDONTWRITEBYTECODE"] = "1"
    resource.setrlimit(resource.RLIMIT_FSIZE, (130_000, 130_000))


def slow_group() -> None:
    """Make this process the first of a group, in which `Signs` takes 0.2 s for a game."""
    os.setsid()
    os.environ["SECONDS_A_GAME"] = "0.2"
