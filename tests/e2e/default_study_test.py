# SPDX-License-Identifier: Apache-2.0
# tests/e2e/default_study_test.py: a version of the default study has its recorded hashes.

import os
import sys

from command_case import SOURCES, command_case, main

RECORDED = os.path.join(os.path.dirname(os.path.abspath(__file__)), "frozen")
STUDY = sys.argv.pop(1)


def recorded_hashes():
    with open(os.path.join(RECORDED, f"{STUDY}_hashes.csv"), encoding="utf-8") as file:
        return file.read()


def arms_of(hashes):
    """The arms of a table of hashes, which need not be all of the study."""
    names = dict.fromkeys(line.split(",")[0] for line in hashes.splitlines()[1:])
    return [name for name in names if name != "warm-up"]


class default_study_test(command_case):
    def test_every_step_of_every_recorded_arm_has_its_hash(self):
        study = os.path.join(SOURCES, "sim", "studies", f"{STUDY}.toml")
        recorded = recorded_hashes()
        self.run_command("train", study, "-o", "run", "--arms", ",".join(arms_of(recorded)),
                         timeout=3000)
        with open(self.path("run", "hashes.csv"), encoding="utf-8") as made:
            self.assertEqual(made.read(), recorded)


if __name__ == "__main__":
    main()
