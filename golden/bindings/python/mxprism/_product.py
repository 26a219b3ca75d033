# SPDX-License-Identifier: Apache-2.0
# golden/bindings/python/mxprism/_product.py: dot products and whole products under a tensor core
# model.

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, cast, get_args

import numpy as np

from mxprism._array import (NUMBERS, Array, Tensor, as_bytes, expect_apart, numbers_in, of_type, on_cpu,
                            option_words, rounded, typed, whole, word_of, writable)
from mxprism._device import is_on_cuda
from mxprism._kind import product_of
from mxprism._mxprism import Factor, Format, Model, Plan, most_parts
from mxprism._names import CEntry, ModelName, Output, OutputRounding, SplitOrder
from mxprism._tensor import Quantized, expect_tensor_scales

# Array types whose codes have a format -> name of the format.
FORMATS = {
    "float32": "f32", "float16": "f16", "bfloat16": "bf16", "float8_e4m3fn": "e4m3",
    "float8_e5m2": "e5m2", "float8_e4m3fnuz": "e4m3fnuz", "float8_e5m2fnuz": "e5m2fnuz",
    "float6_e2m3fn": "e2m3", "float6_e3m2fn": "e3m2", "float4_e2m1fn": "e2m1"}
# Other names of these formats; an array of FP32 is that of TF32 too, whose last bits are unread.
SPELLINGS = {"f32": ("fp32", "float32", "binary32", "tf32", "TF32"),
             "f16": ("fp16", "float16", "binary16"), "bf16": ("bfloat16",)}
# Types with two codes a byte.
PAIRED = {"float4_e2m1fn_x2": "e2m1"}
WORDS: dict[int, Any] = {1: np.uint8, 2: np.uint16, 4: np.uint32}
# Values of mx_codes_pairs and its siblings.
PAIRS, STORAGES = 0, {1: 1, 2: 2, 4: 3}
# In the order of mx_plan's enumerators.
SPLIT_ORDERS, C_ENTRIES = get_args(SplitOrder), get_args(CEntry)
OUTPUTS: tuple[Output, ...] = get_args(Output)
ROUNDINGS = get_args(OutputRounding)
# Array types of scales -> their formats; uint8 holds codes of any.
SCALE_FORMATS = {"uint8": (), "float8_e8m0fnu": ("e8m0", "ue8m0"),
                 "float8_e4m3fn": ("ue4m3", "e4m3")}
MOST_PARTS, MOST_K = most_parts(), 1 << 30


@dataclass(frozen=True)
class Operand:
    """Codes as unsigned words (lines, K), with their format and scales."""

    codes: Array
    k: int
    storage: int
    scales: Array | None = None
    format: str | None = None
    scale_format: str | None = None
    block: int | None = None
    tensor_scale: float = 1.0
    scale_type: str = "uint8"


def _is_format(name: str, own: str) -> bool:
    """Whether a name is one of a type's format."""
    if name == own or name in SPELLINGS.get(own, ()):
        return True
    try:
        return Format(f"{name}:e8m0:32", "").element == own
    except ValueError:
        return False


def _format_of(kind: str, asked: str | None, name: str) -> str | None:
    """The format of codes: their type's, or of plain words that which was asked for."""
    own = FORMATS.get(kind, PAIRED.get(kind))
    if own is None or asked is None:
        return own if asked is None else asked
    if not _is_format(word_of(asked, f"{name}_format"), own):
        raise TypeError(f"`{name}` has type {kind}, and {name}_format is {asked!r}; expected its "
                        f"own, {own!r}, or codes in uint8, uint16 or uint32")
    return asked


def _of_array(x: Any, scales: Any, format: str | None, name: str) -> Operand:
    array, kind = typed(x, name)
    if kind not in FORMATS and kind not in PAIRED and kind not in ("uint8", "uint16", "uint32"):
        raise TypeError(f"`{name}` has type {kind}; expected codes in uint8, uint16 or uint32, or "
                        f"one of {', '.join((*FORMATS, *PAIRED))}")
    if array.ndim == 0:
        raise ValueError(f"`{name}` has no axis K")
    of_scales = "uint8"
    if scales is not None:
        scales, of_scales = typed(scales, f"scale_{name}")
        if of_scales not in SCALE_FORMATS:
            raise TypeError(f"`scale_{name}` has type {of_scales}; expected uint8")
    format = _format_of(kind, format, name)
    if kind in PAIRED:
        return Operand(array, 2 * array.shape[-1], PAIRS, scales, format, scale_type=of_scales)
    return Operand(array.view(WORDS[array.itemsize]), array.shape[-1], STORAGES[array.itemsize],
                   scales, format, scale_type=of_scales)


