# SPDX-License-Identifier: Apache-2.0
# tests/docs/pictures_test.py: the committed pictures that the program draws are those that it draws today,
# and every picture is small and names no machine. MX_WRITE_GUIDE=1 writes them instead.

import glob
import os
import re
import subprocess
import sys
import tempfile
import unittest

SOURCES = os.environ.get("MX_SOURCE_DIR", os.getcwd())
sys.path[:0] = [os.path.join(SOURCES, "tests", "e2e")]

from guide_test import PROGRAM, blocks_of, write  # noqa: E402

PICTURES = os.path.join(SOURCES, "docs", "pictures")
LARGEST = 200_000
# File -> the command of docs/explore-a-format.md that draws it, the page it writes, the figure's label.
DRAWN = {
    "decompose.svg": (("decompose", "x.npy", "--format", "mxfp4", "--report", "parts.html"), "parts.html",
                      "Energy of each part over the energy of the error"),
    "small-sweep.svg": (("sweep", "small.toml", "-o", "out"), "out/report.html", "drawn"),
}


def figure(page, label):
    """A figure of a page as a file of its own."""
    drawn = re.search(rf'<svg [^>]*aria-label="{re.escape(label)}">.*?</svg>', page, re.DOTALL)[0]
    style = re.search(r"<style>(.*?)</style>", page, re.DOTALL)[1]
    return drawn.replace("<svg ", '<svg xmlns="http://www.w3.org/2000/svg" ', 1).replace(
        ">", f">\n<style>{style}svg{{background:var(--ground)}}</style>", 1) + "\n"


class pictures_test(unittest.TestCase):
    def test_drawn_pictures_are_current(self):
        with tempfile.TemporaryDirectory() as folder:
            for one in blocks_of("docs/explore-a-format.md"):
                if one.file:
                    write(os.path.join(folder, one.file), one.text)
            subprocess.run([sys.executable, "draw.py"], cwd=folder, check=True)
            for name, (words, page, label) in DRAWN.items():
                subprocess.run([PROGRAM, *words], cwd=folder, check=True, capture_output=True)
                with open(os.path.join(folder, page), encoding="utf-8") as file:
                    drawn = figure(file.read(), label)
                path = os.path.join(PICTURES, name)
                if os.environ.get("MX_WRITE_GUIDE"):
                    write(path, drawn)
                with open(path, encoding="utf-8") as file:
                    self.assertEqual(file.read(), drawn, name)

    def test_pictures_are_small_and_stand_alone(self):
        found = glob.glob(os.path.join(SOURCES, "docs", "**", "*.svg"), recursive=True)
        self.assertGreater(len(found), 8)
        for path in found:
            with open(path, encoding="utf-8") as file:
                text = file.read()
            self.assertLess(len(text), LARGEST, path)
            self.assertNotIn(SOURCES, text)
            self.assertEqual(set(re.findall(r"https?://[^\"' <]+", text)), {"http://www.w3.org/2000/svg"}, path)
            self.assertIn("aria-label=", text, path)
            self.assertNotIn("<script", text)


if __name__ == "__main__":
    unittest.main()
