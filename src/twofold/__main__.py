"""`python -m twofold` is the command `twofold`."""

import sys

TYPE_CHECKING = False  # see twofold/__init__.py
if TYPE_CHECKING:
    from typing import NoReturn


def main() -> "NoReturn":
    """Run the command; Ctrl-C during the imports ends it without a traceback, too."""
    try:
        from twofold.cli import main as run
    except KeyboardInterrupt:
        sys.exit(130)
    run()


if __name__ == "__main__":
    main()
