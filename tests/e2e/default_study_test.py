# SPDX-License-Identifier: Apache-2.0
# tests/e2e/default_study_test.py: a version of the default study has its recorded hashes.

import os
import sys
import unittest

from command_case import SOURCES, command_case, main

RECORDED = os.path.join(os.path.dirname(os.path.abspath(__file__)), "frozen")
STUDY = sys.argv.pop(1)


class default_study_test(command_case):
    def test_every_step_of_every_arm_has_its_recorded_hash(self):
        study = os.path.join(SOURCES, "sim", "studies", f"{STUDY}.toml")
        self.run_command("train", study, "-o", "run", timeout=3000)
        with open(self.path("run", "hashes.csv"), encoding="utf-8") as made, \
                open(os.path.join(RECORDED, f"{STUDY}_hashes.csv"), encoding="utf-8") as recorded:
            self.assertEqual(made.read(), recorded.read())


if __name__ == "__main__":
    main()
