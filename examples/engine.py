"""An engine in plain Python: it speaks the engine protocol and does not import twofold.

twofold watch 'engine:cmd=python examples/engine.py'
twofold engine-check 'python examples/engine.py'
"""

import sys


def slid(line: list[int]) -> tuple[list[int], int]:
    """A line slid to its start, and the points: [1, 1, 0, 2] -> ([2, 2, 0, 0], 4)."""
    tiles, out, points = [tile for tile in line if tile], [], 0
    while tiles:
        out.append(tiles.pop(0))
        if tiles and tiles[0] == out[-1]:
            out[-1] = tiles.pop(0) + 1
            points += 1 << out[-1]
    return out + [0] * (4 - len(out)), points


def values(rows: list[list[int]]) -> dict[str, int]:
    """The value of each legal move: its points, and 10 for each empty cell that remains."""
    found = {}
    for move in "urdl":  # of equal moves the first is chosen
        lines = [list(line) for line in zip(*rows, strict=True)] if move in "ud" else rows
        lines = [line[::-1] for line in lines] if move in "rd" else lines
        after = [slid(line) for line in lines]
        if [line for line, _ in after] != lines:
            found[move] = sum(points + 10 * line.count(0) for line, points in after)
    return found


def obey(word: str, words: list[str], rows: list[list[int]]) -> None:
    """Answer a line; `rows` is the position, empty before the first one."""
    if word == "u2048":
        print("id name sample\nid author the twofold authors\nshapes 4x4\nu2048ok")
    elif word == "ready":
        print("readyok")
    elif word == "option" or (word == "new" and words[:1] != ["4x4"]):
        raise ValueError("expected new 4x4, and no options")
    elif word == "position":
        rows.clear()
        cells = [int(digit, 36) for digit in words[0].replace("/", "")] if words else []
        if len(cells) != 16:
            raise ValueError("expected 16 cells")
        rows += [cells[4 * row : 4 * row + 4] for row in range(4)]
    elif word == "go":
        if not rows:
            raise ValueError("expected a position before go")
        found = values(rows)
        if found:
            print("info depth 1 unit points", *(f"{move} {found[move]}" for move in found))
        print("bestmove", max(found, key=found.__getitem__, default="none"))
    elif word == "quit":
        sys.exit()


position: list[list[int]] = []
for line in sys.stdin:
    first, *rest = line.split() or [""]
    try:
        obey(first, rest, position)
    except ValueError as error:
        print("error", error)
    sys.stdout.flush()
