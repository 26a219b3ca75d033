# SPDX-License-Identifier: Apache-2.0
# tests/bindings/python/exchange_test.py: ownership and lifetime of the memory that the Python
# package reads and writes, DLPack in and out, and refusals.

import ctypes
import dataclasses
import gc
import sys
import tracemalloc
import unittest
import weakref

from package_case import bits, ml_dtypes, np, numbers

import mxprism
from mxprism import _array
from mxprism._typing import RuleOptions


class tensor(ctypes.Structure):
    """DLManagedTensor of dlpack.h."""

    _fields_ = [("data", ctypes.c_void_p), ("device", ctypes.c_int32 * 2), ("ndim", ctypes.c_int32),
                ("code", ctypes.c_uint8), ("bits", ctypes.c_uint8), ("lanes", ctypes.c_uint16),
                ("shape", ctypes.c_void_p), ("strides", ctypes.c_void_p),
                ("byte_offset", ctypes.c_uint64), ("context", ctypes.c_void_p),
                ("deleter", ctypes.c_void_p)]


DELETER = ctypes.CFUNCTYPE(None, ctypes.c_void_p)
CAPSULE_OF = ctypes.pythonapi.PyCapsule_New
CAPSULE_OF.restype = ctypes.py_object
CAPSULE_OF.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
FLOAT, BFLOAT = 2, 4


