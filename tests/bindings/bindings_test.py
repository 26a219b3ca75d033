# SPDX-License-Identifier: Apache-2.0
# tests/bindings/bindings_test.py: libmxprism from Python, against exact fractions.

import ctypes
import math
import os
import random
import struct
import sys
import unittest
from ctypes import byref
from fractions import Fraction

import mxprism_library as lib

sys.path.insert(0, os.path.join(os.environ["MX_SOURCE_DIR"], "tests", "e2e"))
import blocks  # noqa: E402
import fractions_model as model  # noqa: E402
import products_model  # noqa: E402


def floats(count, seed):
    """FP32 numbers of many binades."""
    source = random.Random(seed)
    values = [math.ldexp(source.uniform(-2, 2), source.randint(-6, 6)) for _ in range(count)]
    return list(struct.unpack(f"<{count}f", struct.pack(f"<{count}f", *values)))


def packed(codes):
    return bytes(low | high << 4 for low, high in zip(codes[::2], codes[1::2]))


class tensors_test(unittest.TestCase):
    def test_mxfp4_of_odd_lines_is_that_of_fractions(self):
        x = floats(3 * 45, 1)
        for rule in ("floor", "rceil"):
            made = lib.handle("format", "mxfp4", f"scale-rule={rule}")
            arrays, special = lib.quantized(made, [3, 45], struct.pack("<135f", *x))
            values = struct.unpack("<135f", lib.dequantized(made, [3, 45], arrays))
            self.assertEqual((special, len(arrays["codes"]), len(arrays["scales"])), (0, 96, 6))
            for line in range(3):
                for block in range(2):
                    some = x[45 * line:45 * line + 45][32 * block:32 * block + 32]
                    byte, codes = blocks.quantize(some, rule)
                    first = 32 * line + 16 * block
                    self.assertEqual(arrays["scales"][2 * line + block], byte)
                    self.assertEqual(arrays["codes"][first:first + 16], packed(codes))
                    want = [blocks.dequantize(byte, code) for code in codes[:len(some)]]
                    at = 45 * line + 32 * block
                    self.assertEqual(list(values[at:at + len(some)]), want)

    def test_every_element_format_and_rule_is_that_of_fractions(self):
        x = floats(64, 2)
        for name, element in model.ELEMENTS.items():
            for rule in ("floor", "ceil", "even", "rceil", "overflow-aware"):
                made = lib.handle("format", f"{name}:e8m0:32",
                                  f"scale-rule={rule} packing=unpacked rounding=nearest-away")
                arrays, _ = lib.quantized(made, [64], struct.pack("<64f", *x))
                for block in range(2):
                    byte, codes = model.quantize(
                        x[32 * block:32 * block + 32], name, model.e8m(0),
                        lambda f, amax, _values: max(0, min(254, model.shared_exponent(
                            f, rule, amax) + 127)), mode="nearest-away")
                    self.assertEqual(arrays["scales"][block], byte, (name, rule))
                    self.assertEqual(list(arrays["codes"][32 * block:32 * block + 32]), codes)

    def test_nvfp4_is_that_of_fractions(self):
        x = floats(48, 3)
        above = model.nearest32(max(abs(Fraction(v)) for v in x) / 2688)
        made = lib.handle("format", "nvfp4", "packing=unpacked")
        arrays, _ = lib.quantized(made, [48], struct.pack("<48f", *x))
        self.assertEqual(struct.unpack("<f", arrays["tensor_scales"])[0], float(above))
        for block in range(3):
            byte, codes = model.quantize(
                x[16 * block:16 * block + 16], "e2m1", model.ue4m3(),
                lambda f, amax, _values: model.ue4m3().nearest(amax / 6), above)
            self.assertEqual(arrays["scales"][block], byte)
            self.assertEqual(list(arrays["codes"][16 * block:16 * block + 16]), codes)

    def test_stochastic_rounding_is_that_of_fractions(self):
        x = floats(32, 4)
        made = lib.handle("format", "mxfp4",
                          "rounding=stochastic seed=77 random-bits=12 packing=unpacked")
        arrays, _ = lib.quantized(made, [32], struct.pack("<32f", *x))
        byte, codes = model.quantize(
            x, "e2m1", model.e8m(0),
            lambda f, amax, _values: model.shared_exponent(f, "floor", amax) + 127,
            mode="stochastic", draw=lambda i: (model.random_bits(77, 12, "ptx", i), 12))
        self.assertEqual((arrays["scales"][0], list(arrays["codes"])), (byte, codes))

    def test_fp16_and_bf16_are_their_numbers(self):
        x = [1.5, -0.25, 6.0, 3.0]
        made = lib.handle("format", "mxfp4")
        plain, _ = lib.quantized(made, [4], struct.pack("<4f", *x))
        half, _ = lib.quantized(made, [4], struct.pack("<4e", *x), number_type=lib.FP16)
        brain = b"".join(struct.pack("<f", v)[2:] for v in x)
        self.assertEqual(half, plain)
        self.assertEqual(lib.quantized(made, [4], brain, number_type=lib.BF16)[0], plain)

    def test_special_blocks_are_counted(self):
        made = lib.handle("format", "mxfp4")
        x = [1.0] * 32 + [math.inf] + [2.0] * 63
        arrays, special = lib.quantized(made, [3, 32], struct.pack("<96f", *x))
        self.assertEqual((special, list(arrays["scales"])), (1, [125, 255, 126]))

    def test_energies_of_the_error_are_those_of_fractions(self):
        x = [float(n) / 8 for n in range(-16, 16)]
        byte, codes = blocks.quantize(x, "rceil")
        errors = [Fraction(blocks.dequantize(byte, c)) - Fraction(v) for c, v in zip(codes, x)]
        made, energy = lib.handle("format", "mxfp4", "scale-rule=rceil"), lib.sized(lib.Energy)
        data = bytearray(struct.pack("<32f", *x))
        numbers = lib.Numbers(lib.buffer_of(data).data, len(data), lib.FP32)
        lib.call("mx_tensor_decompose", made.value, byref(lib.shape_of([32], 0)), byref(numbers),
                 None, byref(energy))
        self.assertEqual(Fraction(energy.total), sum(e * e for e in errors))
        self.assertEqual(Fraction(energy.x_squared), sum(Fraction(v) ** 2 for v in x))
        self.assertEqual((energy.blocks, energy.identity_violations), (1, 0))


