# SPDX-License-Identifier: Apache-2.0
# tests/bindings/python/torch_kind_test.py: torch tensors in and out: by a stand-in for torch, and by
# torch itself where Python has it.

import sys
import types
import unittest

from package_case import bits, ml_dtypes, np, numbers

import mxprism

try:
    import torch
except ImportError:
    torch = None
    print("SKIPPED: torch itself in torch_kind_test.py, because Python has no torch "
          "(./bootstrap --oracles-torch installs it)")


class tensor:
    """Memory of NumPy that may wait for its negation, as torch's views do."""

    def __init__(self, x, negated=False, owner=None):
        self.x, self.negated, self.owner = x, negated, owner

    def is_neg(self):
        return self.negated

    def is_conj(self):
        return False

    def resolve_neg(self):
        return tensor(-self.x)

    def reshape(self, *shape):
        return tensor(self.x.reshape(*shape), owner=self)

    def view(self, kind):
        return tensor(self.x.view(kind), owner=self)

    def __dlpack__(self, **options):
        return self.x.__dlpack__(**options)

    def __dlpack_device__(self):
        return self.x.__dlpack_device__()


def stand_in():
    module = types.ModuleType("torch")
    module.Tensor, module.bfloat16 = tensor, ml_dtypes.bfloat16
    module.from_dlpack = lambda x: tensor(np.from_dlpack(x), owner=x)
    return module


class stand_in_test(unittest.TestCase):
    def setUp(self):
        self.before = sys.modules.get("torch")
        sys.modules["torch"] = stand_in()

    def tearDown(self):
        del sys.modules["torch"]
        if self.before is not None:
            sys.modules["torch"] = self.before

    def test_a_negation_that_waits_is_read(self):
        x = numbers(4, 64)
        want, q = mxprism.fake_quantize(-x), mxprism.quantize(-x)
        given = tensor(x, negated=True)
        np.testing.assert_array_equal(bits(mxprism.fake_quantize(given).x), bits(want))
        self.assertEqual(mxprism.verify(given, q.codes, q.scales).verdict, "exact")
        np.testing.assert_array_equal(
            bits(mxprism.dot(given, given, model="exact.rne").x),
            bits(mxprism.dot(x, x, model="exact.rne")))

    def test_results_are_of_the_kind_of_the_input(self):
        x = numbers(4, 64)
        want = mxprism.quantize(x, "nvfp4")
        q = mxprism.quantize(tensor(x), "nvfp4")
        for name in ("codes", "scales", "tensor_scale"):
            self.assertIsInstance(getattr(q, name), tensor)
            np.testing.assert_array_equal(getattr(q, name).x, getattr(want, name))
        self.assertIsInstance(mxprism.dequantize(q), tensor)
        np.testing.assert_array_equal(q.dequantize().x, want.dequantize())
        d = mxprism.gemm(q, q, model="blackwell.mxf4nvf4")
        self.assertIsInstance(d, tensor)
        np.testing.assert_array_equal(d.x, mxprism.gemm(want, want, model="blackwell.mxf4nvf4"))
        again = mxprism.Quantized.of(q.codes, q.scales, (4, 64), "nvfp4",
                                     tensor_scale=q.tensor_scale)
        for name in ("codes", "scales", "tensor_scale"):
            self.assertIsInstance(getattr(again, name), tensor)
            self.assertTrue(np.shares_memory(getattr(again, name).x, getattr(q, name).x))
        self.assertIsInstance(again.dequantize(), tensor)
        self.assertIsInstance(mxprism.fake_quantize(x), np.ndarray)

    def test_results_share_memory(self):
        q = mxprism.quantize(tensor(numbers(4, 64)))
        self.assertIsInstance(q.codes.owner, np.ndarray)
        self.assertTrue(np.shares_memory(q.codes.x, q.codes.owner))

    def test_brain_floats_come_as_such(self):
        x = numbers(4, 64).astype(ml_dtypes.bfloat16)
        q = mxprism.quantize(x)
        words = mxprism.gemm(q, q, model="exact.rne", output="bf16")
        theirs = mxprism.Quantized.of(tensor(q.codes), tensor(q.scales), (4, 64))
        d = mxprism.gemm(theirs, theirs, model="exact.rne", output="bf16")
        self.assertEqual((words.dtype, d.x.dtype), (np.uint16, ml_dtypes.bfloat16))
        np.testing.assert_array_equal(bits(d.x), words)

    def test_scales_of_16_bits_are_no_numbers(self):
        q = mxprism.quantize(tensor(numbers(4, 64)), "e2m1:e8m4:32")
        self.assertEqual(q.scales.x.dtype, np.uint16)

    def test_out_is_filled(self):
        x = numbers(4, 64)
        out = tensor(np.zeros((4, 64), np.float32))
        self.assertIs(mxprism.fake_quantize(tensor(x), out=out), out)
        np.testing.assert_array_equal(bits(out.x), bits(mxprism.fake_quantize(x)))
        with self.assertRaisesRegex(ValueError, r"`out`: its is_neg\(\) .*as its resolve_neg\(\) returns"):
            mxprism.fake_quantize(x, out=tensor(np.zeros((4, 64), np.float32), negated=True))
        with self.assertRaisesRegex(ValueError, "`out`: expected a writable C-contiguous aligned "):
            mxprism.fake_quantize(x, out=tensor(np.zeros((64, 4), np.float32)))
        frozen = np.zeros((4, 64), np.float32)
        frozen.flags.writeable = False
        with self.assertRaisesRegex(ValueError, "`out`"):
            mxprism.fake_quantize(x, out=tensor(frozen))


