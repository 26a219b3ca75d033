# SPDX-License-Identifier: Apache-2.0
# tests/e2e/train_faults_test.py: `train` under faults: limited file sizes, damaged files, inputs
# that are not files, limits, closed streams. It reports them and resumes to the same bits.

import json
import os
import resource
import shutil
import signal
import socket
import subprocess
import tempfile
import time

import tiny_study
from command_case import PROGRAM, command_case, main

STUDY = f"""name = "tiny"
seed = 1
{tiny_study.POLICY}sequence = 32
[warm_up]
schedule = "fixed"
steps = 24
sequences = 16
learning_rate = 1e-2
ramp_steps = 6
gate_problems = 32
[grpo]
steps = 4
prompts = 4
samples = 8
ramp_steps = 2
learning_rate = 1e-3
[outliers]
factors = [1, 4]
norm_channels = [3, 17]
hidden_units = [5, 40]
[measurement]
frozen_batches = 2
evaluation_problems = 32
evaluation_interval = 2
final_problems = 32
{tiny_study.ARMS}[[arm]]
name = "rollout"
rollout = "mxfp4"
[[arm]]
name = "forward"
forward = "mxfp4"
"""
RESULTS = ("hashes.csv", "metrics.csv", "metrics.jsonl", "report.html")
NOBODY = 65534


def limited(kind, amount):
    """Runs in the child, before the command."""
    def limit():
        resource.setrlimit(kind, (amount, amount))
        if kind == resource.RLIMIT_NPROC and os.getuid() == 0:
            os.setuid(NOBODY)  # root may have any number
    return limit


