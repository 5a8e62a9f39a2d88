"""Compressed networks: weights as whole multiples of a unit, without the zeros.

For stage S and pattern P there are three byte tensors, each a Zstandard frame with checksum:

    map.S.P     one bit per weight, lowest bit first: whether the weight has a code
    low.S.P     low bytes of the codes, in the order of the weights
    high.S.P    high bytes of them

    code        2 n if the weight is n units above that of the stage before (in the first stage
                above 0), 2 n - 1 if it is n units below

A weight is its number of units times the unit, rounded to float32. A weight without a code equals
that of the stage before.
"""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from math import ceil, floor, log10
from typing import Any, Final, NamedTuple

import numpy as np
import zstandard
from numpy.typing import NDArray

from twofold.errors import InvalidNetwork
from twofold.storage.arrays import TensorFile, checked
from twofold.storage.memory import check_memory, large_zeros
from twofold.values.network import Network, Weights

Bytes = NDArray[np.uint8]
Units = NDArray[np.int32]

MIN_UNIT: Final = 1e-6
MAX_UNIT: Final = 1e6
"""Limits of the unit, in points."""

LEVELS: Final = (1, 19)
"""Zstandard levels tried on each plane. Level 1 is often shorter for low planes, which have uneven
byte frequencies but no repetitions."""

_MOST_UNITS: Final = 32_766
"""Largest difference, in units, that still fits into 16 bits after both weights are rounded."""

_SPARE: Final = 65_536
"""Bytes that a frame may have beyond two per weight."""

_THREADS: Final = 2

_READERS: Final = 4
"""Threads that read; more than cores, as they wait for the memory and for Numba's import."""


# ---- writing


def planes_of(network: Network, unit: float) -> dict[str, Bytes]:
    """Compress a network's weights into planes, by name; the unit must suffice for 16 bits."""
    check_unit(unit)
    numbers = range(len(network.patterns))
    with ThreadPoolExecutor(_THREADS) as pool:
        _check_fits(max(pool.map(lambda number: _largest_step(network, number), numbers)), unit)
        parts = list(pool.map(lambda number: _pattern_planes(network, number, unit), numbers))
    return {name: plane for part in parts for name, plane in part.items()}


def check_unit(unit: float) -> None:
    """Raise `InvalidNetwork` unless the unit is from 1e-6 to 1e6 points."""
    if not MIN_UNIT <= unit <= MAX_UNIT:
        raise InvalidNetwork(f"expected a unit from {MIN_UNIT:g} to {MAX_UNIT:g}, got {unit:g}")


def _check_fits(largest: float, unit: float) -> None:
    if largest > _MOST_UNITS * unit:
        digits = floor(log10(largest / _MOST_UNITS)) - 1
        enough = ceil(largest / _MOST_UNITS / 10**digits) * 10**digits
        raise InvalidNetwork(
            f"expected weights at most {_MOST_UNITS} units of {unit:g} from those of the stage "
            f"before (or from 0), got {largest:g} points. Use a unit of {enough:g}"
        )


def _whole_tables(network: Network, pattern: int) -> Iterator[Weights]:
    """Zeros, then the table of each stage; an untouched weight is that of the table before."""
    whole: Weights = np.zeros(network.patterns[pattern].size, dtype=np.float32)
    yield whole
    for stage in range(network.stage_count):
        table = network.table(pattern, stage)
        whole = np.where(np.isnan(table), whole, table)
        yield whole


def _largest_step(network: Network, pattern: int) -> float:
    tables = _whole_tables(network, pattern)
    steps = (np.subtract(whole, before, dtype=np.float64) for before, whole in pairwise(tables))
    return max(float(np.abs(step).max()) for step in steps)


def _pattern_planes(network: Network, pattern: int, unit: float) -> dict[str, Bytes]:
    planes: dict[str, Bytes] = {}
    for stage, steps in enumerate(_steps(network, pattern, unit)):
        filled = steps != 0
        units = steps[filled]
        codes = ((units << 1) ^ (units >> 31)).astype("<u2").view(np.uint8)
        planes[f"map.{stage}.{pattern}"] = _compressed(np.packbits(filled, bitorder="little"))
        planes[f"low.{stage}.{pattern}"] = _compressed(codes[0::2])
        planes[f"high.{stage}.{pattern}"] = _compressed(codes[1::2])
    return planes


def _steps(network: Network, pattern: int, unit: float) -> Iterator[Units]:
    """For each stage, each weight's difference from the stage before, in units."""
    tables = _whole_tables(network, pattern)
    units = (np.rint(table / np.float64(unit)).astype(np.int32) for table in tables)
    return (whole - before for before, whole in pairwise(units))


