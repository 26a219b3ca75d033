# SPDX-License-Identifier: Apache-2.0
# golden/bindings/python/mxprism/_energy.py: exact components of a tensor's quantization error,
# summed up.

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from mxprism._array import Tensor, as_bytes, axis_of, numbers, of_type, option_words
from mxprism._device import is_on_cuda
from mxprism._names import ByteMap, Rounding, ScaleRule
from mxprism._tensor import format_of
from mxprism._typing import AnyFormat


@dataclass(frozen=True)
class Energy:
    """Sums of squares of the parts of an error, and of products of two parts.

    total             of the whole error: scale + deadzone + grid + clip + 2 * the products
    scale_dead        of elements that only the coarser scale zeroes
    x_quantized       <Q, x>
    dead, dead_actual elements x != 0 zeroed with the ideal scale, with the real one
    special_blocks    blocks with a NaN or an Inf, excluded from all other figures
    identity_violations  elements whose parts do not add up to the error exactly: 0
    """

    total: float
    scale: float
    deadzone: float
    grid: float
    clip: float
    scale_dead: float
    scale_deadzone: float
    scale_grid: float
    scale_clip: float
    deadzone_grid: float
    deadzone_clip: float
    grid_clip: float
    x_squared: float
    x_quantized: float
    elements: int
    dead: int
    dead_actual: int
    blocks: int
    special_blocks: int
    identity_violations: int

    @property
    def fractions(self) -> dict[str, float]:
        """Each part's share of the total; NaN if the error is zero. They need not add up to 1."""
        names = ("scale", "deadzone", "grid", "clip")
        return {name: getattr(self, name) / self.total if self.total else float("nan")
                for name in names}

    @property
    def relative(self) -> float:
        """The total over the energy of x; NaN if x is zero."""
        return self.total / self.x_squared if self.x_squared else float("nan")


def decompose(x: Tensor, format: AnyFormat | None = None, *, axis: int = -1,
              scale_rule: ScaleRule | None = None, rounding: Rounding | None = None,
              seed: int | None = None, random_bits: int | None = None,
              byte_map: ByteMap | None = None, tensor_scale: Tensor | None = None) -> Energy:
    """Splits the error of quantizing a tensor into scale, deadzone, grid and clip.

    x        float32, float16 or bfloat16, of any shape; a torch tensor on a CUDA device too, whose
             rows are contiguous and at equal distances, for whose result this waits
    others   as in quantize; formats with corrections are unsupported
    """
    options = option_words(scale_rule=scale_rule, rounding=rounding, seed=seed,
                           random_bits=random_bits, byte_map=byte_map,
                           tensor_scale=None if tensor_scale is None else "given")
    if is_on_cuda(x):
        from mxprism import _device_tensor
        return Energy(**_device_tensor.decomposed(x, format_of(format, None, options), axis,
                                                  tensor_scale))
    given = None if tensor_scale is None else of_type(tensor_scale, np.float32, "tensor_scale")
    array, kind = numbers(x, "x")
    axis = axis_of(axis, array.ndim)
    f = format_of(format, None, options)
    return Energy(**f.decompose(list(array.shape), axis, as_bytes(array), kind,
                                None if given is None else as_bytes(given)))
