"""Specs: registered players, their keys, code of the user, files named by their content."""

import shutil
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path

import pytest

from tests.support.policies import make_policy, write
from twofold.errors import InvalidInput, InvalidSpec
from twofold.game.board import Board
from twofold.game.notation import format_number, parse_spec
from twofold.game.rules import Move, Rules
from twofold.learn.checkpoint import save
from twofold.learn.settings import TrainingSettings
from twofold.learn.training import Training
from twofold.players import canonical, entries, make_player, play_game, settled, short_spec
from twofold.players.presets import STRENGTHS
from twofold.players.registry import PlayerSpec, default_player
from twofold.tables.exact import ExactTable
from twofold.tables.problem import Problem
from twofold.tables.solver import Solver
from twofold.tables.store import LayerStore
from twofold.values import EVALUATORS
from twofold.values.network_file import network_hash

COMPLETE = [entry.name for entry in entries() if entry.name not in ("engine", "exact")]
"""The players without required keys."""

CODE = """
from twofold import Board, Move, Player
from twofold.values import compiled, simple_evaluator

class First(Player):
    def __init__(self, last: str = "no") -> None:
        self.last = last == "yes"

    def choose(self, board, *, score=None, move_number=0):
        return board.legal_moves()[-1 if self.last else 0]

class Needs(Player):
    def __init__(self, word):
        self.word = word

    def choose(self, board, *, score=None, move_number=0):
        return board.legal_moves()[0]

def function(board: Board) -> Move:
    return board.legal_moves()[-1]

@compiled
def seven(bits, score, params):
    return params[0] + np.float64(bits & np.uint64(1))

SEVEN = simple_evaluator("seven", seven, [7.0])
WEIGHTED = simple_evaluator("weighted", seven, {"base": 7.0})
NUMBER = 7
""".replace("from twofold import", "import numpy as np\nfrom twofold import", 1)


@pytest.fixture
def code(tmp_path: Path) -> Path:
    path = tmp_path / "mine.py"
    path.write_text(CODE, encoding="utf-8")
    return path


# Names, keys, values


@pytest.mark.parametrize("name", COMPLETE)
def test_a_canonical_spec_says_every_key_and_names_the_same_player(name: str) -> None:
    spec = canonical(name)
    parsed = parse_spec(spec)
    (entry,) = (entry for entry in entries() if entry.name == name)
    assert parsed.name == name
    assert entry.summary
    assert all(key.help for key in entry.keys.values())
    defaults = {key: value.default for key, value in entry.keys.items() if not value.came_later}
    if "eval" in defaults:
        weights = EVALUATORS[defaults["eval"]].weights
        defaults |= {key: format_number(value) for key, value in weights.items()}
    hashes = PlayerSpec.parse(spec).hashes
    assert list(hashes) == (["net_sha256"] if name in ("ntuple", "policy") else [])
    assert parsed.values == defaults | hashes
    assert list(parsed.values) == sorted(parsed.values)
    assert canonical(spec) == spec == make_player(spec).spec


