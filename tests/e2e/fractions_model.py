# SPDX-License-Identifier: Apache-2.0
# tests/e2e/fractions_model.py: blocks of any format in exact fractions, to compare the command with.

import math
from bisect import bisect_right
from fractions import Fraction

from blocks import floor_log2, power

FLT_MAX = Fraction(3.4028234663852886e38)


def magnitudes(exponent_bits, fraction_bits, bias, last):
    """Magnitudes of the codes 0 to last."""
    values = []
    for code in range(last + 1):
        field, fraction = divmod(code, 1 << fraction_bits)
        hidden = 0 if field == 0 else 1
        unit = power(max(field, 1) - bias - fraction_bits)
        values.append(((hidden << fraction_bits) + fraction) * unit)
    return values


class element:
    """An element format: magnitudes by code, sign bit, and the meaning of a negative zero."""

    def __init__(self, values, width, fraction_bits, negative_zero=True, twos_complement=False):
        self.values, self.width, self.fraction_bits = values, width, fraction_bits
        self.negative_zero, self.twos_complement = negative_zero, twos_complement
        self.largest = values[-1]
        self.emax = floor_log2(self.largest)

    def code(self, negative, magnitude):
        if not negative or (magnitude == 0 and not self.negative_zero):
            return magnitude
        return (1 << self.width) - magnitude if self.twos_complement else \
            (1 << (self.width - 1)) | magnitude

    def value(self, code):
        sign = code >> (self.width - 1)
        if self.twos_complement and sign:
            return -Fraction((1 << self.width) - code, 64)
        magnitude = self.values[code & ((1 << (self.width - 1)) - 1)]
        return -magnitude if sign else magnitude

    def rounded(self, x, mode, draw=None):
        """Magnitude code of a magnitude; draw is (random bits, their number)."""
        below = bisect_right(self.values, x) - 1
        if below == len(self.values) - 1 or self.values[below] == x:
            return below
        low, high = self.values[below], self.values[below + 1]
        if mode == "toward-zero":
            return below
        if mode == "stochastic":
            random, bits = draw
            cut = math.floor((x - low) / (high - low) * (1 << bits))
            return below + (cut + random >= 1 << bits)
        twice = 2 * x - low - high
        if twice != 0:
            return below + (twice > 0)
        return {"nearest-even": below + below % 2, "nearest-away": below + 1,
                "nearest-zero": below}[mode]


ELEMENTS = {
    "e2m1": element(magnitudes(2, 1, 1, 7), 4, 1),
    "e2m3": element(magnitudes(2, 3, 1, 31), 6, 3),
    "e3m2": element(magnitudes(3, 2, 3, 31), 6, 2),
    "e4m3": element(magnitudes(4, 3, 7, 126), 8, 3),
    "e5m2": element(magnitudes(5, 2, 15, 123), 8, 2),
    "e4m3fnuz": element(magnitudes(4, 3, 8, 127), 8, 3, negative_zero=False),
    "e5m2fnuz": element(magnitudes(5, 2, 16, 127), 8, 2, negative_zero=False),
    "int8": element([Fraction(n, 64) for n in range(128)], 8, 6, negative_zero=False,
                    twos_complement=True),
}


def nearest32(x):
    """The FP32 number nearest to a fraction, ties to even, as a fraction."""
    if x == 0:
        return Fraction(0)
    unit = power(max(floor_log2(abs(x)), -126) - 23)
    return Fraction(round(x / unit)) * unit


def as_float(x):
    """The value that dequantize writes for an exact value."""
    rounded = nearest32(x)
    return math.copysign(math.inf, rounded) if abs(rounded) > FLT_MAX else float(rounded)


