# SPDX-License-Identifier: Apache-2.0
# tests/oracle/torchao_kernels_test.py: every preset of torchao against the code of torchao 0.18, on the
# adversarial table of mxprism.testing.check_kernel: equal bytes, except for NaN.
"""Where a block has a NaN, the sign and fraction of the NaN that a code is made of are the processor's, and
so is the NaN of zero times Inf in NVFP4 (torchao_verdicts_test.py). Such codes are in the special values
and in the probe alone, a few a case; every other byte is equal."""

import unittest
import warnings

from oracle_case import packages

warnings.filterwarnings("ignore")
np, mxprism, torch, torchao, mx_tensor, nvfp4, config, constants = packages(
    "numpy", "mxprism", "torch", "torchao", "torchao.prototype.mx_formats.mx_tensor",
    "torchao.prototype.mx_formats.nvfp4_tensor", "torchao.prototype.mx_formats.config",
    "torchao.prototype.mx_formats.constants")
(testing,) = packages("mxprism.testing")

ELEMENTS = {"mxfp4": torch.float4_e2m1fn_x2, "mxfp6-e2m3": constants.DTYPE_FP6_E2M3,
            "mxfp6-e3m2": constants.DTYPE_FP6_E3M2, "mxfp8-e4m3": torch.float8_e4m3fn,
            "mxfp8-e5m2": torch.float8_e5m2}
# torchao's main branch, which the release precedes; kernels for devices alone.
NOT_IN_RELEASE = {"torchao.floor", "torchao.ceil", "torchao.even", "torchao.rceil",
                  "torchao.nvfp4-training", "torchao.nvfp4-training-0.18"}


def mx_kernel(form, rule):
    def kernel(x):
        mode = config.ScaleCalculationMode(rule)
        scales, codes = mx_tensor.to_mx(x, ELEMENTS[form], 32, mode)
        return codes, scales
    return kernel


def nvfp4_kernel(x):
    above = nvfp4.per_tensor_amax_to_scale(x.abs().max())
    coded = nvfp4.NVFP4Tensor.to_nvfp4(x, per_tensor_scale=above)
    return coded.qdata, coded.scale, above.reshape(1)


def nvfp4_single_level_kernel(x):
    coded = nvfp4.NVFP4Tensor.to_nvfp4(x)
    return coded.qdata, coded.scale


@unittest.skipUnless(torchao.__version__.startswith("0.18."), "the presets are torchao 0.18's")
class torchao_kernels_test(unittest.TestCase):
    def check(self, kernel, format, variant):
        for dtype in ("float32", "bfloat16"):
            with self.subTest(variant=variant, format=format, dtype=dtype):
                found = testing.check_kernel(kernel, format, variant=variant, dtype=dtype,
                                             device="cpu")
                for case in found.cases:
                    self.count(case)

    def setUp(self):
        self.counts = {"exact": 0, "nan": 0}

    def count(self, case):
        """One case: exact, or other NaN where there must be some."""
        verdict = case.verdict
        exact = verdict.verdict == "exact"
        self.counts["exact" if exact else "nan"] += 1
        if exact:
            return
        self.assertIn(case.name.partition(".")[0], ("specials", "probe"), verdict)
        if verdict.differs_alone is None:  # zero times Inf: x86's NaN has a sign, a GPU's has none
            first = verdict.first
            self.assertEqual((first.found_code, first.expected_code), (0xB, 0x4), verdict)
            self.assertEqual((verdict.scales, verdict.tensor_scales_agree), (0, True), verdict)
            self.assertFalse(case.x[verdict.where.codes].any(), verdict)
            return
        special = ~np.isfinite(case.x.astype(np.float32))
        if case.x.shape[1] % 32 == 0:  # MX: a block; NVFP4: the tensor
            special = special.reshape(-1, 32).any(1).repeat(32).reshape(case.x.shape)
            self.assertFalse((verdict.where.codes & ~special).any(), verdict)
        self.assertTrue(special.any(), verdict)

    def test_every_preset_of_the_release_is_named_here(self):
        names = {v.name for v in mxprism.formats().variants if v.name.startswith("torchao")}
        rules = {f"torchao-0.18.{rule}" for rule in ("floor", "ceil", "even", "rceil")}
        self.assertEqual(names - NOT_IN_RELEASE,
                         rules | {"torchao.nvfp4", "torchao.nvfp4-single-level"})

    def test_mx_presets_are_to_mx(self):
        for form in ELEMENTS:
            for rule in ("floor", "ceil", "even", "rceil"):
                self.check(mx_kernel(form, rule), form, f"torchao-0.18.{rule}")
        print("to_mx:", self.counts)

    def test_nvfp4_presets_are_to_nvfp4(self):
        self.check(nvfp4_kernel, "nvfp4", "torchao.nvfp4")
        self.check(nvfp4_single_level_kernel, None, "torchao.nvfp4-single-level")
        print("to_nvfp4:", self.counts)

    def test_another_rule_is_found(self):
        found = testing.check_kernel(mx_kernel("mxfp4", "floor"), "mxfp4",
                                     variant="torchao-0.18.even", device="cpu")
        self.assertIn(found.verdict, ("explained", "unexplained"))


if __name__ == "__main__":
    unittest.main()
