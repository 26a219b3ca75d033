#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""mutants.py SOURCE SCRATCH TABLE [CMAKE_ARGUMENT...]: plants one fault after the other in a copy of
the RTL, and demands that the test which the table names for it fails. TABLE is a module beside this
one with a list `MUTANTS`, and with `MODULES`, a regular expression of the modules that its tests have
as C++; without a fault every test must pass."""
import importlib
import os
import shutil
import subprocess
import sys
from typing import NamedTuple


class Mutant(NamedTuple):
    name: str    # what the fault is
    file: str    # below rtl_models/verilog
    old: str     # text that the file holds exactly once
    new: str     # what stands there instead
    killer: str  # name of a test of tests/rtl, whose program is NAME_test


class Workshop:
    """A build of the project whose RTL is a copy."""

    def __init__(self, source, scratch, arguments):
        self.original = os.path.join(source, "rtl_models", "verilog")
        self.copy = os.path.join(scratch, "verilog")
        self.build = os.path.join(scratch, "build")
        shutil.rmtree(self.copy, ignore_errors=True)
        shutil.copytree(self.original, self.copy)
        # A fault may leave a signal unused, which is no reason to stop.
        self.say(["cmake", "-S", source, "-B", self.build, "-G", "Ninja",
                  "-DCMAKE_BUILD_TYPE=Release", "-DVERILATOR_ARGS=-Wno-fatal",
                  "-DMX_VERILATED_OPTIMIZATION=-O0", f"-DMX_VERILOG={self.copy}", *arguments])

    @staticmethod
    def say(command):
        run = subprocess.run(command, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                             check=False)
        if run.returncode != 0:
            raise SystemExit(f"{' '.join(command)} failed:\n{run.stdout[-4000:]}")

    def text(self, file):
        with open(os.path.join(self.original, file), encoding="utf-8") as held:
            return held.read()

    def write(self, file, text):
        with open(os.path.join(self.copy, file), "w", encoding="utf-8") as out:
            out.write(text)

    def fails(self, test):
        """Whether the test, built with the copy as it is now, finds a difference."""
        program = f"{test}_test"
        self.say(["ninja", "-C", self.build, "-j2", program])
        run = subprocess.run([os.path.join(self.build, "tests", "rtl", program)], text=True,
                             stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
        # A signal is no verdict.
        if run.returncode < 0:
            raise SystemExit(f"{program} ended by signal {-run.returncode}:\n{run.stdout[-2000:]}")
        return run.returncode != 0


def survives(workshop, mutant):
    text = workshop.text(mutant.file)
    if text.count(mutant.old) != 1:
        raise SystemExit(f"{mutant.name}: {mutant.file} holds the text {text.count(mutant.old)} "
                         f"times:\n{mutant.old}")
    workshop.write(mutant.file, text.replace(mutant.old, mutant.new))
    killed = workshop.fails(mutant.killer)
    workshop.write(mutant.file, text)
    print(f"{'killed by' if killed else 'SURVIVES'} {mutant.killer}: {mutant.name}", flush=True)
    return not killed


def main():
    source, scratch, table = sys.argv[1:4]
    faults = importlib.import_module(table)
    mutants = [Mutant(*row) for row in faults.MUTANTS]
    workshop = Workshop(source, scratch,
                        [f"-DMX_VERILATED_ONLY={faults.MODULES}", *sys.argv[4:]])
    for test in sorted({mutant.killer for mutant in mutants}):
        if workshop.fails(test):
            raise SystemExit(f"{test} fails without any fault")
    survivors = [mutant for mutant in mutants if survives(workshop, mutant)]
    print(f"{len(mutants)} faults, {len(survivors)} not seen")
    return 1 if survivors or not mutants else 0


if __name__ == "__main__":
    sys.exit(main())
