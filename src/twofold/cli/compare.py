"""`twofold compare`: which of two players is stronger?"""

import time
from typing import Annotated, Any, Literal, Self

import typer
from msgspec import field

from twofold.arena.bench import Bench
from twofold.arena.boards import read_boards
from twofold.arena.compare import BIAS, Sprt
from twofold.arena.duel import DuelOutcome, SprtQuestion, duel
from twofold.cli import _games, _options, same_command
from twofold.cli._documents import BoardsDocument, Estimate, JobsTiming, Part, PlayerDocument
from twofold.cli._output import end_interrupted, machine, print_out, print_words, write_json
from twofold.errors import B_IS_STRONGER, InvalidInput, InvalidSpec
from twofold.figures import counted
from twofold.game.notation import SeedRange, parse_number, parse_seed, shown
from twofold.limits import MAX_GAMES, cores
from twofold.players import PlayerSpec
from twofold.players.registry import players_with
from twofold.search.budget import parse_seconds

EXAMPLE = """  twofold compare fast expectimax:ply=2 --games 200
  twofold compare ntuple:ply=2 ntuple --sprt --out duel.db
  twofold compare fast greedy --sprt --tile 2048 --delta 2%
  twofold compare expectimax expectimax:eval=snake --budget 1ms
  twofold compare strong max --sprt --ray auto --out duel.db"""

NEEDS = [("--tile --delta", "--sprt")]
GOES_ON = "--out"

_GAMES, _MOST_GAMES = 200, 10_000


def command(
    context: typer.Context,
    first: Annotated[
        str, _options.argument("A", "First player, or a strength: fast, normal, strong, max.")
    ],
    second: Annotated[str, _options.argument("B", "Second player.")],
    games: Annotated[
        int | None,
        _options.option(
            "N",
            f"Games per player. Default: {_GAMES}; with --boards one per board; "
            f"with --sprt at most {_MOST_GAMES:,}.",
            min=1,
            max=MAX_GAMES,
        ),
    ] = None,
    seed: _options.FirstSeedOption = "1",
    boards: _options.BoardsOption = "",
    sprt: Annotated[
        bool,
        _options.flag("--sprt", "Stop as soon as the stronger player is known (sequential test)."),
    ] = False,
    delta: Annotated[
        str | None,
        _options.option(
            "D",
            "With --sprt: the smallest difference to find, 500 points or 5% of B's mean. "
            "Default: 5%.",
        ),
    ] = None,
    tile: Annotated[
        int | None,
        _options.option(
            "T",
            "With --sprt: compare how often tile T is reached, not scores.",
            parser=_options.read_tile,
        ),
    ] = None,
    budget: Annotated[
        str, _options.option("T", "Time per move for both players, such as 1ms.")
    ] = "",
    out: _options.StudyOption = "",
    force: _options.ForceOption = False,
    jobs: _options.JobsOption = None,
    ray: _options.RayOption = None,
    rules: _options.RulesOption = "",
    json: _options.JsonOption = False,
) -> None:
    """Find out which of two players is stronger, on the same seeds.

    200 games show a difference of about 10 % between players with similar scores. A smaller
    difference needs more games: four times as many for half of it. --sprt plays until the test
    has found that one player is stronger by D or more, or that neither is; at most 5 % of its
    answers are wrong. It stops when the lead is large, so the lead that it shows is too large.

    Games of two players on the same seed are independent. With --boards both players start from
    the same boards, which saves up to a quarter of the games. The exit code is 4 if B is stronger,
    1 if a player failed, and 0 otherwise.
    """
    start = parse_seed(seed)
    used_jobs = jobs or cores()
    question = _question(delta, tile, sprt=sprt)
    players = [PlayerSpec.parse(first), PlayerSpec.parse(second)]
    used_rules = _options.read_rules(rules, players)
    starts = read_boards(boards, used_rules) if boards else None
    usual = _GAMES if starts is None else len(starts)
    count = games if games is not None else _MOST_GAMES if sprt else usual
    if budget:
        players = [_limited(player, budget) for player in players]
    _options.hint_at_strengths(() if json else players, used_rules)
    players = _options.prepare(players, used_rules, start)
    began = time.perf_counter()
    lines = [(player.title, count, count) for player in players]
    with (
        _games.open_study(out, players, boards, force=force) as study,
        _games.playing(ray, jobs, lines) as (far, asked, advance),
    ):
        used_jobs = far.jobs if far else used_jobs
        outcome = duel(
            Bench(study, used_rules, machine=machine(), boards=starts, say=_games.say_beside),
            (players[0], players[1]),
            SeedRange(start, count),
            used_jobs,
            question=question,
            backend=far,
            on_result=advance,
            stop=asked.is_set,
        )
    seconds = time.perf_counter() - began
    known = outcome.test is not None and outcome.test.finished
    is_short = any(len(one.games) < count for one in outcome.standings)
    interrupted = asked.is_set() and is_short and not known
    if json:
        document = CompareDocument.of(
            outcome, rules=used_rules, seed=start, boards=starts, interrupted=interrupted
        )
        write_json("compare", document, JobsTiming(seconds, used_jobs))
    else:
        print_out(outcome.tables)
        if outcome.words:
            print_words(f"\n{outcome.words}.")
        if games is None and starts is None:
            _print_power(outcome)
        print_words(f"\nrules {used_rules}, seeds from {start}")
        _games.say_strengths((one.player, one.spec) for one in outcome.standings)
        _games.print_boards(starts, max(len(one.games) for one in outcome.standings))
        print_out(f"{counted(used_jobs, 'job')}, {seconds:.1f} s in all")
    _end(outcome, same_command(context) if out else "", interrupted=interrupted)


