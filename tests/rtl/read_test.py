#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""read_test.py TOOL PROGRAM FILE...: every module of the files is read as a top level by an RTL
tool without a message, and by Verilator some with parameters that make wide vectors."""
import os
import re
import subprocess
import sys
import tempfile


WIDE = {"mx_dot": ("-GGroup=1", "-GAlignment=2"), "mx_quantizer": ("-GBlock=512",)}


def modules_of(files):
    found = []
    for name in files:
        with open(name, encoding="utf-8") as text:
            found += re.findall(r"^module (\w+)", text.read(), re.MULTILINE)
    return found


def command_of(tool, program, files, top, scratch, parameters=()):
    if tool == "verilator":
        waivers = os.path.join(os.path.dirname(files[0]), "mx.vlt")
        return [program, "--lint-only", "-Wall", "--top-module", top, *parameters, waivers, *files]
    if tool == "iverilog":
        return [program, "-g2012", "-Wall", "-s", top, "-o", os.path.join(scratch, "a.vvp"), *files]
    script = f"read_verilog -sv -defer {' '.join(files)}; hierarchy -check -top {top}; proc; check -assert"
    return [program, "-q", "-p", script]


def main():
    tool, program, files = sys.argv[1], sys.argv[2], sys.argv[3:]
    modules = modules_of(files)
    runs = [(top, ()) for top in modules] + (list(WIDE.items()) if tool == "verilator" else [])
    failed = 0
    with tempfile.TemporaryDirectory() as scratch:
        for top, parameters in runs:
            run = subprocess.run(command_of(tool, program, files, top, scratch, parameters), text=True,
                                 stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
            complaints = run.stdout.split("\n")[:-1]
            if run.returncode != 0 or complaints:
                failed += 1
                print(f"{tool} on {top} (exit {run.returncode}):", *parameters, *complaints[:20],
                      sep="\n  ")
    print(f"{tool}: {len(modules)} modules of {len(files)} files, {failed} with complaints")
    return 1 if failed or not modules else 0


if __name__ == "__main__":
    sys.exit(main())
