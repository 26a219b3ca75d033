# SPDX-License-Identifier: Apache-2.0
# golden/bindings/python/mxprism/_verify.py: verdicts on a kernel's codes and scales, with
# explanations of differences.

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np

from mxprism._array import (Array, Tensor, as_bytes, axis_of, in_own_order, numbers, of_type,
                            option_words, whole)
from mxprism._mxprism import Finding
from mxprism._names import ByteMap, Layout, Packing, Rounding, ScaleRule, VariantName
from mxprism._places import Places, places_of
from mxprism._tensor import as_list, format_of, scale_grid
from mxprism._typing import AnyFormat

# Values of mx_verdict_exact and its siblings, and of mx_differs_code and its siblings.
VERDICTS = ("exact", "explained", "unexplained")
DIFFERS = ("code", "scale", "tensor_scale", "size", "macro_fractions", "residual.code",
           "residual.scale", "residual.macro_fractions")


@dataclass(frozen=True)
class Change:
    """One difference from the declared rules.

    dimension  "scale_rule", "nibble_order", "accumulator", ...          expected, found  in words
    """

    dimension: str
    expected: str
    found: str

    def __str__(self) -> str:
        return f"{self.dimension}: expected {self.expected}, found {self.found}"


@dataclass(frozen=True)
class Rival:
    """Another explanation that the data do not rule out.

    changes      all of them at once         telling  the one that the first lacks
    probe        an input that would distinguish them, in words; None if no candidate does
    probe_block  its numbers
    """

    changes: tuple[Change, ...]
    telling: Change
    probe: str | None = None
    probe_block: tuple[float, ...] = ()


@dataclass(frozen=True)
class Difference:
    """The first stored number that differs, in the order of blocks.

    what             "code", "scale", "tensor_scale", "size" or "macro_fractions", the last three
                     without a position; "residual.code", ... for the arrays of a residual
    element, index   in the tensor, flat and per axis; None: padding
    block, position  of the block, and of the element in it
    value_bits       the element in the bits of its type          block_bits  those of its block
    expected_code, found_code, expected_scale, found_scale   as bits
    """

    what: str
    element: int | None
    index: tuple[int, ...] | None
    block: int
    position: int
    value_bits: int
    expected_code: int
    found_code: int
    expected_scale: int
    found_scale: int
    block_bits: tuple[int, ...] = field(repr=False)
    text: str = field(repr=False)

    def __str__(self) -> str:
        return self.text


@dataclass(frozen=True)
class Verdict:
    """The result of verify; str() is the report of `mxprism verify`.

    verdict        "exact"; "explained": the bytes are those of rules that differ from the
                   declared ones in one or two dimensions; "unexplained"
    mismatches     of `elements` those whose code, block scale, tensor scale or macro fraction
                   differs, and codes of padding
    codes, scales  how many of each differ, those of a residual included
    tensor_scales_agree  whether these and macro fractions are equal
    explanation    the smallest change that gives every byte; empty if none does
    ambiguous      other such changes that the data do not rule out
    first          None if nothing differs
    where          the places of all differences, with masks; None if no code or scale differs, and
                   no tensor scale or macro fraction of a part
    differs_alone  "nan_signs": nothing differs but the signs of NaN; "nan_codes": nothing but
                   codes that decode to NaN on both sides; else None
    """

    verdict: str
    mismatches: int
    elements: int
    explanation: tuple[Change, ...]
    ambiguous: tuple[Rival, ...]
    first: Difference | None
    codes: int
    scales: int
    tensor_scales_agree: bool
    text: str = field(repr=False)
    where: Places | None = field(default=None, compare=False)
    differs_alone: Literal["nan_signs", "nan_codes"] | None = None

    def __str__(self) -> str:
        return self.text


def _changes(members: dict[str, Any]) -> tuple[Change, ...]:
    return tuple(Change(*change) for change in members["changes"])


def _rival(members: dict[str, Any]) -> Rival:
    changes = _changes(members)
    return Rival(changes, changes[members["telling"]], members["probe"],
                 tuple(members["probe_block"]))


def explanations_of(finding: Finding, count: int) -> tuple[tuple[Change, ...], tuple[Rival, ...]]:
    """The first explanation, and the others."""
    all_members = [finding.explanation(number) for number in range(count)]
    first = _changes(all_members[0]) if all_members else ()
    return first, tuple(_rival(members) for members in all_members[1:])


