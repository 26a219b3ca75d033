# SPDX-License-Identifier: Apache-2.0
# golden/bindings/python/mxprism/_device_tensor.py: the package's functions on CUDA tensors, by
# libmxprism_cuda.

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from dataclasses import dataclass
from dataclasses import fields as members_of
from typing import Any, cast

import numpy as np

from mxprism._array import NUMBERS, axis_of
from mxprism._device import Buffer, DeviceTensor, Stream, call, torch_of
from mxprism._energy import Energy
from mxprism._mxprism import Format, Model, Plan
from mxprism._tensor import ARRAYS, Quantized, shapes_of
from mxprism._typing import AnyFormat

# By annotations, which are not evaluated.
NUMBER_TYPES: dict[Any, Any] = {"float": ctypes.c_double, "int": ctypes.c_uint64}
OUTPUT_KINDS = ("float32", "float16", "bfloat16")


class Shape(ctypes.Structure):
    """mx_shape."""

    _fields_ = [("extents", ctypes.POINTER(ctypes.c_uint64)), ("dimensions", ctypes.c_uint32),
                ("axis", ctypes.c_int32)]


class Numbers(ctypes.Structure):
    """mx_numbers."""

    _fields_ = [("data", ctypes.c_void_p), ("bytes", ctypes.c_uint64), ("type", ctypes.c_int32)]


class Coded(ctypes.Structure):
    """mx_coded."""

    _fields_ = [("struct_size", ctypes.c_uint64), *((name, Buffer) for name in ARRAYS)]


class EnergyFields(ctypes.Structure):
    """mx_energy, whose members Energy has in the same order."""

    _fields_ = [("struct_size", ctypes.c_uint64),
                *((member.name, NUMBER_TYPES[member.type]) for member in members_of(Energy))]


class Matrix(ctypes.Structure):
    """mx_matrix."""

    _fields_ = [("codes", Buffer), ("storage", ctypes.c_int32), ("line_bytes", ctypes.c_uint64),
                ("scales", Buffer)]


class Product(ctypes.Structure):
    """mx_product."""

    _fields_ = [("struct_size", ctypes.c_uint64), ("m", ctypes.c_uint64), ("n", ctypes.c_uint64),
                ("k", ctypes.c_uint64), ("a", Matrix), ("b", Matrix), ("c", Buffer), ("d", Buffer)]


class Batch(ctypes.Structure):
    """mx_cuda_batch."""

    _fields_ = [(name, ctypes.c_uint64) for name in (
        "struct_size", "count", "a_step", "a_scales_step", "b_step", "b_scales_step", "c_step",
        "d_step", "c_stride", "d_stride")]


class PlanFields(ctypes.Structure):
    """mx_plan."""

    _fields_ = [("struct_size", ctypes.c_uint64),
                *((name, ctypes.c_float) for name in ("alpha", "tensor_scale_a", "tensor_scale_b")),
                *((name, ctypes.c_int32) for name in ("promote", "split_k", "split_order",
                                                      "c_entry", "output", "output_rounding"))]


def _shape(extents: tuple[int, ...], axis: int) -> Shape:
    return Shape((ctypes.c_uint64 * len(extents))(*extents), len(extents), axis)


def _numbers(stream: Stream) -> tuple[DeviceTensor, Numbers]:
    """The first tensor's numbers, whose rows may have gaps between them."""
    made = stream.tensor(stream.first, "x")
    if made.kind not in NUMBERS:
        raise TypeError(f"`x` has numbers of type {made.kind}; expected float32, float16 or "
                        "bfloat16: convert to float32")
    buffer = made.buffer
    return made, Numbers(buffer.data, buffer.bytes, NUMBERS.index(made.kind))


def _coded(arrays: dict[str, DeviceTensor]) -> Coded:
    made = Coded(ctypes.sizeof(Coded))
    for name, array in arrays.items():
        setattr(made, name, array.buffer)
    return made


def _handle(of: Format | Model) -> ctypes.c_void_p:
    return ctypes.c_void_p(of.handle)


