"""Digests of training runs."""

import hashlib
import json

from twofold.learn.training import Training


def digest(training: Training) -> str:
    """Weights, sums, games and curve, but for its seconds, as one number."""
    parts = [
        training.network.weights.tobytes(),
        training.memory.tobytes(),
        training.games_begun.tobytes(),
        json.dumps([[*row[:2], *row[3:]] for row in training.curve.rows()]).encode(),
        str((training.moves, training.updates, training.curve.games)).encode(),
    ]
    return hashlib.sha256(b"".join(parts)).hexdigest()
