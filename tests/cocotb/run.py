#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""run.py SOURCE SCRATCH MODULE [--seed N] [--faults]: the bench of a module of the RTL, in cocotb,
simulated by Icarus Verilog. With --faults each fault of the module in faults.py is planted in a
copy of the RTL, and the bench must fail."""
import argparse
import os
import sys

from cocotb_tools.check_results import get_results
from cocotb_tools.runner import get_runner

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, "..", "rtl")]  # of the simulator's Python too
from faults import FAULTS  # noqa: E402
from faulty_copy import FaultyCopy, survivors_of  # noqa: E402

BENCHES = {"mx_dot": "dot_bench", "mx_quantizer": "quantizer_bench"}


class Simulation:
    """A module, compiled from a folder of RTL, under its bench."""

    def __init__(self, folder, scratch, module, seed):
        self.folder, self.scratch, self.module, self.seed = folder, scratch, module, seed

    def files(self):
        with open(os.path.join(self.folder, "files.cmake"), encoding="utf-8") as text:
            words = text.read().replace(")", " ").split()
        return [os.path.join(self.folder, word) for word in words if word.endswith(".sv")]

    def fails(self, log=None):
        """Whether the bench finds a difference.   log  file for the simulator's output"""
        runner = get_runner("icarus")
        runner.build(sources=self.files(), hdl_toplevel=self.module, build_dir=self.scratch,
                     always=True, timescale=("1ns", "1ps"), log_file=log)
        results = runner.test(hdl_toplevel=self.module, test_module=BENCHES[self.module],
                              build_dir=self.scratch, test_dir=self.scratch, seed=self.seed,
                              log_file=log)
        tests, failed = get_results(results)
        if tests == 0:
            raise SystemExit(f"{BENCHES[self.module]} has no test")
        return failed > 0


def survivors_of_faults(original, scratch, module, seed):
    def finds(folder, bench):
        simulation = Simulation(folder, os.path.join(scratch, "build"), bench, seed)
        return simulation.fails(os.path.join(scratch, "log.txt"))
    copy = FaultyCopy(original, os.path.join(scratch, "verilog"), finds)
    return survivors_of([row for row in FAULTS if row[-1] == module], copy)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("source")
    parser.add_argument("scratch")
    parser.add_argument("module", choices=BENCHES)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--faults", action="store_true")
    words = parser.parse_args()
    original = os.path.join(words.source, "rtl_models", "verilog")
    os.makedirs(words.scratch, exist_ok=True)
    print(f"seed {words.seed}", flush=True)
    if words.faults:
        return int(survivors_of_faults(original, words.scratch, words.module, words.seed) > 0)
    return int(Simulation(original, words.scratch, words.module, words.seed).fails())


if __name__ == "__main__":
    sys.exit(main())
