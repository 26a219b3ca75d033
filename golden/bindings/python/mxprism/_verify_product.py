# SPDX-License-Identifier: Apache-2.0
# golden/bindings/python/mxprism/_verify_product.py: tensor core models that a kernel's product is
# consistent with.

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from mxprism._array import NUMBERS, Array, Tensor, as_bytes, typed
from mxprism._mxprism import Finding
from mxprism._names import CEntry, ModelName, Output, OutputRounding, SplitOrder
from mxprism._product import (OUTPUTS, WORDS, addends_of, bytes_or_none, expect_same_k, factor_of,
                              model_of, operand_of, plan_of)
from mxprism._tensor import Quantized
from mxprism._verify import VERDICTS, Change, Rival, explanations_of

# mx_declared_model, mx_declared_formats; mx_breach_first, mx_breach_worst.
MODEL, FORMATS = 0, 1
FIRST, WORST = 0, 1
# A model that accepts operands of any format.
ANY_MODEL = "exact.rne"


@dataclass(frozen=True)
class Excluded:
    """A model that did not compute D, and the first element that shows it.

    evidence         of the model                     expected, found  bits of D's type
    nan_code_only    only codes of NaN exclude it
    """

    model: str
    evidence: str
    row: int
    column: int
    expected: int
    found: int
    nan_code_only: bool


@dataclass(frozen=True)
class Distinction:
    """Properties of operands that would distinguish two consistent models: `data`, in sentences."""

    model: str
    from_: str
    data: tuple[str, ...]


@dataclass(frozen=True)
class Breach:
    """An element beyond its bound.

    found                bits of D's type
    exact, error, bound  in hexadecimal, exactly; error and bound are empty for Inf and NaN
    times                the whole part of error / bound
    """

    row: int
    column: int
    found: int
    exact: str
    error: str
    bound: str
    times: int


@dataclass(frozen=True)
class Bound:
    """D against the proven bound of a class of kernels, for any order of K.

    model          of the class         without_bound  elements that the class does not bound
    exceeded       elements beyond the bound; Inf or NaN where impossible, or finite where required
    """

    model: str
    elements: int
    exceeded: int
    without_bound: int
    first: Breach | None
    worst: Breach | None


@dataclass(frozen=True)
class ProductVerdict:
    """The result of verify_gemm; str() is the report of `mxprism verify --gemm`.

    verdict            "exact": the declared model, or without one any model, is consistent;
                       "explained": another model is, or a plan that differs in one option;
                       "unexplained"
    elements           of D
    model, mismatches  the declared model, and elements of D that differ from it; None without one
    nan_code_mismatches  of these, NaN on both sides
    consistent_models, evidence   names, and the evidence of each
    excluded           the others          tell_apart  data that would distinguish consistent ones
    explanation, ambiguous   as in Verdict; without a declared model, `accumulator` names the one
                       that computes D
    bound              None if D is exact
    """

    verdict: str
    elements: int
    model: str | None
    mismatches: int | None
    nan_code_mismatches: int | None
    consistent_models: tuple[str, ...]
    evidence: dict[str, str] = field(hash=False)
    excluded: tuple[Excluded, ...]
    tell_apart: tuple[Distinction, ...]
    explanation: tuple[Change, ...]
    ambiguous: tuple[Rival, ...]
    bound: Bound | None
    text: str = field(repr=False)

    @property
    def bound_exceeded(self) -> int:
        """How many elements are beyond the bound; 0 where D is exact."""
        return self.bound.exceeded if self.bound is not None else 0

    def __str__(self) -> str:
        return self.text


def _excluded(members: dict[str, Any]) -> Excluded:
    return Excluded(members["name"], members["evidence"], members["row"], members["column"],
                    members["expected"], members["found"], members["nan_code_only"])


def _distinction(members: dict[str, Any]) -> Distinction:
    return Distinction(members["model"], members["from"], members["data"])