class products_test(unittest.TestCase):
    def setUp(self):
        source = random.Random(5)
        self.a = [source.randrange(16) for _ in range(3 * 64)]
        self.b = [source.randrange(16) for _ in range(2 * 64)]
        self.scale_a = [source.randrange(120, 134) for _ in range(3 * 2)]
        self.scale_b = [source.randrange(120, 134) for _ in range(2 * 2)]
        self.c = [products_model.float_bits(source.uniform(-9, 9)) for _ in range(6)]
        self.model = lib.handle("model", "fp32.sequential",
                                "a-format=e2m1 b-format=e2m1 scale-format=e8m0 block=32")

    def products(self, i, j):
        return products_model.products(
            "e2m1", "e2m1", self.a[64 * i:64 * i + 64], self.b[64 * j:64 * j + 64], "e8m0",
            self.scale_a[2 * i:2 * i + 2], self.scale_b[2 * j:2 * j + 2], 32)

    def expected(self, **plan):
        return [products_model.gemm_element("fp32.sequential", self.products(i, j),
                                            self.c[2 * i + j], **plan)
                for i in range(3) for j in range(2)]

    def arrays(self):
        return [bytearray(v) for v in (self.a, self.b, self.scale_a, self.scale_b)] + [
            bytearray(struct.pack("<6I", *self.c)), bytearray(24)]

    def test_dot_is_that_of_fractions(self):
        words = lib.sized(lib.Words)
        a, b, scale_a, scale_b, c, d = self.arrays()
        b, scale_b, c, d = bytearray(b[:64] * 3), bytearray(scale_b[:2] * 3), c[:12], d[:12]
        words.count, words.k = 3, 64
        words.a, words.b, words.c = lib.buffer_of(a), lib.buffer_of(b), lib.buffer_of(c)
        words.scale_a, words.scale_b = lib.buffer_of(scale_a), lib.buffer_of(scale_b)
        words.d = lib.buffer_of(d)
        lib.call("mx_model_dot", self.model.value, byref(words))
        want = [products_model.dot("fp32.sequential", self.products(i, 0), self.c[i])
                for i in range(3)]
        self.assertEqual(list(struct.unpack("<3I", d)), want)

    def test_mma_is_that_of_fractions(self):
        tile = lib.sized(lib.Tile)
        a, b, scale_a, scale_b, c, d = self.arrays()
        tile.m, tile.n, tile.k = 3, 2, 64
        tile.a = lib.Factor(lib.buffer_of(a), 64, 1, lib.buffer_of(scale_a), 2, 1)
        tile.b = lib.Factor(lib.buffer_of(b), 64, 1, lib.buffer_of(scale_b), 2, 1)
        tile.c, tile.d = lib.buffer_of(c), lib.buffer_of(d)
        tile.c_stride = tile.d_stride = 2
        lib.call("mx_model_mma", self.model.value, byref(tile))
        self.assertEqual(list(struct.unpack("<6I", d)), self.expected())

    def product(self, storage_of_a):
        p = lib.sized(lib.Product)
        a, b, scale_a, scale_b, c, d = self.arrays()
        if storage_of_a == 0:
            a = bytearray(packed(self.a))
        p.m, p.n, p.k = 3, 2, 64
        p.a = lib.Matrix(lib.buffer_of(a), storage_of_a, 0, lib.buffer_of(scale_a))
        p.b = lib.Matrix(lib.buffer_of(b), 1, 64, lib.buffer_of(scale_b))
        p.c, p.d = lib.buffer_of(c), lib.buffer_of(d)
        return p, d, (a, b, scale_a, scale_b, c)

    def test_gemm_is_that_of_fractions(self):
        for storage in (0, 1):
            p, d, _kept = self.product(storage)
            lib.call("mx_model_gemm", self.model.value, byref(p), None)
            self.assertEqual(list(struct.unpack("<6I", d)), self.expected())

    def test_sizes_of_scales_are_refused_by_their_name(self):
        for factor in ("a", "b"):
            p, _d, kept = self.product(1)
            scales = kept[2 if factor == "a" else 3]
            getattr(p, factor).scales = lib.buffer_of(scales[:3])
            with self.assertRaises(lib.refused) as caught:
                lib.call("mx_model_gemm", self.model.value, byref(p), None)
            self.assertEqual(str(caught.exception),
                             f"scale_{factor} has 3 bytes; expected {len(scales)}")

    def test_a_plan_is_that_of_fractions(self):
        p, d, _kept = self.product(0)
        plan = lib.sized(lib.Plan)
        lib.call("mx_plan_default", self.model.value, byref(plan))
        plan.promote, plan.split_k, plan.split_order, plan.c_entry = 32, 2, 1, 1
        plan.alpha, plan.tensor_scale_a, plan.tensor_scale_b = 0.3, 1.1, 0.0123
        alpha, one, other = map(products_model.float_bits, (0.3, 1.1, 0.0123))
        alpha = products_model.multiply32(alpha, products_model.multiply32(one, other))
        lib.call("mx_model_gemm", self.model.value, byref(p), byref(plan))
        self.assertEqual(list(struct.unpack("<6I", d)),
                         self.expected(promote=32, parts=2, order="pairwise", entry="epilogue",
                                       alpha=alpha))


