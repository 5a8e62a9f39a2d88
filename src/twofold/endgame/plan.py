"""What building a table needs: boards, disk, memory and time; and whether there is room for it."""

import shutil
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from twofold.endgame.build import Builder
from twofold.endgame.cells import layer_sizes
from twofold.endgame.format import body_bytes, head_bytes
from twofold.endgame.pattern import EndgamePattern, PatternKind
from twofold.errors import ResourceError
from twofold.figures import bytes_words
from twofold.limits import MAX_ENDGAME_CODES, MAX_ENDGAME_STATES
from twofold.memory import check_memory

_LAYER_BYTES: Final = 22
"""Bytes of memory per board of the largest layer: five chances and a level."""

_CODE_BYTES: Final = 220
"""Bytes of memory per content of the larger half, while its tables of moves and spawns are made."""

_BASE: Final = 250_000_000
"""Bytes of memory of the program itself."""

_NOTE_BYTES: Final = 16
"""Bytes of disk per board of the largest layer: a checkpoint and the next one, two layers each."""

_TRIED: Final = "442-64"
"""The table that `measured_rate` builds."""

_EFFORTS: Final = {PatternKind.DENSE: 1.0, PatternKind.WALLS: 2.0, PatternKind.CELLS: 7.0}
"""Time per board of patterns, relative to dense ones."""

_RATE_SHARE: Final = 0.85
"""Speed of large tables, whose layers exceed the processor's cache, relative to `_TRIED`."""


@dataclass(frozen=True, slots=True)
class BuildPlan:
    """What building a table needs: `disk`, `work` (beside the file) and `memory` in bytes.

    The disk of a table of walls is an upper bound: chances of 0 are not stored.
    """

    pattern: EndgamePattern
    bits: int
    states: int
    disk: int
    work: int
    memory: int

    @classmethod
    def of(cls, pattern: EndgamePattern, bits: int) -> "BuildPlan":
        """The plan of a pattern's table; raises `ResourceError` if it exceeds the limits."""
        sizes = layer_sizes(pattern)
        codes, states = pattern.codes, sum(sizes)
        if pattern.kind is PatternKind.CELLS and states > MAX_ENDGAME_STATES:
            raise ResourceError(
                f"expected a table of at most {MAX_ENDGAME_STATES:,} boards, got {states:,} "
                f"for {pattern.name}; a smaller target makes it smaller"
            )
        if states > MAX_ENDGAME_STATES or codes > MAX_ENDGAME_CODES:
            raise ResourceError(
                f"expected a table of at most {MAX_ENDGAME_STATES:,} boards and "
                f"{MAX_ENDGAME_CODES:,} contents of its upper free cells, got {states:,} and "
                f"{codes:,} for {pattern.name}; caps make it smaller: "
                f"{pattern.shape}-{1 << pattern.target}/16-64"
            )
        disk = len(head_bytes(pattern, bits)) + body_bytes(pattern, bits)
        memory = _BASE + _LAYER_BYTES * max(sizes) + _CODE_BYTES * codes
        return cls(pattern, bits, states, disk, _NOTE_BYTES * max(sizes), memory)

    @property
    def effort(self) -> float:
        """Build time, in units of the time per board of a dense table."""
        return self.states * _EFFORTS[self.pattern.kind]


def check_room(plans: Sequence[BuildPlan], folder: Path, held: int = 0) -> None:
    """Refuse tables that need more disk or memory than there is; raises `ResourceError`.

    They are built one after the other; `held` counts the bytes that earlier runs use in `folder`.
    """
    for plan in plans:
        check_memory(plan.memory, f"building {plan.pattern.name}")
    free = shutil.disk_usage(folder).free
    needed = sum(plan.disk for plan in plans) + max(plan.work for plan in plans) - held
    if needed > free:
        names = ", ".join(plan.pattern.name for plan in plans)
        raise ResourceError(
            f"building {names} needs {bytes_words(needed)} of free disk in {str(folder)!a}, "
            f"but only {bytes_words(free)} is free"
        )


def measured_rate(threads: int) -> float:
    """Build speed on this machine, in boards a second, measured with a table of about a second."""
    builder = Builder(EndgamePattern.parse(_TRIED), threads)
    began = time.perf_counter()
    states = sum(len(layer.after) for layer in builder.layers())
    return _RATE_SHARE * states / (time.perf_counter() - began)
