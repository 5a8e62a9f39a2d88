"""The server of the engine protocol."""

import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.engine.slow import BOARD, Slow
from twofold import Board, Budget, Move, Player, Rules, make_player
from twofold.errors import InvalidInput, UnsupportedRules
from twofold.game.game import Game
from twofold.players import PlayerSpec, play_game
from twofold.players.engine import server as module
from twofold.players.engine.lines import (
    BestMove,
    ErrorLine,
    Go,
    Info,
    Option,
    SetPosition,
    Shapes,
    Word,
    format_line,
    parse_answer,
)
from twofold.players.engine.server import EngineServer, ServerSearch, info_of, opening_rules
from twofold.search.analysis import Analysis
from twofold.search.budget import Stop

DEAD = "1212/2121/1212/2121"


class Talk:
    """A server, and its output."""

    def __init__(self, player: Player) -> None:
        self.lines: list[str] = []
        self._new = threading.Condition()
        self.made: list[str] = []
        player.start(opening_rules(player), 0)
        self.server = EngineServer(player, self._write, self._begin, self._make)

    def _write(self, text: str) -> None:
        with self._new:
            self.lines += text.splitlines()
            self._new.notify()

    def _begin(self, search: ServerSearch) -> None:
        threading.Thread(target=search.run, daemon=True).start()

    def _make(self, spec: PlayerSpec) -> Player:
        self.made.append(spec.text)
        return make_player(spec)

    def say(self, *lines: str) -> list[str]:
        """The immediate replies to lines."""
        self.lines.clear()
        for line in lines:
            assert self.server.obey(line)
        return list(self.lines)

    def until(self, word: str) -> list[str]:
        """What is said, up to a line that begins with a word."""
        until = time.monotonic() + 60.0
        with self._new:
            while not any(line.startswith(word) for line in self.lines):
                assert self._new.wait(until - time.monotonic()), self.lines
            return list(self.lines)

    def ask(self, position: str, go: str = "go") -> list[str]:
        """The replies to a position and `go`."""
        self.say(f"position {position}", go)
        return self.until("bestmove")


@pytest.fixture(scope="module")
def shared() -> Iterator[Talk]:
    talk = Talk(make_player("expectimax:ply=2"))
    yield talk
    talk.server.close()


@pytest.fixture
def greedy() -> Iterator[Talk]:
    talk = Talk(make_player("greedy"))
    yield talk
    talk.server.close()


class Streams(Player):
    """Finds a move that is not the first, then continues."""

    def __init__(self, found: Analysis) -> None:
        self.found, self.gate, self.closed = found, threading.Event(), threading.Event()

    def choose(self, board: Board, *, score: int | None = None, move_number: int = 0) -> Move:
        raise AssertionError("it is asked for its analysis")

    def close(self) -> None:
        self.closed.set()

    def stream(
        self,
        board: Board,
        budget: Budget | None = None,
        *,
        score: int | None = None,
        stop: Stop | None = None,
    ) -> Iterator[Analysis]:
        yield self.found
        assert self.gate.wait(60)
        yield self.found


# Conversations


def test_the_handshake(shared: Talk) -> None:
    answers = [parse_answer(line) for line in shared.say("u2048")]
    assert answers[-1] is Word.HELLO_OK
    (shapes,) = (one for one in answers if isinstance(one, Shapes))
    assert (8, 8) in shapes.shapes
    options = {one.name: one for one in answers if isinstance(one, Option)}
    assert options["ply"].default == "2"
    assert {one.kind for one in options.values()} == {"string"}
    assert shared.lines[0].startswith("id name twofold ")
    assert shared.lines[0].endswith(" expectimax:ply=2")


def test_files_are_named_without_their_hashes() -> None:
    talk = Talk(make_player("ntuple:net=tiny,ply=1"))
    said = talk.say("u2048")
    assert "shapes 4x4" in said
    assert any(line.startswith("option name net ") for line in said)
    assert not any("sha256" in line for line in said)
    talk.server.close()


def test_ready_is_answered(shared: Talk) -> None:
    assert shared.say("new 4x4 seed 5", "ready") == ["readyok"]


