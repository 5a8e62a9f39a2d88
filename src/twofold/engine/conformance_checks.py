"""The checks of `conformance`, in the order in which they are made."""

import math
import random
import time
from typing import Final

from twofold.board import Board
from twofold.engine.conformance import (
    ALLOWED_SECONDS,
    PATIENCE_SECONDS,
    QUIT_SECONDS,
    Check,
    Failed,
    Reply,
    Subject,
)
from twofold.engine.lines import format_line
from twofold.engine.messages import Answer, BestMove, Go, Info, Position, Refusal, SetOption, Word
from twofold.figures import counted
from twofold.game import Game
from twofold.limits import MAX_ENGINE_LINE
from twofold.rules import Rules
from twofold.search.budget import Budget

LONG_SECONDS: Final = 60.0
"""A limit of time that no check waits for."""

THINKING_SECONDS: Final = 0.1
"""How long a search goes on before it is stopped."""

TIME_LIMIT: Final = 0.1
NODE_LIMIT: Final = 1_000
PLY_LIMITS: Final = (1, 2)
TRIES: Final = 5
GAME_MOVES: Final = 30
LONGEST_GAME: Final = 100


def usual_board(rng: random.Random, shape: tuple[int, int], largest: int = 11) -> Board:
    """A board with a legal move: any fill, small tiles more often than large ones."""
    while True:
        empty = rng.choice([0.0, 0.1, 0.4, 0.8])
        cells = [
            0 if rng.random() < empty else min(rng.randint(1, largest), rng.randint(1, largest))
            for _ in range(shape[0] * shape[1])
        ]
        board = Board(cells, shape)
        if not board.is_over:
            return board


def dead_board(shape: tuple[int, int]) -> Board:
    """A full board without a legal move."""
    rows, cols = shape
    return Board([1 + (row + col) % 2 for row in range(rows) for col in range(cols)], shape)


# ---- the checks


def _handshake(subject: Subject) -> str:
    found = subject.introduce()
    for key, text in (("id name", found.name), ("id author", found.author)):
        if not text:
            raise Failed(f"expected {key} before u2048ok, got none")
    sizes = [counted(len(found.options), "option"), counted(len(found.shapes), "shape")]
    return f"{found.name} by {found.author}, {', '.join(sizes)}"


def _ready(subject: Subject) -> str:
    subject.begin()
    return "readyok"


def _unknown(subject: Subject) -> str:
    lines = ["frobnicate 1 2 3", "", "   ", "# a comment", "info depth 3"]
    if refused := subject.silent_up_to_ready(*lines):
        raise Failed(f"expected unknown lines to be passed over, got error: {refused[0]}")
    board = usual_board(random.Random(subject.seed), subject.shape)
    subject.dialogue.say_lines([f"position {board} frobnicate 7", "go frobnicate ply 1 quiet"])
    subject.checked(board, subject.reply(PATIENCE_SECONDS))
    return f"{len(lines)} lines, 2 words"


def _bad_lines(subject: Subject) -> str:
    lines = ["position", "position 12345", "position 0012/0000/0000/00!!", "option frobnicate 1"]
    lines += ["new 9x9 seed 1", "position 9x9:0", "position 1x1:0"]
    for line in lines:
        _expect_one_error(line, subject.silent_up_to_ready(line))
    refused = subject.silent_up_to_ready("position nonsense", "go")
    if len(refused) != 2:
        raise Failed(
            "expected an error for 'position nonsense' and one for the 'go' after it, "
            f"got {len(refused)}"
        )
    return f"{len(lines) + 2} lines, an error each"


def _bad_limits(subject: Subject) -> str:
    """An engine need not read what it does not use."""
    board = usual_board(random.Random(subject.seed), subject.shape)
    subject.begin()
    refused = 0
    for line in ("go ply x", "go ply", "go time -5", "go nodes 0"):
        subject.dialogue.say_lines([f"position {board}", line])
        reply = subject.reply(PATIENCE_SECONDS)
        refused += bool(reply.refusal)
        if not reply.refusal:
            subject.checked(board, reply)
        if subject.silent_up_to_ready():
            raise Failed(f"expected one error or one bestmove in answer to {line!r}, got more")
    return f"{refused} of 4 refused"


