"""Whatever cannot be read ends with one sentence, exit code 2, and nothing written."""

from pathlib import Path

import pytest

from tests.support.commands import Cli

BOARD = "0012/0013/0024/1357"
LONG = "n" * 300
CASES = {
    "board: too short": ["analyse", "001"],
    "board: letters": ["analyse", "00$2/0013/0024/1357"],
    "board: no tile": ["analyse", "3 0 0 0 / 0 0 0 0 / 0 0 0 0 / 0 0 0 0"],
    "board: empty": ["analyse", ""],
    "board: huge": ["analyse", "1" * 100_000],
    "board: shape": ["analyse", "9x9:0"],
    "board: without tiles": ["analyse", "0000/0000/0000/0000"],
    "board: no saved game": ["analyse", '{"grid":1}'],
    "board: order of digits": ["analyse", "0x0012001300241357"],
    "board: format": ["analyse", BOARD, "--board-format", "fen"],
    "player: unknown": ["watch", "nobody"],
    "player: key": ["watch", "greedy:depth=3"],
    "player: value": ["analyse", BOARD, "--player", "expectimax:ply=x"],
    "player: evaluator": ["analyse", BOARD, "--player", "expectimax:eval=nobody"],
    "player: empty": ["watch", ""],
    "player: escape code": ["watch", "\x1b[31mred.py:Mine"],
    "player: no file": ["bench", "no/such/file.py:Name"],
    "player: one of two": ["bench", "greedy", "no.module:Name"],
    "player: hints": ["play", "--hints", "x:y=z"],
    "rules: unknown": ["watch", "greedy", "--rules", "4x4 speed=3"],
    "rules: goal": ["watch", "greedy", "--rules", "goal=2047"],
    "rules: shape": ["play", "--rules", "1x1"],
    "rules: spawn": ["bench", "greedy", "--rules", "spawn=2:nan"],
    "rules: unsupported": ["watch", "it3105-snake", "--rules", "5x5"],
    "seed: negative": ["watch", "greedy", "--seed", "-1"],
    "seed: words": ["bench", "greedy", "--seed", "seven"],
    "seed: large": ["play", "--seed", str(2**64)],
    "time: nan": ["analyse", BOARD, "--time", "nan"],
    "time: none": ["analyse", BOARD, "--time", "0"],
    "nodes: part": ["analyse", BOARD, "--nodes", "1.5"],
    "ply: words": ["analyse", BOARD, "--ply", "deep"],
    "threads: none": ["analyse", BOARD, "--threads", "0"],
    "threads: player": ["analyse", BOARD, "--threads", "2", "--player", "greedy"],
    "explain: player": ["analyse", BOARD, "--explain", "--player", "greedy"],
    "board: another as input": ["analyse", "-"],
    "score: negative": ["analyse", BOARD, "--score", "-4"],
    "pace: nan": ["watch", "greedy", "--moves-per-second", "nan"],
    "pace: years a move": ["watch", "greedy", "--moves-per-second", "1e-18", "--words"],
    "pace: zero": ["watch", "greedy", "--moves-per-second", "0"],
    "games: none": ["bench", "greedy", "--games", "0"],
    "jobs: none": ["bench", "greedy", "--jobs", "0"],
    "file: no folder": ["watch", "greedy", "--record", "no/such/folder/game"],
    "file: a folder": ["watch", "greedy", "--record", "."],
    "file: missing": ["play", "--resume", "missing.2048"],
    "file: no record": ["play", "--resume", "noise.2048"],
    "file: folder to resume": ["play", "--resume", "."],
    "file: noise to convert": ["convert", "noise.2048", "game.2048"],
    "file: nothing to convert": ["convert", "missing.txt", "game.2048"],
    "file: noise to review": ["review", "noise.2048"],
    "name: record": ["watch", "greedy", "--record", LONG],
    "name: saved game": ["play", "--resume", LONG],
    "name: code": ["watch", f"{LONG}.py:Mine"],
    "name: network": ["analyse", BOARD, "--player", f"ntuple:net={LONG}"],
    "name: folder": ["serve", "--folder", LONG],
    "name: review": ["review", LONG],
    "name: convert": ["convert", LONG, "game.2048"],
    "name: study": ["bench", "greedy", "--games", "1", "--out", LONG],
    "name: study to resume": ["bench", "--resume", "--out", LONG],
    "name: boards": ["bench", "greedy", "--boards", LONG],
    "name: report": ["report", LONG],
    "name: training": ["train", "0123", "--games", "1", "--out", f"{LONG}.safetensors"],
    "name: training to resume": ["train", "--resume", "--games", "1", "--out", LONG],
    "name: policy": ["train-policy", "--moves", "10", "--out", f"{LONG}.safetensors"],
    "name: solution": ["solve", "2x2", "--out", LONG],
    "name: networks": ["net", "info", LONG],
    "name: table": ["tables", "info", f"{LONG}.twofold-table"],
    "name: table to remove": ["tables", "remove", f"{LONG}.twofold-table"],
    "name: tables": ["tables", "list", "--out", LONG],
    "name: new table": ["tables", "build", "442-512", "--out", LONG],
}


@pytest.mark.parametrize("case", CASES)
def test_one_sentence_and_nothing_written(
    cli: Cli, case: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "noise.2048").write_bytes(b"\x00\xff not a record \x1b[31m")
    before = sorted(tmp_path.rglob("*"))
    monkeypatch.chdir(tmp_path)
    code, out, err = cli(*CASES[case], stdin="l\nd\n")
    assert code == 2, err
    assert out == ""
    assert err.startswith("twofold: ")
    assert err.endswith("\n")
    assert err[:-1].isprintable()
    assert len(err) < 400
    assert sorted(tmp_path.rglob("*")) == before
