"""The kinds of jobs: a bench, a training run, an endgame table.

Requests are checked before a command is made: no code, only new files with plain names in the
folder of the Lab, and limits on games, time and threads.
"""

import shutil
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Final

import msgspec

from twofold.errors import InvalidInput, ResourceError
from twofold.figures import bytes_words
from twofold.game.notation import parse_seed, shell_line
from twofold.game.rules import Rules
from twofold.learn.curve_files import CURVE_SUFFIX as CURVE
from twofold.players import PlayerSpec
from twofold.players.registry import default_player
from twofold.values.network_file import SUFFIX as NETWORK
from twofold.web.protocol import Text
from twofold.web.roster import MAX_THREADS, check_plain

MAX_PLAYERS: Final = 12
"""Maximum number of players in a bench."""

MAX_GAMES: Final = 100_000
"""Maximum number of games per player in a bench."""

MAX_SECONDS: Final = 604_800
"""Maximum time of a training run: a week."""

STUDY: Final = ".db"
"""Suffix of a study."""

Seconds = Annotated[int, msgspec.Meta(ge=1, le=MAX_SECONDS)]
Threads = Annotated[int, msgspec.Meta(ge=1, le=MAX_THREADS)]
Name = Annotated[str, msgspec.Meta(pattern=r"^[A-Za-z0-9][A-Za-z0-9_-]*$(?!\n)", max_length=60)]


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """A job that is possible.

    Attributes:
        words: the command, without `twofold`.
        again: the command to resume it.
        files: names of the files that it writes in the folder of the Lab; the first one exists as
            soon as the job can be resumed.
        result: address of its result page; empty for none.
        disk, memory: in bytes; None if negligible.
        done: why nothing is left to do; empty otherwise.
    """

    title: str
    words: list[str]
    again: list[str]
    files: tuple[str, ...] = ()
    result: str = ""
    disk: int | None = None
    memory: int | None = None
    done: str = ""

    @property
    def command(self) -> str:
        """The command as typed in a terminal."""
        return shell_line("twofold", *self.words)


class BenchJob(msgspec.Struct, forbid_unknown_fields=True, frozen=True, tag="bench", tag_field="kind"):  # noqa: E501  # fmt: skip
    """Players play the same seeds; the study is saved in the folder.

    Attributes:
        players, rules: empty for the default player and standard rules.
        name: of the study, without suffix.
        games: per player.
        seed: of the first game.
        threads: number of processes; null for one per core.
    """

    players: Annotated[list[Text], msgspec.Meta(min_length=1, max_length=MAX_PLAYERS)]
    name: Name
    games: Annotated[int, msgspec.Meta(ge=1, le=MAX_GAMES)] = 100
    seed: Text = "1"
    rules: Text = ""
    threads: Threads | None = None

    def plan(self, folder: Path) -> Plan:
        """Check the job and plan its command; raises InvalidInput."""
        rules = Rules.parse(self.rules)
        texts = [one.strip() for one in self.players]
        players = [PlayerSpec.parse(text) if text else default_player(rules) for text in texts]
        for spec in players:
            here, _ = check_plain(spec, folder)
            with here.settled(rules).make() as player:  # to find out if it can play
                player.start(rules, 0)
        file = self.name + STUDY
        words = ["bench", *dict.fromkeys(spec.text for spec in players), "--games", str(self.games)]
        words += ["--seed", str(parse_seed(self.seed)), *_rules(self.rules)]
        words += [*_threads("--jobs", self.threads), "--out", file]
        # No game of a study is played twice: the same command resumes it.
        return Plan(
            title=file, words=words, again=words, files=(file,), result=f"/lab?study={file}"
        )


