# SPDX-License-Identifier: Apache-2.0
# tests/bindings/python/device_test.py: CUDA tensors through the package, with a torch and a
# libmxprism_cuda that have no device: the bits of CPU tensors, on torch's current stream.
"""MX_FAKE_CUDA is the library of fake_cuda.c."""

import contextlib
import ctypes
import dataclasses
import os
import subprocess
import sys
import types
import unittest

from package_case import np, numbers

import mxprism

CURRENT_STREAM = 0x70
os.environ["MXPRISM_CUDA_LIBRARY"] = os.environ["MX_FAKE_CUDA"]


def marked(capsule, index=0, major=1, flags=0):
    """A capsule of the host's memory as one of a CUDA device's. In dlpack.h a versioned tensor begins
    with its version, two pointers and its flags."""
    for kind, head in ((b"dltensor_versioned", 32), (b"dltensor", 0)):
        if IS_CAPSULE(capsule, kind):
            address = ADDRESS_IN(capsule, kind)
            (ctypes.c_int32 * 2).from_address(address + head + 8)[:] = 2, index
            if head:
                ctypes.c_uint32.from_address(address).value = major
                ctypes.c_uint64.from_address(address + 24).value |= flags
    return capsule


IS_CAPSULE, ADDRESS_IN = ctypes.pythonapi.PyCapsule_IsValid, ctypes.pythonapi.PyCapsule_GetPointer
IS_CAPSULE.argtypes = ADDRESS_IN.argtypes = [ctypes.py_object, ctypes.c_char_p]
ADDRESS_IN.restype = ctypes.c_void_p
READ_ONLY, COPIED = 1, 2


class exporter:
    """Memory of the host that pretends to be a CUDA device's."""

    def __init__(self, x, index=0, **marks):
        self.x, self.index, self.marks, self.streams = x, index, marks, []

    @property
    def device(self):
        return f"cuda:{self.index}"

    def __dlpack_device__(self):
        return 2, self.index

    def __dlpack__(self, *, stream=None, max_version=None, dl_device=None, copy=None):
        self.streams.append(stream)
        return marked(self.x.__dlpack__(max_version=max_version), self.index, **self.marks)


class old_exporter(exporter):
    """Of a version without max_version."""

    def __dlpack__(self, *, stream=None):
        return super().__dlpack__(stream=stream)


class tensor(exporter):
    """torch.Tensor of the fake torch, whose negation may be pending."""

    def __init__(self, x, index=0, negated=False, **marks):
        super().__init__(x, index, **marks)
        self.negated = negated

    def is_neg(self):
        return self.negated

    def resolve_neg(self):
        return tensor(-self.x)

    def cpu(self):
        return self.x.copy()

    def __dlpack__(self, **options):
        if fake.current != self.device:
            raise BufferError("Can't export tensors on a different CUDA device index. Expected: "
                              f"{self.device}. Current device: {fake.current}.")
        return super().__dlpack__(**options)


@contextlib.contextmanager
def current(device):
    before, fake.current = fake.current, device
    fake.devices.append(device)
    try:
        yield
    finally:
        fake.current = before


def empty(shape, dtype, device):
    return tensor(np.zeros(shape, dtype), int(device.removeprefix("cuda:")))


fake = types.SimpleNamespace(
    Tensor=tensor, empty=empty, devices=[], current="cuda:1", uint8=np.uint8, float32=np.float32, float16=np.float16,
    cuda=types.SimpleNamespace(
        device=current,
        current_stream=lambda device: types.SimpleNamespace(cuda_stream=CURRENT_STREAM)))


def last_stream():
    library = ctypes.CDLL(os.environ["MX_FAKE_CUDA"])
    library.fake_stream.restype = ctypes.c_uint64
    return library.fake_stream()