def test_a_move_comes_with_its_values(shared: Talk) -> None:
    *infos, last = shared.ask(str(BOARD))
    found = [parse_answer(line) for line in infos]
    analysis = make_player("expectimax:ply=2").analyse(BOARD)
    assert last == f"bestmove {analysis.best.letter}"
    assert [one.depth for one in found if isinstance(one, Info)] == [1, 2]
    deepest = found[-1]
    assert isinstance(deepest, Info)
    assert deepest.values == {one.move: one.value for one in analysis.moves if one.legal}
    assert deepest.unit == analysis.unit
    assert deepest.line == analysis.line


@pytest.mark.parametrize("spec", ["random", "greedy", "corner", "datumbox:depth=3", "quick:ply=2"])
def test_a_game_is_that_of_the_player_itself(spec: str) -> None:
    rules = Rules.parse("4x4 goal=64 stop=goal")
    result = play_game(make_player(spec), rules, 7, keep_moves=True)
    assert result is not None
    talk, game = Talk(make_player(spec)), Game(rules, 7)
    talk.say(f"new {rules} seed 7")
    while not game.is_finished:
        go = "go quiet" if game.move_number % 2 else "go"
        said = talk.ask(f"{game.board} score {game.score} move {game.move_number}", go)
        move = parse_answer(said[-1])
        assert isinstance(move, BestMove)
        assert move.move is not None
        game.play(move.move)
    talk.server.close()
    assert "".join(move.letter for move in game.moves) == result.letters


@pytest.mark.parametrize("go", ["go quiet", "go ply 1 quiet", "go quiet nodes 500"])
def test_a_quiet_go_gets_only_the_move(shared: Talk, go: str) -> None:
    (said,) = shared.ask(str(BOARD), go)
    assert said == shared.ask(str(BOARD), go.replace("quiet", ""))[-1]


def test_a_quiet_search_can_be_stopped(shared: Talk) -> None:
    shared.say(f"position {BOARD}", "go ply 12 quiet")
    assert shared.say("ready") == ["readyok"]
    shared.say("stop")
    (said,) = shared.until("bestmove")
    assert said.split()[1] in {move.letter for move in BOARD.legal_moves()}


def test_limits_are_kept(shared: Talk) -> None:
    for go, deepest in (("go ply 1", 1), ("go ply 3", 3), ("go nodes 500", 2)):
        infos = [parse_answer(line) for line in shared.ask(str(BOARD), go)[:-1]]
        depths = [one.depth or 0 for one in infos if isinstance(one, Info)]
        assert max(depths) <= deepest
        assert all(
            (one.nodes or 0) <= 500 for one in infos if isinstance(one, Info) and "500" in go
        )


def test_half_moves_are_told_in_plies() -> None:
    analysis = make_player("alphabeta:depth=5").analyse(BOARD)
    assert analysis.depth == "5 half-moves"
    assert info_of(analysis).depth == 3


def test_a_dead_board_has_no_move(shared: Talk) -> None:
    assert shared.say(f"position {DEAD}", "go") == ["bestmove none"]


def test_boards_of_other_shapes_are_played(shared: Talk) -> None:
    for text in ("2x2:0000", "2x2:1002", "1x4:1100", "5x5:" + "00001" * 5):
        board = Board.parse(text)
        said = shared.ask(text) if not board.is_over else shared.say(f"position {text}", "go")
        move = parse_answer(said[-1])
        assert isinstance(move, BestMove)
        assert (move.move in board.legal_moves()) is not board.is_over
    shared.say("new 4x4 seed 0")


def test_a_shape_that_it_cannot_play_is_refused() -> None:
    talk = Talk(make_player("ntuple:net=tiny,ply=1"))
    assert talk.say("new 3x3 seed 1")[0].startswith("error expected ")
    (refused, without) = talk.say("position 3x3:123/000/000", "go")
    assert refused.startswith("error expected ")
    assert without == "error expected a position before go, got none"
    assert talk.ask(str(BOARD))[-1].startswith("bestmove ")
    talk.server.close()


# Options


