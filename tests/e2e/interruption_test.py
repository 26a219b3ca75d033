# SPDX-License-Identifier: Apache-2.0
# tests/e2e/interruption_test.py: an interrupted command leaves no temporary file, and a killed one
# no part of a file under its final name; what goes on where it was killed ends with the same bits.

import json
import os
import random
import shutil
import signal
import struct
import subprocess
import sys
import time
import unittest

import sweep_test
import tensor_files
import train_faults_test
from command_case import PROGRAM, SOURCES, command_case, main

sys.path.append(os.path.join(SOURCES, "tests/hostile"))
import whole_files  # noqa: E402

COUNT = 1 << 29  # BF16, all of it sparse: seconds of work, no disk


class interruption_test(command_case):
    def setUp(self):
        super().setUp()
        header = json.dumps({"w": {"dtype": "BF16", "shape": [COUNT],
                                   "data_offsets": [0, 2 * COUNT]}}).encode()
        with open(self.path("large.safetensors"), "wb") as file:
            file.write(struct.pack("<Q", len(header)) + header)
            file.truncate(8 + len(header) + 2 * COUNT)

    def temporary_files(self):
        return [name for name in os.listdir(self.folder) if name.startswith(".mxprism-")]

    def started(self, **options):
        """The command, once its temporary file exists."""
        running = subprocess.Popen([PROGRAM, "quantize", "large.safetensors", "-o",
                                    "out.safetensors"], cwd=self.folder, stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, **options)
        self.addCleanup(running.communicate)
        self.addCleanup(running.kill)
        end = time.monotonic() + 60 * self.patience()
        while not self.temporary_files():
            self.assertIsNone(running.poll(), "it ended before it wrote anything")
            self.assertLess(time.monotonic(), end, "no temporary file appears")
            time.sleep(0.001)
        return running

    def test_a_signal_leaves_the_folder_as_it_was(self):
        tensor_files.write_safetensors(self.path("out.safetensors"), {})
        with open(self.path("out.safetensors"), "rb") as file:
            before = file.read()
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            with self.subTest(signal=number.name):
                running = self.started()
                running.send_signal(number)
                self.assertEqual(running.wait(timeout=60 * self.patience()), 128 + number)
                self.assertEqual(sorted(os.listdir(self.folder)),
                                 ["large.safetensors", "out.safetensors"])
                with open(self.path("out.safetensors"), "rb") as file:
                    self.assertEqual(file.read(), before)

    def test_a_signal_that_is_ignored_stays_ignored(self):
        running = self.started(preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN))
        running.send_signal(signal.SIGHUP)
        self.assertEqual(running.wait(timeout=120 * self.patience()), 0)


class stop_test(command_case):
    """Signals that stop a run behind its step."""

    def trained(self, *words, **options):
        self.write_text("s.toml", train_faults_test.STUDY)
        running = subprocess.Popen([PROGRAM, "train", "s.toml", "-o", "run", *words],
                                   cwd=self.folder, stdout=subprocess.DEVNULL,
                                   stderr=subprocess.PIPE, **options)
        self.addCleanup(running.communicate)
        self.addCleanup(running.kill)
        end = time.monotonic() + 120
        while not os.path.exists(self.path("run", "tensorboard", "mxfp4")):
            self.assertIsNone(running.poll(), "it ended by itself")
            self.assertLess(time.monotonic(), end)
            time.sleep(0.001)
        return running

    def test_an_interrupt_that_is_ignored_stays_ignored(self):
        running = self.trained("grpo.steps=100", preexec_fn=lambda: signal.signal(
            signal.SIGINT, signal.SIG_IGN))
        running.send_signal(signal.SIGINT)
        self.assertEqual(running.wait(timeout=120 * self.patience()), 0)


    def test_a_second_signal_of_the_other_kind_ends_the_run_at_once(self):
        running = self.trained("grpo.steps=1000")
        for number in (signal.SIGSTOP, signal.SIGTERM, signal.SIGINT, signal.SIGCONT):
            running.send_signal(number)
        _, message = running.communicate(timeout=60 * self.patience())
        self.assertIn(running.returncode, (128 + signal.SIGINT, 128 + signal.SIGTERM))
        self.assertNotIn(b"--resume continues", message)


