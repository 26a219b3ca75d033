# SPDX-License-Identifier: Apache-2.0
# golden/bindings/python/mxprism/_device_tensor.py: the package's functions on CUDA tensors, by
# libmxprism_cuda.

from __future__ import annotations

import ctypes
from typing import Any

import numpy as np

from mxprism._array import NUMBERS, axis_of, of_type, on_cpu
from mxprism._device import (Buffer, DeviceTensor, call, device_of, device_tensor, empty, given,
                             stream_of, torch_of)
from mxprism._mxprism import Format, Model, Plan
from mxprism._tensor import ARRAYS, Quantized, shapes_of

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
    """mx_energy."""

    _fields_ = [("struct_size", ctypes.c_uint64),
                *((name, ctypes.c_double) for name in (
                    "total", "scale", "deadzone", "grid", "clip", "scale_dead", "scale_deadzone",
                    "scale_grid", "scale_clip", "deadzone_grid", "deadzone_clip", "grid_clip",
                    "x_squared", "x_quantized")),
                *((name, ctypes.c_uint64) for name in (
                    "elements", "dead", "dead_actual", "blocks", "special_blocks",
                    "identity_violations"))]


class Matrix(ctypes.Structure):
    """mx_matrix."""

    _fields_ = [("codes", Buffer), ("storage", ctypes.c_int32), ("line_bytes", ctypes.c_uint64),
                ("scales", Buffer)]


class Product(ctypes.Structure):
    """mx_product."""

    _fields_ = [("struct_size", ctypes.c_uint64), ("m", ctypes.c_uint64), ("n", ctypes.c_uint64),
                ("k", ctypes.c_uint64), ("a", Matrix), ("b", Matrix), ("c", Buffer), ("d", Buffer)]


class PlanFields(ctypes.Structure):
    """mx_plan."""

    _fields_ = [("struct_size", ctypes.c_uint64),
                *((name, ctypes.c_float) for name in ("alpha", "tensor_scale_a", "tensor_scale_b")),
                *((name, ctypes.c_int32) for name in ("promote_every", "parts", "split_order",
                                                      "c_entry", "output", "output_rounding"))]


def _shape(extents: tuple[int, ...], axis: int) -> Shape:
    return Shape((ctypes.c_uint64 * len(extents))(*extents), len(extents), axis)


def _numbers(x: Any) -> tuple[DeviceTensor, Numbers]:
    made = device_tensor(x, "x")
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


def _call(like: Any, function: str, *arguments: Any) -> None:
    """A function with the stream of a tensor after its arguments, on that tensor's device."""
    with device_of(like):
        call(function, *arguments, ctypes.c_void_p(stream_of(like)))


def _handle(of: Format | Model) -> ctypes.c_void_p:
    return ctypes.c_void_p(of.handle)


def quantized(x: Any, f: Format, options: str, axis: int, layout: str | None, above: Any,
              out: Any) -> Quantized:
    """quantize of a CUDA tensor. special_blocks is -1: they are not counted."""
    tensor, numbers = _numbers(x)
    axis = axis_of(axis, tensor)
    extents = tensor.shape or (1,)
    sizes = f.sizes(list(extents), axis)
    shapes = {name: (np.dtype(kind).name, (sizes[ARRAYS.index(name)],) if shape == (-1,) else shape)
              for name, (kind, shape) in shapes_of(f, tensor.shape, axis, layout).items()}
    if out is None:
        out = tuple(empty(x, shape, kind, "x") for kind, shape in shapes.values())
    made = dict(zip(shapes, out))
    arrays = {name: given(made[name], shape, kind, f"out: {name}")
              for name, (kind, shape) in shapes.items()}
    if above is not None:
        arrays["tensor_scale"] = device_tensor(above, "tensor_scale")
    _call(x, "mx_cuda_tensor_quantize", _handle(f), ctypes.byref(_shape(extents, axis)),
          ctypes.byref(numbers), ctypes.byref(_coded(arrays)))
    return Quantized(format=f.spelling, shape=tensor.shape, axis=axis % max(len(tensor.shape), 1),
                     options=options, special_blocks=-1, tensor_scale=above, **made)


