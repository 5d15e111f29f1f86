"""Lag-1 autocorrelation against the certified values of NIST's Statistical Reference Datasets (V13)."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

from graycard.stats.autocorrelation import correlations, lag_one

DATA = Path(__file__).parent / "data"


def stored(name: str) -> list[float]:
    lines = (DATA / f"{name}.txt").read_text().splitlines()
    return [float(word) for line in lines if not line.startswith("#") for word in line.split()]


def pi_digits(count: int) -> list[float]:
    """The first digits of pi, by Machin's formula in whole numbers."""
    one: int = 10 ** (count + 10)

    def arctan_of_inverse(x: int) -> int:
        total = term = one // x
        divisor, sign = 3, -1
        while term:
            term //= x * x
            total += sign * term // divisor
            divisor, sign = divisor + 2, -sign
        return total

    pi = 4 * (4 * arctan_of_inverse(5) - arctan_of_inverse(239))
    # Python writes at most 4300 digits at a time.
    first, second = divmod(pi // 10**11, 10 ** (count // 2))
    return [float(digit) for digit in f"{first}{second:0{count // 2}d}"]


def nist_pi_digits() -> list[float]:
    """PiDigits as NIST has it: the first 5000 digits, but for the 957th, which is 3 there and 8 in pi."""
    digits = pi_digits(5000)
    assert digits[956] == 8
    return [*digits[:956], 3.0, *digits[957:]]


def numacc(middle: float, low: float, high: float) -> list[float]:
    """NumAcc2 to 4: 1001 values, the middle one and then the low and the high one in turn, by their definition."""
    return [middle, *([low, high] * 500)]


# name, data, number, certified mean, standard deviation (n - 1) and lag-1 autocorrelation.
CERTIFIED = [
    ("Lew", stored("lew"), 200, -177.435, 277.332168044316, -0.307304800605679),
    ("Lottery", stored("lottery"), 218, 518.958715596330, 291.699727470969, -0.120948622967393),
    ("Mavro", stored("mavro"), 50, 2.001856, 0.000429123454003053, 0.937989183438248),
    ("Michelso", stored("michelso"), 100, 299.8524, 0.0790105478190518, 0.535199668621283),
    ("PiDigits", nist_pi_digits(), 5000, 4.5348, 2.86733906028871, -0.00355099287237972),
    ("NumAcc1", [10000001.0, 10000003.0, 10000002.0], 3, 10000002.0, 1.0, -0.5),
    ("NumAcc2", numacc(1.2, 1.1, 1.3), 1001, 1.2, 0.1, -0.999),
    ("NumAcc3", numacc(1000000.2, 1000000.1, 1000000.3), 1001, 1000000.2, 0.1, -0.999),
    ("NumAcc4", numacc(10000000.2, 10000000.1, 10000000.3), 1001, 10000000.2, 0.1, -0.999),
]


@pytest.mark.parametrize(
    ("data", "count", "mean", "deviation", "certified"),
    [row[1:] for row in CERTIFIED],
    ids=[row[0] for row in CERTIFIED],
)
def test_nist_certified_values(data: list[float], count: int, mean: float, deviation: float, certified: float) -> None:
    # Mean and deviation prove that the data are NIST's; the third value is what is under test.
    assert len(data) == count
    assert math.fsum(data) / count == pytest.approx(mean, rel=1e-13)
    assert float(np.std(data, ddof=1)) == pytest.approx(deviation, rel=1e-7)
    assert lag_one(data) == pytest.approx(certified, rel=1e-9)


def test_other_lags_equal_numpy() -> None:
    data = np.array(stored("lew"))
    deviations = data - data.mean()
    expected = [
        float((deviations[lag:] * deviations[: len(data) - lag]).sum() / (deviations**2).sum()) for lag in (0, 2, 7)
    ]
    assert correlations(list(data), (0, 2, 7)) == pytest.approx(expected, rel=1e-12)


def test_a_constant_series_has_no_autocorrelation() -> None:
    assert lag_one([3.0, 3.0, 3.0]) == 0.0
    assert lag_one([3.0]) == 0.0
