# SPDX-License-Identifier: Apache-2.0
# tests/e2e/soak_test.py: an hour of commands and of Python calls in turn, under a watch: the same
# output every time, and no more memory at the end than near the beginning. Commands are processes, whose
# peaks are watched, and the files that they leave; the Python calls share one process, whose memory,
# threads and open files are. MX_SOAK_SECONDS (3600).

import hashlib
import importlib.util
import os
import re
import resource
import shutil
import subprocess
import sys
import tempfile
import time
import unittest

import tiny_study

PROGRAM = os.environ.get("MXPRISM", "mxprism")
SECONDS = float(os.environ.get("MX_SOAK_SECONDS", "3600"))
SKIPPED = 77  # ctest's exit status for "did not run"
MOST_GROWTH = 1.05  # of a command's peak
MOST_GROWTH_BYTES = 8 << 20  # of the process of Python calls

SWEEP = """name = "soak"
measures = ["components"]
[[grid]]
element = ["e2m1", "e4m3"]
block = [16, 32]
scale_rule = ["floor", "rceil"]
[[input]]
name = "laplace"
law = "laplace"
rows = 64
columns = 256
"""

# What they write is in the folder `out`.
COMMANDS = [
    ["quantize", "x.npy", "-o", "out/a.safetensors", "--scale-rule", "rceil"],
    ["quantize", "x.npy", "-o", "out/a.safetensors", "--format", "nvfp4"],
    ["quantize", "x.npy", "-o", "out/a.safetensors", "--rounding", "stochastic"],
    ["quantize", "x.npy", "-o", "out/a.safetensors", "--format", "mxfp4+mbs=128,8"],
    ["quantize", "x.npy", "-o", "out/a.safetensors", "--variant", "torchao.rceil"],
    ["dequantize", "coded.safetensors", "-o", "out/a.safetensors"],
    ["decompose", "x.npy", "--format", "mxfp8-e4m3", "--report", "out/a.html"],
    ["verify", "coded.safetensors", "--input", "x.npy"],
    ["probe", "make", "--format", "mxfp4", "-o", "out/a.safetensors"],
    ["vectors", "scales", "-o", "out/packs"],
    ["explain", "0.3", "-1.2", "4.7", "--format", "nvfp4"],
    ["formats", "--variants"],
    ["sweep", "sweep.toml", "-o", "out/sweep"],
    ["train", "tiny.toml", "-o", "out/run"],
]

# 4096 x 1024 numbers with a spread of magnitudes.
INPUT = r"""
import array, random
drawn = random.Random(7)
numbers = array.array("f", (drawn.gauss(0, 1) * 2.0 ** drawn.randint(-6, 6)
                            for _ in range(1 << 14))) * (1 << 8)
head = "{'descr': '<f4', 'fortran_order': False, 'shape': (4096, 1024), }".ljust(117) + "\n"
with open("x.npy", "wb") as file:
    file.write(b"\x93NUMPY\x01\x00" + len(head).to_bytes(2, "little") + head.encode())
    numbers.tofile(file)
"""

# A process starts with the peak of the one that makes it, so a small one runs the commands: their words
# as a line, then their status and their peak in KiB. What they print is in the file `printed`.
LAUNCHER = """
import os, sys

null = os.open(os.devnull, os.O_RDWR)
for line in sys.stdin:
    printed = os.open("printed", os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    words = line.rstrip("\\n").split("\\t")
    process = os.posix_spawn(words[0], words, os.environ, file_actions=[
        (os.POSIX_SPAWN_DUP2, null, 0), (os.POSIX_SPAWN_DUP2, printed, 1),
        (os.POSIX_SPAWN_DUP2, null, 2)])
    os.close(printed)
    _, status, usage = os.wait4(process, 0)
    print(os.waitstatus_to_exitcode(status), usage.ru_maxrss, flush=True)
"""

CALLS = """
import hashlib, os, sys
import numpy as np
import mxprism

random = np.random.default_rng(1)
inputs = [random.standard_normal(shape).astype(np.float32)
          for shape in ((64, 64), (1, 4096), (257, 96), (512, 1024))]


def figures():
    with open("/proc/self/status", encoding="ascii") as file:
        fields = dict(line.split(":", 1) for line in file)
    return (int(fields["VmRSS"].split()[0]) << 10, int(fields["Threads"]),
            len(os.listdir("/proc/self/fd")))


def calls(digest):
    for x in inputs:
        for form in ("mxfp4", "nvfp4", "mxfp8-e4m3", "mxfp4+of=0.5", "e2m1:e8m3:16"):
            q = mxprism.quantize(x, form)
            digest.update(np.ascontiguousarray(q.dequantize()).tobytes())
        digest.update(repr(mxprism.decompose(x, "mxfp4")).encode())
        digest.update(mxprism.fake_quantize(x, "nvfp4").tobytes())
        try:
            mxprism.quantize(x, "mxfp5")
        except ValueError as error:
            digest.update(str(error).encode())
    a, b = (mxprism.quantize(x, "mxfp4") for x in (inputs[0], inputs[0] + 1))
    for model in ("blackwell.mxf4", "fp32.sequential", "exact.rne"):
        digest.update(np.ascontiguousarray(mxprism.gemm(a, b, model=model)).tobytes())
    q = mxprism.quantize(inputs[2], "mxfp4")
    codes = np.array(q.codes)
    codes[3, 5] ^= 1
    digest.update(repr(mxprism.verify(inputs[2], codes, q.scales, "mxfp4")).encode())


for line in sys.stdin:
    digest = hashlib.sha256()
    calls(digest)
    print(digest.hexdigest(), *figures(), flush=True)
"""


