# SPDX-License-Identifier: Apache-2.0
# tests/docs/reference_test.py: the reference of C and C++ has every declaration that a comment describes,
# and comments become the text that they are.

import glob
import os
import re
import sys
import unittest

SOURCES = os.environ.get("MX_SOURCE_DIR", os.getcwd())
sys.path[:0] = [os.path.join(SOURCES, "docs", "site")]

from aligned_words import as_rst  # noqa: E402
from headers import header, pages  # noqa: E402

FOLDERS = ("emulator/include/mx", "emulator/include/mx/*", "golden/bindings/include/mxprism",
           "golden/bindings/cuda/include/mxprism")


def names():
    for folder in FOLDERS:
        for path in sorted(glob.glob(os.path.join(SOURCES, folder, "*.h"))):
            if not path.endswith("-inl.h"):
                yield os.path.relpath(path, SOURCES)


def documented(text):
    """The number of comments `///` at the left margin, each above a declaration."""
    return len(re.findall(r"^(?!///).*\n///", "\n" + text, re.MULTILINE))


class reference_test(unittest.TestCase):
    def test_every_comment_has_its_declaration(self):
        count = 0
        for name in names():
            with open(os.path.join(SOURCES, name), encoding="utf-8") as file:
                text = file.read()
            found = [entry for entry in header(SOURCES, name).declarations if entry.comment]
            self.assertEqual(len(found), documented(text), name)
            count += len(found)
        self.assertGreater(count, 600)

    def test_every_header_says_its_purpose(self):
        for name in names():
            purpose = header(SOURCES, name).purpose()
            self.assertTrue(purpose and purpose[0], name)

    def test_every_header_is_on_a_page(self):
        text = ""
        for path in glob.glob(os.path.join(SOURCES, "docs", "**", "*.md"), recursive=True):
            with open(path, encoding="utf-8") as file:
                text += " ".join(re.findall(r"headers:: (.*)", file.read())) + " "
        words = set(text.split())
        for name in names():
            if name != "golden/bindings/include/mxprism/mxprism.h":  # includes the others
                self.assertTrue({name, os.path.dirname(name)} & words, name)

    def test_a_declaration_as_it_is_shown(self):
        shown = "\n".join(pages("cpp").of(header(SOURCES, "emulator/include/mx/block/scale.h"), "scale.h"))
        for part in (".. cpp:namespace:: mx", ".. cpp:enum-class:: scale_rule", "   .. container:: words",
                     ".. cpp:function:: constexpr int shared_exponent(const format& f, scale_rule rule, "
                     "const unpacked& amax) noexcept", "Source: OCP Microscaling Formats"):
            self.assertIn(part, shown)
        self.assertNotIn("MX_HD", shown)
        self.assertNotIn("static_assert", shown)

    def test_comments_as_text(self):
        lines = ["Quantizes `x`, or a_ * b.", "  x        any alignment,", "           at all",
                 "  longest_word of all", "More.", "", "    print(1)"]
        self.assertEqual(as_rst(lines), [
            r"Quantizes ``x``, or a\_ \* b.", "", ".. container:: words", "",
            "   ``x``", "      any alignment, at all", "",
            "   ``longest_word``", "      of all", "",
            "More.", "", ".. code-block:: python", "", "   print(1)", ""])


if __name__ == "__main__":
    unittest.main()
