# SPDX-License-Identifier: Apache-2.0
# tests/e2e/examples_test.py: every example of --help runs as it is printed.

import json
import os
import re
import shutil
import struct
import subprocess

import tensor_files
from command_case import PROGRAM, SOURCES, command_case, main

ROW = {"study": "x", "hash": "", "seed": 1, "phase": "train", "arm": "fp32", "step": 0,
       "outliers": None, "passes": "", "layer": "", "metric": "reward", "value": 0.2,
       "standard_error": None}


class examples_case(command_case):
    def examples_of(self, command):
        """Lines of the help below "Example:" that are commands, without their comments."""
        text = self.run_command(*command.split(), "--help").stdout
        self.assertIn("Example:\n", text)
        lines = [line.strip() for line in text.split("Example:\n")[1].splitlines()]
        return [line.split(" #")[0] for line in lines if line.startswith("mxprism ")]

    def run_examples_of(self, command, timeout=120):
        """Runs them in the shell, as a user would; returns the output of the last one."""
        path = os.path.dirname(PROGRAM) + os.pathsep + os.environ["PATH"]
        lines = self.examples_of(command)
        self.assertTrue(lines)
        timeout *= self.patience()
        self.assertTrue(any(line.startswith(f"mxprism {command}") for line in lines))
        for line in lines:
            done = subprocess.run(line, shell=True, cwd=self.folder, timeout=timeout, check=False,
                                  env=dict(os.environ, PATH=path), capture_output=True,
                                  encoding="utf-8")
            self.assertEqual(done.returncode, 0, f"{line}\n{done.stderr}")
        return done.stdout


class short_examples_test(examples_case):
    def test_examples_of_commands_that_need_no_run(self):
        for command in ("formats", "explain", "quantize", "dequantize", "decompose", "gemm",
                        "vectors", "probe", "probe make", "probe read", "score"):
            with self.subTest(command=command):
                self.assertTrue(self.run_examples_of(command))

    def test_examples_of_dot(self):
        """They begin with a file of words, which no command writes."""
        ones = struct.pack("<16H", *[0x3F80] * 16)
        tensors = {"a": ("U16", [2, 8], ones), "b": ("U16", [2, 8], ones),
                   "c": ("U32", [2], bytes(8)),
                   "d": ("U32", [2], struct.pack("<2I", *[0x41000000] * 2))}
        tensor_files.write_safetensors(self.path("words.safetensors"), tensors)
        self.assertTrue(self.run_examples_of("dot"))

    def test_example_of_report(self):
        run = self.path("out", "default")
        os.makedirs(run)
        study = os.path.join(SOURCES, "sim/studies/default.toml")
        shutil.copy(study, os.path.join(run, "study.toml"))
        with open(os.path.join(run, "metrics.jsonl"), "w", encoding="utf-8") as file:
            for step in range(3):
                file.write(json.dumps(dict(ROW, step=step)) + "\n")
        self.run_examples_of("report")
        self.assertTrue(os.path.getsize(os.path.join(run, "report.html")) > 1000)

    def test_examples_of_sweep(self):
        shutil.copytree(os.path.join(SOURCES, "sim/studies"), self.path("sim", "studies"))
        self.run_examples_of("sweep")
        self.assertTrue(os.path.getsize(self.path("out", "all", "report.html")) > 1000)

    def test_every_command_has_examples_and_a_row_in_the_reference(self):
        listed = self.run_command("--help").stdout.split("Subcommands:\n")[1]
        commands = re.findall(r"^  (\w+) ", listed, re.MULTILINE)
        self.assertIn("verify", commands)
        with open(os.path.join(SOURCES, "docs/command-line.md"), encoding="utf-8") as file:
            rows = re.findall(r"^\| `(\w+)", file.read(), re.MULTILINE)
        self.assertEqual(set(commands), set(rows))
        for command in commands:
            with self.subTest(command=command):
                self.assertTrue(self.examples_of(command))
                self.expect_style(self.run_command(command, "--help").stdout)
        for part in ("make", "read"):
            with self.subTest(command=f"probe {part}"):
                self.expect_style(self.run_command("probe", part, "--help").stdout)

    def expect_style(self, text):
        """Printable lines that fit the page, descriptions that are sentences, indented examples, and no
        type or check as the parser calls it."""
        self.assertTrue(text.replace("\n", "").isprintable(), text)
        for line in text.splitlines():
            if not line.startswith("  mxprism "):
                self.assertLessEqual(len(line), 100, line)
            self.assertNotRegex(line, r"^  -.{25}  [a-z]")
            self.assertNotRegex(line, r"ENUM|\b(?:INT|UINT|FLOAT|TEXT)\b|^  -\S*[{:]")
        self.assertRegex(text, r"\nExample:\n  mxprism ")

    def test_helps_offer_the_corrections_and_presets_that_their_commands_take(self):
        for command, corrections, presets in (("quantize", True, True), ("verify", True, True),
                                              ("explain", False, True), ("decompose", False, False),
                                              ("score", False, False)):
            with self.subTest(command=command):
                text = self.run_command(command, "--help").stdout
                self.assertEqual("+CORRECTION" in text, corrections)
                self.assertEqual("--variant" in text, presets)

    def test_the_version_is_printed(self):
        self.run_command("--version")


def load_tests(loader, _tests, _pattern):
    """The short ones; bench_example, train_example and cost_example run where they are named."""
    return loader.loadTestsFromTestCase(short_examples_test)


class bench_example(examples_case):
    def runTest(self):
        told = json.loads(self.run_examples_of("bench", timeout=900))
        names = [row["name"] for row in told["results"]]
        self.assertEqual(names.count("train.step"), 1)
        for name in ("nvfp4", "mxf4", "sequential"):
            self.assertEqual(names.count("train.step." + name), 1)
        self.assertTrue(all(name.startswith(("extra.", "train.step")) for name in names))
        for row in told["results"]:
            self.assertEqual(set(row), {"name", "value", "unit", "yardstick", "yardstick_value",
                                        "ratio"})


class train_example(examples_case):
    def runTest(self):
        shutil.copytree(os.path.join(SOURCES, "sim/studies"), self.path("sim", "studies"))
        os.mkdir(self.path("out"))
        self.run_examples_of("train", timeout=1200)


class cost_example(examples_case):
    def runTest(self):
        shutil.copytree(os.path.join(SOURCES, "sim/studies"), self.path("sim", "studies"))
        told = self.run_examples_of("cost", timeout=1200)
        for policy in ("default", "Qwen2.5-0.5B", "Qwen2.5-3B", "Qwen3-30B-A3B"):
            self.assertIn(policy, told)


if __name__ == "__main__":
    main()
