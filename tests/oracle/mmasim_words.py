# SPDX-License-Identifier: Apache-2.0
# tests/oracle/mmasim_words.py: operands on which models of tensor cores differ, as codes.

import dataclasses

import numpy as np


@dataclasses.dataclass(frozen=True)
class number_format:
    """Fields of a code; `inf_nan`: all exponent bits set are Inf and NaN."""
    exponent_bits: int
    fraction_bits: int
    inf_nan: bool = True
    unread_bits: int = 0
    bias: int = None

    @property
    def width(self):
        return 1 + self.exponent_bits + self.fraction_bits + self.unread_bits

    @property
    def own_bias(self):
        return (1 << self.exponent_bits - 1) - 1 if self.bias is None else self.bias

    @property
    def top(self):
        """The largest exponent field of finite numbers."""
        return (1 << self.exponent_bits) - 1 - self.inf_nan

    @property
    def sign(self):
        return np.uint64(1) << np.uint64(self.width - 1)


FORMATS = {
    "f64": number_format(11, 52), "f32": number_format(8, 23),
    "tf32": number_format(8, 10, unread_bits=13), "f16": number_format(5, 10),
    "bf16": number_format(8, 7), "e4m3": number_format(4, 3, False), "e5m2": number_format(5, 2),
    "e4m3fnuz": number_format(4, 3, False, bias=8), "e5m2fnuz": number_format(5, 2, False, bias=16),
    "e2m3": number_format(2, 3, False), "e3m2": number_format(3, 2, False),
    "e2m1": number_format(2, 1, False)}


