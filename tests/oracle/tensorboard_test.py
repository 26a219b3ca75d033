# SPDX-License-Identifier: Apache-2.0
# tests/oracle/tensorboard_test.py: TensorBoard's own reader gives the numbers of metrics.jsonl from the
# event files of a run, of one that was resumed too. MXPRISM is the command.

import json
import os
import subprocess
import sys
import tempfile
import unittest

try:
    import numpy
    from tensorboard.backend.event_processing.event_multiplexer import EventMultiplexer
    from tensorboard.version import VERSION
except ImportError as error:
    print(f"SKIPPED: {os.path.basename(sys.argv[0])}, because Python has no tensorboard "
          f"(./bootstrap --oracles-rl installs it): {error}")
    sys.exit(77)  # ctest's exit status for "did not run"

sys.path.insert(0, os.path.join(os.environ["MX_SOURCE_DIR"], "tests", "e2e"))
from tiny_study import STUDY


class tensorboard_test(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = scratch.name
        with open(os.path.join(self.folder, "s.toml"), "w", encoding="utf-8") as file:
            file.write(STUDY)

    def train(self, *words):
        subprocess.run([os.environ["MXPRISM"], "train", "s.toml", "-o", "run", *words],
                       cwd=self.folder, check=True, stdout=subprocess.DEVNULL)

    def read(self):
        """(run, tag, step): value, by TensorBoard's reader."""
        reader = EventMultiplexer().AddRunsFromDirectory(
            os.path.join(self.folder, "run", "tensorboard"))
        reader.Reload()
        found = {}
        for run, content in reader.Runs().items():
            for tag in content["scalars"]:
                for event in reader.Scalars(run, tag):
                    self.assertNotIn((run, tag, event.step), found)
                    found[run, tag, event.step] = event.value
        return found

    def expected(self):
        found = {}
        with open(os.path.join(self.folder, "run", "metrics.jsonl"), encoding="utf-8") as file:
            rows = [json.loads(line) for line in file]
        for row in rows:
            if row["phase"] not in ("warm-up", "train") or row["metric"].endswith("_of_fp32"):
                continue
            run = "warm-up" if row["phase"] == "warm-up" else row["arm"]
            kind = "eval" if row["metric"].startswith("accuracy") else "train"
            place = "".join("/" + row[key] for key in ("passes", "layer") if row[key])
            tag = f"{kind}/{row['metric']}{place}"
            found[run, tag, row["step"]] = float(numpy.float32(row["value"]))
        return found

    def compare(self):
        found = {key: value for key, value in self.read().items() if "_of_fp32" not in key[1]}
        self.assertEqual(found, self.expected())
        return len(found)

    def test_tensorboard_reads_the_numbers_of_metrics_jsonl(self):
        self.train()
        print(f"TensorBoard {VERSION}: {self.compare()} numbers of a run are equal")

    def test_a_resumed_run_has_each_step_once(self):
        self.train("--steps", "3")
        for arm in ("fp32", "mxfp4"):  # as if it had been killed
            os.remove(os.path.join(self.folder, "run", "checkpoints", arm + ".safetensors"))
        self.train("--resume", "auto")
        print(f"TensorBoard {VERSION}: {self.compare()} numbers of a resumed run are equal")


if __name__ == "__main__":
    unittest.main()
