# SPDX-License-Identifier: Apache-2.0
# golden/bindings/python/mxprism/_kind.py: results as arrays of the caller's package.

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import numpy as np

from mxprism._array import Array

# Values of mx_number_fp16 and mx_number_bf16: outputs of products.
FP16, BF16 = 1, 2


def is_torch(x: Any) -> bool:
    """Whether `x` is a torch tensor; torch itself is never imported."""
    torch = sys.modules.get("torch")
    return torch is not None and isinstance(x, torch.Tensor)


def kind_of(x: Any) -> Callable[[Array], Any]:
    """A function that returns results as the package of `x` has them, in the same memory: torch
    tensors for a torch tensor, else NumPy arrays."""
    if is_torch(x):
        converted: Callable[[Array], Any] = sys.modules["torch"].from_dlpack
        return converted
    return lambda array: array


def product_of(words: Array, output: int, x: Any) -> Any:
    """Results of a product as numbers: FP32, FP16; BF16 as its bits where the package of `x` has
    no such type."""
    if output not in (FP16, BF16):
        return kind_of(x)(words.view(np.float32))
    halves = words.astype(np.uint16)
    if output == FP16:
        return kind_of(x)(halves.view(np.float16))
    made = kind_of(x)(halves)
    return made.view(sys.modules["torch"].bfloat16) if is_torch(x) else made
