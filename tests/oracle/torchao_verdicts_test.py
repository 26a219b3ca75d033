# SPDX-License-Identifier: Apache-2.0
# tests/oracle/torchao_verdicts_test.py: what `verify` says of 280 tensors that torchao 0.18 quantized
# to MX, and of 28 in NVFP4: every one is exact, or differs in codes of NaN alone.

import unittest
import warnings

from oracle_case import packages

warnings.filterwarnings("ignore")
np, mxprism, torch, torchao, mx_tensor, nvfp4_tensor, config, constants = packages(
    "numpy", "mxprism", "torch", "torchao", "torchao.prototype.mx_formats.mx_tensor",
    "torchao.prototype.mx_formats.nvfp4_tensor", "torchao.prototype.mx_formats.config",
    "torchao.prototype.mx_formats.constants")

FORMATS = {
    "mxfp4": torch.float4_e2m1fn_x2,
    "mxfp6-e2m3": constants.DTYPE_FP6_E2M3,
    "mxfp6-e3m2": constants.DTYPE_FP6_E3M2,
    "mxfp8-e4m3": torch.float8_e4m3fn,
    "mxfp8-e5m2": torch.float8_e5m2,
}
RULES = ("floor", "ceil", "even", "rceil")
SHAPE = (32, 256)


def normal():
    return np.random.default_rng(1).standard_normal(SHAPE).astype(np.float32)


def binades():
    spread = np.random.default_rng(2).integers(-30, 30, SHAPE)
    return np.ldexp(normal(), spread).astype(np.float32)


def ties():
    """Halves of steps of every element format, times powers of two."""
    grid = np.random.default_rng(3).integers(-64, 65, SHAPE) / 64
    return np.ldexp(grid, np.arange(SHAPE[0])[:, None] - 16).astype(np.float32)


def zeros():
    """Blocks of zeros of both signs, and zeros among numbers."""
    x = normal()
    x[::2] = 0
    x[1::2, ::3] = 0
    return np.copysign(x, np.random.default_rng(4).standard_normal(SHAPE)).astype(np.float32)


def subnormals():
    """Subnormals of FP32 and of bfloat16, alone and beside the least normal numbers."""
    bits = np.random.default_rng(5).integers(0, 1 << 32, SHAPE, dtype=np.uint32) & 0x807FFFFF
    bits[::4] |= 0x00800000
    return bits.view(np.float32)


def with_some(*specials):
    """Numbers, and in every third block one of these bits."""
    x = binades().reshape(-1, 32)
    bits = np.resize(np.array(specials, np.uint32), (len(x) + 2) // 3)
    x[np.arange(0, len(x), 3), np.arange(len(bits)) % 32] = bits.view(np.float32)
    return x.reshape(SHAPE)


CONTENTS = {
    "normal": normal,
    "binades": binades,
    "ties": ties,
    "zeros": zeros,
    "subnormals": subnormals,
    "Inf": lambda: with_some(0x7F800000, 0xFF800000),
    "NaN": lambda: with_some(0x7FC00000, 0xFFC00000),
}
TYPES = {"float32": torch.float32, "bfloat16": torch.bfloat16}


def tensors():
    """Seven contents in two types."""
    for name, make in CONTENTS.items():
        for kind, dtype in TYPES.items():
            yield f"{name} in {kind}", torch.from_numpy(make()).to(dtype)


def word_of(verdict):
    return verdict.verdict if verdict.verdict == "exact" else verdict.differs_alone
