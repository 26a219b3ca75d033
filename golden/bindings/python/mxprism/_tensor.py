# SPDX-License-Identifier: Apache-2.0
# golden/bindings/python/mxprism/_tensor.py: quantization of tensors to codes and scales, and back
# to FP32.

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from mxprism._array import (Array, Tensor, as_bytes, axis_of, expect_apart, extents_of,
                            in_own_order, numbers, of_type, option_words, writable)
from mxprism._device import is_on_cuda
from mxprism._kind import is_torch, kind_of
from mxprism._mxprism import Format
from mxprism._names import ByteMap, Layout, Packing, Rounding, ScaleRule, VariantName
from mxprism._typing import AnyFormat, RuleOptions

if TYPE_CHECKING:
    from typing_extensions import Unpack

# The arrays of mx_coded in declaration order.
ARRAYS = ("codes", "scales", "tensor_scale", "tensor_amax", "macro_fractions", "residual_codes",
          "residual_scales", "residual_macro_fractions")
FORMAT = "mxfp4"
# Types of elements, which say nothing of blocks, and the format that is likely meant.
ELEMENT_TYPES = {"float8_e4m3fn": "mxfp8-e4m3", "float8_e5m2": "mxfp8-e5m2",
                 "float4_e2m1fn_x2": "mxfp4", "float4_e2m1fn": "mxfp4",
                 "float6_e2m3fn": "mxfp6-e2m3", "float6_e3m2fn": "mxfp6-e3m2"}


def expect_name(format: object) -> None:
    """Refuses what is no name, most likely the type of an element."""
    if format is None or isinstance(format, str):
        return
    word = str(getattr(format, "__name__", format)).rpartition(".")[2]
    meant = ELEMENT_TYPES.get(word, FORMAT)
    raise TypeError(f"`format` is {format!r}; expected the name of a format of blocks, "
                    f"such as {meant!r}")


def format_of(name: str | None, variant: str | None, options: str) -> Format:
    expect_name(name)
    return Format(name if name is not None or variant is not None else FORMAT, options)


