# SPDX-License-Identifier: Apache-2.0
# tests/e2e/claims_results_test.py: the committed tables of claims follow, byte for byte, from the
# committed metrics of their seeds.

import glob
import os
import subprocess
import tarfile
import tempfile
import unittest

SOURCES, COMMAND = os.environ["MX_SOURCE_DIR"], os.environ["MXPRISM"]
RESULTS = os.path.join(SOURCES, "docs/results")


def bytes_of(*names):
    with open(os.path.join(*names), "rb") as file:
        return file.read()


def without_origin(page):
    """Without the line that names the program's commit and the machine."""
    return [line for line in page.split(b"\n") if not line.startswith(b"Program: commit ")]


class claims_results_test(unittest.TestCase):
    def decided(self, name, folder):
        """Unpacks a claims file's seeds, and has the command decide: no seed is left to run."""
        archives = sorted(glob.glob(os.path.join(RESULTS, name, "*.tar.xz")))
        self.assertTrue(archives, f"{RESULTS}/{name}: no seeds")
        for archive in archives:
            with tarfile.open(archive) as file:
                file.extractall(folder)
        claims = os.path.join("sim/studies", name + ".toml")
        done = subprocess.run([COMMAND, "repro", claims, "-o", folder], cwd=SOURCES, check=False,
                              capture_output=True, encoding="utf-8")
        self.assertIn(done.returncode, (0, 1), done.stderr)
        self.assertNotIn("to run", done.stderr)

    def check(self, name):
        with tempfile.TemporaryDirectory() as folder:
            self.decided(name, folder)
            self.assertEqual(without_origin(bytes_of(folder, "claims.md")),
                             without_origin(bytes_of(RESULTS, name + ".md")))
            self.assertEqual(bytes_of(folder, "claims.csv"), bytes_of(RESULTS, name + ".csv"))
            self.assertEqual(bytes_of(folder, "hashes.csv"),
                             bytes_of(RESULTS, name + "_hashes.csv"))

    def test_claims(self):
        self.check("claims")

    def test_other_settings(self):
        self.check("robustness")


if __name__ == "__main__":
    unittest.main()
