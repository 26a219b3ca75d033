# SPDX-License-Identifier: Apache-2.0
# tests/e2e/stages_test.py: progress of a build in sim/run and tests/run, with a stand-in for ninja.
import os
import pathlib
import pty
import subprocess
import tempfile
import unittest

SOURCE = pathlib.Path(os.environ["MX_SOURCE_DIR"])
STEPS = "for i in $(seq 20); do echo \"[$i/20] Building object_$i\"; done"
FAILURE = ("echo '[1/3] Building a'; echo 'FAILED: b.o'; echo 'g++ b.cpp'; echo 'b.cpp:1: error: wrong'; "
           "for i in $(seq 60); do echo \"[2/3] warning $i\"; done; exit 1")


def script(folder, build):
    return (f"set -euo pipefail; program=some/run; log={folder}/log; source {SOURCE}/sim/stages.sh; "
            f"ninja() {{ {build}; }}; build_stage 'building' ninja; echo 'after'")


def run(folder, build):
    return subprocess.run(["bash", "-c", script(folder, build)], capture_output=True, text=True)


def run_on_terminal(folder, build):
    ours, its = pty.openpty()
    process = subprocess.Popen(["bash", "-c", script(folder, build)], stdout=its, stderr=its,
                               env={**os.environ, "TERM": "xterm"})
    os.close(its)
    seen = b""
    try:
        while piece := os.read(ours, 65536):
            seen += piece
    except OSError:  # the other end is closed
        pass
    os.close(ours)
    process.wait()
    return seen.decode()


class Stages(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def log(self):
        return (pathlib.Path(self.folder) / "log").read_text()

    def test_a_file_gets_a_line_each_tenth(self):
        result = run(self.folder, STEPS)
        lines = result.stdout.splitlines()
        self.assertEqual(lines[0], "some/run: building")
        self.assertEqual(lines[1:11], [f"some/run:   {i} of 20 steps" for i in range(2, 21, 2)])
        self.assertEqual(lines[11:], ["after"])

    def test_a_count_that_begins_anew_is_shown_from_its_beginning(self):
        result = run(self.folder, f"{STEPS}; echo '[1/5] Building more'")
        self.assertEqual(result.stdout.splitlines()[11:], ["some/run:   1 of 5 steps", "after"])

    def test_a_terminal_gets_one_line_that_changes(self):
        seen = run_on_terminal(self.folder, STEPS)
        for i in range(1, 21):
            self.assertIn(f"\r\x1b[K[{i}/20] Building object_{i}", seen)
        self.assertEqual(seen.count("\n"), 2)
        self.assertTrue(seen.endswith("\r\x1b[Kafter\r\n"))

    def test_the_log_has_every_line(self):
        run(self.folder, STEPS)
        self.assertEqual(len(self.log().splitlines()), 20)

    def test_a_failure_shows_the_output_of_the_command_that_failed(self):
        result = run(self.folder, FAILURE)
        self.assertEqual(result.returncode, 3)
        shown, last = result.stderr.splitlines()[:-1], result.stderr.splitlines()[-1]
        self.assertEqual(shown, ["FAILED: b.o", "g++ b.cpp", "b.cpp:1: error: wrong"])
        self.assertIn(f"{self.folder}/log", last)
        self.assertNotIn("after", result.stdout)

    def test_a_failure_without_a_command_shows_the_last_lines(self):
        result = run(self.folder, "seq 50; exit 1")
        self.assertEqual(result.returncode, 3)
        self.assertEqual(result.stderr.splitlines()[:-1], [str(i) for i in range(11, 51)])


if __name__ == "__main__":
    unittest.main()
