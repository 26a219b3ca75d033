# SPDX-License-Identifier: Apache-2.0
# tests/bindings/python/check_test.py: quantizers on the adversarial table: right ones are exact, every
# planted bug is named with its case and its place.

import unittest
import unittest.mock

from package_case import bits, ml_dtypes, np

import mxprism
from mxprism import _array
from mxprism.testing import check_kernel


def kernel_of(format=None, **options):
    """A kernel that makes what the library does."""
    def kernel(x):
        q = mxprism.quantize(x, format, **options)
        return q.codes, q.scales, q.tensor_scale
    return kernel


class on_device:
    """A tensor on a CUDA device, whose memory only an exchange copies to the CPU."""

    def __init__(self, x):
        self.x, self.asked = x, []

    def __dlpack_device__(self):
        return 2, 0

    def __dlpack__(self, *, stream=None, max_version=None, dl_device=None, copy=None):
        self.asked.append((stream, dl_device, copy))
        return self.x.copy().__dlpack__()


class check_test(unittest.TestCase):
    def test_right_kernels_are_exact_in_every_format_and_type(self):
        cases = (("mxfp4", {"layout": "128x4"}, "float32", 6),
                 ("mxfp4", {"scale_rule": "rceil"}, "bfloat16", 6),
                 ("mxfp8-e4m3", {}, "float32", 6), ("nvfp4", {}, "float32", 12),
                 (None, {"variant": "torchao.rceil"}, "float32", 6))
        for format, options, dtype, least in cases:
            with self.subTest(format=format, dtype=dtype, **options):
                found = check_kernel(kernel_of(format, **options), format, dtype=dtype, **options)
                self.assertEqual((found.verdict, found.first), ("exact", None), str(found))
                self.assertGreaterEqual(len(found.cases), least)
                self.assertEqual(str(found), f"{len(found.cases)} cases, all exact\n")

    def test_inputs_are_the_packs_and_have_their_type(self):
        seen = {}
        for dtype, kind in (("float32", np.float32), ("bfloat16", ml_dtypes.bfloat16)):
            found = check_kernel(kernel_of("mxfp4"), "mxfp4", dtype=dtype)
            seen[dtype] = {case.name: case.x for case in found.cases}
            self.assertEqual({x.dtype for x in seen[dtype].values()}, {np.dtype(kind)})
        pack = mxprism.pack("ties").cases("mxfp4")[0].x
        np.testing.assert_array_equal(bits(seen["float32"]["ties.mxfp4.f32"]), bits(pack))
        self.assertTrue(np.isnan(seen["bfloat16"]["specials.mxfp4.bf16"]).any())

    def test_each_bug_is_named_where_it_first_shows(self):
        def wrong_tie(x):
            q = mxprism.quantize(x, "mxfp4")
            ties = np.isin(np.abs(x.reshape(x.shape[0], -1)), (np.float32(2.5),)).reshape(x.shape)
            pairs = np.stack([ties[:, ::2], ties[:, 1::2] * 16], -1).sum(-1).astype(np.uint8)
            return q.codes ^ pairs, q.scales
        found = check_kernel(wrong_tie, "mxfp4")
        self.assertEqual((found.verdict, found.first.name), ("unexplained", "ties.mxfp4.f32"))
        place = found.first.verdict.first.index
        self.assertEqual(abs(found.first.x[place]), 2.5)
        self.assertIn("ties.mxfp4.f32:\n'x': ", str(found))
        self.assertIn(" cases, ", str(found))
        found = check_kernel(kernel_of("mxfp4", packing="high-first"), "mxfp4")
        self.assertEqual(found.verdict, "explained")
        self.assertIn("because nibble_order: expected low-first, found high-first", str(found))
        found = check_kernel(kernel_of("mxfp4", scale_rule="ceil"), "mxfp4", scale_rule="rceil")
        self.assertNotEqual(found.verdict, "exact")

    def test_nan_alone_is_no_other_difference(self):
        variant = "torchao-0.18.rceil"

        def negative(x):
            q = mxprism.quantize(x, "mxfp8-e4m3", variant=variant)
            return np.where(q.codes == 0x7F, np.uint8(0xFF), q.codes), q.scales
        found = check_kernel(negative, "mxfp8-e4m3", variant=variant)
        self.assertEqual(found.verdict, "nan", str(found))
        self.assertEqual(found.first.verdict.differs_alone, "nan_signs")

        def wrong_too(x):
            codes, scales = negative(x)
            return codes, scales + (scales == 127)
        found = check_kernel(wrong_too, "mxfp8-e4m3", variant=variant)
        self.assertIn(found.verdict, ("explained", "unexplained"))
        self.assertIsNone(found.first.verdict.differs_alone)

    def test_shapes_are_those_that_the_kernel_takes(self):
        def strict(x):
            self.assertEqual((x.shape[0] % 64, x.shape[1] % 256), (0, 0))
            return kernel_of("mxfp4")(x)
        self.assertEqual(check_kernel(strict, "mxfp4", multiple=(64, 256)).verdict, "exact")
        tall = []

        def along(x):
            self.assertEqual((x.shape[0] % 128, x.shape[1] % 48), (0, 0))
            tall.append(x.shape[0] > x.shape[1])
            return kernel_of("mxfp4", axis=0)(x)
        found = check_kernel(along, "mxfp4", axis=0, multiple=(128, 48))
        self.assertEqual((found.verdict, len(found.cases)), ("exact", len(tall)))
        self.assertTrue(any(tall))

    def test_formats_without_inputs_of_their_own_get_ties_and_special_values(self):
        for form, lender, multiple in (
                ("nvfp4-2d", "nvfp4", (48, 96)), ("e2m1:e8m0:16x16", "mxfp4", (1, 1)),
                ("fp8-128x128", "mxfp8-e4m3", (1, 1)), ("mxfp4+double", "mxfp4", (1, 64)),
                ("mxfp8-e4m3+rotate=64", "mxfp8-e4m3", (1, 1))):
            for dtype, kind in (("float32", "f32"), ("float16", "f32"), ("bfloat16", "bf16")):
                with self.subTest(form=form, dtype=dtype):
                    found = check_kernel(kernel_of(form), form, dtype=dtype, multiple=multiple)
                    self.assertEqual(found.verdict, "exact", str(found))
                    specials = {case.name: case.x.astype(np.float32) for case in found.cases
                                }[f"specials.{lender}.{kind}"]
                    self.assertTrue(np.isnan(specials).any() and np.isinf(specials).any())
                    self.assertTrue((specials == 0).any() and np.signbit(specials).any())
                    self.assertTrue(any("ties." in case.name for case in found.cases))

    def test_a_wrong_tie_in_a_tile_is_found(self):
        def away(x):
            return kernel_of("e2m1:e8m0:16x16", rounding="nearest-away")(x)
        for multiple in ((1, 1), (32, 160)):
            found = check_kernel(away, "e2m1:e8m0:16x16", multiple=multiple)
            self.assertEqual((found.verdict, found.first.name), ("explained", "ties.mxfp4.f32"))
            self.assertEqual(found.first.verdict.explanation[0].dimension, "element_rounding")

    def test_a_kernel_may_write_to_its_input(self):
        def clobbering(x):
            made = kernel_of("mxfp4")(x)
            x[:] = 0
            return made
        for _ in range(2):
            found = check_kernel(clobbering, "mxfp4")
            self.assertEqual(found.verdict, "exact")
        kept = [case.x.tobytes() for case in found.cases]
        for case in found.cases:
            case.x[:] = 0
        again = check_kernel(clobbering, "mxfp4")
        self.assertTrue([case.x.tobytes() for case in again.cases] == kept)

    def test_outputs_on_a_device_are_copied_to_the_cpu(self):
        tensors = []

        def remote(x):
            tensors.extend(on_device(array) for array in kernel_of("mxfp4")(x)[:2])
            return tensors[-2:]
        self.assertEqual(check_kernel(remote, "mxfp4").verdict, "exact")
        self.assertEqual({asked for tensor in tensors for asked in tensor.asked},
                         {(None, (_array.ON_CPU, 0), True)})

    def test_refusals_name_the_argument_or_the_case(self):
        def failing(x):
            raise ValueError("too small")
        with self.assertRaisesRegex(RuntimeError, r"failed on ties.mxfp4.f32, \(15, 32\): too small"):
            check_kernel(failing, "mxfp4")
        with self.assertRaisesRegex(TypeError, "the kernel returned a ndarray for ties.mxfp4.f32"):
            check_kernel(lambda x: x, "mxfp4")
        with self.assertRaisesRegex(ValueError, "`dtype` is 'float64'; expected one of float32"):
            check_kernel(kernel_of("mxfp4"), "mxfp4", dtype="float64")
        with self.assertRaisesRegex(ValueError, "mxfp5"):
            check_kernel(kernel_of("mxfp4"), "mxfp5")
        for multiple, error, sentence in (
                ((0, 1), ValueError, "`multiple` is 0; expected a whole number from 1"),
                ((1, -4), ValueError, "`multiple` is -4; expected a whole number from 1"),
                ((1, 2, 3), ValueError, "`multiple` has 3 numbers; expected two"),
                ((1, 1.5), TypeError, "`multiple` is 1.5; expected a whole number"),
                (128, TypeError, "`multiple` is 128; expected two numbers, of rows and of columns")):
            with self.assertRaisesRegex(error, sentence):
                check_kernel(kernel_of("mxfp4"), "mxfp4", multiple=multiple)

    def test_formats_of_more_arrays_are_refused_at_once(self):
        def never(x):
            self.fail("the kernel ran")
        for form, array in (("mxfp4+mbs=64,8", "macro_fractions"),
                            ("mxfp4+of=0.5", "residual_codes, residual_scales")):
            with self.assertRaisesRegex(ValueError, f"return codes and scales, and .* has {array} too"):
                check_kernel(never, form)

    def test_torch_kernels_get_tensors(self):
        try:
            import torch
        except ImportError:
            print("SKIPPED: torch tensors of check_test.py, because Python has no torch "
                  "(./bootstrap --oracles-torch installs it)")
            self.skipTest("torch is missing")

        def kernel(x):
            self.assertIs(type(x), torch.Tensor)
            return kernel_of("mxfp4")(x)[:2]
        for dtype in ("float32", "bfloat16"):
            self.assertEqual(check_kernel(kernel, "mxfp4", dtype=dtype, device="cpu").verdict,
                             "exact")

        def native(x):
            q = mxprism.quantize(x, "nvfp4")
            return q.codes, q.scales, q.tensor_scale

        def wrong(x):
            codes, scales, tensor_scale = native(x)
            last = codes.view(-1)[-1:]
            last ^= 1
            return codes, scales, tensor_scale
        for kernel, copied in ((native, False), (wrong, True)):
            with unittest.mock.patch("mxprism._check.on_cpu", side_effect=_array.on_cpu) as copy:
                found = check_kernel(kernel, "nvfp4", device="cpu")
            given = {type(call.args[0]) for call in copy.call_args_list}
            self.assertEqual((found.verdict == "exact", torch.Tensor in given),
                             (not copied, copied))
        for case in found.cases:
            self.assertEqual(case.verdict.first.element, case.x.size - 2, case.name)


if __name__ == "__main__":
    unittest.main()
