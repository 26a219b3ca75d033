# SPDX-License-Identifier: Apache-2.0
# tests/bindings/python/products_test.py: dot products and whole products in Python, against exact fractions.

import dataclasses
import unittest
import warnings
from fractions import Fraction

from package_case import bits, ml_dtypes, np, numbers

import mxprism
import products_model
from mxprism import _array

ANY = {"model": "fp32.sequential", "a_format": "e2m1", "b_format": "e2m1", "scale_format": "e8m0",
       "block": 32}


class products_test(unittest.TestCase):
    def setUp(self):
        source = np.random.default_rng(5)
        self.a, self.b = (source.integers(0, 16, (n, 80)).astype(np.uint8) for n in (3, 2))
        self.scale_a, self.scale_b = (source.integers(120, 134, (n, 3)).astype(np.uint8)
                                      for n in (3, 2))
        self.c = source.uniform(-9, 9, (3, 2)).astype(np.float32)
        self.scales = {"scale_a": self.scale_a, "scale_b": self.scale_b}

    def products(self, i, j):
        return products_model.products(
            "e2m1", "e2m1", self.a[i].tolist(), self.b[j].tolist(), "e8m0",
            self.scale_a[i].tolist(), self.scale_b[j].tolist(), 32)

    def expected(self, c=None, **plan):
        c = self.c if c is None else c
        return [[products_model.gemm_element("fp32.sequential", self.products(i, j),
                                             int(bits(c)[i, j]), **plan)
                 for j in range(2)] for i in range(3)]

    def quantized(self, packing="packed"):
        """A and B as tensors of MXFP4 whose axis is padded."""
        made = []
        for codes, scales in ((self.a, self.scale_a), (self.b, self.scale_b)):
            padded = np.zeros((len(codes), 96), np.uint8)
            padded[:, :80] = codes
            if packing == "packed":
                padded = padded[:, ::2] | padded[:, 1::2] << 4
            made.append(mxprism.Quantized.of(padded, scales, codes.shape, packing=packing))
        return made

    def test_dot_is_that_of_fractions(self):
        rows = [0, 1, 0]
        d = mxprism.dot(self.a, self.b[rows], self.c[:, 0], scale_a=self.scale_a,
                        scale_b=self.scale_b[rows], **ANY)
        want = [products_model.dot("fp32.sequential", self.products(i, j), int(bits(self.c)[i, 0]))
                for i, j in enumerate(rows)]
        self.assertEqual((bits(d).tolist(), d.dtype), (want, np.float32))
        one = mxprism.dot(self.a[0], self.b[0], scale_a=self.scale_a[0], scale_b=self.scale_b[0],
                          **ANY)
        self.assertEqual((one.shape, int(bits(one))),
                         ((), products_model.dot("fp32.sequential", self.products(0, 0), 0)))

    def test_dot_of_a_model_whose_c_is_narrower_than_its_result(self):
        a, b = (np.array([[1, 2, 3, 4]], np.float16) for _ in range(2))
        c = np.array([0.5], np.float16)
        model = {"model": "volta.mma.f16.f32_c16"}
        for addend in (c, bits(c).astype(np.uint32)):
            d = mxprism.dot(a, b, addend, **model)
            self.assertEqual((d.tolist(), d.dtype), ([30.5], np.float32))
        with self.assertRaisesRegex(TypeError, "`c` has type float32; expected float16, or uint32"):
            mxprism.dot(a, b, c.astype(np.float32), **model)

    def test_gemm_of_codes_is_that_of_fractions(self):
        d = mxprism.gemm(self.a, self.b, self.c, **self.scales, **ANY)
        self.assertEqual(bits(d).tolist(), self.expected())
        d = mxprism.gemm(self.a, self.b, bits(self.c), **self.scales, **ANY)
        self.assertEqual(bits(d).tolist(), self.expected())

    def test_gemm_of_quantized_is_that_of_fractions(self):
        zero = np.zeros((3, 2), np.float32)
        for packing in ("packed", "unpacked"):
            d = mxprism.gemm(*self.quantized(packing), model="fp32.sequential")
            self.assertEqual(bits(d).tolist(), self.expected(zero), packing)

    def test_plan_is_that_of_fractions(self):
        alpha = products_model.float_bits(0.3)
        for order in ("ascending", "pairwise"):
            for entry in ("first-step", "epilogue"):
                d = mxprism.gemm(*self.quantized(), self.c, model="fp32.sequential", promote=32,
                                 split_k=3, split_order=order, c_entry=entry, alpha=0.3)
                want = self.expected(promote=32, parts=3, order=order, entry=entry, alpha=alpha)
                self.assertEqual(bits(d).tolist(), want)

    def test_alpha_beyond_fp32_is_an_inf_without_a_warning(self):
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            d = mxprism.gemm(*self.quantized(), model="fp32.sequential", alpha=1e39)
        want = mxprism.gemm(*self.quantized(), model="fp32.sequential", alpha=np.inf)
        np.testing.assert_array_equal(bits(d), bits(want))

    def test_alpha_is_rounded_once(self):
        above = 2**54 + 2**30 + 1  # FP64 has the tie below it
        for alpha in (above, np.int64(above), np.array(above), Fraction(above),
                      np.longdouble(2**54 + 2**30) + 1):
            for sign in (1, -1):
                self.assertEqual(_array.rounded(sign * alpha, "alpha"), sign * (2.0**54 + 2.0**31))
        for alpha, want in ((2**54 + 2**30, 2.0**54), (Fraction(above, 2**204), 2.0**-149),
                            (2**128 - 2**103 - 1, 2.0**128 - 2.0**104), (2**128 - 2**103, np.inf),
                            (True, 1.0), (Fraction(1, 3), float(np.float32(1 / 3)))):
            self.assertEqual(_array.rounded(alpha, "alpha"), want, repr(alpha))
        for alpha in (0, -0.0, np.nan, Fraction(-1, 10**400), np.float16(0.1), 1e-45, 3e38):
            found, want = (np.float32(number) for number in (_array.rounded(alpha, "alpha"), alpha))
            self.assertEqual(found.tobytes(), want.tobytes(), repr(alpha))
        d = mxprism.gemm(*self.quantized(), model="fp32.sequential", alpha=above)
        want = mxprism.gemm(*self.quantized(), model="fp32.sequential", alpha=2.0**54 + 2.0**31)
        np.testing.assert_array_equal(bits(d), bits(want))

    def test_tensor_scales_are_in_alpha(self):
        a, b = (mxprism.quantize(numbers(n, 32, seed=n), "nvfp4") for n in (3, 2))
        d = mxprism.gemm(a, b, model="exact.rne", alpha=0.7)
        codes = [mxprism.quantize(numbers(n, 32, seed=n), "nvfp4", packing="unpacked")
                 for n in (3, 2)]
        alpha = products_model.multiply32(
            products_model.float_bits(0.7),
            products_model.multiply32(*(int(bits(q.tensor_scale)[0]) for q in (a, b))))
        for i in range(3):
            for j in range(2):
                p = products_model.products(
                    "e2m1", "e2m1", codes[0].codes[i].tolist(), codes[1].codes[j].tolist(), "ue4m3",
                    codes[0].scales[i].tolist(), codes[1].scales[j].tolist(), 16)
                self.assertEqual(int(bits(d)[i, j]),
                                 products_model.gemm_element("exact.rne", p, 0, alpha=alpha))

    def test_outputs_have_their_types(self):
        a, b = self.quantized()
        d = mxprism.gemm(a, b, model="exact.rne")
        half = mxprism.gemm(a, b, model="exact.rne", output="f16")
        with np.errstate(over="ignore"):
            np.testing.assert_array_equal(half, d.astype(np.float16))
        brain = mxprism.gemm(a, b, model="exact.rne", output="bf16")
        np.testing.assert_array_equal(brain, bits(d.astype(ml_dtypes.bfloat16)))
        zero = mxprism.gemm(a, b, model="exact.rne", output="bf16", output_rounding="toward-zero")
        np.testing.assert_array_equal(zero, bits(d) >> 16)

    def test_out_is_filled(self):
        out = np.ones((3, 2), np.float32)
        self.assertIs(mxprism.gemm(*self.quantized(), model="fp32.sequential", out=out), out)
        self.assertEqual(bits(out).tolist(), self.expected(np.zeros((3, 2), np.float32)))
        with self.assertRaisesRegex(ValueError, "out takes only f32"):
            mxprism.gemm(*self.quantized(), model="exact.rne", output="f16", out=out)

    def test_types_of_arrays_are_their_formats(self):
        x = numbers(2, 16).clip(-8, 8)
        for dtype in (np.float16, ml_dtypes.bfloat16, ml_dtypes.float8_e4m3fn,
                      ml_dtypes.float8_e5m2, ml_dtypes.float4_e2m1fn, ml_dtypes.float6_e3m2fn):
            codes = x.astype(dtype)
            # Products of few bits: exact in FP64, and rounded once.
            exact = (codes.astype(np.float64)[0] * codes.astype(np.float64)[1]).sum()
            d = mxprism.dot(codes[0], codes[1], model="exact.rne")
            self.assertEqual(d, np.float32(exact), dtype)
        with self.assertRaisesRegex(ValueError, "e4m3"):
            mxprism.dot(x.astype(np.float16), x.astype(np.float16), model="hopper.wgmma.e4m3.f32")

    def test_model_of_fp16_results_takes_and_gives_fp16(self):
        one = np.array([0x38, 0x40], np.uint8)  # E4M3: 1, 2
        c = np.array(0.5, np.float16)
        d = mxprism.dot(one, one, c, model="hopper.wgmma.e4m3.f16")
        self.assertEqual((d.dtype, float(d)), (np.float16, 5.5))
        with self.assertRaisesRegex(TypeError, "`c` has type float32; expected float16"):
            mxprism.dot(one, one, c.astype(np.float32), model="hopper.wgmma.e4m3.f16")

    def test_devices_take_their_own_formats(self):
        x = numbers(4, 64)
        q, w = mxprism.quantize(x, "nvfp4"), mxprism.quantize(x, "mxfp4")
        self.assertEqual(mxprism.gemm(q, q, model="blackwell.mxf4nvf4").shape, (4, 4))
        self.assertEqual(mxprism.gemm(w, w, model="blackwell.mxf4").shape, (4, 4))
        with self.assertRaisesRegex(ValueError, "scales and blocks of its own"):
            mxprism.gemm(q, q, model="blackwell.mxf4")
        with self.assertRaisesRegex(ValueError, "a and b differ in scales or blocks"):
            mxprism.gemm(q, w, model="exact.rne")