@pytest.mark.parametrize(
    ("spec", "part"),
    [
        ("datumbox:search=minimax,depth=3", "depth=3,search=minimax"),
        ("expectimax:table_mb=0,ply=01,eval=snake,cut=.0", "cut=0,ply=1,ratio=0.25,table_mb=0"),
        ("expectimax:time=50ms,nodes=1e6,ply=08", "nodes=1000000,ply=8,time=0.05"),
        ("expectimax:ply=6/05@3/4@08,cut=1e-3", "cut=0.001,ply=6/5@3/4@8"),
        ("minimax:eval=snake,ratio=.50", "depth=auto,ratio=0.5"),
        ("alphabeta:eval=clustering,clustering=-0,empty=1e3", "clustering=0,empty=1000"),
        (' baeldung:prune="no" ', "prune=no,threads=1"),
    ],
)
def test_values_are_written_in_one_way(spec: str, part: str) -> None:
    assert parse_spec(canonical(spec)).values.items() >= parse_spec(f"x:{part}").values.items()


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("", "expected a player name"),
        (
            "random:ply=3",
            r"a key of random \(none\), got 'ply'. Players with this key: expectimax, .*engine$",
        ),
        ("greedy:tables=auto", "got 'tables'. Players with this key: .*ntuple"),
        ("greedy:colour=red", r"expected a key of greedy \(none\), got 'colour'$"),
        ("ntuple:tables=442-64,442-256", r"Names of tables are joined by \+, caps by -"),
        ("expectimax:depth=3", "got 'depth'; depth=2n-1 half-moves are ply=n: .*datumbox"),
        ("minimax:ply=3", "got 'ply'; ply=n is depth=2n-1: a spawn and a move are .*expectimax"),
        ("p.py:Init,k=5", "expected ':' before the first key, as in p.py:Init:k=5, got"),
        ("expectimax:deep=3", r"expected a key of expectimax \(eval, .*, sum_power\), got 'deep'"),
        (
            "minimax:eval=snake,empty=3",
            r"a key of minimax \(eval, depth, time, nodes, ratio\), got 'empty'",
        ),
        ("expectimax:empty=1e10", "expected empty from -1000000000 to 1000000000, got 10000000000"),
        ("expectimax:order_power=6.5", "expected order_power from 0 to 6, got 6.5"),
        ("expectimax:ply=13", "expected ply from 1 to 12, got 13"),
        ("alphabeta:depth=25", "expected depth from 1 to 24, got 25"),
        ("gredy", r"; did you mean greedy\?$"),
        ("expectimax:eval=snake,rato=2", r"; did you mean ratio\?$"),
        *((odd, "expected|cannot") for odd in ("mine.py", "mine.py:", ":Name", "::", "x:")),
        ("expectimax:ply=5@3", "expected ascending numbers of empty cells"),
        ("expectimax:ply=tiles,time=1s", "expected ply as one number with time or nodes, got"),
        ("expectimax:time=-1s", "expected a time above 0, got .-1s"),
        ("expectimax:threads=-1", "expected threads as a whole number from 1 to 1024, got '-1'"),
        ("expectimax:cut=1", "expected cut from 0 to less than 1, got '1'"),
        ("expectimax:ply", "expected key=value after 'expectimax:', got 'expectimax:ply'"),
        ("no.such.module:Name", "cannot import 'no.such.module'"),
        ("expectimax:eval=twofold.players:Player", "expected an Evaluator, got"),
        ("baeldung:prune=some", "expected prune= and one of yes, no, got 'some'"),
        ("it3105-snake:depth=5", "expected depth as an even number, got 5"),
        ("expectimax:eval_sha256=00", "the file of eval_sha256='00' has changed, or there is none"),
        ("ntuple:net=nobody", r"expected a network \("),
        ("ntuple:net=tiny,downgrade=3", "expected downgrade from 512"),
        ("ntuple:net=tiny,downgrade=1025", "expected downgrade as an even number"),
        ("ntuple:net=tiny,late=24576", "expected late as none or SUM@PLY, such as 24576@4, got"),
        ("ntuple:net=tiny,late=65537@4", "expected the sum of late from 0 to 65536, got 65537"),
        ("ntuple:net=tiny,late=600@99", "expected ply from 1 to 12"),
        ("exact", "expected exact:table=FILE, got no file"),
        ("exact:table=gone", "cannot read 'gone'"),
        ("engine", "expected cmd= and the command of an engine, got ''"),
        ('engine:cmd="\'"', "expected cmd= with closed quotations"),
        ('engine:cmd="a\\u0000b"', "without zero bytes"),
        ("engine:cmd=python,options=depth=1 depth=2", "expected options as name=value, each once"),
        ("engine:cmd=python,options=Depth=1", "expected an option's name .* in options"),
        ("engine:cmd=python,timeout=0", "expected a time above 0"),
    ],
)
def test_bad_specs_are_refused_in_one_sentence(spec: str, message: str) -> None:
    with pytest.raises(InvalidInput, match=message) as refused:
        make_player(spec)
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize(
    ("spec", "short"),
    [
        *((name, name) for name in COMPLETE),
        ("expectimax:eval=rows,ply=05,cut=0.0,empty=270", "expectimax:ply=5"),
        ("expectimax:ply=auto,time=none,nodes=1e6", "expectimax:nodes=1000000"),
        ("expectimax:eval=snake,ratio=.5,time=50ms", "expectimax:eval=snake,ratio=0.5,time=0.05"),
        ("expectimax:eval=snake,ratio=0.25,ply=6/05@3", "expectimax:eval=snake,ply=6/5@3"),
        ("nneonneo:cut=1e-4,threads=2", "nneonneo:threads=2"),
    ],
)
def test_a_short_spec_names_the_same_player(spec: str, short: str) -> None:
    assert short_spec(spec) == short == short_spec(canonical(spec))
    assert canonical(short) == canonical(spec)