class library_test(unittest.TestCase):
    def test_version_and_spelling(self):
        self.assertEqual(lib.LIBRARY.mx_abi_version(), 1)
        self.assertRegex(lib.LIBRARY.mx_version().decode(), r"^\d+\.\d+\.\d+$")
        made = lib.handle("format", "e2m1:e8m0:32+mbs=128,8")
        self.assertEqual(lib.LIBRARY.mx_format_spelling(made.value), b"mxfp4+mbs=128,8")

    def test_refusals_have_a_status_and_a_sentence(self):
        for kind, name, options, status, part in [
                ("format", "mxfp5", "", lib.BAD_NAME, "mxfp4"),
                ("format", "mxfp4", "seed=x", lib.BAD_NAME, "whole number"),
                ("format", "mxfp4", "layout=127x4", lib.BAD_NAME, "128x4"),
                ("format", "mxfp4", "random-bits=12 byte-map=ptx", lib.UNSUPPORTED, "byte-map: a byte map"),
                ("format", "fp8-1x128", "layout=128x4", lib.UNSUPPORTED, "linear"),
                ("format", "nvfp4", "variant=torchao.rceil", lib.BAD_NAME, "does not quantize"),
                ("model", "exact.rn", "", lib.BAD_NAME, "exact.rne"),
                ("model", "exact.rne", "a-format=tf32 b-format=e4m3", lib.UNSUPPORTED, "tf32")]:
            with self.subTest(name=name, options=options):
                with self.assertRaises(lib.refused) as caught:
                    lib.handle(kind, name, options)
                self.assertEqual(caught.exception.status, status)
                self.assertIn(part, str(caught.exception))

    def test_what_a_later_library_would_know_is_refused(self):
        class later(ctypes.Structure):
            _fields_ = [("now", lib.Coded), ("then", ctypes.c_uint64)]
        made, shape, data = lib.handle("format", "mxfp4"), lib.shape_of([4], 0), bytearray(16)
        numbers = lib.Numbers(lib.buffer_of(data).data, 16, lib.FP32)
        arrays = {"codes": bytearray(16), "scales": bytearray(1)}
        coded = later(lib.coded_of(arrays), 0)
        coded.now.struct_size = ctypes.sizeof(later)
        lib.call("mx_tensor_quantize", made.value, byref(shape), byref(numbers), byref(coded), None)
        coded.then = 1
        with self.assertRaises(lib.refused) as caught:
            lib.call("mx_tensor_quantize", made.value, byref(shape), byref(numbers), byref(coded),
                     None)
        self.assertEqual(caught.exception.status, lib.UNSUPPORTED)


if __name__ == "__main__":
    unittest.main()