class refused_test(unittest.TestCase):
    def test_quantized_that_a_product_does_not_read(self):
        x, w = numbers(64, 64), mxprism.quantize(numbers(64, 64))
        for options in ({"axis": 0}, {"packing": "high-first"}, {"layout": "128x4"},
                        {"format": "mxfp4+mbs=128,8"}, {"format": "e2m1:ue4m3:16:row"}, {"format": "e2m1:e8m0:16x16"}):
            with self.assertRaisesRegex(ValueError, "not an operand of a product"):
                mxprism.gemm(mxprism.quantize(x, **options), w, model="exact.rne")
        with self.assertRaisesRegex(ValueError, "has its own scales"):
            mxprism.gemm(w, w, model="exact.rne", scale_a=w.scales)

    def test_scales_that_are_asked_for_replace_none_of_a_quantized(self):
        q = mxprism.quantize(numbers(4, 64), packing="unpacked")
        d, codes = mxprism.gemm(q, q, model="exact.rne"), {"scale_b": q.scales, "b_format": "e2m1"}
        turned = {"scale_a": q.scales, "a_format": "e2m1"}
        for options in ({"scale_format": "e8m0"}, {"block": 32}, {"scale_format": ""}, {"block": 0},
                        {"scale_format": "ue4m3", "block": 16}):
            for one, other, further, name in ((q, q, {}, "a"), (q, q.codes, codes, "a"),
                                              (q.codes, q, turned, "b")):
                for call in (lambda **o: mxprism.gemm(one, other, **o),
                             lambda **o: mxprism.verify_gemm(one, other, d, **o)):
                    with self.subTest(options, name=name), self.assertRaisesRegex(
                            ValueError, f"`{name}` is Quantized and has its own scales and blocks; "
                                        "leave out scale_format and block"):
                        call(model="exact.rne", **options, **further)
        found = mxprism.gemm(q, q.codes, model="exact.rne", **codes)
        np.testing.assert_array_equal(bits(found), bits(d))

    def test_tensor_scales_of_a_quantized_are_as_many_as_its_format_has(self):
        x = numbers(4, 64)
        for form, count in (("nvfp4", 1), ("mxfp4", 0)):
            right = mxprism.quantize(x, form)
            d = mxprism.gemm(right, right, model="exact.rne")
            for found in {0, 1, 2} - {count}:
                wrong = [np.ones(found, np.float32)] + [None] * (found == 0)
                sentence = f"`tensor_scale of b` has {found} numbers; expected {count}, as {form}"
                for q in (dataclasses.replace(right, tensor_scale=above) for above in wrong):
                    for call in (lambda: mxprism.gemm(right, q, model="exact.rne"),
                                 lambda: mxprism.verify_gemm(right, q, d, model="exact.rne"),
                                 lambda: mxprism.gemm_grouped([right], [q], model="exact.rne")):
                        with self.subTest(sentence), self.assertRaisesRegex(ValueError, sentence):
                            call()

    def test_formats_that_are_asked_for_are_those_of_the_types(self):
        x = numbers(2, 32).clip(-8, 8)
        for kind, names, others in (
                (np.float16, ("f16", "fp16"), ("bf16", "e4m3", "nonsense", "e4m3:e8m0", "")),
                (ml_dtypes.bfloat16, ("bf16", "bfloat16"), ("f16", "e8m7")),
                (np.float32, ("f32", "fp32", "tf32"), ("f16", "bf16")),
                (ml_dtypes.float8_e4m3fn, ("e4m3", "e4m3fn"), ("e5m2", "e4m3fnuz", "f16"))):
            a = x.astype(kind)
            d = mxprism.gemm(a, a, model="exact.rne")
            for name in names:
                formats = {"a_format": name, "b_format": name}
                found = mxprism.gemm(a, a, model="exact.rne", **formats)
                if name != "tf32":
                    np.testing.assert_array_equal(bits(found), bits(d))
            for name in others:
                for call in (mxprism.gemm, mxprism.dot,
                             lambda a, b, **o: mxprism.verify_gemm(a, b, d, **o)):
                    with self.subTest(name), self.assertRaisesRegex(
                            TypeError, f"`b` has type {a.dtype.name}, and b_format is '{name}'; "
                                       f"expected its own, '{names[0]}', or codes in uint8"):
                        call(a, a, model="exact.rne", b_format=name)
        words = x.astype(np.float16).view(np.uint16)
        brains = {"a_format": "bf16", "b_format": "bf16"}
        np.testing.assert_array_equal(
            mxprism.gemm(words, words, model="exact.rne", **brains),
            mxprism.gemm(*2 * [words.view(ml_dtypes.bfloat16)], model="exact.rne"))

    def test_shapes_and_types_that_do_not_fit(self):
        code = np.zeros((2, 4), np.uint8)
        e4m3 = {"model": "hopper.wgmma.e4m3.f32"}
        for call, arguments, error, sentence in [
                (mxprism.dot, (code, code[:1]), ValueError, "expected the same"),
                (mxprism.dot, (code, code.astype(np.uint16)), TypeError, "codes of 2 bytes"),
                (mxprism.dot, (code, code.astype(np.int8)), TypeError, "type int8"),
                (mxprism.dot, (code, code, np.zeros(3, np.float32)), ValueError, r"shape \(3,\)"),
                (mxprism.dot, (code, [[1]]), TypeError, "a list"),
                (mxprism.gemm, (code, code[:, :3]), ValueError, "K of 4 and b of 3"),
                (mxprism.gemm, (code[0], code), ValueError, "`a` has 1 axes"),
                (mxprism.gemm, (code, code, np.zeros((2, 3), np.float32)), ValueError, "shape")]:
            with self.assertRaisesRegex(error, sentence):
                call(*arguments, **e4m3)
        for plan, sentence in (({"split_order": "up"}, "ascending, pairwise"),
                               ({"split_k": 0}, "`split_k` is 0; .* from 1 to 65536"), ({"output": "fp32"}, "f32, f16"),
                               ({"scale_a": np.zeros(2, np.uint8)}, "`scale_a` has shape .* no scales"),
                               ({"model": "hopper"}, "there is no model `hopper`")):
            with self.assertRaisesRegex(ValueError, sentence):
                mxprism.gemm(code, code, **{**e4m3, **plan})

    def test_arguments_of_other_kinds_are_named(self):
        code = np.zeros((2, 4), np.uint8)
        for options, error, sentence in (
                ({"promote": 1.5}, TypeError, "`promote` is 1.5; expected a whole number"),
                ({"promote": -1}, ValueError, "`promote` is -1"),
                ({"split_k": 2**40}, ValueError, "`split_k` is 1099511627776"),
                ({"model": None}, TypeError, "`model` is None; expected a name"),
                ({"model": "exact.rne\0"}, ValueError, "NUL"),
                ({"a_format": "e4m3\0"}, ValueError, "NUL"),
                ({"alpha": "x"}, TypeError, "`alpha` is 'x'; expected a number"),
                ({"alpha": "2"}, TypeError, "`alpha` is '2'; expected a number"),
                ({"alpha": b"2"}, TypeError, "`alpha` is b'2'; expected a number"),
                ({"alpha": np.array("2")}, TypeError, "`alpha` is .*'2'.*; expected a number"),
                ({"model": ""}, ValueError, "there is no model ``"),
                ({"a_format": ""}, ValueError, "^a_format has no value; expected a_format=VALUE"),
                ({"scale_format": ""}, ValueError, "^scale_format has no value"),
                ({"alpha": None}, TypeError, "`alpha` is None; expected a number")):
            with self.subTest(options), self.assertRaisesRegex(error, sentence):
                mxprism.gemm(code, code, **{"model": "hopper.wgmma.e4m3.f32", **options})

    def test_plans_are_refused_by_their_parameter_value_and_block(self):
        q, half = mxprism.quantize(numbers(2, 64)), np.zeros((2, 64), np.float16)
        for promote in (31, 1):
            sentence = f"^promote is {promote}; expected 0 or a multiple of the block, which is 32$"
            with self.assertRaisesRegex(ValueError, sentence):
                mxprism.gemm(q, q, model="blackwell.mxf4", promote=promote)
        for plan in ({"promote": 32}, {"split_k": 2}):
            with self.assertRaisesRegex(ValueError, "^promote and split_k add sums in FP32; the model gives f16"):
                mxprism.gemm(half, half, model="hopper.wgmma.f16.f16", **plan)

    def test_codes_without_room_are_refused_by_the_name_of_their_factor(self):
        code = np.zeros((2, 4), np.uint8)
        sentence = "^b: its codes have 16 bits, and each is stored in 8; store them in a wider type$"
        with self.assertRaisesRegex(ValueError, sentence):
            mxprism.gemm(code, code, model="exact.rne", a_format="e4m3", b_format="bf16")

    def test_formats_that_are_missing_are_asked_for_by_the_names_of_parameters(self):
        code = np.zeros((2, 32), np.uint8)
        formats = {"a_format": "e4m3", "b_format": "e4m3"}
        for options, sentence in (
                ({}, "name them by a_format and b_format$"),
                ({**formats, "block": 32}, "^scale_format and block are given together"),
                ({**formats, "scale_format": "e8m9", "block": 32}, "^scale_format: a product takes")):
            for call in (mxprism.gemm, mxprism.dot):
                with self.assertRaisesRegex(ValueError, sentence):
                    call(code, code, model="exact.rne", **options)


