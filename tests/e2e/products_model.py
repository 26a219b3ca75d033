# SPDX-License-Identifier: Apache-2.0
# tests/e2e/products_model.py: dot products of the generic models in exact fractions.
"""Operands are codes, results FP32 bits; numbers are fractions, 'nan', or an infinity as a float."""

import copy
import math
import struct
from fractions import Fraction

import fractions_model as model
from blocks import floor_log2, power

NAN = 0x7FC00000


def ieee(exponent_bits, fraction_bits, code):
    """A number of an IEEE format: a fraction, or an infinity, or 'nan'."""
    sign = -1 if code >> (exponent_bits + fraction_bits) else 1
    field = code >> fraction_bits & ((1 << exponent_bits) - 1)
    fraction = code & ((1 << fraction_bits) - 1)
    if field == (1 << exponent_bits) - 1:
        return sign * math.inf if fraction == 0 else "nan"
    unit = power(max(field, 1) - (1 << (exponent_bits - 1)) + 1 - fraction_bits)
    return sign * ((bool(field) << fraction_bits) + fraction) * unit


def value(name, code):
    wide = {"f32": (8, 23), "bf16": (8, 7), "f16": (5, 10), "e5m2": (5, 2)}
    if name in wide:
        return ieee(*wide[name], code)
    if name == "tf32":
        return ieee(8, 10, code >> 13)
    if name == "e8m0":
        return "nan" if code == 255 else power(code - 127)
    if name == "ue4m3":
        return "nan" if code & 127 == 127 else model.ue4m3.values[code & 127]
    if name == "e4m3" and code & 127 == 127:
        return "nan"
    return model.ELEMENTS[name].value(code)


def negative(name, code):
    width = {"f32": 32, "tf32": 32, "bf16": 16, "f16": 16}.get(name) or model.ELEMENTS[name].width
    return bool(code >> (width - 1))


def bits_of(exponent_bits, fraction_bits, x, mode, zero_negative=False, saturating=False):
    """Bits of a number rounded to an IEEE format; beyond its largest it is Inf, or the largest."""
    top = ((1 << exponent_bits) - 1) << fraction_bits
    sign = 1 << (exponent_bits + fraction_bits)
    if x == "nan":
        return top | 1 << (fraction_bits - 1)
    if isinstance(x, float):
        return top | (sign if x < 0 else 0)
    if x == 0:
        return sign if zero_negative else 0
    bias = (1 << (exponent_bits - 1)) - 1
    exponent = max(floor_log2(abs(x)), 1 - bias)
    quotient = abs(x) / power(exponent - fraction_bits)
    steps = {"nearest-even": round, "toward-zero": math.floor,
             "nearest-away": lambda q: math.floor(q + Fraction(1, 2)),
             "nearest-zero": lambda q: math.ceil(q - Fraction(1, 2))}[mode](quotient)
    code = steps + ((exponent + bias - 1) << fraction_bits)
    return min(code, top - 1 if saturating else top) | (sign if x < 0 else 0)


def bits32(x, mode="nearest-even", zero_negative=False):
    return bits_of(8, 23, x, mode, zero_negative)


def number32(bits):
    return ieee(8, 23, bits)


def times(x, y):
    if "nan" in (x, y):
        return "nan"
    if isinstance(x, float) or isinstance(y, float):
        if x == 0 or y == 0:
            return "nan"
        return math.copysign(math.inf, (1 if x > 0 else -1) * (1 if y > 0 else -1))
    return x * y


def total(terms):
    if "nan" in terms:
        return "nan"
    infinite = {t for t in terms if isinstance(t, float)}
    if infinite:
        return "nan" if len(infinite) == 2 else infinite.pop()
    return sum(terms, Fraction(0))


