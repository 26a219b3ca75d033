# SPDX-License-Identifier: Apache-2.0
# tests/bindings/python/verify_test.py: verdicts in Python: bytes changed by hand, and agreement
# with the command's report on the same files.

import os
import struct
import unittest

from package_case import ml_dtypes, np, numbers

import mxprism
import tensor_files
from command_case import PROGRAM, command_case

DTYPES = {"float32": "F32", "float16": "F16", "bfloat16": "BF16", "uint8": "U8", "uint32": "U32"}


def telling(*shape, seed=3):
    """Numbers of many binades with ties, powers of two and blocks of zeros."""
    x = numbers(*shape, seed=seed)
    x.reshape(-1)[:32] = 0
    x.reshape(-1)[40:72] = [7 * (-1) ** k * 2.0 ** (k % 4 - 3) for k in range(32)]
    return x


def words_of(options):
    """Options of the package as options of the command."""
    words = []
    for name, value in options.items():
        words += [f"--{name.replace('_', '-')}", str(value)]
    return words


class judged_by_hand_test(unittest.TestCase):
    x = np.array([7, 0, -1], np.float32)

    def test_right_bytes_are_exact(self):
        v = mxprism.verify(self.x, np.array([7, 10] + 14 * [0], np.uint8),
                           np.array([127], np.uint8))
        self.assertEqual((v.verdict, v.mismatches, v.elements, v.first), ("exact", 0, 3, None))
        self.assertEqual((v.explanation, v.ambiguous, v.tensor_scales_agree), ((), (), True))
        self.assertEqual(str(v), "'x': 3 elements equal\nverdict: exact\n")

    def test_another_rule_is_named(self):
        v = mxprism.verify(self.x, np.array([6, 9] + 14 * [0], np.uint8),
                           np.array([128], np.uint8))
        self.assertEqual((v.verdict, v.mismatches, v.codes, v.scales), ("explained", 3, 2, 1))
        self.assertEqual(v.explanation, (mxprism.Change("scale_rule", "floor", "ceil"),))
        self.assertEqual(str(v.explanation[0]), "scale_rule: expected floor, found ceil")
        self.assertIn("rceil", [rival.telling.found for rival in v.ambiguous])
        self.assertTrue(any(rival.probe and rival.probe_block for rival in v.ambiguous))
        self.assertEqual((v.first.what, v.first.element, v.first.index), ("code", 0, (0,)))
        self.assertEqual((v.first.expected_code, v.first.found_code, v.first.expected_scale,
                          v.first.found_scale), (7, 6, 127, 128))
        self.assertEqual(v.first.block_bits, (0x40E00000, 0, 0xBF800000))
        self.assertIn("because scale_rule: expected floor, found ceil\n", str(v))

    def test_a_rival_is_told_by_what_is_not_in_the_explanation(self):
        x = telling(16, 64)
        q = mxprism.quantize(x, scale_rule="ceil", packing="high-first")
        v = mxprism.verify(x, q.codes, q.scales)
        self.assertEqual([c.dimension for c in v.explanation], ["nibble_order", "scale_rule"])
        self.assertGreater(len(v.ambiguous), 0)
        shared = mxprism.Change("nibble_order", "low-first", "high-first")
        for rival in v.ambiguous:
            self.assertIn(shared, rival.changes)
            self.assertNotIn(rival.telling, v.explanation)

    def test_packing_that_was_asked_for_is_declared(self):
        x = numbers(4, 64)
        q = mxprism.quantize(x, packing="unpacked")
        self.assertEqual(mxprism.verify(x, q.codes, q.scales).verdict, "exact")
        v = mxprism.verify(x, q.codes, q.scales, packing="packed")
        self.assertEqual([str(c) for c in v.explanation],
                         ["nibble_order: expected low-first, found unpacked"])
        self.assertEqual(v.first.what, "size")

    def test_places_are_masks_and_patterns(self):
        x = telling(2, 256, 128)
        for axis, layout in ((-1, None), (-1, "128x4"), (-2, None)):
            q = mxprism.quantize(x, "mxfp8-e4m3", axis=axis, layout=layout)
            grid = mxprism.quantize(x, "mxfp8-e4m3", axis=axis).scales.shape
            self.assertIsNone(
                mxprism.verify(x, q.codes, q.scales, "mxfp8-e4m3", axis=axis, layout=layout).where)
            codes, scales = q.codes.copy(), q.scales.copy()
            codes[1, 64:192] ^= 1
            if layout is None:
                scales[0, 3] ^= 1
            v = mxprism.verify(x, codes, scales, "mxfp8-e4m3", axis=axis, layout=layout, changes=0)
            wrong = np.zeros(x.shape, bool)
            wrong[1, 64:192] = True
            np.testing.assert_array_equal(v.where.codes, wrong)
            wrong = np.zeros(grid, bool)
            wrong[0, 3] = layout is None
            np.testing.assert_array_equal(v.where.scales, wrong)
            rows = v.where.code_rows
            self.assertEqual((rows.extent, rows.touched, rows.first, rows.last, rows.period),
                             (512, 128, 320, 447, 0))
            self.assertTrue(str(v.where).startswith("codes in rows 320..447, all 128 columns"))
            self.assertIn("  where: " + str(v.where) + "\n", str(v))

    def test_codes_of_nan_that_differ_alone(self):
        x = numbers(4, 64)
        x[1, 40] = np.nan
        for form, change, alone in (("mxfp8-e4m3", 0x80, "nan_signs"), ("mxfp4", 0x03, "nan_codes")):
            with self.subTest(form):
                q = mxprism.quantize(x, form)
                self.assertIsNone(mxprism.verify(x, q.codes, q.scales, form).differs_alone)
                last = q.codes.shape[1] - 1 if form == "mxfp4" else 40
                q.codes[1, last] ^= change
                v = mxprism.verify(x, q.codes, q.scales, form)
                self.assertEqual((v.verdict, v.differs_alone), ("explained", alone))
                self.assertEqual(v.explanation[0].dimension, "nan_rule")
                q.codes[0, 0] ^= 1
                self.assertIsNone(mxprism.verify(x, q.codes, q.scales, form).differs_alone)

    def test_padding_has_no_place(self):
        v = mxprism.verify(self.x, np.array([7, 10, 16] + 13 * [0], np.uint8),
                           np.array([127], np.uint8), changes=0)
        self.assertEqual((v.verdict, v.first.element, v.first.index, v.first.position),
                         ("unexplained", None, None, 5))
        self.assertIn("0 of 3 elements and 1 code of padding differ (1 code and ", v.text)
        self.assertEqual(v.mismatches, 1)

    def test_a_given_tensor_scale_is_compared(self):
        x = numbers(2, 64)
        q = mxprism.quantize(x, "nvfp4")
        wrong = q.tensor_scale * np.float32(2)
        v = mxprism.verify(x, q.codes, q.scales, "nvfp4", tensor_scale=wrong, changes=0)
        self.assertEqual((v.tensor_scales_agree, v.mismatches, v.codes), (False, 128, 0))
        self.assertEqual((v.first.what, v.first.index), ("tensor_scale", None))
        self.assertEqual(mxprism.verify(x, q.codes, q.scales, "nvfp4",
                                        tensor_scale=q.tensor_scale).verdict, "exact")

    def test_a_tensor_scale_that_is_not_positive_and_finite_is_named_with_both_numbers(self):
        x = numbers(2, 64)
        q = mxprism.quantize(x, "nvfp4")
        right = int(np.asarray(q.tensor_scale, np.float32).view(np.uint32).reshape(-1)[0])
        for bits in (0, 0x80000000, 0x7F800000, 0xFF800000, 0x7FC00000, 0xBF800000):
            wrong = np.full_like(q.tensor_scale, 0)
            wrong.view(np.uint32)[...] = bits
            v = mxprism.verify(x, q.codes, q.scales, "nvfp4", tensor_scale=wrong)
            self.assertEqual((v.verdict, v.explanation[0].dimension), ("explained", "tensor_scale"))
            self.assertIn(f"0x{right:08x}", v.explanation[0].expected)
            self.assertTrue(v.explanation[0].found.startswith(f"0x{bits:08x}"))
            self.assertEqual((v.first.what, v.first.expected_scale, v.first.found_scale),
                             ("tensor_scale", right, bits))
            self.assertIn(f"the tensor scale 0x{bits:08x}", str(v))

    def test_arrays_of_other_types_and_orders(self):
        x = numbers(4, 64)
        q = mxprism.quantize(x, "mxfp8-e4m3")
        for codes, scales in [
                (q.codes.view(ml_dtypes.float8_e4m3fn), q.scales.view(ml_dtypes.float8_e8m0fnu)),
                (np.asfortranarray(q.codes), q.scales.reshape(-1)),
                (q.codes.view(np.int8).reshape(-1), q.scales)]:
            self.assertEqual(mxprism.verify(x, codes, scales, "mxfp8-e4m3").verdict, "exact")
        tiles = mxprism.quantize(x, "fp8-1x128")
        self.assertEqual(mxprism.verify(x, tiles.codes, tiles.scales, "fp8-1x128").verdict, "exact")

    def test_what_is_refused(self):
        x = numbers(4, 64)
        q = mxprism.quantize(x)
        for arguments, options, error, sentence in [
                ((x, q.codes[:3], q.scales), {}, ValueError,
                 "^`codes` has 96 bytes; 128 expected; no known packing or layout"),
                ((x, q.codes, q.scales[:3]), {}, ValueError, "^`scales` has 6 bytes; 8 expected"),
                ((x, q.codes[:3], q.scales[:3]), {}, ValueError,
                 "^`codes` has 96 bytes; 128 expected, and `scales` has 6 bytes; 8 expected"),
                ((x, q.codes.astype(np.uint16), q.scales), {}, TypeError, "`codes` has type uint16"),
                ((x, q.codes, q.scales.astype(np.float64)), {}, TypeError, "`scales` has type float64"),
                ((x, q.codes, q.scales, "mxfp4+mbs=128,8"), {}, ValueError,
                 "macro_fractions is empty"),
                ((x, q.codes, q.scales), {"residual_scales": q.scales}, ValueError,
                 "residual_scales is not empty"),
                ((x, q.codes, q.scales), {"macro_fractions": x}, TypeError,
                 "`macro_fractions` has type float32"),
                ((x, q.codes, q.scales), {"changes": 3}, ValueError, "`changes` is 3; .* from 0 to 2"),
                ((x, q.codes, q.scales), {"changes": "two"}, TypeError, "^`changes` is 'two'"),
                ((x, q.codes, np.ones(8, np.float32)), {}, ValueError,
                 r"`scales` has 32 bytes; 8 expected; .* \(`scales` has 4 bytes a scale: float32\)"),
                ((x, q.codes, q.scales, "mxfp5"), {}, ValueError, "mxfp4"),
                ((x.astype(np.float64), q.codes, q.scales), {}, TypeError, "`x` has numbers of type"),
                ((x, q.codes, q.scales), {"axis": 2}, ValueError, "^`axis` is 2"),
                ((x, q.codes, q.scales, ""), {}, ValueError, "there is no format ``"),
                ((x, q.codes, q.scales.astype(">u2")), {}, TypeError,
                 "^`scales` has type >u2; expected uint16"),
                ((x, q.codes, q.scales.astype(">f4"), "fp8-1x128"), {}, TypeError,
                 "^`scales` has type >f4; expected float32"),
                ((x, q.codes, q.scales), {"macro_fractions": q.scales.astype(">u2")}, TypeError,
                 "^`macro_fractions` has type >u2; expected uint16")]:
            with self.subTest(sentence), self.assertRaisesRegex(error, sentence):
                mxprism.verify(*arguments, **options)


