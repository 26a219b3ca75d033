# SPDX-License-Identifier: Apache-2.0
# tests/oracle/torchao_nvfp4_test.py: the presets torchao.nvfp4 and torchao.nvfp4-single-level
# against torchao's own function, on the CPU.

import os
import subprocess
import sys
import unittest
import warnings

SKIPPED = 77  # ctest's exit status for "did not run"
PROGRAM = os.environ.get("MX_ORACLE_NVFP4", "oracle_nvfp4")

warnings.simplefilter("ignore")
try:
    import numpy as np
    import torch
    from torchao.prototype.mx_formats import nvfp4_tensor
except (ImportError, OSError) as error:
    print(f"SKIPPED: {os.path.basename(sys.argv[0])}, because Python has no torch and torchao "
          f"({error})")
    sys.exit(SKIPPED)


def blocks(count, seed):
    """Blocks of 16 with amax up to the tensor's, on ties, next to them, and between."""
    random = np.random.default_rng(seed)
    amax = np.exp2(random.uniform(-30, 30, count)).astype(np.float32)
    block = amax * np.exp2(-random.integers(0, 24, count) / 2).astype(np.float32)
    near = np.array([0, .25, .75, 1.25, 1.75, 2.5, 3.5, 5, 6], np.float32) / np.float32(6)
    x = near[random.integers(0, 9, (count, 16))] * block[:, None]
    x = np.where(random.random(x.shape) < .4, x, random.random(x.shape) * block[:, None])
    x = x.astype(np.float32)
    step = random.integers(-1, 2, x.shape).astype(np.int32)
    x = np.where(x > 0, (x.view(np.int32) + step).view(np.float32), x)
    return amax, np.where(random.random(x.shape) < .5, -x, x)


def ours(name, amax, x):
    content = np.concatenate([amax[:, None], x], axis=1).astype(np.float32).tobytes()
    done = subprocess.run([PROGRAM, name], input=content, stdout=subprocess.PIPE, check=True)
    codes = np.frombuffer(done.stdout, np.uint8).reshape(-1, 17)
    return codes[:, 0], codes[:, 1:]


def theirs(x, tensor_scale=None):
    scale, packed = nvfp4_tensor.nvfp4_quantize(torch.from_numpy(x), 16, tensor_scale)
    packed = packed.numpy().reshape(-1, 8)
    codes = np.stack([packed & 15, packed >> 4], axis=2).reshape(-1, 16)
    return scale.view(torch.uint8).numpy().reshape(-1), codes


class torchao_nvfp4_test(unittest.TestCase):
    def assert_equal(self, x, found, expected):
        for mine, other in zip(found, expected):
            different = np.flatnonzero(np.atleast_2d((mine != other).T).any(axis=0))
            if different.size:
                i = different[0]
                self.fail(f"{different.size} of {len(x)} blocks differ, first {x[i].tolist()}: "
                          f"{mine[i]}, theirs {other[i]}")

    def test_a_block_alone_gets_the_same_scale_and_codes(self):
        amax, x = blocks(200000, 1)
        self.assert_equal(x, ours("torchao.nvfp4-single-level", amax, x), theirs(x))

    def test_blocks_of_a_tensor_get_the_same_scales_and_codes(self):
        for seed in range(100):
            amax, x = blocks(2000, seed)
            amax = np.repeat(amax[:1], len(x))
            scale = nvfp4_tensor.per_tensor_amax_to_scale(torch.tensor(amax[0]))
            self.assert_equal(x, ours("torchao.nvfp4", amax, x), theirs(x, scale))

    def test_special_blocks_get_the_same_scales_and_codes(self):
        x = blocks(64, 2)[1]
        x[:, 3] = np.resize(np.array([np.inf, -np.inf, np.nan, -np.nan], np.float32), 64)
        x[::8] = 0
        amax = np.full(64, 3.7, np.float32)
        scale = nvfp4_tensor.per_tensor_amax_to_scale(torch.tensor(amax[0]))
        self.assert_equal(x, ours("torchao.nvfp4", amax, x), theirs(x, scale))
        self.assert_equal(x, ours("torchao.nvfp4-single-level", amax, x), theirs(x))

    def test_a_tensor_of_zeros_is_nan_of_either_sign(self):
        """0 / 0 is negative on x86."""
        x = np.zeros((1, 16), np.float32)
        scale, codes = theirs(x, nvfp4_tensor.per_tensor_amax_to_scale(torch.tensor(0.0)))
        our_scale, our_codes = ours("torchao.nvfp4", np.zeros(1, np.float32), x)
        self.assertEqual((our_scale[0], set(our_codes[0])), (0x7F, {4}))
        self.assertEqual(scale[0] & 0x7F, 0x7F)
        self.assertEqual({code & 7 for code in codes[0]}, {4})


if __name__ == "__main__":
    unittest.main()
