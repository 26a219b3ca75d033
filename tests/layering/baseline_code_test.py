# SPDX-License-Identifier: Apache-2.0
"""tests/layering/baseline_code_test.py: the built command runs on any x86-64 processor.

Only functions of Highway's targets, which are chosen at run time, may have instructions beyond the
baseline. Usage: baseline_code_test.py BINARY
"""
import platform
import re
import shutil
import subprocess
import sys

FUNCTION = re.compile(r"^[0-9a-f]+ <(.+)>:$")
WIDE = re.compile(r"%[yz]mm|\s+v[a-z0-9]+\s.*%xmm")
CHOSEN_AT_RUN_TIME = re.compile(r"N_(AVX|SSE|SSSE)")


def stray_functions(binary):
    """Names of functions outside those targets that use AVX, with the number of such lines."""
    listing = subprocess.run(["objdump", "-d", "--no-show-raw-insn", binary], check=True,
                             capture_output=True, text=True).stdout
    found, function = {}, ""
    wide_lines = 0
    for line in listing.splitlines():
        head = FUNCTION.match(line)
        if head:
            function = head.group(1)
        elif WIDE.search(line):
            wide_lines += 1
            if not CHOSEN_AT_RUN_TIME.search(function):
                found[function] = found.get(function, 0) + 1
    return found, wide_lines


def main():
    if platform.machine() != "x86_64":
        print("SKIPPED: baseline_code_test, because this is no x86-64 machine")
        return 0
    if shutil.which("objdump") is None:
        print("SKIPPED: baseline_code_test, because objdump (binutils) is missing")
        return 0
    found, wide_lines = stray_functions(sys.argv[1])
    if wide_lines == 0:
        print("no vector code found at all: the test looks at the wrong binary")
        return 1
    for name, count in sorted(found.items()):
        print(f"{name}: {count} instructions that not every x86-64 processor has")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