def _first(finding: Finding) -> Difference:
    members = finding.difference()
    what = DIFFERS[members.pop("what")]
    index = members.pop("index")
    return Difference(what=what, index=index or None, block_bits=tuple(members.pop("block_bits")),
                      **members)


# Bytes of one number of an array, and the types with as many.
SIZES = {"codes": ((1,), "codes in uint8, or a type of one byte"),
         "scales": ((1, 2, 4), "uint8, uint16, uint32 or float32"),
         "macro_fractions": ((1, 2), "uint8 or uint16")}


def sized(x: Any, name: str) -> Array:
    """An array of any type of the right size."""
    array, kind = in_own_order(x, name)
    sizes, types = SIZES[name.removeprefix("residual_")]
    if array.itemsize not in sizes:
        raise TypeError(f"`{name}` has type {kind}; expected {types}")
    return array


def _wide_scales(scales: Tensor) -> str:
    """A likely cause of wrong sizes: scales as numbers in place of their codes."""
    array, kind = in_own_order(scales, "scales")
    if array.itemsize == 1:
        return ""
    return f" (`scales` has {array.itemsize} bytes a scale: {kind})"


def verify(x: Tensor, codes: Tensor, scales: Tensor, format: AnyFormat | None = None, *,
           axis: int = -1, scale_rule: ScaleRule | None = None, rounding: Rounding | None = None,
           seed: int | None = None, random_bits: int | None = None,
           byte_map: ByteMap | None = None, packing: Packing | None = None,
           layout: Layout | None = None, variant: VariantName | None = None,
           tensor_scale: Tensor | None = None, macro_fractions: Tensor | None = None,
           residual_codes: Tensor | None = None, residual_scales: Tensor | None = None,
           residual_macro_fractions: Tensor | None = None, changes: int = 2) -> Verdict:
    """Compares a kernel's codes and scales of a tensor with the right ones, bit by bit.

    x             float32, float16 or bfloat16, of any shape: the kernel's input
    codes         its output: uint8, or another type of one byte, of any shape; 4 bits two a byte
                  or one a byte, 6 bits four in three bytes or one a byte
    scales        uint8, or as quantize gives them, of any shape
    tensor_scale  float32, shape (1,) or (rows,), if the kernel wrote one
    macro_fractions ... residual_macro_fractions  of formats with corrections, as quantize makes
                  them
    format ... variant   its declared rules, as in quantize
    changes       the most dimensions that an explanation may change: 2, 1, or 0 for none
    raises        ValueError also for sizes of codes and scales that no storage explains
    """
    array, kind = numbers(x, "x")
    axis, changes = axis_of(axis, array.ndim), whole(changes, "changes", 0, 2)
    options = option_words(scale_rule=scale_rule, rounding=rounding, seed=seed,
                           random_bits=random_bits, byte_map=byte_map, packing=packing,
                           layout=layout, variant=variant)
    above = None if tensor_scale is None else of_type(tensor_scale, np.float32, "tensor_scale")
    corrections = {"macro_fractions": macro_fractions, "residual_codes": residual_codes,
                   "residual_scales": residual_scales,
                   "residual_macro_fractions": residual_macro_fractions}
    arrays = {"codes": sized(codes, "codes"), "scales": sized(scales, "scales"),
              "tensor_scale": above,
              **{name: sized(x, name) for name, x in corrections.items() if x is not None}}
    declared = format_of(format, variant, options)
    found = as_list(arrays)
    try:
        finding = declared.verify(list(array.shape), axis, as_bytes(array), kind, found, changes)
    except ValueError as wrong:
        raise ValueError(f"{wrong}{_wide_scales(scales)}") from None
    facts = finding.facts()
    grid = scale_grid(format_of(format, variant, option_words(variant=variant)), array.shape, axis)
    where = places_of(finding, declared, array.shape, axis, as_bytes(array), kind, found, grid)
    explanation, ambiguous = explanations_of(finding, facts["explanations"])
    return Verdict(VERDICTS[facts["kind"]], facts["mismatches"], facts["elements"], explanation,
                   ambiguous, None if facts["kind"] == 0 else _first(finding), facts["codes"],
                   facts["scales"], facts["tensor_scales"] == 0, facts["text"], where,
                   facts["differs_alone"])
