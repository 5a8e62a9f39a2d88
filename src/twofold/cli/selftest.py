"""`twofold selftest`: is this installation right?"""

from dataclasses import asdict

import typer

from twofold.cli._options import JsonOption
from twofold.cli._output import print_out, write_json
from twofold.cli._progress import waiting
from twofold.selftest import run_selftest

EXAMPLE = "  twofold selftest"


def command(json: JsonOption = False) -> None:
    """Check this installation and print its signature."""
    with waiting("checking ..."):
        result = run_selftest()
    checks = [asdict(check) for check in result.checks]
    good = all(check["ok"] for check in checks)
    if json:
        write_json("selftest", {"signature": result.signature, "ok": good, "checks": checks})
    else:
        for check in checks:
            verdict = "ok    " if check["ok"] else "FAILED"
            print_out(f"{verdict}  {check['name']}: {check['detail']}")
        print_out(f"signature {result.signature}")
    if not good:
        raise typer.Exit(1)
