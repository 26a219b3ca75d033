# SPDX-License-Identifier: Apache-2.0
# tests/oracle/oracle_case.py: the core's codes and values as arrays, and inputs to compare them on.

import importlib
import os
import subprocess
import sys
import unittest

SKIPPED = 77  # ctest's exit status for "did not run"
PROGRAM = os.environ.get("MX_ORACLE_CODES", "oracle_codes")


def packages(*names):
    """The modules of these names; the test is skipped if one is absent."""
    try:
        return [importlib.import_module(name) for name in names]
    except ImportError as error:
        option = "--oracles-torch" if error.name in ("torch", "torchao", "mmasim") else "--oracles"
        print(f"SKIPPED: {os.path.basename(sys.argv[0])}, because Python has no {error.name} "
              f"(./bootstrap {option} installs it)")
        sys.exit(SKIPPED)


(np,) = packages("numpy")


def run_words(*words, content=b""):
    done = subprocess.run([PROGRAM, *words], input=content, stdout=subprocess.PIPE, check=True)
    return np.frombuffer(done.stdout, np.uint32)


def values_of(name):
    """The FP32 value of every code of a format."""
    return run_words(name, "decode").view(np.float32)


def codes_of(name, x, rounding="ties-to-even", overflow="saturate"):
    return run_words(name, rounding, overflow, content=x.tobytes())


def random_codes_of(name, x, random, bits):
    """Codes under stochastic rounding; random[i] below 2^bits serves x[i]."""
    pairs = np.stack([x.view(np.uint32), random.astype(np.uint32)], axis=1)
    return run_words(name, f"stochastic:{bits}", "saturate", content=pairs.tobytes())


def narrow_numbers():
    """Every bfloat16 and every binary16, as FP32."""
    bits = np.arange(1 << 16, dtype=np.uint32)
    halves = bits.astype(np.uint16).view(np.float16)
    with np.errstate(invalid="ignore"):
        return np.concatenate([(bits << 16).view(np.float32), halves.astype(np.float32)])


def random_numbers(count=1 << 18):
    """Uniform FP32 patterns, and as many with exponents in the range of small formats."""
    drawn = np.random.default_rng(2).integers(0, 1 << 32, 2 * count, dtype=np.uint32)
    near = drawn[count:] & 0x807FFFFF | (drawn[count:] >> 23) % 48 + 100 << 23
    # A third of them on a tie or just beside one.
    rest = np.resize(np.array([0, 1, 0x3FFFF], np.uint32), count // 3)
    near[:count // 3] = near[:count // 3] & ~np.uint32(0x3FFFF) | rest
    return np.concatenate([drawn[:count], near]).view(np.float32)


def numbers():
    return np.concatenate([narrow_numbers(), random_numbers()])


class oracle_case(unittest.TestCase):
    def assert_equal_codes(self, x, ours, theirs, what):
        """Both arrays agree; else names the first x at which they differ."""
        different = np.flatnonzero(ours != theirs)
        if different.size:
            i = different[0]
            self.fail(f"{what}: {different.size} of {x.size} differ, first {float(x[i]).hex()} "
                      f"(0x{x.view(np.uint32)[i]:08x}): code {ours[i]:#x}, theirs {theirs[i]:#x}")

    def assert_equal_values(self, ours, theirs, what):
        """The same numbers, the sign of zero included, and NaN in the same places."""
        np.testing.assert_array_equal(np.isnan(ours), np.isnan(theirs), what)
        there = ~np.isnan(ours)
        np.testing.assert_array_equal(ours.view(np.uint32)[there],
                                      theirs.astype(np.float32).view(np.uint32)[there], what)
