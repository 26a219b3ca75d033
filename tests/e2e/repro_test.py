# SPDX-License-Identifier: Apache-2.0
# tests/e2e/repro_test.py: a claims file of three seeds and five steps: run, continued, in shards,
# merged; refusals of what does not belong together.

import csv
import hashlib
import json
import os
import shutil
import xml.etree.ElementTree
import subprocess
import sys

import tiny_study
from command_case import SOURCES, command_case, main

STUDY = f"""name = "tiny"
{tiny_study.POLICY}sequence = 32
[warm_up]
schedule = "fixed"
steps = 12
sequences = 8
learning_rate = 1e-2
ramp_steps = 6
gate_problems = 32
[grpo]
steps = 40
prompts = 4
samples = 4
ramp_steps = 2
learning_rate = 1e-3
[outliers]
factors = [1]
[measurement]
frozen_batches = 2
evaluation_problems = 32
evaluation_interval = 5
final_problems = 64
{tiny_study.ARMS}[[arm]]
name = "frozen"
rollout = "mxfp4"
"""

CLAIMS = tiny_study.claims(steps=5, seeds=3) + """[[claim]]
name = "rollout"
says = "the rollout's arithmetic alone gives the whole divergence"
rule = "zero"
metric = "kl"
contrasts = ["mxfp4 - frozen"]
"""

# Beside it, the same policy with a layer more, which is measured and not trained.
TWO_STUDIES = CLAIMS + """
[[claim]]
name = "depth"
rule = "spread"
within = [1e-9, 1e-8]
metric = "deep_kl"
contrasts = ["mxfp4"]
[studies.deep]
study = "study.toml"
overrides = ["policy.layers=2", "grpo.steps=1", "warm_up.steps=0", "measurement.frozen_tokens=demonstrations"]
trained = []
first_seed = 7
seeds = 2
[metrics.deep_kl]
study = "deep"
phase = "frozen"
metric = "gradient_log2_norm"
passes = "backward"
layer = "0"
"""

# Divergence of a format from itself is 0 in every bit; that of MXFP4 is not.
FAILING = CLAIMS.replace('["mxfp4 - frozen"]', '["mxfp4"]')


