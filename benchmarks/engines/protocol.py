"""The engine protocol for a program that answers a board with a move."""

import argparse
import csv
import itertools
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, Protocol, TextIO

RULES: Final = "4x4 spawn=2:0.9,4:0.1 start=2"
MOVES: Final = "urdl"
LARGEST: Final = 15
"""The largest exponent that fits into four bits: the tile 32768."""
SHOWN: Final = 80
"""Characters of a wrong value that a message repeats."""


class Program(Protocol):
    """A program under test.

    Attributes:
        name: its name and its depth, as tables show them.
        author: who wrote it.
    """

    name: str
    author: str

    def begin(self) -> None:
        """Begin a game."""

    def choose(self, cells: Sequence[int]) -> str:
        """Its move of a board of 16 exponents, row by row: a letter of `MOVES`, or any other."""

    def cpu_seconds(self) -> float:
        """CPU time that it has used for moves since it began."""

    def close(self) -> None:
        """End the program."""


@dataclass(slots=True)
class Adapter:
    """Answers lines of the protocol; appends moves and CPU time of each game to `times`."""

    program: Program
    out: TextIO
    times: Path | None = None
    cells: list[int] = field(default_factory=list)
    moves: int = 0
    before: float = 0.0

    def serve(self, lines: Iterable[str]) -> None:
        """Answer until `quit`, or the end of the input."""
        try:
            for line in lines:
                word, *words = line.split() or [""]
                if word == "quit":
                    break
                try:
                    self._obey(word, words)
                except ValueError as error:
                    self._say(f"error {error}")
                self.out.flush()
        finally:
            self._end_game()
            self.program.close()

    def _obey(self, word: str, words: list[str]) -> None:
        if word == "u2048":
            self._say(f"id name {self.program.name}", f"id author {self.program.author}", "u2048ok")
        elif word == "ready":
            self._say("readyok")
        elif word == "new":
            self._new(" ".join(words))
        elif word == "position":
            self.cells = []
            self.cells = parse_cells(words[0] if words else "")
        elif word == "go":
            self._say(f"bestmove {self._move()}")
        elif word == "option":
            raise ValueError("expected no options: this engine offers none")

    def _new(self, rules: str) -> None:
        if not rules.startswith(RULES):
            raise ValueError(f"expected rules {RULES}, got {rules[:SHOWN]}")
        self._end_game()
        self.cells = []
        self.program.begin()
        self.before = self.program.cpu_seconds()

    def _move(self) -> str:
        if not self.cells:
            raise ValueError("expected a position before go")
        if not (legal := legal_moves(self.cells)):
            return "none"
        self.moves += 1
        move = self.program.choose(self.cells)
        return move if move in legal else legal[0]

    def _end_game(self) -> None:
        if self.times is not None and self.moves:
            seconds = self.program.cpu_seconds() - self.before
            write_time(self.times, self.program.name, self.moves, seconds)
        self.moves = 0

    def _say(self, *lines: str) -> None:
        self.out.writelines(f"{line}\n" for line in lines)


def parse_cells(text: str) -> list[int]:
    """Parse a board of the protocol: `0012/0013/0024/1357` -> 16 exponents.

    Raises:
        ValueError: it is not 4x4, or not a board.
    """
    rows = text.split("/")
    if [len(row) for row in rows] != [4] * 4 or not text.replace("/", "").isalnum():
        raise ValueError(f"expected a board of 4 rows of 4 cells, got {text[:SHOWN]}")
    return [int(digit, 36) for row in rows for digit in row]


def legal_moves(cells: Sequence[int]) -> str:
    """The letters of the legal moves: `0000/0000/0000/0001` -> `ul`."""
    rows = [cells[start : start + 4] for start in (0, 4, 8, 12)]
    columns = [cells[start::4] for start in range(4)]
    found = [_slides(columns), _slides(_reversed(rows))]
    found += [_slides(_reversed(columns)), _slides(rows)]
    return "".join(letter for letter, slides in zip(MOVES, found, strict=True) if slides)


def _slides(lines: Sequence[Sequence[int]]) -> bool:
    """True if a tile of a line can move to the line's start."""
    return any(
        second and first in (0, second)
        for line in lines
        for first, second in itertools.pairwise(line)
    )


def _reversed(lines: Sequence[Sequence[int]]) -> list[Sequence[int]]:
    return [line[::-1] for line in lines]


def packed(cells: Sequence[int]) -> int:
    """Four bits a cell, the first cell lowest; tiles beyond 32768 become 32768."""
    return sum(min(cell, LARGEST) << 4 * number for number, cell in enumerate(cells))


def write_time(path: Path, name: str, moves: int, seconds: float) -> None:
    """Append a game to a CSV file: the program, its moves, its CPU time in seconds."""
    with path.open("a", encoding="utf-8", newline="") as file:
        csv.writer(file).writerow([name, moves, f"{seconds:.6f}"])


def parser(about: str | None) -> argparse.ArgumentParser:
    """The options that every adapter has."""
    made = argparse.ArgumentParser(description=about)
    made.add_argument("--times", type=Path, help="append the CPU time of each game to this file")
    return made


def run(program: Program, times: Path | None, out: TextIO = sys.stdout) -> None:
    """Speak the protocol over standard input and output."""
    Adapter(program, out, times).serve(sys.stdin)
