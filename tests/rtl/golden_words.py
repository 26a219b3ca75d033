# SPDX-License-Identifier: Apache-2.0
"""golden_words.py: words for mx_dot (MXFP4 under blackwell.mxf4) and mx_quantizer (FP32 to MXFP4) in
simulators, with the results of libmxprism through its C ABI. A word depends on its seed alone."""
import os
import random
import re
import sys
from ctypes import byref
from typing import NamedTuple

SOURCE = os.environ["MX_SOURCE_DIR"]
sys.path.insert(0, os.path.join(SOURCE, "tests", "bindings"))
import mxprism_library as lib  # noqa: E402

K, BLOCK = 64, 32
NAN_SCALE = 255


class DotWord(NamedTuple):
    a: list        # codes, each 4 bits
    b: list
    scale_a: list  # bytes, one for every 32 codes
    scale_b: list
    c: int         # bits of FP32


class Block(NamedTuple):
    x: list        # bits of FP32
    rule: int      # as mx_pkg has them
    rounding: int
    factor: int    # fraction of the macro-block factor


class Quantized(NamedTuple):
    codes: int     # code i is bits 4 i and up, as the pins have them
    scale: int
    special: int


def vector_of(values, width):
    """Values as one number, the first in the lowest bits, as on the pins."""
    return sum(value << i * width for i, value in enumerate(values))


# --- Dot products ---

def any_scale(source):
    edge = source.choice([0, 1, 126, 127, 128, 254])
    return source.choice([edge, source.randrange(256), 127 + source.randint(-20, 20)])


def negative_of(code):
    return code ^ 8


def cancelling(source, word):
    """Every other product is the negative of the one before."""
    for k in range(0, K, 2):
        word.a[k + 1], word.b[k + 1] = negative_of(word.a[k]), word.b[k]
    return word


