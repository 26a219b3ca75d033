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
        vcd, fst = os.path.join(folder, "waves.vcd"), os.path.join(folder, "waves.fst")
        unwritten = os.path.join(folder, "unwritten")
        cases = (
            (0, "agree", ("cycles", "verilated", "--tiles", "20")),
            (0, "agree", ("verilated", "emulator", "--tiles", "1", "--first", "17", "--seed", "5")),
            (0, "agree", ("cycles", "emulator", "--lanes", "32", "--tiles", "9", "--vcd", vcd)),
            (0, "agree", ("cycles", "emulator", "--tiles", "1", "--vcd", os.path.join(folder, "waves"))),
            (0, "agree", ("verilated", "cycles", "--lanes", "1", "--tiles", "2", "--fst", fst)),
            (0, "agree", ("verilated", "emulator", "--unit", "quantizer", "--blocks", "50")),
            (0, "agree", ("emulator", "verilated", "--unit", "quantizer", "--in", "bf16",
                          "--scale", "e8m3", "--first", "7", "--blocks", "1", "--pace", "3")),
            (0, "agree", ("verilated", "emulator", "--unit", "quantizer", "--in", "binary32",
                          "--scale", "ue8m0", "--blocks", "1")),
            (0, "mx_cosim LEFT RIGHT", ("--help",)),
            (0, "mx_cosim LEFT RIGHT", ("cycles", "emulator", "--help")),
            (2, "quantizers are compared verilated with emulator",
             ("verilated", "cycles", "--unit", "quantizer")),
            (2, "quantizers are compared verilated with emulator",
             ("verilated", "verilated", "--unit", "quantizer")),
            (2, "--in is 'e5m2'; expected bf16 or f32",
             ("verilated", "emulator", "--unit", "quantizer", "--in", "e5m2")),
            (2, "--scale is 'ue4m3'; expected e8m0 or e8m3",
             ("verilated", "emulator", "--unit", "quantizer", "--scale", "ue4m3")),
            (2, "--unit is 'divider'; expected tensor_core or quantizer",
             ("verilated", "emulator", "--unit", "divider")),
            (2, "--fst needs --lanes 1",
             ("verilated", "cycles", "--lanes", "8", "--fst", unwritten)),
            (2, "--fst needs a verilated side",
             ("cycles", "emulator", "--lanes", "1", "--fst", unwritten)),
            (2, "--vcd needs the cycle model", ("emulator", "emulator", "--vcd", unwritten)),
            (2, "for waves of a verilated one give --fst",
             ("verilated", "emulator", "--lanes", "1", "--vcd", unwritten)),
            (0, "cycles/s", ("cycles", "none", "--tiles", "20")),
            (2, "the right side is 'nobody'; expected cycles", ("verilated", "nobody")),
            (2, "the left side is 'none'; expected cycles", ("none", "cycles")),
            (2, "--lanes is '7'; expected 1, 8 or 32", ("cycles", "emulator", "--lanes", "7")),
            (2, "there is no option --wrong", ("cycles", "emulator", "--wrong", "7")),
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
        written = set(os.listdir(folder))
        if written != {"waves", "waves.vcd", "waves.fst"}:
            failed += 1
            print("mx_cosim wrote", *written)
        for path in (os.path.join(folder, "waves"), vcd, fst):
            if os.path.getsize(path) < 1000:
                failed += 1
                print(f"{path} is empty")
    return failed


def main():
    return 1 if check_words(sys.argv[1]) else 0


if __name__ == "__main__":
    sys.exit(main())
