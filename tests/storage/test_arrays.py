import numpy as np

from twofold.storage.arrays import lies_flat


def test_only_contiguous_arrays_lie_flat() -> None:
    words = np.zeros(8, dtype=np.uint64)
    assert lies_flat(words, np.uint64)
    assert lies_flat(words.reshape(2, 4), np.uint64, 2)
    odd = np.zeros(65, dtype=np.uint8)[1:].view(np.uint64)
    wrong = [words[::2], words.astype(np.float64), words.reshape(2, 4), odd, [1, 2], None]
    assert not any(lies_flat(one, np.uint64) for one in wrong)
