"""Reasons of moves: the sentence that a strong player would say."""

import pytest

from twofold.game.board import Board
from twofold.game.rules import Move, Rules
from twofold.games.reasons import reason_of

CASES = [
    # board, the moves with their ratios, best first; the move; the sentence
    ("0000/0000/1001/89ab", "l1 u.7", "u", "It takes the 2048 out of its corner."),
    ("0000/0000/1001/89ab", "l1 u.7", "l", "It keeps the 2048 in its corner."),
    ("2026/0020/0010/0000", "r1 l.7", "l", "It takes the 64 out of its corner."),
    ("0600/1200/0000/0000", "l1 d.9", "d", "It leaves the 64 outside the corners."),
    ("0600/1200/0000/0000", "l1 d.9", "l", "It brings the 64 to a corner."),
    (
        "0023/0103/0000/0000",
        "l1 u.7",
        "u",
        "The next move may have to be down, which takes the 8 out of its corner.",
    ),
    ("3589/2357/0246/1135", "r1 u.9", "u", "The next tile may end the game."),
    ("3589/2357/0246/1135", "r1 u.9", "r", "With up, the next tile may end the game."),
    ("1679/2457/2346/0215", "u1 l.9", "l", "It leaves 1 empty cell; the best move leaves 2."),
    ("2456/1345/1340/2100", "u1 r.95", "r", "It separates the two 16s."),
    ("2456/1345/1340/2100", "u1 r.95", "u", "It keeps the two 16s together."),
    ("4667/1356/1045/0012", "r1 u.65", "u", "It does not make the 128."),
    ("2557/0346/0124/0112", "r1 u.95", "u", "It does not make the 64."),
    ("0023/1023/6542/7543", "d1 r.89", "d", "It makes a 64."),
    ("3169/0266/1325/0114", "r1 l.75", "l", "It breaks the order of the right column."),
    (
        "1689/1457/1446/1235",
        "u1 d.8",
        "d",
        "It leaves a gap in the top row, so that the 512 can slide away.",
    ),
    (
        "3457/2346/0123/0102",
        "d1 l.9",
        "d",
        "It keeps the right column full, so that the 128 stays in its corner.",
    ),
    ("0079/0057/1336/2224", "r1 u.97", "u", "It leaves 4 empty cells; the best move leaves 6."),
    ("1222/7541/1124/2012", "l1 r.8 d.7", "l", "It leaves 3 empty cells, against 1 with down."),
    (
        "1000/1010/2244/6874",
        "d1 r.8 l.8 u.7",
        "d",
        "It leaves 2 pairs that can merge, against 0 with right.",
    ),
    ("2679/2357/0146/0124", "u1 d.996", "d", "It is about as good as the best move."),
    ("1234/0000/0000/0000", "d1", "d", "It is the only legal move."),
    (
        "0000/0000/0000/0110",
        "l1 r.9",
        "r",
        "Nothing breaks at once, but the positions after it are worse.",
    ),
    (
        "0000/0000/0000/0110",
        "l1 r.9",
        "l",
        "Nothing breaks with any move; the positions after this one are better.",
    ),
]  # fmt: skip


@pytest.mark.parametrize(("text", "graded", "letter", "sentence"), CASES)
def test_a_reason_is_what_a_strong_player_says(
    text: str, graded: str, letter: str, sentence: str
) -> None:
    board = Board.parse(text)
    ratios = {Move.parse(one[0]): float(one[1:]) for one in graded.split()}
    assert set(ratios) <= set(board.legal_moves())
    found = reason_of(board, Rules(), Move.parse(letter), next(iter(ratios)), ratios)
    assert str(found) == sentence
