# SPDX-License-Identifier: Apache-2.0
# tests/e2e/sweep_test.py: `sweep`: interrupted, in parts, on files, and what it refuses.

import csv
import os
import struct
import subprocess
import time

import tensor_files
from command_case import PROGRAM, command_case, main

STUDY = """
name = "small"
constraints = ["bits <= 6"]
[[input]]
name = "drawn"
law = "gaussian"
rows = 8
columns = 512
[[grid]]
element = ["e2m1", "int4"]
block = [16, 32]
scale_rule = ["floor", "rceil"]
"""
RESULTS = ("results.csv", "results.jsonl", "report.html")


class sweep_test(command_case):
    def setUp(self):
        super().setUp()
        self.write_text("s.toml", STUDY)

    def rows(self, folder):
        with open(self.path(folder, "results.csv"), newline="", encoding="utf-8") as file:
            return list(csv.DictReader(file))

    def assert_same_results(self, one, other):
        for name in RESULTS:
            self.assertEqual(self.read_text(one, name), self.read_text(other, name), name)

    def test_results_are_the_same_for_any_number_of_threads(self):
        told = self.run_json("sweep", "s.toml", "-o", "one", "--threads", "1")
        self.assertEqual((told["points"], told["combinations"], told["missing_rows"]), (8, 8, 0))
        self.run_json("sweep", "s.toml", "-o", "two", "--threads", "2")
        self.assert_same_results("one", "two")
        self.assertEqual(len(self.rows("one")), 8)
        self.assertEqual({row["violations"] for row in self.rows("one")}, {"0.0"})

    def test_parts_are_merged(self):
        self.run_json("sweep", "s.toml", "-o", "whole")
        for part in ("1", "2"):
            told = self.run_json("sweep", "s.toml", "-o", f"part{part}", "--shard", f"{part}/2")
            self.assertEqual(told["missing_rows"], 4)
            self.assertFalse(os.path.exists(self.path(f"part{part}", "results.csv")))
        told = self.run_json("sweep", "s.toml", "-o", "all", "--merge", "part1", "part2")
        self.assertEqual(told["missing_rows"], 0)
        self.assert_same_results("whole", "all")

    def test_rows_of_a_search_by_halving_are_not_merged(self):
        self.write_text("h.toml", 'search = "halving"\nhalving = { rounds = 2 }\n' + STUDY)
        self.run_json("sweep", "h.toml", "-o", "whole")
        self.assert_refused("sweep", "h.toml", "-o", "all", "--merge", "whole", naming=["--merge"])

    def test_an_axis_with_the_name_of_a_metric_has_a_column_of_its_own(self):
        self.write_text("s.toml", STUDY.replace('block = [16, 32]', 'gain = ["none", "3/4"]'))
        self.run_json("sweep", "s.toml", "-o", "gains")
        self.assertEqual({row["axis_gain"] for row in self.rows("gains")}, {"none", "3/4"})
        for row in self.rows("gains"):
            self.assertAlmostEqual(float(row["gain"]), 1, delta=0.1)

    def test_a_part_of_more_than_there_are_rows_has_one_or_none(self):
        for part, missing in (("8/2000000", 7), ("9/2000000", 8), (f"3/{2**64 - 1}", 7)):
            told = self.run_json("sweep", "s.toml", "-o", part.replace("/", "of"), "--shard", part)
            self.assertEqual(told["missing_rows"], missing)

    def test_parts_in_one_folder_need_no_merging(self):
        self.run_json("sweep", "s.toml", "-o", "whole")
        self.run_json("sweep", "s.toml", "-o", "farm", "--shard", "1/2")
        self.assertEqual(
            self.run_json("sweep", "s.toml", "-o", "farm", "--shard", "2/2")["missing_rows"], 0)
        self.assert_same_results("whole", "farm")

    def test_a_stopped_sweep_goes_on_and_measures_no_row_twice(self):
        self.write_text("long.toml", STUDY.replace("rows = 8", "rows = 2048").replace(
            "[16, 32]", "{ from = 16, to = 512, step = 16 }"))
        journal = self.path("long", "rows-1-of-1.jsonl")
        running = subprocess.Popen([PROGRAM, "sweep", "long.toml", "-o", "long"], cwd=self.folder,
                                   stdout=subprocess.DEVNULL)
        end = time.monotonic() + 60
        while running.poll() is None and time.monotonic() < end:
            if os.path.exists(journal) and os.path.getsize(journal) > 1000:
                break
            time.sleep(.01)
        running.kill()
        running.wait()
        before = self.read_text("long", "rows-1-of-1.jsonl")
        kept = before[:before.rfind("\n") + 1]
        self.assertGreater(kept.count("\n"), 0)
        with open(journal, "a", encoding="utf-8") as file:
            file.write('{"key":"cut')
        self.run_json("sweep", "long.toml", "-o", "long")
        after = self.read_text("long", "rows-1-of-1.jsonl")
        self.assertTrue(after.startswith(kept))
        keys = [line.split('"')[3] for line in after.splitlines()]
        self.assertEqual((len(keys), len(set(keys))), (128, 128))

    def test_a_longer_axis_measures_what_is_new(self):
        self.run_json("sweep", "s.toml", "-o", "grown")
        self.write_text("s.toml", STUDY.replace("[16, 32]", "[16, 32, 64]"))
        self.run_json("sweep", "s.toml", "-o", "grown")
        self.assertEqual(self.read_text("grown", "rows-1-of-1.jsonl").count("\n"), 12)

    def test_tensors_of_a_file_are_chosen_by_name(self):
        numbers = struct.pack("<64f", *[0.1 * i for i in range(64)])
        tensor_files.write_safetensors(self.path("model.safetensors"), {
            "layers.0.q_proj.weight": ("F32", [2, 32], numbers),
            "layers.1.q_proj.weight": ("F32", [2, 32], numbers),
            "norm": ("F32", [64], numbers)})
        chosen = STUDY.replace('law = "gaussian"\nrows = 8\ncolumns = 512',
                               'file = "model.safetensors"\ntensors = ["*.q_proj.*"]\n'
                               'role = "weight"')
        self.write_text("s.toml", chosen)
        self.run_json("sweep", "s.toml", "-o", "files")
        of_model = self.rows("files")
        self.assertEqual({row["role"] for row in of_model}, {"weight"})
        self.write_text("s.toml", chosen.replace("*.q_proj.*", "layers.0.*"))
        self.run_json("sweep", "s.toml", "-o", "one")
        for whole, one in zip(of_model, self.rows("one")):
            self.assertEqual(whole["sqnr_db"], one["sqnr_db"])
            self.assertNotEqual(whole["key"], one["key"])
        self.write_text("s.toml", chosen.replace("*.q_proj.*", "*.k_proj.*"))
        self.assert_refused("sweep", "s.toml", "-o", "none",
                            naming=["model.safetensors: has no tensor whose name matches "
                                    "'*.k_proj.*'", "(input drawn)"])

    def test_what_makes_no_sense_is_refused_before_anything_is_written(self):
        def refused(text, *naming):
            self.write_text("bad.toml", text)
            self.assert_refused("sweep", "bad.toml", "-o", "bad", naming=["bad.toml", *naming])

        refused(STUDY.replace("[16, 32]", "[]"), "without values")
        refused(STUDY.replace("bits <= 6", "bits <= 4"), "no point is left", "8 of 8")
        refused('invalid = "refuse"\n' + STUDY.replace("[16, 32]", "[16, 0]"), "block=0")
        refused(STUDY.replace('law = "gaussian"', 'law = "normal"'), "laplace")
        for part in ("3/2", "0/2", "1", "1e0/2.0", "1/2/3"):
            self.assert_refused("sweep", "s.toml", "-o", "bad", "--shard", part,
                                naming=["--shard: expected i/n", f"found '{part}'"])
        self.assert_refused("sweep", "s.toml", "-o", "bad", "--merge", "absent", naming=["absent"])
        self.assert_refused("sweep", "absent.toml", "-o", "bad", naming=["absent.toml"])

    def test_what_is_skipped_is_counted(self):
        self.write_text("s.toml", STUDY.replace("[16, 32]", "[16, 32, 0]"))
        told = self.run_json("sweep", "s.toml", "-o", "out")
        self.assertEqual(told["points"], 8)
        self.assertEqual(sum(left["points"] for left in told["left_out"]), 4)
        self.assertIn("block=0", self.read_text("out", "report.html"))


if __name__ == "__main__":
    main()
