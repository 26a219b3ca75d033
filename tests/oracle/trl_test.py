# SPDX-License-Identifier: Apache-2.0
# tests/oracle/trl_test.py: loss and slopes of a GRPO update against trl's trainer, on the CPU, in
# binary64, on the same log-probabilities: all clips, the KL term, truncated importance weights, and
# the three aggregations, of which trl names four.

import collections
import os
import subprocess
import sys
import types
import unittest
import warnings

SKIPPED = 77  # ctest's exit status for "did not run"
PROGRAM = os.environ.get("MX_ORACLE_GRPO", "oracle_grpo")

warnings.simplefilter("ignore")
try:
    import numpy as np
    import torch
    from trl import GRPOTrainer
except (ImportError, OSError, RuntimeError) as error:
    print(f"SKIPPED: {os.path.basename(sys.argv[0])}, because Python has no trl "
          f"(./bootstrap --oracles-torch installs it): {str(error).splitlines()[-1]}")
    sys.exit(SKIPPED)

LIMIT = 12
AGGREGATIONS = {"token_mean": ("bnpo", "dapo"), "sequence_mean": ("grpo",),
                "constant_length": ("dr_grpo",)}


class update:
    """Log-probabilities of an update's responses, as FP32 numbers, and a mask of real tokens."""

    def __init__(self, seed, sequences=24):
        random = np.random.default_rng(seed)
        shape = (sequences, LIMIT)
        self.mask = np.arange(LIMIT) < random.integers(1, LIMIT + 1, (sequences, 1))
        self.now = -random.exponential(1.0, shape).astype(np.float32)
        near = lambda spread: (self.now + spread * random.normal(size=shape)).astype(np.float32)
        self.old, self.reference = near(0.4), near(0.3)
        self.old[0, 0] = self.now[0, 0] - np.float32(2)  # beyond every clip
        self.old[1, 0] = self.now[1, 0] - np.float32(2)
        self.rollout = (self.old + 0.5 * random.normal(size=shape)).astype(np.float32)
        self.advantage = random.normal(size=sequences).astype(np.float32)
        self.advantage[:2] = 1, -1

    def text(self, keys):
        words = [" ".join(str(k) for k in keys), str(len(self.advantage))]
        tokens = np.stack([self.now, self.old, self.reference, self.rollout], axis=2)
        for advantage, mask, rows in zip(self.advantage, self.mask, tokens):
            words.append(f"{float(advantage)!r} {mask.sum()}")
            words += (" ".join(repr(float(v)) for v in row) for row in rows[mask])
        return "\n".join(words)


def ours(of, aggregation, kl, low, high, dual, cap):
    text = of.text((aggregation, kl, low, high, dual, cap, LIMIT))
    done = subprocess.run([PROGRAM], input=text, stdout=subprocess.PIPE, text=True, check=True)
    values = [float(word) for word in done.stdout.split()]
    slopes = np.zeros(of.mask.shape)
    slopes[of.mask] = values[2:]
    return values[0], values[1], slopes


def trainer(loss_type, kl, low, high, dual, cap, log_p):
    """trl's trainer with nothing but what its loss reads; the model's log-probabilities are given."""
    result = object.__new__(GRPOTrainer)
    result.__dict__.update(
        top_entropy_quantile=1.0, off_policy_mask_threshold=None, importance_sampling_level="token",
        beta=kl, epsilon_low=low, epsilon_high=high, use_vllm=cap > 0,
        vllm_importance_sampling_correction=True, loss_type=loss_type, aux_loss_enabled=False,
        current_gradient_accumulation_steps=1, max_completion_length=LIMIT,
        _entropy_bonus_enabled=False, model=types.SimpleNamespace(training=True),
        args=types.SimpleNamespace(delta=dual, use_bias_correction_kl=False, steps_per_generation=1),
        accelerator=types.SimpleNamespace(num_processes=1, gather=lambda x: x,
                                          reduce=lambda x, reduction: x),
        _metrics={"train": collections.defaultdict(list)},
        _get_per_token_logps_and_entropies=lambda *_, **__: (log_p, torch.zeros_like(log_p), None))
    return result


def theirs(of, loss_type, kl, low, high, dual, cap):
    wide = lambda x: torch.tensor(x, dtype=torch.float64)
    log_p = wide(of.now).requires_grad_()
    mask = wide(of.mask)
    ids = torch.zeros(of.mask.shape, dtype=torch.long)
    ratio = torch.exp(wide(of.old) - wide(of.rollout))
    inputs = {"prompt_ids": ids[:, :1], "prompt_mask": ids[:, :1], "completion_ids": ids,
              "completion_mask": mask, "advantages": wide(of.advantage),
              "old_per_token_logps": wide(of.old), "ref_per_token_logps": wide(of.reference),
              "importance_sampling_ratio": torch.clamp(ratio, max=cap),
              "num_items_in_batch": mask.sum()}
    by = trainer(loss_type, kl, low, high, dual, cap, log_p)
    loss = by._compute_loss(None, inputs)
    loss.backward()
    kls = by._metrics["train"].get("kl", [None])
    return loss.item(), kls[0], log_p.grad.numpy()


class trl_test(unittest.TestCase):
    def assert_near(self, found, expected, what):
        distance = np.abs(np.asarray(found) - expected).max()
        self.assertLessEqual(distance, 1e-6 * np.abs(expected).max(), what)

    def test_loss_and_slopes_are_those_of_trl(self):
        clips = ((0.2, 0.28, 3.0), (0.1, 0.1, 1.5))
        for seed in range(4):
            of = update(seed)
            for aggregation, loss_types in AGGREGATIONS.items():
                for kl, cap, clip in ((0.0, 0.0, 0), (0.04, 0.0, 0), (0.5, 2.0, 1), (0.0, 1.25, 1)):
                    keys = (kl, *clips[clip], cap)
                    loss, mean_kl, slopes = ours(of, aggregation, *keys)
                    for loss_type in loss_types:
                        with self.subTest(seed=seed, loss_type=loss_type, keys=keys):
                            expected = theirs(of, loss_type, *keys)
                            self.assert_near(loss, expected[0], "loss")
                            self.assert_near(slopes, expected[2], "slopes")
                            if kl:
                                self.assert_near(mean_kl, expected[1], "kl")

    def test_every_clip_acts(self):
        of = update(0)
        ratio = np.exp(of.now.astype(float) - of.old)[of.mask]
        advantage = np.broadcast_to(of.advantage[:, None], of.mask.shape)[of.mask]
        for clipped in ((ratio > 1.28) & (advantage > 0), (ratio < 0.8) & (advantage < 0),
                        (ratio > 3) & (advantage < 0)):
            self.assertTrue(clipped.any())


if __name__ == "__main__":
    unittest.main()
