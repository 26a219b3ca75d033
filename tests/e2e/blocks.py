# SPDX-License-Identifier: Apache-2.0
# tests/e2e/blocks.py: MXFP4 blocks in exact fractions, to compare the command with.

import math
from fractions import Fraction

GRID = [Fraction(n, 2) for n in (0, 1, 2, 3, 4, 6, 8, 12)]  # magnitudes of codes 0 to 7


def power(exponent):
    return Fraction(2) ** exponent


def floor_log2(x):
    exponent = 0
    while power(exponent) > x:
        exponent -= 1
    while power(exponent + 1) <= x:
        exponent += 1
    return exponent


def scale_exponent(amax, rule):
    exponent = floor_log2(amax) - 2
    if rule == "rceil" and 6 * power(exponent) < amax:
        exponent += 1
    return max(-127, min(127, exponent))


def nearest_code(magnitude):
    """Ties go to the even code; beyond 6 it is 7."""
    distances = [abs(g - magnitude) for g in GRID]
    near = [code for code in range(8) if distances[code] == min(distances)]
    return near[0] if len(near) == 1 else next(code for code in near if code % 2 == 0)


def quantize(values, rule):
    """Returns the scale byte and 32 codes of up to 32 numbers."""
    if not all(map(math.isfinite, values)):
        return 255, [0] * 32
    values = list(values) + [0.0] * (32 - len(values))
    amax = max(abs(Fraction(v)) for v in values)
    exponent = scale_exponent(amax, rule) if amax else -127
    codes = []
    for v in values:
        sign = 8 if math.copysign(1, v) < 0 else 0
        codes.append(sign | nearest_code(abs(Fraction(v)) / power(exponent)))
    return exponent + 127, codes


def dequantize(byte, code):
    if byte == 255:
        return math.nan
    value = float(GRID[code & 7] * power(byte - 127))
    if value > 3.4028234663852886e38:
        value = math.inf
    return -value if code & 8 else value
