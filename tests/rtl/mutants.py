#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""mutants.py SOURCE SCRATCH few|all TABLE... [-DCMAKE=ARGUMENT...]: plants one fault after the other
in a copy of the RTL, and requires that the test named for it in the table fails. TABLE is a module
beside this one with a list `MUTANTS`, and with `KILLERS`: for each test a regular expression of the
modules that it has as C++. Without a fault every test must pass. `few`: only faults marked so."""
import importlib
import os
import shutil
import subprocess
import sys
from typing import NamedTuple


class Mutant(NamedTuple):
    name: str    # description of the fault
    file: str    # below rtl_models/verilog
    old: str     # text that occurs exactly once in the file
    new: str     # its replacement
    killer: str  # name of a test of tests/rtl, whose program is NAME_test
    among: str = "all"  # or "few"


class Workshop:
    """A build of the project whose RTL is a copy."""

    def __init__(self, source, scratch, arguments):
        self.original = os.path.join(source, "rtl_models", "verilog")
        self.copy = os.path.join(scratch, "verilog")
        self.build = os.path.join(scratch, "build")
        shutil.rmtree(self.copy, ignore_errors=True)
        # Newer than targets that an earlier run may have built with a fault.
        shutil.copytree(self.original, self.copy, copy_function=shutil.copy)
        self.arguments = arguments
        self.source = source

    def narrow(self, modules):
        """Removes all other modules, which would be read again for each fault."""
        # A fault may leave a signal unused; that must not stop the build.
        self.say(["cmake", "-S", self.source, "-B", self.build, "-G", "Ninja",
                  "-DCMAKE_BUILD_TYPE=Release", "-DVERILATOR_ARGS=-Wno-fatal",
                  "-DMX_TEST_FOLDERS=cross;rtl", "-DMX_BUILD_SIM=OFF", "-DMX_FAULT_PROGRAMS=ON",
                  "-DMX_VERILATED_OPTIMIZATION=-O0", f"-DMX_VERILOG={self.copy}",
                  f"-DMX_VERILATED_ONLY={modules}", *self.arguments])

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
        """Whether the test, built with the current copy, finds a difference."""
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


def survivors_of(workshop, killer, modules, mutants):
    workshop.narrow(modules)
    if workshop.fails(killer):
        raise SystemExit(f"{killer} fails without any fault")
    return [mutant for mutant in mutants if survives(workshop, mutant)]


def main():
    source, scratch, extent = sys.argv[1:4]
    tables = [importlib.import_module(word) for word in sys.argv[4:] if not word.startswith("-D")]
    workshop = Workshop(source, scratch, [word for word in sys.argv[4:] if word.startswith("-D")])
    count, survivors = 0, []
    for table in tables:
        mutants = [Mutant(*row) for row in table.MUTANTS]
        for killer, modules in table.KILLERS.items():
            its_own = [mutant for mutant in mutants
                       if mutant.killer == killer and extent in ("all", mutant.among)]
            count += len(its_own)
            if its_own:
                survivors += survivors_of(workshop, killer, modules, its_own)
    print(f"{count} faults, {len(survivors)} not seen")
    return 1 if survivors or not count else 0


if __name__ == "__main__":
    sys.exit(main())
