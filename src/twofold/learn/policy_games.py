"""Training games: many at once, each with its own seed, some with large tiles at their start."""

from dataclasses import dataclass, fields
from typing import Any, Final

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn import functional

from twofold.env.games import EnvGames, EnvSettings
from twofold.errors import InvalidNetwork
from twofold.game.rules import Rules
from twofold.kernels.policy import advantages, merge_rewards, moves_back, turn_each
from twofold.learn.policy_model import WARM_UP, PolicyModel, Repeated
from twofold.learn.policy_settings import PolicySettings
from twofold.limits import MAX_SEED
from twofold.values.policy_network import Reward, find_reward

_BASE: Final = 14
"""Exponent around which scaffolds are built once such tiles were reached. Source: PufferLib."""


class TrainingGames:
    """Games that begin anew where they end.

    Args:
        rules: of the games.
        count: number of games at a time.
        reward: what they pay.
        scaffold: share of the games that begin with large tiles placed.
        seed: of the first game; the next ones count up.
        symmetric: boards and moves are shown turned to one of their symmetric forms.

    Attributes:
        boards: exponents, (count, rows, cols).
        legal: int8, (count, 4).
        ended: bool, (count,): True if the last step ended the game; a new one has begun then.
        largest: the largest exponent reached so far.
    """

    def __init__(
        self,
        rules: Rules,
        count: int,
        reward: Reward,
        *,
        scaffold: float = 0.0,
        seed: int = 0,
        symmetric: bool = False,
    ) -> None:
        self._rules, self._reward, self._scaffold = rules, reward, scaffold
        settings = EnvSettings.checked(rules, "exponents", "score", "error", 0.0)
        self._games = EnvGames(settings, count)
        self._symmetric = symmetric
        self.boards: NDArray[Any] = np.empty_like(self._games.observations)
        self.legal = np.empty_like(self._games.legal)
        self._turns = np.zeros(count, dtype=np.int64)
        self.ended = np.zeros(count, dtype=np.bool_)
        self.largest = 0
        self._next_seed = seed
        self._placed = np.zeros(count, dtype=np.bool_)
        self._random = np.random.Generator(np.random.PCG64(seed))
        self._rewards = np.zeros(count, dtype=np.float32)
        self._begin(np.ones(count, dtype=np.bool_))
        self._show()

    def __len__(self) -> int:
        return len(self.ended)

    def step(self, moves: NDArray[np.int64]) -> tuple[NDArray[np.float32], NDArray[np.uint64]]:
        """Make a legal move in every game; games that end begin anew.

        Returns:
            The rewards, float32 (count,), in one array that is reused; and score, moves, largest
            exponent of the games that ended and had begun with start tiles.
        """
        games, rewards = self._games, self._rewards
        merge_rewards(self.boards, moves, self._reward.values, rewards)
        moves_back(moves, self._turns, games.actions)
        games.step()
        np.copyto(self.ended, games.terminated)
        results = self._begin_again() if self.ended.any() else np.zeros((0, 3), dtype=np.uint64)
        self._show()
        return rewards, results

    def _show(self) -> None:
        """Fill in boards and legal moves as they are seen from outside."""
        games = self._games
        if self._symmetric:
            turn_each(games.observations, games.legal, self.boards, self.legal, self._turns)
        else:
            self.boards[:], self.legal[:] = games.observations, games.legal

    def _begin_again(self) -> NDArray[np.uint64]:
        """Begin games anew where they ended; returns the results of those that count."""
        games, rewards = self._games, self._rewards
        over = np.flatnonzero(self.ended)
        rewards[over] += self._reward.death
        self.largest = max(self.largest, int(games.max_tiles.max()).bit_length() - 1)
        whole = over[~self._placed[over]]
        results = np.empty((len(whole), 3), dtype=np.uint64)
        results[:, 0], results[:, 1] = games.scores[whole], games.move_numbers[whole]
        results[:, 2] = np.log2(games.max_tiles[whole]).round()
        self._begin(self.ended)
        return results

    def _begin(self, which: NDArray[np.bool_]) -> None:
        places = np.flatnonzero(which)
        steps = np.arange(len(places), dtype=np.uint64)
        self._games.seeds[places] = np.uint64(self._next_seed) + steps
        self._next_seed = (self._next_seed + len(places)) & MAX_SEED
        self._games.start(which)
        self._placed[places] = False
        if self._scaffold and self.largest:
            chosen = places[self._random.random(len(places)) < self._scaffold]
            if len(chosen):
                self._place(chosen)

    def _place(self, places: NDArray[np.int64]) -> None:
        """Begin games with their start tiles and one or two large ones.

        Until 2^14 was reached, one tile of at least the largest so far; then 2^14, 2^15, or
        those with the next smaller or larger one. Smaller boards scale this down.

        Source: PufferLib, 2048, January 2026.
        """
        tiles = self._tiles(len(places))
        boards = self._games.observations.reshape(len(self), -1)[places]
        order = np.where(boards, 1.0, self._random.random(boards.shape)).argsort(axis=1)
        boards[np.arange(len(places))[:, np.newaxis], order[:, :2]] = tiles
        roomy = (boards == 0).any(axis=1)
        self._games.place_each(places[roomy], boards[roomy])
        self._placed[places[roomy]] = True

    def _tiles(self, count: int) -> NDArray[np.uint8]:
        """One or two large tiles for each game, (count, 2)."""
        base = min(_BASE, self.largest)
        if self.largest < _BASE:
            tiles = np.zeros((count, 2), dtype=np.uint8)
            tiles[:, 0] = np.maximum(base - 2 + self._random.integers(3, size=count), 3)
            return tiles
        kinds = np.array([[base, 0], [base + 1, 0], [base, base - 1], [base + 1, base]], np.uint8)
        return kinds[self._random.integers(len(kinds), size=count)]

    # ---- what a checkpoint keeps

    def state(self) -> dict[str, NDArray[np.generic]]:
        """All that the next step depends on."""
        games = self._games
        generator = self._random.bit_generator.state
        words = [generator["state"]["state"], generator["state"]["inc"]]
        halves = [word >> shift & MAX_SEED for word in words for shift in (0, 64)]
        rest = [generator["has_uint32"], generator["uinteger"], self._next_seed, self.largest]
        return {
            "boards": games.observations.reshape(len(self), -1).copy(),
            "seeds": games.seeds.copy(),
            "scores": games.scores.copy(),
            "move_numbers": games.move_numbers.copy(),
            "placed": self._placed.astype(np.uint8),
            "numbers": np.array([*halves, *rest], dtype=np.uint64),
        }

    def restore(self, state: dict[str, NDArray[np.generic]]) -> None:
        """Continue from a `state`; raises `InvalidNetwork` for that of other games."""
        for name, like in self.state().items():
            found = state.get(name)
            if found is None or found.shape != like.shape or found.dtype != like.dtype:
                raise InvalidNetwork(f"expected the {name} of {len(self)} games, got others")
        self._games.seeds[:] = state["seeds"]
        boards = state["boards"].astype(np.uint8)
        if boards.max() > self._rules.max_exponent:
            raise InvalidNetwork(
                f"expected exponents up to {self._rules.max_exponent}, got {boards.max()}"
            )
        sums = np.where(boards > 0, np.uint64(1) << boards.astype(np.uint64), 0).sum(axis=1)
        if not sums.all() or sums.max() >= 2 << self._rules.max_exponent:
            raise InvalidNetwork("expected boards of games, got an empty or an impossible one")
        self._games.place_each(np.arange(len(self)), boards)
        self._games.scores[:], self._games.move_numbers[:] = state["scores"], state["move_numbers"]
        self._show()
        self._placed[:] = state["placed"] != 0
        low, high, low_inc, high_inc, has, uinteger, seed, largest = state["numbers"].tolist()
        self._random.bit_generator.state = {
            "bit_generator": "PCG64",
            "state": {"state": low | high << 64, "inc": low_inc | high_inc << 64},
            "has_uint32": has,
            "uinteger": uinteger,
        }
        self._next_seed, self.largest = seed, largest


