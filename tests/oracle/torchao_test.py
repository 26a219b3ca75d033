# SPDX-License-Identifier: Apache-2.0
# tests/oracle/torchao_test.py: the presets torchao-0.18.* against torchao 0.18, byte for byte, on
# random blocks and on difficult ones: ties, ends of bands, special values.

import os
import subprocess
import unittest
import warnings

from oracle_case import np, oracle_case, packages

warnings.filterwarnings("ignore")
torch, torchao, mx_tensor, config, constants = packages(
    "torch", "torchao", "torchao.prototype.mx_formats.mx_tensor",
    "torchao.prototype.mx_formats.config", "torchao.prototype.mx_formats.constants")

PROGRAM = os.environ.get("MX_ORACLE_BLOCKS", "oracle_blocks")
ELEMENTS = {
    "e2m1": torch.float4_e2m1fn_x2,
    "e2m3": constants.DTYPE_FP6_E2M3,
    "e3m2": constants.DTYPE_FP6_E3M2,
    "e4m3": torch.float8_e4m3fn,
    "e5m2": torch.float8_e5m2,
}
RULES = ("floor", "ceil", "even", "rceil")


def our_bytes(preset, element, blocks):
    done = subprocess.run([PROGRAM, preset, element], input=blocks.tobytes(),
                          stdout=subprocess.PIPE, check=True)
    return np.frombuffer(done.stdout, np.uint8).reshape(-1, 33)


def their_bytes(rule, element, blocks):
    mode = config.ScaleCalculationMode(rule)
    x = torch.from_numpy(blocks.view(np.int32).copy()).view(torch.float32)
    scales, codes = mx_tensor.to_mx(x, ELEMENTS[element], 32, mode)
    scales = scales.view(torch.uint8).reshape(-1, 1).numpy()
    codes = codes.view(torch.uint8).numpy()
    if element == "e2m1":
        codes = np.stack([codes & 15, codes >> 4], axis=-1)
    return np.concatenate([scales, codes.reshape(-1, 32)], axis=1)


def without_processor_s_choice(blocks, element, rule):
    """Under the scale NaN the sign of an element is that of the processor's NaN, and if the scale
    is a factor, the processor also chooses which of two NaN is kept."""
    sign = {"e2m1": 8, "e2m3": 32, "e3m2": 32}.get(element, 128)
    cleared = blocks.copy()
    cleared[blocks[:, 0] == 255, 1:] &= 0 if rule == "rceil" else 255 - sign
    return cleared


def random_blocks(count):
    """Patterns of all kinds, in blocks whose exponents are near one another, or are not."""
    random = np.random.default_rng(3)
    bits = random.integers(0, 1 << 32, (count, 32), dtype=np.uint32)
    top = random.integers(1, 255, (count, 1)).astype(np.int64)
    spread = random.integers(1, 24, (count, 1))
    field = np.clip(top - random.integers(0, 24, (count, 32)) % spread, 0, 254).astype(np.uint32)
    near = bits & 0x807FFFFF | field << 23
    near[::3] &= 0xFFF80000  # many ties
    near[1::6] = near[1::6] & 0xFFFFFFC0 | 0x3F  # and neighbours of ties
    near[::97] = bits[::97]  # any pattern, NaN and Inf among them
    return near


def edge_blocks():
    """Blocks whose amax is next to a power of two or to max times one, and small elements."""
    blocks = []
    for k in range(-149, 128):
        for factor in (1.0, 1.5, 1.75, 1.875, 1.9375):
            at = int(np.float32(np.ldexp(factor, k)).view(np.uint32))
            for distance in (-50, -44, -23, -22, -11, -5, -2, -1, 0, 1, 2, 3, 5, 6, 11, 22, 23, 45):
                amax = at + distance
                if 0 < amax < 0x7F800000:
                    rest = (np.arange(31) * 0x00380000 % max(amax, 1)).astype(np.uint32)
                    blocks.append(np.concatenate([[amax], rest]))
    special = [0, 1 << 31, 0x7F800000, 0xFF800000, 0x7FC00000, 0xFFC00000, 0x7F7FFFFF, 1,
               0x00400000, 0x00800000, 0x3F800000, 0xC0A00000]
    for first in special:
        for second in special:
            blocks.append(np.resize(np.array([first, second, 0x3F000000], np.uint32), 32))
    return np.array(blocks, dtype=np.uint32)


@unittest.skipUnless(torchao.__version__.startswith("0.18."), "the presets are torchao 0.18's")
class torchao_test(oracle_case):
    def test_every_rule_and_element_has_the_bytes_of_torchao(self):
        blocks = np.concatenate([edge_blocks(), random_blocks(20000)]).astype(np.uint32)
        for element in ELEMENTS:
            for rule in RULES:
                with self.subTest(element=element, rule=rule):
                    self.assert_equal_blocks(blocks, element, rule)

    def assert_equal_blocks(self, blocks, element, rule):
        ours = our_bytes(f"torchao-0.18.{rule}", element, blocks)
        ours = without_processor_s_choice(ours, element, rule)
        theirs = without_processor_s_choice(their_bytes(rule, element, blocks), element, rule)
        different = np.argwhere(ours != theirs)
        if different.size:
            row, column = different[0]
            rows = np.unique(different[:, 0]).size
            self.fail(f"{rows} of {len(blocks)} blocks differ, first {row}, byte {column}: "
                      f"{ours[row, column]}, theirs {theirs[row, column]}; scale {theirs[row, 0]}; "
                      f"its element 0x{blocks[row, max(column - 1, 0)]:08x}, "
                      f"amax 0x{np.max(blocks[row] & 0x7FFFFFFF):08x}")


if __name__ == "__main__":
    unittest.main()
