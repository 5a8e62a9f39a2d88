"""`python -m twofold` is the command `twofold`."""

from twofold.cli import main

if __name__ == "__main__":
    main()