def _expect_one_error(line: str, refused: list[str]) -> None:
    if len(refused) != 1:
        raise Failed(f"expected one error in answer to {line!r}, got {len(refused)}")


def _long_line(subject: Subject) -> str:
    line = "position " + "0" * 100 * MAX_ENGINE_LINE
    _expect_one_error("a line of a million characters", subject.silent_up_to_ready(line))
    return f"{len(line):,} characters"


def _options(subject: Subject) -> str:
    options = subject.introduction.options.values()
    for option in options:
        line = format_line(SetOption(option.name, option.default))
        if refused := subject.silent_up_to_ready(line):
            raise Failed(f"expected its own default in {line!r} to be taken, got: {refused[0]}")
        if option.kind == "spin":
            line = f"option {option.name} {option.high + 1}"
            _expect_one_error(line, subject.silent_up_to_ready(line))
    return counted(len(options), "option")


def _shapes(subject: Subject) -> str:
    rng = random.Random(subject.seed)
    for shape in subject.introduction.shapes:
        subject.begin(Rules(*shape))
        for _ in range(3):
            subject.legal_reply(usual_board(rng, shape))
    return f"{counted(len(subject.introduction.shapes), 'shape')}, 3 boards each"


def _moves(subject: Subject) -> str:
    rng, game = random.Random(subject.seed), Game(Rules(*subject.shape), subject.seed)
    subject.begin()
    for _ in range(subject.boards):
        subject.legal_reply(usual_board(rng, subject.shape))
    while not game.is_finished and game.move_number < LONGEST_GAME:
        reply = subject.ask(game.board, score=game.score)
        move = subject.checked(game.board, reply).move
        assert move is not None
        game.play(move)
    return f"{subject.boards} boards, {game.move_number} moves of a game"


def _large_tiles(subject: Subject) -> str:
    rng, refused = random.Random(subject.seed), 0
    subject.begin()
    for number in range(10):
        cells = list(usual_board(rng, subject.shape).exponents)
        cells[number % len(cells)] = 15 + number % 6
        board = Board(cells, subject.shape)
        if board.is_over:
            continue
        reply = subject.ask(board)
        if reply.refusal:
            refused += 1
            if subject.silent_up_to_ready("stop"):
                raise Failed("expected one error for a refused position, got more")
        else:
            subject.checked(board, reply)
    return "played" if not refused else f"{refused} refused"


def _dead(subject: Subject) -> str:
    subject.begin()
    for budget in (Budget(), Budget(seconds=1.0), Budget(ply=2)):
        reply = subject.ask(dead_board(subject.shape), budget)
        if reply.move is not None or reply.refusal:
            got = f"error {reply.refusal}" if reply.refusal else format_line(BestMove(reply.move))
            raise Failed(f"expected 'bestmove none' on a dead board, got {got!r}")
    return "bestmove none"


def _once(subject: Subject) -> str:
    rng = random.Random(subject.seed)
    subject.begin()
    for _ in range(TRIES):
        subject.legal_reply(usual_board(rng, subject.shape))
        subject.silent_up_to_ready()
    board = usual_board(rng, subject.shape)
    subject.dialogue.say(Position(board))
    moves = {subject.checked(board, _again(subject)).move for _ in range(2)}
    return f"{TRIES} searches, go said twice gave {counted(len(moves), 'move')}"


def _again(subject: Subject) -> Reply:
    subject.dialogue.say(Go())
    return subject.reply(PATIENCE_SECONDS)


def _infos(subject: Subject) -> str:
    rng, lines, valued = random.Random(subject.seed), 0, 0
    subject.begin()
    for _ in range(4 * TRIES):
        board = usual_board(rng, subject.shape)
        reply = subject.legal_reply(board)
        lines += len(reply.infos)
        for info in reply.infos:
            valued += bool(info.values)
            _check_info(board, info)
        best = [info.best for info in reply.infos if info.best is not None]
        if best and best[-1] is not reply.move:
            raise Failed(f"expected bestmove as the last best, {best[-1].letter}, on {board}")
    return f"{lines} lines, {valued} with values"