class e8m:
    """Powers of two with k fraction bits; code 0 is the smallest, there is no zero."""

    def __init__(self, k):
        self.k, self.last = k, (255 << k) - 1
        self.nan = 255 << k

    def value(self, code):
        field, fraction = divmod(code, 1 << self.k)
        return power(field - 127) * (1 + Fraction(fraction, 1 << self.k))

    def bracket(self, x):
        """The codes at or below, and at or above."""
        if x <= self.value(0):
            return 0, 0
        field = floor_log2(x)
        steps = x / power(field - self.k)
        low = ((field + 127) << self.k) + math.floor(steps) - (1 << self.k)
        high = low + (steps != math.floor(steps))
        return min(low, self.last), min(high, self.last)

    def nearest(self, x):
        low, high = self.bracket(x)
        twice = 2 * x - self.value(low) - self.value(high)
        if low == high or twice == 0:
            return low + low % 2 if low != high else low
        return high if twice > 0 else low


class ue4m3:
    nan, last = 127, 126
    values = magnitudes(4, 3, 7, 126)

    def value(self, code):
        return self.values[code]

    def nearest(self, x):
        return ELEMENTS["e4m3"].rounded(x, "nearest-even")


def shared_exponent(f, rule, amax):
    """e of the power-of-two rules, before clamping."""
    floor = floor_log2(amax) - f.emax

    def smallest(holds):
        e = floor - 3
        while not holds(power(e)):
            e += 1
        return e

    if rule == "floor":
        return floor
    if rule == "ceil":
        return floor + (amax != power(floor_log2(amax)))
    if rule == "even":
        return floor + (amax / power(floor_log2(amax)) >= 2 - power(-f.fraction_bits - 1))
    if rule == "rceil":
        return smallest(lambda s: f.largest * s >= amax)
    if rule == "floor6":
        return smallest(lambda s: f.largest * s > amax) - 1
    if rule == "midmax":
        return smallest(lambda s: (f.largest + power(f.emax + 1)) / 2 * s >= amax)
    if rule == "static-4":
        return smallest(lambda s: 4 * s >= amax)
    step = f.values[-1] - f.values[-2]
    assert rule == "overflow-aware"
    return smallest(lambda s: amax < (f.largest + step / 2) * s)


MASK = 0xFFFFFFFF


def philox(key, counter):
    words, low, high = list(counter), key & MASK, key >> 32
    for _ in range(10):
        even, odd = 0xD2511F53 * words[0], 0xCD9E8D57 * words[2]
        words = [(odd >> 32) ^ words[1] ^ low, odd & MASK, (even >> 32) ^ words[3] ^ high,
                 even & MASK]
        low, high = (low + 0x9E3779B9) & MASK, (high + 0xBB67AE85) & MASK
    return words


def random_bits(seed, bits, byte_map, index):
    """The random bits of element `index`."""
    serves = 4 if bits <= 8 else 2 if bits <= 16 else 1
    word = index // serves
    drawn = philox(seed, (word // 4 & MASK, word // 4 >> 32, 0, 0))[word % 4]
    lowest = {4: {"ptx": (0, 16, 8, 24), "te-soft": (0, 8, 16, 24)}[byte_map][index % 4],
              2: index % 2 * 16, 1: 0}[serves]
    width = 32 // serves
    return (drawn >> lowest & ((1 << width) - 1)) >> (width - bits)


def quantize(values, name, scale, choose, above=Fraction(1), mode="nearest-even", draw=None):
    """Scale code and element codes of one block.

    choose(f, amax, values) gives the scale's code; draw(position) the random bits."""
    f = ELEMENTS[name]
    if not all(map(math.isfinite, values)):
        return scale.nan, [0] * len(values)
    exact = [Fraction(v) for v in values]
    amax = max(map(abs, exact)) / above
    byte = choose(f, amax, [x / above for x in exact]) if amax else 0
    s = scale.value(byte) * above
    codes = []
    for i, (v, x) in enumerate(zip(values, exact)):
        negative = math.copysign(1, v) < 0
        magnitude = f.rounded(abs(x) / s, mode, draw and draw(i)) if s and x else 0
        codes.append(f.code(negative, magnitude))
    return byte, codes