class products:
    """The products of two vectors of codes, each with the sign of a zero."""

    def __init__(self, a_name, b_name, a, b, scale=None, scale_a=(), scale_b=(), block=1):
        self.count = len(a)
        self.block = block if scale else 1
        self.a = [value(a_name, x) for x in a]
        self.b = [value(b_name, x) for x in b]
        self.bare = [times(x, y) for x, y in zip(self.a, self.b)]
        self.negative_zero = [p == 0 and negative(a_name, x) != negative(b_name, y)
                              for p, x, y in zip(self.bare, a, b)]
        self.scale_a = [value(scale, s) for s in scale_a] or [Fraction(1)] * self.count
        self.scale_b = [value(scale, s) for s in scale_b] or [Fraction(1)] * self.count

    def part(self, first, last):
        """The products of a range of K, which begins with a block."""
        other = copy.copy(self)
        other.count = last - first
        for name in ("a", "b", "bare", "negative_zero"):
            setattr(other, name, getattr(self, name)[first:last])
        for name in ("scale_a", "scale_b"):
            setattr(other, name, getattr(self, name)[first // self.block:])
        return other

    def scaled(self, k):
        i = k // self.block
        return times(self.bare[k], times(self.scale_a[i], self.scale_b[i]))

    def dequantized(self, k):
        i = k // self.block
        a = number32(bits32(times(self.a[k], self.scale_a[i])))
        b = number32(bits32(times(self.b[k], self.scale_b[i])))
        return times(a, b)

    def plus(self, indices, start, mode="nearest-even", of=None):
        """Bits of start plus products, rounded once; start may be absent."""
        terms = [(of or self.scaled)(k) for k in indices]
        zeros = [self.negative_zero[k] for k in indices]
        if start is not None:
            terms.append(number32(start))
            zeros.append(start == 0x80000000)
        return bits32(total(terms), mode, all(zeros))


def add32(x, y):
    """RNE32 of two FP32 numbers, as bits."""
    return bits32(total([number32(x), number32(y)]), zero_negative=x == y == 0x80000000)


def dot(name, p, c):
    """Bits of c plus a dot product under a generic model."""
    every = range(p.count)
    blocks = [range(i, min(i + p.block, p.count)) for i in range(0, p.count, p.block)]
    if p.count == 0:
        return c
    if name in ("exact.rne", "exact.rz"):
        return p.plus(every, c, "nearest-even" if name == "exact.rne" else "toward-zero")
    if name == "fp32.pairwise":
        sums = [p.plus(b, None) for b in blocks]
        while len(sums) > 1:
            odd = sums[-1:] if len(sums) % 2 else []
            sums = [add32(x, y) for x, y in zip(sums[::2], sums[1::2])] + odd
        return add32(c, sums[0])
    for block in blocks if name == "fp32.sequential" else [[k] for k in every]:
        c = p.plus(block, c, of=p.dequantized if name == "fp32.fma" else None)
    return c


def float_bits(x):
    return struct.unpack("<I", struct.pack("<f", x))[0]


def multiply32(x, y):
    """RNE32 of the product of two FP32 numbers, as bits."""
    a, b = number32(x), number32(y)
    return bits32(times(a, b), zero_negative=bool((x ^ y) >> 31))


def gemm_element(name, p, c, promote=0, parts=1, order="ascending", entry="first-step",
                 alpha=0x3F800000):
    """FP32 bits of an element of D before it is rounded to the output.

    p.part(first, last) gives the products of a range of K."""
    start = c if entry == "first-step" else 0
    grain = promote or -(-64 // p.block) * p.block
    even = -(-p.count // parts)
    size = p.count if parts == 1 else -(-even // grain) * grain
    sums = []
    for begin in range(0, p.count, max(size, 1)):
        end = min(begin + size, p.count)
        first = start if begin == 0 else 0
        if not promote:
            sums.append(dot(name, p.part(begin, end), first))
            continue
        for k in range(begin, end, promote):
            first = add32(first, dot(name, p.part(k, min(k + promote, end)), 0))
        sums.append(first)
    if not sums:
        sums = [start]
    while len(sums) > 1:
        pairs = 1 if order == "ascending" else len(sums) // 2
        sums = [add32(sums[2 * i], sums[2 * i + 1]) for i in range(pairs)] + sums[2 * pairs:]
    result = sums[0]
    if alpha != 0x3F800000:
        result = multiply32(alpha, result)
    return add32(result, c) if entry == "epilogue" else result