class product_by_hand_test(unittest.TestCase):
    def test_a_model_and_a_plan_are_named(self):
        a, b = (mxprism.quantize(telling(5, 256, seed=seed)) for seed in (3, 4))
        d = mxprism.gemm(a, b, model="fp32.sequential")
        v = mxprism.verify_gemm(a, b, d)
        self.assertEqual((v.verdict, v.model, v.mismatches), ("exact", None, None))
        self.assertIn("fp32.sequential", v.consistent_models)
        self.assertEqual((v.bound, v.bound_exceeded), (None, 0))
        v = mxprism.verify_gemm(a, b, d, model="fp32.sequential", alpha=2)
        self.assertEqual([c.dimension for c in v.explanation], ["tensor_scale"])
        self.assertEqual((v.model, v.mismatches), ("fp32.sequential", np.count_nonzero(d)))
        self.assertIn("verdict: explained\n", str(v))

    def test_a_rival_is_told_by_what_is_not_in_the_explanation(self):
        def far_apart(seed):
            """Blocks of far exponents, so that the order of a sum shows."""
            exponents = np.random.default_rng(seed).integers(-14, 15, (5, 16)).repeat(32, axis=1)
            return mxprism.quantize(np.ldexp(numbers(5, 512, seed=seed), exponents))
        a, b = far_apart(3), far_apart(4)
        d = mxprism.gemm(a, b, model="fp32.fma", promote=128)
        for model in (None, "exact.rne"):
            v = mxprism.verify_gemm(a, b, d, model=model)
            self.assertEqual([c.dimension for c in v.explanation],
                             ["accumulator", "operation_order"])
            self.assertGreater(len(v.ambiguous), 0)
            for rival in v.ambiguous:
                self.assertNotIn(rival.telling, v.explanation)

    def test_an_empty_name_is_no_model(self):
        a = mxprism.quantize(telling(5, 64))
        d = mxprism.gemm(a, a, model="exact.rne")
        with self.assertRaisesRegex(ValueError, "there is no model ``"):
            mxprism.verify_gemm(a, a, d, model="")

    def test_equal_verdicts_have_one_hash(self):
        a = mxprism.quantize(telling(5, 64))
        d = mxprism.gemm(a, a, model="exact.rne")
        one, other = (mxprism.verify_gemm(a, a, d, model="exact.rne") for _ in range(2))
        self.assertEqual((one, hash(one)), (other, hash(other)))

    def test_bits_of_d_may_be_given(self):
        a = mxprism.quantize(telling(5, 64))
        d = mxprism.gemm(a, a, model="blackwell.mxf4", output="bf16")
        for given, output in ((d, "bf16"), (d.astype(np.uint32), "bf16"),
                              (d.view(ml_dtypes.bfloat16), None)):
            v = mxprism.verify_gemm(a, a, given, model="blackwell.mxf4", output=output)
            self.assertEqual(v.verdict, "exact")
        with self.assertRaisesRegex(TypeError, "`d` has type uint16"):
            mxprism.verify_gemm(a, a, d)
        with self.assertRaisesRegex(TypeError, "`d` has type uint16, and FP32 has 32 bits"):
            mxprism.verify_gemm(a, a, d, output="f32")
        with self.assertRaisesRegex(ValueError, "expected f16, as output says"):
            mxprism.verify_gemm(a, a, d.view(ml_dtypes.bfloat16), output="f16")
        with self.assertRaisesRegex(ValueError, r"`d` has shape \(5, 4\); expected \(5, 5\)"):
            mxprism.verify_gemm(a, a, d[:, :4], output="bf16")

    def test_c_of_fp16_is_taken_by_models_of_fp32_too(self):
        a = numbers(5, 64).astype(ml_dtypes.float8_e4m3fn)
        c = numbers(5, 5, seed=9).astype(np.float16)
        d = mxprism.gemm(a, a, c.astype(np.float32), model="exact.rne", output="f16")
        v = mxprism.verify_gemm(a, a, d, c, model="hopper.wgmma.e4m3.f16")
        self.assertEqual((v.verdict, v.explanation[0].dimension), ("explained", "accumulator"))
        self.assertIn("exact.rne", v.consistent_models)
        v = mxprism.verify_gemm(a, a, d, c.astype(np.float32))
        self.assertEqual(v.verdict, "exact")
        self.assertNotIn("hopper.wgmma.e4m3.f16", {e.model for e in v.excluded})

    def test_models_of_one_arithmetic_are_not_told_apart(self):
        a = numbers(5, 64).astype(np.float16)
        v = mxprism.verify_gemm(a, a, mxprism.gemm(a, a, model="ampere.mma.f16.f32"))
        self.assertTrue({"ampere.mma.f16.f32", "ada.mma.f16.f32"} <= set(v.consistent_models))
        self.assertLess(len(v.tell_apart) + 1, len(v.consistent_models))
        self.assertTrue(all(t.data for t in v.tell_apart))

    def test_codes_of_nan_are_told_from_numbers(self):
        a = mxprism.quantize(telling(5, 64))
        b = mxprism.Quantized.of(a.codes, np.full_like(a.scales, 255), a.shape)
        nan = mxprism.gemm(a, b, model="blackwell.mxf4").view(np.uint32)
        nan[2, 1] ^= 1
        v = mxprism.verify_gemm(a, b, nan.view(np.float32), model="blackwell.mxf4")
        self.assertEqual((v.mismatches, v.nan_code_mismatches), (1, 1))
        own = [one for one in v.excluded if one.model == "blackwell.mxf4"]
        self.assertEqual([(one.row, one.column, one.nan_code_only) for one in own], [(2, 1, True)])

    def test_a_nan_is_beyond_every_bound(self):
        a = mxprism.quantize(telling(5, 64))
        d = mxprism.gemm(a, a, model="blackwell.mxf4")
        d[1, 2] = np.nan
        v = mxprism.verify_gemm(a, a, d, model="blackwell.mxf4")
        self.assertEqual((v.verdict, v.mismatches, v.bound_exceeded), ("unexplained", 1, 1))
        self.assertEqual((v.bound.first.row, v.bound.first.column, v.bound.first.error),
                         (1, 2, ""))
        self.assertEqual(v.bound.first, v.bound.worst)
        own = [one for one in v.excluded if one.model == "blackwell.mxf4"]
        self.assertEqual([(one.row, one.column, one.found) for one in own], [(1, 2, 0x7FC00000)])


