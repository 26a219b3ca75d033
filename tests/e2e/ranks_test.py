# SPDX-License-Identifier: Apache-2.0
# tests/e2e/ranks_test.py: `train`, `repro` and `sweep` under mpirun, on one machine: the files of one process,
# killed ranks, ranks that cannot work together. MX_MPIRUN has the words that start them.

import contextlib
import os
import shutil
import signal
import subprocess
import time

import policy_sweep_test
import repro_test
import train_faults_test
from command_case import PROGRAM, command_case, main

MPIRUN = os.environ["MX_MPIRUN"].split()
# Open MPI keeps what it allocates.
ENVIRONMENT = dict(os.environ, ASAN_OPTIONS="detect_leaks=0")
RESULTS = train_faults_test.RESULTS
SMALL = train_faults_test.STUDY.split("[[arm]]\nname = \"rollout\"", maxsplit=1)[0]
LONG = SMALL.replace("steps = 4\n", "steps = 400\n")


class ranks_test(command_case):
    def setUp(self):
        super().setUp()
        self.write_text("s.toml", SMALL)
        self.write_text("long.toml", LONG)

    def run_words(self, words):
        return subprocess.run(words, cwd=self.folder, env=ENVIRONMENT, capture_output=True,
                              encoding="utf-8", timeout=240, check=False)

    def one_process(self, *words):
        done = self.run_words([PROGRAM, *words])
        self.assertEqual(done.returncode, 0, done.stderr)

    def ranks(self, count, *words):
        return self.run_words([*MPIRUN, "-n", str(count), PROGRAM, *words])

    def start(self, count, *words):
        running = subprocess.Popen([*MPIRUN, "-n", str(count), PROGRAM, *words], cwd=self.folder,
                                   env=ENVIRONMENT, stdout=subprocess.PIPE,
                                   stderr=subprocess.STDOUT, encoding="utf-8")
        self.addCleanup(running.stdout.close)
        self.addCleanup(self.end, running)
        return running

    def end(self, running):
        """Kills the ranks: mpirun ends after the last of them. Killed itself, it would leave them
        writing into a folder that is being removed."""
        if running.poll() is None:
            ranks = self.processes_of_ranks(running)
            for process in ranks or [running.pid]:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(process, signal.SIGKILL)
            running.wait()

    def wait_for(self, name, running):
        end = time.monotonic() + 120
        while not os.path.exists(self.path(name)):
            self.assertIsNone(running.poll(), "it ended early")
            self.assertLess(time.monotonic(), end, name)
            time.sleep(0.02)

    def processes_of_ranks(self, running):
        with open(f"/proc/{running.pid}/task/{running.pid}/children", encoding="utf-8") as file:
            return [int(child) for child in file.read().split()]

    def process_of_rank(self, running, rank):
        for child in self.processes_of_ranks(running):
            with open(f"/proc/{child}/environ", "rb") as file:
                if b"OMPI_COMM_WORLD_RANK=%d" % rank in file.read().split(b"\0"):
                    return child
        return self.fail(f"mpirun has no rank {rank}")

    def assert_same(self, found, expected, names=RESULTS):
        for name in names:
            with open(self.path(expected, name), "rb") as file:
                wanted = file.read()
            with open(self.path(found, name), "rb") as file:
                self.assertEqual(file.read(), wanted, f"{found}/{name}")

    def assert_one_error(self, done, *naming):
        """Of all ranks one speaks; mpirun adds that they ended."""
        self.assertEqual(done.returncode, 2, done.stderr)
        errors = [line for line in done.stderr.splitlines() if line.startswith("mxprism: error: ")]
        self.assertEqual(len(errors), 1, done.stderr)
        for text in naming:
            self.assertIn(text, errors[0])
        self.assertEqual(done.stdout.replace("-", "").strip(), "")

    def test_two_and_three_ranks_write_the_files_of_one_process(self):
        self.one_process("train", "s.toml", "-o", "one")
        for count, threads in ((2, "1"), (3, "2")):
            done = self.ranks(count, "train", "s.toml", "-o", f"of-{count}", "--threads", threads)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assert_same(f"of-{count}", "one")
            self.assertEqual(done.stdout.count("report: "), 1)  # rank 0 speaks
        again = self.ranks(2, "train", "s.toml", "-o", "of-2")
        self.assertIn("nothing was changed", again.stdout)

    def test_a_killed_rank_ends_the_run_and_it_resumes_to_the_same_bits(self):
        self.one_process("train", "long.toml", "-o", "one", "--steps", "30")
        for rank in (0, 1):
            folder = f"killed-{rank}"
            running = self.start(2, "train", "long.toml", "-o", folder, "--threads", "1")
            self.wait_for(f"{folder}/checkpoints/fp32.safetensors", running)
            os.kill(self.process_of_rank(running, rank), signal.SIGKILL)
            output, _ = running.communicate(timeout=60)
            self.assertNotEqual(running.returncode, 0)
            self.assertIn("Killed", output)
            done = self.ranks(3 - rank, "train", "long.toml", "-o", folder, "--steps", "30",
                              "--resume")
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assert_same(folder, "one", ("hashes.csv",))

    def test_a_signal_to_one_rank_stops_all_with_its_exit_status(self):
        running = self.start(2, "train", "long.toml", "-o", "stopped", "--threads", "1")
        self.wait_for("stopped/checkpoints/fp32.safetensors", running)
        os.kill(self.process_of_rank(running, 1), signal.SIGTERM)
        output, _ = running.communicate(timeout=60)
        self.assertEqual(running.returncode, 128 + signal.SIGTERM, output)

    def test_a_damaged_checkpoint_is_named_as_one_process_names_it(self):
        self.one_process("train", "s.toml", "-o", "kept", "--keep-last", "3")
        os.remove(self.path("kept", "checkpoints", "mxfp4.safetensors"))
        steps = os.path.join("kept", "checkpoints", "mxfp4.steps")
        newest = os.path.join(steps, max(os.listdir(self.path(steps))))
        with open(self.path(newest), "r+b") as file:
            file.truncate(1000)
        done = self.ranks(2, "train", "s.toml", "-o", "kept", "--keep-last", "3", "--resume")
        self.assert_one_error(done, newest, "is damaged", "remove the file, and --resume")

    def test_ranks_that_differ_are_refused_with_both_values(self):
        one = [*MPIRUN, "-n", "1", PROGRAM, "train", "s.toml", "-o", "out"]
        other = ["-n", "1", PROGRAM, "train", "s.toml", "-o", "out"]
        done = self.run_words([*one, ":", *other, "grpo.steps=3"])
        self.assert_one_error(done, "rank 0 has study (hash) ", ", rank 1 has ")
        done = self.run_words([*one, ":", *other, "--steps", "3"])
        self.assert_one_error(done, "rank 0 has last step 4, rank 1 has 3")
        shutil.copy(PROGRAM, self.path("build"))
        with open(self.path("build"), "ab") as file:
            file.write(b"\0")
        other[2] = "./build"
        done = self.run_words([*one, ":", *other])
        self.assert_one_error(done, "rank 0 has program (SHA-256) ", ", rank 1 has ")
        self.assertFalse(os.path.exists(self.path("out")))

    def test_more_ranks_than_groups_are_refused_with_both_numbers(self):
        done = self.ranks(3, "train", "s.toml", "-o", "out", "grpo.prompts=1", "grpo.samples=2")
        self.assert_one_error(done, "3 ranks", "2 sequences", "2 groups")
        self.assertFalse(os.path.exists(self.path("out")))

    def test_two_jobs_on_one_folder_are_refused(self):
        running = self.start(2, "train", "long.toml", "-o", "out", "--threads", "1")
        self.wait_for("out/run.lock", running)
        self.wait_for("out/study.toml", running)
        done = self.ranks(2, "train", "long.toml", "-o", "out", "--resume")
        holder = self.process_of_rank(running, 0)
        self.assert_one_error(done, f"out: process {holder} on ", "is running a study")
        done = self.run_words([PROGRAM, "train", "long.toml", "-o", "out", "--resume"])
        self.assertEqual(done.returncode, 2)

    def test_a_lost_folder_ends_all_ranks_with_one_message(self):
        running = self.start(2, "train", "long.toml", "-o", "out", "--threads", "1")
        self.wait_for("out/checkpoints/warm-up.safetensors", running)
        os.rename(self.path("out"), self.path("lost"))
        output, _ = running.communicate(timeout=120)
        self.assertEqual(running.returncode, 2, output)
        self.assertEqual(output.count("mxprism: error: "), 1, output)
        self.assertIn("out/checkpoints/", output)
        os.rename(self.path("lost"), self.path("out"))
        done = self.ranks(2, "train", "long.toml", "-o", "out", "--steps", "2", "--resume")
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_bad_usage_is_reported_once(self):
        done = self.ranks(2, "train", "missing.toml", "-o", "out")
        self.assert_one_error(done, "missing.toml")

    def test_ranks_share_the_seeds_of_claims(self):
        self.write_text("claims.toml", repro_test.CLAIMS)
        self.write_text("study.toml", repro_test.STUDY)
        self.one_process("repro", "claims.toml", "-o", "one")
        done = self.ranks(2, "repro", "claims.toml", "-o", "shared", "--threads", "1")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assert_same("shared", "one", ("claims.csv", "hashes.csv", "seed-103/metrics.csv"))
        self.assertEqual(done.stderr.count("1 of 2 to run"), 1)
        self.assertEqual(done.stderr.count("1 of 1 to run"), 1)
        done = self.ranks(2, "repro", "claims.toml", "-o", "merged", "--merge", "one")
        self.assert_one_error(done, "--merge", "2 ranks")
        other = ["-n", "1", PROGRAM, "repro", "claims.toml", "-o", "x", "--shard", "1/3"]
        done = self.run_words([*MPIRUN, *other, ":", *other[:-1], "1/2"])
        self.assert_one_error(done, "rank 0 has seeds 101, rank 1 has 101,103")

    def test_ranks_share_the_rows_of_a_sweep_on_a_policy(self):
        self.write_text("sweep.toml", policy_sweep_test.SWEEP)
        self.write_text("study.toml", policy_sweep_test.STUDY)
        self.write_text("texts.jsonl", policy_sweep_test.TEXTS)
        self.one_process("sweep", "sweep.toml", "-o", "one")
        done = self.ranks(3, "sweep", "sweep.toml", "-o", "shared", "--threads", "1")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assert_same("shared", "one", policy_sweep_test.RESULTS)
        journals = [self.read_text("shared", f"rows-{rank}-of-3.jsonl").splitlines() for rank in (1, 2, 3)]
        self.assertEqual([len(rows) for rows in journals], [3, 3, 2])
        self.assertEqual(len(os.listdir(self.path("shared", "policies"))), 1)
        again = self.ranks(2, "sweep", "sweep.toml", "-o", "shared", "--threads", "1")
        self.assertEqual(again.returncode, 0, again.stderr)
        self.assert_same("shared", "one", policy_sweep_test.RESULTS)


if __name__ == "__main__":
    main()
