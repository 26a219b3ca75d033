# SPDX-License-Identifier: Apache-2.0
# tests/kernels/bench/instruction_counts_test.py: the counter's numbers on a fixed text of machine code.
"""usage: instruction_counts_test.py COUNTER"""

import pathlib
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).parent
CODE, USAGE = HERE / "machine_code.txt", HERE / "resource_usage.txt"
KERNEL = ["--kernel", "kernelILi1E"]

# The kernel's loop is 20 to 130: a copy that may be left out, then two products, or a function in
# memory of its own; behind it, a store, or the function.
WITH_COPY = """_Z6kernelILi1EEvPf
34 registers, 16 bytes of stack, 1 instructions on local memory, 32 in all
a pass of the loop, 0x20 to 0x130: 16, 32 for 64 of k
  matrix        2, 4 for 64 of k
  fp32          2, 4 for 64 of k
  integer       3, 6 for 64 of k
  move          1, 2 for 64 of k
  memory        3, 6 for 64 of k
  control       5, 10 for 64 of k
"""
END = """the end, 0x140 to 0x170: 4, 2.0 an element
  integer       1, 0.5 an element
  memory        1, 0.5 an element
  control       2, 1.0 an element
"""
WITH_CALL = """_Z6kernelILi1EEvPf
34 registers, 16 bytes of stack, 1 instructions on local memory, 32 in all
a pass of the loop, 0x20 to 0x130: 13
  integer       2
  memory        2
  local         1
  control       7
  other         1
"""
FAULTS = [  # arguments, words of the error
    ([CODE, "--kernel", "kernel", "--passing", "IMMA=2"], ["matches 2 functions", "_Z6kernelILi2EEvPf"]),
    ([CODE, "--kernel", "absent", "--passing", "IMMA=2"], ["matches 0 functions", "_Z6kernelILi1EEvPf"]),
    ([CODE, "--kernel", "(", "--passing", "IMMA=2"], ["unterminated"]),
    ([CODE, *KERNEL, "--passing", "IMMA=3"], ["no loop of _Z6kernelILi1EEvPf", "exactly IMMA=3"]),
    ([CODE, *KERNEL, "--passing", "IMMA"], ["IMMA: give OPCODE=NUMBER"]),
    ([CODE, *KERNEL, "--passing", "IMMA=0"], ["IMMA=0: give OPCODE=NUMBER"]),
    ([CODE, *KERNEL, "--passing", "IMMA=2", "--end", "STG=7"], ["no path from the loop to the end", "STG=7"]),
    ([CODE, *KERNEL, "--passing", "IMMA=2", "--k", "0"], ["--k", "no positive number"]),
    ([USAGE, *KERNEL, "--passing", "IMMA=2"], ["no function with instructions"]),
    (["absent.txt", *KERNEL, "--passing", "IMMA=2"], ["absent.txt: No such file"]),
]


def run(counter, words):
    return subprocess.run([sys.executable, "-B", counter, *map(str, words)], capture_output=True, text=True,
                          timeout=60, check=False)


def expect(counter, words, printed):
    done = run(counter, words)
    if done.returncode != 0 or done.stdout != printed:
        sys.exit(f"{words}: exit status {done.returncode}\n{done.stdout}{done.stderr}instead of\n{printed}")


def expect_refused(counter, words, said):
    done = run(counter, words)
    if done.returncode != 2 or done.stdout or not all(word in done.stderr for word in said):
        sys.exit(f"{words}: exit status {done.returncode}, not 2 with {said}\n{done.stdout}{done.stderr}")


def expect_cubin_refused(counter):
    with tempfile.TemporaryDirectory() as folder:
        cubin = pathlib.Path(folder) / "a.cubin"
        cubin.write_bytes(b"\x7fELF\0")
        words = [cubin, *KERNEL, "--passing", "IMMA=2", "--cuobjdump"]
        expect_refused(counter, [*words, "absent_tool"], ["is no text", "absent_tool was not found", "./bootstrap"])
        expect_refused(counter, [*words, "false"], ["a.cubin: false -sass"])


def main():
    counter = sys.argv[1]
    usage = ["--usage", USAGE]
    expect(counter, [CODE, *KERNEL, *usage, "--passing", "IMMA=2", "FADD.RZ=1", "LDGSTS=1", "--k", "32",
                     "--end", "STG.E.64=1", "--elements", "2"], WITH_COPY + END)
    expect(counter, [CODE, *KERNEL, *usage, "--passing", "STG=1"], WITH_CALL)
    for words, said in FAULTS:
        expect_refused(counter, words, said)
    expect_cubin_refused(counter)


main()
