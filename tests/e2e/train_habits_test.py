# SPDX-License-Identifier: Apache-2.0
# tests/e2e/train_habits_test.py: `train` as users of other trainers expect it: event files, --resume
# auto, signals, kept checkpoints, overrides, problems of one's own.

import glob
import json
import os
import re
import signal
import struct
import subprocess
import sys
import time

import event_records
from command_case import PROGRAM, SOURCES, command_case, main
from tiny_study import STUDY


# Arms behind those of STUDY that a run has every kind of metric with.
EVERY_METRIC = "".join(f"""[formats.{name}]
numbers = "mxfp4"
toggle = "{toggle}"
parts = {parts}
[[arm]]
name = "{name}"
format = "{name}"
""" for toggle, name, parts in (("injection", "inj-s", ["scale"]), ("injection", "inj-d", ["deadzone"]),
                                ("injection", "inj-g", ["grid"]),
                                ("injection", "inj-sd", ["scale", "deadzone"]),
                                ("injection", "inj-sg", ["scale", "grid"]),
                                ("injection", "inj-dg", ["deadzone", "grid"]),
                                ("operation", "op-sd", ["scale", "deadzone"]),
                                ("operation", "op-sg", ["scale", "grid"]))) + """[[arm]]
name = "tis"
rollout = "mxfp4"
correction = "truncated_importance"
[[arm]]
name = "mask"
rollout = "mxfp4"
correction = "sequence_mask"
[[arm]]
name = "core"
format = "mxfp4"
model = "blackwell.mxf4"
"""


