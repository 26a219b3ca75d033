# SPDX-License-Identifier: Apache-2.0
# tests/e2e/output_files_test.py: output files have the required permissions, are not written
# through an existing link, and are removed if incomplete.

import json
import os
import resource
import signal
import stat
import subprocess
import time

import tensor_files
from command_case import PROGRAM, SOURCES, command_case, main

ROW = {"phase": "frozen", "arm": "mxfp4", "seed": 1, "step": None, "outliers": 1, "passes": None,
       "layer": None, "metric": "kl", "value": 0.06, "standard_error": 0.01}


class output_files_test(command_case):
    def write(self, name, text=""):
        with open(self.path(name), "w", encoding="utf-8") as file:
            file.write(text)

    def mode_of(self, *names):
        return stat.S_IMODE(os.stat(self.path(*names)).st_mode)

    def run_under(self, mask, *words, **options):
        """Runs the command under a umask."""
        done = subprocess.run([PROGRAM, *words], cwd=self.folder, capture_output=True, timeout=120,
                              check=False, encoding="utf-8",
                              preexec_fn=lambda: os.umask(mask), **options)
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_a_file_that_is_replaced_keeps_its_permissions(self):
        tensor_files.write_safetensors(self.path("x.safetensors"),
                                       {"x": tensor_files.floats([32], [1.0] * 32)})
        for mode, mask in ((0o600, 0o022), (0o640, 0o022), (0o666, 0o077), (0o444, 0o022)):
            with self.subTest(mode=oct(mode), mask=oct(mask)):
                self.write("out.safetensors")
                os.chmod(self.path("out.safetensors"), mode)
                self.run_under(mask, "quantize", "x.safetensors", "-o", "out.safetensors")
                self.assertEqual(oct(self.mode_of("out.safetensors")), oct(mode))
                os.remove(self.path("out.safetensors"))
        self.run_under(0o027, "quantize", "x.safetensors", "-o", "out.safetensors")
        self.assertEqual(oct(self.mode_of("out.safetensors")), oct(0o640))

    def test_folders_of_vectors_follow_the_umask(self):
        for mask in (0o077, 0o022):
            self.run_under(mask, "vectors", "ties", "-o", f"ties{mask}")
            self.assertEqual(oct(self.mode_of(f"ties{mask}")), oct(0o777 & ~mask))
            self.assertEqual(oct(self.mode_of(f"ties{mask}", "manifest.json")),
                             oct(0o666 & ~mask))

    def test_a_signal_leaves_no_folder_of_vectors(self):
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            with self.subTest(signal=number.name):
                running = subprocess.Popen([PROGRAM, "vectors", "all", "-o", "packs"],
                                           cwd=self.folder, stdout=subprocess.PIPE,
                                           stderr=subprocess.PIPE)
                self.addCleanup(running.communicate)
                self.addCleanup(running.kill)
                end = time.monotonic() + 60
                while not any(".partial" in name for name in self.listed("packs")):
                    self.assertIsNone(running.poll(), "it ended before it wrote anything")
                    self.assertLess(time.monotonic(), end, "no folder appears")
                running.send_signal(number)
                self.assertEqual(running.wait(timeout=60), 128 + number)
                self.assertEqual([n for n in self.listed("packs") if ".partial" in n], [])

    def listed(self, name):
        try:
            return os.listdir(self.path(name))
        except FileNotFoundError:
            return []

    def test_a_full_disk_is_reported_of_the_folder_that_was_asked_for(self):
        def limit_files():
            resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))
        done = subprocess.run([PROGRAM, "vectors", "ties", "-o", "ties"], cwd=self.folder,
                              capture_output=True, timeout=120, check=False, encoding="utf-8",
                              preexec_fn=limit_files)
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertTrue(done.stderr.startswith("mxprism: error: ties: cannot write"), done.stderr)
        self.assertNotIn("partial", done.stderr)
        self.assertEqual(os.listdir(self.folder), [])

    def put_run(self):
        """A folder that `report` accepts as a run."""
        os.mkdir(self.path("run"))
        with open(os.path.join(SOURCES, "sim", "studies", "default.toml"),
                  encoding="utf-8") as study:
            self.write("run/study.toml", study.read())
        self.write("run/metrics.jsonl", json.dumps(ROW) + "\n")

    def test_a_report_follows_no_planted_link(self):
        self.put_run()
        self.write("victim", "mine")
        for name in ("report.html.partial", ".mxprism-0-0"):
            os.symlink("../victim", self.path("run", name))
        self.run_command("report", "run")
        with open(self.path("victim"), encoding="utf-8") as file:
            self.assertEqual(file.read(), "mine")
        with open(self.path("run", "report.html"), encoding="utf-8") as file:
            self.assertIn("<html", file.read())

    def test_a_report_that_cannot_be_written_is_refused(self):
        self.put_run()
        os.mkdir(self.path("run", "report.html"))
        self.assert_refused("report", "run", naming=["report.html"])


if __name__ == "__main__":
    main()
