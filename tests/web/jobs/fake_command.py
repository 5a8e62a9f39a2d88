"""A fake command for jobs: it prints progress and ends as `players` says.

It does not import twofold, so that it starts at once.
"""

import pathlib
import sys

PROGRAM = (sys.executable, "-I", __file__)
"""Runs it."""

END = {"done": 0, "interrupted": 130}


def main() -> int:
    words = sys.argv[1:]
    act, out = words[1], words[words.index("--out") + 1]
    if act == "again" and pathlib.Path(out).exists():
        return END["done"]
    if act != "slow":
        pathlib.Path(out).write_text("begun")
    print('{"progress": 0.25}\nnot a line of progress', file=sys.stderr, flush=True)
    if act in ("waits", "again", "slow"):
        sys.stdin.read()  # until the server closes it
        print("twofold: interrupted; saved", file=sys.stderr)
        return END["interrupted"]
    return END[act]


if __name__ == "__main__":
    sys.exit(main())
