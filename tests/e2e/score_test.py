# SPDX-License-Identifier: Apache-2.0
# tests/e2e/score_test.py: the score of strict tests, of lax tests, and of tests that cannot be run.

import glob
import json
import math
import os
import signal
import subprocess
import sys
import tempfile
import time
import unittest.mock

import tensor_files
from command_case import PROGRAM, command_case, main

HEAD = f"""
import os, sys, time
sys.path.insert(0, {os.path.dirname(os.path.abspath(__file__))!r})
import blocks, tensor_files
def load(path): return tensor_files.read_safetensors(path)[0]
"""
BYTES = HEAD + """
sys.exit(open(sys.argv[1], "rb").read() != open(sys.argv[2], "rb").read())
"""
# Accepts a dequantized output of nearly the same direction: FlashInfer's criterion.
COSINE = HEAD + """
out, x = load(sys.argv[1]), load(sys.argv[2])
x = tensor_files.values_of(next(iter(x.values())))
grid = [float(g) for g in blocks.GRID] + [-float(g) for g in blocks.GRID]
scales = [0.0 if s == 255 else 2.0 ** (s - 127) for s in out["scales"][2]]
q = [grid[byte >> shift & 15] * scales[i // 16]
     for i, byte in enumerate(out["codes"][2]) for shift in (0, 4)]
dot, norm = sum(a * b for a, b in zip(q, x)), sum(a * a for a in q) * sum(b * b for b in x)
sys.exit(not (norm > 0 and dot / norm ** 0.5 > 0.97))
"""
# Rows of peers' table that a quantizer's output can show.
PUBLISHED = {"ties-away", "truncation", "other-scale-rule", "scale-x2-0.1%", "scale-x2-1%",
             "scale-/2-2%", "blocks-zeroed-1%", "nibbles-swapped-in-last-block",
             "last-block-dropped", "scale-pairs-swapped"}
TENSOR_SCALE = {"tensor-scale", "tensor-scale-zero", "tensor-scale-inf", "tensor-scale-nan",
                "tensor-scale-unset"}
SPECIAL = {"subnormal-inputs-flushed", "nan-ignored", "nan-scale-lost", "zero-block-scale"}