class foreign:
    """A tensor of another package, of DLPack 0; it counts calls of its deleter."""

    def __init__(self, x, code, size, device=(1, 0), lanes=1):
        self.x, self.on, self.given_back = x, device, 0
        self.shape = (ctypes.c_int64 * x.ndim)(*x.shape)
        self.strides = (ctypes.c_int64 * x.ndim)(*(s // x.itemsize for s in x.strides))
        self.deleter = DELETER(self._back)
        self.held = tensor(x.ctypes.data, device, x.ndim, code, size, lanes,
                           ctypes.addressof(self.shape), ctypes.addressof(self.strides), 0, None,
                           ctypes.cast(self.deleter, ctypes.c_void_p).value)

    def _back(self, _tensor):
        self.given_back += 1

    def __dlpack__(self):
        return CAPSULE_OF(ctypes.addressof(self.held), b"dltensor", None)

    def __dlpack_device__(self):
        return self.on


class versioned(ctypes.Structure):
    """DLManagedTensorVersioned of dlpack.h, its members before the tensor."""

    _fields_ = [("major", ctypes.c_uint32), ("minor", ctypes.c_uint32),
                ("context", ctypes.c_void_p), ("deleter", ctypes.c_void_p),
                ("flags", ctypes.c_uint64), ("held", tensor)]


class gives:
    """An exporter of a capsule, or of what is none."""

    def __init__(self, capsule):
        self.capsule = capsule

    def __dlpack__(self, **_options):
        return self.capsule

    def __dlpack_device__(self):
        return 1, 0


class exporter:
    """Exports the same as NumPy."""

    def __init__(self, x):
        self.x = x

    def __dlpack__(self, **options):
        return self.x.__dlpack__(**options)

    def __dlpack_device__(self):
        return self.x.__dlpack_device__()


class old_exporter(exporter):
    """Of a version without max_version, which refuses memory that may only be read."""

    def __dlpack__(self):
        if not self.x.flags.writeable:
            raise BufferError("cannot export a readonly array")
        return self.x.__dlpack__()


def unaligned(x):
    """The same numbers in dense memory between the addresses of their type."""
    space = np.zeros(x.nbytes + 1, np.uint8)
    made = space[1:].view(x.dtype).reshape(x.shape)
    made[...] = x
    return made


class input_test(unittest.TestCase):
    def test_contiguous_memory_is_not_copied(self):
        x = numbers(3, 40)
        for given in (x, exporter(x), foreign(x, FLOAT, 32)):
            self.assertTrue(np.shares_memory(_array.numbers(given, "x")[0], x))
        brain = x.astype(ml_dtypes.bfloat16)
        self.assertTrue(np.shares_memory(_array.numbers(brain, "x")[0], brain))

    def test_quantizing_needs_no_memory_but_for_the_results(self):
        x = numbers(512, 4096)
        tracemalloc.start()
        q = mxprism.quantize(x)
        _, most = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        self.assertLess(most, q.codes.nbytes + q.scales.nbytes + 100_000)

    def test_other_orders_are_copied_and_give_the_same(self):
        x = numbers(6, 80)
        wide = numbers(12, 160)
        for some in (x.T, x[::2], x[:, ::-1], wide[3:5, 7:90], np.asfortranarray(x),
                     np.broadcast_to(x[0], (4, 80))):
            want = mxprism.fake_quantize(some.copy(order="C"))
            for given in (some, exporter(some)):
                np.testing.assert_array_equal(bits(mxprism.fake_quantize(given)), bits(want))

    def test_unaligned_memory_is_copied_and_gives_the_same(self):
        x, y = numbers(6, 80), numbers(6, 80, seed=2)
        half = x.astype(np.float16)
        c = numbers(6, 6, seed=3)
        for array in (x, half, c):
            self.assertFalse(unaligned(array).flags.aligned)
        np.testing.assert_array_equal(mxprism.fake_quantize(unaligned(x)), mxprism.fake_quantize(x))
        for a, b in ((x, y), (half, half)):
            want = mxprism.gemm(a, b, c, model="exact.rne")
            found = mxprism.gemm(unaligned(a), unaligned(b), unaligned(c), model="exact.rne")
            np.testing.assert_array_equal(bits(found), bits(want))
            want = mxprism.dot(a, b, c[0], model="exact.rne")
            found = mxprism.dot(unaligned(a), unaligned(b), unaligned(c[0]), model="exact.rne")
            np.testing.assert_array_equal(bits(found), bits(want))
        d = unaligned(mxprism.gemm(x, y, model="exact.rne"))
        self.assertEqual(mxprism.verify_gemm(unaligned(x), y, d, model="exact.rne").verdict, "exact")

    def test_exporters_without_versions_are_taken_or_refused_by_name(self):
        x = numbers(4, 64)
        np.testing.assert_array_equal(mxprism.fake_quantize(old_exporter(x)),
                                      mxprism.fake_quantize(x))
        x.flags.writeable = False
        with self.assertRaisesRegex(ValueError, "`x`: cannot export a readonly array"):
            mxprism.quantize(old_exporter(x))

    def test_read_only_arrays_are_taken(self):
        x = numbers(4, 64)
        want = mxprism.fake_quantize(x)
        x.flags.writeable = False
        for given in (x, exporter(x)):
            np.testing.assert_array_equal(mxprism.fake_quantize(given), want)
        q = mxprism.quantize(x)
        q.codes.flags.writeable = q.scales.flags.writeable = False
        np.testing.assert_array_equal(q.dequantize(), want)

    def test_tensors_of_bfloat16_come_by_dlpack(self):
        x = numbers(4, 64).astype(ml_dtypes.bfloat16)
        theirs = foreign(x, BFLOAT, 16)
        np.testing.assert_array_equal(mxprism.fake_quantize(theirs), mxprism.fake_quantize(x))
        np.testing.assert_array_equal(mxprism.dot(theirs, theirs, model="exact.rne"),
                                      mxprism.dot(x, x, model="exact.rne"))
        gc.collect()
        self.assertEqual(theirs.given_back, 3)

    def test_tensors_of_narrow_floats_come_by_dlpack(self):
        x = numbers(4, 64)
        for name, code in (("float8_e4m3fn", 10), ("float8_e4m3fnuz", 11), ("float8_e5m2", 12),
                           ("float8_e5m2fnuz", 13), ("float8_e8m0fnu", 14)):
            array, kind = _array.typed(foreign(x.view(np.uint8), code, 8), "x")
            self.assertEqual((kind, array.dtype, array.shape), (name, np.uint8, (4, 256)))
        for name, code in (("float8_e4m3fn", 10), ("float8_e5m2fnuz", 13)):
            eights = x.astype(getattr(ml_dtypes, name))
            np.testing.assert_array_equal(
                mxprism.dot(foreign(eights.view(np.uint8), code, 8), eights, model="exact.rne"),
                mxprism.dot(eights, eights, model="exact.rne"))

    def test_two_codes_a_byte_come_by_dlpack(self):
        q = mxprism.quantize(numbers(5, 96))
        pairs = foreign(q.codes, 17, 4, lanes=2)
        d = mxprism.gemm(pairs, q, scale_a=q.scales, model="blackwell.mxf4")
        np.testing.assert_array_equal(bits(d), bits(mxprism.gemm(q, q, model="blackwell.mxf4")))
        self.assertEqual(mxprism.verify(numbers(5, 96), pairs, q.scales).verdict, "exact")
        with self.assertRaisesRegex(TypeError, "float4_e2m1fn_x2 holds two"):
            mxprism.dot(pairs, pairs, model="exact.rne")
        with self.assertRaisesRegex(TypeError, "DLPack type 17 of 4 bits, 4 lanes"):
            _array.typed(foreign(q.codes.view(np.uint16), 17, 4, lanes=4), "x")

    def test_scales_in_numbers_are_called_by_their_own_type(self):
        x, numbers_of_scales = numbers(5, 96), np.ones((5, 3), np.float32)
        for given in (numbers_of_scales, exporter(numbers_of_scales)):
            with self.assertRaisesRegex(ValueError, "`scales` has 4 bytes a scale: float32"):
                mxprism.verify(x, mxprism.quantize(x).codes, given)

    def test_foreign_tensors_are_kept_while_they_are_seen(self):
        theirs = foreign(numbers(4, 64), FLOAT, 32)
        array, _ = _array.numbers(theirs, "x")
        view = array[1:]
        del array
        gc.collect()
        self.assertEqual(theirs.given_back, 0)
        del view
        gc.collect()
        self.assertEqual(theirs.given_back, 1)

    def test_torch_tensors(self):
        try:
            import torch
        except ImportError:
            print("SKIPPED: torch tensors of bindings_python_package, because Python has no torch "
                  "(./bootstrap --oracles-torch installs it)")
            self.skipTest("torch is missing")
        x = numbers(4, 64)
        want = mxprism.quantize(x)
        for given in (torch.from_numpy(x), torch.from_numpy(x.T.copy()).T):
            np.testing.assert_array_equal(mxprism.quantize(given).codes, want.codes)
        brain = torch.from_numpy(x).bfloat16()
        np.testing.assert_array_equal(mxprism.fake_quantize(brain),
                                      mxprism.fake_quantize(x.astype(ml_dtypes.bfloat16)))
        back = torch.from_dlpack(want.codes)
        self.assertEqual(back.data_ptr(), want.codes.ctypes.data)
        with self.assertRaisesRegex(ValueError, "`x`: .*detach"):
            mxprism.quantize(torch.zeros(32, requires_grad=True))

    def test_torch_tensors_of_narrow_floats(self):
        try:
            import torch
        except ImportError:
            self.skipTest("torch is missing")
        x = numbers(4, 64)
        eight, four = mxprism.quantize(x, "mxfp8-e4m3"), mxprism.quantize(x, "mxfp4")
        for q, kind, form in ((eight, torch.float8_e4m3fn, "mxfp8-e4m3"),
                              (four, torch.float4_e2m1fn_x2, "mxfp4")):
            codes = torch.from_numpy(q.codes).view(kind)
            scales = torch.from_numpy(q.scales).view(torch.float8_e8m0fnu)
            self.assertEqual(mxprism.verify(torch.from_numpy(x), codes, scales, form).verdict,
                             "exact")
            d = mxprism.gemm(codes, codes, model="exact.rne", scale_a=scales, scale_b=scales,
                             scale_format="e8m0", block=32)
            np.testing.assert_array_equal(d, mxprism.gemm(q, q, model="exact.rne"))
            v = mxprism.verify_gemm(codes, codes, d, model="exact.rne",
                                    scale_a=scales, scale_b=scales, scale_format="e8m0", block=32)
            self.assertEqual(v.verdict, "exact")


class lifetime_test(unittest.TestCase):
    def test_arrays_outlive_what_made_them(self):
        q = mxprism.quantize(numbers(64, 64), "nvfp4")
        codes, scales, above = q.codes, q.scales, q.tensor_scale
        copies = codes.copy(), scales.copy(), above.copy()
        gone = weakref.ref(q)
        del q
        gc.collect()
        self.assertIsNone(gone())
        for array, copy in zip((codes, scales, above), copies):
            np.testing.assert_array_equal(array, copy)

    def test_results_are_exported_by_dlpack_without_a_copy(self):
        q = mxprism.quantize(numbers(4, 64))
        for array in (q.codes, q.scales, q.dequantize()):
            self.assertTrue(np.shares_memory(np.from_dlpack(array), array))

    def test_no_call_keeps_or_loses_a_reference(self):
        x, c = numbers(8, 64), np.zeros((8, 8), np.float32)
        q = mxprism.quantize(x)

        def calls():
            mxprism.fake_quantize(x, out=out)
            mxprism.decompose(x)
            mxprism.dot(x, x, model="exact.rne")
            mxprism.gemm(q, q, c, model="exact.rne")
            for wrong in ({"format": "mxfp5"}, {"scale_rule": "up"}, {"axis": 2}):
                with self.assertRaises(ValueError):
                    mxprism.quantize(x, **wrong)

        out = np.empty((8, 64), np.float32)
        calls()
        kept = [x, c, out, q, q.codes, q.scales]
        before = [sys.getrefcount(one) for one in kept]
        for _ in range(20):
            calls()
        gc.collect()
        self.assertEqual([sys.getrefcount(one) for one in kept], before)


class refused_test(unittest.TestCase):
    def test_sentences_of_the_library_come_as_value_errors(self):
        x = numbers(4, 64)
        for options, sentence in [
                ({"format": "mxfp5"}, "mxfp4"), ({"scale_rule": "foor"}, "did you mean `floor`"),
                ({"layout": "127x4"}, "128x4"), ({"seed": -1}, "whole number"),
                ({"format": "fp8-1x128", "layout": "128x4"}, "linear"),
                ({"variant": "torchao.rceil", "rounding": "stochastic"}, "torchao.rceil has its own"),
                ({"format": "e2m1:exact:32"}, "an exact scale"),
                ({"axis": 2}, "`axis` is 2; .* from -2 to 1"), ({"axis": -3}, "`axis` is -3"), ({"axis": 2**70}, "from -2 to 1"),
                ({"scale_rule": "floor seed=3"}, "one word"),
                ({"scale_rule": "rceil\0"}, "NUL"), ({"format": "mxfp4\0+double"}, "NUL"),
                ({"variant": "torchao.rceil\0"}, "NUL"),
                ({"tensor_scale": np.ones(1, np.float32)}, "the format has no tensor scale")]:
            with self.subTest(**options), self.assertRaisesRegex(ValueError, sentence):
                mxprism.quantize(x, **options)
        for above, sentence in (([1, 1], "`tensor_scale` has 2 numbers; expected 1"),
                                ([0], "^tensor_scale: each is a positive")):
            with self.assertRaisesRegex(ValueError, sentence):
                mxprism.quantize(x, "nvfp4", tensor_scale=np.array(above, np.float32))
        for axis in (1.0, None, "last"):
            with self.assertRaisesRegex(TypeError, f"^`axis` is {axis!r}; expected a whole number"):
                mxprism.quantize(x, axis=axis)
            with self.assertRaisesRegex(TypeError, "^`axis` is"):
                mxprism.decompose(x, axis=axis)
        with self.assertRaisesRegex(ValueError, "no single quantizer"):
            mxprism.decompose(x, "mxfp4+mbs=128,8")

    def test_errors_have_the_names_of_parameters(self):
        x = numbers(4, 64)
        too_many = "^byte_map: a byte map orders at most 8 random bits an element, and random_bits is 12;"
        for options, sentence in [
                *(({name: ""}, f"^{name} has no value; expected {name}=VALUE$")
                  for name in set(RuleOptions.__annotations__) - {"axis", "tensor_scale"}),
                ({"random_bits": 30}, "^random_bits=30: expected a whole number from 1 to 24"),
                ({"random_bits": 12, "byte_map": "ptx"}, too_many),
                ({"variant": "torchao.rceil", "scale_rule": "floor"},
                 "leave scale_rule, rounding, seed, random_bits and byte_map out$"),
                ({"tensor_scale": np.ones(1, np.float32)}, "^tensor_scale: the format has no"),
                # The caller's own word.
                ({"scale_rule": "scale-rule"}, "^there is no scale rule `scale-rule`;")]:
            with self.subTest(**options), self.assertRaisesRegex(ValueError, sentence):
                mxprism.quantize(x, **options)
        with self.assertRaisesRegex(ValueError, too_many):
            mxprism.explain([1.0], random_bits=12, byte_map="ptx")
        q = mxprism.quantize(x)
        with self.assertRaisesRegex(ValueError, "^macro_fractions is empty; the declared format has 4 bytes"):
            mxprism.verify(x, q.codes, q.scales, "mxfp4+mbs=64,8")

    def test_other_types_are_type_errors(self):
        x = numbers(4, 64)
        for wrong, sentence in [
                (x.astype(np.float64), "`x` has numbers of type float64; .*: convert to float32"),
                (mxprism.quantize(x).codes, "`x` has type uint8, as codes and scales have"),
                (x.astype(">f4"), ">f4"), (x.astype(np.int32), "int32"), (x.tolist(), "a list"),
                (None, "a NoneType"), (exporter(x.astype(np.float64)), "float64; .* convert to float32"),
                (exporter(x.astype(np.int64)), "int64; .* convert to float32"),
                (exporter(x.astype(np.complex128)), "`x`: DLPack type 5 of 128 bits"),
                (x.astype(ml_dtypes.float8_e4m3fn), "float8_e4m3fn")]:
            with self.assertRaisesRegex(TypeError, sentence):
                mxprism.quantize(wrong)

    def test_types_of_elements_are_no_formats(self):
        for wrong, meant in ((ml_dtypes.float8_e4m3fn, "mxfp8-e4m3"), (np.float32, "mxfp4"),
                             (np.dtype(ml_dtypes.float8_e5m2), "mxfp8-e5m2"), (4, "mxfp4")):
            with self.assertRaisesRegex(TypeError, f"`format` is .*; expected .*such as '{meant}'"):
                mxprism.quantize(numbers(4, 64), wrong)
        with self.assertRaisesRegex(TypeError, "`scale_rule` is 1.5; expected a name"):
            mxprism.quantize(numbers(4, 64), scale_rule=1.5)

    def test_out_is_the_memory_asked_for(self):
        x = numbers(4, 64)
        want = mxprism.quantize(x)
        for out in (np.empty((4, 63), np.float32), np.empty((4, 64), np.float64), [1.0],
                    np.empty((64, 4), np.float32).T, exporter(np.empty((4, 64), np.float64))):
            with self.assertRaisesRegex(ValueError, "`out`: expected a writable C-contiguous"):
                want.dequantize(out)
        with self.assertRaisesRegex(ValueError, "`out`: expected a writable C-contiguous aligned"):
            want.dequantize(unaligned(np.zeros((4, 64), np.float32)))
        codes, scales = np.zeros((4, 32), np.uint8), np.zeros((4, 2), np.uint8)
        q = mxprism.quantize(x, out=(codes, exporter(scales)))
        self.assertIs(q.codes, codes)
        np.testing.assert_array_equal(codes, want.codes)
        np.testing.assert_array_equal(scales, want.scales)
        with self.assertRaisesRegex(ValueError, r"`out: scales`: .* uint8 array of shape \(4, 2\)"):
            mxprism.quantize(x, out=(codes, codes))
        with self.assertRaisesRegex(TypeError, r"`out` is a ndarray; expected \(codes, scales\)"):
            mxprism.quantize(x, out=codes)

    def test_scales_between_the_addresses_of_their_type_are_not_filled(self):
        x = numbers(4, 160)
        for form in ("fp8-1x128", "e2m1:e8m3:32"):
            want = mxprism.quantize(x, form)
            for wrap in (lambda array: array, exporter):
                codes, scales = np.zeros_like(want.codes), unaligned(np.zeros_like(want.scales))
                with self.assertRaisesRegex(ValueError, "`out: scales`: expected .* aligned"):
                    mxprism.quantize(x, form, out=(codes, wrap(scales)))
                self.assertFalse(codes.any())
        q = mxprism.quantize(x)
        with self.assertRaisesRegex(ValueError, "`out`: expected a writable C-contiguous aligned"):
            mxprism.gemm(q, q, model="exact.rne", out=unaligned(np.zeros((4, 4), np.float32)))

    def test_arrays_of_other_classes_are_filled_unless_masked(self):
        q = mxprism.quantize(numbers(4, 64))
        for call, shape in ((q.dequantize, (4, 64)),
                            (lambda out: mxprism.gemm(q, q, model="exact.rne", out=out), (4, 4))):
            want = call(np.zeros(shape, np.float32))
            for kind in (np.matrix, np.ma.MaskedArray):
                out = np.zeros(shape, np.float32).view(kind)
                self.assertIs(call(out), out)
                np.testing.assert_array_equal(bits(np.asarray(out)), bits(want))
            masked = np.ma.array(np.zeros(shape, np.float32), mask=np.eye(*shape))
            with self.assertRaisesRegex(ValueError, "`out` has masked entries"):
                call(masked)
            self.assertFalse(masked.data.any())
            none = np.ma.array(np.zeros(shape, np.float32), mask=np.zeros(shape))
            np.testing.assert_array_equal(np.asarray(call(none)), want)

    def test_scales_of_the_other_byte_order_are_refused(self):
        x = numbers(4, 256)
        for form, name, kind in (("fp8-1x128", "scales", "float32"),
                                 ("e2m1:e8m3:32", "scales", "uint16"),
                                 ("mxfp4+mbs=64,12", "macro_fractions", "uint16")):
            q = mxprism.quantize(x, form)
            array = getattr(q, name).reshape(-1).view(kind)
            turned = array.astype(array.dtype.newbyteorder())
            sentence = f"`{name}` has type {turned.dtype.str}; expected {kind}"
            with self.subTest(form), self.assertRaisesRegex(TypeError, sentence):
                dataclasses.replace(q, **{name: turned}).dequantize()
            arrays = {"scales": q.scales, "macro_fractions": q.macro_fractions, name: turned}
            with self.subTest(form), self.assertRaisesRegex(TypeError, sentence):
                mxprism.verify(x, q.codes, format=form, **arrays)

    def test_out_overlaps_nothing(self):
        x = numbers(4, 64)
        space = np.zeros(1024, np.uint8)
        codes, scales = space[:128].reshape(4, 32), space[128:136].reshape(4, 2)
        want = mxprism.quantize(x)
        mxprism.quantize(x, out=(codes, scales))  # side by side
        np.testing.assert_array_equal(scales, want.scales)
        inside = x.view(np.uint8).reshape(-1)
        for out, sentence in (
                ((codes, space[120:128].reshape(4, 2)), "`out: scales` overlaps `out: codes`"),
                ((inside[:128].reshape(4, 32), scales), "`out: codes` overlaps `x`"),
                ((codes, inside[-8:].reshape(4, 2)), "`out: scales` overlaps `x`"),
                ((codes, exporter(codes.reshape(-1)[:8].reshape(4, 2))), "overlaps `out: codes`")):
            before = space.copy(), x.copy()
            with self.assertRaisesRegex(ValueError, sentence):
                mxprism.quantize(x, out=out)
            np.testing.assert_array_equal(space, before[0])
            np.testing.assert_array_equal(x, before[1])
        every_other = numbers(4, 128)[:, ::2]  # read from a copy
        mxprism.quantize(every_other, out=(every_other.base.view(np.uint8).reshape(-1)[:128].reshape(4, 32),
                                           scales))

    def test_results_overlap_nothing_that_is_read(self):
        x = numbers(4, 32)
        q = mxprism.quantize(x, "mxfp8-e4m3")
        space = np.zeros(4 * 32 * 4, np.uint8)
        space[:128] = q.codes.reshape(-1)
        inside = mxprism.Quantized.of(space[:128], q.scales, x.shape, "mxfp8-e4m3")
        with self.assertRaisesRegex(ValueError, "`out` overlaps `codes`; expected memory of its own"):
            inside.dequantize(space.view(np.float32).reshape(4, 32))
        np.testing.assert_array_equal(space[:128].reshape(4, 32), q.codes)
        square = numbers(32, 32)
        a = mxprism.quantize(square, "mxfp8-e4m3")
        for name, scales in (("a", None), ("scales of b", np.full((32, 1), 127, np.uint8))):
            d = np.zeros((32, 32), np.float32)
            codes = d.view(np.uint8).reshape(-1)[:1024].reshape(32, 32)
            factors = dict(a=codes, b=a.codes, scale_a=a.scales, scale_b=a.scales)
            if scales is not None:
                scales = d.view(np.uint8).reshape(-1)[:32].reshape(32, 1)
                factors = dict(a=a.codes, b=a.codes, scale_a=a.scales, scale_b=scales)
            with self.assertRaisesRegex(ValueError, f"`out` overlaps `{name}`"):
                mxprism.gemm(**factors, model="exact.rne", a_format="e4m3", b_format="e4m3",
                             scale_format="e8m0", block=32, out=d)
        c = numbers(32, 32)
        want = mxprism.gemm(a, a, c, model="exact.rne")
        self.assertIs(mxprism.gemm(a, a, c, model="exact.rne", out=c), c)  # added in place
        np.testing.assert_array_equal(bits(c), bits(want))

    def test_pinned_memory_is_memory_of_the_host(self):
        x = numbers(4, 64)
        want = mxprism.quantize(x)
        for kind in (3, 11):  # kDLCUDAHost, kDLROCMHost
            pinned = foreign(x, FLOAT, 32, device=(kind, 0))
            self.assertTrue(np.shares_memory(_array.numbers(pinned, "x")[0], x))
            np.testing.assert_array_equal(mxprism.quantize(pinned).codes, want.codes)
            self.assertIs(_array.on_cpu(pinned), pinned)
            values = np.zeros((4, 64), np.float32)
            want.dequantize(foreign(values, FLOAT, 32, device=(kind, 0)))
            np.testing.assert_array_equal(values, want.dequantize())

    def test_tensors_of_other_devices_are_refused(self):
        x = numbers(4, 64)
        with self.assertRaisesRegex(ValueError, "`x` is on a device .*4.*; move it to the CPU first"):
            mxprism.quantize(foreign(x, FLOAT, 32, device=(4, 0)))
        q = mxprism.quantize(x)
        with self.assertRaisesRegex(ValueError, "`x` is on a device .*2.*; move it to the CPU first"):
            mxprism.verify(foreign(x, FLOAT, 32, device=(2, 0)), q.codes, q.scales)

    def test_capsules_that_hold_no_tensor_are_refused(self):
        x = numbers(4, 64)
        q, taken = mxprism.quantize(x), gives(x.__dlpack__())
        np.testing.assert_array_equal(mxprism.quantize(taken).codes, q.codes)
        elsewhere = gives(foreign(x, FLOAT, 32, device=(2, 0)).__dlpack__())
        for wrong in (taken, elsewhere, gives(None)):
            with self.assertRaisesRegex(ValueError, "`x`: its __dlpack__ gave .*; expected a "
                                                    "capsule of memory on the CPU"):
                mxprism.quantize(wrong)
            with self.assertRaisesRegex(ValueError, "`out`: expected a writable"):
                q.dequantize(wrong)

    def test_capsules_of_a_later_dlpack_are_refused(self):
        x = numbers(4, 64)
        theirs, want = foreign(x, FLOAT, 32), mxprism.quantize(x)
        for major in (1, 2):
            made = versioned(major, 0, None, None, 0, theirs.held)
            given = gives(CAPSULE_OF(ctypes.addressof(made), b"dltensor_versioned", None))
            if major == 1:
                np.testing.assert_array_equal(mxprism.quantize(given).codes, want.codes)
                continue
            with self.assertRaisesRegex(ValueError, "`x` comes by DLPack 2.0; expected version 1"):
                mxprism.quantize(given)
            with self.assertRaisesRegex(ValueError, "`out` comes by DLPack 2.0"):
                mxprism.fake_quantize(x, out=given)

    def test_memory_that_takes_no_results_is_refused(self):
        values, q = np.zeros((4, 64), np.float32), mxprism.quantize(numbers(4, 64))
        theirs = foreign(values, FLOAT, 32)
        for flags in (1, 2):  # may only be read; is a copy
            made = versioned(1, 1, None, None, flags, theirs.held)
            capsule = CAPSULE_OF(ctypes.addressof(made), b"dltensor_versioned", None)
            with self.assertRaisesRegex(ValueError, "`out`: expected a writable"):
                q.dequantize(gives(capsule))
            self.assertFalse(values.any())

    def test_memory_that_there_is_not(self):
        # 2^50 elements that share one number.
        huge = np.lib.stride_tricks.as_strided(np.zeros(1, np.float32), (1 << 50,), (0,))
        with self.assertRaises(MemoryError):
            mxprism.quantize(huge)


if __name__ == "__main__":
    unittest.main()
