"""CPU time a move of a program in games of its own, without the protocol and the adapter.

python -m benchmarks.engines.own_play "macroxue/2048-ai, depth 3" --times=own.csv \\
    --command "./2048 -d3 -i5 2001"
"""

import re
import shlex
import subprocess
from pathlib import Path

from benchmarks.common import child_seconds
from benchmarks.engines import protocol

TDL = re.compile(r"^\d+/\d+ (\d+)ms ([\d.]+)ops", re.MULTILINE)
MACROXUE = re.compile(r"^game# \d+ moves (\d+) ", re.MULTILINE)


def count_moves(output: str) -> int:
    """The moves that a program reports, in its own words."""
    blocks = sum(int(milliseconds) / 1e3 * float(ops) for milliseconds, ops in TDL.findall(output))
    return round(blocks) + sum(int(moves) for moves in MACROXUE.findall(output))


def measure(command: str, folder: Path | None) -> tuple[int, float]:
    """Run a command to its end: the moves that it reports, and its CPU seconds."""
    before = child_seconds()
    done = subprocess.run(
        shlex.split(command), cwd=folder, capture_output=True, text=True, check=True
    )
    return count_moves(done.stdout), child_seconds() - before


def main() -> None:
    parser = protocol.parser(__doc__)
    parser.add_argument("name", help="as in the league")
    parser.add_argument("--command", required=True)
    parser.add_argument("--start", help="a command that only starts: its CPU time is subtracted")
    parser.add_argument("--folder", type=Path, help="where both run")
    options = parser.parse_args()
    if options.times is None:
        parser.error("expected --times FILE")
    start = measure(options.start, options.folder)[1] if options.start else 0.0
    moves, seconds = measure(options.command, options.folder)
    if not moves:
        parser.error(f"expected a program that reports its moves, got none from {options.command}")
    protocol.write_time(options.times, options.name, moves, seconds - start)


if __name__ == "__main__":
    main()