class device_test(unittest.TestCase):
    def setUp(self):
        sys.modules["torch"] = fake
        self.addCleanup(sys.modules.pop, "torch")

    def test_tensors_have_the_bits_of_the_cpu_on_torchs_stream(self):
        x = numbers(3, 5, 96)
        for format, options in (("mxfp4", {"scale_rule": "rceil"}), ("mxfp8-e4m3", {}),
                                ("fp8-1x128", {}), ("mxint8", {})):
            with self.subTest(format=format):
                given = tensor(x)
                want, found = (mxprism.quantize(one, format, **options) for one in (x, given))
                self.assertEqual((given.streams, last_stream()), ([CURRENT_STREAM], CURRENT_STREAM))
                self.assertEqual(fake.devices[-1], "cuda:0")
                self.assertIsInstance(found.codes, tensor)
                np.testing.assert_array_equal(found.codes.x, want.codes)
                np.testing.assert_array_equal(found.scales.x, want.scales)
                self.assertEqual((found.shape, found.special_blocks), (want.shape, -1))
                np.testing.assert_array_equal(found.dequantize().x, want.dequantize())
        fake_quantized = mxprism.fake_quantize(tensor(x), "mxfp4")
        np.testing.assert_array_equal(fake_quantized.x, mxprism.fake_quantize(x, "mxfp4"))

    def test_halves_and_layouts_and_given_tensor_scales(self):
        x = numbers(130, 160).astype(np.float16)
        want = mxprism.quantize(x, layout="128x4")
        found = mxprism.quantize(tensor(x), layout="128x4")
        np.testing.assert_array_equal(found.scales.x, want.scales)
        above = np.array([2.0 ** -6], np.float32)
        want = mxprism.quantize(x, "nvfp4", tensor_scale=above)
        found = mxprism.quantize(tensor(x), "nvfp4", tensor_scale=tensor(above))
        np.testing.assert_array_equal(found.codes.x, want.codes)
        np.testing.assert_array_equal(found.dequantize().x, want.dequantize())

    def test_energies_are_those_of_the_cpu(self):
        x = numbers(70, 96)
        self.assertEqual(mxprism.decompose(tensor(x), "mxfp4"), mxprism.decompose(x, "mxfp4"))
        self.assertEqual(last_stream(), CURRENT_STREAM)

    def test_products_are_those_of_the_cpu(self):
        a, b, c = numbers(5, 96), numbers(3, 96, seed=2), numbers(5, 3, seed=3)
        of_cpu = [mxprism.quantize(one) for one in (a, b)]
        on_device = [mxprism.quantize(tensor(one)) for one in (a, b)]
        want = mxprism.gemm(*of_cpu, c, model="blackwell.mxf4")
        found = mxprism.gemm(*on_device, tensor(c), model="blackwell.mxf4")
        np.testing.assert_array_equal(found.x, want)
        self.assertEqual(last_stream(), CURRENT_STREAM)
        out = tensor(np.zeros((5, 3), np.float32))
        self.assertIs(mxprism.gemm(*on_device, model="blackwell.mxf4", alpha=0.5, out=out), out)
        np.testing.assert_array_equal(out.x, mxprism.gemm(*of_cpu, model="blackwell.mxf4", alpha=0.5))
        with self.assertRaisesRegex(TypeError, "`b`: expected Quantized with two axes, or three"):
            mxprism.gemm(on_device[0], tensor(b), model="blackwell.mxf4")
        with self.assertRaisesRegex(ValueError, "`b` is not on a CUDA device"):
            mxprism.gemm(on_device[0], of_cpu[1], model="blackwell.mxf4")

    def test_rows_may_have_gaps(self):
        wide = numbers(3, 5, 130)
        x = wide[:, :, 2:98]
        want, found = mxprism.quantize(x), mxprism.quantize(tensor(x))
        np.testing.assert_array_equal(found.codes.x, want.codes)
        np.testing.assert_array_equal(found.scales.x, want.scales)
        self.assertEqual(mxprism.decompose(tensor(x)), mxprism.decompose(x))
        out = np.full(wide.shape, 7, np.float32)
        mxprism.dequantize(found, out=tensor(out[:, :, 2:98]))
        np.testing.assert_array_equal(out[:, :, 2:98], want.dequantize())
        self.assertTrue((out[:, :, :2] == 7).all() and (out[:, :, 98:] == 7).all())
        one_of_each = wide[:, :1, :96]  # at equal distances, of five rows
        found = mxprism.quantize(tensor(one_of_each))
        np.testing.assert_array_equal(found.codes.x, mxprism.quantize(one_of_each).codes)

    def test_rows_at_unequal_distances_are_refused(self):
        wide = numbers(3, 5, 64)
        for x in (wide[:, :4], wide[:, :, ::2], wide.swapaxes(1, 2), wide.swapaxes(0, 1),
                  np.lib.stride_tricks.as_strided(wide, wide.shape, (1280, 0, 4))):
            with self.assertRaisesRegex(ValueError, "`x` is on a device and not contiguous"):
                mxprism.quantize(tensor(x))
        with self.assertRaisesRegex(ValueError, "`out: codes` is on a device and not contiguous"):
            out = np.zeros((3, 5, 64), np.uint8)[:, :, :32], np.zeros((3, 5, 2), np.uint8)
            mxprism.quantize(tensor(wide), out=tuple(map(tensor, out)))

    def test_batches_are_as_many_products(self):
        a, b, c = numbers(4, 5, 96), numbers(4, 3, 96, seed=2), numbers(4, 5, 3, seed=3)
        want = np.stack([mxprism.gemm(mxprism.quantize(a[i]), mxprism.quantize(b[i]), c[i],
                                      model="blackwell.mxf4") for i in range(4)])
        on_device = [mxprism.quantize(tensor(one)) for one in (a, b)]
        found = mxprism.gemm(*on_device, tensor(c), model="blackwell.mxf4")
        np.testing.assert_array_equal(found.x, want)
        # One B for all, and results beside each other in rows.
        rows = np.full((5, 4, 8), 7, np.float32)
        shared = mxprism.quantize(tensor(b[0]))
        mxprism.gemm(on_device[0], shared, model="blackwell.mxf4",
                     out=tensor(rows.swapaxes(0, 1)[:, :, 2:5]))
        for i in range(4):
            want = mxprism.gemm(mxprism.quantize(a[i]), mxprism.quantize(b[0]),
                                model="blackwell.mxf4")
            np.testing.assert_array_equal(rows[:, i, 2:5], want)
        self.assertTrue((rows[:, :, :2] == 7).all() and (rows[:, :, 5:] == 7).all())
        with self.assertRaisesRegex(ValueError, r"\(4, 5, 96\) and b \(2, 3, 96\); expected as many"):
            mxprism.gemm(on_device[0], mxprism.quantize(tensor(b[:2])), model="blackwell.mxf4")

    def test_groups_are_as_many_products_of_any_sizes(self):
        sizes = ((5, 3, 96), (1, 7, 32), (0, 4, 64), (6, 2, 128))
        a = [numbers(m, k, seed=i) for i, (m, _, k) in enumerate(sizes)]
        b = [numbers(n, k, seed=9 + i) for i, (_, n, k) in enumerate(sizes)]
        c = [numbers(m, n, seed=20 + i) for i, (m, n, _) in enumerate(sizes)]
        of_cpu = [[mxprism.quantize(x) for x in side] for side in (a, b)]
        on_device = [[mxprism.quantize(tensor(x)) for x in side] for side in (a, b)]
        options = {"model": "blackwell.mxf4", "alpha": 0.5}
        for addends in (None, c):
            want = [mxprism.gemm(x, y, None if addends is None else c[i], **options)
                    for i, (x, y) in enumerate(zip(*of_cpu))]
            on_cpu = mxprism.gemm_grouped(*of_cpu, addends, **options)
            found = mxprism.gemm_grouped(
                *on_device, None if addends is None else [tensor(x) for x in c], **options)
            self.assertEqual(last_stream(), CURRENT_STREAM)
            self.assertEqual((len(on_cpu), len(found)), (4, 4))
            for expected, one, other in zip(want, on_cpu, found):
                np.testing.assert_array_equal(one, expected)
                np.testing.assert_array_equal(other.x, expected)
        self.assertEqual(mxprism.gemm_grouped([], [], model="blackwell.mxf4"), [])

    def test_groups_that_no_plan_serves_are_refused(self):
        a, b = (mxprism.quantize(tensor(numbers(4, 64, seed=i))) for i in range(2))
        for one, other, c, message in (
                ([a], [b, b], None, "a has 1 factors, b 2; expected as many"),
                ([a], [b], [], "a has 1 factors, b 1 and c 0 matrices; expected as many"),
                ([a, a], [b, mxprism.quantize(tensor(numbers(4, 96)))], None, "K of 64 and b of 96"),
                ([a, mxprism.quantize(tensor(numbers(4, 64)), "mxfp8-e4m3")], [b, b], None,
                 r"`a\[1\]` differs from a\[0\] in its format or tensor scale"),
                ([a], [mxprism.quantize(tensor(numbers(2, 4, 64)))], None, "expected two axes"),
                ([a], [b], [tensor(numbers(4, 9)[:, 2:6])], r"`c\[0\]` is on a device and has gaps")):
            with self.assertRaisesRegex(ValueError, message):
                mxprism.gemm_grouped(one, other, c, model="blackwell.mxf4")

    def test_lines_of_codes_and_addends_may_have_gaps(self):
        a, b, c = numbers(5, 128), numbers(3, 96, seed=2), numbers(5, 9, seed=3)[:, 4:7]
        whole, of_b = mxprism.quantize(tensor(a)), mxprism.quantize(tensor(b))
        part = mxprism.Quantized(tensor(whole.codes.x[:, :48]), tensor(whole.scales.x[:, :3].copy()),
                                 None, whole.format, (5, 96), 1)
        found = mxprism.gemm(part, of_b, tensor(c), model="blackwell.mxf4")
        want = mxprism.gemm(mxprism.quantize(a[:, :96]), mxprism.quantize(b), c,
                            model="blackwell.mxf4")
        np.testing.assert_array_equal(found.x, want)
        with self.assertRaisesRegex(ValueError, "`a`: the scales of a matrix have gaps"):
            gaps = mxprism.Quantized(part.codes, tensor(whole.scales.x[:, :3]), None, whole.format,
                                     (5, 96), 1)
            mxprism.gemm(gaps, of_b, model="blackwell.mxf4")

    def test_tensor_scales_of_factors_are_as_many_as_their_format_has(self):
        x, above = numbers(4, 64), np.ones(1, np.float32)
        right = mxprism.quantize(tensor(x), "nvfp4", tensor_scale=tensor(above))
        plain = mxprism.quantize(tensor(x))
        for one, scales, sentence in (
                (right, None, "`tensor_scale of b` has 0 numbers; expected 1, as nvfp4"),
                (right, tensor(np.ones(2, np.float32)), "has 2 numbers; expected 1"),
                (plain, tensor(above), "`tensor_scale of b` has 1 numbers; expected 0, as mxfp4")):
            wrong = dataclasses.replace(one, tensor_scale=scales)
            with self.assertRaisesRegex(ValueError, sentence):
                mxprism.gemm(one, wrong, model="exact.rne")

    def test_capsules_that_were_taken_are_refused(self):
        given, x = tensor(numbers(4, 64)), numbers(4, 64)
        taken = x.__dlpack__()
        np.from_dlpack(types.SimpleNamespace(__dlpack__=lambda **_options: taken,
                                             __dlpack_device__=lambda: (1, 0)))
        for capsule in (taken, None):
            given.__dlpack__ = lambda *, stream: capsule
            with self.assertRaisesRegex(ValueError, "`x`: its __dlpack__ gave .*; expected a "
                                                    "capsule of memory on a CUDA device"):
                mxprism.quantize(given)

    def test_capsules_of_the_host_are_refused(self):
        given, x = tensor(numbers(4, 64)), numbers(4, 64)
        for version in (None, (1, 1)):
            given.__dlpack__ = lambda *, stream, max_version: x.__dlpack__(max_version=version)
            with self.assertRaisesRegex(ValueError, "`x`: its __dlpack__ gave .*; expected a "
                                                    "capsule of memory on a CUDA device"):
                mxprism.quantize(given)

    def test_every_version_of_dlpack_but_later_ones_is_read(self):
        x = numbers(4, 64)
        want = mxprism.quantize(x)
        out = np.zeros((4, 32), np.uint8), np.zeros((4, 2), np.uint8)
        for kind in (exporter, old_exporter):
            mxprism.quantize(kind(x), out=tuple(map(kind, out)))
            np.testing.assert_array_equal(out[0], want.codes)
            np.testing.assert_array_equal(out[1], want.scales)
            out[0][:] = out[1][:] = 0
        with self.assertRaisesRegex(ValueError, "`x` comes by DLPack 2.[0-9]+; expected version 1"):
            mxprism.quantize(tensor(x, major=2))

    def test_memory_that_takes_no_results_is_read_only(self):
        x = numbers(4, 64)
        want = mxprism.quantize(x)
        for flags in (READ_ONLY, COPIED):
            found = mxprism.quantize(tensor(x, flags=flags))
            np.testing.assert_array_equal(found.codes.x, want.codes)
            values = np.zeros((4, 64), np.float32)
            with self.assertRaisesRegex(ValueError, "`out`: what it exports may only be read, or is "
                                                    "a copy; expected memory for results"):
                found.dequantize(tensor(values, flags=flags))
            self.assertFalse(values.any())

    def test_tensors_of_a_call_are_on_one_device(self):
        x, above = numbers(4, 64), np.ones(1, np.float32)
        codes, scales = np.zeros((4, 32), np.uint8), np.zeros((4, 2), np.uint8)
        here, there = (mxprism.quantize(tensor(x, index)) for index in (0, 1))
        self.assertEqual(fake.devices[-1], "cuda:1")
        c, d = np.zeros((4, 4), np.float32), np.zeros((4, 64), np.float32)
        for name, call in {
                "tensor_scale": lambda: mxprism.quantize(tensor(x), "nvfp4",
                                                         tensor_scale=tensor(above, 1)),
                "out: scales": lambda: mxprism.quantize(tensor(x),
                                                        out=(tensor(codes), tensor(scales, 1))),
                "scales": lambda: dataclasses.replace(here, scales=there.scales).dequantize(),
                "b": lambda: mxprism.gemm(here, there, model="blackwell.mxf4"),
                "c": lambda: mxprism.gemm(here, here, tensor(c, 1), model="blackwell.mxf4"),
                r"b\[1\]": lambda: mxprism.gemm_grouped([here, here], [here, there],
                                                        model="blackwell.mxf4"),
                "out": lambda: here.dequantize(tensor(d, 1))}.items():
            with self.assertRaisesRegex(ValueError, f"^`{name}` is on CUDA device 1, and another "
                                                    "tensor of this call on 0; expected all on one"):
                call()
        np.testing.assert_array_equal(mxprism.gemm(there, there, model="blackwell.mxf4").x,
                                      mxprism.gemm(here, here, model="blackwell.mxf4").x)

    def test_tensors_of_other_packages_are_made_ready_on_torchs_stream(self):
        x = numbers(4, 64)
        q = mxprism.quantize(tensor(x))
        c, d = (exporter(np.zeros((4, 4), np.float32)) for _ in range(2))
        mxprism.gemm(q, q, c, model="blackwell.mxf4", out=d)
        self.assertEqual((c.streams, d.streams), ([CURRENT_STREAM], [CURRENT_STREAM]))
        out = exporter(np.zeros((4, 32), np.uint8)), exporter(np.zeros((4, 2), np.uint8))
        mxprism.quantize(tensor(x), out=out)
        self.assertEqual([one.streams for one in out], [[CURRENT_STREAM]] * 2)
        # Torch's tensors on the stream of another package's first one.
        first, out = exporter(x), (tensor(out[0].x), tensor(out[1].x))
        mxprism.quantize(first, out=out)
        self.assertEqual([one.streams for one in (first, *out)], [[1]] * 3)
        self.assertEqual(last_stream(), 0)

    def test_pending_negations_are_read_and_no_memory_for_results(self):
        x, c = numbers(4, 64), numbers(4, 4, seed=3)
        found, want = mxprism.quantize(tensor(-x, negated=True)), mxprism.quantize(x)
        np.testing.assert_array_equal(found.codes.x, want.codes)
        product = mxprism.gemm(found, found, tensor(-c, negated=True), model="blackwell.mxf4")
        np.testing.assert_array_equal(product.x, mxprism.gemm(want, want, c, model="blackwell.mxf4"))
        with self.assertRaisesRegex(ValueError, r"`out`: its is_neg\(\) .*as its resolve_neg\(\) returns"):
            mxprism.dequantize(found, out=tensor(np.zeros((4, 64), np.float32), negated=True))

    def test_tensors_of_other_packages_need_memory_for_results(self):
        x = numbers(4, 64)
        want = mxprism.quantize(x)
        out = exporter(np.zeros((4, 32), np.uint8)), exporter(np.zeros((4, 2), np.uint8))
        given = exporter(x)
        found = mxprism.quantize(given, out=out)
        self.assertIs(found.codes, out[0])
        self.assertEqual((given.streams, last_stream()), ([1], 0))  # the default stream
        np.testing.assert_array_equal(out[0].x, want.codes)
        np.testing.assert_array_equal(out[1].x, want.scales)
        with self.assertRaisesRegex(TypeError, "allocated by torch.*give `out`"):
            mxprism.quantize(given)
        with self.assertRaisesRegex(ValueError, r"`out: codes`: expected .* uint8 .* \(4, 32\)"):
            mxprism.quantize(given, out=out[::-1])

    def test_what_devices_lack_is_refused(self):
        x = numbers(64, 64)
        with self.assertRaisesRegex(ValueError, "`x` is on a device and not contiguous"):
            mxprism.quantize(tensor(x.T))
        with self.assertRaisesRegex(TypeError, "`x` has numbers of type uint8"):
            mxprism.quantize(tensor(x.view(np.uint8)))
        with self.assertRaisesRegex(ValueError, "`axis` is 2"):
            mxprism.quantize(tensor(x), axis=2)
        with self.assertRaisesRegex(ValueError, "unknown|mxfp5"):
            mxprism.quantize(tensor(x), "mxfp5")
        with self.assertRaisesRegex(ValueError, "^tensor_scale: each is a positive finite number"):
            mxprism.quantize(tensor(x), "nvfp4", tensor_scale=tensor(np.zeros(1, np.float32)))

    def test_missing_parts_are_named(self):
        self.assertIsNone(mxprism.cuda_missing_part())
        os.environ["MX_FAKE_MISSING"] = "there is no CUDA driver"
        self.addCleanup(os.environ.pop, "MX_FAKE_MISSING")
        self.assertEqual(mxprism.cuda_missing_part(), "there is no CUDA driver")
        with self.assertRaisesRegex(RuntimeError, "^there is no CUDA driver$"):
            mxprism.quantize(tensor(numbers(2, 32)))

    def test_without_the_library_its_name_is_given(self):
        done = subprocess.run(
            [sys.executable, "-B", "-c", "import mxprism; print(mxprism.cuda_missing_part())"],
            capture_output=True, encoding="utf-8", check=True,
            env={**os.environ, "MXPRISM_CUDA_LIBRARY": "/absent/libmxprism_cuda.so.1"})
        self.assertRegex(done.stdout, "^CUDA tensors need libmxprism_cuda, which a build with "
                                      "-DMX_CUDA=ON installs; .*: /absent/")


if __name__ == "__main__":
    unittest.main()
