"""Training games as tensors, which a graphics card plays all at once."""

from typing import Any, Final

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from twofold.errors import InvalidNetwork
from twofold.learn.policy_games import BASE, check_state
from twofold.learn.policy_settings import PolicySettings
from twofold.values.policy_network import find_reward

_KEY: Final = 8
"""Cells of a key: 6 bits each make a whole number that float64 holds exactly."""


class CardGames:
    """Games that begin anew where they end, as those of `policy_games.TrainingGames` do.

    A step takes the same calculations whatever the boards are and waits for none of them, so a
    graphics card can repeat it as one graph (`learn.ppo.Repeated`).

    Large tiles are placed only on boards with room for two of them. A symmetric form is the last in
    the order of the cells; the games go on from there.

    Args:
        settings: rules, number, reward, scaffolds and symmetry of the games.
        generator: draws their first tiles, on the device where the games are.

    Attributes:
        boards: exponents, row by row, uint8 (count, cells).
        legal: bool, (count, 4).
        scores: points so far, int64 (count,).
        moves: moves so far, int64 (count,).
        whole: bool, (count,): False if large tiles were placed.
        largest: the largest exponent reached so far, int64 ().
        noise: how many random numbers a step needs for each game.
    """

    def __init__(self, settings: PolicySettings, generator: torch.Generator) -> None:
        rules, count, reward = settings.rules, settings.games, find_reward(settings.reward)
        self._rules, self._death = rules, reward.death
        self._shape, cells = rules.shape, rules.rows * rules.cols
        self._scaffold = settings.scaffold if rules.start_tiles + 2 < cells else 0.0
        device = generator.device

        def tensor(array: Any) -> Tensor:
            return torch.from_numpy(np.ascontiguousarray(array)).to(device)

        places = np.arange(cells).reshape(self._shape)
        forms = [places, places[:, ::-1], places[::-1], places[::-1, ::-1]]
        if rules.rows == rules.cols:
            forms += [form.T for form in forms]
        orders = [places.T, places[:, ::-1], places[::-1].T, places]  # lines, the front first
        exponents = np.arange(len(reward.values))
        self._orders = tensor([order.ravel() for order in orders])
        self._rewards = tensor(reward.values.astype(np.float32))
        self._points = tensor(np.where(exponents, 1 << exponents, 0))
        self._kinds = tensor(np.array(rules.spawn_exponents, dtype=np.uint8))
        self._bounds = tensor(np.cumsum(rules.spawn_probabilities)[:-1].astype(np.float32))
        self._steps = tensor(np.array([[0, 1, 0, 1], [-BASE, -BASE, -1, 0]]))
        self._forms = tensor([form.ravel() for form in forms]) if settings.symmetric else None
        self._keys = tensor(_keys(forms))
        self.noise = 2 * cells + 2
        self.boards = torch.zeros((count, cells), dtype=torch.uint8, device=device)
        self.legal = torch.zeros((count, 4), dtype=torch.bool, device=device)
        self.scores = torch.zeros(count, dtype=torch.int64, device=device)
        self.moves = torch.zeros_like(self.scores)
        self.whole = torch.ones(count, dtype=torch.bool, device=device)
        self.largest = torch.zeros((), dtype=torch.int64, device=device)
        noise = torch.rand((count, self.noise), generator=generator, device=device)
        self._show(self._begun(noise)[0])

    def __len__(self) -> int:
        return len(self.boards)

    def step(self, moves: Tensor, noise: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Make a legal move in every game; games that end begin anew.

        Args:
            moves: of each game, int64 (count,).
            noise: numbers drawn evenly from [0, 1), float32 (count, self.noise).

        Returns:
            The rewards, float32 (count,); whether the games ended, bool (count,); and score,
            moves, largest exponent of each game after the move, int64 (count, 3). Those count for
            games that ended and were `whole` before.
        """
        reached, merged = self._slid(moves)
        boards = self._with_tile(reached, noise)
        ended = self._is_stuck(boards)
        rewards = self._rewards[merged].sum(1) + self._death * ended
        scores, count = self.scores + self._points[merged].sum(1), self.moves + 1
        results = torch.stack([scores, count, boards.amax(1).long()], 1)
        self.largest.copy_(torch.maximum(self.largest, results[:, 2].max()))
        begun, whole = self._begun(noise)
        self._show(torch.where(ended[:, None], begun, boards))
        self.scores.copy_(scores.masked_fill(ended, 0))
        self.moves.copy_(count.masked_fill(ended, 0))
        self.whole.copy_(torch.where(ended, whole, self.whole))
        return rewards, ended, results

    def _show(self, boards: Tensor) -> None:
        """Fill in the boards in their last symmetric form, and their legal moves."""
        self.boards.copy_(self._turned(boards))
        grid = self.boards.view(-1, *self._shape)
        (up, down), (left, right) = _slides(grid.transpose(1, 2)), _slides(grid)
        torch.stack([up, right, down, left], 1, out=self.legal)

    def _is_stuck(self, boards: Tensor) -> Tensor:
        """Whether no move is legal."""
        grid = boards.view(-1, *self._shape)
        across, down = grid[:, :, 1:] == grid[:, :, :-1], grid[:, 1:] == grid[:, :-1]
        return ~(across.flatten(1).any(1) | down.flatten(1).any(1) | (boards == 0).any(1))

    def _slid(self, moves: Tensor) -> tuple[Tensor, Tensor]:
        """Boards after a move, and the exponents of the tiles that it made, 0 for none."""
        orders = self._orders[moves]
        lines = self.boards.gather(1, orders)
        rows, cols = self._shape
        found = _merged(lines.view(-1, rows, cols))
        if rows != cols:  # lines of up and down have another length
            upright = (moves % 2 == 0)[:, None]
            other = _merged(lines.view(-1, cols, rows))
            found = tuple(torch.where(upright, b, a) for a, b in zip(found, other, strict=True))
        return torch.zeros_like(lines).scatter(1, orders, found[0]), found[1].long()

    def _turned(self, boards: Tensor) -> Tensor:
        """The boards in their last symmetric form."""
        if self._forms is None:
            return boards
        keys = (boards.double() @ self._keys).view(len(boards), -1, len(self._forms))
        last = torch.ones_like(keys[:, 0], dtype=torch.bool)
        for key in keys.unbind(1):
            key = key.masked_fill(~last, -1.0)
            last = key == key.amax(1, keepdim=True)
        return boards.gather(1, self._forms[last.byte().argmax(1)])

    def _with_tile(self, boards: Tensor, noise: Tensor) -> Tensor:
        """The boards with a new tile on an empty cell."""
        cells = boards.shape[1]
        place = torch.where(boards == 0, noise[:, :cells], -1.0).argmax(1, keepdim=True)
        drawn = noise[:, cells : 2 * cells].gather(1, place)
        return boards.scatter(1, place, self._kinds[(drawn >= self._bounds).sum(1, keepdim=True)])

    def _begun(self, noise: Tensor) -> tuple[Tensor, Tensor]:
        """Boards of new games, and whether they have start tiles only.

        Games of the share `scaffold` have one or two large tiles, too. Until 2^14 was reached, that
        is one of at least a quarter of the largest so far; then 2^14, 2^15, 2^14 with 2^13, or 2^15
        with 2^14. Smaller boards scale this down.

        Source: PufferLib, 2048, January 2026.
        """
        boards = torch.zeros_like(self.boards)
        for _ in range(self._rules.start_tiles):
            boards = self._with_tile(boards, noise)
        if not self._scaffold:
            return boards, torch.ones_like(self.whole)
        drawn, pick = noise[:, -1], noise[:, -2]
        base = self.largest.clamp(max=BASE)
        first = base + self._steps[0][(pick * 4).long()]
        second = (base + self._steps[1][(pick * 4).long()]).clamp(min=0)
        early = (base - 2 + (pick * 3).long()).clamp(min=3)
        small = self.largest < BASE
        whole = (drawn >= self._scaffold) | (self.largest == 0)
        for tile in (torch.where(small, early, first), second.masked_fill(small, 0)):
            order = torch.where(boards == 0, noise[:, : boards.shape[1]], -1.0)
            place = order.argmax(1, keepdim=True)
            boards = boards.scatter(1, place, tile.masked_fill(whole, 0).byte()[:, None])
        return boards, whole

    # ---- what a checkpoint keeps

    def state(self) -> dict[str, NDArray[Any]]:
        """All that the next step depends on, but for the random numbers."""
        found = {name: getattr(self, name).cpu().numpy().copy() for name in _KEPT}
        return found | {"whole": found["whole"].view(np.uint8)}

    def restore(self, state: dict[str, NDArray[Any]]) -> None:
        """Continue from a `state`; raises `InvalidNetwork` for that of other games."""
        check_state(state, self.state(), self._rules)
        self._show(torch.from_numpy(state["boards"]).to(self.boards.device))
        if not self.legal.any(1).all():
            raise InvalidNetwork("expected boards of games, got one without a move")
        for name in ("scores", "moves", "whole", "largest"):
            kept = getattr(self, name)
            kept.copy_(torch.from_numpy(np.asarray(state[name])).to(kept.device))


_KEPT: Final = ("boards", "scores", "moves", "whole", "largest")


def _keys(forms: list[NDArray[np.int64]]) -> NDArray[np.float64]:
    """Weights of the cells in the keys of the forms, (cells, keys * forms).

    Of two boards the one with the larger first key is the later one; with equal ones the second
    decides, and so on.
    """
    cells = forms[0].size
    found = np.zeros((cells, -(-cells // _KEY), len(forms)))
    for number, form in enumerate(forms):
        for place, cell in enumerate(form.ravel()):
            found[cell, place // _KEY, number] = 64.0 ** (_KEY - 1 - place % _KEY)
    return found.reshape(cells, -1)


def _slides(lines: Tensor) -> tuple[Tensor, Tensor]:
    """Whether something in the lines moves to the front, and to the back."""
    one, other = lines[:, :, :-1], lines[:, :, 1:]
    same = one == other
    front = (other > 0) & (same | (one == 0))
    back = (one > 0) & (same | (other == 0))
    return front.flatten(1).any(1), back.flatten(1).any(1)


def _merged(lines: Tensor) -> tuple[Tensor, Tensor]:
    """Lines (count, lines, cells) moved to the front, and the exponents of the tiles made."""
    cells = _packed(list(lines.unbind(2)))
    made = []
    for at in range(len(cells) - 1):
        same = (cells[at] == cells[at + 1]) & (cells[at] > 0)
        cells[at] = cells[at] + same
        cells[at + 1] = cells[at + 1].masked_fill(same, 0)
        made.append(cells[at].masked_fill(~same, 0))
    found = torch.stack(_packed(cells), 2).flatten(1)
    if not made:
        return found, torch.zeros_like(found)
    return found, torch.stack([*made, torch.zeros_like(cells[0])], 2).flatten(1)


def _packed(cells: list[Tensor]) -> list[Tensor]:
    """Cells of lines with the empty ones last."""
    for last in range(len(cells) - 1, 0, -1):
        for at in range(last):
            empty = cells[at] == 0
            cells[at], cells[at + 1] = (
                torch.where(empty, cells[at + 1], cells[at]),
                cells[at + 1].masked_fill(empty, 0),
            )
    return cells
