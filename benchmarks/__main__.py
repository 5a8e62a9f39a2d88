"""Measures the named subjects, or all, and prints a table for each."""

import argparse
import importlib
import json
import sys

from rich.console import Console

from benchmarks.common import Report, Settings, document, machine, print_report

SUBJECTS = (
    "start",
    "terminal",
    "kernels",
    "datumbox",
    "baeldung",
    "expectimax",
    "alphabeta",
    "search",
    "ntuple",
    "policy",
    "env",
    "endgame",
    "engine",
    "arena",
)

NAMED_ONLY = (
    "published", "nneonneo", "tdl", "curves", "ntuple_cuda", "web", "exact", "losses"
)  # fmt: skip
"""Subjects that take minutes, need another program, a graphics card or a file: only if named."""


def main() -> None:
    options = _parser().parse_args()
    settings = Settings(options.seed, options.runs, options.games, options.library, options.program)
    where = machine()
    console = Console(stderr=options.json, width=None if sys.stdout.isatty() else 120)
    if not options.json:
        console.print("\n".join(f"{key}: {value}" for key, value in where.items()), highlight=False)
        console.print(f"seed: {settings.seed}\n", highlight=False)
    reports = {}
    for name in options.names or SUBJECTS:
        reports[name] = _measure(name, settings)
        if not options.json:
            print_report(reports[name], console)
    if options.json:
        subjects = {name: document(report) for name, report in reports.items()}
        text = {"schema": 1, "seed": str(settings.seed), "subjects": subjects, "machine": where}
        print(json.dumps(text, indent=2))


def _measure(name: str, settings: Settings) -> Report:
    print(f"measuring {name} ...", file=sys.stderr, flush=True)
    report: Report = importlib.import_module(f"benchmarks.{name}").measure(settings)
    return report


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument(
        "names",
        nargs="*",
        metavar="NAME",
        choices=[[], *SUBJECTS, *NAMED_ONLY],
        help=f"{', '.join(SUBJECTS)}; all of them if none is named; {', '.join(NAMED_ONLY)}",
    )
    parser.add_argument("--seed", type=int, default=1, help="seed of the first game")
    parser.add_argument("--runs", type=_positive, default=5, help="runs of each measurement")
    parser.add_argument(
        "--games", type=_positive, default=None, help="games for reach rates and wins"
    )
    parser.add_argument("--library", default=None, help="shared library, for nneonneo")
    parser.add_argument(
        "--program", default=None, help="executable of TDL2048+, for tdl and curves"
    )
    parser.add_argument("--json", action="store_true", help="print one JSON document")
    return parser


def _positive(text: str) -> int:
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError(f"expected 1 or more, got {number}")
    return number


main()