def _ready_format(q: Quantized, name: str) -> Format:
    f = Format(q.format, q.options)
    ready = f.product_ready and q.axis == len(q.shape) - 1
    if not ready:
        raise ValueError(f"`{name}`: {q!r} is not an operand of a product; expected blocks of one "
                         "row along the last axis, scales of a byte in linear layout, at most one "
                         "tensor scale, low nibbles first, no corrections")
    return f


def _of_device(x: Any, name: str) -> Operand:
    """A factor on a device, whose codes stay there; its tensor scale is waited for."""
    if not isinstance(x, Quantized) or len(x.shape) not in (2, 3):
        raise TypeError(f"`{name}`: expected Quantized with two axes, or three for a batch, since a "
                        "factor is on a device")
    f = _ready_format(x, name)
    return Operand(np.empty((x.shape[0], 0), np.uint8), x.shape[-1], PAIRS, None, f.element,
                   f.scale, f.block_columns, _tensor_scale_of(x, f, on_cpu(x.tensor_scale), name))


def _tensor_scale_of(q: Quantized, f: Format, above: Any, name: str) -> float:
    """The number of an array that is on the CPU; 1 of a format that has none."""
    name = f"tensor_scale of {name}"
    numbers = [] if above is None else numbers_in(of_type(above, np.float32, name))
    expect_tensor_scales(f, q.shape, q.axis, len(numbers), name)
    return numbers[0] if numbers else 1.0


def _of_quantized(q: Quantized, name: str) -> Operand:
    f = _ready_format(q, name)
    above = _tensor_scale_of(q, f, q.tensor_scale, name)
    return Operand(typed(q.codes, name)[0], q.shape[-1],
                   PAIRS if f.codes_a_byte == 2 else STORAGES[1], typed(q.scales, name)[0],
                   f.element, f.scale, f.block_columns, above)


def _first_array(x: Any) -> Any:
    """An array of a factor, whose kind results have."""
    return x.codes if isinstance(x, Quantized) else x


def _first_given(*choices: Any) -> Any:
    return next((choice for choice in choices if choice is not None), None)


def _expect_own_scales(a: Operand, b: Operand, asked: tuple[str | None, int | None]) -> None:
    """Refuses a format or blocks of scales beside those of a Quantized."""
    for operand, name in ((a, "a"), (b, "b")):
        if operand.scale_format is not None and asked != (None, None):
            raise ValueError(f"`{name}` is Quantized and has its own scales and blocks; leave out "
                             "scale_format and block")


def model_of(name: str, a: Operand, b: Operand, scale_format: str | None,
             block: int | None) -> Model:
    _expect_own_scales(a, b, (scale_format, block))
    for of_a, of_b in ((a.scale_format, b.scale_format), (a.block, b.block)):
        if None not in (of_a, of_b) and of_a != of_b:
            raise ValueError("a and b differ in scales or blocks; expected the same")
    options = {"a_format": a.format, "b_format": b.format,
               "scale_format": _first_given(scale_format, a.scale_format, b.scale_format),
               "block": _first_given(block, a.block, b.block)}
    made = Model(word_of(name, "model"), option_words(**options))
    for operand, of in ((a, "scale_a"), (b, "scale_b")):
        _expect_scales(operand, made, options, of)
    return made


