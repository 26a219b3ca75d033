# SPDX-License-Identifier: Apache-2.0
# tests/oracle/torchao_verdicts_test.py: the verdicts on 280 tensors that torchao 0.18 quantized to
# MX, and on 28 in NVFP4: exact, or nothing but NaN differs.
"""A block with a NaN has the scale NaN. Under `rceil` its elements are multiplied by it, and which
of two NaN the product is depends on the processor, the compiler and the place in a vector: torch's
AVX2 code and its portable code differ, the latter within one tensor. So the sign of the code is open.
Formats without a NaN, FP4 and FP6, also make the code of the fraction of the NaN, and torch's vector
code makes the BF16 NaN 0xFFFF of an FP32 one: three of the tensors differ in more than signs. Every
such code must still be that of one of the two NaN."""

import unittest
import warnings

from oracle_case import packages

warnings.filterwarnings("ignore")
np, mxprism, torch, torchao, mx_tensor, nvfp4, config, constants = packages(
    "numpy", "mxprism", "torch", "torchao", "torchao.prototype.mx_formats.mx_tensor",
    "torchao.prototype.mx_formats.nvfp4_tensor", "torchao.prototype.mx_formats.config",
    "torchao.prototype.mx_formats.constants")

FORMATS = {
    "mxfp4": torch.float4_e2m1fn_x2,
    "mxfp6-e2m3": constants.DTYPE_FP6_E2M3,
    "mxfp6-e3m2": constants.DTYPE_FP6_E3M2,
    "mxfp8-e4m3": torch.float8_e4m3fn,
    "mxfp8-e5m2": torch.float8_e5m2,
}
RULES = ("floor", "ceil", "even", "rceil")
SHAPE = (32, 256)


def normal():
    return np.random.default_rng(1).standard_normal(SHAPE).astype(np.float32)


def binades():
    spread = np.random.default_rng(2).integers(-30, 30, SHAPE)
    return np.ldexp(normal(), spread).astype(np.float32)


def ties():
    """Halves of steps of every element format, times powers of two."""
    grid = np.random.default_rng(3).integers(-64, 65, SHAPE) / 64
    return np.ldexp(grid, np.arange(SHAPE[0])[:, None] - 16).astype(np.float32)


def zeros():
    """Blocks of zeros of both signs, and zeros among numbers."""
    x = normal()
    x[::2] = 0
    x[1::2, ::3] = 0
    return np.copysign(x, np.random.default_rng(4).standard_normal(SHAPE)).astype(np.float32)


def subnormals():
    """Subnormals of FP32 and of bfloat16, alone and beside the least normal numbers."""
    bits = np.random.default_rng(5).integers(0, 1 << 32, SHAPE, dtype=np.uint32) & 0x807FFFFF
    bits[::4] |= 0x00800000
    return bits.view(np.float32)


