"""What building a table takes: boards, bytes, memory, time; and whether there is room for it."""

import shutil
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from twofold.endgame.build import Builder
from twofold.endgame.cells import layer_sizes
from twofold.endgame.format import head_bytes
from twofold.endgame.pattern import EndgamePattern, PatternKind
from twofold.errors import ResourceError
from twofold.figures import bytes_words
from twofold.limits import MAX_ENDGAME_CODES, MAX_ENDGAME_STATES
from twofold.memory import check_memory

_LAYER_BYTES: Final = 22
"""Memory for a board of the largest layer: five chances, and a level."""

_CODE_BYTES: Final = 220
"""Memory for a content of the larger half: tables of its moves and spawns, while they are made."""

_BASE: Final = 250_000_000
"""Memory of the program itself, in bytes."""

_NOTE_BYTES: Final = 16
"""Disk for a board of the largest layer: a note and its successor, of two layers each."""

_TRIED: Final = "442-64"
"""The table that is built to measure the speed."""

_CELLS_EFFORT: Final = 7.0
"""How much longer a board takes whose pattern is numbered cell by cell."""

_RATE_SHARE: Final = 0.85
"""The speed of large tables, whose layers do not fit into the processor's cache, to the tried."""


@dataclass(frozen=True, slots=True)
class BuildPlan:
    """What a table takes.

    Attributes:
        pattern: the pattern.
        bits: of a level.
        states: boards of the table.
        disk: bytes of its file.
        work: bytes of disk that are needed beside it while it is built.
        memory: bytes of memory while it is built.
    """

    pattern: EndgamePattern
    bits: int
    states: int
    disk: int
    work: int
    memory: int

    @classmethod
    def of(cls, pattern: EndgamePattern, bits: int) -> "BuildPlan":
        """What the table of a pattern takes.

        Raises:
            ResourceError: it is beyond all reach.
        """
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
        disk = len(head_bytes(pattern, bits)) + 16 * len(sizes) + states * bits // 8
        memory = _BASE + _LAYER_BYTES * max(sizes) + _CODE_BYTES * codes
        return cls(pattern, bits, states, disk, _NOTE_BYTES * max(sizes), memory)

    @property
    def effort(self) -> float:
        """How long it takes, in boards of a dense table."""
        return self.states * (1.0 if self.pattern.kind is PatternKind.DENSE else _CELLS_EFFORT)


def check_room(plans: Sequence[BuildPlan], folder: Path, held: int = 0) -> None:
    """Refuse what does not fit; the tables are built one after the other.

    Args:
        plans: of the tables.
        folder: where their files are going to be.
        held: bytes that earlier runs already hold there for them.

    Raises:
        ResourceError: they need more disk or memory than there is.
    """
    for plan in plans:
        check_memory(plan.memory, f"building {plan.pattern.name}")
    free = shutil.disk_usage(folder).free
    needed = sum(plan.disk for plan in plans) + max(plan.work for plan in plans) - held
    if needed > free:
        names = ", ".join(plan.pattern.name for plan in plans)
        raise ResourceError(
            f"expected {bytes_words(needed)} of free disk for {names} in {str(folder)!a}, "
            f"got {bytes_words(free)}"
        )


def measured_rate(threads: int) -> float:
    """About how many boards a second are built here, from a table that takes a second."""
    builder = Builder(EndgamePattern.parse(_TRIED), threads)
    began = time.perf_counter()
    states = sum(len(layer.after) for layer in builder.layers())
    return _RATE_SHARE * states / (time.perf_counter() - began)
