"""A training run: threads that play and learn, phase by phase."""

import threading
import time
from abc import ABC, abstractmethod
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import ExitStack
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from twofold.errors import LimitExceeded
from twofold.figures import counted
from twofold.kernels import learning as kernels
from twofold.kernels import updates as at
from twofold.kernels._jit import load
from twofold.kernels.bits import frame
from twofold.kernels.play import spawn_distribution
from twofold.learn.curve import Curve, Evaluation
from twofold.learn.policy_settings import PolicySettings
from twofold.learn.settings import Phase, TrainingSettings
from twofold.limits import MAX_RUN_SECONDS, MAX_TRAINING_GAMES, check_limit
from twofold.storage.memory import check_memory, large_zeros
from twofold.values.network import Network, parse_patterns
from twofold.values.network_file import Earlier

Words = NDArray[np.uint64]

NO_LIMIT: Final = 1 << 62
_RESULT_ROOM: Final = 4096
_FIRST_CHUNK: Final = 1_000
_LINE_BYTES: Final = 128
"""Two cache lines: processors prefetch them in pairs."""
_CHUNK_SECONDS: Final = 0.03
"""Target time of one kernel call; between calls the run checks whether to stop."""


def own_words(count: int) -> Words:
    """Zeros in cache lines that no other array shares, against false sharing of threads."""
    line = _LINE_BYTES // 8
    room = np.zeros((count + 2 * line - 1) // line * line, dtype=np.uint64)
    skipped = -room.ctypes.data % _LINE_BYTES // 8
    return room[skipped : skipped + count]


class Worker:
    """One thread of a training run: its game, and the words that the kernel reads."""

    def __init__(self, training: "Training") -> None:
        settings, network = training.settings, training.network
        self._settings = settings
        rules, shape = settings.rules, frame(*settings.rules.shape)
        steps = settings.steps or 1
        self.game: Words = own_words(at.game_words(network.features, steps))
        self.history: Words = large_zeros(2 * at.HISTORY_SIZE, np.uint64)
        self.results: Words = own_words(_RESULT_ROOM * at.RESULT_WORDS).reshape(_RESULT_ROOM, -1)
        self._distribution = spawn_distribution(rules.spawn_exponents, rules.spawn_weights)
        self._shape = shape
        self.words: Words = own_words(at.THREAD_WORDS)
        words = self.words
        words[at.NETWORK] = training.network_words.ctypes.data
        words[at.MEMORY] = training.memory.ctypes.data
        words[at.ACROSS] = shape.across.ctypes.data
        words[at.DOWN] = shape.down.ctypes.data
        words[at.MASK] = shape.mask
        words[at.DISTRIBUTION] = self._distribution.ctypes.data
        words[at.START_TILES] = rules.start_tiles
        words[at.SEED] = settings.seed
        words[at.GAMES] = training.games_begun.ctypes.data
        words[at.GAME] = self.game.ctypes.data
        words[at.LAMBDA] = np.float64(settings.lambda_).view(np.uint64)
        words[at.STEPS] = steps
        words[at.RING] = at.ring_size(steps)
        words[at.THREADS] = settings.threads
        words[at.BACKWARD] = settings.order == "backward"
        words[at.RESTART] = settings.restart
        words[at.RESTART_AT] = round(settings.restart_at * 2**32)
        words[at.DOWNGRADE] = settings.downgrade
        words[at.RESULTS] = self.results.ctypes.data
        words[at.RESULT_ROOM] = _RESULT_ROOM
        if settings.carousel or settings.bands:
            words[at.CAROUSEL] = training.carousel.ctypes.data
            words[at.CAROUSEL_LEFT] = at.CAROUSEL_BATCH  # the first batch: new games
            words[at.BANDS] = len(settings.bands)
            words[at.BAND_SUMS] = training.band_sums.ctypes.data
            words[at.BAND_SHARE] = round(settings.band_share * 2**32)
        self._read = (training.network.weights, training.network_words, training.memory,
                      training.games_begun, training.carousel, training.band_sums,
                      self.game, self.history, self.results)  # fmt: skip
        """Keeps alive all arrays whose addresses are in `words`."""
        self.point_history()

    def point_history(self) -> None:
        """Write the address of the history into the game."""
        self.game[at.HISTORY] = self.history.ctypes.data

    def begin(self, phase: Phase, game_limit: int) -> None:
        """Begin a game if none is under way."""
        rule = self._settings.rule_of(phase)
        self.words[at.RULE_AT] = rule.word
        self.words[at.MEMORY_SIZE] = rule.memory
        self.words[at.DECAY] = self._settings.decay.address if self._settings.decay else 0
        self.words[at.RATE] = np.float64(phase.rate).view(np.uint64)
        self.words[at.GAME_LIMIT] = game_limit
        kernels.begin(self.words)

    @property
    def moves(self) -> int:
        """Moves made so far."""
        return int(self.words[at.MOVES])

    @property
    def is_playing(self) -> bool:
        """True while there is a game to play or to learn from."""
        return bool(self.game[at.STATE] != at.IDLE)

    def take_results(self) -> Words:
        """Results of the games since the last call, (games, 3)."""
        count = int(self.words[at.RESULT_COUNT])
        self.words[at.RESULT_COUNT] = 0
        return self.results[:count].copy()


@dataclass(frozen=True, slots=True)
class TrainingProgress:
    """Progress of a training run.

    `seconds` leaves out the writing of files, `speed` is moves per second since the last report,
    `mean` and `reached` describe the last 1000 games, and `done` is a fraction (None: no limit).
    """

    games: int
    moves: int
    seconds: float
    speed: float
    mean: float
    reached: dict[int, float]
    phase: int
    done: float | None
    phases: int = 1


class TrainingRun(ABC):
    """What training runs of all kinds have in common.

    Attributes:
        settings: what decides what is learnt.
        curve: of the games that began with start tiles.
        evaluations: of the network, in their order.
        before: methods and games of the earlier runs that the weights come from.
        seconds: time spent training.
        second_limit: its limit; None for none.
        phase: number of the present phase of `phases`; one more than the last where all are over.
    """

    settings: TrainingSettings | PolicySettings
    second_limit: float | None
    phase, phases = 0, 1

    def __init__(self) -> None:
        self.curve = Curve()
        self.evaluations: list[Evaluation] = []
        self.before: list[Earlier] = []
        self.seconds = 0.0
        self._lock = threading.Lock()

    @property
    @abstractmethod
    def moves(self) -> int:
        """Moves made so far, by all threads."""

    @property
    @abstractmethod
    def share(self) -> float | None:
        """Fraction of the games or moves that are wanted; None without a limit on them."""

    @property
    def done(self) -> float | None:
        """Fraction of the run, 0 to 1; None without a limit."""
        time = self.seconds / self.second_limit if self.second_limit else None
        parts = [part for part in (self.share, time) if part is not None]
        return min(max([0.0, *parts]), 1.0) if parts else None

    def _progress(self, speed: float) -> TrainingProgress:
        with self._lock:
            return TrainingProgress(
                games=self.curve.games,
                moves=self.moves,
                seconds=self.seconds,
                speed=speed,
                mean=self.curve.mean,
                reached=self.curve.reached,
                phase=min(self.phase, self.phases - 1),
                done=self.done,
                phases=self.phases,
            )


class Training(TrainingRun):
    """A training run. It can be stopped after any move and resumed without a difference.

    `games` and `seconds` limit the whole run; None for no limit.

    Attributes:
        network: the network, changed in place.
        begun_before: games begun before the limit on games was changed.
        memory: numbers of the learning rules, float32 (weights, size). For temporal coherence the
            sum of each weight's unscaled updates, and of their absolute values.

    Raises:
        ResourceError: weights and memory would take more than 80 % of the free memory.
    """

    settings: TrainingSettings

    def __init__(
        self, settings: TrainingSettings, *, games: int | None = None, seconds: float | None = None
    ) -> None:
        super().__init__()
        self.settings, self.phases = settings, len(settings.schedule)
        _check_limits(games, seconds)
        self.game_limit, self.second_limit = games, seconds
        count = weight_count(settings)
        check_memory(training_bytes(settings), f"training {settings.patterns}")
        self.network = Network(settings.patterns, settings.rules.shape, stages=settings.stages)
        if settings.optimism:
            self.network.weights[0] = settings.optimism / self.network.features
        words = self.network.words()
        self.network_words: Words = own_words(len(words))
        self.network_words[:] = words
        size = settings.memory
        self.memory: NDArray[np.float32] = large_zeros(size * count, np.float32).reshape(
            count if size else 0, size or 2
        )
        self.games_begun: Words = own_words(1)
        self.begun_before = 0
        rings = carousel_shape(settings)
        self.carousel: Words = own_words(rings[0] * rings[1]).reshape(rings)
        self.band_sums: Words = np.array([-(-low // 2) for low in settings.bands], dtype=np.uint64)
        load(kernels.begin, kernels.train)  # no time that the run measures includes it
        self.workers = [Worker(self) for _ in range(settings.threads)]
        self._enough = NO_LIMIT

    def __repr__(self) -> str:
        rows, cols = self.settings.rules.shape
        with self._lock:
            games, last, mean = self.curve.games, len(self.curve.recent), self.curve.mean
        return (
            f"<Training of {self.settings.patterns} on {rows}x{cols}: {counted(games, 'game')}, "
            f"{counted(self.moves, 'move')}, {self.seconds:,.1f} s, "
            f"mean score {mean:,.0f} of the last {counted(last, 'game')}>"
        )

    # ---- progress

    @property
    def moves(self) -> int:
        """Moves made so far, by all threads."""
        return sum(int(worker.words[at.MOVES]) for worker in self.workers)

    @property
    def updates(self) -> int:
        """Afterstates updated so far, by all threads."""
        return sum(int(worker.words[at.UPDATES]) for worker in self.workers)

    @property
    def begun(self) -> int:
        """Games begun so far, with start tiles or elsewhere."""
        numbers = int(self.games_begun[0])
        if self.game_limit is None:
            return numbers
        # Idle threads have taken numbers beyond the limit.
        return min(numbers, max(self._phase_limit(), self.begun_before))

    @property
    def share(self) -> float | None:
        """Fraction of the games that are wanted; None without a limit on them."""
        playing = sum(worker.is_playing for worker in self.workers)
        over = int(self.games_begun[0]) - playing
        return over / self.game_limit if self.game_limit else None

    @property
    def is_finished(self) -> bool:
        """True if all games are played or the time is spent."""
        if self.second_limit is not None and self.seconds >= self.second_limit:
            return True
        return self.phase >= self.phases

    def limit(self, games: int | None, seconds: float | None) -> None:
        """Set the limits on the whole run anew; None for no limit.

        A run whose phases are over repeats its last phase if games are left to begin.
        """
        _check_limits(games, seconds)
        if games != self.game_limit:
            self.begun_before = int(self.games_begun[0])
        self.game_limit, self.second_limit = games, seconds
        if games is None or self.games_begun[0] < games:
            self.phase = min(self.phase, self.phases - 1)

    # ---- the loop

    def run(
        self,
        *,
        seconds: float | None = None,
        games: int | None = None,
        stop: threading.Event | None = None,
        on_progress: Callable[[TrainingProgress], None] | None = None,
        every: float = 0.25,
    ) -> None:
        """Train until the run ends or one of the arguments stops it.

        Args:
            seconds: return after about this time.
            games: return once the run has finished this many games: exactly with one thread,
                shortly after with several.
            stop: an event that makes this return.
            on_progress: called with the progress, in this thread.
            every: seconds between these calls.
        """
        began, before = time.perf_counter(), self.seconds
        stop = stop or threading.Event()
        self._enough = NO_LIMIT if games is None else games
        while not (self.is_finished or stop.is_set() or self.curve.games >= self._enough):
            self._begin_phase()
            halt = threading.Event()
            reported, moves = time.perf_counter(), self.moves
            with ExitStack() as at_end:
                pool = at_end.enter_context(ThreadPoolExecutor(len(self.workers)))
                at_end.callback(halt.set)
                threads = [
                    pool.submit(self._work, worker, halt, began, before) for worker in self.workers
                ]
                while wait(threads, every).not_done:
                    now = time.perf_counter()
                    self.seconds = before + now - began
                    self._limit_phase()
                    if on_progress and now - reported >= every:
                        on_progress(self._progress((self.moves - moves) / (now - reported)))
                        reported, moves = now, self.moves
                    enough = seconds is not None and now - began >= seconds
                    over = self.second_limit is not None and self.seconds >= self.second_limit
                    if stop.is_set() or enough or over:
                        halt.set()
            self.seconds = before + time.perf_counter() - began
            for thread in threads:
                thread.result()  # raises what ended it
            if not self._idle():
                return
            self._end_phase()
            if seconds is not None and time.perf_counter() - began >= seconds:
                return

    def _work(self, worker: Worker, halt: threading.Event, began: float, before: float) -> None:
        """The loop of one thread, until it is halted or has nothing left to play."""
        chunk = _FIRST_CHUNK
        try:
            while not halt.is_set():
                start, made = time.perf_counter(), worker.moves
                room = min(_RESULT_ROOM, max(self._enough - self.curve.games, 1))
                worker.words[at.RESULT_ROOM] = room
                active = kernels.train(worker.words, chunk)
                now = time.perf_counter()
                results = worker.take_results()
                with self._lock:
                    own = results[:, at.RESULT_MOVES].astype(np.int64)
                    share = (own - made) / max(worker.moves - made, 1)
                    seconds = before + start - began + share * (now - start)
                    self.curve.add(results, own + self.moves - worker.moves, seconds)
                if now - start < _CHUNK_SECONDS / 2:
                    chunk = min(2 * chunk, 1 << 20)
                elif now - start > 2 * _CHUNK_SECONDS:
                    chunk = max(chunk // 2, 64)
                if self.curve.games >= self._enough:
                    halt.set()
                if not active:
                    return
        except BaseException:
            halt.set()
            raise

    # ---- phases

    def _begin_phase(self) -> None:
        """Apply the settings of the phase; games under way continue."""
        limit = self._phase_limit()
        for worker in self.workers:
            worker.begin(self.settings.schedule[self.phase], limit)

    def _phase_limit(self) -> int:
        """Number of games begun at which this phase begins no more."""
        begun = self.settings.schedule[: self.phase + 1]
        share = min(sum(phase.share for phase in begun), 1.0)
        if self.game_limit is not None:
            return round(self.game_limit * share)
        is_last = self.phase >= self.phases - 1
        if self.second_limit is None or is_last or self.seconds < self.second_limit * share:
            return NO_LIMIT
        return 0

    def _limit_phase(self) -> None:
        """Stop beginning games once the time of the phase is over."""
        for worker in self.workers:
            worker.words[at.GAME_LIMIT] = self._phase_limit()

    def _idle(self) -> bool:
        return not any(worker.is_playing for worker in self.workers)

    def _end_phase(self) -> None:
        self.games_begun[0] = self.begun
        self.phase += 1
        if self.phase < self.phases:
            if self.settings.rule_of(self.settings.schedule[self.phase]).memory:
                self.memory.fill(0)
            for worker in self.workers:
                worker.game[at.LAST_COUNT] = 0


def _check_limits(games: int | None, seconds: float | None) -> None:
    if games is not None:
        check_limit("games", games, 0, MAX_TRAINING_GAMES)
    if seconds is not None and not 0 <= seconds <= MAX_RUN_SECONDS:
        raise LimitExceeded(f"expected seconds from 0 to {MAX_RUN_SECONDS:g}, got {seconds}")


def weight_count(settings: TrainingSettings) -> int:
    """Number of weights in all stages."""
    patterns = parse_patterns(settings.patterns, settings.rules.shape)
    return (len(settings.stages) + 1) * sum(pattern.size for pattern in patterns)


def carousel_shape(settings: TrainingSettings) -> tuple[int, int]:
    """Rows of the carousel, the first of which stays empty, and words per row."""
    return 1 + len(settings.bands or settings.stages), 1 + at.CAROUSEL_SIZE


def training_bytes(settings: TrainingSettings) -> int:
    """Memory of a training run, in bytes: weights, memory of the rules, games under way."""
    history = 16 * at.HISTORY_SIZE * settings.threads
    return 4 * weight_count(settings) * (1 + settings.memory) + history
