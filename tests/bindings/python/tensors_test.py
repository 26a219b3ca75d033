# SPDX-License-Identifier: Apache-2.0
# tests/bindings/python/tensors_test.py: tensors to codes and back in Python, against ml_dtypes, exact
# fractions and the C ABI called by ctypes.

import pickle
import unittest
from fractions import Fraction

from package_case import bits, ml_dtypes, np, numbers

import blocks
import fractions_model as model
import mxprism
import mxprism_library as lib

TYPES = {"mxfp4": (ml_dtypes.float4_e2m1fn, 2, 6.0), "mxfp6-e2m3": (ml_dtypes.float6_e2m3fn, 2, 7.5),
         "mxfp6-e3m2": (ml_dtypes.float6_e3m2fn, 4, 28.0),
         "mxfp8-e4m3": (ml_dtypes.float8_e4m3fn, 8, 448.0),
         "mxfp8-e5m2": (ml_dtypes.float8_e5m2, 15, 57344.0)}


def by_ml_dtypes(x, name):
    """Codes of (..., K) unpacked, and scales, of blocks of 32 along the last axis."""
    dtype, emax, largest = TYPES[name]
    padded = np.zeros((*x.shape[:-1], -(-x.shape[-1] // 32) * 32))
    padded[..., :x.shape[-1]] = x
    parts = padded.reshape(*x.shape[:-1], -1, 32)
    amax = np.abs(parts).max(-1)
    exponent = np.where(amax > 0, np.frexp(amax)[1] - 1 - emax, -127)
    scaled = np.clip(parts / 2.0 ** exponent[..., None], -largest, largest)
    # The codes of zeros beyond the tensor are +0.
    codes = scaled.astype(np.float32).astype(dtype).view(np.uint8).reshape(padded.shape)
    scales = (2.0 ** exponent).astype(ml_dtypes.float8_e8m0fnu).view(np.uint8)
    return codes, scales


class quantize_test(unittest.TestCase):
    def test_codes_and_scales_are_those_of_ml_dtypes(self):
        for name, (dtype, _, _) in TYPES.items():
            for shape in ((32,), (3, 45), (2, 3, 64), (5, 1)):
                with self.subTest(name, shape=shape):
                    x = numbers(*shape)
                    q = mxprism.quantize(x, name, packing="unpacked")
                    codes, scales = by_ml_dtypes(x, name)
                    np.testing.assert_array_equal(q.codes, codes)
                    np.testing.assert_array_equal(q.scales, scales)
                    self.assertEqual((q.codes.dtype, q.scales.dtype), (np.uint8, np.uint8))
                    self.assertEqual((q.format, q.shape, q.axis), (name, shape, len(shape) - 1))
                    values = codes.view(dtype).astype(np.float32)[..., :shape[-1]]
                    factors = scales.view(ml_dtypes.float8_e8m0fnu).astype(np.float32)
                    factors = np.repeat(factors, 32, -1)[..., :shape[-1]]
                    np.testing.assert_array_equal(bits(q.dequantize()), bits(values * factors))

    def test_fp16_and_bf16_are_their_numbers(self):
        for dtype in (np.float16, ml_dtypes.bfloat16):
            x = numbers(4, 64).astype(dtype)
            q = mxprism.quantize(x, packing="unpacked")
            codes, scales = by_ml_dtypes(x.astype(np.float32), "mxfp4")
            np.testing.assert_array_equal(q.codes, codes)
            np.testing.assert_array_equal(q.scales, scales)

    def test_packed_codes_have_the_first_in_the_low_bits(self):
        x = numbers(3, 45)
        codes, _ = by_ml_dtypes(x, "mxfp4")
        low, high = codes[:, ::2], codes[:, 1::2]
        np.testing.assert_array_equal(mxprism.quantize(x).codes, low | high << 4)
        np.testing.assert_array_equal(mxprism.quantize(x, packing="high-first").codes,
                                      high | low << 4)

    def test_dense_codes_are_one_number_of_six_bits_each(self):
        x = numbers(3, 45)
        codes, _ = by_ml_dtypes(x, "mxfp6-e2m3")
        q = mxprism.quantize(x, "mxfp6-e2m3", packing="dense")
        self.assertEqual(q.codes.shape, (3, 48))
        for row, stored in zip(codes, q.codes):
            number = int.from_bytes(stored.tobytes(), "little")
            self.assertEqual([number >> 6 * k & 63 for k in range(64)], row.tolist())
        np.testing.assert_array_equal(q.dequantize(),
                                      mxprism.quantize(x, "mxfp6-e2m3").dequantize())
        self.assertEqual(mxprism.verify(x, q.codes, q.scales, "mxfp6-e2m3").verdict, "exact")
        with self.assertRaisesRegex(ValueError, "is not an operand of a product"):
            mxprism.gemm(q, q, model="fp32.sequential")
        with self.assertRaisesRegex(ValueError, "codes of 6 bits, and these have 4"):
            mxprism.quantize(x, packing="dense")

    def test_block_of_fractions(self):
        x = numbers(32, seed=5)
        for rule in ("floor", "rceil"):
            byte, codes = blocks.quantize([float(v) for v in x], rule)
            q = mxprism.quantize(x, scale_rule=rule, packing="unpacked")
            self.assertEqual((q.scales.tolist(), q.codes.tolist()), ([byte], codes))

    def test_stochastic_rounding_is_that_of_fractions(self):
        x = numbers(32, seed=4)
        byte, codes = model.quantize(
            [float(v) for v in x], "e2m1", model.e8m(0),
            lambda f, amax, _values: model.shared_exponent(f, "floor", amax) + 127,
            mode="stochastic", draw=lambda i: (model.random_bits(77, 12, "ptx", i), 12))
        q = mxprism.quantize(x, rounding="stochastic", seed=77, random_bits=12, packing="unpacked")
        self.assertEqual((q.scales.tolist(), q.codes.tolist()), ([byte], codes))

    def test_another_axis_is_the_transposed_tensor(self):
        x = numbers(45, 6)
        for axis in (0, -2):
            q = mxprism.quantize(x, axis=axis, packing="unpacked")
            other = mxprism.quantize(x.T.copy(), packing="unpacked")
            np.testing.assert_array_equal(q.codes, other.codes.T)
            np.testing.assert_array_equal(q.scales, other.scales.T)
            np.testing.assert_array_equal(q.dequantize(), other.dequantize().T)
            self.assertEqual(q.axis, 0)

    def test_special_blocks_are_counted(self):
        x = np.ones((3, 32), np.float32)
        x[1, 7] = np.inf
        q = mxprism.quantize(x)
        self.assertEqual((q.special_blocks, q.scales[:, 0].tolist()), (1, [125, 255, 125]))

    def test_tensors_without_elements_and_without_axes(self):
        q = mxprism.quantize(np.empty((0, 40), np.float32))
        self.assertEqual((q.codes.shape, q.scales.shape), ((0, 32), (0, 2)))
        self.assertEqual(q.dequantize().shape, (0, 40))
        scalar = mxprism.quantize(np.float32(3))
        self.assertEqual((scalar.shape, scalar.dequantize().shape), ((), ()))
        self.assertEqual(scalar.dequantize(), 3)


class formats_test(unittest.TestCase):
    CASES = [("nvfp4", {}), ("nvfp4", {"layout": "128x4"}), ("fp8-1x128", {}),
             ("e3m2:e8m3:4x8", {}), ("e2m1:ue4m3:16:row", {}), ("mxfp4+mbs=128,8", {}),
             ("mxfp4+mbs=64,12", {}), ("mxfp4+of=0.5", {}), ("mxfp8-e4m3", {"scale_rule": "rceil"}),
             ("mxfp4", {"packing": "split-half", "layout": "128x4"}),
             ("mxfp4", {"variant": "torchao.rceil"}), ("mxfp4+double", {})]

    def by_ctypes(self, name, options, x):
        words = " ".join(f"{key.replace('_', '-')}={value}" for key, value in options.items())
        made = lib.handle("format", name, words)
        arrays, special = lib.quantized(made, x.shape, x.tobytes())
        return arrays, special, bytes(lib.dequantized(made, x.shape, arrays))

    def test_every_array_is_that_of_the_c_abi(self):
        x = numbers(20, 272)
        for name, options in self.CASES:
            with self.subTest(name, **options):
                q = mxprism.quantize(x, name, **options)
                arrays, special, values = self.by_ctypes(name, options, x)
                arrays["tensor_scale"] = arrays.pop("tensor_scales")
                for array, content in arrays.items():
                    ours = getattr(q, array)
                    self.assertEqual(b"" if ours is None else ours.tobytes(), bytes(content), array)
                self.assertEqual((special, q.dequantize().tobytes()), (q.special_blocks, values))
                self.assertEqual(mxprism.fake_quantize(x, name, **options).tobytes(), values)

    def test_shapes_and_types_of_scales(self):
        x = numbers(20, 272)
        for name, kind, shape in [
                ("nvfp4", np.uint8, (20, 17)), ("fp8-1x128", np.float32, (20, 3)),
                ("e3m2:e8m3:4x8", np.uint16, (5, 34)), ("mxfp4+mbs=128,8", np.uint8, (20, 9))]:
            q = mxprism.quantize(x, name)
            self.assertEqual((q.scales.dtype, q.scales.shape), (kind, shape), name)
        self.assertEqual(mxprism.quantize(x, "nvfp4", layout="128x4").scales.shape, (128 * 20,))
        self.assertEqual(mxprism.quantize(x, "e2m1:ue4m3:16:row").tensor_scale.shape, (20,))
        self.assertIsNone(mxprism.quantize(x).tensor_scale)
        self.assertIsNone(mxprism.quantize(x).residual_codes)

    def test_variant_chooses_its_format(self):
        x = numbers(4, 64)
        q = mxprism.quantize(x, variant="torchao.rceil")
        plain = mxprism.quantize(x, scale_rule="rceil")
        self.assertEqual(q.format, "mxfp4")
        np.testing.assert_array_equal(q.codes, plain.codes)

    def test_given_tensor_scale(self):
        above = np.array([2.0], np.float32)
        q = mxprism.quantize(np.array([30.0], np.float32), "nvfp4", tensor_scale=above)
        self.assertEqual((q.scales.tolist(), int(q.codes[0]), q.tensor_scale[0]), ([0x42], 7, 2))
        self.assertEqual(q.dequantize(), 30)
        above[0] = 4  # the tensor has its own copy
        self.assertEqual(q.dequantize(), 30)

    def test_given_tensor_scales_of_no_rows(self):
        nothing, form = np.empty((0, 16), np.float32), "e2m1:ue4m3:16:row"
        q = mxprism.quantize(nothing, form, tensor_scale=np.empty(0, np.float32))
        self.assertEqual((q.shape, q.dequantize().shape), ((0, 16), (0, 16)))
        with self.assertRaisesRegex(ValueError, "`tensor_scale` has 1 numbers; expected 0"):
            mxprism.quantize(nothing, form, tensor_scale=np.ones(1, np.float32))

    def test_arrays_from_elsewhere_are_the_same_tensor(self):
        x = numbers(4, 5, 50)
        q = mxprism.quantize(x, "nvfp4", axis=1)
        other = mxprism.Quantized.of(q.codes, q.scales.reshape(-1), x.shape, "nvfp4", axis=1,
                                     tensor_scale=q.tensor_scale)
        self.assertTrue(np.shares_memory(other.codes, q.codes))
        np.testing.assert_array_equal(mxprism.dequantize(other), mxprism.dequantize(q))
        with self.assertRaisesRegex(ValueError, r"`scales` has shape \(3,\); expected \(4, 1, 50\)"):
            mxprism.Quantized.of(q.codes, q.scales.reshape(-1)[:3], x.shape, "nvfp4", axis=1,
                                 tensor_scale=q.tensor_scale)

    def test_arrays_from_elsewhere_are_copied_unless_they_are_in_c_order(self):
        q = mxprism.quantize(numbers(4, 64), packing="unpacked")
        other = mxprism.Quantized.of(q.codes, np.asfortranarray(q.scales), q.shape, packing="unpacked")
        self.assertTrue(np.shares_memory(other.codes, q.codes))
        self.assertTrue(other.scales.flags.c_contiguous)
        np.testing.assert_array_equal(bits(other.dequantize()), bits(q.dequantize()))

    def test_scales_in_a_layout_are_as_many_as_it_has(self):
        q = mxprism.quantize(numbers(8, 64), layout="128x4")
        again = mxprism.Quantized.of(q.codes, q.scales.reshape(128, 4), q.shape, layout="128x4")
        np.testing.assert_array_equal(bits(again.dequantize()), bits(q.dequantize()))
        with self.assertRaisesRegex(ValueError, r"`scales` has 8 bytes; expected 512, as quantize writes "
                                                r"them in the layout 128x4 for the shape \(8, 64\)"):
            mxprism.Quantized.of(q.codes, q.scales[:8], q.shape, layout="128x4")

    def test_the_tensor_scale_has_one_axis(self):
        q = mxprism.quantize(numbers(4, 64), "nvfp4")
        for above in (q.tensor_scale.reshape(()), q.tensor_scale.reshape(1, 1)):
            other = mxprism.Quantized.of(q.codes, q.scales, q.shape, "nvfp4", tensor_scale=above)
            self.assertEqual(other.tensor_scale.shape, (1,))
            self.assertTrue(np.shares_memory(other.tensor_scale, above))

    def test_tensor_scales_are_as_many_as_the_format_has(self):
        x = numbers(3, 64)
        for form, count in (("nvfp4", 1), ("e2m1:ue4m3:16:row", 3), ("mxfp4", 0)):
            q = mxprism.quantize(x, form)
            for found in {0, 1, 2, 3} - {count}:
                above = np.ones(found, np.float32) if found else None
                sentence = f"`tensor_scale` has {found} numbers; expected {count}, as {form}"
                with self.subTest(sentence), self.assertRaisesRegex(ValueError, sentence):
                    mxprism.Quantized.of(q.codes, q.scales, x.shape, form, tensor_scale=above)
            again = mxprism.Quantized.of(q.codes, q.scales, x.shape, form,
                                         tensor_scale=q.tensor_scale)
            np.testing.assert_array_equal(again.dequantize(), q.dequantize())
        q = mxprism.quantize(x, "nvfp4")
        missing = mxprism.Quantized(q.codes, q.scales, None, "nvfp4", x.shape, 1)
        with self.assertRaisesRegex(ValueError, "^tensor_scale has 0 bytes"):
            missing.dequantize()

    def test_shapes_and_axes_of_existing_codes_are_whole_numbers(self):
        q = mxprism.quantize(numbers(4, 64))
        for shape, axis, error, sentence in (
                ((4, -64), -1, ValueError, "`shape` is -64; expected a whole number from 0"),
                ((4, 64.7), -1, TypeError, "`shape` is 64.7; expected a whole number"),
                ((4, "64"), -1, TypeError, "`shape` is '64'; expected a whole number"),
                (256, -1, TypeError, "`shape` is 256; expected a sequence of whole numbers"),
                ((4, 64), 1.0, TypeError, "`axis` is 1.0; expected a whole number"),
                ((4, 64), None, TypeError, "`axis` is None; expected a whole number"),
                ((4, 64), 2, ValueError, "`axis` is 2; expected a whole number from -2 to 1")):
            with self.subTest(sentence), self.assertRaisesRegex(error, sentence):
                mxprism.Quantized.of(q.codes, q.scales, shape, axis=axis)
        made = mxprism.Quantized.of(q.codes, q.scales, np.array([4, 64]), axis=np.int64(1))
        self.assertEqual((made.shape, made.axis), ((4, 64), 1))

    def test_quantized_survives_pickling(self):
        q = mxprism.quantize(numbers(4, 50), "nvfp4", packing="high-first")
        again = pickle.loads(pickle.dumps(q))
        np.testing.assert_array_equal(again.dequantize(), q.dequantize())

    def test_round_trip_changes_nothing_more(self):
        x = numbers(7, 100)
        for name in TYPES:
            once = mxprism.fake_quantize(x, name)
            np.testing.assert_array_equal(bits(mxprism.fake_quantize(once, name)), bits(once))

    def test_out_is_filled(self):
        x, out = numbers(3, 40), np.zeros((3, 40), np.float32)
        self.assertIs(mxprism.fake_quantize(x, out=out), out)
        np.testing.assert_array_equal(out, mxprism.fake_quantize(x))
        fixed = out.copy()
        fixed.flags.writeable = False
        for wrong in (np.zeros((3, 41), np.float32), np.zeros((3, 40)), out[:, ::-1], fixed):
            with self.assertRaisesRegex(ValueError, "`out`: expected a writable"):
                mxprism.fake_quantize(x, out=wrong)


class decompose_test(unittest.TestCase):
    def test_energies_are_those_of_fractions(self):
        x = np.arange(-16, 16, dtype=np.float32) / 8
        byte, codes = blocks.quantize(x.tolist(), "rceil")
        errors = [Fraction(blocks.dequantize(byte, c)) - Fraction(v)
                  for c, v in zip(codes, x.tolist())]
        e = mxprism.decompose(x, scale_rule="rceil")
        self.assertEqual(Fraction(e.total), sum(v * v for v in errors))
        self.assertEqual(Fraction(e.x_squared), sum(Fraction(v) ** 2 for v in x.tolist()))
        self.assertEqual((e.blocks, e.elements, e.identity_violations), (1, 32, 0))

    def test_every_member_is_that_of_the_c_abi(self):
        x = numbers(8, 96)
        made, energy = lib.handle("format", "mxfp4"), lib.sized(lib.Energy)
        data = bytearray(x.tobytes())
        words = lib.Numbers(lib.buffer_of(data).data, len(data), lib.FP32)
        lib.call("mx_tensor_decompose", made.value, lib.byref(lib.shape_of(x.shape, 0)),
                 lib.byref(words), None, lib.byref(energy))
        e = mxprism.decompose(x, axis=0)
        names = [name for name, _ in lib.Energy._fields_[1:]]
        self.assertEqual({name: getattr(e, name) for name in names},
                         {name: getattr(energy, name) for name in names})
        self.assertGreater(min(e.scale, e.deadzone, e.grid), 0)
        self.assertEqual(e.fractions["grid"], e.grid / e.total)
        self.assertEqual(e.relative, e.total / e.x_squared)

    def test_nothing_has_no_fractions(self):
        e = mxprism.decompose(np.zeros(32, np.float32))
        self.assertTrue(np.isnan(e.fractions["scale"]) and np.isnan(e.relative))


if __name__ == "__main__":
    unittest.main()
