"""Critical values of the cliff search. Written by tools/critical_values.py; do not edit.

(number of blocks, 1% critical value of the largest |t| over all splits of independent normal blocks);
200,000 series each, seed 20240229.
"""

CRITICAL_T: tuple[tuple[int, float], ...] = (
    (4, 9.794),
    (5, 7.387),
    (6, 6.231),
    (7, 5.629),
    (8, 5.231),
    (9, 4.900),
    (10, 4.714),
    (12, 4.422),
    (15, 4.182),
    (20, 3.993),
    (30, 3.835),
    (45, 3.771),
    (60, 3.728),
    (100, 3.688),
    (200, 3.706),
    (500, 3.730),
    (1000, 3.761),
    (2000, 3.810),
)