def shapes_of(f: Format, shape: tuple[int, ...], axis: int, layout: str | None
            ) -> dict[str, tuple[type, tuple[int, ...]]]:
    """Type and shape of codes and of scales."""
    extents = list(shape) or [1]
    line = [extent if k == axis % len(extents) else 1 for k, extent in enumerate(extents)]
    along = f.sizes(line, axis)
    plain = layout in (None, "linear")
    codes, scales = list(extents), list(extents)
    codes[axis] = along[0]
    if plain:
        scales[axis] = along[1] // f.scale_bytes
        if f.block_rows > 1:
            scales[axis - 1] = -(-scales[axis - 1] // f.block_rows)
    else:
        scales = [-1]
    word = {1: np.uint8, 2: np.uint16, 4: np.uint32}[f.scale_bytes]
    kind = np.float32 if f.scale == "fp32" else word
    return {"codes": (np.uint8, tuple(codes)), "scales": (kind, tuple(scales))}


def scale_grid(f: Format, shape: tuple[int, ...], axis: int) -> tuple[int, ...]:
    """Shape of the scales of a format without a layout."""
    return shapes_of(f, shape, axis, None)["scales"][1]


def _empty(f: Format, shape: tuple[int, ...], axis: int, layout: str | None
           ) -> dict[str, Any]:
    """Arrays to fill, by name; None for those that the format lacks."""
    sizes = f.sizes(list(shape), axis)
    kinds = shapes_of(f, shape, axis, layout)
    arrays: dict[str, Any] = {}
    for name, size in zip(ARRAYS, sizes):
        space = np.empty(size, np.uint8)
        kind, extents = kinds.get(name.removeprefix("residual_"), (np.uint8, (-1,)))
        if name in ("tensor_scale", "tensor_amax"):
            kind = np.float32
        always = name in kinds
        arrays[name] = space.view(kind).reshape(extents) if size > 0 or always else None
    return arrays


def as_list(arrays: dict[str, Any]) -> list[Array]:
    """The arrays as bytes in the order of mx_coded; absent ones are empty."""
    nothing = np.empty(0, np.uint8)
    return [nothing if arrays.get(name) is None else as_bytes(in_own_order(arrays[name], name)[0])
            for name in ARRAYS]


def expect_tensor_scales(f: Format, shape: tuple[int, ...], axis: int, found: int,
                         name: str = "tensor_scale") -> None:
    """Refuses another number of tensor scales than a tensor has under a format."""
    expected = f.sizes(list(shape), axis)[ARRAYS.index("tensor_scale")] // 4
    if found != expected:
        raise ValueError(f"`{name}` has {found} numbers; expected {expected}, as {f.spelling} has "
                         f"for the shape {shape}")


def _expect_laid_out(f: Format, shape: tuple[int, ...], axis: int, layout: str | None,
                     found: int) -> None:
    """Refuses another number of bytes than the scales of a tensor have in a layout, which pads them."""
    expected = f.sizes(list(shape), axis)[ARRAYS.index("scales")]
    if found != expected:
        raise ValueError(f"`scales` has {found} bytes; expected {expected}, as quantize writes them in "
                         f"the layout {layout} for the shape {shape}")


def _own(array: Any, read: Array) -> Any:
    """The caller's tensor if it is torch's, else what was read of it: its memory, if that is in
    C order."""
    return array if is_torch(array) else read


@dataclass(frozen=True, eq=False)
class Quantized:
    """A tensor as codes and scales; its arrays outlive it.

    codes         uint8, of the tensor's shape with the axis padded to whole blocks; the axis
                  is half as long for packed 4-bit codes, two a byte, and three
                  quarters as long for dense 6-bit codes
    scales        uint8, uint16 or uint32 with the bits of a scale, float32 for FP32 scales: of the
                  tensor's shape with the axis counted in blocks (rows as well, for tiles). In a
                  layout other than linear: uint8, of the layout's size
    tensor_scale  float32, shape (1,) or (rows,): multiplies values on top of the scales;
                  None if the format has none
    format        its shortest spelling         shape, axis  of the tensor; axis >= 0
    special_blocks  number of blocks with a NaN or an Inf; -1 on a device, where none counts them
    options       storage of codes, and the rules that they were made by

    Arrays are torch tensors if the tensor was one, else NumPy arrays. The other ones are None except for variants (tensor_amax, float32), macro-block formats and
    outlier fallback (bytes as in mx_coded).
    """

    codes: Any
    scales: Any
    tensor_scale: Any
    format: AnyFormat
    shape: tuple[int, ...]
    axis: int
    options: str = ""
    special_blocks: int = 0
    tensor_amax: Any = None
    macro_fractions: Any = None
    residual_codes: Any = None
    residual_scales: Any = None
    residual_macro_fractions: Any = None

    @staticmethod
    def of(codes: Tensor, scales: Tensor, shape: Sequence[int], format: AnyFormat | None = None,
           *, axis: int = -1, tensor_scale: Tensor | None = None, packing: Packing | None = None,
           layout: Layout | None = None, variant: VariantName | None = None) -> Quantized:
        """Existing codes and scales, in the caller's memory and of its kind, torch tensors or NumPy
        arrays. Copied are arrays that are not C-contiguous and aligned, and torch tensors whose
        strides have no view in the attribute's shape.

        codes, scales, tensor_scale  as the attributes of these names; other shapes of the same
                                     size in bytes are accepted
        """
        options = option_words(packing=packing, layout=layout, variant=variant)
        f = format_of(format, variant, options)
        shape = extents_of(shape)
        axis = axis_of(axis, len(shape))
        kinds = shapes_of(f, shape, axis, layout)
        above = None if tensor_scale is None else of_type(tensor_scale, np.float32, "tensor_scale")
        expect_tensor_scales(f, shape, axis, 0 if above is None else above.size)

        def shaped(array: Any, name: str) -> Any:
            kind, extents = kinds[name]
            given = of_type(array, kind, name)
            if extents == (-1,):
                _expect_laid_out(f, shape, axis, layout, given.size)
            elif given.size != prod(extents):
                raise ValueError(f"`{name}` has shape {given.shape}; expected {extents}")
            return _own(array, given).reshape(extents)

        return Quantized(shaped(codes, "codes"), shaped(scales, "scales"),
                         None if above is None or above.size == 0 else
                         _own(tensor_scale, above).reshape(-1), cast(AnyFormat, f.spelling), shape,
                         axis % max(len(shape), 1), options)

    def dequantize(self, out: Tensor | None = None) -> Any:
        """The values of codes and scales: float32, of the tensor's shape.

        out  a writable C-contiguous aligned float32 array of that shape to fill, which overlaps
             none of the arrays; the result is this array. On a device it may have gaps between rows
        """
        if is_on_cuda(self.codes):
            from mxprism import _device_tensor
            return _device_tensor.dequantized(self, out)
        values = np.empty(self.shape, np.float32) if out is None else writable(out, self.shape)
        read = as_list(vars(self))
        if out is not None:
            expect_apart(values, "out", dict(zip(ARRAYS, read)))
        f = Format(self.format, self.options)
        f.dequantize(list(self.shape), self.axis, read, as_bytes(values))
        return kind_of(self.codes)(values) if out is None else out

    def __repr__(self) -> str:
        return f"Quantized({self.format!r}, shape={self.shape}, axis={self.axis})"


def _given_arrays(out: Any, arrays: dict[str, Any]) -> dict[str, Array]:
    """The caller's memory in place of new codes and scales."""
    names = ("codes", "scales")
    if not isinstance(out, (tuple, list)) or len(out) != len(names):
        raise TypeError(f"`out` is a {type(out).__name__}; expected (codes, scales)")
    return {name: writable(given, arrays[name].shape, f"out: {name}", arrays[name].dtype.name)
            for name, given in zip(names, out)}


def quantize(x: Tensor, format: AnyFormat | None = None, *, axis: int = -1,
             scale_rule: ScaleRule | None = None, rounding: Rounding | None = None,
             seed: int | None = None, random_bits: int | None = None,
             byte_map: ByteMap | None = None, packing: Packing | None = None,
             layout: Layout | None = None, variant: VariantName | None = None,
             tensor_scale: Tensor | None = None,
             out: tuple[Tensor, Tensor] | None = None) -> Quantized:
    """Quantizes a tensor in blocks along an axis.

    x             float32, float16 or bfloat16, of any shape; on a CUDA device with blocks along the
                  last axis, whose rows are contiguous and at equal distances, without variants and
                  corrections, and with `tensor_scale` on the device if the format has one
    format        "mxfp4", "nvfp4", "e2m1:e8m3:32", "mxfp4+mbs=128,8"; None: mxfp4, or the first of
                  the variant
    scale_rule    "floor", "rceil", ...          rounding  "nearest-even", "stochastic", ...
    seed, random_bits, byte_map   of stochastic rounding
    packing       "packed" (low nibble first), "unpacked", "high-first", "split-half"; "dense" for
                  codes of 6 bits
    layout        of the scales: "linear", "128x4", ...
    variant       a preset that replaces rule and rounding: "torchao.rceil"; seed and byte_map go
                  with those that round stochastically
    tensor_scale  float32, shape (1,) or (rows,): given, not chosen by the format
    out           writable C-contiguous aligned arrays to fill: codes and scales, of the types and
                  shapes that the result has without it; they overlap neither x nor each other
    """
    options = option_words(scale_rule=scale_rule, rounding=rounding, seed=seed,
                           random_bits=random_bits, byte_map=byte_map, packing=packing,
                           layout=layout, variant=variant,
                           tensor_scale=None if tensor_scale is None else "given")
    if is_on_cuda(x):
        from mxprism import _device_tensor
        return _device_tensor.quantized(x, format_of(format, variant, options), options, axis,
                                        layout, tensor_scale, out)
    given = None if tensor_scale is None else of_type(tensor_scale, np.float32, "tensor_scale")
    array, kind = numbers(x, "x")
    axis = axis_of(axis, array.ndim)
    f = format_of(format, variant, options)
    arrays = _empty(f, array.shape, axis, layout)
    if given is not None:
        expect_tensor_scales(f, array.shape, axis, given.size)
        arrays["tensor_scale"] = given.reshape(-1).copy() if given.size > 0 else None
    if out is not None:
        arrays.update(_given_arrays(out, arrays))
        codes, scales = arrays["codes"], arrays["scales"]
        expect_apart(codes, "out: codes", {"x": array})
        expect_apart(scales, "out: scales", {"x": array, "out: codes": codes})
    special = f.quantize(list(array.shape), axis, as_bytes(array), kind, as_list(arrays))
    made = {name: None if filled is None else kind_of(x)(filled) for name, filled in arrays.items()}
    if out is not None:
        made["codes"], made["scales"] = out
    return Quantized(format=cast(AnyFormat, f.spelling), shape=array.shape,
                     axis=axis % max(array.ndim, 1), options=options, special_blocks=special, **made)


def dequantize(q: Quantized, out: Tensor | None = None) -> Any:
    """The values of codes and scales: float32, of the tensor's shape.

    out  a writable C-contiguous aligned float32 array of that shape to fill, which overlaps none of
         the arrays; the result is this array
    """
    return q.dequantize(out)


def fake_quantize(x: Tensor, format: AnyFormat | None = None, *, out: Tensor | None = None,
                  variant: VariantName | None = None, **options: Unpack[RuleOptions]) -> Any:
    """The tensor after it was quantized and dequantized: float32, of its shape.

    options  as in quantize
    """
    return quantize(x, format, variant=variant, **options).dequantize(out)