@pytest.mark.parametrize(
    ("spec", "code"),
    [
        ("greedy", set()),
        ("expectimax:eval=snake,ply=3", set()),
        ("ntuple:net=some:file.py", set()),
        ("my.py:Mine:speed=3", {"my.py:Mine"}),
        ("my.py", {"my.py"}),
        ("package.module:Name", {"package.module:Name"}),
        ("alphabeta:depth=3,eval=my.py:EMPTY", {"my.py:EMPTY"}),
        ('minimax:eval="\\u006d:A"', {"m:A"}),
        ('engine:cmd="python my.py",ply=3', {"python my.py"}),
        ("engine", {""}),
    ],
)
def test_the_code_of_a_spec(spec: str, code: set[str]) -> None:
    assert PlayerSpec.parse(spec).code == code


# Code of the user's own


def test_classes_functions_and_evaluators_from_a_file(code: Path) -> None:
    board, digest = Board.parse("1000/0000/0000/0000"), sha256(code.read_bytes()).hexdigest()[:16]
    for name, values in (
        (f"{code}:First:last=yes", {"file_sha256": digest, "last": "yes"}),
        (f"{code}:function", {"file_sha256": digest}),
        (f"expectimax:eval={code}:SEVEN,ply=1", {"eval_sha256": digest}),
        (f"expectimax:eval={code}:WEIGHTED,ply=1,base=7.5", {"eval_sha256": digest, "base": "7.5"}),
    ):
        player = make_player(name)
        assert parse_spec(player.spec).values.items() >= values.items()
        assert make_player(player.spec).spec == player.spec
        if "eval" in name:
            value = 7.5 if "base" in name else 7.0
            assert [one.value for one in player.analyse(board).moves] == [None, value, value, None]
        else:
            assert player.choose(board) is player.analyse(board).best is Move.DOWN
            assert play_game(player, Rules.parse("2x2"), 1)
    with pytest.raises(InvalidSpec, match=r"expected a key of expectimax \(.*, base\), got 'bass'"):
        make_player(f"expectimax:eval={code}:WEIGHTED,bass=7.5")


def test_a_changed_file_is_loaded_anew_and_an_old_hash_refused(code: Path) -> None:
    old = make_player(f"{code}:First").spec
    old_eval = make_player(f"expectimax:eval={code}:SEVEN").spec
    code.write_text(CODE.replace("7.0", "8.0"), encoding="utf-8")
    assert make_player(f"{code}:First").spec != old
    with pytest.raises(InvalidSpec, match=r"the file of .* has changed: it has another hash"):
        make_player(old)
    with pytest.raises(InvalidSpec, match=r"the file of eval_sha256=.* has changed"):
        make_player(old_eval)
    player = make_player(f"expectimax:eval={code}:SEVEN,ply=1")
    assert player.analyse(Board.parse("1000/0000/0000/0000")).value == 8.0


