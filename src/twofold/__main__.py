"""`python -m twofold` is the command `twofold`."""

import sys

TYPE_CHECKING = False  # see twofold/__init__.py
if TYPE_CHECKING:
    from typing import NoReturn

_COLLECT_AFTER = 20_000
"""Objects made before Python looks for cycles. Its usual 700 cost 0.1 s while Numba is imported."""


def main() -> "NoReturn":
    """Run the command; Ctrl-C during the imports ends it without a traceback, too."""
    try:
        import atexit
        import gc

        gc.set_threshold(_COLLECT_AFTER)
        atexit.register(gc.freeze)  # else the last search for cycles takes 0.25 s with Numba
        from twofold.cli import main as run
    except KeyboardInterrupt:
        sys.exit(130)
    run()


if __name__ == "__main__":
    main()
