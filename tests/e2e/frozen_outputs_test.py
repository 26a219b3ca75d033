# SPDX-License-Identifier: Apache-2.0
# tests/e2e/frozen_outputs_test.py: what recording changes in a file of recorded results.

import os
import tempfile
import unittest
from unittest import mock

import frozen_outputs


class frozen_outputs_test(unittest.TestCase):
    folder = "/somewhere"

    def setUp(self):
        at = tempfile.TemporaryDirectory()
        self.addCleanup(at.cleanup)
        self.path = os.path.join(at.name, "a_test.txt")
        patch = mock.patch.multiple(frozen_outputs, FROZEN=at.name, RECORD=at.name)
        patch.start()
        self.addCleanup(patch.stop)

    def recorded(self, lines, digests):
        """The lines after a recording, in which this test made the digests by the command `x`."""
        name = ".".join(self.id().split(".")[-2:])
        with open(self.path, "w", encoding="utf-8") as file:
            file.writelines(line.replace("THIS", name) + "\n" for line in lines)
        script = frozen_outputs.frozen_file("a_test.py")
        for digest in digests:
            script.check(self, ["x"], digest)
        script.write()
        with open(self.path, encoding="utf-8") as file:
            return [line.rstrip("\n").replace(name, "THIS") for line in file]

    def test_a_changed_output_is_recorded_by_its_digest(self):
        self.assertEqual(self.recorded(['old THIS ["x"]', 'same THIS ["x"]'], ["new", "same"]),
                         ['new THIS ["x"]', 'same THIS ["x"]'])

    def test_output_that_varies_stays_marked(self):
        self.assertEqual(self.recorded(['varies THIS ["x"]'], ["new", "more"]),
                         ['varies THIS ["x"]', 'more THIS ["x"]'])

    def test_lines_of_tests_that_did_not_run_stay(self):
        self.assertEqual(self.recorded(['old another_test.test ["x"]'], ["new"]),
                         ['old another_test.test ["x"]', 'new THIS ["x"]'])

    def test_a_script_without_a_file_gets_none(self):
        frozen_outputs.frozen_file("a_test.py").write()
        self.assertFalse(os.path.exists(self.path))


if __name__ == "__main__":
    unittest.main()