def test_an_option_changes_the_player(shared: Talk) -> None:
    assert shared.say("option ply 1", "ready") == ["readyok"]
    assert len(shared.ask(str(BOARD))) == 2
    assert shared.say("option ply 2", "option eval snake", "ready") == ["readyok"]
    assert "ratio" in "".join(shared.say("u2048"))
    assert shared.say("option eval rows", "ready") == ["readyok"]


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("option depth 3", "error expected an option (cut, "),
        ("option ply 99", "error expected ply from 1 to 12, got 99"),
        ("option ply", "error expected ply as a number such as 5"),
        ("option eval nobody", "error expected eval= and one of snake, rows"),
    ],
)
def test_an_option_that_cannot_be_set_changes_nothing(shared: Talk, line: str, says: str) -> None:
    before = shared.say("u2048")
    (said,) = shared.say(line)
    assert said.startswith(says)
    assert shared.say("u2048") == before


def test_a_table_larger_than_the_memory_changes_nothing(
    shared: Talk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("twofold.storage.memory.free_memory", lambda: 8 * 10**9)
    before = shared.say("u2048")
    (said,) = shared.say("option table_mb 65536")
    assert said.startswith("error expected at most 80% of the free memory for the transposition")
    assert shared.say("u2048") == before


def test_options_cannot_name_new_code(tmp_path: Path) -> None:
    mine, other = tmp_path / "mine.py", tmp_path / "other.py"
    mine.write_text("from twofold.values.rows import ROWS\n")
    other.write_text(f"open({str(tmp_path / 'ran')!r}, 'w')\n")
    talk = Talk(make_player(f"expectimax:eval={mine}:ROWS,ply=1"))
    assert talk.say("option ply 2", "ready") == ["readyok"]
    (said,) = talk.say(f"option eval {other}:ROWS")
    assert said.startswith("error expected eval without Python code, got")
    assert talk.say("option eval snake", f"option eval {mine}:ROWS", "ready") == ["readyok"]
    assert not (tmp_path / "ran").exists()
    talk.server.close()


# What is wrong


@pytest.mark.parametrize(
    "line",
    [
        "position",
        "position 12",
        "go ply x",
        "new 9x9",
        "new 4x4 seed x",
        "option",
        "go " + 10_000 * "x",
    ],
)
def test_invalid_lines_get_one_error(greedy: Talk, line: str) -> None:
    (said,) = greedy.say(line)
    assert isinstance(parse_answer(said), ErrorLine)
    assert greedy.say("ready") == ["readyok"]


def test_unknown_lines_are_ignored(greedy: Talk) -> None:
    assert greedy.say("", "   ") == []
    (said,) = greedy.say("positon 0012/0000/0000/0000")
    assert said == "info string ignored the unknown word 'positon'"
    assert greedy.say("stop") == []


def test_a_refused_position_leaves_none(greedy: Talk) -> None:
    greedy.say(f"position {BOARD}")
    assert [line.split()[0] for line in greedy.say("position 12", "go")] == ["error", "error"]
    greedy.say(f"position {BOARD}", "new 4x4 seed 1")
    assert greedy.say("go") == ["error expected a position before go, got none"]


def test_go_can_be_repeated(greedy: Talk) -> None:
    first = greedy.ask(str(BOARD))[-1]
    greedy.say("go")
    assert greedy.until("bestmove")[-1] == first


def test_a_player_that_fails_is_an_error() -> None:
    class Fails(Player):
        def choose(self, board: Board, *, score: int | None = None, move_number: int = 0) -> Move:
            if move_number:
                return next(move for move in Move if move not in board.legal_moves())
            raise ZeroDivisionError("on purpose")

    talk = Talk(Fails())
    talk.say("position 1000/0000/0000/0000", "go")
    assert talk.until("error") == ["error ZeroDivisionError: on purpose"]
    talk.say("position 1000/0000/0000/0000 move 1", "go")
    assert "expected a legal move from Fails" in talk.until("error")[0]
    talk.server.close()


@pytest.mark.parametrize("kind", [SystemExit, KeyboardInterrupt, GeneratorExit])
def test_a_player_that_raises_what_ends_programs_has_failed(kind: type[BaseException]) -> None:
    """It chooses in a thread, which Ctrl-C does not reach."""

    class Ends(Player):
        def choose(self, board: Board, *, score: int | None = None, move_number: int = 0) -> Move:
            raise kind

    talk = Talk(Ends())
    for _ in range(2):
        talk.say("position 1000/0000/0000/0000", "go")
        assert talk.until("error") == [f"error {kind.__name__}"]
    talk.server.close()


def test_a_player_without_any_shape_is_refused() -> None:
    class Nowhere(Player):
        def unsupported(self, rules: Rules) -> str:
            return "expected another world"

        def choose(self, board: Board, *, score: int | None = None, move_number: int = 0) -> Move:
            raise AssertionError

    with pytest.raises(InvalidInput, match="supports no shape of boards"):
        opening_rules(Nowhere())


# Stopping


@pytest.mark.promise("R34")
def test_a_search_ends_when_it_is_stopped(shared: Talk, figure: Callable[[str], None]) -> None:
    shared.say("new 4x4 seed 1", f"position {BOARD}", "go time 3600000 ply 12")
    assert shared.say("ready") == ["readyok"]
    refused = shared.say(f"position {DEAD}", "go", "new", "option ply 1")
    assert [line.split()[0] for line in refused if "info" not in line] == ["error"] * 4
    began = time.monotonic()
    shared.say("stop")
    said = shared.until("bestmove")
    assert said[-1].split()[1] in {move.letter for move in BOARD.legal_moves()}
    assert shared.say("stop", "ready") == ["readyok"]
    figure(f"stopped after {1e3 * (time.monotonic() - began):.0f} ms")


@pytest.mark.promise("R34")
def test_the_server_answers_for_a_player_that_does_not_stop(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    slow = Slow()
    talk = Talk(slow)
    monkeypatch.setattr(talk.server, "_make", lambda _: make_player("corner"))
    talk.say(f"position {BOARD}", "go")
    assert talk.say("stop") == [f"bestmove {BOARD.legal_moves()[0].letter}"]
    assert talk.ask(str(BOARD))[-1] == "bestmove d"  # by another player
    assert not slow.closed.is_set()  # a player is not closed while it searches
    slow.gate.set()
    assert slow.closed.wait(60)
    assert talk.say("ready") == ["readyok"]  # and not the move of the first
    talk.server.close()


@pytest.mark.promise("R34")
def test_the_best_move_so_far_is_answered() -> None:
    best = BOARD.legal_moves()[-1]
    analysis = make_player("greedy").analyse(BOARD)
    streams = Streams(Analysis(BOARD, analysis.moves, best, "streams", unit="points"))
    talk = Talk(streams)
    talk.say(f"position {BOARD}", "go")
    talk.until("info")
    assert talk.say("stop") == [f"bestmove {best.letter}"]
    streams.gate.set()
    assert streams.closed.wait(60)
    assert talk.lines == [f"bestmove {best.letter}"]  # what it finds later is not said
    talk.server.close()


def test_the_fallback_comes_in_time() -> None:
    assert module.STOP_SECONDS < 0.05


@pytest.mark.long
@pytest.mark.promise("R34")
def test_stop_is_answered_within_50_ms(figure: Callable[[str], None]) -> None:
    times = []
    talk = Talk(make_player("expectimax:eval=snake"))
    for number in range(100):
        talk.say(f"position {BOARD}", "go time 60000 ply 12")
        time.sleep(0.003 * number)
        began = time.perf_counter()
        talk.say("stop")
        talk.until("bestmove")
        times.append(time.perf_counter() - began)
    talk.server.close()
    assert sorted(times)[97] < 0.05
    figure(f"{1e3 * sorted(times)[97]:.0f} ms at p98")


# Players of some shapes


def test_a_player_of_small_boards_alone_is_started_for_them() -> None:
    class Small(Player):
        def unsupported(self, rules: Rules) -> str:
            return "" if rules.shape == (2, 2) else "expected boards of 2x2"

        def choose(self, board: Board, *, score: int | None = None, move_number: int = 0) -> Move:
            return board.legal_moves()[0]

    player = Small()
    assert opening_rules(player) == Rules(2, 2)
    with pytest.raises(UnsupportedRules):
        player.start(Rules(), 0)
    talk = Talk(player)
    assert "shapes 2x2" in talk.say("u2048")
    assert talk.ask("2x2:1001")[-1].startswith("bestmove ")
    talk.server.close()


def test_messages_are_those_of_the_lines() -> None:
    assert format_line(SetPosition(BOARD)) == f"position {BOARD}"
    assert format_line(Go(Budget(seconds=0.1))) == "go time 100"
