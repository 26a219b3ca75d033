# SPDX-License-Identifier: Apache-2.0
# tests/e2e/interruption_test.py: an interrupted command leaves no temporary file.

import json
import os
import signal
import struct
import subprocess
import time

import tensor_files
from command_case import PROGRAM, command_case, main

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
        end = time.monotonic() + 60
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
                self.assertEqual(running.wait(timeout=60), 128 + number)
                self.assertEqual(sorted(os.listdir(self.folder)),
                                 ["large.safetensors", "out.safetensors"])
                with open(self.path("out.safetensors"), "rb") as file:
                    self.assertEqual(file.read(), before)

    def test_a_signal_that_is_ignored_stays_ignored(self):
        running = self.started(preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN))
        running.send_signal(signal.SIGHUP)
        self.assertEqual(running.wait(timeout=120), 0)


if __name__ == "__main__":
    main()
