# SPDX-License-Identifier: Apache-2.0
# tests/e2e/shown_text_test.py: names and texts from files are printed without control characters,
# and an error is one line for any input.

import json
import os
import re

import tensor_files
from command_case import SOURCES, command_case, main

ROW = {"phase": "frozen", "seed": 1, "step": None, "outliers": 1, "passes": None, "layer": None,
       "metric": "kl", "value": 0.06, "standard_error": 0.01}
# Sets the title of a window, in one byte and, as U+009D, in one character; clears the screen.
HOSTILE = "a\x1b]0;owned\x07\u009d0;owned\u009c\x1b[2J\r\nb\x7f"


class shown_text_test(command_case):
    def assert_shown(self, text):
        """All characters but ends of lines are printable."""
        self.assertIsNone(re.search("[\x00-\x09\x0b-\x1f\x7f-\x9f]", text), repr(text))

    def test_arms_of_a_report(self):
        os.mkdir(self.path("run"))
        with open(os.path.join(SOURCES, "sim", "studies", "default.toml"),
                  encoding="utf-8") as study:
            self.write_text("run/study.toml", study.read())
        rows = [json.dumps({**ROW, "arm": arm}) for arm in (HOSTILE, "caf\u00e9")]
        self.write_text("run/metrics.jsonl", "\n".join(rows) + "\n")
        done = self.run_command("report", "run")
        self.assert_shown(done.stdout)
        self.assertIn(r"a\x1b]0;owned\x07\xc2\x9d0;owned\xc2\x9c\x1b[2J\x0d\x0ab\x7f", done.stdout)
        self.assertIn("caf\u00e9", done.stdout)

    def test_errors_about_texts_of_files(self):
        escaped = json.dumps(HOSTILE)
        self.write_text("study.toml", f"[run]\nseed = {escaped}\n")
        self.write_text("format.toml", f"element = {escaped}\n")
        self.write_text("key.toml", f"{escaped} = 1\n")
        tensor_files.write_safetensors(
            self.path("x.safetensors"), {"x": tensor_files.floats([32], [1.0] * 32)})
        tensor_files.write_safetensors(
            self.path("coded.safetensors"), {"codes": ("U8", [16], b"\0" * 16),
                                             "scales": ("U8", [1], b"\0")}, {"format": HOSTILE})
        tensor_files.write_safetensors(
            self.path("named.safetensors"), {HOSTILE: ("I64", [1], b"\0" * 8)})
        for words in (["train", "study.toml", "-o", "run"],
                      ["explain", "1", "--format", "@format.toml"],
                      ["explain", "1", "--format", "@key.toml"],
                      ["dequantize", "coded.safetensors", "-o", "out.safetensors"],
                      ["quantize", "named.safetensors", "-o", "out.safetensors"],
                      ["quantize", "x.safetensors", "-o", "out.safetensors", "--format", HOSTILE],
                      ["explain", "1", "--format", "e2m1", "--scale-rule", HOSTILE], [HOSTILE]):
            with self.subTest(words=words):
                self.assert_refused(*words)
                self.assert_shown(self.run_command(*words, status=2).stderr)

    def test_names_of_tensors(self):
        tensor_files.write_safetensors(
            self.path("x.safetensors"), {HOSTILE: tensor_files.floats([32], [1.0] * 32)})
        for words in (["quantize", "x.safetensors", "-o", "out.safetensors"],
                      ["decompose", "x.safetensors"]):
            with self.subTest(words=words):
                self.assert_shown(self.run_command(*words).stdout)


if __name__ == "__main__":
    main()