def _check_info(board: Board, info: Info) -> None:
    legal = set(board.legal_moves())
    if info.values and set(info.values) != legal:
        letters = "".join(move.letter for move in info.values)
        raise Failed(f"expected values of all legal moves or of none on {board}, got {letters}")
    if any(math.isnan(value) for value in info.values.values()):
        raise Failed(f"expected numbers as values on {board}, got nan")
    if info.best is not None and info.best not in legal:
        raise Failed(f"expected a legal move as best on {board}, got {info.best.letter}")


def _limits(subject: Subject) -> str:
    rng = random.Random(subject.seed)
    subject.begin()
    for _ in range(TRIES):
        board = usual_board(rng, subject.shape)
        for ply in PLY_LIMITS:
            reply = subject.legal_reply(board, Budget(ply=ply))
            if (deepest := max((info.depth or 0 for info in reply.infos), default=0)) > ply:
                raise Failed(f"expected at most {ply} plies of 'go ply {ply}', got {deepest}")
        reply = subject.legal_reply(board, Budget(nodes=NODE_LIMIT))
        for info in reply.infos:
            if (info.nodes or 0) > NODE_LIMIT and (info.depth or 0) > 1:
                raise Failed(f"expected {NODE_LIMIT} nodes at most, got {info.nodes}")
    return f"{TRIES} boards with ply {' and '.join(map(str, PLY_LIMITS))} and nodes {NODE_LIMIT}"


def _time(subject: Subject) -> str:
    rng, worst = random.Random(subject.seed), 0.0
    subject.begin()
    for _ in range(TRIES):
        board = usual_board(rng, subject.shape)
        reply = subject.legal_reply(board, Budget(seconds=TIME_LIMIT))
        worst = max(worst, reply.seconds - TIME_LIMIT)
    _check_late(subject, worst, f"a limit of {1e3 * TIME_LIMIT:g} ms")
    return f"at most {max(0.0, 1e3 * worst):.0f} ms late"


def _check_late(subject: Subject, seconds: float, after: str) -> None:
    if seconds > subject.allowed():
        allowed = 1e3 * subject.allowed(ALLOWED_SECONDS)
        raise Failed(
            f"expected bestmove within {allowed:g} ms of {after}, "
            f"got it {1e3 * seconds:.0f} ms after"
        )


def _stop(subject: Subject) -> str:
    rng, worst = random.Random(subject.seed), 0.0
    subject.begin()
    for number in range(TRIES):
        board = usual_board(rng, subject.shape)
        subject.dialogue.say(Position(board), Go(Budget(seconds=LONG_SECONDS)))
        time.sleep(THINKING_SECONDS * number / TRIES)
        began = time.monotonic()
        subject.dialogue.add(Word.STOP)
        subject.checked(board, subject.reply(PATIENCE_SECONDS))
        worst = max(worst, time.monotonic() - began)
    _check_late(subject, worst, "stop")
    return f"at most {1e3 * worst:.0f} ms"


def _idle_stop(subject: Subject) -> str:
    subject.begin()
    subject.legal_reply(usual_board(random.Random(subject.seed), subject.shape))
    if refused := subject.silent_up_to_ready("stop", "stop"):
        raise Failed(f"expected stop without a search to be passed over, got error: {refused[0]}")
    return "passed over"


def _busy(subject: Subject) -> str:
    """One that has moved before it reads on has done nothing wrong."""
    board = usual_board(random.Random(subject.seed), subject.shape)
    subject.begin()
    subject.dialogue.say(Position(board), Go(Budget(seconds=LONG_SECONDS)))
    time.sleep(THINKING_SECONDS)
    subject.dialogue.add(Word.READY)
    began = time.monotonic()
    answer = _next(subject)
    if time.monotonic() - began > subject.allowed():
        allowed = 1e3 * subject.allowed()
        raise Failed(f"expected readyok or bestmove within {allowed:g} ms of ready, got it later")
    if answer is not Word.READY_OK:
        return "it had moved before"
    subject.dialogue.say_lines([format_line(Position(dead_board(subject.shape))), "go"])
    subject.dialogue.add(Word.STOP)
    refusals = 0
    while isinstance(answer := _next(subject), Refusal):
        refusals += 1
    if not isinstance(answer, BestMove) or answer.move not in board.legal_moves():
        raise Failed(f"expected the move of the search under way, got {format_line(answer)!r}")
    if refusals != 2:
        raise Failed(f"expected an error for position and one for go meanwhile, got {refusals}")
    return "readyok at once, position and go refused"


