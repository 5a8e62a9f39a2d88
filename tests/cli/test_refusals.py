"""What a command cannot do: exit code 2, one sentence, nothing printed, and no file touched."""

import importlib.util
import shlex
import shutil
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from tests.game.replays import REPLAYS
from tests.support.commands import Cli, write_game
from tests.support.policies import make_policy, write
from twofold.arena.study import Study
from twofold.cli import _PATHS, COMMANDS, _loaded, drive
from twofold.tables.problem import Problem
from twofold.tables.solver import Solver, estimate
from twofold.tables.store import LayerStore
from twofold.values.network_file import network_path
from twofold.web.server import Server

BOARD = "0012/0013/0024/1357"
LONG = "n" * 300
OWN = Path(__file__).parents[2] / "examples" / "my_rule.py"
TRAIN = "0123 --threads 1 --games 1 --out n.safetensors"
TUNE = "expectimax:eval=rows,ply=1 --out t.db"
URL = "http://127.0.0.1:1/"

FAULTS: dict[str, list[tuple[str, str]]] = {
    "": [
        ("frobnicate", "no such command 'frobnicate' (see twofold --help)"),
        ("wacth", "did you mean 'watch'"),
    ],
    "analyse": [
        ("", "missing argument 'BOARD' (see twofold analyse --help)"),
        ("001", "expected 16 cells"),
        ("''", "expected a board such as 0012/0013/0024/1357, or its file, got ''"),
        ("gone.txt", "there is no such file either"),
        ("0000/0000/0000/0000", "no move is legal on 0000/0000/0000/0000: it has no tile"),
        ("few.txt", "'few.txt': expected 16 cells for a 4x4 board, got 3"),
        ("-", "expected a game or a board in a known form"),
        (f"{BOARD} --player policy:net=policy,ply=1 --ply 1", "the player: policy:ply="),
        (f"{BOARD} --player greedy --ply 2", "such as ntuple, with --ply, got "),
        (f"{BOARD} --threads 2 --player alphabeta", "takes threads (expectimax, ntuple, nneonneo"),
        (f"{BOARD} --explain --player greedy", "a player with an evaluator for --explain, got "),
        ("2x2:11/02 --player greedy --outcomes", "expected exact:table=FILE for --outcomes, got"),
        ("hello", "its file, got 'hello'; 0 is an empty cell, 1 the tile 2, 2 the tile 4, a the"),
    ],
    "bench": [
        ("greedy --games 1k", "expected --games as a whole number such as 1000 or 1e3, got '1k'"),
        ("greedy --games 0", "expected --games as a number from 1 to 10000000, got 0 (see"),
        ("greedy --timeout soon", "expected --timeout such as 50ms, 0.5s, 2m or 1h30m"),
        ("greedy --ray ''", "expected --ray as an address, auto or local, got ''"),
        ("greedy --games 1 --records", "expected --records together with --out or --resume"),
        ("greedy --preset league", "expected no PLAYER with --preset: the preset says what"),
        ("--preset best", "expected --preset as one of sources, league, got 'best'"),
        ("--resume no.db --games 5", "expected no --games with --resume: a study"),
        ("--resume", "expected a study to continue, as --resume FILE, got none"),
        ("--resume empty.db", "it was asked for no games"),
        ("fast greedy ntuple:ply=1 --out s.db", "same one as 'fast' and 'ntuple:ply=1'"),
        ("greedy --boards late.txt --rules 3x3", "a 3x3 board as in the rules, got 4x4"),
        ("policy:net=p.safetensors", "got rules 4x4"),
    ],
    "compare": [
        ("greedy greedy", "expected two different players"),
        ("greedy random --tile 64", "expected --tile together with --sprt"),
        ("greedy random --sprt --tile 65", "expected --tile as a tile such as 2048, got '65'"),
        ("greedy random --sprt --delta much", "expected --delta such as 500 or 5%"),
        ("greedy random --sprt --delta \u0665%", "expected --delta such as 500 or 5%"),
        ("greedy random --sprt --tile \u0666\u0664", "expected --tile as a tile such as 2048"),
        ("greedy random --sprt --tile 64 --delta 9", "expected --delta"),
        ("greedy random --budget 1ms", "expected players with the key time for --bud"),
    ],
    "completion": [("fsh", "of bash, zsh, fish, got 'fsh'; did you mean fish?")],
    "convert": [
        ("stats.txt x.2048", "expected one game in the format twofold, got several"),
        ("stats.txt x.html", "expected one game in the format html, got several"),
        ("none.jsonl x.html --from jsonl", "expected one game in the format html, got none"),
        ("stats.txt x.2048 --game 3", "expected --game from 1 to 2, got 3"),
        ("stats.txt x.txt", "or a name that ends in .2048, .jsonl, .json, .html, got"),
        ("stats.txt x.txt --to pgn", "text, hex, hex-low, html), got 'pgn'"),
        ("stats.txt x.txt --to rpl", "hex-low, html), got 'rpl', which is only read"),
        ("stats.txt x.2048 --from pgn", "expected a format (twofold"),
        ("wrong.txt stats.jsonl --force", "line 3: move 1: expected a legal move"),
    ],
    "drive": [
        ("2048", "expected an address such as"),
        (f"{URL} --player nobody", "expected a player"),
        (f"{URL} --stop-at 2047", "expected --stop-at as a tile such as 2048"),
        (f"{URL} --selector colour=red", "one of the names"),
        (f"{URL} --record no/such/folder/game", "expected an existing folder"),
    ],
    "engine": [
        ("nobody", "expected a player (fast, "),
    ],
    "engine-check": [
        ("no-such-thing", "expected a program that can be run"),
        ("x" * 5_000, "expected the command of an engine of at most 1000 characters, got 5000"),
    ],
    "net": [
        ("info gone", "expected a network ("),
        ("convert a.safetensors x.txt", "in .safetensors, or in .w for TDL2048+, got 'x.txt'"),
        ("convert a.safetensors x.safetensors --unit 2", "--unit together with --release"),
        ("convert a.safetensors x.safetensors --bytes 2", "expected --bytes with a file *.w"),
        ("convert a.safetensors x.w --bytes 3", "expected --bytes as one of 2, 4, 8, got '3'"),
        ("convert a.safetensors x.w --note a", "expected no --note with 'x.w'"),
        ("convert a.safetensors x.w --release", "ends in .safetensors for --release"),
        ("convert p.safetensors p.w", "policy network"),
        ("convert p.safetensors x.safetensors --release --unit 4", "with an n-tuple network"),
        ("average a.safetensors a.safetensors --out x.w", "--out with a name that ends in"),
    ],
    "play": [
        ("--resume missing.2048", "missing.2048"),
        ("--resume game.2048 --rules 3x3", "expected no --rules with --resume"),
        ("--resume game.2048 --seed 1", "expected no --seed with --resume"),
    ],
    "players": [
        ("expctimax", "got 'expctimax'; did you mean expectimax?"),
    ],
    "report": [
        ("", "expected a study of bench --out, or --curves FILE, got neither"),
        (LONG, "expected a shorter file name"),
        ("study.db --html a --csv ./a", "expected a file of its own for each output"),
        ("study.db --html - --csv -", "expected a file of its own for each output"),
        ("study.db --parquet -", "expected --parquet with a file, got -"),
        ("study.db --records o.jsonl", "expected a study made with bench --records"),
        ("study.db --plot reach", "expected --plot together with --picture FILE"),
        ("study.db --label greedy", "expected --label PLAYER=NAME, got 'greedy'"),
        ("study.db --label greedy=a --label greedy=b", "got two for 'greedy'"),
        ("--curves c.csv --html o --axis moves", "expected no --axis with --html"),
        (f"study.db --picture o.svg{' --curves c.csv' * 21}", "expected at most 20 curves"),
        ("--curves c.csv", "expected --curves together with --html or --picture"),
        ("--curves c.csv --picture o.jpg", "in .svg, .pdf or .png, got 'o.jpg'"),
        ("--plot reach", "expected --plot together with a study of bench --out"),
    ],
    "review": [
        ("missing.2048", "missing.2048"),
        ("-", "standard input: expected a game or a board in a known form"),
        ("game.2048 --player corner", "expected a player that values moves"),
        ("game.2048 --player greedy --ply 2", "whose search can be limited"),
        ("game.2048 --walk --json", "expected --walk or --json, got both"),
        ("game.2048 --walk", "expected a terminal for --walk"),
    ],
    "serve": [
        ("--folder /no/such/folder", "expected an existing folder"),
        ("--port 0 --player nobody", "expected a player"),
        ("--port 0 --player policy:net=p.safetensors", "expected boards of 2x2 for "),
        ("--port 0 --host 192.0.2.1 --allow-network", "of this machine as host"),
        (f"--port 0 --host {LONG * 9}", "expected --allow-network with --host 'nnn"),
        ("--port 0 --data /dev/null", "/dev/null"),
    ],
    "solve": [
        ("", "expected the rules of a game, such as 2x3, got none"),
        ("--rules 5x5", "expected at most 4 rows and columns to solve"),
        ("2x2 --rules 2x3", "expected the rules of a game, such as 2x3, got two"),
        ("--rules 2x2 --out no/such/t", "expected --out in an existing folder"),
        ("--rules 2x2 --out solved", "expected a new file for --out, got solved"),
    ],
    "tables": [
        ("info 442-512", "Build it with: twofold tables build 442-512"),
        ("remove 442-8", "expected"),
        ("remove ./my.twofold-table", "expected"),
        ("remove my.twofold-table --out .", "the name of a table beside --out"),
    ],
    "train": [
        ("0123", "expected --out FILE"),
        ("0123 --out n.safetensors --downgrade 3", "expected --downgrade as a number from 512 to"),
        ("'' --out n.safetensors", "expected a NETWORK such as 4x6, or --resume, got neither"),
        ("0123 --out no/such/n.safetensors", "expected --out in an existing folder"),
        ("--resume", "expected --resume --out FILE: --resume itself takes no file"),
        ("0123 --out c.safetensors", "for the learning curve of 'c.safetensors', got 'c.csv'"),
        ("0123 --out n.txt", "expected --out with a name that ends in .safetensors"),
        (f"{TRAIN} --rule {OWN}:rms --schedule td", "a learning rule together with phases"),
        (f"{TRAIN} --eval-every 0g", "expected --eval-every in games from 1 to"),
        (f"{TRAIN} --eval-every '10 goats'", "expected --eval-every such as 10000g, or a time"),
        ("--out gone --resume --lambda 0", "expected no --lambda with --resume: the run keeps"),
        (f"{TRAIN} --optimism 1e9", "--optimism as a number from -10000000 to 10000000"),
        ("--out gone --resume", "cannot read 'gone'"),
    ],
    "train-policy": [
        ("", "expected --out FILE"),
        ("--resume --gamma 1 --out n.safetensors", "expected no --gamma with --resume: the run"),
    ],
    "tune": [
        ("greedy --out t.db", "expected a player with weights"),
        (f"{TUNE} --weights speed", "expected weights (lost, empty,"),
        (f"{TUNE} --objective fame", "expected an objective (score, log-score or a tile"),
        (f"{TUNE} --out noise.db", "expected a file made by 'twofold tune', got"),
    ],
    "watch": [
        ("greedy --sed 1", "no such option: --sed; did you mean --seed? (see"),
        ("'\x1b[31mred.py:Mine'", "expected"),
        ("policy:net=p.safetensors", "add --rules 2x2"),
        ("greedy --moves-per-second 1e-18 --words", "expected"),
        ("greedy --moves-per-second \u0663 --words", "as a number such as 0.5 or 1e3, got"),
    ],
}  # fmt: skip
"""By command: its arguments, and what is said of them."""

