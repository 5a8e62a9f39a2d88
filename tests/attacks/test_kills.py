"""Kill -9 at random moments: commands that go on end as if they had never been killed.

The tests beside each command kill at chosen points; these ones kill at any.
"""

import json
import os
import random
import time
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from websockets.exceptions import ConnectionClosed

from tests.games.kept_games import saved
from tests.learn.digests import digest
from tests.support.forks import command, fork, save_every_layer
from tests.support.servers import opened, running, until
from twofold.games.store import GameStore
from twofold.learn.checkpoint import load

if os.name != "posix":
    pytest.skip("processes are killed as POSIX has it", allow_module_level=True)

ROUNDS, KILLS = 5, 10
GAMES_LOST_SECONDS = 3.0
"""Moves of this time may be lost: games are written every second, on a machine at work later."""


def save_often() -> None:
    """Have a training run write a checkpoint whenever half of its time was learning."""
    from twofold.storage import work

    work.WRITING_SHARE = 0.5  # type: ignore[misc]


@dataclass(frozen=True)
class Job:
    """A command that is killed, and goes on when it is called again.

    Attributes:
        arguments: of the command, where its file is `path`; the second one is whether it is there.
        result: what is the same however often it was killed.
        prepare: called in its process before.
    """

    arguments: Callable[[Path, bool], list[str]]
    result: Callable[[Path, str], object]
    prepare: Callable[[], object] | None = None


def said(_: Path, out: str) -> object:
    """The document, but for times."""
    document: dict[str, Any] = json.loads(out)
    return {name: part for name, part in document.items() if name not in ("timing", "machine")}


def train(path: Path, is_there: bool) -> list[str]:
    more = ["--resume"] if is_there else ["0123 0145", "--rules", "3x4", "--threads", "1"]
    return ["train", *more, "--out", str(path), "--games", "15000", "--checkpoint", "0.05s"]


def bench(path: Path, _: bool) -> list[str]:
    players = ["greedy", "corner", "expectimax:eval=rows,ply=1"]
    rules = ["--rules", "3x4", "--games", "3000", "--jobs", "2"]
    return ["bench", *players, *rules, "--out", str(path), "--json"]


def tune(path: Path, _: bool) -> list[str]:
    rules = ["--rules", "3x3 goal=64", "--games", "20", "--trials", "15", "--check-games", "6"]
    options = ["--weights", "empty,merges,sum_power", "--jobs", "1", "--json"]
    return ["tune", "expectimax:eval=rows,ply=1", *rules, *options, "--out", str(path)]


JOBS = {
    "train": Job(train, lambda path, _: digest(load(path)), save_often),
    "bench": Job(bench, said),
    "solve": Job(
        lambda path, _: ["solve", "--rules", "2x3", "--out", str(path), "--threads", "1"],
        lambda path, _: path.read_bytes(),
        save_every_layer,
    ),
    "tune": Job(tune, said),
}


def finish(job: Job, folder: Path, seconds: float | None = None) -> tuple[object, list[str]] | None:
    """Run a command to its end, or kill it.

    Args:
        job: the command.
        folder: where its file is.
        seconds: when to kill it; None for never.

    Returns:
        Its result and the names of the files that it has left; None if it was killed.
    """
    path, notes = folder / "file", folder.with_suffix(".said")
    process = fork(command, notes, job.prepare, *job.arguments(path, path.exists()))
    process.join(seconds)
    if process.is_alive():
        process.kill()
        process.join()
    if process.exitcode == -9:
        return None
    assert process.exitcode == 0, notes.with_suffix(".err").read_text()
    out = notes.with_suffix(".out").read_text()
    return job.result(path, out), sorted(one.name for one in folder.iterdir())


@pytest.fixture(scope="module", params=JOBS)
def whole(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> tuple[str, object, float]:
    """A command, its result where it is not killed, and the seconds that it takes."""
    job = JOBS[request.param]
    finish(job, tmp_path_factory.mktemp("first"))  # the first one imports what others begin with
    began = time.monotonic()
    return request.param, finish(job, tmp_path_factory.mktemp("whole")), time.monotonic() - began


@pytest.mark.long
@pytest.mark.promise("R14", "R15")
@pytest.mark.parametrize("number", range(ROUNDS))
def test_a_command_killed_at_any_moment_ends_as_one_that_never_was(
    whole: tuple[str, object, float], number: int, tmp_path: Path, figure: Callable[[str], None]
) -> None:
    name, expected, lasts = whole
    job, rng = JOBS[name], random.Random(f"{name} {number}")
    killed = ended = 0
    while killed < KILLS:
        folder = tmp_path / f"{ended}"
        folder.mkdir(exist_ok=True)
        found = finish(job, folder, rng.uniform(0.0, lasts))
        if found is None:
            killed += 1
        else:
            ended += 1
            assert found == expected, f"after {killed} kills"
    folder.mkdir(exist_ok=True)
    assert finish(job, folder) == expected
    figure(f"{name}: {killed} kills, {ended + 1} times to the end of {lasts:.1f} s, all equal")


# serve


@dataclass
class Played:
    """The moves that a server has answered, and when, in seconds of this process."""

    game: str
    letters: str
    times: list[float]


def play_until_killed(folder: Path, seconds: float) -> Played:
    """Serve the games of a folder, play one as fast as it goes, and kill the server."""
    with running(folder, "--player", "greedy") as (process, access, _), opened(access) as page:
        page.send('{"type":"new","seed":"1","ref":1}')
        state = until(page, "game")
        found, now = Played(str(state["game"]), "", []), state["now"]
        end = time.monotonic() + seconds
        try:
            while now["legal"]:
                if process.poll() is None and time.monotonic() > end:
                    process.kill()
                move = {"type": "move", "game": found.game, "move": now["legal"][0]}
                page.send(json.dumps(move | {"move_number": len(found.letters), "ref": 2}))
                now = until(page, "step")["now"]
                found.letters += move["move"][0]
                found.times.append(time.monotonic())
        except (ConnectionClosed, OSError):
            pass
        process.kill()
        process.wait()
        return found


@pytest.mark.promise("R15")
@pytest.mark.parametrize(
    ("number", "kills"),
    [(0, 1), *(pytest.param(one, KILLS, marks=pytest.mark.long) for one in range(ROUNDS))],
)
def test_a_server_killed_at_any_moment_has_saved_all_but_the_last_moves(
    number: int, kills: int, tmp_path: Path, figure: Callable[[str], None]
) -> None:
    rng, lost = random.Random(number), 0.0
    for _ in range(kills):
        found = play_until_killed(tmp_path, rng.uniform(0.0, 2.0 if kills > 1 else 0.2))
        letters = ""
        if (record := saved(tmp_path / "games", found.game)) is not None:
            letters = "".join(move.letter for move in record.moves)
        assert found.letters.startswith(letters[: len(found.letters)])
        assert len(letters) <= len(found.letters) + 1  # one may have been made and not answered
        if len(letters) < len(found.letters):
            lost = max(lost, found.times[-1] - found.times[len(letters)])
    assert lost < GAMES_LOST_SECONDS
    with closing(GameStore(tmp_path / "games")) as store:
        assert store._rows(tuple[str], "PRAGMA integrity_check") == [("ok",)]
    figure(f"serve: {kills} kills: moves of at most {lost:.2f} s lost, nothing damaged")