class drawn:
    """Words of one instruction: a, b (count, k), c (count), scale_a and scale_b (count, blocks)."""

    def __init__(self, a, b, c, k, scale, blocks, seed):
        self.fa, self.fb, self.fc, self.k = FORMATS[a], FORMATS[b], FORMATS[c], k
        self.scale, self.blocks = scale, blocks
        self.random = np.random.default_rng(seed)
        self.a = self.b = self.c = self.scale_a = self.scale_b = None

    def bits(self, f, shape):
        drawn = self.random.integers(0, 1 << 64, shape, dtype=np.uint64)
        return drawn >> np.uint64(64 - f.width)

    def near(self, f, shape, low, high):
        """Numbers with exponents from low to high, as far as the format has them; 0: subnormals."""
        field = np.clip(self.random.integers(low, high + 1, shape) + f.own_bias, 0, f.top)
        kept = f.exponent_bits + f.fraction_bits + f.unread_bits
        fraction = self.bits(f, shape) & np.uint64((1 << f.fraction_bits + f.unread_bits) - 1)
        few = self.random.random(shape) < .5  # a fraction of at most one bit
        bit = np.uint64(1) << self.random.integers(
            f.unread_bits, f.fraction_bits + f.unread_bits, shape).astype(np.uint64)
        fraction = np.where(few, fraction & bit, fraction)
        code = field.astype(np.uint64) << np.uint64(kept - f.exponent_bits) | fraction
        if not f.inf_nan:  # the code of NaN in E4M3, which is none in the narrower ones
            code = np.where(code == (1 << kept) - 1, code - np.uint64(1), code)
        return np.where(self.random.random(shape) < .5, code, code | f.sign)

    @staticmethod
    def power(f, exponents):
        """Codes of 2^exponent; zero below the smallest number."""
        field = exponents + f.own_bias
        normal = np.clip(field, 1, f.top) << f.fraction_bits
        place = f.fraction_bits + np.minimum(field, 1) - 1
        subnormal = np.where(place >= 0, 1 << np.maximum(place, 0), 0)
        return np.where(field >= 1, normal, subnormal).astype(np.uint64) << np.uint64(f.unread_bits)

    def draw_scales(self, count, low, high):
        shape = (count, self.blocks)
        codes = [self.random.integers(low, high, shape) for _ in range(2)]
        self.scale_a, self.scale_b = [codes.astype(np.uint64) for codes in codes]

    def draw_near(self, count, spread=4, of_c=40):
        shape, at = (count, self.k), self.random.integers(-3, 4, (count, 1))
        middle = (self.random.integers(-60, 60, (count, 1)) // 8 * 2
                  if self.fa.exponent_bits > 5 else 0)
        self.a = self.near(self.fa, shape, middle - spread, middle + spread)
        self.b = self.near(self.fb, shape, at - middle, at - middle + spread)
        self.c = self.near(self.fc, (count,), -of_c, of_c)
        near = (120, 135) if self.scale == "ue8m0" else (48, 80)
        self.draw_scales(count, *near)

    def any_bits(self, count):
        self.a, self.b = (self.bits(f, (count, self.k)) for f in (self.fa, self.fb))
        self.c = self.bits(self.fc, (count,))
        self.draw_scales(count, 0, 256)

    def with_zeros(self, count):
        self.draw_near(count)
        self.a[self.random.random(self.a.shape) < .8] &= self.fa.sign
        self.c[self.random.random(count) < .6] &= self.fc.sign

    def cancelling(self, count):
        """Pairs of opposite products, one of which is sometimes off, and a small C."""
        self.draw_near(count, 8, 100)
        step = 2 + 14 * (self.k >= 32) * self.random.integers(0, 2)
        self.a[:, step // 2::step] = self.a[:, ::step] ^ self.fa.sign
        self.b[:, step // 2::step] = self.b[:, ::step]
        off = self.random.random(self.a.shape) < .5 / self.k
        self.a[off] = self.bits(self.fa, self.a.shape)[off] & ~self.fa.sign
        self.scale_a[:], self.scale_b[:] = self.scale_a[:, :1], self.scale_b[:, :1]

    def tiny(self, count):
        """Products and C about the exponent at which zeros are read, many of them zero."""
        shape, bound = (count, self.k), 2 - self.fa.own_bias
        low = np.maximum(self.random.integers(-74, -60, (count, 1)), bound - 2)
        if self.fa.exponent_bits <= 5:
            low = self.random.integers(bound - 3, bound + 1, (count, 1))
        self.a, self.b = (self.near(f, shape, low - 8, low) for f in (self.fa, self.fb))
        self.a[self.random.random(shape) < .6] = 0
        self.c = self.near(self.fc, (count,), -self.fc.own_bias, 8 - self.fc.own_bias)
        self.c[self.random.random(count) < .6] = 0
        low = self.random.integers(0, 80 if self.scale == "ue8m0" else 8, (count, 1))
        self.draw_scales(count, low, low + 3)

    def underflowing(self, count):
        shape = (count, self.k)
        self.a = self.near(self.fa, shape, -self.fa.own_bias - 2, 3 - self.fa.own_bias)
        self.b = self.near(self.fb, shape, -self.fb.own_bias, 8)
        self.c = self.near(self.fc, (count,), -self.fc.own_bias, 3 - self.fc.own_bias)
        self.draw_scales(count, 0, 12)

    def overflowing(self, count):
        shape = (count, self.k)
        top = [f.top - f.own_bias for f in (self.fa, self.fb, self.fc)]
        self.a = self.near(self.fa, shape, top[0] // 2, top[0])
        self.b = self.near(self.fb, shape, top[1] // 2 - 2, top[1])
        self.c = self.near(self.fc, (count,), top[2] - 2, top[2])
        high = 256 if self.scale == "ue8m0" else 127
        self.draw_scales(count, high - 80, high)

    def specials(self, count):
        """Few Inf, NaN, zeros and scales of any bits in ordinary words."""
        self.draw_near(count)
        for f, codes in ((self.fa, self.a), (self.fb, self.b), (self.fc, self.c)):
            place = self.random.random(codes.shape) < .5 / self.k
            high = np.uint64((1 << f.exponent_bits) - 1) << np.uint64(f.fraction_bits + f.unread_bits)
            odd = self.bits(f, codes.shape) | high
            odd = np.where(self.random.random(codes.shape) < .6, odd & (high | f.sign), odd)
            codes[place] = odd[place]
            codes[self.random.random(codes.shape) < .1] &= f.sign
        for scales in (self.scale_a, self.scale_b):
            place = self.random.random(scales.shape) < .05
            scales[place] = self.random.choice([0, 127, 128, 255], scales.shape)[place]

    def far_addend(self, count):
        """C at every distance from the products, about the last bit of the window."""
        self.draw_near(count, 2, 45)
        self.scale_a[:] = self.scale_b[:] = 127 if self.scale == "ue8m0" else 56

    def negative_zeros(self, count):
        """Products and C of -0, or one tiny negative product: results that are zero."""
        shape = (count, self.k)
        self.a, self.b = np.full(shape, self.fa.sign), np.zeros(shape, np.uint64)
        self.a[::2, 0] |= np.uint64(1 << self.fa.unread_bits)
        self.b[::4, 0] = np.uint64(1 << self.fb.unread_bits)
        self.c = np.full(count, self.fc.sign)
        self.c[::3] = 0
        self.draw_scales(count, 0, 128 if self.scale == "ue8m0" else 8)

    def about_zero_exponent(self, count):
        """Two powers of two about the last bit of the window that zeros alone set: beside a tie of
        FP16, or below the smallest number of FP32."""
        half, shape = self.fc.exponent_bits == 5, (count, self.k)
        self.a, self.b, self.c = (np.zeros(s, np.uint64) for s in (shape, shape, count))
        low = (-39 if half else -170 if self.blocks > 1 else -152) - np.arange(count) % 12
        second = self.k - 1 if self.blocks > 1 else min(1, self.k - 1)
        for at, exponent in ((0, np.full(count, -25 if half else -149)), (second, low)):
            own = exponent * (self.blocks == 0) + (exponent + 149) * (self.blocks == 1)
            self.a[:, at] = self.power(self.fa, own // 2)
            self.b[:, at] = self.power(self.fb, own - own // 2)
        if not half:
            self.a[:, second] ^= self.fa.sign
        self.draw_scales(count, 0, 1)
        if self.scale == "ue8m0":
            self.scale_a[:] = self.scale_b[:] = 127 - 75
            self.scale_a[:, 0] += np.uint64(1)
            self.scale_a[:, 1:] = (127 + 75 + low).clip(0)[:, None]


KINDS = (drawn.any_bits, drawn.draw_near, drawn.with_zeros, drawn.cancelling, drawn.tiny,
         drawn.underflowing, drawn.overflowing, drawn.specials, drawn.far_addend,
         drawn.negative_zeros, drawn.about_zero_exponent)


def words_of(a, b, c, k, scale, blocks, count, seed):
    """The words of every kind, count in all, as one `drawn`."""
    parts = []
    for number, kind in enumerate(KINDS):
        part = drawn(a, b, c, k, scale, blocks, [seed, number])
        kind(part, -(-count // len(KINDS)))
        parts.append(part)
    for name in ("a", "b", "c", "scale_a", "scale_b"):
        all_of_name = np.concatenate([getattr(part, name) for part in parts])
        setattr(parts[0], name, all_of_name[:count] if count >= len(KINDS) else all_of_name)
    return parts[0]