class scales_test(unittest.TestCase):
    """Of codes in arrays; a Quantized has its own."""

    model = "blackwell.mxf4"

    def setUp(self):
        self.a, self.b = (mxprism.quantize(numbers(n, 128, seed=n), packing="unpacked")
                          for n in (6, 6))
        self.d = mxprism.gemm(self.a, self.b, model=self.model)

    def calls(self, scale_a, scale_b, **options):
        options = {"model": self.model, "scale_a": scale_a, "scale_b": scale_b, **options}
        yield lambda: mxprism.gemm(self.a.codes, self.b.codes, **options)
        yield lambda: mxprism.dot(self.a.codes, self.b.codes, **options)
        yield lambda: mxprism.verify_gemm(self.a.codes, self.b.codes, self.d, **options)

    def test_other_shapes_are_refused_by_their_name(self):
        a, b = self.a.scales, self.b.scales
        for scale_a, scale_b, sentence in (
                (a, b.T, r"`scale_b` has shape \(4, 6\); expected \(6, 4\)"),
                (a.T.copy(), b, r"`scale_a` has shape \(4, 6\); expected \(6, 4\)"),
                (a.reshape(-1), b, r"`scale_a` has shape \(24,\); expected \(6, 4\)"),
                (a, None, r"`scale_b` is missing; blackwell.mxf4 takes scales of shape \(6, 4\)")):
            for call in self.calls(scale_a, scale_b):
                with self.assertRaisesRegex(ValueError, sentence):
                    call()

    def test_types_are_those_of_the_models_scales(self):
        eight, four = ml_dtypes.float8_e8m0fnu, ml_dtypes.float8_e4m3fn
        a, b = self.a.scales, self.b.scales
        for call in self.calls(a.view(four), b):
            with self.assertRaisesRegex(TypeError, "`scale_a` has type float8_e4m3fn, and the scales "
                                                   "of blackwell.mxf4 are others"):
                call()
        any_operands = {"model": "exact.rne", "a_format": "e2m1", "b_format": "e2m1", "block": 32}
        for call in self.calls(a, b.view(four), scale_format="e8m0", **any_operands):
            with self.assertRaisesRegex(TypeError, "`scale_b` has type float8_e4m3fn"):
                call()
        for options in ({}, {"scale_format": "e8m0", **any_operands},
                        {"scale_format": "ue8m0", **any_operands}):
            for call in self.calls(a.view(eight), b, **options):
                call()
        q = mxprism.quantize(numbers(6, 64), "nvfp4", packing="unpacked")
        want = mxprism.gemm(q.codes, q.codes, scale_a=q.scales, scale_b=q.scales,
                            model="blackwell.mxf4nvf4")
        found = mxprism.gemm(q.codes, q.codes, scale_a=q.scales.view(four),
                             scale_b=q.scales.view(four), model="blackwell.mxf4nvf4")
        np.testing.assert_array_equal(bits(found), bits(want))
        with self.assertRaisesRegex(TypeError, "`scale_a` has type float8_e8m0fnu"):
            mxprism.gemm(q.codes, q.codes, scale_a=q.scales.view(eight), scale_b=q.scales,
                         model="blackwell.mxf4nvf4")


if __name__ == "__main__":
    unittest.main()