def test_text_of_unknown_origin_runs_no_code(tmp_path: Path) -> None:
    path, trace = tmp_path / "evil.py", tmp_path / "it ran"
    path.write_text(f"open({str(trace)!r}, 'w')\n", encoding="utf-8")
    for spec in (
        f"{path}:Name",
        f"{path}:Name:key=1",
        f"expectimax:eval={path}:Name",
        f'expectimax:eval="{path}:Name",eval_sha256=00',
        f"alphabeta:depth=3,eval={path}:Name",
        "twofold.players.compiled:GreedyPlayer",
        "expectimax:eval=twofold.values:SNAKE",
        f"{path}",
    ):
        with pytest.raises(InvalidSpec, match="expected a player that imports no code"):
            make_player(spec, allow_code=False)
    assert short_spec(f"expectimax:base=6,eval={path}:NAME,eval_sha256=00,ply=auto") == (
        f"expectimax:base=6,eval={path}:NAME"
    )
    assert not trace.exists()
    for name in COMPLETE:
        assert make_player(name, allow_code=False).spec == canonical(name)


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("NUMBER", "expected a Player class or a function board -> Move"),
        ("Missing", "expected a name defined in .*mine.py', got 'Missing'"),
        ("First:first=1", "expected the keys that .* takes"),
        ("Needs", "expected the keys that .* takes: missing"),
        ("function:last=yes", "expected no keys for the function"),
        ("SEVEN", "expected a Player class or a function"),
    ],
)
def test_code_that_is_no_player_is_refused(code: Path, name: str, message: str) -> None:
    with pytest.raises(InvalidSpec, match=message):
        make_player(f"{code}:{name}")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("1/0", "cannot import .*: ZeroDivisionError: division by zero"),
        ("def", "cannot import .*: SyntaxError"),
        ("import nothing_of_this_name", "cannot import .*: ModuleNotFoundError"),
    ],
)
def test_a_file_that_fails_is_refused(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "broken.py"
    path.write_text(text, encoding="utf-8")
    for _ in range(2):  # nothing half imported stays behind
        with pytest.raises(InvalidSpec, match=message):
            make_player(f"{path}:Name")


# Strengths


@pytest.mark.parametrize("shape", [(4, 4), (3, 3), (5, 5), (1, 8)])
@pytest.mark.parametrize("name", STRENGTHS)
def test_a_strength_is_a_plain_player_for_each_shape(name: str, shape: tuple[int, int]) -> None:
    rules = Rules(*shape)
    plain = settled(name, rules)
    assert parse_spec(plain).name in ("ntuple", "expectimax")
    assert settled(plain, rules) == plain
    assert make_player(plain).unsupported(rules) == ""
    assert name != "strong" or default_player(rules).text == plain


def test_keys_of_a_strength_replace_its_own() -> None:
    assert settled("normal:threads=2,ply=1") == "ntuple:ply=1,threads=2"
    assert settled("fast:time=20ms") == "ntuple:time=20ms"
    assert settled("fast:nodes=1000") == "ntuple:nodes=1000"
    assert make_player("fast").spec == make_player("ntuple:ply=1").spec
    assert short_spec("strong") == "ntuple:ply=3"


# Players of a file: named by its content, and refused when it is another


def network(path: Path, other: bool = False) -> None:
    settings = TrainingSettings(patterns="0123" if other else "0123 4567")
    save(Training(settings, games=1), path)


def policy(path: Path, other: bool = False) -> None:
    write(path, make_policy(seed=9 if other else 1))


def table(path: Path, other: bool = False) -> None:
    problem = Problem.parse("2x2" if other else "2x3", "score")
    store = LayerStore(problem)
    Solver(problem, store).run()
    store.write(path)


def table_hash(path: str) -> str:
    return str(ExactTable.open(path).layers.digest)


@pytest.mark.parametrize(
    ("text", "make"), [("ntuple:net=", network), ("policy:net=", policy), ("exact:table=", table)]
)
def test_the_canonical_spec_names_the_content(
    text: str, make: Callable[..., None], tmp_path: Path
) -> None:
    mine, other = tmp_path / "mine", tmp_path / "other"
    make(mine)
    spec = canonical(f"{text}{mine}")
    ((key, digest),) = PlayerSpec.parse(spec).hashes.items()
    assert digest == (table_hash if "table" in key else network_hash)(str(mine))
    assert canonical(spec) == spec == make_player(spec).spec
    assert short_spec(spec) == f"{text}{mine}"
    shutil.copy(mine, tmp_path / "copy")
    assert digest in canonical(f"{text}{tmp_path / 'copy'}")
    make(other, other=True)
    shutil.copy(other, mine)
    assert canonical(f"{text}{mine}") != spec
    with pytest.raises(InvalidSpec, match=f"the file of {key}=.* has changed"):
        make_player(spec)


def test_home_of_a_spec_is_that_of_its_table(tmp_path: Path) -> None:
    table(tmp_path / "t")
    assert PlayerSpec.parse(f"exact:table={tmp_path / 't'}").home == Rules(2, 3)
    assert PlayerSpec.parse("greedy").home is PlayerSpec.parse("my_player.py:Tidy").home is None
    with pytest.raises(InvalidSpec):
        _ = PlayerSpec.parse("nobody").home