class TrainJob(msgspec.Struct, forbid_unknown_fields=True, frozen=True, tag="train", tag_field="kind"):  # noqa: E501  # fmt: skip
    """A network learns; it is saved in the folder, with its learning curve.

    Attributes:
        network: a layout such as 4x6, or patterns.
        name: of the network, without suffix.
        seconds: training time.
        schedule: learning rates, as for `twofold train --schedule`.
        threads: null for one per core.
    """

    network: Text
    name: Name
    seconds: Seconds = 60
    schedule: Text = "tc"
    seed: Text = "1"
    rules: Text = ""
    threads: Threads | None = None

    def plan(self, folder: Path) -> Plan:
        """Check the job and plan its command; imports the code for training.

        Raises InvalidInput, or ResourceError if it needs more memory or disk than there is.
        """
        name, size = self.name, self._bytes()
        free = shutil.disk_usage(folder).free
        if 2 * size > free:  # an old and a new checkpoint
            raise ResourceError(
                f"expected {bytes_words(2 * size)} of free disk for training {self.network}, "
                f"got {bytes_words(free)}"
            )
        time = ["--time", f"{self.seconds}s"]
        options = [*time, *_threads("--threads", self.threads)]
        schedule = [] if self.schedule == "tc" else ["--schedule", _squeezed(self.schedule)]
        out = ["--out", name + NETWORK]
        words = ["train", _squeezed(self.network), *out, *options, *schedule]
        words += ["--seed", str(parse_seed(self.seed)), *_rules(self.rules)]
        # Patterns and rules are those of the file, or the command refuses it. The file alone does
        # not say how many threads run.
        threads = _threads("--threads", self.threads or MAX_THREADS)
        again = ["--resume", *time, *threads, *_rules(self.rules.strip() or "4x4")]
        return Plan(
            title=name,
            words=words,
            again=[*words[:2], *out, *again],
            files=(name + NETWORK, name + CURVE),
            result=f"/lab?run={name}{CURVE}",
            disk=size,
            memory=size,
        )

    def _bytes(self) -> int:
        from twofold.learn.settings import TrainingSettings, parse_schedule
        from twofold.learn.training import training_bytes
        from twofold.storage.memory import check_memory

        settings = TrainingSettings(
            patterns=self.network,
            rules=Rules.parse(self.rules),
            schedule=parse_schedule(self.schedule),
            seed=parse_seed(self.seed),
            threads=self.threads or MAX_THREADS,
        )
        size = training_bytes(settings)
        check_memory(size, f"training {self.network}")
        return size


class TableJob(msgspec.Struct, forbid_unknown_fields=True, frozen=True, tag="table", tag_field="kind"):  # noqa: E501  # fmt: skip
    """An endgame table, such as 442-256, is built in the folder of tables."""

    table: Text
    threads: Threads | None = None

    def plan(self, folder: Path) -> Plan:
        """Check the job and plan its command; imports the code for building.

        Raises InvalidTable, or ResourceError if it needs more memory or disk than there is.
        """
        from twofold.tables.build import BuildPlan, check_room
        from twofold.tables.folder import tables_folder
        from twofold.tables.library import path_of
        from twofold.tables.pattern import EndgamePattern
        from twofold.tables.work import existing, held_bytes

        pattern = EndgamePattern.parse(self.table.strip())
        plan = BuildPlan.of(pattern)
        path = path_of(pattern, tables_folder())
        is_built = existing(path, pattern) is not None
        if not is_built:
            parents = (path.parent, *path.parent.parents)
            there = next(folder for folder in parents if folder.is_dir())  # on the same disk
            check_room([plan], there, held_bytes(path))
        words = ["tables", "build", pattern.name, *_threads("--jobs", self.threads)]
        return Plan(
            title=pattern.name,
            words=words,
            again=words,
            disk=plan.disk,
            memory=plan.memory,
            done=f"the table {pattern.name} is built already" if is_built else "",
        )


Wanted = BenchJob | TrainJob | TableJob


def check_new(plan: Plan, folder: Path, busy: Iterable[str] = ()) -> None:
    """Raise InvalidInput for a job that is done, whose files exist, or whose title is in `busy`."""
    if plan.done:
        raise InvalidInput(plan.done)
    if plan.title in busy:
        raise InvalidInput(f"a job for {plan.title} is already queued or running")
    for name in plan.files:
        if (folder / name).exists():
            raise InvalidInput(f"the file {name} exists already. Choose another name")


def _rules(text: str) -> list[str]:
    return ["--rules", _squeezed(text)] if text.strip() else []


def _squeezed(text: str) -> str:
    return " ".join(text.split())


def _threads(option: str, count: int | None) -> list[str]:
    return [] if count is None else [option, str(count)]