def digest_of(path):
    """Of all files of a folder, but those with times, process ids, or rows in the order of threads."""
    digest = hashlib.sha256()
    for file in sorted(os.path.join(folder, name) for folder, _, names in os.walk(path)
                       for name in names):
        if re.search(r"(run\.lock|\.mxprism|rows-1-of-1\.jsonl)$", file):
            continue
        digest.update(file.encode())
        with open(file, "rb") as content:
            while part := content.read(1 << 20):
                digest.update(part)
    return digest.hexdigest()


class answering_process:
    """A Python script that answers every line with a line of words."""

    def __init__(self, folder, *words):
        self.process = subprocess.Popen([sys.executable, *words], cwd=folder, stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, encoding="utf-8")

    def answer(self, line=""):
        self.process.stdin.write(f"{line}\n")
        self.process.stdin.flush()
        return self.process.stdout.readline().split()

    def end(self):
        self.process.stdin.close()
        self.process.stdout.close()
        self.process.wait()


class soak_test(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = scratch.name
        for name, text in (("sweep.toml", SWEEP), ("tiny.toml", tiny_study.STUDY)):
            with open(os.path.join(self.folder, name), "w", encoding="utf-8") as file:
                file.write(text)
        subprocess.run([sys.executable, "-c", INPUT], cwd=self.folder, check=True)
        self.launcher = self.started("-I", "-S", "-c", LAUNCHER)
        self.run_command(["quantize", "x.npy", "-o", "coded.safetensors"])

    def started(self, *words):
        process = answering_process(self.folder, *words)
        self.addCleanup(process.end)
        return process

    def run_command(self, words):
        """What it prints, and its peak in bytes."""
        status, peak = map(int, self.launcher.answer("\t".join([PROGRAM, *words])))
        self.assertEqual(status, 0, words)
        with open(os.path.join(self.folder, "printed"), "rb") as printed:
            return printed.read(), peak << 10

    def result_of(self, words):
        """A digest of what it prints and writes, and its peak."""
        path = os.path.join(self.folder, "out")
        os.mkdir(path)
        output, peak = self.run_command(words)
        digest = hashlib.sha256(output).hexdigest() + digest_of(path)
        shutil.rmtree(path)
        return digest, peak

    def test_nothing_grows_and_nothing_changes(self):
        expected, peaks, figures, rounds = {}, {}, [], 0
        files = sorted(os.listdir(self.folder))
        calls = self.started("-c", CALLS)
        end = time.monotonic() + SECONDS
        while time.monotonic() < end:
            for words in COMMANDS:
                digest, peak = self.result_of(words)
                self.assertEqual(digest, expected.setdefault(tuple(words), digest), words)
                peaks.setdefault(tuple(words), []).append(peak)
            digest, *found = calls.answer()
            found = [int(figure) for figure in found]
            self.assertEqual(digest, expected.setdefault("calls", digest))
            figures.append(found)
            rounds += 1
            if rounds % 100 == 0:
                left = max(0, end - time.monotonic())
                print(f"{rounds} rounds, {left / 60:.0f} minutes left: {found[0] >> 10} KiB, "
                      f"{found[1]} threads, {found[2]} files", flush=True)
        self.assertEqual(sorted(os.listdir(self.folder)), files)
        self.report(rounds, peaks, figures)

    def report(self, rounds, peaks, figures):
        early = max(1, rounds // 3)
        print(f"{rounds} rounds of {len(COMMANDS)} commands and of Python calls")
        for words, found in peaks.items():
            first, last = max(found[:early]), max(found[-early:])
            print(f"  {' '.join(words)}: peak {first >> 10} KiB, in the end {last >> 10} KiB")
            self.assertLessEqual(last, MOST_GROWTH * first, words)
        first, last = figures[min(early, rounds - 1)], figures[-1]
        print(f"  Python calls: {first[0] >> 10} KiB, {first[1]} threads, {first[2]} files; in the "
              f"end {last[0] >> 10} KiB, {last[1]} threads, {last[2]} files")
        self.assertLessEqual(last[0], first[0] + MOST_GROWTH_BYTES)
        self.assertLessEqual(last[1:], first[1:])


if __name__ == "__main__":
    if importlib.util.find_spec("mxprism") is None or importlib.util.find_spec("numpy") is None:
        print(f"SKIPPED: {os.path.basename(sys.argv[0])}, because Python has no mxprism and numpy "
              "(./bootstrap --oracles, and build again)")
        sys.exit(SKIPPED)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    unittest.main()
