# SPDX-License-Identifier: Apache-2.0
"""faulty_copy.py: a copy of the RTL with a fault of mutants.py, for tests without a program."""
import os
import shutil

from mutants import Mutant, survives


class FaultyCopy:
    """The copy in which mutants.survives() plants a fault.   finds  whether a test of its RTL fails"""

    def __init__(self, original, copy, finds):
        self.original, self.copy, self.finds = original, copy, finds
        shutil.rmtree(copy, ignore_errors=True)
        shutil.copytree(original, copy)

    def text(self, file):
        with open(os.path.join(self.original, file), encoding="utf-8") as held:
            return held.read()

    def write(self, file, text):
        with open(os.path.join(self.copy, file), "w", encoding="utf-8") as out:
            out.write(text)

    def fails(self, killer):
        return self.finds(self.copy, killer)


def survivors_of(rows, copy):
    """Number of surviving faults; without a fault each killer must pass."""
    faults = [Mutant(*row) for row in rows]
    for killer in sorted({fault.killer for fault in faults}):
        if copy.fails(killer):
            raise SystemExit(f"{killer} fails without any fault")
    survivors = sum(survives(copy, fault) for fault in faults)
    print(f"{len(faults)} faults, {survivors} not seen")
    return survivors if faults else 1
