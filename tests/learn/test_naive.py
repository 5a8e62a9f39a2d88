"""The naive network and learner follow the papers, worked by hand."""

from math import isclose

from tests.learn.naive import Learner, NaiveNetwork

A, B, C, D = 1, 2, 3, 4


def test_a_value_is_the_sum_over_patterns_and_symmetries() -> None:
    network = NaiveNetwork([(0, 1), (3,)], (2, 2))
    network.weights[0] = {(0, (A, B)): 1.0, (0, (B, A)): 10.0, (0, (C, D)): 100.0, (1, (D,)): 0.5}
    # Each side of the square is seen twice, once in each direction, and each cell twice.
    assert network.value((A, B, C, D)) == 1 + 10 + 100 + 2 * 0.5
    assert network.value((0, A, 0, B)) == 1 + 10


def test_td_shares_the_change_among_features() -> None:
    network = NaiveNetwork([(0, 1)], (1, 2))
    Learner(network, "td", 0.1).update((A, B), 40.0)  # four features, both of them twice
    assert network.weights == [{(0, (A, B)): 2.0, (0, (B, A)): 2.0}]
    network = NaiveNetwork([(0, 1, 2)], (2, 2))
    Learner(network, "td", 0.1).update((A, B, C, D), 40.0)  # eight different ones
    assert set(network.weights[0].values()) == {0.5}
    assert network.value((A, B, C, D)) == 4.0


def test_tc_learns_faster_where_updates_agree() -> None:
    network = NaiveNetwork([(0,)], (1, 2))
    learner = Learner(network, "tc", 1.0)
    learner.update((A, B), 40.0)  # four features, both cells twice: the ratio is 1
    assert network.weights == [{(0, (A,)): 20.0, (0, (B,)): 20.0}]
    assert learner.sums == {(0, (0, (A,))): (20.0, 20.0), (0, (0, (B,))): (20.0, 20.0)}
    learner.update((A, A), 40.0)  # worth 80: four times -10, and the ratio falls
    ratios = [20 / 20, 10 / 30, 0 / 40, 10 / 50]
    assert isclose(network.weights[0][0, (A,)], 20 - 10 * sum(ratios))
    assert learner.sums[0, (0, (A,))] == (-20.0, 60.0)