def dot_word(source):
    """A random kind of word: C near the products, any C, opposite products, edges of scales."""
    codes = [[source.randrange(16) for _ in range(K)] for _ in range(2)]
    kind = source.randrange(5)
    near = [[127 + source.randint(-2, 2) for _ in range(K // BLOCK)] for _ in range(2)]
    far = [[any_scale(source) for _ in range(K // BLOCK)] for _ in range(2)]
    sign, field = source.randrange(2), 127 + source.randint(-30, 12)
    near_c = sign << 31 | field << 23 | source.randrange(1 << 23)
    word = DotWord(*codes, *(near if kind < 3 else far),
                   near_c if kind < 4 else source.randrange(1 << 32))
    if kind == 1:
        return cancelling(source, word)
    if kind == 2:
        keep = source.randrange(K)
        return word._replace(a=[code if k == keep else 0 for k, code in enumerate(word.a)])
    return word


def dot_edges():
    """Scale bytes 0 and 255 on each port in turn, and C at its edges."""
    ones = [2] * K
    for port in range(2):
        for block in range(K // BLOCK):
            for byte in (0, NAN_SCALE):
                scales = [[127, 127], [127, 127]]
                scales[port][block] = byte
                yield DotWord(ones, ones, *scales, 0x3F800000)
                yield DotWord([0] * K, ones, *scales, 0x3F800000)
    for c in (0, 0x80000000, 1, 0x7F7FFFFF, 0x7F800000, 0xFF800000, 0x7FC00000, 0xFFFFFFFF):
        yield DotWord(ones, ones, [127, 127], [127, 127], c)
    yield DotWord(ones, ones, [0, 0], [0, 0], 0)
    yield DotWord(ones, ones, [254, 254], [254, 254], 0)


def dot_words(seed, count):
    source = random.Random(seed)
    return list(dot_edges()) + [dot_word(source) for _ in range(count)]


def dot_results(words):
    """Bits of d for each word: mx_model_dot."""
    model = lib.handle("model", "blackwell.mxf4")
    parts = {name: bytearray(value for word in words for value in getattr(word, name))
             for name in ("a", "b", "scale_a", "scale_b")}
    parts["c"] = bytearray(b"".join(word.c.to_bytes(4, "little") for word in words))
    parts["d"] = bytearray(4 * len(words))
    made = lib.sized(lib.Words)
    made.count, made.k = len(words), K
    for name, content in parts.items():
        setattr(made, name, lib.buffer_of(content))
    lib.call("mx_model_dot", model.value, byref(made))
    return [int.from_bytes(parts["d"][4 * i:4 * i + 4], "little") for i in range(len(words))]


# --- Blocks of the quantizer ---

def package_constants():
    """Integers of mx_pkg.sv by their names."""
    path = os.path.join(SOURCE, "rtl_models", "verilog", "mx_pkg.sv")
    with open(path, encoding="utf-8") as text:
        found = re.findall(r"localparam int (\w+) = (\d+);", text.read())
    return {name: int(value) for name, value in found}


PACKAGE = package_constants()
RULES = {"floor": "ScaleFloor", "rceil": "ScaleRceil", "ceil": "ScaleCeil", "even": "ScaleEven",
         "floor6": "ScaleFloor6", "midmax": "ScaleMidmax", "overflow-aware": "ScaleOverflowAware"}
ROUNDINGS = {"toward-zero": "RoundTowardZero", "nearest-even": "RoundTiesToEven"}


def number_near(source, exponent):
    field = min(max(exponent + source.randint(-4, 1) + 127, 0), 254)
    fraction = source.choice([0, 1 << 22, 3 << 21, source.randrange(1 << 23), (1 << 23) - 1])
    return source.randrange(2) << 31 | field << 23 | fraction


def numbers(source):
    """The 32 numbers of a block: about one binade, at times at the ends of the range, or any bits."""
    kind = source.randrange(8)
    if kind == 0:
        return [source.randrange(1 << 32) for _ in range(BLOCK)]
    exponent = source.choice([-127, -125, 127]) if kind == 1 else source.randint(-40, 40)
    zeros = source.randrange(3) == 0
    return [0 if zeros and source.randrange(2) else number_near(source, exponent)
            for _ in range(BLOCK)]


def number_edges():
    """Blocks without numbers, of zeros, and with one element that is no number or an extreme."""
    yield [0] * BLOCK
    yield [0x80000000] * BLOCK
    for edge in (0x7F800000, 0xFF800000, 0x7FC00001, 0x7F7FFFFF, 1, 0x00800000):
        yield [0x3F800000] * (BLOCK - 1) + [edge]
        yield [edge] * BLOCK


def quantized(options, form, lines):
    """Codes, scales and fractions of macro-block factors of each line of 32 numbers."""
    content = b"".join(bits.to_bytes(4, "little") for line in lines for bits in line)
    arrays, _ = lib.quantized(lib.handle("format", form, options), [len(lines), BLOCK], content)
    half = BLOCK // 2
    fractions = arrays["macro_fractions"] or bytes(len(lines))
    return [(int.from_bytes(arrays["codes"][half * i:half * i + half], "little"),
             arrays["scales"][i], fractions[i]) for i in range(len(lines))]


def blocks(seed, count):
    """`count` blocks for each rule and rounding, without a factor and with one: (word, result)."""
    source = random.Random(seed)
    made = []
    for rule, rule_name in RULES.items():
        for rounding, rounding_name in ROUNDINGS.items():
            for form in ("mxfp4", f"mxfp4+mbs={BLOCK},8"):
                lines = [*number_edges()] + [numbers(source) for _ in range(count)]
                results = quantized(f"scale-rule={rule} rounding={rounding}", form, lines)
                for line, (codes, scale, fraction) in zip(lines, results):
                    word = Block(line, PACKAGE[rule_name], PACKAGE[rounding_name], fraction)
                    made.append((word, Quantized(codes, scale, int(scale == NAN_SCALE))))
    source.shuffle(made)
    return made