_SEEDS: Final = 1 << 48
"""From the first seed of a group to that of the next one."""


@dataclass(frozen=True, slots=True, eq=False)
class Moves:
    """The moves between two updates; tensors on the device, (steps * games, ...).

    `logs` are logarithms of the probabilities of the chosen moves. Values and advantages are in
    the reward's unit.
    """

    boards: Tensor
    legal: Tensor
    moves: Tensor
    logs: Tensor
    values: Tensor
    advantages: Tensor

    @classmethod
    def joined(cls, parts: list["Moves"]) -> "Moves":
        """The moves of all groups."""
        names = [field.name for field in fields(cls)]
        return cls(*(torch.cat([getattr(one, name) for one in parts]) for name in names))


def choice(logits: Tensor, legal: Tensor) -> Tensor:
    """Log-probabilities of the four moves; about -1e9 for illegal ones."""
    return functional.log_softmax(logits.masked_fill(~legal, -1e9), dim=1)


class Group:
    """The games of one group.

    Attributes:
        games: its training games.
        generator: draws its moves.
    """

    def __init__(self, settings: PolicySettings, model: PolicyModel, number: int) -> None:
        self._settings, self._model = settings, model
        self._device = model.middle.device
        seed = settings.seed + number * _SEEDS & MAX_SEED
        self.games = TrainingGames(
            settings.rules,
            settings.group_sizes[number],
            find_reward(settings.reward),
            scaffold=settings.scaffold,
            seed=seed,
            symmetric=settings.symmetric,
        )
        self.generator = torch.Generator(self._device)
        self.generator.manual_seed(seed & 2**63 - 1)
        self._boards = self._shared(self.games.boards)
        self._legal = self._shared(self.games.legal)
        self.games.boards, self.games.legal = self._boards.numpy(), self._legal.numpy()
        count, self._cells = len(self.games), self.games.boards[0].size
        self._moves = self._shared(np.zeros(count, dtype=np.int64))
        self._read = torch.cuda.Event() if self._device.type == "cuda" else None
        self._choose = Repeated(self._chosen, self._device)
        if self._read is not None:  # recorded here, while no other thread uses the card
            boards, legal, drawn = (one[0] for one in self._room(1))
            for _ in range(WARM_UP + 1):
                self._choose(boards.zero_(), legal.fill_(True), drawn.fill_(1.0))

    def _room(self, steps: int) -> tuple[Tensor, Tensor, Tensor]:
        """Tensors for boards, legal moves and random numbers of some steps."""
        shape, device = (steps, len(self.games)), self._device
        boards = torch.empty((*shape, self._cells), dtype=torch.uint8, device=device)
        legal = torch.empty((*shape, 4), dtype=torch.bool, device=device)
        return boards, legal, torch.empty((*shape, 4), device=device)

    def _shared(self, array: NDArray[np.generic]) -> Tensor:
        """A copy of an array that the device can read while the processor goes on."""
        tensor = torch.from_numpy(array.copy())
        return tensor.pin_memory() if self._device.type == "cuda" else tensor

    def play(self) -> tuple[Moves, NDArray[np.uint64]]:
        """Play `horizon` moves in every game; also returns the results of ended games."""
        games, settings, device = self.games, self._settings, self._device
        steps, count = settings.horizon, len(games)
        rewards = np.empty((steps, count), dtype=np.float32)
        ended = np.empty((steps, count), dtype=np.bool_)
        boards, legal, drawn = self._room(steps + 1)  # the last boards have values, too
        drawn.exponential_(generator=self.generator)
        moves = torch.empty((steps + 1, count), dtype=torch.int64, device=device)
        logs, values = torch.empty((2, steps + 1, count), device=device)
        results = []
        for step in range(steps + 1):
            boards[step].copy_(self._boards.flatten(1), non_blocking=True)
            legal[step].copy_(self._legal.view(torch.bool), non_blocking=True)
            found = self._choose(boards[step], legal[step], drawn[step])
            moves[step], logs[step], values[step] = found
            if step < steps:
                paid, over = games.step(self._brought(found[0]))
                rewards[step], ended[step] = paid, games.ended
                results.append(over)
        gains = np.empty((steps, count), dtype=np.float32)
        worth = values.cpu().numpy()
        advantages(rewards, worth, ended, settings.gamma, settings.decay, gains)
        parts = [one[:steps] for one in (boards, legal, moves, logs, values)]
        parts.append(torch.from_numpy(gains).to(device))
        return Moves(*(part.flatten(0, 1) for part in parts)), np.concatenate(results)

    def _brought(self, moves: Tensor) -> NDArray[np.int64]:
        """Moves from the device; what was sent there has been read then."""
        self._moves.copy_(moves, non_blocking=True)
        if self._read is not None:
            self._read.record()
            self._read.synchronize()
        found: NDArray[np.int64] = self._moves.numpy()
        return found

    @torch.no_grad()
    def _chosen(self, boards: Tensor, legal: Tensor, drawn: Tensor) -> tuple[Tensor, ...]:
        """Sampled moves, their log-probabilities, and the values of the boards."""
        logits, values = self._model(boards)
        logs = choice(logits, legal)
        moves = (logs.exp() / drawn).argmax(1, keepdim=True)  # as torch.multinomial does
        values = values * self._model.spread + self._model.middle
        return moves[:, 0], logs.gather(1, moves)[:, 0], values
