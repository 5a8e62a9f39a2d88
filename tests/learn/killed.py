"""A process that trains and writes checkpoints until it is killed."""

from multiprocessing.connection import Connection
from pathlib import Path

from twofold.game.rules import Rules
from twofold.learn import run
from twofold.learn.checkpoint import load
from twofold.learn.settings import TrainingSettings
from twofold.learn.training import Training
from twofold.storage import work

SMALL = TrainingSettings(patterns="0123 0145", rules=Rules.parse("3x4"), threads=1, seed=5)


def train(path: Path, games: int, saved: Connection) -> None:
    """Train, and send a message after every checkpoint."""
    work.WRITING_SHARE = 0.5  # type: ignore[misc]  # else seconds pass between two checkpoints
    training = load(path) if path.exists() else Training(SMALL, games=games)
    run.run(training, path, interval=0.02, on_save=lambda _: saved.send(None))
