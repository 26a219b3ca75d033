# SPDX-License-Identifier: Apache-2.0
# tests/kernels/verify/library_test.py: mx_verify on users' libraries: the template passes, and every
# planted bug is found and named. A C compiler builds them all; no device is needed.
"""usage: library_test.py FAKE_VERIFY C_COMPILER KERNELS_FOLDER FOLDER [MXPRISM]"""

import os
import shutil
import subprocess
import sys

MATRIX = "quantize.mxfp4.floor.nearest-even.fp32.39x1024.linear.rows"
FLAGS = ("-std=c99", "-pedantic-errors", "-Wall", "-Wextra", "-Werror", "-O2", "-ffp-contract=off", "-fPIC", "-shared")


class Bench:
    """Builds copies of the template, and runs mx_verify on them."""

    def __init__(self, verify, compiler, kernels, folder, mxprism=""):
        self.verify, self.compiler, self.kernels = verify, compiler, kernels
        self.mxprism = mxprism if os.path.exists(mxprism) else ""  # a build of some targets may lack it
        self.folder = os.path.join(folder, "library_test")
        shutil.rmtree(self.folder, ignore_errors=True)
        os.makedirs(self.folder)

    def library(self, name, file="", text="", bug=""):
        """The template, with one text of a file replaced."""
        folder = os.path.join(self.folder, name)
        shutil.copytree(os.path.join(self.kernels, "template"), folder)
        if file:
            path = os.path.join(folder, file)
            with open(path, encoding="utf-8") as source:
                before = source.read()
            if text not in before:
                sys.exit(f"{file} of the template has no {text!r}")
            with open(path, "w", encoding="utf-8") as source:
                source.write(before.replace(text, bug))
        made = os.path.join(folder, "kernels.so")
        subprocess.run([self.compiler, *FLAGS, "-I", os.path.join(self.kernels, "include"),
                        os.path.join(folder, "host_kernels.c"), "-lm", "-o", made], check=True)
        return made

    def run(self, library, *words, absence=""):
        line = [self.verify, "--library", library, "--small", "--golden", "none", "--log",
                os.path.join(self.folder, "log"), "--repro", os.path.join(self.folder, "repro"), *words]
        if self.mxprism:
            line += ["--mxprism", self.mxprism]
        environment = {**os.environ, "MX_FAKE_ABSENCE": absence}
        return subprocess.run(line, capture_output=True, encoding="utf-8", check=False, timeout=300, env=environment)


def expect(condition, done):
    if not condition:
        sys.exit(f"{done.args}: exit status {done.returncode}\n{done.stdout[-4000:]}\n{done.stderr[-4000:]}")


def check_right(bench):
    done = bench.run(bench.library("right"))
    expect(done.returncode == 0 and "memory of the host" in done.stdout, done)
    for line in ("matrices:quantize: 5 cases, 0 differ", "matrices:dequantize: 2 cases, 0 differ",
                 "products:gemm.fp32.fma.mxfp4: 18 cases, 0 differ", "25 cases, 0 differ, 303 were declined"):
        expect(line in done.stdout, done)
    listed = bench.run(os.path.join(bench.folder, "right", "kernels.so"), "--list")
    expect("corrected" not in listed.stdout and "decompose" not in listed.stdout, listed)


