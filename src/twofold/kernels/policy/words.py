"""The words that describe a policy network to a kernel: uint64, addresses and sizes."""

from typing import Final

ROWS: Final = 0
COLS: Final = 1
EXPONENTS: Final = 2
"""Number of exponents in the table; larger ones are read as the largest."""
TABLE: Final = 3
"""Address of the first layer, float32 (cells, exponents, width)."""
BIAS: Final = 4
"""Address of its bias, float32 (width,)."""
WIDTH: Final = 5
WIDEST: Final = 6
"""Width of the widest layer."""
LAYERS: Final = 7
"""Number of layers after the first, the head among them."""
SYMMETRIC: Final = 8
"""1 if boards are turned to one of their symmetric forms first, see `turns`."""
FIRST: Final = 9
"""The words of the layers begin here, `LAYER_WORDS` each."""

WEIGHTS: Final = 0
"""Address of the weights of a layer, float32 (inputs, outputs)."""
BIASES: Final = 1
OUTPUTS: Final = 2
LAYER_WORDS: Final = 3

OUTPUT: Final = 5
"""Numbers that a network gives: the logits of up, right, down, left, and the value."""
VALUE: Final = 4
"""Where the value is among them."""
