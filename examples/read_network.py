"""Reads the weights of a network file without twofold; it checks nothing.

Source of the format: docs/reference/network-files.md.
"""

import json

import numpy as np
import zstandard
from safetensors import safe_open


def read_weights(path: str, sizes: list[int]) -> np.ndarray:
    """The weights, (stages, weights a stage), from the number of weights of each pattern."""
    with safe_open(path, "numpy") as file:
        card = json.loads(file.metadata()["twofold"])
        tensors = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
    if card.get("release") is None:
        weights: np.ndarray = tensors["weights"]
        return weights
    stages = len(card.get("stages", [])) + 1
    units = np.zeros((stages, sum(sizes)), dtype=np.int64)
    for stage in range(stages):
        units[stage] = units[stage - 1] if stage else 0
        for pattern, size in enumerate(sizes):
            packed = [tensors[f"{kind}.{stage}.{pattern}"] for kind in ("map", "low", "high")]
            bits, low, high = (
                np.frombuffer(zstandard.ZstdDecompressor().decompress(plane), np.uint8)
                for plane in packed
            )
            known = np.unpackbits(bits, bitorder="little").astype(bool)
            codes = low + 256 * high.astype(np.int64)
            table = units[stage, sum(sizes[:pattern]) :][:size]
            table[known] += np.where(codes % 2, -(codes + 1) // 2, codes // 2)
    unit: float = card["release"]["unit"]
    return (units * unit).astype(np.float32)