class few_kills(command_case):
    """Kills `train`, `sweep` and `quantize` at random moments between their start and their end."""
    KILLS = 6

    def setUp(self):
        super().setUp()
        self.chance = random.Random(1)

    def run_whole(self, *words):
        """Runs the command to its end; returns the seconds that it took."""
        begin = time.monotonic()
        done = subprocess.run([PROGRAM, *words], cwd=self.folder, capture_output=True,
                              encoding="utf-8", timeout=300 * self.patience(), check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        return time.monotonic() - begin

    def run_killed(self, seconds, *words):
        """Whether the command was killed: it may end before its moment comes."""
        with subprocess.Popen([PROGRAM, *words], cwd=self.folder, stdout=subprocess.DEVNULL,
                              stderr=subprocess.DEVNULL) as running:
            try:
                running.wait(timeout=self.chance.uniform(0, seconds))
            except subprocess.TimeoutExpired:
                running.kill()
            return running.wait() == -signal.SIGKILL

    def rounds(self, seconds, *words):
        """Kills the command KILLS times; the body of the loop looks at what each kill left."""
        killed = 0
        for _ in range(10 * self.KILLS):
            if killed == self.KILLS:
                break
            if self.run_killed(seconds, *words):
                killed += 1
                yield
        self.assertEqual(killed, self.KILLS, "the command ends before it is killed")

    def assert_whole(self, folder):
        for where, _, names in os.walk(self.path(folder)):
            for name in names:
                path = os.path.join(where, name)
                self.assertTrue(whole_files.is_temporary(path) or whole_files.is_whole(path), path)

    def assert_same_files(self, names, one, other):
        for name in names:
            with open(self.path(one, name), "rb") as file:
                expected = file.read()
            with open(self.path(other, name), "rb") as file:
                self.assertEqual(file.read(), expected, name)

    def assert_goes_on(self, seconds, words, folder, results):
        """After every kill: whole files, and the bits of the run that was not killed."""
        for _ in self.rounds(seconds, *words):
            self.assert_whole(folder)
            if self.chance.random() < 0.3:
                self.run_killed(seconds, *words)
                self.assert_whole(folder)
            self.run_whole(*words)
            self.assert_same_files(results, "straight", folder)
            left = [name for _, _, names in os.walk(self.path(folder)) for name in names]
            self.assertEqual([name for name in left if name.startswith(".")], [])
            shutil.rmtree(self.path(folder))

    def test_a_killed_run_goes_on_to_the_same_bits(self):
        self.write_text("s.toml", train_faults_test.STUDY)
        seconds = self.run_whole("train", "s.toml", "-o", "straight")
        self.assert_goes_on(seconds, ("train", "s.toml", "-o", "run", "--resume"), "run",
                            train_faults_test.RESULTS)

    def test_a_killed_sweep_goes_on_to_the_same_bits(self):
        self.write_text("s.toml", sweep_test.STUDY.replace("rows = 8", "rows = 256").replace(
            "[16, 32]", "{ from = 16, to = 128, step = 16 }"))
        seconds = self.run_whole("sweep", "s.toml", "-o", "straight")
        self.assert_goes_on(seconds, ("sweep", "s.toml", "-o", "swept"), "swept",
                            sweep_test.RESULTS)

    def test_a_killed_quantizer_leaves_the_old_file_or_the_new_one(self):
        header = json.dumps({"w": {"dtype": "BF16", "shape": [COUNT // 16],
                                   "data_offsets": [0, COUNT // 8]}}).encode()
        with open(self.path("x.safetensors"), "wb") as file:
            file.write(struct.pack("<Q", len(header)) + header)
            file.truncate(8 + len(header) + COUNT // 8)
        seconds = self.run_whole("quantize", "x.safetensors", "-o", "new.safetensors")
        old = tensor_files.safetensors_bytes({})
        with open(self.path("new.safetensors"), "rb") as file:
            new = file.read()
        tensor_files.write_safetensors(self.path("out.safetensors"), {})
        for _ in self.rounds(seconds, "quantize", "x.safetensors", "-o", "out.safetensors"):
            with open(self.path("out.safetensors"), "rb") as file:
                self.assertIn(file.read(), (old, new))
            for name in filter(whole_files.is_temporary, os.listdir(self.folder)):
                os.remove(self.path(name))
            tensor_files.write_safetensors(self.path("out.safetensors"), {})


class many_kills(few_kills):
    KILLS = 200


def load_tests(loader, _tests, _pattern):
    """A few kills; many_kills runs where it is named."""
    return unittest.TestSuite(map(loader.loadTestsFromTestCase, (interruption_test, few_kills)))


if __name__ == "__main__":
    main()