def quantized(x: Any, f: Format, options: str, axis: int, layout: str | None, above: Any,
              out: Any) -> Quantized:
    """quantize of a CUDA tensor. special_blocks is -1: they are not counted."""
    stream = Stream.of(x)
    tensor, numbers = _numbers(stream)
    axis = axis_of(axis, tensor.ndim)
    extents = tensor.shape or (1,)
    sizes = f.sizes(list(extents), axis)
    shapes = {name: (np.dtype(kind).name, (sizes[ARRAYS.index(name)],) if shape == (-1,) else shape)
              for name, (kind, shape) in shapes_of(f, tensor.shape, axis, layout).items()}
    if out is None:
        out = tuple(stream.empty(shape, kind, "x") for kind, shape in shapes.values())
    made = dict(zip(shapes, out))
    arrays = {name: stream.given(made[name], shape, kind, f"out: {name}").dense(f"out: {name}")
              for name, (kind, shape) in shapes.items()}
    if above is not None:
        arrays["tensor_scale"] = stream.tensor(above, "tensor_scale").dense("tensor_scale")
    stream.call("mx_cuda_tensor_quantize_rows", _handle(f), ctypes.byref(_shape(extents, axis)),
                ctypes.byref(numbers), ctypes.c_uint64(tensor.row_stride("x")),
                ctypes.byref(_coded(arrays)))
    return Quantized(format=cast(AnyFormat, f.spelling), shape=tensor.shape,
                     axis=axis % max(len(tensor.shape), 1), options=options, special_blocks=-1,
                     tensor_scale=above, **made)


def dequantized(q: Quantized, out: Any) -> Any:
    """dequantize of codes and scales on a device."""
    stream, f = Stream.of(q.codes), Format(q.format, q.options)
    out = stream.empty(q.shape, "float32", "codes") if out is None else out
    values = stream.given(out, q.shape, "float32", "out")
    arrays = {name: stream.tensor(array, name).dense(name) for name, array in vars(q).items()
              if name in ARRAYS and array is not None}
    stream.call("mx_cuda_tensor_dequantize_rows", _handle(f),
                ctypes.byref(_shape(q.shape or (1,), q.axis)), ctypes.byref(_coded(arrays)),
                ctypes.c_int32(0), ctypes.byref(values.buffer),
                ctypes.c_uint64(values.row_stride("out")))
    return out


def decomposed(x: Any, f: Format, axis: int, above: Any) -> dict[str, Any]:
    """The members of Energy of a CUDA tensor; waits for it."""
    stream = Stream.of(x)
    tensor, numbers = _numbers(stream)
    shape = _shape(tensor.shape or (1,), axis)
    scales = (None if above is None else
              stream.tensor(above, "tensor_scale").dense("tensor_scale").buffer)
    needed = ctypes.c_uint64()
    call("mx_cuda_tensor_decompose_workspace", _handle(f), ctypes.byref(shape), ctypes.byref(needed))
    workspace = stream.tensor(stream.empty((needed.value,), "uint8", "x"), "workspace")
    buffer, energy = workspace.buffer, EnergyFields(ctypes.sizeof(EnergyFields))
    stream.call("mx_cuda_tensor_decompose_rows", _handle(f), ctypes.byref(shape),
                ctypes.byref(numbers), ctypes.c_uint64(tensor.row_stride("x")),
                None if scales is None else ctypes.byref(scales), ctypes.byref(buffer),
                ctypes.byref(energy))
    return {entry[0]: getattr(energy, entry[0]) for entry in EnergyFields._fields_[1:]}


def _step(of: DeviceTensor) -> int:
    """Elements from a product's matrix to the next one's; 0 for a matrix of all."""
    return of.strides[0] if of.ndim == 3 and of.shape[0] > 1 else 0


def _line_stride(of: DeviceTensor, name: str) -> int:
    """Elements from a line of a matrix to the next."""
    if of.shape[-1] > 1 and of.strides[-1] != 1:
        raise ValueError(f"`{name}` is on a device and not contiguous along its last axis; make it "
                         "contiguous")
    return of.strides[-2] if of.shape[-2] > 1 else of.shape[-1]


@dataclass(frozen=True)
class _DeviceFactor:
    """A factor of a product, or of a batch of them."""

    codes: DeviceTensor
    scales: DeviceTensor
    name: str

    @staticmethod
    def of(q: Quantized, name: str, stream: Stream) -> _DeviceFactor:
        made = _DeviceFactor(stream.tensor(q.codes, name), stream.tensor(q.scales, name), name)
        if _line_stride(made.scales, name) != made.scales.shape[-1]:
            raise ValueError(f"`{name}`: the scales of a matrix have gaps; make them contiguous")
        return made

    def matrix(self, f: Format) -> Matrix:
        return Matrix(self.codes.buffer, 0 if f.codes_a_byte == 2 else 1,
                      _line_stride(self.codes, self.name), self.scales.buffer)


def _batch_of(a: Quantized, b: Quantized) -> tuple[int, ...]:
    """The axis that a batch of products has beside a single one."""
    found = {q.shape[:-2] for q in (a, b)} - {()}
    if len(found) > 1:
        raise ValueError(f"`a` has shape {a.shape} and b {b.shape}; expected as many matrices, or "
                         "a single one for all")
    return found.pop() if found else ()


