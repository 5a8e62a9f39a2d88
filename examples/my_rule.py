"""A learning rule and a schedule of step sizes, as compiled functions.

twofold train 4x6 --out net.safetensors --rule examples/my_rule.py:rms --games 10000
twofold train 4x6 --out net.safetensors --decay examples/my_rule.py:halving --games 10000
"""

from math import sqrt

from twofold.learn.rules import decay, learning_rule


@learning_rule(memory=1)
def rms(places, count, step, weights, memory):
    """Weights with large mean steps take smaller ones (RMSprop, Tieleman and Hinton 2012).

    The memory of a weight is the mean of its squared steps. 1 point is added, so that the first
    steps are not too large.
    """
    for number in range(count):
        place = places[number]
        memory[place] = 0.99 * memory[place] + 0.01 * step * step
        weights[place] += step / (1.0 + sqrt(memory[place]))


@decay
def halving(updates):
    """Halves the learning rate every ten million updates."""
    return 0.5 ** (updates / 10_000_000)