def _compressed(plane: Bytes) -> Bytes:
    data = plane.tobytes()
    frames = [
        zstandard.ZstdCompressor(level, write_checksum=True).compress(data) for level in LEVELS
    ]
    return np.frombuffer(min(frames, key=len), dtype=np.uint8)


# ---- reading


class Frame(NamedTuple):
    """A Zstandard frame, and the size of its content in bytes, as its header says."""

    data: memoryview
    size: int


def weights_of(file: TensorFile, network: Network, unit: float) -> Weights:
    """Decompress the weights of a network with this outline; `unit` is in points.

    All sizes are checked before anything large is allocated. A plane that is missing, damaged or of
    the wrong size raises `InvalidNetwork`.
    """
    check_unit(unit)
    stages = range(network.stage_count)
    frames = [
        [_find_frames(file, f"{stage}.{number}", pattern.size) for stage in stages]
        for number, pattern in enumerate(network.patterns)
    ]
    most = max(sum(frame.size for frame in part) for parts in frames for part in parts)
    check_memory(network.bytes + _READERS * most, f"the weights of {file.name}")
    with ThreadPoolExecutor(_READERS) as pool:
        zeros, kernel = pool.submit(_zeros, network), pool.submit(_load_kernel)

        def fill(number: int) -> None:
            name = f"pattern {number} of {file.name}"
            parts = [_decompressed(part, name) for part in frames[number]]
            start = network.offsets[number]
            table = zeros.result()[:, start : start + network.patterns[number].size]
            for stage, (bits, low, high) in enumerate(parts):
                if stage:
                    table[stage] = table[stage - 1]
                kernel.result()(bits.view("<u2"), low, high, unit, table[stage])

        list(pool.map(fill, range(len(frames))))
    return zeros.result()


def _zeros(network: Network) -> Weights:
    weights: Weights = large_zeros(network.stage_count * network.stage_size, np.float32, quick=True)
    return weights.reshape(network.stage_count, network.stage_size)


def _load_kernel() -> Any:
    """Load `add_planes`, while other threads decompress: importing Numba takes half a second."""
    from twofold.kernels.ntuple import add_planes

    add_planes.load()
    return add_planes


def _find_frames(file: TensorFile, at: str, weights: int) -> list[Frame]:
    """Find and check the planes of a stage and pattern, such as `0.3`; none is decompressed."""
    frames = [_read_frame(file, f"{kind}.{at}", weights) for kind in ("map", "low", "high")]
    sizes = [frame.size for frame in frames]
    if sizes[0] != weights // 8 or sizes[1] > weights or sizes[1] != sizes[2]:
        raise InvalidNetwork(
            f"expected planes of {weights // 8}, n and n bytes for {at} "
            f"(n up to {weights}), got {sizes[0]}, {sizes[1]} and {sizes[2]} in {file.name}"
        )
    return frames


def _read_frame(file: TensorFile, key: str, weights: int) -> Frame:
    place = checked(file.tensors, key, (np.uint8,), (None,), file.name)
    if place.nbytes > 2 * weights + _SPARE:
        raise InvalidNetwork(
            f"expected {key} for {weights} weights, got {place.nbytes} bytes in {file.name}"
        )
    data = file.read(key).data
    try:
        said = zstandard.get_frame_parameters(data)
    except zstandard.ZstdError as error:
        raise InvalidNetwork(
            f"expected a Zstandard frame, got {error} in {key} of {file.name}"
        ) from None
    if not said.has_checksum or said.dict_id:
        raise InvalidNetwork(
            "expected a Zstandard frame with a checksum and without a dictionary, "
            f"got another kind in {key} of {file.name}"
        )
    return Frame(data, int(said.content_size))


def _decompressed(frames: list[Frame], name: str) -> list[Bytes]:
    """The planes of a stage and pattern: which weights have codes, low bytes, high bytes."""
    planes: list[Bytes] = []
    for data, size in frames:
        try:
            plane = zstandard.ZstdDecompressor().decompress(
                data, max_output_size=size, allow_extra_data=False
            )
        except zstandard.ZstdError as error:
            raise InvalidNetwork(
                f"expected a whole Zstandard frame, got {error} in {name}"
            ) from None
        if len(plane) != size:
            raise InvalidNetwork(f"expected a frame of {size} bytes, got {len(plane)} in {name}")
        planes.append(np.frombuffer(plane, dtype=np.uint8))
    count = int(np.bitwise_count(planes[0]).sum(dtype=np.int64))
    if count != frames[1].size:
        raise InvalidNetwork(f"expected {count} codes, got {frames[1].size} for {name}")
    return planes