def _plan_fields(plan: Plan) -> PlanFields:
    return PlanFields(ctypes.sizeof(PlanFields),
                      *(getattr(plan, entry[0]) for entry in PlanFields._fields_[1:]))


def _workspace_of(stream: Stream, function: str,
                  *arguments: Any) -> tuple[DeviceTensor | None, Buffer]:
    """Only torch allocates one: without it, kernels that need none."""
    needed = ctypes.c_uint64()
    call(function, *arguments, ctypes.byref(needed))
    if needed.value == 0 or torch_of(stream.first) is None:
        return None, Buffer()
    made = stream.tensor(stream.empty((needed.value,), "uint8", "a"), "workspace")
    return made, made.buffer


def _product(a: Quantized, b: Quantized, factors: tuple[_DeviceFactor, _DeviceFactor],
             addends: DeviceTensor | None, d: DeviceTensor) -> Product:
    one, other = factors
    return Product(ctypes.sizeof(Product), a.shape[-2], b.shape[-2], a.shape[-1],
                   one.matrix(Format(a.format, a.options)),
                   other.matrix(Format(b.format, b.options)),
                   Buffer() if addends is None else addends.buffer, d.buffer)


def product(a: Quantized, b: Quantized, c: Any, model: Model, plan: Plan, out: Any) -> Any:
    """D of two factors on a device, or of each product of a batch."""
    stream, batch = Stream.of(a.codes), _batch_of(a, b)
    kind, shape = OUTPUT_KINDS[plan.output], (*batch, a.shape[-2], b.shape[-2])
    one, other = _DeviceFactor.of(a, "a", stream), _DeviceFactor.of(b, "b", stream)
    addends = None if c is None else stream.operand(c, shape, OUTPUT_KINDS[model.plan.output], "c")
    out = stream.empty(shape, kind, "a") if out is None else out
    d = stream.given(out, shape, kind, "out")
    steps = Batch(ctypes.sizeof(Batch), *(batch or (1,)), _step(one.codes), _step(one.scales),
                  _step(other.codes), _step(other.scales), 0 if addends is None else _step(addends),
                  _step(d), 0 if addends is None else _line_stride(addends, "c"),
                  _line_stride(d, "out"))
    fields = _product(a, b, (one, other), addends, d)
    plan_fields = _plan_fields(plan)
    common = (_handle(model), ctypes.byref(fields), ctypes.byref(plan_fields), ctypes.byref(steps))
    _held, buffer = _workspace_of(stream, "mx_cuda_model_gemm_batched_workspace", *common)
    stream.call("mx_cuda_model_gemm_batched", *common, ctypes.byref(buffer))
    return out


def _single(stream: Stream, a: Quantized, b: Quantized, c: Any, model: Model, plan: Plan,
            i: int) -> tuple[Any, list[DeviceTensor], Product]:
    """The result of product i of a group, what its description points to, and the description."""
    shape, kind = (a.shape[0], b.shape[0]), OUTPUT_KINDS[plan.output]
    one, other = _DeviceFactor.of(a, f"a[{i}]", stream), _DeviceFactor.of(b, f"b[{i}]", stream)
    addends = None if c is None else stream.operand(c, shape, OUTPUT_KINDS[model.plan.output],
                                                    f"c[{i}]")
    if addends is not None and _line_stride(addends, f"c[{i}]") != shape[1]:
        raise ValueError(f"`c[{i}]` is on a device and has gaps between its rows; make it contiguous")
    out = stream.empty(shape, kind, f"a[{i}]")
    d = stream.given(out, shape, kind, "out")
    fields = _product(a, b, (one, other), addends, d)
    held = [one.codes, one.scales, other.codes, other.scales, d]
    return out, held if addends is None else [*held, addends], fields


def products(a: Sequence[Quantized], b: Sequence[Quantized], c: Sequence[Any] | None, model: Model,
             plan: Plan) -> list[Any]:
    """D of each product of a group on a device, under one plan."""
    stream = Stream.of(a[0].codes)
    made = [_single(stream, x, y, None if c is None else c[i], model, plan, i)
            for i, (x, y) in enumerate(zip(a, b))]
    addresses = (ctypes.POINTER(Product) * len(made))(
        *(ctypes.pointer(fields) for _, _, fields in made))
    plan_fields = _plan_fields(plan)
    common = (_handle(model), addresses, ctypes.c_uint64(len(made)), ctypes.byref(plan_fields))
    _held, buffer = _workspace_of(stream, "mx_cuda_model_gemm_grouped_workspace", *common)
    stream.call("mx_cuda_model_gemm_grouped", *common, ctypes.byref(buffer))
    return [out for out, _, _ in made]
