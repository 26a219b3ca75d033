# SPDX-License-Identifier: Apache-2.0
# golden/bindings/python/mxprism/_explain.py: one block's quantization, step by step.

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import isfinite
from typing import Any

import numpy as np

from mxprism import _mxprism
from mxprism._array import numbers_in, rounded, whole, word_of
from mxprism._names import ByteMap, Rounding, ScaleRule, VariantName
from mxprism._tensor import FORMAT, expect_name, quantize
from mxprism._typing import AnyFormat

MOST_RANDOM_BITS = 24


@dataclass(frozen=True)
class ExplainedElement:
    """How a number became a code.

    x, value  the number, and that of its code and scale         code  as bits
    decision  "exact", "nearest", "tie_to_even", "saturated", ...; "" by a variant
    over_scale   x / scale, exactly; None where the block has no scale
    lower, upper  the neighbours of x / scale among the elements
    random, cut  of stochastic rounding: up where cut + random >= 2^random_bits
    """

    x: float
    code: int
    value: float
    decision: str = ""
    over_scale: Fraction | None = None
    lower: float = 0.0
    upper: float = 0.0
    random: int = 0
    cut: int = 0

    def __str__(self) -> str:
        text = f"x = {self.x!r} -> code 0x{self.code:x}, value {self.value!r}"
        if not self.decision:
            return text
        if self.over_scale is None:
            return f"{text}: {self.decision}"
        return (f"{text}: x / scale = {self.over_scale} between {self.lower!r} and {self.upper!r}, "
                f"{self.decision}")


@dataclass(frozen=True)
class ExplainedBlock:
    """The steps of one block; str() lists them.

    format, variant, scale_rule, rounding  the last two are "" by a variant
    amax      the largest finite magnitude, exactly
    scale     exactly, without the tensor scale; None for a block with a NaN or an Inf, and by a
              variant
    scale_code  as bits; None if the scale is not stored
    exponent  of a rule that chooses a power of two, before it is clamped
    tensor_scale  of formats that have one, as if this block were the tensor
    """

    format: str
    variant: str
    scale_rule: str
    rounding: str
    amax: Fraction
    scale_code: int | None
    scale: Fraction | None
    exponent: int | None
    tensor_scale: float | None
    elements: tuple[ExplainedElement, ...]

    def __str__(self) -> str:
        rules = self.variant or f"scale rule {self.scale_rule}, rounding {self.rounding}"
        lines = [f"{self.format}: {rules}", f"amax = {self.amax}"]
        if self.tensor_scale is not None:
            lines.append(f"tensor scale = {self.tensor_scale!r}")
        lines.append(f"scale {self._scale_text()}")
        lines += [f"[{index}] {element}" for index, element in enumerate(self.elements)]
        return "\n".join(lines) + "\n"

    def _scale_text(self) -> str:
        code = "" if self.scale_code is None else f"code 0x{self.scale_code:02x}"
        if self.variant:
            return code
        return f"= {'NaN' if self.scale is None else self.scale}{code and ', ' + code}"


def _fraction(exact: tuple[int, int]) -> Fraction:
    significand, exponent = exact
    return Fraction(significand) * Fraction(2) ** exponent


def _scale_of(steps: dict[str, Any]) -> Fraction | None:
    """With the tensor scale, as quotients use it."""
    numerator, denominator = (_fraction(part) for part in steps["scale"])
    return None if steps["special"] or not numerator else numerator / denominator


def _element(members: dict[str, Any], scale: Fraction | None) -> ExplainedElement:
    over = None if scale is None else Fraction(members["x"]) / scale
    return ExplainedElement(over_scale=over, **members)


def _by_rules(values: list[float], format: str, options: dict[str, Any]) -> ExplainedBlock:
    steps = _mxprism.explained(values, format, **options)
    scale, above = _scale_of(steps), steps["tensor_scale"]
    own = scale if scale is None or above is None else scale / Fraction(above)
    return ExplainedBlock(
        format, "", steps["scale_rule"], steps["rounding"], _fraction(steps["amax"]),
        steps["scale_code"], own, steps["exponent"], above,
        tuple(_element(members, scale) for members in steps["elements"]))


def _by_variant(values: list[float], format: str | None, variant: Any,
                options: dict[str, Any]) -> ExplainedBlock:
    """From the codes, the scale and the values of a tensor of one block."""
    x = np.frombuffer(_mxprism.fp32_of(values), np.float32)
    q = quantize(x, format, variant=variant, packing="unpacked",  # type: ignore[arg-type]
                 **options)
    decoded = numbers_in(q.dequantize())
    amax = max((abs(value) for value in values if isfinite(value)), default=0.0)
    above = None if q.tensor_scale is None else numbers_in(q.tensor_scale)[0]
    if q.scales.size != 1:
        raise ValueError(f"`values` has {x.size} numbers; expected those of one block")
    return ExplainedBlock(
        q.format, variant, "", "", Fraction(amax),
        int(q.scales.reshape(-1)[0]), None, None, above,
        tuple(ExplainedElement(value, int(code), back)
              for value, code, back in zip(values, q.codes, decoded)))


def _words(**words: Any) -> dict[str, Any]:
    return {name: None if word is None else word_of(word, name) for name, word in words.items()}


def explain(values: Sequence[float], format: AnyFormat | None = None, *,
            scale_rule: ScaleRule | None = None, rounding: Rounding | None = None,
            seed: int | None = None, random_bits: int | None = None,
            byte_map: ByteMap | None = None, variant: VariantName | None = None) -> ExplainedBlock:
    """Quantizes one block step by step, as `mxprism explain` does.

    values  of one block, each rounded to FP32, which beyond its range is an Inf; the rest is zero
    others  as in quantize; a variant gives codes and values without reasons
    """
    expect_name(format)
    try:
        numbers = [rounded(value, "values") for value in values]
    except TypeError:
        raise TypeError(f"`values` is {values!r}; expected a sequence of numbers") from None
    options = {**_words(scale_rule=scale_rule, rounding=rounding, byte_map=byte_map),
               "seed": None if seed is None else whole(seed, "seed", 0, 2**64 - 1),
               "random_bits": None if random_bits is None else whole(random_bits, "random_bits", 1,
                                                                     MOST_RANDOM_BITS)}
    if variant is not None:
        return _by_variant(numbers, format, variant, options)
    return _by_rules(numbers, FORMAT if format is None else format, options)
