"""Calculations that are repeated: they give what their function gives, on a graphics card too."""

import importlib.util

import pytest

pytestmark = [
    pytest.mark.long,
    pytest.mark.skipif(
        importlib.util.find_spec("torch") is None, reason="needs pip install 'twofold[policy]'"
    ),
]


@pytest.mark.parametrize("device", ["cpu", "cuda"])
def test_a_repeated_calculation_gives_what_its_function_gives(device: str) -> None:
    import torch

    from twofold.learn.ppo import WARM_UP, Repeated

    if device == "cuda" and not torch.cuda.is_available():
        pytest.skip("needs a graphics card that PyTorch can use")
    total = torch.zeros(3, device=device)

    def add(one: torch.Tensor, two: torch.Tensor) -> torch.Tensor:
        total.add_(one * two)
        return total * 2

    repeated = Repeated(add, torch.device(device))
    expected = torch.zeros(3)
    for number in range(WARM_UP + 5):
        one, two = torch.full((3,), float(number)), torch.arange(3.0)
        expected += one * two
        assert torch.equal(repeated(one.to(device), two.to(device)).cpu(), expected * 2)
        assert torch.equal(total.cpu(), expected)