class train_habits_test(command_case):
    def setUp(self):
        super().setUp()
        self.write_text("s.toml", STUDY)

    def read(self, *names):
        with open(self.path(*names), "rb") as file:
            return file.read()

    def train(self, *words, status=0):
        done = subprocess.run([PROGRAM, "train", *words], cwd=self.folder, capture_output=True,
                              encoding="utf-8", timeout=240, check=False)
        self.assertEqual(done.returncode, status, done.stderr)
        return done

    def refused(self, *words):
        return self.train("s.toml", "-o", "refused", *words, status=2).stderr

    # ---- event files ------------------------------------------------------------------------------

    def events(self, folder, run):
        files = sorted(glob.glob(self.path(folder, "tensorboard", run, "*tfevents*")))
        return [list(event_records.events(self.read(file))) for file in files]

    def numbers_of(self, folder, run):
        """By step and tag, as TensorBoard joins the files of a run."""
        found = {}
        for file in self.events(folder, run):
            self.assertEqual(file[0]["version"], "brain.Event:2")
            for event in file[1:]:
                if event.get("restart"):
                    found = {key: value for key, value in found.items() if key[0] < event["step"]}
                for tag, value in event.get("numbers", {}).items():
                    self.assertNotIn((event["step"], tag), found)
                    found[event["step"], tag] = value
        return found

    def expected_numbers(self, folder, run):
        """Those of metrics.jsonl."""
        found = {}
        for line in self.read(folder, "metrics.jsonl").decode().splitlines():
            row = json.loads(line)
            if row["phase"] == "warm-up" and run == "warm-up":
                of = ""
            elif row["phase"] == "train" and row["metric"] == "accuracy_sampled_of_fp32":
                of = "" if row["arm"] == run == "fp32" else f"/{row['arm']}"
                if run != "fp32":
                    continue
            elif row["phase"] == "train" and row["arm"] == run and row["step"] is not None:
                of = ""
            else:
                continue
            place = "".join("/" + row[key] for key in ("passes", "layer") if row[key])
            kind = "eval" if row["metric"].startswith("accuracy") else "train"
            value = struct.unpack("<f", struct.pack("<f", float(row["value"])))[0]
            found[row["step"], f"{kind}/{row['metric']}{of}{place}"] = value
        return found

    def test_event_files_have_every_metric_of_each_step_under_the_names_of_trl(self):
        self.train("s.toml", "-o", "run")
        self.assertEqual(sorted(os.listdir(self.path("run", "tensorboard"))),
                         ["fp32", "mxfp4", "warm-up"])
        for run in ("fp32", "mxfp4", "warm-up"):
            with self.subTest(run=run):
                found = self.numbers_of("run", run)
                self.assertEqual(found, self.expected_numbers("run", run))
        tags = {tag for _, tag in self.numbers_of("run", "mxfp4")}
        for tag in ("reward", "reward_std", "frac_reward_zero_std", "entropy", "loss", "grad_norm",
                    "learning_rate", "completions/mean_length", "completions/min_length",
                    "completions/max_length", "completions/clipped_ratio",
                    "completions/mean_terminated_length",
                    "sampling/importance_sampling_ratio/mean",
                    "sampling/sampling_logp_difference/mean"):
            self.assertIn("train/" + tag, tags)
        self.assertIn("eval/accuracy_sampled", tags)

    def test_a_resumed_run_supersedes_the_steps_that_it_repeats(self):
        self.train("s.toml", "-o", "run", "--steps", "3")
        # As if it had been killed behind step 3: the last checkpoint is that of step 2.
        for arm in ("fp32", "mxfp4"):
            os.remove(self.path("run", "checkpoints", arm + ".safetensors"))
        self.train("s.toml", "-o", "run", "--resume")
        for run in ("fp32", "mxfp4"):
            files = self.events("run", run)
            self.assertEqual(len(files), 2)
            self.assertTrue(files[1][1]["restart"])
            self.assertEqual(files[1][1]["step"], 0)
            self.assertEqual(self.numbers_of("run", run), self.expected_numbers("run", run))

    def test_every_metric_is_on_the_page(self):
        with open(os.path.join(SOURCES, "docs", "training.md"), encoding="utf-8") as file:
            rows = [re.findall("`([^`]+)`", line) for line in file if line.startswith("| `")]
        known = set()
        for spans in rows:
            folder = spans[0].rpartition("/")[0]
            known.update(spans, (f"{folder}/{word}" for word in spans))
        patterns = [re.sub("[A-Z]{2,}", r"[\\w.]+", re.escape(name)) for name in known
                    if name[0].islower() or name.startswith("FIGURE.")]
        self.write_text("all.toml", STUDY + EVERY_METRIC)
        self.train("all.toml", "-o", "run", "grpo.minibatches=2", "grpo.kl_coefficient=0.1",
                   "grpo.max_redraws=1", "task.max_response_length=8", "grpo.overlong_cache=2",
                   "warm_up.schedule=until-accuracy", "warm_up.decay_steps=2",
                   "measurement.mismatch_rollouts=64", "measurement.additivity_steps=[1]",
                   "arm.tis.learning_rate=1e30", status=1)
        found = {json.loads(line)["metric"]
                 for line in self.read("run", "metrics.jsonl").decode().splitlines()}
        for name in ("diverged", "model_difference", "target_reached", "rollout_agreement",
                     "rollout_corr/rollout_rs_seq_masked_fraction", "kl_matrix.whole", "change.adam"):
            self.assertIn(name, found)
        unknown = [name for name in sorted(found)
                   if not any(re.fullmatch(pattern, name) for pattern in patterns)]
        self.assertEqual(unknown, [])

    # ---- resuming ---------------------------------------------------------------------------------

    def test_resume_auto_starts_continues_finishes_and_refuses_another_study(self):
        self.train("s.toml", "-o", "straight")
        for words in (("--resume", "auto"), ("--resume=auto",), ("--resume",)):
            folder = "run" + str(len(words[0])) + str(len(words))
            with self.subTest(words=words):
                self.train(*words, "s.toml", "-o", folder, "--steps", "2")
                self.train("s.toml", "-o", folder, *words)
                for name in ("hashes.csv", "metrics.jsonl"):
                    self.assertEqual(self.read(folder, name), self.read("straight", name))
                before = self.read(folder, "report.html")
                os.remove(self.path(folder, "report.html"))  # as if killed before its page
                self.assertIn("finished; its page is written, which it lacked",
                              self.train("s.toml", "-o", folder, *words).stdout)
                self.assertEqual(self.read(folder, "report.html"), before)
                message = self.train("s.toml", "-o", folder, *words, "grpo.steps=7",
                                     status=2).stderr
                self.assertIn("grpo.steps is 6 there and 7 here", message)
        self.assertIn("--resume", self.train("s.toml", "-o", "x", "--resume=never",
                                             status=2).stderr)

    def test_a_signal_ends_a_run_behind_its_step_and_it_resumes_to_the_same_bits(self):
        more = ("grpo.steps=200", "measurement.evaluation_interval=200")  # no checkpoint before the end
        self.train("s.toml", "-o", "straight", *more)
        for number in (signal.SIGTERM, signal.SIGINT):
            with self.subTest(signal=number.name):
                folder = f"run-{int(number)}"
                running = subprocess.Popen([PROGRAM, "train", "s.toml", "-o", folder, *more],
                                           cwd=self.folder, stdout=subprocess.DEVNULL,
                                           stderr=subprocess.PIPE)
                self.addCleanup(running.communicate)
                self.addCleanup(running.kill)
                end = time.monotonic() + 120
                while not glob.glob(self.path(folder, "tensorboard", "mxfp4", "*")):
                    self.assertIsNone(running.poll(), "it ended by itself")
                    self.assertLess(time.monotonic(), end)
                    time.sleep(0.001)
                running.send_signal(number)
                _, message = running.communicate(timeout=120)
                self.assertEqual(running.returncode, 128 + number, message)
                self.assertIn(b"--resume continues", message)
                self.assertTrue(os.path.exists(
                    self.path(folder, "checkpoints", "mxfp4.safetensors")))
                self.train("s.toml", "-o", folder, "--resume", "auto", *more)
                for name in ("hashes.csv", "metrics.jsonl"):
                    self.assertEqual(self.read(folder, name), self.read("straight", name))
                for run in ("fp32", "mxfp4"):
                    self.assertEqual(self.numbers_of(folder, run),
                                     self.expected_numbers(folder, run))

    def test_the_last_checkpoints_are_kept(self):
        self.train("s.toml", "-o", "run", "--keep-last", "2")
        self.assertEqual(sorted(os.listdir(self.path("run", "checkpoints", "mxfp4.steps"))),
                         ["0000004.safetensors", "0000006.safetensors"])
        self.assertIn("keep_checkpoints = 2", self.read("run", "study.toml").decode())
        self.assertIn("both set run.keep_checkpoints",
                      self.refused("--keep-last", "2", "run.keep_checkpoints=3"))

    def test_a_punishment_is_a_reward_in_the_progress_too(self):
        shown = self.train("s.toml", "-o", "run", "warm_up.steps=0", "grpo.steps=2",
                           "task.max_response_length=20", "grpo.overlong_cache=8").stderr
        rewards = [json.loads(line)["value"] for line in self.read("run", "metrics.jsonl").splitlines()
                   if b'"arm":"mxfp4"' in line and b'"metric":"reward"' in line]
        self.assertEqual(len(rewards), 2)
        self.assertLess(sum(rewards), 0)
        self.assertRegex(shown, rf"mxfp4 +step +2/2  reward {sum(rewards) / 2:.3f}  entropy")

    # ---- overrides --------------------------------------------------------------------------------

    def test_a_mistyped_override_names_the_nearest_keys(self):
        for override, meant in (("grpo.step=3", "did you mean grpo.steps?"),
                                ("gpro.steps=3", "did you mean grpo?"),
                                ("steps=3", "did you mean warm_up.steps or grpo.steps?"),
                                ("kl_coefficient=0.1", "did you mean grpo.kl_coefficient?"),
                                ("arm.mxfp4.learning_rat=1", "did you mean arm.learning_rate?"),
                                ("arm.mxpf4.learning_rate=1", "did you mean `mxfp4`?")):
            with self.subTest(override=override):
                self.assertIn(meant, self.refused(override))

    def test_an_arm_s_keys_are_overridden_by_its_name(self):
        self.write_text("dots.toml", STUDY.replace('name = "mxfp4"', 'name = "mx.f+p4"'))
        self.train("dots.toml", "-o", "run", "arm.mx.f+p4.learning_rate=1e-3", "grpo.steps=1",
                   "grpo.ramp_steps=1")
        self.assertIn("learning_rate = 0.001\n",
                      self.read("run", "study.toml").decode().split('name = "mx.f+p4"')[1])

    # ---- families ---------------------------------------------------------------------------------

    def test_a_mixture_of_experts_is_trained_to_the_same_bits_on_any_threads_and_exported(self):
        experts = ("policy.family=qwen3_moe", "policy.experts=6", "policy.experts_per_token=2")
        hashes = []
        for threads in ("1", "2"):
            self.train("s.toml", "-o", threads, "--threads", threads, *experts)
            hashes.append(self.read(threads, "hashes.csv"))
        self.assertEqual(*hashes)
        self.run_command("export", "1/checkpoints/mxfp4.safetensors", "-o", "hf")
        config = json.loads(self.read("hf", "config.json"))
        self.assertEqual((config["model_type"], config["num_experts"]), ("qwen3_moe", 6))
        self.train("s.toml", "-o", "further", "policy.checkpoint=hf", "warm_up.steps=0")

    # ---- problems of one's own --------------------------------------------------------------------

    def problems(self, extra=""):
        lines = [json.dumps({"end": 13})]
        for a in range(10):
            for b in range(10):
                lines.append(json.dumps({"prompt": [a, 10, b, 11], "answer": [(a + b) % 10]}))
        return "\n".join(lines) + "\n" + extra

    def test_a_policy_is_trained_on_the_problems_of_a_file(self):
        self.write_text("own.jsonl", self.problems())
        own = ("task.file=own.jsonl", "task.max_response_length=4")
        self.train("s.toml", "-o", "run", *own)
        # The same problems at another place are the same study.
        os.mkdir(self.path("data"))
        self.write_text("data/moved.jsonl", self.problems())
        self.write_text("data/own.toml", 'extends = "../s.toml"\n[task]\nfile = "moved.jsonl"\n'
                                    "max_response_length = 4\n")
        done = self.train("data/own.toml", "-o", "run", "--resume")
        self.assertIn("nothing was changed", done.stdout)
        self.assertIn("problems of own.jsonl", self.read("run", "report.html").decode())
        # Other problems are another study.
        self.write_text("data/moved.jsonl", self.problems('{"prompt": [1], "answer": [1]}\n'))
        message = self.train("data/own.toml", "-o", "run", "--resume", status=2).stderr
        self.assertIn("task.sha256 is", message)

    def test_a_bad_line_is_named_before_anything_is_written(self):
        own = ("task.file=own.jsonl", "task.max_response_length=4")
        for line, expected in (('{"prompt": [1, 2], "anwser": [3]}', "did you mean `answer`?"),
                               ('{"prompt": [1, 2]', "no JSON"),
                               ('{"prompt": [99], "answer": [3]}', "line 102 has token 99")):
            with self.subTest(line=line):
                self.write_text("own.jsonl", self.problems(line + "\n"))
                message = self.refused(*own)
                self.assertIn("own.jsonl", message)
                self.assertIn("102", message)
                self.assertIn(expected, message)
                self.assertFalse(os.path.exists(self.path("refused")))
        self.write_text("own.jsonl", self.problems())
        self.assertIn("task.max_response_length", self.refused("task.file=own.jsonl"))
        self.assertIn("nowhere.jsonl", self.refused("task.file=nowhere.jsonl",
                                                    "task.max_response_length=4"))
        self.assertIn("task.sha256 is abc", self.refused(*own, "task.sha256=abc"))

    def test_the_example_of_the_page_runs(self):
        with open(os.path.join(SOURCES, "docs", "training.md"), encoding="utf-8") as file:
            page = file.read()
        page = page[page.index("## Problems of your own"):]
        code, study = (re.search(f"```{kind}\n(.*?)```", page, re.DOTALL)[1]
                       for kind in ("python", "toml"))
        subprocess.run([sys.executable, "-c", code], cwd=self.folder, check=True)
        self.write_text("sums.toml", study)
        quick = [word.replace(" ", "") for word in STUDY.split("[grpo]")[0].splitlines()
                 if word.startswith(("width", "layers", "heads", "kv_heads", "head_width", "hidden"))]
        self.train("sums.toml", "-o", "run", *("policy." + word for word in quick),
                   "warm_up.schedule=fixed", "warm_up.steps=60", "warm_up.learning_rate=1e-2",
                   "grpo.steps=2", "grpo.samples=4", "measurement.frozen_batches=2",
                   "measurement.evaluation_problems=64", "measurement.final_problems=64",
                   "measurement.additivity_steps=[]")


if __name__ == "__main__":
    main()