def _expect_scales(operand: Operand, model: Model, options: dict[str, Any], name: str) -> None:
    """Refuses scales of an array of codes that have another shape or type than the model's."""
    if operand.scale_format is not None:  # of a Quantized
        return
    blocks = -(-operand.k // model.block) if model.block else 0
    expected = (*operand.codes.shape[:-1], blocks)
    if operand.scales is None:
        if blocks:
            raise ValueError(f"`{name}` is missing; {model.name} takes scales of shape {expected}")
        return
    if not model.block:
        raise ValueError(f"`{name}` has shape {operand.scales.shape}, and {model.name} takes no "
                         "scales; a model of any operands takes them with scale_format and block")
    if operand.scales.shape != expected:
        raise ValueError(f"`{name}` has shape {operand.scales.shape}; expected {expected}")
    if operand.scale_type != "uint8" and not _takes_scales_of(operand.scale_type, model, options):
        raise TypeError(f"`{name}` has type {operand.scale_type}, and the scales of {model.name} "
                        "are others; expected their type, or uint8 with their codes")


def _takes_scales_of(scale_type: str, model: Model, options: dict[str, Any]) -> bool:
    """Whether a model's scales are of a type: its own, or those that were asked for."""
    if options["scale_format"] is not None:
        return options["scale_format"] in SCALE_FORMATS[scale_type]
    try:
        Model(model.name, option_words(**{**options, "scale_format": SCALE_FORMATS[scale_type][0]}))
    except ValueError:
        return False
    return True


def addends_of(c: Any, shape: tuple[int, ...], model: Model) -> Array | None:
    """C as words that hold bits of the model's result, or of FP16 where C is narrower."""
    if c is None:
        return None
    array, kind = typed(c, "c")
    narrower = model.addend_bits < model.result_bits
    expected = "float16" if narrower else NUMBERS[model.plan.output]
    if kind not in ("uint32", expected):
        raise TypeError(f"`c` has type {kind}; expected {expected}, or uint32 with bits")
    if array.shape != shape:
        raise ValueError(f"`c` has shape {array.shape}; expected {shape}")
    words: Array = array.view(WORDS[array.itemsize])
    return words.astype(np.uint32, copy=False)


def bytes_or_none(array: Array | None) -> Array | None:
    return None if array is None else as_bytes(array)


def dot(a: Tensor, b: Tensor, c: Tensor | None = None, *, model: ModelName,
        scale_a: Tensor | None = None, scale_b: Tensor | None = None, a_format: str | None = None,
        b_format: str | None = None, scale_format: str | None = None,
        block: int | None = None) -> Any:
    """Many dot products: d[...] = c[...] + sum over k of a[..., k] * b[..., k].

    a, b              shape (..., K): one code in each uint8, uint16 or uint32 (4 bits are not
                      packed), or an array of type float32, float16, bfloat16 or of ml_dtypes
    c                 shape (...), of the model's result (float16 for a model whose name ends in
                      _c16), or its bits in uint32; None: +0
    model             "hopper.wgmma.e4m3.f32", "exact.rne", ...
    scale_a, scale_b  uint8 or the scales' own type, shape (..., ceil(K / block)), if the model has
                      scales
    a_format, b_format, scale_format, block   for models that take any operands
    returns           shape (...): float32, or float16, or uint16 with the bits of a BF16; for
                      torch tensors a torch tensor, in bfloat16 too
    """
    one, other = (_of_array(a, scale_a, a_format, "a"), _of_array(b, scale_b, b_format, "b"))
    if PAIRS in (one.storage, other.storage):
        raise TypeError("dot takes one code per entry; float4_e2m1fn_x2 holds two")
    if one.codes.shape != other.codes.shape:
        raise ValueError(f"`a` has shape {one.codes.shape} and b {other.codes.shape}; "
                         "expected the same")
    made = model_of(model, one, other, scale_format, block)
    _expect_code_bytes(made, one, other)
    shape = one.codes.shape[:-1]
    addends = addends_of(c, shape, made)
    if addends is None:
        addends = np.zeros(shape, np.uint32)
    words = np.empty(shape, np.uint32)
    made.dot(int(np.prod(shape)), one.k, as_bytes(one.codes), as_bytes(other.codes),
             bytes_or_none(one.scales), bytes_or_none(other.scales), as_bytes(addends),
             as_bytes(words))
    return product_of(words, made.plan.output, a)


def _expect_code_bytes(model: Model, a: Operand, b: Operand) -> None:
    for operand, expected, name in ((a, model.a_code_bytes, "a"), (b, model.b_code_bytes, "b")):
        if operand.codes.itemsize != expected:
            raise TypeError(f"`{name}` has codes of {operand.codes.itemsize} bytes; {model.name} "
                            f"takes {expected}")


def _chosen(names: tuple[str, ...], name: str, what: str) -> int:
    if name not in names:
        raise ValueError(f"{what}={name!r}: expected one of {', '.join(names)}")
    return names.index(name)


def factor_of(operand: Operand) -> Factor:
    line = operand.codes.shape[-1] * operand.codes.itemsize
    return Factor(as_bytes(operand.codes), operand.storage, line, bytes_or_none(operand.scales))


def operand_of(x: Any, scales: Any, format: str | None, name: str) -> Operand:
    quantized = isinstance(x, Quantized)
    if quantized and (scales is not None or format is not None):
        raise ValueError(f"`{name}` is Quantized and has its own scales and format")
    made = _of_quantized(x, name) if quantized else _of_array(x, scales, format, name)
    if made.codes.ndim != 2:
        raise ValueError(f"`{name}` has {made.codes.ndim} axes; expected two, with K last")
    return made


def expect_same_k(a: Operand, b: Operand) -> None:
    if a.k != b.k:
        raise ValueError(f"`a` has K of {a.k} and b of {b.k}; expected the same")


def plan_of(model: Model, a: Operand, b: Operand, *, alpha: float, promote: int, split_k: int,
            split_order: str, c_entry: str, output: str | None, output_rounding: str) -> Plan:
    """The model's own plan, changed in the terms of gemm."""
    plan = model.plan
    plan.alpha = rounded(alpha, "alpha")
    plan.promote = whole(promote, "promote", 0, MOST_K)
    plan.split_k = whole(split_k, "split_k", 1, MOST_PARTS)
    plan.tensor_scale_a, plan.tensor_scale_b = a.tensor_scale, b.tensor_scale
    plan.split_order = _chosen(SPLIT_ORDERS, split_order, "split_order")
    plan.c_entry = _chosen(C_ENTRIES, c_entry, "c_entry")
    if output is not None:
        plan.output = _chosen(OUTPUTS, output, "output")
    plan.output_rounding = _chosen(ROUNDINGS, output_rounding, "output_rounding")
    return plan


def gemm(a: Tensor | Quantized, b: Tensor | Quantized, c: Tensor | None = None, *, model: ModelName,
         scale_a: Tensor | None = None, scale_b: Tensor | None = None, a_format: str | None = None,
         b_format: str | None = None, scale_format: str | None = None, block: int | None = None,
         alpha: float = 1.0, promote: int = 0, split_k: int = 1,
         split_order: SplitOrder = "ascending", c_entry: CEntry = "first-step",
         output: Output | None = None, output_rounding: OutputRounding = "nearest-even",
         out: Tensor | None = None) -> Any:
    """A whole product: D = alpha (A B^T + C), or alpha A B^T + C with C in the epilogue; the tensor
    scales of A and B are in alpha.

    a            (M, K), b (N, K): Quantized along the last axis, on a CUDA device too (K is then a
                 multiple of the block), or codes as in dot; torch's
                 float4_e2m1fn_x2 has two codes per entry, (M, K / 2). On a device also batches,
                 (B, M, K) and (B, N, K), or one of them without B for all products; then C and D
                 are (B, M, N).
                 On a CPU the last block may be short and has no further products; `mxprism gemm`
                 pads it with zeros, which make +0 of C = -0 and products -0 under models that keep
                 -0, such as fp32.fma
    c            (M, N) of the model's result, or its bits in uint32; None: +0
    model        "blackwell.mxf4", "hopper.wgmma.e4m3.f32", "exact.rne", ...
    scale_a, scale_b   uint8 or the scales' own type, (M or N, ceil(K / block)), for codes
    alpha        rounded to FP32, which beyond its range is an Inf
    promote      elements of K whose sum is then added in FP32, a multiple of the block; 0: none
    split_k      number of parts of K, whose sums are added in FP32 in split_order:
                 "ascending" or "pairwise"
    c_entry      "first-step": the sums begin with C; "epilogue": it is added last, after alpha
    output       "f32", "f16", "bf16"; None: the model's       output_rounding  "nearest-even", ...
    scale_format, block   of the scales of codes; a Quantized has its own
    out          a writable C-contiguous aligned float32 array (M, N) to fill, if the output is f32;
                 it may be c, and overlaps no factor. On a device out and c may have gaps between
                 rows and between matrices
    returns      (M, N): float32, or float16, or uint16 with the bits of a BF16; for torch tensors
                 a torch tensor, in bfloat16 too
    """
    on_cuda = is_on_cuda(_first_array(a))
    one, other = ((_of_device(a, "a"), _of_device(b, "b")) if on_cuda else
                  (operand_of(a, scale_a, a_format, "a"), operand_of(b, scale_b, b_format, "b")))
    expect_same_k(one, other)
    made = model_of(model, one, other, scale_format, block)
    shape = (one.codes.shape[0], other.codes.shape[0])
    plan = plan_of(made, one, other, alpha=alpha, promote=promote, split_k=split_k,
                   split_order=split_order, c_entry=c_entry, output=output,
                   output_rounding=output_rounding)
    if out is not None and plan.output != 0:
        raise ValueError(f"out: the output is {OUTPUTS[plan.output]}, and out takes only f32")
    if on_cuda:
        from mxprism import _device_tensor
        return _device_tensor.product(cast(Quantized, a), cast(Quantized, b), c, made, plan, out)
    words = np.empty(shape, np.uint32) if out is None else writable(out, shape)
    addends = addends_of(c, shape, made)
    if out is not None:
        expect_apart(words, "out", _arrays_of(a=one, b=other))
        if addends is not None and np.may_share_memory(words, addends):
            addends = addends.copy()
    made.gemm(*shape, one.k, factor_of(one), factor_of(other), bytes_or_none(addends),
              as_bytes(words), plan)
    return product_of(words, plan.output, _first_array(a)) if out is None else out


def _arrays_of(**operands: Operand) -> dict[str, Array]:
    """What is read of each, by the name of its argument."""
    arrays = {}
    for name, operand in operands.items():
        arrays[name] = operand.codes
        if operand.scales is not None:
            arrays[f"scales of {name}"] = operand.scales
    return arrays


def _group_on_device(a: Sequence[Quantized], b: Sequence[Quantized]) -> tuple[Operand, Operand]:
    """What all products of a group on a device share."""
    pairs = [(_of_device(x, f"a[{i}]"), _of_device(y, f"b[{i}]"))
             for i, (x, y) in enumerate(zip(a, b))]
    for i, (x, y) in enumerate(zip(a, b)):
        if len(x.shape) != 2 or len(y.shape) != 2:
            raise ValueError(f"`a[{i}]` has shape {x.shape} and b[{i}] {y.shape}; expected two axes")
        expect_same_k(*pairs[i])
        for one, first, name in zip(pairs[i], pairs[0], "ab"):
            if replace(one, codes=first.codes, k=first.k) != first:
                raise ValueError(f"`{name}[{i}]` differs from {name}[0] in its format or tensor scale; "
                                 "one plan serves a group on a device: give all one tensor_scale")
    return pairs[0]


def gemm_grouped(a: Sequence[Quantized], b: Sequence[Quantized], c: Sequence[Tensor] | None = None,
                 *, model: ModelName, alpha: float = 1.0, promote: int = 0, split_k: int = 1,
                 split_order: SplitOrder = "ascending", c_entry: CEntry = "first-step",
                 output: Output | None = None,
                 output_rounding: OutputRounding = "nearest-even") -> list[Any]:
    """Products of any sizes, as those of the experts of a layer: D[i] = alpha (A[i] B[i]^T + C[i]).
    On a CUDA device they share launches; elsewhere each is a gemm.

    a, b      as many Quantized along the last axis, (M, K) and (N, K) of each product's own; on a
              device all of one format under one tensor scale
    c         (M, N) of each; None: +0
    the rest  as in gemm, for all of them
    returns   a list of (M, N), as gemm returns them
    """
    if len(a) != len(b) or (c is not None and len(c) != len(a)):
        raise ValueError(f"a has {len(a)} factors, b {len(b)}"
                         f"{'' if c is None else f' and c {len(c)} matrices'}; expected as many")
    if not a or not is_on_cuda(_first_array(a[0])):
        return [gemm(x, y, None if c is None else c[i], model=model, alpha=alpha, promote=promote,
                     split_k=split_k, split_order=split_order, c_entry=c_entry, output=output,
                     output_rounding=output_rounding) for i, (x, y) in enumerate(zip(a, b))]
    from mxprism import _device_tensor
    one, other = _group_on_device(a, b)
    made = model_of(model, one, other, None, None)
    plan = plan_of(made, one, other, alpha=alpha, promote=promote, split_k=split_k,
                   split_order=split_order, c_entry=c_entry, output=output,
                   output_rounding=output_rounding)
    return _device_tensor.products(a, b, c, made, plan)
