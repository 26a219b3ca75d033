# SPDX-License-Identifier: Apache-2.0
# tests/e2e/policy_sweep_test.py: `sweep` on a policy: rows that `train` agrees with, interrupted, in
# parts, and what it refuses.

import csv
import json
import os

import tiny_study
from command_case import command_case, main

SWEEP = """
name = "policies"
measures = ["total", "frozen", "training"]
[[input]]
name = "drawn"
law = "gaussian"
rows = 4
columns = 256
[[input]]
name = "tiny"
policy = "study.toml"
texts = "texts.jsonl"
steps = 2
[[grid]]
format = ["mxfp4", "mxfp8-e4m3"]
scale_rule = ["floor", "rceil"]
"""
RESULTS = ("results.csv", "results.jsonl", "report.html")


# A warm-up after which some answers are right, and a rate at which training changes them.
STUDY = tiny_study.STUDY.replace(
    "steps = 8", "steps = 192\nlearning_rate = 1e-2").replace(
    "[grpo]", "[grpo]\nlearning_rate = 1e-2").replace("final_problems = 32", "final_problems = 64")
TEXTS = "".join(
    json.dumps({"tokens": [(3 * i * t + t) % 30 for t in range(6 + 2 * i)]}) + "\n" for i in range(4))


class policy_sweep_test(command_case):
    def setUp(self):
        super().setUp()
        self.write_text("s.toml", SWEEP)
        self.write_text("study.toml", STUDY)
        self.write_text("texts.jsonl", TEXTS)

    def rows(self, folder):
        with open(self.path(folder, "results.csv"), newline="", encoding="utf-8") as file:
            return {(row["point"], row["input"]): row for row in csv.DictReader(file)}

    def assert_same_results(self, one, other):
        for name in RESULTS:
            self.assertEqual(self.read_text(one, name), self.read_text(other, name), name)

    def test_rows_are_those_of_train_and_the_page_has_their_metrics(self):
        told = self.run_json("sweep", "s.toml", "-o", "out", "--threads", "1")
        self.assertEqual((told["points"], told["missing_rows"]), (4, 0))
        rows = self.rows("out")
        self.assertEqual(len(rows), 8)
        row = rows["mxfp4 rceil", "tiny"]
        self.assertGreater(float(row["kl"]), float(rows["mxfp8-e4m3 rceil", "tiny"]["kl"]))
        self.assertEqual((row["sqnr_db"], rows["mxfp4 rceil", "drawn"]["kl"]), ("", ""))
        self.run_command("train", "study.toml", "grpo.steps=2", "-o", "run", "--threads", "1")
        with open(self.path("run", "metrics.csv"), newline="", encoding="utf-8") as file:
            trained = {(line["arm"], line["metric"]): float(line["value"])
                       for line in csv.DictReader(file) if line["step"] == "2"}
        accuracy = trained["mxfp4", "accuracy_final_in_fp32"]
        self.assertEqual(float(row["accuracy_final_in_fp32"]), accuracy)
        self.assertNotIn(accuracy, (trained["fp32", "accuracy_final_in_fp32"],
                                    float(row["accuracy_at_start"])))
        self.assertEqual(float(row["accuracy_gap"]),
                         trained["fp32", "accuracy_final_in_fp32"] - accuracy)
        self.assertEqual(float(row["rollout_entropy"]), trained["mxfp4", "entropy"])
        page = self.read_text("out", "report.html")
        for text in ("tiny: best kl", "drawn: best sqnr_db", "accuracy_final_in_fp32", "greedy_agreement"):
            self.assertIn(text, page)

    def test_an_interrupted_sweep_goes_on_to_the_same_bytes(self):
        self.run_json("sweep", "s.toml", "-o", "whole")
        self.run_json("sweep", "s.toml", "-o", "part", "--threads", "1")
        journal = self.path("part", "rows-1-of-1.jsonl")
        with open(journal, encoding="utf-8") as file:
            lines = file.readlines()
        kept = lines[:5]
        with open(journal, "w", encoding="utf-8") as file:
            file.writelines([*kept, lines[5][:20]])
        for name in RESULTS:
            os.remove(self.path("part", name))
        warm_up = os.listdir(self.path("part", "policies"))
        self.assertEqual(len(warm_up), 1)
        before = os.stat(self.path("part", "policies", warm_up[0])).st_mtime_ns
        self.run_json("sweep", "s.toml", "-o", "part")
        with open(journal, encoding="utf-8") as file:
            self.assertEqual(file.readlines()[:5], kept)
        self.assertEqual(os.listdir(self.path("part", "policies")), warm_up)
        self.assertEqual(os.stat(self.path("part", "policies", warm_up[0])).st_mtime_ns, before)
        self.assert_same_results("whole", "part")

    def test_parts_are_merged(self):
        self.run_json("sweep", "s.toml", "-o", "whole")
        for part in ("1", "2"):
            self.run_json("sweep", "s.toml", "-o", f"part{part}", "--shard", f"{part}/2")
        told = self.run_json("sweep", "s.toml", "-o", "all", "--merge", "part1", "part2")
        self.assertEqual(told["missing_rows"], 0)
        self.assert_same_results("whole", "all")

    def test_what_makes_no_sense_is_refused_before_anything_is_written(self):
        def refused(text, *naming):
            self.write_text("bad.toml", text)
            self.assert_refused("sweep", "bad.toml", "-o", "bad", naming=naming)

        refused(SWEEP.replace('"study.toml"', '"absent.toml"'), "absent.toml")
        refused(SWEEP.replace('"texts.jsonl"', '"absent.jsonl"'), "absent.jsonl")
        refused(SWEEP.replace('"total", ', ""), "bad.toml:3", "the input drawn", '"total"')
        refused(SWEEP.replace(', "training"', ""), "bad.toml:3", '"training"', "steps")
        refused(SWEEP.replace("format = [\"mxfp4\", \"mxfp8-e4m3\"]", "block = \"16x16\""),
                "bad.toml", "no point is left", "2 of 2: input tiny: X of rollout")
        refused('invalid = "refuse"\n' + SWEEP.replace("\"mxfp8-e4m3\"", "\"e2m1:e8m0:16x16\""),
                "bad.toml", "format=e2m1:e8m0:16x16", "input tiny: X of rollout")


if __name__ == "__main__":
    main()
