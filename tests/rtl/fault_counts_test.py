# SPDX-License-Identifier: Apache-2.0
"""tests/rtl/fault_counts_test.py: the pages count the planted and the refuted faults as the lists do.

    fault_counts_test.py PROJECT_FOLDER
"""
import os
import re
import sys
import unittest

SOURCES = os.path.abspath(sys.argv.pop()) if len(sys.argv) > 1 else os.getcwd()
sys.path[:0] = [os.path.join(SOURCES, "tests", "rtl"), os.path.join(SOURCES, "rtl_models", "formal")]

import dot_mutants  # noqa: E402
import properties  # noqa: E402
import quantizer_mutants  # noqa: E402
import tensor_core_mutants  # noqa: E402

LISTS = {"dot": dot_mutants.MUTANTS, "tensor_core": tensor_core_mutants.MUTANTS,
         "quantizer": quantizer_mutants.MUTANTS}
PLANTED = sum(LISTS.values(), [])
REFUTED = [fault for held in properties.PROPERTIES for fault in held.faults]
# A fault as a change of a file, whatever its name and the test that finds it.
PLANTED_TEXTS = {tuple(row[1:4]) for row in PLANTED}
REFUTED_TEXTS = {(fault.file, fault.there, fault.instead) for fault in REFUTED}


def page(name):
    """The words of a page, with single spaces."""
    with open(os.path.join(SOURCES, name), encoding="utf-8") as text:
        return " ".join(text.read().split())


class fault_counts_test(unittest.TestCase):
    def test_the_readme_counts_the_planted_faults(self):
        text = page("rtl_models/README.md")
        self.assertIn(f"them fails: {len(PLANTED)}, listed in", text)
        for name, faults in LISTS.items():
            self.assertIn(f"`tests/rtl/{name}_mutants.py` ({len(faults)})", text)

    def test_the_readme_counts_the_refuted_faults(self):
        text = page("rtl_models/README.md")
        self.assertIn(f"The proofs refute {len(REFUTED_TEXTS)} texts, in {len(REFUTED)} questions", text)
        self.assertIn(f"half are among the {len(PLANTED)}, and different texts are "
                      f"{len(PLANTED_TEXTS | REFUTED_TEXTS)} in all", text)
        self.assertAlmostEqual(len(PLANTED_TEXTS & REFUTED_TEXTS) / len(REFUTED_TEXTS), 1 / 2, delta=0.05)

    def test_the_guide_counts_the_planted_faults(self):
        for name, words in (("docs/evidence.md", r"(\d+) planted faults"),
                            ("docs/co-simulate-rtl.md", r"plant (\d+) such faults")):
            self.assertEqual(re.findall(words, page(name)), [str(len(PLANTED))], name)


if __name__ == "__main__":
    unittest.main()
