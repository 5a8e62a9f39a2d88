"""A player that is another program, asked in the engine protocol with time limits.

An engine that ends or does not reply is restarted a few times per game and asked again: commands
always contain the whole position. An illegal move or an invalid line is an error without a retry;
`info` that cannot be read is ignored, with a warning.
"""

import contextlib
import shlex
import time
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from twofold.errors import InvalidSpec, PlayerError, UnsupportedRules
from twofold.game.board import Board
from twofold.game.notation import shown
from twofold.game.rules import MOVES_BY_LETTER, Move, Rules
from twofold.players.base import StreamPlayer, check_going, move_list
from twofold.players.engine.dialogue import LOG, START_SECONDS, STOP_SECONDS, Dialogue, EngineLost
from twofold.players.engine.lines import (
    BestMove,
    ErrorLine,
    Go,
    Info,
    NewGame,
    Option,
    SetOption,
    SetPosition,
    Word,
    format_line,
)
from twofold.search.analysis import Analysis, MoveValue
from twofold.search.budget import Budget, Stop

RESTARTS: Final = 3
"""Most restarts in one game."""

SOME_UNIT: Final = "own unit"
"""The unit of values if the engine names none."""

_SHAPES_SHOWN: Final = 6


class EnginePlayer(StreamPlayer):
    """Plays the moves of another program.

    Args:
        words: the program and its arguments; started without a shell.
        budget: limits of each move, sent to the engine; by default it uses its own.
        timeout: longest wait for the handshake, for `readyok`, and for a move in addition to its
            time limit; in seconds.
        options: options to set before a game, by name.

    Attributes:
        faults: the reason of each restart in this game.
    """

    def __init__(
        self,
        words: Sequence[str],
        budget: Budget | None = None,
        *,
        timeout: float = START_SECONDS,
        options: Mapping[str, str] | None = None,
    ) -> None:
        self.words = tuple(words)
        self.budget = budget or Budget()
        self.timeout = timeout
        self.options = dict(options or {})
        self.reproducible = self.budget.seconds is None
        self.faults: list[str] = []
        self._noted: set[str] = set()
        self._dialogue: Dialogue | None = None
        self._begun = False

    # ---- games

    def unsupported(self, rules: Rules) -> str:
        """Why the engine cannot play boards of this shape; starts the engine."""
        shapes = self._connected().introduction.shapes
        if rules.shape in shapes:
            return ""
        named = ", ".join(f"{rows}x{cols}" for rows, cols in shapes[:_SHAPES_SHOWN])
        return f"expected boards of {named}{' ...' if len(shapes) > _SHAPES_SHOWN else ''}"

    def start(self, rules: Rules, seed: int) -> None:
        """Start a new game; raises `UnsupportedRules` if the engine refuses it."""
        super().start(rules, seed)
        self.faults = []
        self._begun = True
        try:
            self._begin_game()
        except EngineLost as fault:
            self._restart_after(fault)

    def _fit(self, board: Board) -> None:
        """Start a game if the board does not have the shape of the current one."""
        if not self._begun or board.shape != self.rules.shape:
            self.start(Rules(*board.shape), self.seed)

    def _connected(self) -> Dialogue:
        if self._dialogue is None:
            dialogue = Dialogue(self.words, timeout=self.timeout)
            try:
                self._set_options(dialogue, dialogue.introduce().options)
            except BaseException:
                dialogue.kill()
                raise
            self._dialogue = dialogue
        return self._dialogue

    def _set_options(self, dialogue: Dialogue, offered: Mapping[str, Option]) -> None:
        for name, value in self.options.items():
            if name not in offered:
                known = ", ".join(offered) or "none"
                raise InvalidSpec(f"expected an option of the engine ({known}), got {shown(name)}")
            offered[name].check(value)
        settings = [SetOption(name, value) for name, value in self.options.items()]
        if settings and (refusal := dialogue.make_ready(*settings)):
            raise InvalidSpec(f"expected options that the engine can take: {refusal}")

    def _begin_game(self) -> Dialogue:
        dialogue = self._connected()
        try:
            refusal = dialogue.make_ready(NewGame(self.rules, self.seed))
        except PlayerError:
            self._drop()
            raise
        if refusal:
            raise UnsupportedRules(
                f"expected rules that the engine {shown(dialogue.command)} can play, "
                f"got {self.rules}: {refusal}"
            )
        return dialogue

    def _restart_after(self, fault: EngineLost) -> Dialogue:
        self._drop()
        if len(self.faults) == RESTARTS:
            raise PlayerError(f"{fault} (after {RESTARTS} restarts)") from None
        self.faults.append(str(fault))
        LOG.info("started again: %s", fault)
        return self._begin_game()

    def _drop(self) -> None:
        if self._dialogue is not None:
            self._dialogue.kill()
            self._dialogue = None

    def close(self) -> None:
        """End the engine."""
        if self._dialogue is not None:
            self._dialogue.close()
            self._dialogue = None
            self._begun = False

    # ---- moves

    def choose(self, board: Board, *, score: int | None = None, move_number: int = 0) -> Move:
        """The engine's move; raises `PlayerError` if the engine fails."""
        check_going(board)
        self._fit(board)
        position = SetPosition(board, score, move_number)
        *_, last = self._thoughts(position, self.budget, infos=False)
        assert isinstance(last, BestMove)
        assert last.move is not None
        return last.move

    def stream(
        self,
        board: Board,
        budget: Budget | None = None,
        *,
        score: int | None = None,
        stop: Stop | None = None,
    ) -> Iterator[Analysis]:
        """Yield an analysis for each `info` line with all values, and one for the move."""
        legal = check_going(board)
        self._fit(board)
        limits = self.budget if budget is None or budget == Budget() else budget
        began = time.perf_counter()
        last = Info()
        for answer in self._thoughts(SetPosition(board, score), limits, stop):
            if isinstance(answer, BestMove):
                assert answer.move is not None
                best = answer.move
            else:
                self._note_faults(answer, legal)
                if not set(legal) <= set(answer.values):
                    continue
                last, best = answer, max(legal, key=answer.values.__getitem__)
                if answer.best is not None and answer.best in legal:
                    best = answer.best
            depth, cells = last.depth or 0, board.rows * board.cols
            fits = all(step.cell is None or step.cell < cells for step in last.line)
            values = {move: MoveValue(last.values[move], 0) for move in legal if last.values}
            yield Analysis(
                board,
                move_list(board, values, depth),
                best,
                self.spec,
                unit=(last.unit or SOME_UNIT) if values else "",
                depth="" if not depth else "1 ply" if depth == 1 else f"{depth} plies",
                nodes=last.nodes or 0,
                seconds=time.perf_counter() - began,
                line=last.line if fits else (),
                reproducible=limits.seconds is None and not (stop is not None and stop.is_raised),
            )

    def _note_faults(self, info: Info, legal: Sequence[Move]) -> None:
        """Warn of what could not be used, once for each kind of data."""
        faults = dict(info.faults)
        if not faults and info.values and not set(legal) <= set(info.values):
            letters = "".join(move.letter for move in info.values)
            faults["values"] = f"expected values of all legal moves, got {letters}"
        for name, fault in faults.items():
            kind = "values" if name in MOVES_BY_LETTER else name
            if kind not in self._noted:
                self._noted.add(kind)
                words = shown(shlex.join(self.words))
                LOG.warning("ignored in an info line of %s: %s", words, fault)

    def _thoughts(
        self, position: SetPosition, limits: Budget, stop: Stop | None = None, *, infos: bool = True
    ) -> Iterator[Info | BestMove]:
        """The engine's messages up to its move, which is legal; restarts a lost engine."""
        dialogue = self._dialogue or self._begin_game()
        while True:
            done = False
            try:
                for answer in self._asked(dialogue, position, limits, stop, infos):
                    done = isinstance(answer, BestMove)
                    yield answer
                return
            except EngineLost as fault:
                dialogue = self._restart_after(fault)
            except PlayerError:
                self._drop()
                raise
            except GeneratorExit:  # the caller stops the iteration
                if not done:
                    self._hush(dialogue)
                raise

    def _asked(
        self,
        dialogue: Dialogue,
        position: SetPosition,
        limits: Budget,
        stop: Stop | None,
        infos: bool,
    ) -> Iterator[Info | BestMove]:
        # what comes before `readyok` answers nothing that is asked here
        dialogue.say(position, Word.READY, Go(limits, quiet=not infos))
        legal, spare, is_ready = position.board.legal_moves(), limits.seconds or 0.0, False
        patience = self.timeout + spare
        for answer in dialogue.replies(patience, "readyok", infos=infos, spare=spare, stop=stop):
            match answer:
                case ErrorLine(text):
                    raise PlayerError(dialogue.sentence("a bestmove", f"error: {text}"))
                case Word.READY_OK:
                    is_ready = True
                case BestMove() if not is_ready:
                    raise PlayerError(dialogue.sentence("readyok", format_line(answer)))
                case BestMove(move):
                    if move not in legal:
                        wanted = f"a legal move ({', '.join(one.letter for one in legal)})"
                        raise PlayerError(dialogue.sentence(wanted, format_line(answer)))
                    yield answer
                    return
                case Info():
                    yield answer

    def _hush(self, dialogue: Dialogue) -> None:
        """Stop a search whose move is not wanted; drop an engine that does not end it."""
        with contextlib.suppress(PlayerError):
            dialogue.add(Word.STOP)
            for answer in dialogue.replies(STOP_SECONDS, "a bestmove"):
                if isinstance(answer, BestMove):
                    return
        self._drop()