@unittest.skipIf(torch is None, "torch is missing")
class torch_test(unittest.TestCase):
    def test_views_that_wait_for_a_negation_are_read_as_they_count(self):
        pairs = torch.from_numpy(numbers(4, 64, 2)).view(4, 128)
        turned = torch.view_as_complex(pairs.view(4, 64, 2)).conj().imag
        self.assertTrue(turned.is_neg())
        want = mxprism.fake_quantize(turned.resolve_neg().numpy())
        np.testing.assert_array_equal(bits(mxprism.fake_quantize(turned).numpy()), bits(want))

    def test_results_are_tensors(self):
        x = numbers(4, 64)
        q, want = mxprism.quantize(torch.from_numpy(x)), mxprism.quantize(x)
        for name in ("codes", "scales"):
            self.assertIsInstance(getattr(q, name), torch.Tensor)
            np.testing.assert_array_equal(getattr(q, name).numpy(), getattr(want, name))
        self.assertEqual(mxprism.gemm(q, q, model="exact.rne", output="bf16").dtype, torch.bfloat16)
        out = torch.zeros(4, 64)
        self.assertIs(q.dequantize(out), out)
        np.testing.assert_array_equal(out.numpy(), want.dequantize())
        with self.assertRaisesRegex(TypeError, "such as 'mxfp8-e4m3'"):
            mxprism.quantize(x, torch.float8_e4m3fn)

    def test_tensors_from_elsewhere_stay_tensors(self):
        q = mxprism.quantize(torch.from_numpy(numbers(4, 64)), "nvfp4")
        again = mxprism.Quantized.of(q.codes, q.scales.reshape(-1), (4, 64), "nvfp4",
                                     tensor_scale=q.tensor_scale)
        for name in ("codes", "scales", "tensor_scale"):
            self.assertEqual(getattr(again, name).data_ptr(), getattr(q, name).data_ptr())
        self.assertTrue(torch.equal(again.dequantize(), q.dequantize()))
        turned = q.scales.T.contiguous().T
        again = mxprism.Quantized.of(q.codes, turned, (4, 64), "nvfp4", tensor_scale=q.tensor_scale)
        self.assertTrue(torch.equal(again.dequantize(), q.dequantize()))


if __name__ == "__main__":
    unittest.main()