@unittest.skipUnless(os.access(PROGRAM, os.X_OK), "the command is not built")
class command_tells_the_same_test(command_case):
    """The package and `mxprism verify` on the same bytes."""

    def write(self, name, arrays, notes=None):
        tensor_files.write_safetensors(self.path(name), {
            key: (DTYPES[array.dtype.name], array.shape, array.tobytes())
            for key, array in arrays.items()}, notes)

    def result(self, *words, status):
        """The JSON object and the text."""
        return (self.run_json("verify", "k.safetensors", *words, status=status),
                self.run_command("verify", "k.safetensors", *words, status=status).stdout)

    def rivals(self, result):
        return [{"dimension": r.telling.dimension, "expected": r.telling.expected,
                 "found": r.telling.found, "changes": [vars(c) for c in r.changes],
                 "probe": r.probe and {"what": r.probe, "block": [
                     f"0x{struct.unpack('<I', struct.pack('<f', v))[0]:08x}"
                     for v in r.probe_block]}} for r in result]

    def first(self, v, digits):
        f = v.first
        if f is not None and f.what == "tensor_scale":
            return {"tensor": "x", "text": f.text, "what": f.what,
                    "expected_bits": f"0x{f.expected_scale:08x}",
                    "found_bits": f"0x{f.found_scale:08x}"}
        if f is None or f.what.removeprefix("residual.") not in ("code", "scale"):
            return f and {"tensor": "x", "text": f.text, "what": f.what}
        code = f.what.endswith("code")
        result = {"tensor": "x", "text": f.text, "what": f.what, "block": f.block,
                "position": f.position, "element": f.element,
                "expected": f.expected_code if code else f.expected_scale,
                "found": f.found_code if code else f.found_scale,
                "expected_code": f.expected_code, "found_code": f.found_code,
                "expected_scale": f.expected_scale, "found_scale": f.found_scale,
                "block_bits": [f"0x{bits:0{digits}x}" for bits in f.block_bits]}
        if f.element is not None:
            result.update(index=list(f.index), input_bits=f"0x{f.value_bits:0{digits}x}")
        return result

    def places(self, mask, **axes):
        """A kind of places in the form of the command's, but for words and lists."""
        result = {"count": int(mask.sum())}
        for name, axis in axes.items() if mask.any() else ():
            result[name] = {key: value for key, value in vars(axis).items()
                            if axis.period > 0 or key not in ("period", "length")}
        return result

    def where(self, w):
        codes = self.places(w.codes, rows=w.code_rows, columns=w.code_columns,
                            positions=w.code_positions)
        return {"tensor": "x", "text": w.text, "blocks": w.blocks,
                "codes": {**codes, "padding": w.padding},
                "scales": self.places(w.scales, rows=w.scale_rows, columns=w.scale_columns)}

    def without_words(self, where):
        for axis in (*where["codes"].values(), *where["scales"].values()):
            if isinstance(axis, dict):
                axis.pop("text"), axis.pop("listed", None)
        return where

    def with_bits_alone(self, result):
        """The command's result without the row and the decimals of a tensor scale."""
        for tensor in result["tensors"]:
            pair = tensor.pop("tensor_scale", tensor.pop("unusable_tensor_scale", None))
            if pair is not None and result["first"]["what"] == "tensor_scale":
                self.assertEqual(pair, {key: result["first"][key] for key in pair})
        for key in ("row", "expected", "found") if "expected_bits" in (result["first"] or ()) else ():
            result["first"].pop(key)
        return result

    def judged(self, x, codes, scales, declared, above=None, **corrections):
        arrays = {"codes": codes, "scales": scales}
        if above is not None:
            arrays["tensor_scale"] = above
        arrays.update((name.replace("residual_", "residual."), array)
                      for name, array in corrections.items() if array is not None)
        self.write("x.safetensors", {"x": x})
        self.write("k.safetensors", arrays)
        v = mxprism.verify(x, codes, scales, tensor_scale=above, **declared, **corrections)
        result, text = self.result("--input", "x.safetensors", *words_of(declared),
                               status=0 if v.verdict == "exact" else 1)
        alone = {} if v.differs_alone is None else {"differs_alone": v.differs_alone}
        ours = {"verdict": v.verdict, "mismatches": v.mismatches, "elements": v.elements,
                "explanation": [vars(c) for c in v.explanation],
                "ambiguous": self.rivals(v.ambiguous), "first": self.first(v, 2 * x.itemsize),
                "tensors": [{"name": "x", "mismatches": v.mismatches, "elements": v.elements,
                             "codes": v.codes, "scales": v.scales,
                             "tensor_scales_agree": v.tensor_scales_agree, **alone}], **alone}
        where = [self.without_words(one) for one in result.pop("places", [])]
        summary = result.pop("where")
        self.assertEqual(summary is None, v.verdict == "exact")
        if v.where is not None:
            self.assertEqual(
                [summary[key] for key in ("pattern", "rows", "columns")],
                [v.where.pattern, *([axis.first, axis.last] for axis in (v.where.rows, v.where.columns))])
        for change in result["explanation"]:
            change.pop("where", None)
        self.assertEqual(ours, self.with_bits_alone(result))
        if v.where is not None and v.where.text.startswith("residual."):  # masks are of the codes
            self.assertEqual((v.where.text, v.where.codes.any()), (where.pop()["text"], False))
        else:
            self.assertEqual([] if v.where is None else [self.where(v.where)], where)
        self.assertEqual(str(v), text)
        return v

    CASES = [
        ({}, {}), ({}, {"scale_rule": "rceil"}), ({}, {"rounding": "toward-zero"}),
        ({}, {"packing": "high-first"}), ({}, {"packing": "unpacked"}), ({}, {"layout": "128x4"}),
        ({"scale_rule": "even"}, {"scale_rule": "even", "axis": 0}), ({}, {"format": "e2m1:e8m0:16"}),
        ({"format": "nvfp4"}, {"format": "nvfp4"}),
        ({"format": "nvfp4"}, {"format": "nvfp4", "rounding": "nearest-away"}),
        ({"format": "mxfp8-e4m3"}, {"format": "mxfp8-e5m2"}), ({"format": "mxint8"}, {}),
        ({"variant": "torchao.rceil"}, {}), ({"axis": 0}, {"axis": 0, "scale_rule": "ceil"}),
        ({"rounding": "stochastic", "seed": 5}, {"rounding": "stochastic", "seed": 5}),
        ({}, {"scale_rule": "rceil", "packing": "high-first"})]

    def test_of_kernels_that_follow_other_rules(self):
        x = telling(64, 128)
        verdicts = set()
        for declared, used in self.CASES:
            with self.subTest(declared=declared, used=used):
                q = mxprism.quantize(x, **used)
                try:
                    v = self.judged(x, q.codes, q.scales, declared, q.tensor_scale)
                except ValueError as refused:
                    self.assertIn(str(refused).split(" ", 1)[1], self.run_command(
                        "verify", "k.safetensors", "--input", "x.safetensors",
                        *words_of(declared), status=2).stderr)
                    continue
                verdicts.add(v.verdict)
        self.assertEqual(verdicts, {"exact", "explained"})

    def test_of_changed_bytes_and_narrow_numbers(self):
        for kind in (np.float16, ml_dtypes.bfloat16, np.float32):
            x = telling(5, 80).astype(kind)
            q = mxprism.quantize(x)
            with self.subTest(kind):
                for array, place, what in ((q.codes, 9, "code"), (q.scales, 7, "scale"),
                                           (q.codes, 47, "code")):
                    array.reshape(-1)[place] ^= 0x21
                    v = self.judged(x, q.codes, q.scales, {})
                    self.assertEqual((v.verdict, v.first.what), ("unexplained", what))
                    array.reshape(-1)[place] ^= 0x21

    def test_of_signs_of_nan_alone(self):
        x = telling(5, 64)
        x[2, 3] = np.nan
        q = mxprism.quantize(x, "mxfp8-e4m3")
        q.codes[2, 3] ^= 0x80
        v = self.judged(x, q.codes, q.scales, {"format": "mxfp8-e4m3"})
        self.assertEqual(v.differs_alone, "nan_signs")

    CORRECTIONS = ("macro_fractions", "residual_codes", "residual_scales",
                   "residual_macro_fractions")

    def test_of_formats_with_corrections_or_two_passes(self):
        x = telling(16, 200)
        for form in ("mxfp4+mbs=128,8", "mxfp4+mbs=64,12+of=0.5", "mxfp8-e4m3+rotate=64",
                     "mxfp4+gain=3/4", "mxfp4+double", "nvfp4+double"):
            for used, verdict in (({}, "exact"), ({"scale_rule": "rceil"}, "explained")):
                if form == "nvfp4+double" and used:
                    continue
                q = mxprism.quantize(x, form, **used)
                with self.subTest(form=form, used=used):
                    v = self.judged(x, q.codes, q.scales, {"format": form}, q.tensor_scale,
                                    **{name: getattr(q, name) for name in self.CORRECTIONS})
                    self.assertEqual(v.verdict, verdict)

    def test_of_every_array_of_corrections(self):
        x, form = telling(16, 200), "mxfp4+mbs=64,8+of=0.5"
        q = mxprism.quantize(x, form)
        arrays = {name: getattr(q, name) for name in self.CORRECTIONS}
        for name, what in (("macro_fractions",) * 2, ("residual_codes", "residual.code"),
                           ("residual_scales", "residual.scale"),
                           ("residual_macro_fractions", "residual.macro_fractions")):
            with self.subTest(name):
                arrays[name].reshape(-1)[3] ^= 1
                v = self.judged(x, q.codes, q.scales, {"format": form}, **arrays)
                self.assertEqual((v.verdict, v.first.what), ("unexplained", what))
                arrays[name].reshape(-1)[3] ^= 1

    def test_of_a_wrong_tensor_scale(self):
        x = telling(4, 64)
        q = mxprism.quantize(x, "nvfp4")
        above = q.tensor_scale * np.float32(1.5)
        v = self.judged(x, q.codes, q.scales, {"format": "nvfp4"}, above)
        self.assertEqual(v.first.what, "tensor_scale")
        self.assertIsNone(v.where)

    def test_of_a_wrong_tensor_scale_of_a_row(self):
        x, form = telling(8, 64), "e2m1:ue4m3:16:row"
        q = mxprism.quantize(x, form)
        above = q.tensor_scale.copy()
        above[5] *= np.float32(1.5)
        v = self.judged(x, q.codes, q.scales, {"format": form}, above.reshape(-1))
        self.assertEqual((v.mismatches, v.where.pattern, str(v.where), v.where.blocks),
                         (64, "row 5", "tensor scale in row 5", 0))
        self.assertFalse(v.where.codes.any() or v.where.scales.any())

    def factor(self, name, q):
        notes = {"format": q.format, "packing": "packed", "block": "32", "axis": "1",
                 "shape": str(list(q.shape))}
        self.write(name, {"codes": q.codes, "scales": q.scales}, notes)

    def code(self, bits, output):
        return f"0x{bits:0{8 if output == 'f32' else 4}X}"

    def product_json(self, v, output):
        def breach(b):
            result = b and {"row": b.row, "column": b.column, "found": self.code(b.found, output)}
            if b and b.error:
                result.update(exact=b.exact, error=b.error, bound=b.bound, times=b.times)
            return result
        return {
            "verdict": v.verdict, "elements": v.elements, "model": v.model,
            "mismatches": v.mismatches, "consistent_models": list(v.consistent_models),
            "evidence": v.evidence, "bound_exceeded": v.bound_exceeded,
            "excluded": [{"model": e.model, "evidence": e.evidence, "row": e.row,
                          "column": e.column, "expected": self.code(e.expected, output),
                          "found": self.code(e.found, output), "nan_code_only": e.nan_code_only}
                         for e in v.excluded],
            "tell_apart": [{"model": t.model, "from": t.from_, "data": list(t.data)}
                           for t in v.tell_apart],
            "explanation": [vars(c) for c in v.explanation],
            "ambiguous": [[vars(c) for c in r.changes] for r in v.ambiguous],
            "bound": v.bound and {
                "class": v.bound.model, "elements": v.bound.elements,
                "exceeded": v.bound.exceeded, "without_bound": v.bound.without_bound,
                "first": breach(v.bound.first), "worst": breach(v.bound.worst)}}

    def without_values(self, result):
        """Values in addition to bits; the package leaves them to the caller."""
        for entry in result["excluded"]:
            del entry["expected_value"], entry["found_value"]
        for which in ("first", "worst"):
            entry = result["bound"] and result["bound"][which]
            if entry:
                del entry["found_value"]
        return result

    def product_judged(self, a, b, d, model=None, c=None, **plan):
        self.factor("a.safetensors", a)
        self.factor("b.safetensors", b)
        self.write("k.safetensors", {"d": d})
        words = ["--gemm", "a.safetensors", "b.safetensors"]
        if model is not None:
            words += ["--model", model]
        if c is not None:
            self.write("c.safetensors", {"c": c})
            words += ["--c", "c.safetensors"]
        v = mxprism.verify_gemm(a, b, d, c, model=model, **plan)
        result, text = self.result(*words, *words_of(plan), status=0 if v.verdict == "exact" else 1)
        output = {"float32": "f32", "float16": "f16", "bfloat16": "bf16"}[d.dtype.name]
        ours = self.product_json(v, output)
        result = self.without_values(result)
        self.assertEqual(ours, {key: result[key] for key in ours})
        self.assertEqual(result.get("nan_code_mismatches"), v.nan_code_mismatches)
        # The first line names the file; long ones are broken for terminals.
        ours, theirs = (lines.split("\n", 1)[1].split() for lines in (str(v), text))
        self.assertEqual(ours, theirs)
        return v

    def test_of_products(self):
        a, b = (mxprism.quantize(telling(lines, 256, seed=lines)) for lines in (5, 7))
        c = numbers(5, 7, seed=9)
        d = mxprism.gemm(a, b, c, model="fp32.sequential")
        self.assertEqual(self.product_judged(a, b, d, "fp32.sequential", c).verdict, "exact")
        self.assertEqual(self.product_judged(a, b, d, c=c).verdict, "exact")
        v = self.product_judged(a, b, d, "blackwell.mxf4", c)
        self.assertEqual(v.explanation[0].dimension, "accumulator")
        v = self.product_judged(a, b, d, "fp32.sequential", c, alpha=0.5)
        self.assertEqual(v.explanation[0].dimension, "tensor_scale")
        d[3, 3] += 1
        self.assertEqual(self.product_judged(a, b, d, "fp32.sequential", c).verdict, "unexplained")
        d[2, 3] = np.inf
        self.assertEqual(self.product_judged(a, b, d, c=c).bound.first.column, 3)

    def test_of_products_in_narrow_types(self):
        a, b = (mxprism.quantize(telling(lines, 64, seed=lines)) for lines in (5, 7))
        c = numbers(5, 7, seed=9)
        for output, kind in (("f16", np.float16), ("bf16", ml_dtypes.bfloat16)):
            d = mxprism.gemm(a, b, c, model="exact.rne", output=output,
                             output_rounding="toward-zero").view(kind)
            v = self.product_judged(a, b, d, "exact.rne", c)
            self.assertEqual(v.verdict, "explained")


if __name__ == "__main__":
    unittest.main()