def check_wrong_bits(bench):
    """Bugs of arithmetic: the first place that differs, and the group's command."""
    block = "mxfp4_block.h"
    done = bench.run(bench.library("nibbles", block, "first | second << 4", "second | first << 4"), "--only", "quantize.")
    expect(done.returncode == 1 and "matrices:quantize: 5 cases, 5 differ" in done.stdout, done)
    expect(f"{MATRIX}: rows.codes, byte 0: 0x7C instead of 0xC7, row 0, column 0\n" in done.stdout, done)
    expect(not bench.mxprism or "because nibble_order: expected low-first, found high-first" in done.stdout, done)
    done = bench.run(bench.library("ties", block, "y >= 0.75f", "y > 0.75f"), "--only", MATRIX)
    expect(f"{MATRIX}: rows.codes, byte 257: 0x96 instead of 0xA6, row 0, column 515\n" in done.stdout, done)
    done = bench.run(bench.library("scales", block, "biased - 2", "biased - 1"), "--only", "7x33")
    expect("7x33.linear.both-rows: rows.codes, byte 0: 0x" in done.stdout, done)
    done = bench.run(bench.library("order", block, "int64_t i = 0; i < k; ++i", "int64_t i = k - 1; i >= 0; --i"),
                     "--only", "33x17x96.near")
    expect("gemm.fp32.fma.mxfp4.33x17x96.near.near.library: (0, 0): 0x" in done.stdout, done)
    expect(not bench.mxprism or "fp32.fma " in done.stdout, done)


def check_wrong_writes(bench):
    kernels = "host_kernels.c"
    beyond = bench.library("beyond", kernels, "block < r->rows * blocks;", "block <= r->rows * blocks;")
    done = bench.run(beyond, "--only", MATRIX)
    expect(done.returncode == 3 and "codes has 19968 bytes, and byte 19968 was written" in done.stderr, done)
    inputs = bench.library("inputs", kernels, "  const int64_t blocks = blocks_of(r->k);",
                           "  const int64_t blocks = blocks_of(r->k);\n  ((uint8_t*)r->a.codes)[3] ^= 1;")
    done = bench.run(inputs, "--only", "33x17x96.near")
    expect(done.returncode == 3 and "a.codes is an input, and its byte 3 was written" in done.stderr, done)
    failing = bench.library("failing", kernels, "return mx_user_done;", "return 7;")
    done = bench.run(failing, "--only", MATRIX)
    expect(done.returncode == 3 and "mx_user_quantize returned 7" in done.stderr, done)


def check_refused(bench):
    """Libraries that cannot be used: status 2 and one line."""
    kernels = "host_kernels.c"
    cases = (("version", "return MX_USER_VERSION", "return 2", "has version 2 of mx/kernels/user_library.h, and 1 is needed"),
             ("symbol", "mx_user_status mx_user_product(", "mx_user_status mx_user_products(", "has no symbol mx_user_product;"),
             ("memory", "mx_user_host_memory", "7", "mx_user_memory returns 7; expected"),
             ("nothing", "if (!serves_", "if (r != NULL || serves_", "declined all 6 cases, so nothing was compared"))
    for name, text, bug, sentence in cases:
        done = bench.run(bench.library(name, kernels, text, bug), "--group", "products:gemm.fp32.fma.nvfp4",
                         "--only", "33x17x96")
        lines = done.stderr.splitlines()
        expect(done.returncode == 2 and len(lines) == 1 and sentence in lines[0], done)
        expect(lines[0].startswith("mx_verify: error: ") and f"{name}/kernels.so: " in lines[0], done)
    done = bench.run(os.path.join(bench.folder, "absent.so"))
    expect(done.returncode == 2 and "absent.so: cannot be loaded: " in done.stderr, done)


def check_device_memory(bench):
    """A library for devices: none without a device, else in the layer's memory."""
    library = bench.library("device", "host_kernels.c", "mx_user_host_memory", "mx_user_device_memory")
    done = bench.run(library, absence="no CUDA device can be used: there is none")
    expect(done.returncode == 3 and "no CUDA device can be used" in done.stderr and "matrices:" not in done.stdout, done)
    done = bench.run(library, "--only", MATRIX)
    expect(done.returncode == 0 and 'a "fake" device' in done.stdout and "1 cases, 0 differ" in done.stdout, done)


def main(*words):
    bench = Bench(*words)
    check_right(bench)
    check_wrong_bits(bench)
    check_wrong_writes(bench)
    check_refused(bench)
    check_device_memory(bench)


if __name__ == "__main__":
    main(*sys.argv[1:])