class train_faults_test(command_case):
    def setUp(self):
        super().setUp()
        os.chmod(self.folder, 0o777)
        with open(self.path("s.toml"), "w", encoding="utf-8") as file:
            file.write(STUDY)

    def train(self, folder, *words, program=PROGRAM, **options):
        return subprocess.run([program, "train", "s.toml", "-o", folder, *words], cwd=self.folder,
                              capture_output=True, encoding="utf-8", timeout=240, check=False,
                              **options)

    def program_of_all(self):
        """A copy that every user may run: the build may lie in a folder of root's own."""
        return shutil.copy(PROGRAM, self.path("mxprism"))

    def straight(self):
        done = self.train("straight")
        self.assertEqual(done.returncode, 0, done.stderr)

    def assert_error(self, done, *naming):
        self.assertEqual(done.returncode, 2, done.stderr)
        last = done.stderr.splitlines()[-1]
        self.assertTrue(last.startswith("mxprism: error: "), done.stderr)
        for text in naming:
            self.assertIn(text, last)

    def assert_same_results(self, folder):
        for name in RESULTS:
            with open(self.path("straight", name), "rb") as file:
                expected = file.read()
            with open(self.path(folder, name), "rb") as file:
                self.assertEqual(file.read(), expected, f"{folder}/{name}")

    def assert_resumes(self, folder, *words):
        done = self.train(folder, "--resume", *words)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assert_same_results(folder)

    def test_files_that_may_not_grow_are_an_error_and_the_run_resumes(self):
        self.straight()
        sizes = [os.path.getsize(self.path("straight", "checkpoints", name))
                 for name in os.listdir(self.path("straight", "checkpoints"))]
        limits = sorted({1, 100, min(s for s in sizes if s > 100) - 1, max(sizes) - 1})
        for threads in ("1", "2", "4"):
            for limit in limits:
                folder = f"run-{threads}-{limit}"
                with self.subTest(folder=folder):
                    done = self.train(folder, "--threads", threads,
                                      preexec_fn=limited(resource.RLIMIT_FSIZE, limit))
                    self.assert_error(done, folder, "File too large")
                    self.assert_resumes(folder, "--threads", threads)

    def files_in(self, folder):
        found = {}
        for name in os.listdir(self.path(folder)):
            with open(self.path(folder, name), "rb") as file:
                found[name] = file.read()
        return found

    def test_a_full_disk_keeps_the_checkpoints_that_it_cannot_replace(self):
        self.straight()
        done = self.train("run", "--steps", "2")
        self.assertEqual(done.returncode, 0, done.stderr)
        kept = os.path.join("run", "checkpoints")
        before = self.files_in(kept)
        os.remove(self.path(kept, "finished"))  # once it trains on, it is unfinished
        del before["finished"]
        for limit in (1, 4096, len(before["mxfp4.safetensors"]) - 1):
            with self.subTest(limit=limit):
                done = self.train("run", "--resume",
                                  preexec_fn=limited(resource.RLIMIT_FSIZE, limit))
                self.assert_error(done, "run", "File too large")
                self.assertEqual(self.files_in(kept), before)
        self.assert_resumes("run")

    def test_a_second_run_in_a_folder_is_refused_until_the_first_one_ends(self):
        longer = ("warm_up.steps=400", "warm_up.learning_rate=1e-3")
        done = self.train("straight", *longer)
        self.assertEqual(done.returncode, 0, done.stderr)
        first = subprocess.Popen([PROGRAM, "train", "s.toml", "-o", "run", *longer],
                                 cwd=self.folder, stdout=subprocess.DEVNULL,
                                 stderr=subprocess.DEVNULL)
        self.addCleanup(first.wait)
        self.addCleanup(first.kill)
        while not os.path.exists(self.path("run", "study.toml")) and first.poll() is None:
            time.sleep(0.002)
        first.send_signal(signal.SIGSTOP)
        held = self.files_in("run/checkpoints")
        for words in ((), ("--resume",), ("--force",), ("--force", "seed=9")):
            with self.subTest(words=words):
                self.assert_error(self.train("run", *longer, *words),
                                  f"run: process {first.pid} on ", "another folder with -o")
        self.assertEqual(self.files_in("run/checkpoints"), held)
        first.send_signal(signal.SIGKILL)
        first.wait()
        self.assert_resumes("run", *longer)

    def test_a_diverged_arm_is_a_line_each_exit_status_1_and_a_mark_on_the_page(self):
        words = ("warm_up.steps=96", "grpo.learning_rate=1e30")
        for _ in range(2):  # the second one finds it finished
            done = self.train("run", *words)
            self.assertEqual(done.returncode, 1, done.stderr)
            lines = [x for x in done.stderr.splitlines() if x.startswith("mxprism: arm ")]
            self.assertEqual(len(lines), 4, done.stderr)
            self.assertRegex(lines[1], r"arm 'mxfp4' diverged at step \d: model.embed_tokens.weight")
        with open(self.path("run", "report.html"), encoding="utf-8") as file:
            self.assertIn("mxfp4, diverged at step", file.read())
        marks = json.loads(self.train("run", *words, "--json").stdout)["diverged"]
        self.assertEqual([mark["arm"] for mark in marks], ["fp32", "mxfp4", "rollout", "forward"])
        self.assertEqual(marks[0]["tensor"], "model.embed_tokens.weight")

    def test_another_study_is_refused_by_the_keys_that_changed(self):
        self.straight()
        self.assert_error(self.train("straight", "--resume", "grpo.learning_rate=2e-3", "seed=2"),
                          "straight: holds a run of another study",
                          "grpo.learning_rate is 0.001 there and 0.002 here",
                          "seed is 1 there and 2 here", "--force")

    def test_a_replacement_that_cannot_remove_the_old_run_is_tried_again_with_force(self):
        self.straight()
        program = self.program_of_all()
        user = {"preexec_fn": lambda: os.setuid(NOBODY)} if os.getuid() == 0 else {}
        done = self.train("run", "seed=9", program=program, **user)
        self.assertEqual(done.returncode, 0, done.stderr)
        locked = self.path("run", "tensorboard", "locked")
        os.makedirs(locked)
        with open(os.path.join(locked, "events.out.tfevents.000000.mxprism"), "wb"):
            pass
        os.chmod(locked, 0o555)
        self.addCleanup(lambda: os.path.exists(locked) and os.chmod(locked, 0o755))
        self.assert_error(self.train("run", "--force", program=program, **user), "tensorboard")
        # The old study is still there, so that nobody takes what is left for a run of the new one.
        for words in ((), ("--resume",)):
            self.assert_error(self.train("run", *words), "run: holds a run of another study",
                              "seed is 9 there and 1 here")
        os.chmod(locked, 0o755)
        shutil.rmtree(locked)
        done = self.train("run", "--force")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assert_same_results("run")

    def begun(self, folder):
        """A copy of the finished run, to be resumed."""
        shutil.copytree(self.path("straight"), self.path(folder))
        os.remove(self.path(folder, "checkpoints", "finished"))
        for name in RESULTS:
            os.remove(self.path(folder, name))

    def test_a_flipped_bit_is_refused_by_the_files_name(self):
        self.straight()
        for name in ("mxfp4.safetensors", "warm-up.safetensors", "frozen-x1-rollout.json"):
            for threads in ("1", "2", "4"):
                folder = f"{name}-{threads}"
                with self.subTest(folder=folder):
                    self.begun(folder)
                    path = self.path(folder, "checkpoints", name)
                    with open(path, "r+b") as file:
                        content = bytearray(file.read())
                        content[len(content) * 3 // 4] ^= 4
                        file.seek(0)
                        file.write(content)
                    self.assert_error(self.train(folder, "--resume", "--threads", threads),
                                      os.path.join(folder, "checkpoints", name), "is damaged",
                                      "remove the file, and --resume")
                    os.remove(path)
                    self.assert_resumes(folder, "--threads", threads)

    def test_a_killed_run_leaves_nothing_once_it_is_resumed(self):
        self.straight()
        running = subprocess.Popen([PROGRAM, "train", "s.toml", "-o", "run"], cwd=self.folder,
                                   stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        self.addCleanup(running.communicate)
        for line in running.stderr:
            if line.startswith(b"frozen"):
                break
        running.send_signal(signal.SIGKILL)
        running.wait()
        # Temporary files of a run that is killed during a write.
        temporary = f".mxprism-{socket.gethostname()}-{running.pid}"
        for name in (f"{temporary}-0", f"checkpoints/{temporary}-1"):
            with open(self.path("run", name), "wb") as file:
                file.write(b"half")
        self.assert_resumes("run")
        left = [name for _, _, names in os.walk(self.path("run")) for name in names]
        self.assertEqual([name for name in left if name.startswith(".")], [])

    def test_standard_error_may_be_closed_or_full(self):
        self.straight()
        for stream in ("2>&-", "2>/dev/full", "2>&- <&-"):
            with self.subTest(stream=stream):
                done = subprocess.run(["sh", "-c", f'"$0" train s.toml -o run {stream}', PROGRAM],
                                      cwd=self.folder, timeout=240, check=False,
                                      stdout=subprocess.PIPE)
                self.assertEqual(done.returncode, 0)
                self.assert_same_results("run")
                shutil.rmtree(self.path("run"))

    def test_inputs_that_are_no_files_are_refused_at_once(self):
        apart = tempfile.TemporaryDirectory()  # the test itself must not open the pipe
        self.addCleanup(apart.cleanup)
        pipe = os.path.join(apart.name, "pipe.toml")
        os.mkfifo(pipe)
        with open(self.path("long.toml"), "wb") as file:
            file.truncate((16 << 20) + 1)
        for name, why in ((pipe, "is not a regular file"), (".", "is a folder"),
                          ("/dev/zero", "is not a regular file"), ("long.toml", "16777216 bytes"),
                          ("missing.toml", "No such file")):
            with self.subTest(name=name):
                self.assert_refused("train", name, "-o", "run", naming=[f"error: {name}: ", why])
                self.assert_refused("explain", "1", "--format", f"@{name}", naming=[name, why])

    def test_a_study_that_may_not_be_read_is_told_so(self):
        os.chmod(self.path("s.toml"), 0)
        done = self.train("run", program=self.program_of_all(),
                          preexec_fn=lambda: os.getuid() == 0 and os.setuid(NOBODY))
        self.assert_error(done, "s.toml: expected a study file in TOML", "Permission denied")

    def test_metrics_that_are_no_file_or_nest_deep_are_refused(self):
        self.straight()
        path = self.path("straight", "metrics.jsonl")
        with open(path, "ab") as file:
            file.write(b'{"value":' + b"[" * 200_000 + b"]" * 200_000 + b"}\n")
        with open(path, "rb") as file:
            lines = file.read().count(b"\n")
        self.assert_refused("report", "straight", naming=[f"metrics.jsonl:{lines}: expected one"])

    def test_threads_that_may_not_be_made_are_an_error(self):
        if len(os.sched_getaffinity(0)) < 2:
            self.skipTest("one processor has no other threads")
        program = self.program_of_all()
        done = self.train("run", "--threads", "2", program=program,
                          preexec_fn=limited(resource.RLIMIT_NPROC, 1))
        self.assert_error(done, "thread 2 of 2 cannot be made", "ulimit -u", "--threads")
        done = self.train("run", "--threads", "1", "--resume", program=program,
                          preexec_fn=limited(resource.RLIMIT_NPROC, 1))
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_an_option_and_an_override_of_one_key_are_refused_with_both(self):
        for words, naming in ((("--seed", "5", "seed = 6"), ("--seed", "'seed = 6'", "set seed;")),
                              (("--threads", "1", "run.threads=2"),
                               ("--threads", "'run.threads=2'", "set run.threads;")),
                              (("--micro-batch", "1", "run.micro_batch=2"),
                               ("--micro-batch", "'run.micro_batch=2'")),
                              (("--quick", "outliers.factors=[1,4]"),
                               ("--quick", "'outliers.factors=[1,4]'"))):
            with self.subTest(words=words):
                self.assert_refused("train", "s.toml", "-o", "run", *words, naming=naming)

    def test_options_out_of_range_are_refused_with_the_range(self):
        for option, value, limits in (("--threads", "-1", "0 to 4096"),
                                      ("--threads", "4097", "0 to 4096"),
                                      ("--micro-batch", "-1", "0 to 1000000"),
                                      ("--steps", "0", "1 to 2147483647")):
            with self.subTest(option=option):
                self.assert_refused("train", "s.toml", "-o", "run", option, value,
                                    naming=[option, limits])


if __name__ == "__main__":
    main()
