# SPDX-License-Identifier: Apache-2.0
# tests/bindings/python/testing_test.py: assertions on a kernel's output fail with the whole report,
# also as pytest prints it.

import os
import subprocess
import sys
import tempfile
import unittest

from package_case import np, numbers

import mxprism
from mxprism import testing

TEST_OF_A_KERNEL = """
import numpy as np

import mxprism
from mxprism.testing import assert_bits_equal

x = np.arange(4096, dtype=np.float32).reshape(16, 256)


def test_kernel():
    q = mxprism.quantize(x, scale_rule="ceil", packing="high-first")
    assert_bits_equal(q.codes, q.scales, x, format="mxfp4", scale_rule="floor")
"""

TEST_WITH_FIXTURES = """
import mxprism
from mxprism.testing import assert_bits_equal


def kernel(x):
    q = mxprism.quantize(x, variant="torchao.rceil")
    return q.codes, q.scales


def test_ties(mx_pack):
    assert mx_pack("ties") is mx_pack("ties")
    for case in mx_pack("ties").cases():
        case.x[:] = 0
    for case in mx_pack("ties").cases("mxfp4"):
        q = mxprism.quantize(case.x, scale_rule=case.scale_rule)
        assert_bits_equal(q.codes, q.scales, case.x, format="mxfp4", scale_rule=case.scale_rule)


def test_variant(mx_probe):
    card = mx_probe("mxfp4").identify(kernel)
    assert card.presets == ("torchao.rceil",), card


def test_shapes(mx_probe):
    made = mx_probe("mxfp4", shape=[128, 128])
    assert made is mx_probe(format="mxfp4", shape=(128, 128)) and made.x.shape == (128, 128)
    made.x[:] = 0
    assert mx_probe("mxfp4", shape=[128, 128]).x.any()
    assert mx_probe() is mx_probe("mxfp4")
    try:
        mx_probe(shape=[1.5, 2])
    except TypeError as error:
        assert "`shape` is 1.5; expected a whole number" in str(error)
"""


class assertion_test(unittest.TestCase):
    x = numbers(8, 64)

    def test_equal_bits_pass_and_return_the_verdict(self):
        q = mxprism.quantize(self.x, "nvfp4", layout="128x4")
        v = testing.assert_bits_equal(q.codes, q.scales, self.x, format="nvfp4", layout="128x4",
                                      tensor_scale=q.tensor_scale)
        self.assertEqual(v.verdict, "exact")
        q = mxprism.quantize(self.x, variant="torchao.rceil")
        testing.assert_bits_equal(q.codes, q.scales, self.x, variant="torchao.rceil")

    def test_one_wrong_bit_fails_with_the_report(self):
        q = mxprism.quantize(self.x)
        q.codes[3, 4] ^= 1
        with self.assertRaises(AssertionError) as failed:
            testing.assert_bits_equal(q.codes, q.scales, self.x, format="mxfp4")
        head, report = str(failed.exception).split("\n", 1)
        self.assertEqual(head, "codes and scales are not those of format=mxfp4")
        self.assertEqual(report, str(mxprism.verify(self.x, q.codes, q.scales, "mxfp4")))
        self.assertIn("verdict: unexplained\n", report)

    def test_other_rules_fail_though_they_explain_every_byte(self):
        q = mxprism.quantize(self.x, scale_rule="ceil")
        with self.assertRaisesRegex(AssertionError, "because scale_rule: expected floor, found ceil"):
            testing.assert_bits_equal(q.codes, q.scales, self.x)

    def test_products_pass_and_fail(self):
        a, b = mxprism.quantize(self.x), mxprism.quantize(numbers(4, 64, seed=2))
        d = mxprism.gemm(a, b, model="blackwell.mxf4")
        testing.assert_product_bits_equal(d, a, b, model="blackwell.mxf4")
        testing.assert_product_bits_equal(d, a, b)
        d[0, 0] = np.nextafter(d[0, 0], np.float32(9e9))
        with self.assertRaises(AssertionError) as failed:
            testing.assert_product_bits_equal(d, a, b, model="blackwell.mxf4")
        self.assertTrue(str(failed.exception).startswith(
            "the product is not that of model=blackwell.mxf4\n"))
        self.assertIn("verdict: unexplained\n", str(failed.exception))


    def test_every_option_that_was_declared_is_named(self):
        a = mxprism.quantize(self.x, packing="unpacked")
        b = mxprism.quantize(numbers(4, 64, seed=2))
        d = mxprism.gemm(a, b, model="exact.rne")
        for given, options, named in (
                (a, {"alpha": 0.5, "promote": np.int64(32), "output": None},
                 "alpha=0.5, promote=32"),
                (a.codes, {"scale_a": a.scales, "a_format": "e2m1", "alpha": np.float32(2)},
                 r"scale_a=an array of shape \(8, 2\), a_format=e2m1, alpha=2.0")):
            sentence = f"^the product is not that of model=exact.rne, {named}\n"
            with self.assertRaisesRegex(AssertionError, sentence):
                testing.assert_product_bits_equal(d, given, b, model="exact.rne", **options)
        q = mxprism.quantize(self.x, "nvfp4")
        named = r"format=nvfp4, axis=-1, tensor_scale=\[3.0\]\n"
        with self.assertRaisesRegex(AssertionError, named):
            testing.assert_bits_equal(q.codes, q.scales, self.x, format="nvfp4", axis=np.int64(-1),
                                      tensor_scale=np.array([3], np.float32))


class pytest_test(unittest.TestCase):
    def run_pytest(self, text):
        """What pytest prints of a test file, and its exit status."""
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "test_kernel.py")
            with open(path, "w", encoding="utf-8") as file:
                file.write(text)
            done = subprocess.run(
                [sys.executable, "-B", "-m", "pytest", "-q", "-p", "no:cacheprovider",
                 "-p", "mxprism.pytest_plugin", path],
                capture_output=True, encoding="utf-8", check=False, cwd=folder,
                env=dict(os.environ, PYTEST_DISABLE_PLUGIN_AUTOLOAD="1"))
        return done.stdout + done.stderr, done.returncode

    def setUp(self):
        done = subprocess.run([sys.executable, "-c", "import pytest"], capture_output=True,
                              check=False)
        if done.returncode != 0:
            print("SKIPPED: pytest in testing_test.py, because Python has no pytest "
                  "(./bootstrap --oracles installs it)")
            self.skipTest("pytest is missing")

    def test_fixtures_come_with_the_plugin(self):
        shown, status = self.run_pytest(TEST_WITH_FIXTURES)
        self.assertEqual(status, 0, shown)
        self.assertIn("3 passed", shown)

    def test_pytest_prints_the_whole_report(self):
        shown, status = self.run_pytest(TEST_OF_A_KERNEL)
        self.assertEqual(status, 1, shown)
        x = np.arange(4096, dtype=np.float32).reshape(16, 256)
        q = mxprism.quantize(x, scale_rule="ceil", packing="high-first")
        for line in str(mxprism.verify(x, q.codes, q.scales, scale_rule="floor")).splitlines():
            self.assertIn(line, shown)
        self.assertNotIn("testing.py", shown)  # the frame of the assertion itself
        self.assertRegex(shown, r"> +assert_bits_equal\(q\.codes")


if __name__ == "__main__":
    unittest.main()