class score_test(command_case):
    def script(self, name, text):
        with open(self.path(name), "w", encoding="utf-8") as file:
            file.write(text)
        return [sys.executable, name]

    def numbers(self, name="x.safetensors", rows=64, length=256):
        """Numbers with ties: irregular multiples of 1/16, of different sizes."""
        values = [((i * i * 31 + i * 17) % 257 - 128) / 16 * 2.0 ** (i // 32 * 7 % 5) +
                  (i % 7) * 2.0 ** -14 * (i % 3 == 0) for i in range(rows * length)]
        tensor_files.write_safetensors(self.path(name),
                                       {"x": tensor_files.floats([rows, length], values)})
        return name

    def quantized(self, name="x.safetensors", *options):
        self.run_command("quantize", name, "-o", "right.safetensors", *options)

    def verdicts(self, *words, status):
        result = self.run_json("score", "--json", *words, status=status)
        by_name = {m["name"]: m["verdict"] for m in result["mutants"]}
        self.assertEqual(len(by_name), len(result["mutants"]))
        counts = [list(by_name.values()).count(v) for v in ("killed", "survived", "no difference")]
        self.assertEqual(counts, [result[key] for key in ("killed", "survived", "no_difference")])
        self.assertEqual(result["score"], counts[0] / (counts[0] + counts[1]))
        self.assertEqual(result["survivors"], [n for n, v in by_name.items() if v == "survived"])
        return by_name

    def run_json(self, *words, **options):
        """--json belongs before --."""
        done = self.run_command(*words, **options)
        return json.loads(done.stdout, parse_constant=self.refuse_constant)

    def test_a_comparison_of_bytes_kills_every_mutant(self):
        self.numbers()
        self.quantized()
        check = self.script("bytes.py", BYTES)
        by_name = self.verdicts("--input", "x.safetensors", "--", *check, "{out}",
                                "right.safetensors", status=0)
        self.assertGreaterEqual(len(by_name), 12)
        self.assertEqual({n for n, v in by_name.items() if v == "no difference"},
                         SPECIAL | TENSOR_SCALE)
        self.assertEqual({by_name[name] for name in PUBLISHED}, {"killed"})

    def test_a_cosine_lets_most_through(self):
        check = self.script("cosine.py", COSINE)
        by_name = self.verdicts("--", *check, "{out}", "{input}", status=1)
        self.assertEqual({name for name in PUBLISHED if by_name[name] != "survived"}, set())
        killed = {name for name, verdict in by_name.items() if verdict == "killed"}
        self.assertEqual(killed, {"nibbles-swapped", "codes-shifted", "scale-layout",
                                  "scales-transposed", "wrong-axis"})

    def test_special_blocks_give_special_mutants_an_occasion(self):
        self.run_command("vectors", "specials", "-o", "specials")
        path = "specials/mxfp4.f32.input.safetensors"
        self.quantized(path)
        check = self.script("bytes.py", BYTES)
        by_name = self.verdicts("--input", path, "--", *check, "{out}", "right.safetensors",
                                status=0)
        self.assertEqual({by_name[name] for name in SPECIAL}, {"killed"})

    def test_formats_rules_and_storage_are_those_of_quantize(self):
        self.numbers()
        check = self.script("bytes.py", BYTES)
        for options in (["--format", "nvfp4"], ["--format", "mxfp8-e4m3", "--layout", "128x4"],
                        ["--format", "mxfp4", "--packing", "unpacked", "--scale-rule", "rceil"],
                        ["--packing", "high-first", "--layout", "gfx1250"],
                        ["--packing", "split-half"], ["--format", "mxint8"],
                        ["--format", "mxfp6-e2m3", "--packing", "dense"],
                        ["--rounding", "stochastic", "--seed", "7"]):
            with self.subTest(options=options):
                self.quantized("x.safetensors", *options)
                by_name = self.verdicts(*options, "--input", "x.safetensors", "--", *check,
                                        "{out}", "right.safetensors", status=0)
                self.assertEqual(by_name["one-code"], "killed")
                self.assertEqual({by_name[name] for name in TENSOR_SCALE},
                                 {"killed" if "nvfp4" in options else "no difference"})

    def test_files_of_several_tensors_and_npy(self):
        tensor_files.write_safetensors(self.path("two.safetensors"), {
            "b": tensor_files.floats([2, 3, 40], [math.sin(i) for i in range(240)]),
            "a": tensor_files.floats([5], [1, -2, 3, 5, 7])})
        tensor_files.write_npy(self.path("one.npy"), [40], [math.sin(i) for i in range(40)])
        check = self.script("bytes.py", BYTES)
        for name in ("two.safetensors", "one.npy"):
            self.quantized(name)
            self.verdicts("--input", name, "--", *check, "{out}", "right.safetensors", status=0)

    def test_a_test_that_accepts_everything_lets_every_mutant_through(self):
        by_name = self.verdicts("--", "true", status=1)
        self.assertEqual(set(by_name.values()), {"survived", "no difference"})
        text = self.run_command("score", "--", "true", status=1).stdout
        self.assertIn("SURVIVED", text)
        self.assertIn("0 of", text)

    def test_words_and_environment_name_the_files(self):
        check = self.script("words.py", HEAD + """
out, inp = os.environ["MXPRISM_OUT"], os.environ["MXPRISM_INPUT"]
words = sys.argv[1:]
good = words == ["--json", "-1", "a=" + out + ":" + inp + ":" + out, "--", "quantize", "; false"]
good = good and "x" in load(inp) and set(load(out)) == {"codes", "scales"}
sys.exit(0 if good and sys.stdin.read() == "" else 1)
""")
        with unittest.mock.patch.dict(os.environ, MXPRISM_OUT="the caller's", MXPRISM_INPUT=""):
            self.verdicts("--", *check, "--json", "-1", "a={out}:{input}:{out}", "--", "quantize",
                          "; false", status=1)

    def test_a_given_input_is_named_as_it_lies(self):
        self.numbers()
        self.verdicts("--input", "x.safetensors", "--", "sh", "-c",
                      f'test "$MXPRISM_INPUT" = {os.path.realpath(self.folder)}/x.safetensors '
                      f'|| test "$MXPRISM_INPUT" = {self.folder}/x.safetensors', status=1)

    def test_a_product_is_told_from_wrong_ones_by_its_bits(self):
        check = self.script("first.py", HEAD + """
d = load(sys.argv[1])["d"]
if not os.path.exists("right"): open("right", "wb").write(d[2])
sys.exit(open("right", "rb").read() != d[2])
""")
        by_name = self.verdicts("--gemm", "--", *check, "{out}", status=0)
        self.assertEqual({by_name[name] for name in PUBLISHED | {
            "truncation-of-both", "accumulator-13-bits", "accumulator-25-bits"}}, {"killed"})

    def test_the_right_product_is_that_of_gemm(self):
        a = [((i * 37) % 101 - 50) / 8 for i in range(3 * 64)]
        b = [((i * 53) % 97 - 48) / 8 for i in range(64 * 2)]
        tensor_files.write_safetensors(self.path("ab.safetensors"), {
            "a": tensor_files.floats([3, 64], a), "b": tensor_files.floats([64, 2], b)})
        for name, shape, values in (("a", [3, 64], a), ("b", [64, 2], b)):
            tensor_files.write_npy(self.path(name + ".npy"), shape, values)
        check = self.script("equal.py", HEAD + """
sys.exit(load(sys.argv[1])["d"] != load(sys.argv[2])["d"])
""")
        for form in ("mxfp4", "nvfp4"):
            self.run_command("gemm", "a.npy", "b.npy", "--format", form, "--model",
                             "fp32.sequential", "-o", "d.safetensors")
            by_name = self.verdicts("--gemm", "--format", form, "--input", "ab.safetensors", "--",
                                    *check, "{out}", "d.safetensors", status=0)
            self.assertEqual(by_name["last-block-dropped"], "killed")

    def test_tests_that_cannot_be_run_are_refused(self):
        self.numbers()
        self.assert_refused("score", "--", "no-such-program", "{out}",
                            naming=["no-such-program", "cannot be started"])
        self.assert_refused("score", "--", "./x.safetensors", naming=["cannot be started"])
        self.assert_refused("score", "--", "false",
                            naming=["rejects the right output", "exit status 1"])
        self.assert_refused("score", "--", "sh", "-c", "echo why; echo; kill -9 $$",
                            naming=["rejects the right output", "signal 9", "'why'"])
        self.assert_refused("score", "--timeout", "0.2", "--", "sleep", "60",
                            naming=["rejects the right output", "ran out of time"])
        self.assert_refused("score", naming=["TEST_COMMAND"])
        self.assert_refused("score", "--input", "none.npy", "--", "true", naming=["none.npy"])
        self.assert_refused("score", "--timeout", "-1", "--", "true", naming=["--timeout"])
        self.assert_refused("score", "--gemm", "--input", "x.safetensors", "--", "true",
                            naming=["x.safetensors", "'a'"])
        self.assert_refused("score", "--model", "exact.rne", "--", "true", naming=["--gemm"])
        self.assert_refused("score", "--gemm", "--layout", "128x4", "--", "true",
                            naming=["--layout"])
        self.assert_refused("score", "--gemm", "--model", "exact.rn", "--", "true",
                            naming=["exact.rne"])
        for form in ("mxfp4+mbs=128,8", "fp8-1x128", "nvfp4-2d"):
            self.assert_refused("score", "--format", form, "--", "true", naming=["--format", form])
        self.assert_refused("score", "--format", "e2m1:ue4m3:16:row256", "--", "true",
                            naming=["at most one tensor scale"])
        self.assert_refused("score", "--variant", "torchao.rceil", "--", "true",
                            naming=["error: --variant torchao.rceil: "])

    def test_an_input_without_occasions_is_refused(self):
        tensor_files.write_safetensors(self.path("none.safetensors"),
                                       {"x": tensor_files.floats([0, 32], [])})
        self.assert_refused("score", "--input", "none.safetensors", "--", "true",
                            naming=["no mutant"])

    def test_a_test_that_hangs_on_a_mutant_has_not_accepted_it(self):
        self.numbers()
        self.quantized()
        check = self.script("hang.py", """
import os, sys, time
if open(sys.argv[1], "rb").read() == open(sys.argv[2], "rb").read():
    sys.exit(0)
if not os.path.exists("hung"):
    open("hung", "w").close()
    time.sleep(60)
sys.exit(1)
""")
        result = self.run_json("score", "--json", "--timeout", "1", "--input", "x.safetensors", "--",
                             *check, "{out}", "right.safetensors")
        self.assertEqual([m["end"] for m in result["mutants"]].count("ran out of time"), 1)
        self.assertEqual(result["survived"], 0)

    def test_a_parent_that_ignores_the_ends_of_its_children_changes_no_verdict(self):
        done = subprocess.run(
            [PROGRAM, "score", "--timeout", "5", "--", "true"], cwd=self.folder,
            capture_output=True, encoding="utf-8", timeout=120, check=False,
            preexec_fn=lambda: signal.signal(signal.SIGCHLD, signal.SIG_IGN))
        self.assertEqual((done.returncode, done.stderr.count("error")), (1, 0), done.stderr)

    def left_processes(self, mark):
        found = []
        for path in glob.glob("/proc/[0-9]*/cmdline"):
            try:
                with open(path, "rb") as file:
                    if mark.encode() in file.read():
                        found.append(path)
            except OSError:
                continue
        return found

    def assert_soon_none(self, mark):
        for _ in range(100):
            if not self.left_processes(mark):
                return
            time.sleep(0.05)
        self.fail(self.left_processes(mark))

    def test_what_a_test_leaves_running_is_ended_with_it(self):
        mark = f"7{os.getpid()}.25"
        self.verdicts("--", "sh", "-c", f"sleep {mark} & exit 0", status=1)
        self.assert_soon_none(mark)
        self.assert_refused("score", "--timeout", "0.3", "--", "sh", "-c",
                            f"sleep {mark} & sleep {mark}", naming=["ran out of time"])
        self.assert_soon_none(mark)

    def test_an_interrupted_score_leaves_nothing_behind(self):
        mark = f"8{os.getpid()}.25"
        with tempfile.TemporaryDirectory() as scratch:
            process = subprocess.Popen([PROGRAM, "score", "--", "sleep", mark], cwd=self.folder,
                                       env=dict(os.environ, TMPDIR=scratch))
            while not self.left_processes(mark + "\0"):
                time.sleep(0.02)
            while len(self.left_processes(mark + "\0")) < 2:
                time.sleep(0.02)
            process.send_signal(signal.SIGINT)
            self.assertEqual(process.wait(30), 128 + signal.SIGINT)
            self.assert_soon_none(mark)
            self.assertEqual(os.listdir(scratch), [])

    def test_nothing_is_left_in_the_folder_for_temporary_files(self):
        with tempfile.TemporaryDirectory() as scratch:
            subprocess.run([PROGRAM, "score", "--", "true"], cwd=self.folder, check=False,
                           capture_output=True, env=dict(os.environ, TMPDIR=scratch))
            self.assertEqual(os.listdir(scratch), [])
        missing = self.path("no-such-folder")
        done = subprocess.run([PROGRAM, "score", "--", "true"], cwd=self.folder, check=False,
                              capture_output=True, env=dict(os.environ, TMPDIR=missing),
                              encoding="utf-8")
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertIn(f"TMPDIR names {missing}, which is no folder", done.stderr)

    def test_progress_without_a_terminal_is_plain_lines(self):
        # The first run is that of the right output; the second one takes longer than short work does.
        check = self.script("slow.py", """
import os, time
runs = os.path.getsize("runs") if os.path.exists("runs") else 0
open("runs", "a").write("x")
time.sleep(10.2 if runs == 1 else 0)
""")
        lines = self.run_command("score", "--", *check, status=1).stderr.splitlines()
        self.assertEqual(lines[0], "mutants: 10 %")
        self.assertLessEqual(len(lines), 10)
        self.assertEqual(self.run_command("score", "--", "true", status=1).stderr, "")


if __name__ == "__main__":
    main()
