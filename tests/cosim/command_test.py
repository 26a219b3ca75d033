#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""command_test.py PROGRAM: mx_cosim compares the requested modules, writes waves, and refuses
unknown arguments."""
import os
import subprocess
import sys
import tempfile

ENVIRONMENT = dict(os.environ, SYSTEMC_DISABLE_COPYRIGHT_MESSAGE="1")


def run(program, *words):
    done = subprocess.run([program, *words], text=True, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, check=False, env=ENVIRONMENT)
    return done.returncode, done.stdout


def check_words(program):
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        vcd, fst = os.path.join(folder, "waves"), os.path.join(folder, "waves.fst")
        cases = (
            (0, "agree", ("cycles", "verilated", "--tiles", "20")),
            (0, "agree", ("verilated", "emulator", "--tiles", "1", "--first", "17", "--seed", "5")),
            (0, "agree", ("cycles", "emulator", "--lanes", "32", "--tiles", "9", "--vcd", vcd)),
            (0, "agree", ("verilated", "cycles", "--lanes", "1", "--tiles", "2", "--fst", fst)),
            (0, "agree", ("verilated", "emulator", "--unit", "quantizer", "--blocks", "50")),
            (0, "agree", ("emulator", "verilated", "--unit", "quantizer", "--in", "bfloat16",
                          "--scale", "e8m3", "--first", "7", "--blocks", "1", "--pace", "3")),
            (2, "FILE", ("verilated", "cycles", "--unit", "quantizer")),
            (2, "FILE", ("verilated", "verilated", "--unit", "quantizer")),
            (2, "FILE", ("verilated", "emulator", "--unit", "quantizer", "--in", "e5m2")),
            (2, "FILE", ("verilated", "emulator", "--unit", "quantizer", "--scale", "ue4m3")),
            (2, "FILE", ("verilated", "emulator", "--unit", "divider")),
            (2, "FILE", ("verilated", "cycles", "--lanes", "8", "--fst", fst)),
            (0, "cycles/s", ("cycles", "none", "--tiles", "20")),
            (2, "FILE", ("verilated", "nobody")),
            (2, "FILE", ("cycles", "emulator", "--lanes", "7")),
            (2, "FILE", ("cycles", "emulator", "--wrong", "7")),
            (2, "--pace is '0'; expected a whole number above 0", ("cycles", "emulator", "--pace", "0")),
            (2, "--pace is '17'; expected at most 16", ("cycles", "emulator", "--pace", "17")),
            (2, "--tiles is '1e3'", ("cycles", "verilated", "--tiles", "1e3")),
            (2, "--seed is 'abc'", ("cycles", "verilated", "--seed", "abc")),
            (2, "--blocks is not of --unit tensor_core", ("cycles", "emulator", "--blocks", "5")),
            (2, "--lanes is not of --unit quantizer",
             ("verilated", "emulator", "--unit", "quantizer", "--lanes", "8")),
            (2, "none/w.fst cannot be written",
             ("verilated", "cycles", "--lanes", "1", "--tiles", "2", "--fst", folder + "/none/w.fst")),
            (2, "FILE", ()),
        )
        for status, part, words in cases:
            seen, text = run(program, *words)
            if seen != status or part not in text:
                failed += 1
                print("mx_cosim", *words, f": status {seen}, not {status}\n{text}")
        for path in (vcd + ".vcd", fst):
            if os.path.getsize(path) < 1000:
                failed += 1
                print(f"{path} is empty")
    return failed


def main():
    return 1 if check_words(sys.argv[1]) else 0


if __name__ == "__main__":
    sys.exit(main())
