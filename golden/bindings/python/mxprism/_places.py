# SPDX-License-Identifier: Apache-2.0
# golden/bindings/python/mxprism/_places.py: where a kernel's codes and scales differ.

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from mxprism._array import Array, as_bytes
from mxprism._mxprism import Finding, Format


@dataclass(frozen=True)
class AxisPlaces:
    """Differing places along one direction: rows, columns, or positions in a block.

    extent, touched  all places, and those with a difference
    first, last      the first and the last of these
    period, length   if period is not 0, all of them are less than length beyond first + a multiple
                     of period; first then begins the run that has the first of them
    """

    extent: int
    touched: int
    first: int
    last: int
    period: int
    length: int


@dataclass(frozen=True, eq=False)
class Places:
    """Where codes and scales differ; str() is the line of `mxprism verify`.

    codes, scales  masks: True where a code differs, in the shape of the tensor; where a scale does,
                   in the shape of the tensor with blocks in place of elements. Of a residual they
                   mark nothing
    blocks         with a difference        padding  differing codes of padding
    code_rows ... scale_columns  patterns; rows are those along the last axis, one after the other
    rows, columns  of elements whose code, block scale, tensor scale or macro fraction differs
    pattern        of these in a few words: "all", "rows 128..255", "codes 8..15 of each block",
                   "scattered"
    """

    codes: Array = field(repr=False)
    scales: Array = field(repr=False)
    blocks: int
    padding: int
    code_rows: AxisPlaces
    code_columns: AxisPlaces
    code_positions: AxisPlaces
    scale_rows: AxisPlaces
    scale_columns: AxisPlaces
    text: str
    rows: AxisPlaces
    columns: AxisPlaces
    pattern: str

    def __str__(self) -> str:
        return self.text


def places_of(finding: Finding, declared: Format, shape: tuple[int, ...], axis: int,
              numbers: Array, kind: int, arrays: Sequence[Array], grid: tuple[int, ...]
              ) -> Places | None:
    """The places of a finding; None where no code or scale differs, and no number above some blocks.

    grid  shape of the scales
    """
    members = finding.places()
    if not members["pattern"]:
        return None
    codes = np.empty(shape, np.uint8)
    scales = np.empty(grid, np.uint8)
    declared.differences(list(shape), axis, numbers, kind, list(arrays), as_bytes(codes),
                         as_bytes(scales))
    axes = {name: AxisPlaces(**members[name]) for name in members
            if name.endswith(("rows", "columns", "positions"))}
    return Places(codes=codes.view(np.bool_), scales=scales.view(np.bool_),
                  blocks=members["blocks"], padding=members["padding"], text=members["text"],
                  pattern=members["pattern"], **axes)
