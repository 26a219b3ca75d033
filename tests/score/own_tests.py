# SPDX-License-Identifier: Apache-2.0
# tests/score/own_tests.py: tests that compare bits detect every known bug, in any format, layout or
# model; a cosine misses most.

import json
import math
import os
import random
import struct
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "e2e"))
import tensor_files  # noqa: E402
from command_case import command_case, main  # noqa: E402

TESTS = os.environ["MX_SCORED_TESTS"]
# Bugs that do not apply to a format: no nibbles, no -0, no subnormal codes, no tensor scale.
BYTES = {"nibbles-swapped", "nibbles-swapped-in-last-block"}
ABOVE = {"tensor-scale", "tensor-scale-zero", "tensor-scale-inf", "tensor-scale-nan",
         "tensor-scale-unset"}
WITHOUT = {"mxfp4": ABOVE, "nvfp4": set(),
           "mxfp8-e4m3": BYTES | ABOVE, "mxfp8-e5m2": BYTES | ABOVE,
           "mxint8": BYTES | ABOVE | {"negative-zero-lost", "subnormal-elements-flushed"}}
# Sums start at +0, so that the sign of a zero never reaches D, nor does the scale of zeros.
UNSEEN_IN_D = {"negative-zero-lost", "zero-block-scale"}
QUANTIZERS = [("mxfp4", "floor", "linear"), ("mxfp4", "rceil", "128x4"),
              ("mxfp8-e4m3", "floor", "128x4"), ("mxfp8-e5m2", "floor", "linear"),
              ("mxint8", "floor", "linear"), ("nvfp4", "ideal", "linear"),
              ("nvfp4", "ideal", "128x4")]
# Bugs that do not apply to a model: it truncates anyway; under a tensor scale subnormals are zero.
PRODUCTS = [("mxfp4", "fp32.sequential", set()),
            ("mxfp4", "blackwell.mxf4", {"accumulator-truncates"}),
            ("mxfp8-e4m3", "fp32.pairwise", set()),
            ("nvfp4", "fp32.sequential", {"subnormal-inputs-flushed"})]


def bits(pattern):
    return struct.unpack("<f", struct.pack("<I", pattern))[0]


def with_ties(rows, columns, seed):
    """Multiples of 1/8 of blocks of different sizes, so that ties, -0 and cut numbers occur; the
    largest is 5.25, which gives NVFP4 the tensor scale 2^-9 and with it ties."""
    draw = random.Random(seed)
    values, size = [], 1
    for i in range(rows * columns):
        if i % 16 == 0:
            size = 2.0 ** -draw.randrange(4)
        value = draw.randrange(-41, 42) / 8 * size
        values.append(value + size * 2.0 ** -13 if draw.random() < 0.1 else value)
    values[0] = 5.25
    values[7] = -0.0
    values[9] = -2.0 ** -20
    values[11] = 3 * 2.0 ** -29  # subnormal in E5M2, beside 5.25
    for k in range(32):  # below a power of two, where INT8 takes the next scale
        values[columns + k] = 511 / 256 if k == 5 else (k - 16) / 16
    return values


def with_specials(rows, columns, seed):
    """The same with blocks of NaN, Inf, subnormals and zeros."""
    values = with_ties(rows, columns, seed)
    for row, special in ((5, math.nan), (6, math.inf), (7, -math.inf)):
        values[row * columns + 70] = special
    for k in range(32):
        values[9 * columns + k] = -0.0 if k % 3 else 0.0
        values[11 * columns + 64 + k] = bits(0x00400000 + 977 * k)
    return values


class own_tests(command_case):
    def write(self, name, tensors):
        tensor_files.write_safetensors(self.path(name), {
            key: tensor_files.floats(shape, values) for key, (shape, values) in tensors.items()})
        return name

    def scored(self, title, program, words, options, status=0):
        done = self.run_command("score", "--json", *options, "--", os.path.join(TESTS, program),
                                "{out}", "{input}", *words, status=status, timeout=500)
        result = json.loads(done.stdout)
        verdicts = {m["name"]: m["verdict"] for m in result["mutants"]}
        same = [name for name, verdict in verdicts.items() if verdict == "no difference"]
        print(f"{title:44}{result['killed']:3} of {result['killed'] + result['survived']} killed"
              f"{', no difference: ' + ' '.join(same) if same else ''}", flush=True)
        self.assertFalse([m for m in result["mutants"] if m["verdict"] == "killed" and
                          m["end"] != "exit status 1"], "a test that failed for another reason")
        return verdicts

    def named(self, verdicts, verdict):
        return {name for name, v in verdicts.items() if v == verdict}

    def test_a_quantizer_s_bits_let_no_bug_through(self):
        name = self.write("x.safetensors", {
            "x": ([64, 256], with_specials(64, 256, 1)),
            "tiny": ([32, 32], [value * 2.0 ** -127 for value in with_ties(32, 32, 2)])})
        for form, rule, layout in QUANTIZERS:
            with self.subTest(format=form, rule=rule, layout=layout):
                verdicts = self.scored(
                    f"quantizer_bits {form} {rule} {layout}", "quantizer_bits",
                    (form, rule, layout), ("--input", name, "--format", form, "--scale-rule", rule,
                                           "--layout", layout))
                self.assertEqual(self.named(verdicts, "survived"), set())
                self.assertEqual(self.named(verdicts, "no difference"), WITHOUT[form])

    def test_a_product_s_bits_let_no_bug_through(self):
        sizes = [1, 2.0 ** -4, 2.0 ** -8, 2.0 ** -12, 2.0 ** -16]
        a = with_specials(32, 256, 3)
        a[11 * 256:11 * 256 + 64], a[11 * 256 + 96:12 * 256] = [0.0] * 64, [0.0] * 160
        spread = [v * sizes[i // 32 % 5] if i // 256 % 4 == 0 else v for i, v in enumerate(a)]
        b = [math.sin(i * i) for i in range(256 * 8)]
        name = self.write("ab.safetensors", {"a": ([32, 256], spread), "b": ([256, 8], b)})
        for form, model, same in PRODUCTS:
            with self.subTest(format=form, model=model):
                verdicts = self.scored(
                    f"product_bits {form} {model}", "product_bits", (form, model),
                    ("--gemm", "--input", name, "--format", form, "--model", model))
                self.assertEqual(self.named(verdicts, "survived"), set())
                self.assertEqual(self.named(verdicts, "no difference"),
                                 WITHOUT[form] | UNSEEN_IN_D | same)

    def test_a_cosine_lets_most_bugs_through(self):
        verdicts = self.scored("quantizer_cosine mxfp4, on N(0, 1)", "quantizer_cosine",
                               ("mxfp4",), (), status=1)
        survivors = self.named(verdicts, "survived")
        print(f"  lets through {len(survivors)}: {' '.join(sorted(survivors))}", flush=True)
        self.assertGreaterEqual(len(survivors), 10)
        verdicts = self.scored("quantizer_bits mxfp4, on N(0, 1)", "quantizer_bits",
                               ("mxfp4", "floor", "linear"), ())
        self.assertEqual(self.named(verdicts, "survived"), set())


if __name__ == "__main__":
    main()