def with_some(*specials):
    """Numbers, and in every third block one of these bits."""
    x = binades().reshape(-1, 32)
    bits = np.resize(np.array(specials, np.uint32), (len(x) + 2) // 3)
    x[np.arange(0, len(x), 3), np.arange(len(bits)) % 32] = bits.view(np.float32)
    return x.reshape(SHAPE)


CONTENTS = {
    "normal": normal,
    "binades": binades,
    "ties": ties,
    "zeros": zeros,
    "subnormals": subnormals,
    "Inf": lambda: with_some(0x7F800000, 0xFF800000),
    "NaN": lambda: with_some(0x7FC00000, 0xFFC00000),
}
TYPES = (torch.float32, torch.bfloat16)
WITHOUT_NAN = ("mxfp4", "mxfp6-e2m3", "mxfp6-e3m2")


def cases():
    """Format, rule, contents and numbers: 5 * 4 * 7 * 2."""
    for name, make in CONTENTS.items():
        for dtype in TYPES:
            x = torch.from_numpy(make()).to(dtype)
            for form in FORMATS:
                for rule in RULES:
                    yield form, rule, name, x


def word_of(found):
    return found.verdict if found.verdict == "exact" else found.differs_alone


def codes_of(x, form, rule):
    return mxprism.quantize(x, form, variant=f"torchao-0.18.{rule}").codes.view(torch.uint8)


def codes_by_byte(form, codes):
    """Codes one a byte."""
    return torch.stack([codes & 15, codes >> 4], dim=-1) if form == "mxfp4" else codes


@unittest.skipUnless(torchao.__version__.startswith("0.18."), "the presets are torchao 0.18's")
class torchao_verdicts_test(unittest.TestCase):
    def test_280_tensors_are_exact_or_differ_in_nan_alone(self):
        counts = dict.fromkeys(("exact", "nan_signs", "nan_codes", None), 0)
        for form, rule, name, x in cases():
            mode = config.ScaleCalculationMode(rule)
            scales, codes = mx_tensor.to_mx(x, FORMATS[form], 32, mode)
            with self.subTest(format=form, rule=rule, contents=name, dtype=x.dtype):
                found = mxprism.verify(x, codes, scales, form, variant=f"torchao-0.18.{rule}")
                alone = word_of(found)
                counts[alone] += 1
                if alone != "exact":
                    self.assertEqual((rule, name), ("rceil", "NaN"), found)
                    self.assertEqual(found.verdict, "explained")
                    self.assert_one_of_two_nan(x, codes.view(torch.uint8), form, rule)
                if alone == "nan_codes":
                    self.assertIn(form, WITHOUT_NAN)
        print("torchao 0.18 to_mx:", counts)
        self.assertEqual((sum(counts.values()), counts[None]), (280, 0))

    def assert_one_of_two_nan(self, x, codes, form, rule):
        """Every code is that of the input's NaN, or that of the scale's."""
        of_scale = torch.where(torch.isnan(x), torch.tensor(float("nan"), dtype=x.dtype), x)
        found, one, other = (codes_by_byte(form, c.reshape(codes.shape)) for c in (
            codes, codes_of(x, form, rule), codes_of(of_scale, form, rule)))
        self.assertTrue(bool(((found == one) | (found == other)).all()))

    def test_28_tensors_in_nvfp4_are_exact_or_differ_in_nan_alone(self):
        counts = dict.fromkeys(("exact", "nan_signs", "nan_codes", None), 0)
        for name, make in CONTENTS.items():
            for dtype in TYPES:
                x = torch.from_numpy(make()).to(dtype)
                above = nvfp4.per_tensor_amax_to_scale(x.abs().max())
                for level, scale in (("", above), ("-single-level", None)):
                    with self.subTest(contents=name, dtype=dtype, level=level):
                        found = self.verdict_on(x, scale, "torchao.nvfp4" + level)
                        counts[word_of(found)] += 1
        print("torchao 0.18 NVFP4Tensor:", counts)
        self.assertEqual((sum(counts.values()), counts[None]), (28, 1))

    def verdict_on(self, x, scale, variant):
        coded = nvfp4.NVFP4Tensor.to_nvfp4(x, per_tensor_scale=scale)
        above = None if scale is None else scale.reshape(1)
        found = mxprism.verify(x, coded.qdata, coded.scale, variant=variant, tensor_scale=above)
        if word_of(found) is None:
            self.assert_zero_times_inf(x, found)
        return found

    def assert_zero_times_inf(self, x, found):
        """Where the reciprocal of both scales is Inf, the product with zero is NaN: x86 makes a
        negative one, with the code 0xB, a GPU that with 0x4 (`mxprism formats torchao.nvfp4`)."""
        self.assertEqual((found.first.found_code, found.first.expected_code), (0xB, 0x4), found)
        self.assertEqual((found.scales, found.tensor_scales_agree), (0, True), found)
        self.assertFalse(x.float().numpy()[found.where.codes].any())


if __name__ == "__main__":
    unittest.main()
