# SPDX-License-Identifier: Apache-2.0
# tests/bindings/python/threads_test.py: other Python threads run during calls of the package, and
# concurrent calls give the same bits.

import threading
import time
import unittest
from concurrent.futures import ThreadPoolExecutor

from package_case import bits, np, numbers

import mxprism

LONG_ENOUGH = 0.25  # seconds for which a call is observed


class clock:
    """Times at which another thread of Python ran."""

    def __enter__(self):
        self.times, self.stop = [], threading.Event()
        self.thread = threading.Thread(target=self._run)
        self.thread.start()
        return self

    def _run(self):
        while not self.stop.wait(0.002):
            self.times.append(time.monotonic())

    def __exit__(self, *_error):
        self.stop.set()
        self.thread.join()


def rows(count):
    return np.tile(numbers(16, 1024), (-(-count // 16), 1))[:count]


def coded(x):
    q = mxprism.quantize(x)
    return q.codes, q.scales


CALLS = {
    "quantize": (lambda x: mxprism.quantize(x, "mxfp4+rotate=32"), rows),
    "dequantize": (lambda q: q.dequantize(),
                   lambda count: mxprism.quantize(rows(count), "mxfp4+mbs=128,8")),
    "decompose": (lambda x: mxprism.decompose(x, scale_rule="mse"), rows),
    "dot": (lambda x: mxprism.dot(x, x, model="exact.rne"),
            lambda count: rows(count).astype(np.float16)),
    "gemm": (lambda x: mxprism.gemm(x, x[:64], model="fp32.pairwise"),
             lambda count: rows(count).astype(np.float16)),
    "verify": (lambda x: mxprism.verify(x, *coded(x), "mxfp4", scale_rule="rceil"), rows),
    "verify_gemm": (lambda x: mxprism.verify_gemm(x, x[:64], np.zeros((len(x), 64), np.float32)),
                    lambda count: rows(count).astype(np.float16)),
}


class threads_test(unittest.TestCase):
    def watched(self, call, made):
        """Start and end of a sufficiently long call, and the times at which others ran."""
        for exponent in range(6, 18):
            x = made(1 << exponent)
            with clock() as others:
                begin = time.monotonic()
                call(x)
                end = time.monotonic()
            if end - begin > LONG_ENOUGH:
                return begin, end, others.times
        self.fail("no tensor takes long enough")

    def test_other_threads_run_meanwhile(self):
        for name, (call, made) in CALLS.items():
            with self.subTest(name):
                begin, end, times = self.watched(call, made)
                tenth = (end - begin) / 10
                self.assertGreater(sum(begin + tenth < t < end - tenth for t in times), 3)

    def test_calls_at_the_same_time_give_the_same_bits(self):
        x = rows(64)
        a = mxprism.quantize(x, "nvfp4")
        want = mxprism.gemm(a, a, model="blackwell.mxf4nvf4")

        def work(_):
            q = mxprism.quantize(x, "nvfp4")
            return mxprism.gemm(q, q, model="blackwell.mxf4nvf4")

        with ThreadPoolExecutor(4) as pool:
            for d in pool.map(work, range(16)):
                np.testing.assert_array_equal(bits(d), bits(want))


if __name__ == "__main__":
    unittest.main()