NOTES = ("twofold: training 0123 takes", "warning: other machines can reach this server")
"""What may be said before."""

CASES = [(command, *one) for command, faults in FAULTS.items() for one in faults]


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the files that the cases name."""
    folder = tmp_path_factory.mktemp("home")
    for name in ("noise.2048", "noise.db", "my.twofold-table", "there.safetensors"):
        (folder / name).write_bytes(b"\x00\xff no such file \x1b[31m")
    episodes = f"{REPLAYS['moporgic']}\nb:place@0|0131#D92|place@0\n"
    (folder / "stats.txt").write_text(episodes)
    (folder / "wrong.txt").write_text(f"{episodes}c:place@0|0131#U92|place@0\n")
    (folder / "stats.jsonl").write_text("old")
    (folder / "few.txt").write_text("2 4 8")
    (folder / "none.jsonl").touch()
    (folder / "late.txt").write_text("dcba/6789/4321/0120  # late\n3210/2100/1000/0000\n")
    (folder / "c.csv").write_text("games,mean,low,high,seed_1\n1000,100,90,110,99\n")
    (folder / "own.py").write_text("def first(board):\n    return board.legal_moves()[0]\n")
    shutil.copy(network_path("tiny"), folder / "a.safetensors")
    write(folder / "p.safetensors", make_policy((2, 2)))
    write_game(folder / "game.2048", 20)
    game = (folder / "game.2048").read_text()
    (folder / "score.2048").write_text(game.replace('[Score "', '[Score "9'))
    Study(folder / "empty.db").close()
    return folder


@pytest.fixture
def here(home: Path, cli: Cli, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(home)
    if not Path("study.db").exists():
        games = ("--games", "1", "--rules", "2x2", "--jobs", "1", "--out", "study.db")
        assert cli("bench", "random", "greedy", *games).code == 0
        assert cli("solve", "--rules", "1x3", "--out", "solved").code == 0
    return home


def content_of(folder: Path) -> dict[Path, bytes]:
    """The files below a folder."""
    return {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def ids(case: object) -> str:
    return str(case)[:70]


@pytest.mark.parametrize(("command", "arguments", "says"), CASES, ids=ids)
def test_one_sentence_and_nothing_written(
    cli: Cli, here: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
    command: str, arguments: str, says: str,
) -> None:  # fmt: skip
    monkeypatch.setattr(drive, "open_page", lambda *_, **__: pytest.fail("a browser was started"))
    monkeypatch.setattr(Server, "serve_on", lambda *_: pytest.fail("a server was started"))
    monkeypatch.setattr("twofold.learn.training.load", lambda *_: pytest.fail("it compiles"))
    before = content_of(here)
    words = [*command.split(), *shlex.split(arguments)]
    code, out, err = cli(*words, stdin="0" * 10_000)
    assert (code, out) == (2, ""), err
    *notes, last = err.splitlines()
    assert last.startswith("twofold: ")
    assert says.lower() in last.lower()
    assert last.isprintable()
    assert len(last) < 500
    assert not [note for note in notes if not note.startswith(NOTES)]
    assert content_of(here) == before
    assert not content_of(tmp_path)


def path_options() -> list[str]:
    """All options and arguments that are paths, each behind its command."""
    commands = {name: _loaded(name) for name in COMMANDS}
    alone = {name: one for name, one in commands.items() if not hasattr(one, "commands")}
    for name in sorted(commands.keys() - alone.keys()):
        alone |= {f"{name} {part}": one for part, one in commands[name].commands.items()}
    return [
        f"{name} {parameter.opts[0] if parameter.opts[0].startswith('-') else ''}"
        for name, one in alone.items()
        for parameter in one.params
        if parameter.metavar in _PATHS
        and (parameter.opts[0].startswith("-") or parameter is one.params[0])
    ]


@pytest.mark.parametrize("option", path_options())
def test_an_empty_path_is_refused(cli: Cli, option: str) -> None:
    code, out, err = cli(*option.split(), "")
    assert (code, out) == (2, "")
    assert " as a path, got '' (see twofold " in err


# ---- what the machine has no room for

DISK, MEMORY = "shutil.disk_usage", "twofold.storage.memory.free_memory"


@pytest.mark.promise("R19")
@pytest.mark.parametrize(
    ("words", "place", "free", "says"),
    [
        ("solve --rules 4x4 --goal 1024", "", 0, "are possible. Choose a smaller board such as"),
        ("solve --rules 3x4", "", 0, "too large to solve: about 1,100,000,000,000 states"),
        ("solve --rules 2x3 --out t", DISK, 1_000, "of free disk, but only"),
        ("tables build default", DISK, 10**9, "wall5-128, wall6-1024 needs 7.0 GB of free disk"),
        ("tables build 444-2048/1024-1024", DISK, 10**9, "caps make it smaller"),
        ("tables build 442-512", MEMORY, 10**8, "of the free memory for building 442-512"),
        ("train 8x6 --out n.safetensors", MEMORY, 10**9, "training 8x6 (800 MB), got 1.6 GB"),
    ],
)
def test_what_does_not_fit_is_refused_before_it_begins(
    cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
    words: str, place: str, free: int, says: str,
) -> None:  # fmt: skip
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("twofold.cli.tables.measured_rate", lambda threads: 1e6 * threads)
    if place:
        answer = free if place == MEMORY else SimpleNamespace(free=free)
        monkeypatch.setattr(place, lambda *_: answer)
    code, out, err = cli(*words.split())
    assert (code, out) == (3, "")
    assert says in err
    assert not content_of(tmp_path)


@pytest.mark.promise("R19")
def test_layers_that_are_written_already_need_no_more_room(
    cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "t"
    parts = LayerStore(Problem.parse("2x2"), path)
    assert Solver(parts.problem, parts).run()
    held = sum(part.stat().st_size for part in parts.folder.iterdir())
    need = 2 * estimate(parts.problem).disk - held
    for free, code in ((need - 1, 3), (need, 0)):
        monkeypatch.setattr(DISK, lambda _, free=free: SimpleNamespace(free=free))
        assert cli("solve", "--rules", "2x2", "--out", str(path)).code == code


@pytest.mark.parametrize(
    ("words", "missing", "extra"),
    [
        ("serve --no-open", "uvicorn", "web"),
        ("tune expectimax:eval=rows,ply=1 --games 1 --rules 2x2 --out t.db", "cmaes", "tune"),
        ("train-policy --out new.safetensors", "torch", "policy"),
        ("review game.2048 --walk", "textual", "tui"),
    ],
)
def test_a_missing_extra_is_named_with_the_way_to_it(
    cli: Cli, here: Path, monkeypatch: pytest.MonkeyPatch, words: str, missing: str, extra: str
) -> None:
    find = importlib.util.find_spec
    monkeypatch.setitem(sys.modules, missing, None)
    monkeypatch.setattr(
        "importlib.util.find_spec", lambda name: None if name == missing else find(name)
    )
    before = content_of(here)
    code, out, err = cli(*words.split())
    assert (code, out) == (2, "")
    assert f"pip install 'twofold[{extra}]'" in err
    assert content_of(here) == before