def _bound(finding: Finding, facts: dict[str, Any]) -> Bound | None:
    if not facts["has_bound"]:
        return None
    beyond = facts["bound_exceeded"] > 0
    first, worst = (Breach(**finding.breach(which)) if beyond else None
                    for which in (FIRST, WORST))
    return Bound(**finding.bound(), first=first, worst=worst)


def _verdict(finding: Finding) -> ProductVerdict:
    facts = finding.facts()
    candidates = [finding.candidate(number) for number in range(facts["candidates"])]
    declared = [one["name"] for one in candidates if one["is_declared"]]
    consistent = {one["name"]: one["evidence"] for one in candidates if one["is_consistent"]}
    explanation, ambiguous = explanations_of(finding, facts["explanations"])
    return ProductVerdict(
        VERDICTS[facts["kind"]], facts["elements"], declared[0] if declared else None,
        facts["mismatches"] if declared else None, facts["nan_codes"] if declared else None,
        tuple(consistent), consistent,
        tuple(_excluded(one) for one in candidates if not one["is_consistent"]),
        tuple(_distinction(finding.distinction(number)) for number in range(facts["distinctions"])),
        explanation, ambiguous, _bound(finding, facts), facts["text"])


def _words(d: Any, shape: tuple[int, ...], output: Output | None) -> tuple[Array, Output]:
    """D as words with the bits of its type, and the name of that type."""
    array, kind = typed(d, "d")
    if array.shape != shape:
        raise ValueError(f"`d` has shape {array.shape}; expected {shape}")
    if kind in NUMBERS:
        own: Output = OUTPUTS[NUMBERS.index(kind)]
    elif kind == "uint16" and output == "f32":
        raise TypeError("`d` has type uint16, and FP32 has 32 bits; expected float32 or uint32")
    elif kind in ("uint16", "uint32") and output is not None:
        own = output
    else:
        raise TypeError(f"`d` has type {kind}; expected one of {', '.join(NUMBERS)}, or uint16 or "
                        "uint32 with bits, and output")
    if output not in (None, own):
        raise ValueError(f"`d` has type {kind}; expected {output}, as output says")
    return array.view(WORDS[array.itemsize]).astype(np.uint32, copy=False), own


def verify_gemm(a: Tensor | Quantized, b: Tensor | Quantized, d: Tensor, c: Tensor | None = None,
                *, model: ModelName | None = None, scale_a: Tensor | None = None,
                scale_b: Tensor | None = None, a_format: str | None = None,
                b_format: str | None = None, scale_format: str | None = None,
                block: int | None = None, alpha: float = 1.0, promote: int = 0, split_k: int = 1,
                split_order: SplitOrder = "ascending", c_entry: CEntry = "first-step",
                output: Output | None = None, output_rounding: OutputRounding = "nearest-even"
                ) -> ProductVerdict:
    """Compares a kernel's product, bit by bit, with every model that takes its operands.

    a, b    (M, K) and (N, K): Quantized along the last axis, or codes, as in gemm
    d       the kernel's output: (M, N) float32, float16 or bfloat16; or its bits in uint16
            or uint32, with output
    c       as in gemm, of the model's result; float32 without a model
    model   the declared model; None: any
    others  as in gemm
    """
    one, other = operand_of(a, scale_a, a_format, "a"), operand_of(b, scale_b, b_format, "b")
    expect_same_k(one, other)
    made = model_of(ANY_MODEL if model is None else model, one, other, scale_format, block)
    shape = (one.codes.shape[0], other.codes.shape[0])
    words, output = _words(d, shape, output)
    plan = plan_of(made, one, other, alpha=alpha, promote=promote, split_k=split_k,
                   split_order=split_order, c_entry=c_entry, output=output,
                   output_rounding=output_rounding)
    return _verdict(made.verify(*shape, one.k, factor_of(one), factor_of(other),
                                bytes_or_none(addends_of(c, shape, made)), as_bytes(words), plan,
                                FORMATS if model is None else MODEL))
