"""Games that evaluate a network in training: at 1 ply, always from the same seeds and boards.

>>> from twofold.game.rules import STANDARD
>>> from twofold.values.network_file import load_network
>>> found = EvaluationGames(STANDARD, games=20)(load_network("tiny"))
>>> found is not None and 500 < found.mean < 50_000
True
"""

from collections.abc import Callable, Sequence

from twofold.arena.boards import StartBoards
from twofold.arena.games import tile_sum
from twofold.arena.stats import mean_interval, next_sum
from twofold.errors import InvalidInput
from twofold.game.notation import SeedRange, shown
from twofold.game.rules import STANDARD as STANDARD  # for the example
from twofold.game.rules import Rules
from twofold.learn.curve import Measured
from twofold.limits import MAX_DOWNGRADE, MAX_GAMES, MIN_DOWNGRADE, check_limit
from twofold.players import GameResult, play_games
from twofold.players.presets import DOWNGRADE
from twofold.players.searching import ExpectimaxPlayer
from twofold.search.depth import Depth
from twofold.values.network import Network, network_evaluator


class EvaluationGames:
    """The games of each evaluation: `ntuple:ply=1` on the seeds from 1 on.

    Args:
        rules: of the games.
        games: number of whole games, 0 for none.
        boards: sets of boards with different names; one game starts from each board.
        downgrade: sum of the different tiles from which boards are downgraded, 0 for never.
        stop: polled during the games; True ends the evaluation without a result.
    """

    def __init__(
        self,
        rules: Rules,
        *,
        games: int,
        boards: Sequence[StartBoards] = (),
        downgrade: int = DOWNGRADE,
        stop: Callable[[], bool] | None = None,
    ) -> None:
        self.rules, self.boards, self.stop = rules, tuple(boards), stop
        names = [one.name for one in self.boards]
        for name in names:
            if names.count(name) > 1:
                raise InvalidInput(
                    f"expected sets of boards with different names, got {shown(name)} twice"
                )
        self.games = check_limit("games of an evaluation", games, 0, MAX_GAMES)
        if downgrade:
            check_limit("downgrade of an evaluation", downgrade, MIN_DOWNGRADE, MAX_DOWNGRADE)
        self.downgrade = downgrade

    def __call__(self, network: Network) -> Measured | None:
        """Play the games with a network; None if stopped."""
        player = ExpectimaxPlayer(
            network_evaluator(network), Depth.fixed(1), downgrade=self.downgrade
        )
        whole = self._play(player, self.games, None)
        each = {one.name: self._play(player, len(one), one) for one in self.boards}
        if self.stop is not None and self.stop():
            return None
        reached = {name: survival(results) for name, results in each.items()}
        if not whole:
            return Measured(None, None, reached)
        mean = mean_interval([game.score for game in whole])
        half = mean.half_width
        return Measured(mean.value, None if half is None else round(half, 1), reached)

    def _play(
        self, player: ExpectimaxPlayer, games: int, boards: StartBoards | None
    ) -> list[GameResult]:
        seeds = SeedRange(1, games)
        starts = [boards.of_seed(seed) for seed in seeds] if boards else []
        return list(play_games(player, self.rules, seeds, boards=starts, stop=self.stop))


def survival(games: Sequence[GameResult]) -> float:
    """The share of games from boards that reached the next large tile; 0 if there are none."""
    came = [
        tile_sum(game.board) >= next_sum(game.start) for game in games if game.start is not None
    ]
    return sum(came) / max(len(came), 1)
