# SPDX-License-Identifier: Apache-2.0
# tests/e2e/command_case.py: base of tests that run the built command in a scratch folder.

import json
import os
import subprocess
import sys
import tempfile
import unittest

import built_program
import frozen_outputs

PROGRAM = os.environ.get("MXPRISM", "mxprism")
SOURCES = os.environ.get("MX_SOURCE_DIR", os.getcwd())


class command_case(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = scratch.name

    def path(self, *names):
        return os.path.join(self.folder, *names)

    def write_text(self, name, text):
        with open(self.path(name), "w", encoding="utf-8") as file:
            file.write(text)

    def read_text(self, *names):
        with open(self.path(*names), encoding="utf-8") as file:
            return file.read()

    def is_sanitized(self):
        return built_program.is_sanitized(PROGRAM)

    def patience(self):
        """How many times as long the command may take."""
        return 20 if self.is_sanitized() else 1

    def run_command(self, *words, status=0, timeout=120):
        """Runs the command; its exit status must be the expected one, its output the recorded."""
        before = frozen_outputs.stamps(self.folder)
        done = subprocess.run([PROGRAM, *words], cwd=self.folder, capture_output=True,
                              encoding="utf-8", timeout=timeout * self.patience(), check=False)
        self.assertEqual(done.returncode, status, f"{words}\n{done.stdout}\n{done.stderr}")
        digest = frozen_outputs.digest_of_run(self.folder, words, done, before)
        frozen_outputs.THIS_SCRIPT.check(self, words, digest)
        return done

    def run_json(self, *words, **options):
        """Output of the command with --json: one object and nothing else."""
        done = self.run_command(*words, "--json", **options)
        return json.loads(done.stdout, parse_constant=self.refuse_constant)

    def refuse_constant(self, text):
        self.fail(f"{text} is no JSON")

    def assert_refused(self, *words, naming=()):
        """Exit status 2, one line on standard error, no output, no file changed."""
        before = self.snapshot()
        done = self.run_command(*words, status=2)
        self.assertTrue(done.stderr.startswith("mxprism: error: "), done.stderr)
        self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
        self.assertEqual(done.stdout, "")
        for text in naming:
            self.assertIn(text, done.stderr)
        self.assertEqual(self.snapshot(), before, "files changed")

    def snapshot(self):
        found = {}
        for folder, _, files in os.walk(self.folder):
            for name in files:
                path = os.path.join(folder, name)
                with open(path, "rb") as file:
                    found[path] = file.read()
        return found


def main():
    if not os.access(PROGRAM, os.X_OK):
        sys.exit(f"{PROGRAM}: not built; MXPRISM names the command to test")
    done = unittest.main(exit=False)
    if frozen_outputs.RECORD:
        frozen_outputs.THIS_SCRIPT.write()
    sys.exit(not done.result.wasSuccessful())
