# SPDX-License-Identifier: Apache-2.0
# tests/oracle/speed_test.py: tokens a second of SmolLM2-135M-Instruct beside torch on the same
# threads: a forward pass with the loss of every token, and a step with gradient and Adam. Rounds of
# both in turn; their least times are compared.
# MX_ORACLE_SPEED is the program oracle_speed; MX_ORACLE_ROUNDS (3) and MX_ORACLE_THREADS (2).

import json
import os
import subprocess
import tempfile
import time
import unittest

from torch_models import MODEL_ABSENCE, skip, smollm2, smollm2_on_torch, torch

PROGRAM = os.environ.get("MX_ORACLE_SPEED", "oracle_speed")
ROUNDS = int(os.environ.get("MX_ORACLE_ROUNDS", "3"))
THREADS = int(os.environ.get("MX_ORACLE_THREADS", "2"))
TEXTS, LENGTH = 8, 256
SLOWEST = 0.7  # of torch's rate, below what is measured, for busy machines
ARITHMETICS = ("fp32", "fp32.sequential", "blackwell.mxf4")


def texts():
    """Texts of equal lengths, which cost torch no padding."""
    generator = torch.Generator().manual_seed(5)
    return torch.randint(49152, (TEXTS, LENGTH), generator=generator)


class torch_policy:
    def __init__(self, ids):
        self.model = smollm2_on_torch()
        self.optimizer = torch.optim.Adam(self.model.parameters(), lr=0.0, foreach=True)
        self.ids = ids

    def forward(self):
        with torch.no_grad():
            self.model(self.ids, labels=self.ids)

    def step(self):
        self.optimizer.zero_grad()
        self.model(self.ids, labels=self.ids).loss.backward()
        torch.nn.utils.clip_grad_norm_(self.model.parameters(), 1.0)
        self.optimizer.step()

    def seconds(self, what):
        begin = time.perf_counter()
        getattr(self, what)()
        return time.perf_counter() - begin


class own_policy:
    def __init__(self, ids, folder):
        file = os.path.join(folder, "texts.jsonl")
        with open(file, "w", encoding="utf-8") as out:
            out.writelines(json.dumps({"tokens": row}) + "\n" for row in ids.tolist())
        processors = ",".join(map(str, sorted(os.sched_getaffinity(0))[:THREADS]))
        self.process = subprocess.Popen(
            ["taskset", "-c", processors, PROGRAM, os.path.join(*smollm2()), file],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, encoding="utf-8")

    def seconds(self, what, arithmetic):
        self.process.stdin.write(f"{what} {arithmetic}\n")
        self.process.stdin.flush()
        return float(self.process.stdout.readline())

    def end(self):
        self.process.stdin.close()
        self.process.stdout.close()
        self.process.wait()


class speed_test(unittest.TestCase):
    def test_passes_are_about_as_fast_as_those_of_torch(self):
        torch.set_num_threads(THREADS)
        ids = texts()
        least = {}

        def note(*key, seconds):
            least[key] = min(seconds, least.get(key, seconds))

        with tempfile.TemporaryDirectory() as folder:
            own, theirs = own_policy(ids, folder), torch_policy(ids)
            self.addCleanup(own.end)
            for what in ("forward", "step"):
                for _ in range(ROUNDS):
                    note(what, "torch", seconds=theirs.seconds(what))
                    for name in ARITHMETICS:
                        note(what, name, seconds=own.seconds(what, name))
        for (what, name), seconds in least.items():
            print(f"{what} {name}: {ids.numel() / seconds:.0f} tokens/s, "
                  f"{least[what, 'torch'] / seconds:.2f} x torch FP32", flush=True)
        for (what, name), seconds in least.items():
            self.assertGreater(least[what, "torch"] / seconds, SLOWEST, f"{what} {name}")


if __name__ == "__main__":
    if smollm2() is None:
        skip(MODEL_ABSENCE)
    print(f"torch {torch.__version__}, {THREADS} threads, {TEXTS} texts of {LENGTH} tokens")
    unittest.main()