class repro_test(command_case):
    def setUp(self):
        super().setUp()
        self.write_text("study.toml", STUDY)
        self.write_text("claims.toml", CLAIMS)

    def repro(self, out, *words, status=0, claims="claims.toml"):
        return self.run_command("repro", claims, "-o", out, *words, status=status)

    def test_miniature(self):
        some = self.repro("all", "--seeds", "102-103")
        self.assertIn("2 of 3 seeds are finished", some.stdout)
        self.assertIn("Missing: 101", some.stdout)
        self.assertFalse(os.path.exists(self.path("all", "claims.csv")))
        found = json.loads(self.repro("all", "--json").stdout)
        self.assertEqual([(c["name"], c["verdict"]) for c in found["claims"]],
                         [("gap", "INCONCLUSIVE"), ("rollout", "PASS")])
        self.assert_contrasts_are_those_of_the_metrics(found)
        page = self.read_text("all", "seed-102", "report.html")
        os.remove(self.path("all", "seed-102", "report.html"))  # as if it had been killed before it
        self.assertIn("1 PASS, 0 FAIL, 1 INCONCLUSIVE", self.repro("all").stdout)
        self.assertEqual(self.read_text("all", "seed-102", "report.html"), page)
        for name in ("mxfp4", "fp32"):
            self.assertTrue(os.path.exists(self.path("all/seed-101/checkpoints",
                                                     name + ".safetensors")))
        self.assertFalse(os.path.exists(self.path("all/seed-101/checkpoints/frozen.safetensors")))
        self.assert_page_shows(found)
        self.a_seed_is_verified_against_the_table_of_hashes()
        self.shards_merge_to_the_same_files()
        self.a_seed_is_an_ordinary_run()
        self.seeds_have_a_page()
        self.folders_that_differ_are_refused()

    def assert_contrasts_are_those_of_the_metrics(self, found):
        expected = []
        for seed in (101, 102, 103):
            with open(self.path("all", f"seed-{seed}", "metrics.csv"), encoding="utf-8") as file:
                value = {row["arm"]: float(row["value"]) for row in csv.DictReader(file)
                         if (row["phase"], row["metric"], row["step"]) ==
                         ("train", "accuracy_final_in_fp32", "5")}
            expected.append(value["fp32"] - value["mxfp4"])
        with open(self.path("all", "claims.csv"), encoding="utf-8") as file:
            values = [float(row["value"]) for row in csv.DictReader(file) if row["claim"] == "gap"]
        self.assertEqual(values, expected)
        self.assertAlmostEqual(found["claims"][0]["contrasts"][0]["estimate"], sum(expected) / 3)

    def page(self, *names):
        """The sections of a page by id, which must be XML."""
        text = self.read_text(*names, "report.html")
        self.assertEqual(text.count("<script"), 1)
        return {s.get("id"): s for s in xml.etree.ElementTree.fromstring(text).iter("section")}

    def assert_page_shows(self, found):
        sections = self.page("all")
        self.assertEqual(list(sections)[:2], ["claims", "cells"])
        cards = sections["claims"].findall(".//div[@class='card']")
        self.assertEqual(["".join(c.find("h3").itertext()) for c in cards],
                         [f"{c['name']} {c['verdict']}" for c in found["claims"]])
        gap = found["claims"][0]["contrasts"][0]
        mark = cards[0].find(".//svg").get("aria-label")
        shown = [float(word.replace("\u2212", "-")) for word in
                 mark.removeprefix("fp32 - mxfp4: ").replace("from", "to").split(" to ")]
        for value, expected in zip(shown, (gap["estimate"], gap["low"], gap["high"])):
            self.assertAlmostEqual(value, expected, delta=0.01 * abs(expected))
        self.assert_detectable(cards, found)
        rows = [["".join(cell.itertext()) for cell in row] for row in
                sections["run"].findall(".//tbody/tr")]
        self.assertEqual([(row[0], row[2], row[5]) for row in rows],
                         [(str(seed), "5", self.digest(f"all/seed-{seed}/hashes.csv"))
                          for seed in (101, 102, 103)])
        self.assertIn("mxprism repro claims.toml -o DIR", "".join(sections["run"].itertext()))

    def assert_detectable(self, cards, found):
        """Each contrast of an open claim with a spread has its own smallest detectable effect; others
        show none."""
        for card, claim in zip(cards, found["claims"]):
            shown = ["".join(p.itertext()).partition("detectable ")[2]
                     for p in card.findall(".//div[@class='intervals']/p")]
            if claim["verdict"] != "INCONCLUSIVE":
                self.assertEqual("".join(shown), "")
                continue
            self.assertEqual(len(shown), len(claim["contrasts"]))
            for text, contrast in zip(shown, claim["contrasts"]):
                self.assertEqual(text == "", contrast["deviation"] == 0)
                self.assertAlmostEqual(float(text.replace("\u2212", "-") or 0), contrast["detectable"],
                                       delta=0.06 * contrast["detectable"])

    def digest(self, name):
        return hashlib.sha256(self.read_text(name).encode()).hexdigest()

    def seeds_have_a_page(self):
        """Of the same folders without the claims: the first section is that of the cells."""
        self.run_command("report", "all/seed-101", "all/seed-102", "all/seed-103", "-o", "plain")
        sections = self.page("plain")
        self.assertEqual(next(iter(sections)), "cells")
        expected = []
        for seed in (101, 102, 103):
            with open(self.path("all", f"seed-{seed}", "metrics.csv"), encoding="utf-8") as file:
                expected += [float(row["value"]) for row in csv.DictReader(file)
                             if (row["arm"], row["metric"]) == ("mxfp4", "accuracy_final_in_fp32")]
        row = [r for r in sections["cells"].findall(".//tbody/tr") if r.find("th").text == "mxfp4"]
        final = row[0].findall("td")[-1].text
        self.assertAlmostEqual(float(final), sum(expected) / 3, delta=0.006)
        self.assert_refused("report", "all/seed-101", "all/seed-102", naming=["-o: expected"])
        self.the_page_of_claims_is_left_to_repro()
        self.assert_refused("report", "all/seed-102", "plain", "-o", "plain",
                            naming=["seed 102 is in"])

    def the_page_of_claims_is_left_to_repro(self):
        page = self.read_text("all", "report.html")
        for words in (("all",), ("all/seed-101", "all/seed-102", "-o", "all"),
                      ("all/seed-101", "-o", "all")):
            self.assert_refused("report", *words,
                                naming=["all: is a folder of `repro`", "mxprism repro CLAIMS -o all"])
        self.assertEqual(self.read_text("all", "report.html"), page)
        self.run_command("report", "all", "-o", "plain")
        self.assertEqual(next(iter(self.page("plain"))), "cells")

    def a_seed_is_verified_against_the_table_of_hashes(self):
        table = self.read_text("all", "hashes.csv")
        lines = table.splitlines()
        self.assertEqual(lines[0], "study,arm,seed,step,sha256")
        self.assertEqual(sum(line.startswith("main,mxfp4,102,") for line in lines), 5)
        words = ("--verify-seed", "102", "--against", "table.csv")
        self.write_text("table.csv", table)
        done = self.repro("again", *words)
        self.assertIn("seed 102: every hash is that of the table", done.stdout)
        self.assertFalse(os.path.exists(self.path("again/seed-101")))
        self.assert_refused("repro", "claims.toml", "-o", "again", *words,
                            naming=["again/seed-102: holds this seed already"])
        drawn = dict(os.environ, MX_CLAIMS=self.path("claims.toml"),
                     MX_CLAIMS_HASHES=self.path("table.csv"))
        script = [sys.executable, "-B", os.path.join(SOURCES, "tests/e2e/claims_seed_test.py")]
        self.assertEqual(subprocess.run(script, env=drawn, check=False, capture_output=True).returncode, 0)
        drawn["MX_CLAIMS_HASHES"] = self.path("absent.csv")
        skipped = subprocess.run(script, env=drawn, check=False, capture_output=True, text=True)
        self.assertEqual(skipped.returncode, 77)
        self.assertIn("SKIPPED: ", skipped.stdout)
        of_seed = next(line for line in lines if line.startswith("main,mxfp4,102,3,"))
        for text, told in ((table.replace(of_seed, of_seed[:-1] + "0123456789abcdef"[int(of_seed[-1], 16) ^ 1]), "mxfp4,102,3 "),
                           (table.replace(of_seed + "\n", ""), "mxfp4,102,4 ")):
            shutil.rmtree(self.path("again"))
            self.write_text("table.csv", text)
            done = self.repro("again", *words, status=1)
            self.assertIn("first difference: the table has main," + told, done.stdout)
        shutil.rmtree(self.path("again"))
        for text, told in ((table.replace(",102,", ",112,"), "table.csv: has no hash of seed 102"),
                           ("x\n", "table.csv: line 1: expected"), ("", "table.csv: line 1")):
            self.write_text("table.csv", text)
            shutil.rmtree(self.path("again"), ignore_errors=True)
            self.assert_refused("repro", "claims.toml", "-o", "again", *words, naming=[told])

    def shards_merge_to_the_same_files(self):
        for part in ("1", "2"):
            self.repro("part" + part, "--shard", part + "/2")
        self.assertTrue(os.path.isdir(self.path("part1/seed-103")))
        self.assertFalse(os.path.exists(self.path("part2/seed-103")))
        self.repro("merged", "--merge", "part1", "part2")
        for name in ("claims.csv", "claims.md", "hashes.csv", "seed-102/hashes.csv",
                     "seed-103/metrics.jsonl"):
            self.assertEqual(self.read_text("merged", name), self.read_text("all", name), name)
        self.assert_refused("repro", "claims.toml", "-o", "twice", "--merge", "part1", "all",
                            naming=["all: seed 101 is in part1 too"])

    def a_seed_is_an_ordinary_run(self):
        self.run_command("train", "all/seed-102/study.toml", "-o", "plain")
        self.assertEqual(self.read_text("plain/hashes.csv"), self.read_text("all/seed-102/hashes.csv"))

    def folders_that_differ_are_refused(self):
        self.write_text("claims.toml", CLAIMS + "# changed\n")
        self.assert_refused("repro", "claims.toml", "-o", "all",
                            naming=["all/repro.json: field 'claims_sha256'"])
        self.write_text("claims.toml", CLAIMS)
        self.write_text("study.toml", STUDY.replace("samples = 4", "samples = 8"))
        self.assert_refused("repro", "claims.toml", "-o", "all",
                            naming=["all/repro.json: field 'study_sha256'"])
        self.write_text("study.toml", STUDY)
        shutil.copytree(self.path("all/seed-101"), self.path("mixed/seed-102"))
        self.assert_refused("repro", "claims.toml", "-o", "mixed", "--seeds", "102",
                            naming=["holds seed 102 of another study"])

    def test_two_studies(self):
        self.write_text("claims.toml", TWO_STUDIES)
        deep = json.loads(self.repro("part", "--study", "deep", "--json").stdout)
        self.assertEqual(deep["missing"], [101, 102, 103])
        self.assertEqual(deep["studies"]["deep"]["missing"], [])
        self.assertFalse(os.path.exists(self.path("part/deep/seed-7/checkpoints/fp32.safetensors")))
        # Of five runs: the main study's three, then two of the other.
        self.repro("first", "--shard", "1/2")
        self.repro("second", "--shard", "2/2")
        self.assertTrue(os.path.isdir(self.path("first/deep/seed-8")))
        self.assertFalse(os.path.exists(self.path("first/deep/seed-7")))
        self.assert_refused("repro", "claims.toml", "-o", "all", "--merge", "part", "second",
                            naming=["second: seed deep/7 is in part too"])
        found = json.loads(self.repro("all", "--merge", "first", "second", "--json").stdout)
        depth = found["claims"][2]
        self.assertEqual((depth["name"], depth["verdict"]), ("depth", "INCONCLUSIVE"))
        values = [self.backward_norm("all/deep/seed-%d" % seed) for seed in (7, 8)]
        self.assertNotEqual(values[0], values[1])
        self.assertAlmostEqual(depth["contrasts"][0]["deviation"],
                               abs(values[0] - values[1]) / 2 ** 0.5)
        self.assertIn("deep: 2 seeds, 7 to 8", self.read_text("all/claims.md"))
        claims = self.page("all")["claims"]
        self.assertIn("deep: 2 seeds, 7 to 8", "".join(claims.itertext()))
        self.assertEqual([a.get("href") for a in claims.iter("a")], ["deep/report.html"])
        self.assertEqual(depth["contrasts"][0]["deviation"] > 0, True)
        self.assert_detectable(claims.findall(".//div[@class='card']"), found)
        self.assertIn("2 seeds (7 to 8)", "".join(self.page("all/deep")["components"].itertext()))
        origin = self.read_text("all/claims.md").split("Machine: ")[1].split("\n")[0]
        self.assertIn("Machine: " + origin, "".join(self.page("all")["run"].itertext()))
        self.write_text("study.toml", STUDY.replace("samples = 4", "samples = 8"))
        self.assert_refused("repro", "claims.toml", "-o", "all", naming=["study_sha256"])
        self.assert_refused("repro", "claims.toml", "-o", "x", "--study", "dep",
                            naming=["--study: expected a study of the claims, main, deep"])

    def backward_norm(self, run):
        """Of the first layer under mxfp4. The run has no warm-up but its weights' hash."""
        with open(self.path(run, "metrics.csv"), encoding="utf-8") as file:
            rows = list(csv.DictReader(file))
        self.assertEqual({row["phase"] for row in rows}, {"frozen"})
        self.assertEqual(self.read_text(run, "hashes.csv").count("\nwarm-up,"), 1)
        return next(float(row["value"]) for row in rows
                    if (row["arm"], row["metric"], row["passes"], row["layer"]) ==
                    ("mxfp4", "gradient_log2_norm", "backward", "0"))

    def test_a_claim_that_fails_sets_the_exit_status(self):
        self.write_text("failing.toml", FAILING)
        done = self.repro("out", status=1, claims="failing.toml")
        self.assertIn("rollout: 3 values other than 0", done.stdout)
        self.assertIn("| rollout | FAIL |", self.read_text("out/claims.md"))

    def test_a_metric_that_no_run_has_is_refused_after_one_seed(self):
        self.write_text("claims.toml", CLAIMS.replace("accuracy_final", "accuracy_finel"))
        done = self.repro("out", status=2)
        last = done.stderr.splitlines()[-1]
        self.assertTrue(last.startswith("mxprism: error: out/seed-101/metrics.jsonl: metric "
                                        "'accuracy' of the claims"), last)
        self.assertIn("no row has it", last)
        self.assertFalse(os.path.exists(self.path("out/seed-102")))

    def test_parts_that_do_not_exist_are_refused(self):
        for words, told in ((("--shard", "0/2"), "--shard: expected i/n"),
                            (("--shard", "3/2"), "--shard: expected i/n"),
                            (("--shard", "1"), "--shard: expected i/n"),
                            (("--shard", "1e0/2.0"), "--shard: expected i/n"),
                            (("--seeds", "100"), "101 to 103, found '100'"),
                            (("--seeds", "101-"), "--seeds: expected seeds such as"),
                            (("--seeds", "103-102"), "101 to 103"),
                            (("--merge", "x", "--seeds", "101"), "--seeds"),
                            (("--verify-seed", "100", "--against", "x"), "found '100'"),
                            (("--verify-seed", "101"), "--against"),
                            (("--merge", "missing"), "missing/repro.json")):
            with self.subTest(words=words):
                self.assert_refused("repro", "claims.toml", "-o", "out", *words, naming=[told])

    def test_the_shipped_claims_file_is_read(self):
        self.assert_refused("repro", os.path.join(SOURCES, "sim/studies/claims.toml"), "-o", "out",
                            "--shard", "2/1", naming=["--shard"])


if __name__ == "__main__":
    main()
