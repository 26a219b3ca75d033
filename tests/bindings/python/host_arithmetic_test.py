# SPDX-License-Identifier: Apache-2.0
# tests/bindings/python/host_arithmetic_test.py: the package gives the same bits, verdicts and texts in a program
# whose arithmetic is not IEEE 754's default.
"""usage: host_arithmetic_test.py [HOST]; with a host: sets its arithmetic, then imports, and prints outcomes."""

import ctypes
import hashlib
import json
import os
import platform
import struct
import subprocess
import sys
import threading
import unittest
from fractions import Fraction

LIBM = ctypes.CDLL("libm.so.6")
X86 = platform.machine() == "x86_64"
# Where fenv_t has the register that flushes, and its bits: FTZ and DAZ of MXCSR, FZ of FPCR.
FLUSHES_AT, FLUSHES = (28, 0x8040) if X86 else (0, 1 << 24)
DIRECTIONS = ({"upward": 0x800, "downward": 0x400, "toward zero": 0xC00} if X86 else
              {"upward": 0x400000, "downward": 0x800000, "toward zero": 0xC00000})
HOSTS = ("flush", *DIRECTIONS)


def become(host):
    """Gives the calling thread the arithmetic of such a program."""
    if host in DIRECTIONS:
        assert LIBM.fesetround(DIRECTIONS[host]) == 0
        return
    environment = ctypes.create_string_buffer(64)
    assert LIBM.fegetenv(environment) == 0
    word, = struct.unpack_from("I", environment, FLUSHES_AT)
    struct.pack_into("I", environment, FLUSHES_AT, word | FLUSHES)
    assert LIBM.fesetenv(environment) == 0


if len(sys.argv) == 2 and sys.argv[1] in HOSTS:
    become(sys.argv[1])

from package_case import bits, np  # noqa: E402

import mxprism  # noqa: E402
from mxprism._array import numbers_in, rounded  # noqa: E402

TINY = 2.0**-149  # FP32's smallest number


def fp32(*words):
    return np.array(words, np.uint32).view(np.float32)


def digest(*parts):
    found = hashlib.sha256()
    for part in parts:
        found.update(part.encode() if isinstance(part, str) else np.ascontiguousarray(part).tobytes())
    return found.hexdigest()


def of_pack(name):
    files = mxprism.pack(name).files
    return digest(*(array for file in files.values() for array in file.arrays.values()))


def of_probe(form, variant, names):
    made = mxprism.probe(form)

    def kernel(x):
        q = mxprism.quantize(x, form, variant=variant)
        return tuple(getattr(q, name) for name in names)

    return digest(*made.tensors.values()) + str(made.identify(kernel))


def of_product(**options):
    q = mxprism.quantize(np.ones((2, 32), np.float32), "mxfp4")
    return bits(mxprism.gemm(q, q, model="fp32.fma", **options)).tolist()


def of_given_scale():
    """Under a tensor scale that is subnormal."""
    x = np.ones((2, 32), np.float32)
    q = mxprism.quantize(x, "nvfp4", tensor_scale=fp32(70000))
    return bits(mxprism.gemm(q, q, model="fp32.fma", alpha=2.0**100)).tolist()


def of_verdict():
    """A kernel that loses the signs of zeros, on numbers of which some are subnormal."""
    x = np.tile(np.linspace(-3, 3, 32, dtype=np.float32), (40, 1))
    x.view(np.uint32)[::3, ::5] = 0x80000000
    x.view(np.uint32)[1::3, ::5] = 0x80012345
    q = mxprism.quantize(x, "mxfp4", packing="unpacked")
    codes = q.codes.copy()
    codes[::3, ::5] = 0
    return str(mxprism.verify(x, codes, q.scales, "mxfp4", packing="unpacked"))


def outcomes():
    return {
        "ties": of_pack("ties"),
        "scales": of_pack("scales"),
        "mxfp4": of_probe("mxfp4", "triton.v0.up", ("codes", "scales")),
        "nvfp4": of_probe("nvfp4", "te.nvfp4", ("codes", "scales", "tensor_scale")),
        "alpha": of_product(alpha=1e-40),
        "alpha of NumPy": of_product(alpha=fp32(70000)[0]),
        "alpha as a fraction": of_product(alpha=Fraction(1, 10**40)),
        "tensor scale": of_given_scale(),
        "verdict": of_verdict(),
        "explained": str(mxprism.explain([1e-41, -3e-40, 1e-46, -0.0], "mxfp4")),
        "explained by a variant": str(mxprism.explain([1e-41, -3e-40], variant="triton.v0.up")),
        "decomposed": str(mxprism.decompose(fp32(*range(64)), "mxfp4")),
    }


def in_a_host(host, work):
    """What work() returns in a thread of such a program."""
    found = []

    def run():
        become(host)
        found.append(work())

    thread = threading.Thread(target=run)
    thread.start()
    thread.join()
    return found[0]


class host_arithmetic_test(unittest.TestCase):
    def compare(self, expected, found, host):
        for name, outcome in expected.items():
            with self.subTest(host, of=name):
                self.assertEqual(outcome, found[name])

    def test_outcomes_are_those_of_a_plain_program(self):
        self.assertEqual(in_a_host("flush", lambda: bits(fp32(7) * np.float32(1))[0]), 0)
        self.assertEqual(in_a_host("upward", lambda: TINY + float("1")) - 1, 2.0**-52)
        expected = outcomes()
        for host in HOSTS:
            self.compare(expected, in_a_host(host, outcomes), host)

    def test_a_program_may_have_chosen_before_it_imports_the_package(self):
        run = subprocess.run([sys.executable, "-B", os.path.abspath(__file__), "flush"], check=True,
                             capture_output=True, encoding="utf-8")
        self.compare(outcomes(), json.loads(run.stdout), "flush")

    def test_numbers_are_rounded_to_fp32_and_read_from_it_exactly(self):
        def found():
            return ([rounded(number, "x") for number in (
                        TINY / 2, TINY * 0.75, TINY, -1.5 * TINY, -0.0, 0, 1 + 2.0**-24, 1 + 3 * 2.0**-24,
                        2.0**128 - 2.0**103, 2.0**128 - 1.5 * 2.0**103, -1e300, float("inf"),
                        fp32(3)[0], -fp32(0)[0], np.float16(2.0**-24), Fraction(-3, 2**150), 10**400)],
                    numbers_in(fp32(0, 1, 0x80000003, 0x7F7FFFFF, 0x7F800000)))

        largest, inf = (2 - 2.0**-23) * 2.0**127, float("inf")
        expected = ([0.0, TINY, TINY, -2 * TINY, -0.0, 0.0, 1.0, 1 + 2.0**-22, inf, largest, -inf, inf,
                     3 * TINY, -0.0, 2.0**-24, -2 * TINY, inf],
                    [0.0, TINY, -3 * TINY, largest, inf])
        for made in (found(), *(in_a_host(host, found) for host in HOSTS)):
            self.assertEqual(repr(made), repr(expected))
        self.assertEqual(repr(rounded(float("nan"), "x")), "nan")


if __name__ == "__main__":
    if len(sys.argv) == 2 and sys.argv[1] in HOSTS:
        print(json.dumps(outcomes()))
    else:
        unittest.main()
