"""`twofold selftest`: is this installation right?"""

import typer

from twofold.cli._common import JsonOption, print_out, waiting, write_json

EXAMPLE = "  twofold selftest"


def command(json: JsonOption = False) -> None:
    """Check this installation and print its signature."""
    from dataclasses import asdict

    from twofold.selftest import run_selftest

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