def _next(subject: Subject) -> Answer:
    """What comes next, but for infos."""
    patience = subject.allowed(PATIENCE_SECONDS)
    answer = subject.dialogue.answer(patience, "an answer", infos=False)
    if answer is None:
        raise Failed(subject.dialogue.sentence("an answer", "nothing"))
    return answer


def _repeat(subject: Subject) -> str:
    first, second = (_game(subject) for _ in range(2))
    if first != second:
        raise Failed(f"expected the same game after the same new, got {first} and {second}")
    return f"{len(first)} moves"


def _game(subject: Subject) -> str:
    game = Game(Rules(*subject.shape), subject.seed)
    subject.begin(game.rules, game.seed)
    while not game.is_finished and game.move_number < GAME_MOVES:
        move = subject.legal_reply(game.board, Budget(ply=1)).move
        assert move is not None
        game.play(move)
    return "".join(move.letter for move in game.moves)


def _quit(subject: Subject) -> str:
    subject.dialogue.add(Word.QUIT)
    return _expect_end(subject, "quit")


def _quit_while_searching(subject: Subject) -> str:
    subject.introduce()
    subject.begin()
    board = usual_board(random.Random(subject.seed), subject.shape)
    subject.dialogue.say(Position(board), Go(Budget(seconds=LONG_SECONDS)))
    time.sleep(THINKING_SECONDS / 2)
    subject.dialogue.add(Word.QUIT)
    return _expect_end(subject, "quit")


def _end_of_input(subject: Subject) -> str:
    subject.introduce()
    subject.dialogue.process.hang_up()
    return _expect_end(subject, "the end of its input")


def _expect_end(subject: Subject, after: str) -> str:
    began = time.monotonic()
    code = subject.dialogue.process.wait(subject.allowed(QUIT_SECONDS))
    if code is None:
        raise Failed(
            f"expected its end within {subject.allowed(QUIT_SECONDS):g} s of {after}, got none"
        )
    if code != 0:
        raise Failed(f"expected exit code 0 after {after}, got {code}")
    subject.lose()
    return f"{1e3 * (time.monotonic() - began):.0f} ms"


CHECKS: Final = (
    Check("handshake", "u2048 is answered by id name, id author and u2048ok", _handshake),
    Check("ready", "new is done and ready answered by readyok", _ready),
    Check("unknown words", "lines and words that are not known are passed over", _unknown),
    Check("bad lines", "what is known and wrong is answered by one error each", _bad_lines),
    Check("bad limits", "a go that cannot be read has one error or one bestmove", _bad_limits),
    Check("long line", "a line of a million characters is answered by one error", _long_line),
    Check("options", "each option takes its default, a spin nothing past its end", _options),
    Check("shapes", "boards of every shape that it claims are played", _shapes),
    Check("moves", "moves are legal", _moves),
    Check("large tiles", "tiles of 32768 and more are played or refused", _large_tiles),
    Check("dead board", "bestmove none where no move is legal", _dead),
    Check("one answer", "each go has one bestmove, and a position stays", _once),
    Check("info", "info values all legal moves or none; the last best is the move", _infos),
    Check("limits", "limits of plies and nodes are kept", _limits),
    Check("time", "a limit of time is kept within 50 ms", _time),
    Check("stop", "stop is answered by bestmove within 50 ms", _stop),
    Check("stop, idle", "stop without a search is passed over", _idle_stop),
    Check("busy", "ready is answered during a search, position and go refused", _busy),
    Check("repeat", "the same game, after the same new, is played again", _repeat),
    Check("quit", "quit ends the program within a second, with exit code 0", _quit),
    Check("quit, busy", "also during a search", _quit_while_searching),
    Check("end of input", "the end of its input ends the program likewise", _end_of_input),
)
