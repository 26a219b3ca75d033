# SPDX-License-Identifier: Apache-2.0
# golden/bindings/python/mxprism/_typing.py: types of parameters, for checkers.

from __future__ import annotations

from typing import NewType, TypedDict, Union

from mxprism._array import Tensor
from mxprism._names import (ByteMap, CEntry, FormatName, Layout, Output, OutputRounding, Packing,
                            Rounding, ScaleRule, SplitOrder)

# A format that is spelled out: CustomFormat("e2m1:e8m3:32"). It is a str.
CustomFormat = NewType("CustomFormat", str)
AnyFormat = Union[FormatName, CustomFormat]


class RuleOptions(TypedDict, total=False):
    """Options of quantize, but for format and variant."""

    axis: int
    scale_rule: ScaleRule | None
    rounding: Rounding | None
    seed: int | None
    random_bits: int | None
    byte_map: ByteMap | None
    packing: Packing | None
    layout: Layout | None
    tensor_scale: Tensor | None


class VerifyOptions(RuleOptions, total=False):
    """Options of verify, but for format and variant."""

    macro_fractions: Tensor | None
    residual_codes: Tensor | None
    residual_scales: Tensor | None
    residual_macro_fractions: Tensor | None
    changes: int


class ProductOptions(TypedDict, total=False):
    """Options of verify_gemm, but for the model."""

    scale_a: Tensor | None
    scale_b: Tensor | None
    a_format: str | None
    b_format: str | None
    scale_format: str | None
    block: int | None
    alpha: float
    promote: int
    split_k: int
    split_order: SplitOrder
    c_entry: CEntry
    output: Output | None
    output_rounding: OutputRounding