def dequantized(q: Quantized, out: Any) -> Any:
    """dequantize of codes and scales on a device."""
    f = Format(q.format, q.options)
    out = empty(q.codes, q.shape, "float32", "codes") if out is None else out
    values = given(out, q.shape, "float32", "out").buffer
    arrays = {name: device_tensor(array, name) for name, array in vars(q).items()
              if name in ARRAYS and array is not None}
    _call(q.codes, "mx_cuda_tensor_dequantize", _handle(f),
          ctypes.byref(_shape(q.shape or (1,), q.axis)), ctypes.byref(_coded(arrays)),
          ctypes.c_int32(0), ctypes.byref(values))
    return out


def decomposed(x: Any, f: Format, axis: int, above: Any) -> dict[str, Any]:
    """The members of Energy of a CUDA tensor; waits for it."""
    tensor, numbers = _numbers(x)
    shape = _shape(tensor.shape or (1,), axis)
    scales = None if above is None else device_tensor(above, "tensor_scale").buffer
    needed = ctypes.c_uint64()
    call("mx_cuda_decompose_workspace", _handle(f), ctypes.byref(shape), ctypes.byref(needed))
    workspace = device_tensor(empty(x, (needed.value,), "uint8", "x"), "workspace")
    buffer, energy = workspace.buffer, EnergyFields(ctypes.sizeof(EnergyFields))
    _call(x, "mx_cuda_tensor_decompose", _handle(f), ctypes.byref(shape), ctypes.byref(numbers),
          None if scales is None else ctypes.byref(scales), ctypes.byref(buffer),
          ctypes.byref(energy))
    return {entry[0]: getattr(energy, entry[0]) for entry in EnergyFields._fields_[1:]}


def tensor_scale_of(q: Quantized) -> float:
    """On the host, for which this waits."""
    if q.tensor_scale is None:
        return 1.0
    return float(of_type(on_cpu(q.tensor_scale), np.float32, "tensor_scale").reshape(-1)[0])


def _matrix(q: Quantized, f: Format, name: str) -> tuple[Matrix, Any]:
    codes, scales = device_tensor(q.codes, name), device_tensor(q.scales, name)
    storage = 0 if f.codes_a_byte == 2 else 1
    return Matrix(codes.buffer, storage, codes.shape[-1], scales.buffer), (codes, scales)


def product(a: Quantized, b: Quantized, c: Any, model: Model, plan: Plan, out: Any) -> Any:
    """D of two factors on a device."""
    kind, shape = OUTPUT_KINDS[plan.output], (a.shape[0], b.shape[0])
    one, kept = _matrix(a, Format(a.format, a.options), "a")
    other, kept_too = _matrix(b, Format(b.format, b.options), "b")
    addends = None if c is None else given(c, shape, OUTPUT_KINDS[model.plan.output], "c")
    out = empty(a.codes, shape, kind, "a") if out is None else out
    d = given(out, shape, kind, "out")
    product_fields = Product(ctypes.sizeof(Product), *shape, a.shape[1], one, other,
                             Buffer() if addends is None else addends.buffer, d.buffer)
    fields = PlanFields(ctypes.sizeof(PlanFields),
                        *(getattr(plan, entry[0]) for entry in PlanFields._fields_[1:]))
    common = (_handle(model), ctypes.byref(product_fields), ctypes.byref(fields))
    needed = ctypes.c_uint64()
    call("mx_cuda_gemm_workspace", *common, ctypes.byref(needed))
    # Only torch allocates one: without it, kernels that need none.
    with_workspace = needed.value > 0 and torch_of(a.codes) is not None
    workspace = (device_tensor(empty(a.codes, (needed.value,), "uint8", "a"), "workspace")
                 if with_workspace else None)
    buffer = Buffer() if workspace is None else workspace.buffer
    _call(a.codes, "mx_cuda_model_gemm", *common, ctypes.byref(buffer))
    del kept, kept_too
    return out
