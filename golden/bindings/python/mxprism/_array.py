# SPDX-License-Identifier: Apache-2.0
# golden/bindings/python/mxprism/_array.py: caller-owned arrays as bytes that the library reads and
# writes.

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from mxprism import _mxprism

Array = NDArray[Any]
# Values of mx_number_fp32 and its siblings.
NUMBERS = ("float32", "float16", "bfloat16")
ON_CPU = 1  # kDLCPU
DLPACK_VERSION = (1, 1)


def _exported(x: Any, name: str) -> tuple[Array, str]:
    """A view of another package's tensor, and the name of its type."""
    kind, _ = x.__dlpack_device__()
    if kind != ON_CPU:
        raise ValueError(f"{name} is on a device (DLPack kind {int(kind)}); "
                         "move it to the CPU first")
    try:
        capsule = x.__dlpack__(max_version=DLPACK_VERSION)
    except TypeError:  # a version without that parameter
        capsule = x.__dlpack__()
    except BufferError as refused:
        raise ValueError(f"{name}: {refused}") from None
    try:
        return _mxprism.words_of(capsule)
    except ValueError as wrong:
        raise TypeError(f"{name}: {wrong}") from None


def typed(x: Any, name: str) -> tuple[Array, str]:
    """The array in C order, copied only if needed, and the name of its type."""
    if isinstance(x, (np.ndarray, np.generic)):
        array = np.asarray(x)
        kind = array.dtype.name if array.dtype.isnative else array.dtype.str
    elif hasattr(x, "__dlpack__") and hasattr(x, "__dlpack_device__"):
        array, kind = _exported(x, name)
    else:
        raise TypeError(f"{name} is a {type(x).__name__}; expected a NumPy array, or a tensor that "
                        "exports DLPack")
    return (array if array.flags.c_contiguous else array.copy(order="C")), kind


def numbers(x: Any, name: str) -> tuple[Array, int]:
    """Numbers to quantize, and their index in NUMBERS."""
    array, kind = typed(x, name)
    if kind not in NUMBERS:
        raise TypeError(f"{name} has numbers of type {kind}; expected one of {', '.join(NUMBERS)}")
    return array, NUMBERS.index(kind)


def as_bytes(array: Array) -> NDArray[np.uint8]:
    """A view of C-contiguous memory."""
    return array.reshape(-1).view(np.uint8)


def of_type(x: Any, kind: type, name: str) -> Array:
    """An array of exactly this type, in C order."""
    array, found = typed(x, name)
    if found != np.dtype(kind).name:
        raise TypeError(f"{name} has type {found}; expected {np.dtype(kind).name}")
    return array.view(kind)


def writable(out: Array, shape: tuple[int, ...], name: str = "out") -> Array:
    """The caller's array for FP32 results."""
    fits = (isinstance(out, np.ndarray) and out.dtype == np.float32 and out.dtype.isnative
            and out.shape == shape and out.flags.c_contiguous and out.flags.writeable)
    if not fits:
        raise ValueError(f"{name}: expected a writable C-contiguous float32 array of shape {shape}")
    return out


def option_words(**options: object) -> str:
    """Options as the library reads them, without those that are None."""
    words = []
    for name, value in options.items():
        if value is None:
            continue
        text = str(value)
        if " " in text:
            raise ValueError(f"{name}={text!r}: expected one word")
        words.append(f"{name.replace('_', '-')}={text}")
    return " ".join(words)
