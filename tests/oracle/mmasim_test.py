# SPDX-License-Identifier: Apache-2.0
# tests/oracle/mmasim_test.py: dot products under the core's models against MMA-Sim, on words that
# tell models apart. Equal are values and signs, and NVIDIA's NaN; two differences are decided:
#   D-035  MMA-Sim drops an Inf or a NaN of a step's C beside FP8 products above 2^24 on CDNA3
#   D-030  AMD: the sign of a zero, and which NaN

import os
import subprocess
import sys
import unittest
import warnings
import zlib

SKIPPED = 77  # ctest's exit status for "did not run"
PROGRAM = os.environ.get("MX_ORACLE_DOTS", "oracle_dots")
COUNT = int(os.environ.get("MX_ORACLE_WORDS", "225"))

warnings.simplefilter("ignore")
try:
    import numpy as np
    import torch
    from mmasim_instructions import instructions
    from mmasim_words import FORMATS, words_of
except (ImportError, OSError) as error:
    print(f"SKIPPED: {os.path.basename(sys.argv[0])}, because Python has no torch and mmasim "
          f"({error}; ./bootstrap --oracles-torch installs them)")
    sys.exit(SKIPPED)


def ours(one, words):
    columns = [words.a, words.b, words.scale_a, words.scale_b, words.c[:, None]]
    kept = [column for column in columns if one.blocks or column.shape[1] or column is words.c]
    code = np.uint64 if one.d == "f64" else np.uint32
    content = np.concatenate(kept, axis=1).astype(code).tobytes()
    done = subprocess.run([PROGRAM, one.model, str(one.k)], input=content, stdout=subprocess.PIPE,
                          check=True)
    return np.frombuffer(done.stdout, code).astype(np.uint64)


def nan_or_infinite(f, codes):
    high = np.uint64((1 << f.exponent_bits) - 1) << np.uint64(f.fraction_bits)
    special = codes & high == high
    return special & (codes & np.uint64((1 << f.fraction_bits) - 1) != 0), special


class differences:
    """Words of one instruction that differ, and those whose difference is decided."""

    def __init__(self, one, words):
        f = FORMATS[one.d]
        self.mine, self.other = ours(one, words), one.results(words)
        (nan, special), (other_nan, other_special) = [
            nan_or_infinite(f, codes) for codes in (self.mine, self.other)]
        differ = self.mine != self.other
        has_own_nan = one.name.startswith("CDNA") or one.d == "f64"
        differ &= ~(has_own_nan & nan & other_nan)
        zeros = one.name.startswith("CDNA") & ((self.mine | self.other) & ~f.sign == 0)
        # Every step of 16 has a C, which is the result of the one before.
        has_special_c = nan_or_infinite(FORMATS[one.c], words.c)[1] | (one.k > 16)
        dropped = one.a.endswith("fnuz") & has_special_c & special & ~other_special
        self.decided = {"D-030": int((differ & zeros).sum()), "D-035": int((differ & dropped).sum())}
        self.places = np.flatnonzero(differ & ~zeros & ~dropped)


def text_of(one, words, found):
    i = found.places[0]
    codes = {name: [hex(code) for code in np.atleast_1d(getattr(words, name)[i])]
             for name in ("a", "b", "scale_a", "scale_b", "c")}
    return (f"{one.name} ({one.model}): {len(found.places)} of {len(words.c)} words differ, first "
            f"{codes}: {found.mine[i]:#x}, theirs {found.other[i]:#x}")


class mmasim_test(unittest.TestCase):
    def test_every_instruction_gives_the_same_values_and_signs(self):
        counted = {"instructions": 0, "words": 0, "differ": 0, "D-030": 0, "D-035": 0}
        for one in instructions():
            words = words_of(one.a, one.b, one.c, one.k, one.scale, one.blocks, COUNT,
                             zlib.crc32(one.name.encode()))
            found = differences(one, words)
            counted["instructions"] += 1
            counted["words"] += len(words.c)
            counted["differ"] += len(found.places)
            for decision, count in found.decided.items():
                counted[decision] += count
            with self.subTest(one.name):
                self.assertEqual(len(found.places), 0,
                                 text_of(one, words, found) if len(found.places) else "")
        print(", ".join(f"{what} {count}" for what, count in counted.items()))
        self.assertEqual(counted["instructions"], 326)


if __name__ == "__main__":
    unittest.main()
