#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# kernels/bench/instruction_counts.py: the instructions of a kernel's hot loop, by class, in its machine code.
"""Counts the instructions of one pass of a kernel's hot loop, and of its end, in machine code.

A pass is the cheapest path from the head of the loop back to it that executes exactly the given numbers
of instructions, so that branches are left out which a usual pass does not take. Inner loops are passed
once, called functions are counted along their cheapest path. Predicated instructions count.

example: nvcc ... -cubin -o gemm.cubin kernels/src/gemm/gemm.cu
         instruction_counts.py gemm.cubin --kernel 10mma_kernel.*E1E --passing IMMA=32 LDGSTS=5 --k 64
"""
import argparse
import collections
import pathlib
import re
import shutil
import subprocess
import sys

from machine_code import CLASSES, Blocks, Paths, class_of, functions_in


class BadInput(Exception):
    pass


def cuobjdump_of(name):
    """The program, or that of ./bootstrap --cuda-counts; None if there is neither."""
    toolkit = pathlib.Path(__file__).resolve().parents[2] / "build/cuda-toolkit/toolkit/bin"
    return shutil.which(name) or shutil.which(name, path=toolkit)


def text_of(file, option, name):
    """A text as it is; of other files what cuobjdump prints with an option."""
    try:
        data = pathlib.Path(file).read_bytes()
    except OSError as error:
        raise BadInput(f"{file}: {error.strerror}") from error
    if b"\0" not in data:
        return data.decode(errors="replace")
    tool = cuobjdump_of(name)
    if tool is None:
        raise BadInput(f"{file} is no text, and {name} was not found: ./bootstrap --cuda-counts installs it; "
                       "name it by --cuobjdump")
    done = subprocess.run([tool, option, file], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise BadInput(f"{file}: {name} {option}: {(done.stderr or done.stdout).strip()}")
    return done.stdout


def chosen(found, options):
    names = [name for name in found if re.search(options.kernel, name)]
    if len(names) == 1:
        return names[0]
    listed = "".join(f"\n  {name}" for name in names or found)
    raise BadInput(f"{options.file}: --kernel {options.kernel} matches {len(names)} functions; name one of{listed}")


def required_of(words):
    """Opcode -> number."""
    for word in words:
        if not re.fullmatch(r"[A-Z][\w.]*=[1-9]\d*", word):
            raise BadInput(f"{word}: give OPCODE=NUMBER, such as IMMA=32")
    return {name: int(number) for name, number in (word.split("=") for word in words)}


def usage_of(text, name):
    """Registers and stack of a kernel, of the text of cuobjdump -res-usage."""
    match = re.search(rf"Function {re.escape(name)}:\s*\n\s*REG:(\d+) STACK:(\d+)", text)
    return f"{match[1]} registers, {match[2]} bytes of stack, " if match else ""


def spills_of(body):
    return f"{sum(class_of(i) == 'local' for i in body)} instructions on local memory, {len(body)} in all"


def report(title, found, share):
    counts = collections.Counter(class_of(i) for i in found)
    print(f"{title}, {found[0].address:#x} to {found[-1].address:#x}: {len(found)}{share(len(found))}")
    for name in CLASSES:
        if counts[name]:
            print(f"  {name:<8} {counts[name]:>6}{share(counts[name])}")


def count(options):
    required = required_of(options.passing)
    functions = functions_in(text_of(options.file, "-sass", options.cuobjdump))
    if not functions:
        raise BadInput(f"{options.file}: no function with instructions; is this the text of cuobjdump -sass?")
    kernel = chosen(functions, options)
    blocks = Blocks(functions[kernel])
    found, loop = Paths(blocks, required).hot_loop()
    if found is None:
        raise BadInput(f"{options.file}: no loop of {kernel} has a pass with exactly {' '.join(options.passing)}")
    after = end_of(blocks, loop, options) if options.end else []
    usage = usage_of(text_of(options.usage or options.file, "-res-usage", options.cuobjdump), kernel)
    print(f"{kernel}\n{usage}{spills_of(functions[kernel])}")
    report("a pass of the loop", found, lambda n: f", {n * 64 / options.k:g} for 64 of k" if options.k else "")
    if after:
        elements = options.elements
        report("the end", after, lambda n: f", {n / elements:.1f} an element" if elements else "")


def end_of(blocks, loop, options):
    found = Paths(blocks, required_of(options.end)).end_after(loop)
    if found is None:
        raise BadInput(f"{options.file}: no path from the loop to the end with exactly {' '.join(options.end)}")
    return found


def positive(word):
    if not re.fullmatch(r"[1-9]\d*", word):
        raise argparse.ArgumentTypeError(f"{word} is no positive number")
    return int(word)


def parsed(words):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", help="the text of cuobjdump -sass, or a cubin or program to run it on")
    parser.add_argument("--kernel", required=True, metavar="PATTERN", help="found in one mangled name")
    parser.add_argument("--passing", required=True, nargs="+", metavar="OPCODE=NUMBER", help="of a pass of the loop")
    parser.add_argument("--k", type=positive, metavar="N", help="of k in a pass")
    parser.add_argument("--end", nargs="+", metavar="OPCODE=NUMBER", help="also count the path from the loop to the end")
    parser.add_argument("--elements", type=positive, metavar="N", help="that a thread stores at the end")
    parser.add_argument("--usage", metavar="FILE", help="the text of cuobjdump -res-usage, if FILE is a text")
    parser.add_argument("--cuobjdump", default="cuobjdump", metavar="PROGRAM")
    return parser.parse_args(words)


def main():
    try:
        count(parsed(sys.argv[1:]))
    except (BadInput, re.error) as error:
        print(f"instruction_counts.py: error: {error}", file=sys.stderr)
        sys.exit(2)


if __name__ == "__main__":
    main()