def _limited(player: PlayerSpec, budget: str) -> PlayerSpec:
    """The spec of a player with the time of --budget for each move."""
    parse_seconds(budget, "--budget")
    if not (player.is_code or player.has_key("time")):
        raise InvalidSpec(
            f"expected players with the key time for --budget, got {shown(player.text)}"
            f"{players_with('time')}"
        )
    return player.with_keys(time=budget)


def _question(delta: str | None, tile: int | None, *, sprt: bool) -> SprtQuestion | None:
    if not sprt:
        return None
    delta = "5%" if delta is None else delta
    forms = "such as 500 or 5%" if tile is None else "in percent such as 5% with --tile"
    wanted = InvalidInput(f"expected --delta {forms}, got {shown(delta)}")
    share = delta.endswith("%")
    try:
        value = parse_number(delta.removesuffix("%"), "it", InvalidInput)
    except InvalidInput:
        raise wanted from None
    if not 0 < value < 1e12 or (tile is not None and not share):
        raise wanted
    return SprtQuestion(tile=tile, share=value / 100) if share else SprtQuestion(delta=value)


def _print_power(outcome: DuelOutcome) -> None:
    """Say why so many games were played: the smallest difference that they can show."""
    found = outcome.comparison
    if found is None or outcome.test is not None:
        return
    lead = found.paired.difference
    behind = min(float(one.games.scores.mean()) for one in outcome.standings)
    if lead.half_width is None or not behind > 0:
        return
    print_words(
        f"{found.games:,} games, the default, show a difference of {lead.half_width:,.0f} points "
        f"({100 * lead.half_width / behind:.0f} %) or more between these players. "
        "--games N plays more, --sprt as many as are needed."
    )


def _end(outcome: DuelOutcome, again: str, *, interrupted: bool) -> None:
    failed = [one for one in outcome.standings if one.error]
    if failed:
        _games.print_failures(failed)
        raise typer.Exit(1)
    if interrupted:
        end_interrupted("", again)
    if outcome.verdict == "B":
        raise typer.Exit(B_IS_STRONGER)


# ---- the document


class RatesDocument(Part, frozen=True):
    """How often two players reached a tile, on the same seeds.

    Attributes:
        ours: share of A's games, 0 to 1.
        theirs: share of B's games.
        difference: a minus b.
    """

    ours: float = field(name="a")
    theirs: float = field(name="b")
    difference: Estimate


class SprtDocument(Part, frozen=True):
    """The sequential test.

    Attributes:
        delta: smallest difference to find: points, or a share with a tile.
        tile: the tile whose reach rates are compared; null for scores.
        alpha: probability of naming a stronger player if there is none.
        beta: probability of missing one that is stronger by delta.
        pairs: number of seeds that it has used.
        mean: mean difference of these, A minus B.
        note: how to read the difference of a finished test; null before its end.
        llr: log likelihood ratios for A and for B.
        bounds: lower and upper bound of these, where the test ends.
        finished: true if the test has its verdict.
    """

    delta: float
    tile: int | None
    alpha: float
    beta: float
    pairs: int
    mean: float
    note: str | None
    llr: tuple[float, float]
    bounds: tuple[float, float]
    finished: bool

    @classmethod
    def of(cls, source: Sprt, **given: Any) -> Self:
        """The document of a test."""
        return super().of(source, note=BIAS if source.finished else None, **given)


class CompareDocument(Part, frozen=True):
    """Two players on the same seeds.

    Attributes:
        rules: rules of the game.
        seed: seed of the first game.
        boards: boards on which games begin; null for the usual start.
        interrupted: true if Ctrl-C ended it before its end.
        players: A and B, with the games that they finished.
        games: number of seeds that both have played.
        verdict: the stronger player, or `EQUAL` by a test; null if it is not known.
        words: the result as a sentence; null without games.
        difference: mean score of A minus that of B, in points; null without games.
        wins_draws_losses: number of seeds on which A has more points, as many, fewer.
        p_value: of the paired t test, two-sided; null for fewer than two games.
        reach_rates: how often each tile was reached: those that some games reached and some not.
        sprt: the sequential test; null without `--sprt`.
    """

    rules: str
    seed: str
    boards: BoardsDocument | None
    interrupted: bool
    players: list[PlayerDocument]
    games: int
    verdict: Literal["A", "B", "EQUAL"] | None
    words: str | None
    difference: Estimate | None
    wins_draws_losses: tuple[int, int, int] | None
    p_value: float | None
    reach_rates: dict[str, RatesDocument]
    sprt: SprtDocument | None

    @classmethod
    def of(cls, source: DuelOutcome, **given: Any) -> Self:
        """The document of an outcome."""
        found, test = source.comparison, source.test
        paired = found.paired if found else None
        return super().of(
            source,
            players=[PlayerDocument.of(one, games=len(one.games)) for one in source.standings],
            games=found.games if found else 0,
            difference=paired and paired.difference,
            wins_draws_losses=paired and (paired.wins, paired.draws, paired.losses),
            p_value=paired and paired.p_value,
            reach_rates=found.reach if found else {},
            sprt=None if test is None else SprtDocument.of(test, tile=source.tile),
            **given,
        )
