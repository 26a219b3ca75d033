# SPDX-License-Identifier: Apache-2.0
# tests/analysis/cppcheck.py SOURCE-FOLDER FOLDER: cppcheck finds nothing outside tests but what cppcheck.txt lists.
"""It takes tests for too long: ten minutes for Catch2's macros alone."""

import os
import subprocess
import sys

import compile_commands

PRODUCTS = ("emulator", "golden", "kernels", "rtl_models", "sim")


def main(sources, folder):
    cppcheck = compile_commands.program("cppcheck")
    commands = compile_commands.configured(sources, os.path.join(folder, "sources"))
    commands = [c for c in commands if os.path.relpath(c["file"], sources).split(os.sep)[0] in PRODUCTS]
    known = os.path.join(folder, "cppcheck")  # what has not changed is not read again
    os.makedirs(known, exist_ok=True)
    done = subprocess.run(
        [cppcheck, "--project=" + compile_commands.write(commands, os.path.join(folder, "cppcheck_sources")),
         "--enable=warning,performance,portability", "--error-exitcode=1", "--quiet", "-j", str(os.cpu_count()),
         "--suppressions-list=" + os.path.join(os.path.dirname(os.path.abspath(__file__)), "cppcheck.txt"),
         "--cppcheck-build-dir=" + known],
        check=False)
    print(f"{len(commands)} files read")
    return done.returncode


if __name__ == "__main__":
    sys.exit(main(*map(os.path.abspath, sys.argv[1:3])))
