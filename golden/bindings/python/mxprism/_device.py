# SPDX-License-Identifier: Apache-2.0
# golden/bindings/python/mxprism/_device.py: libmxprism_cuda, and tensors on CUDA devices as DLPack
# exports them.

from __future__ import annotations

import ctypes
import os
import sys
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from functools import cache
from math import prod
from typing import Any

from mxprism import _mxprism
from mxprism._array import (VersionedHead, address_in, capsule_of, expect_known_version,
                            expect_settled, is_exporter, resolved, takes_results, unusable)

ON_CUDA = (2, 13)  # kDLCUDA, kDLCUDAManaged
LEGACY_STREAM = 1  # DLPack's number of the default stream
LIBRARY = "libmxprism_cuda.so.1"
DTYPES = {(2, 32, 1): "float32", (2, 16, 1): "float16", (4, 16, 1): "bfloat16", (1, 8, 1): "uint8",
          (1, 16, 1): "uint16", (1, 32, 1): "uint32", (10, 8, 1): "float8_e4m3fn",
          (12, 8, 1): "float8_e5m2", (14, 8, 1): "float8_e8m0fnu", (17, 4, 2): "float4_e2m1fn_x2"}


class Buffer(ctypes.Structure):
    """mx_buffer."""

    _fields_ = [("data", ctypes.c_void_p), ("bytes", ctypes.c_uint64)]


class Error(ctypes.Structure):
    """mx_error."""

    _fields_ = [("text", ctypes.c_void_p), ("capacity", ctypes.c_uint64),
                ("length", ctypes.c_uint64)]


class Exported(ctypes.Structure):
    """DLTensor of dlpack.h, with which a DLManagedTensor begins."""

    _fields_ = [("data", ctypes.c_void_p), ("device", ctypes.c_int32 * 2),
                ("ndim", ctypes.c_int32), ("code", ctypes.c_uint8), ("bits", ctypes.c_uint8),
                ("lanes", ctypes.c_uint16), ("shape", ctypes.POINTER(ctypes.c_int64)),
                ("strides", ctypes.POINTER(ctypes.c_int64)), ("byte_offset", ctypes.c_uint64)]


class VersionedExported(ctypes.Structure):
    """DLManagedTensorVersioned of dlpack.h."""

    _fields_ = [("head", VersionedHead), ("tensor", Exported)]


@cache
def _library() -> Any:
    """The library that MXPRISM_CUDA_LIBRARY names, else that beside the package, else the system's.

    raises  RuntimeError if there is none
    """
    named = os.environ.get("MXPRISM_CUDA_LIBRARY")
    beside = os.path.join(os.path.dirname(__file__), LIBRARY)
    try:
        return ctypes.CDLL(named or (beside if os.path.exists(beside) else LIBRARY))
    except OSError as why:
        raise RuntimeError(f"CUDA tensors need libmxprism_cuda, which a build with -DMX_CUDA=ON "
                           f"installs; MXPRISM_CUDA_LIBRARY names it: {why}") from None


def call(function: str, *arguments: Any) -> None:
    """A function of the library.

    raises  RuntimeError for a missing part of CUDA; else as calls of libmxprism do
    """
    text = ctypes.create_string_buffer(4096)
    error = Error(ctypes.addressof(text), len(text), 0)
    status = getattr(_library(), function)(*arguments, ctypes.byref(error))
    if status:
        kinds: dict[int, type[Exception]] = {4: MemoryError, 5: RuntimeError, 8: RuntimeError}
        raise kinds.get(status, ValueError)(_mxprism.in_package_names(text.value.decode()))


def cuda_missing_part() -> str | None:
    """What is missing before functions take CUDA tensors: libmxprism_cuda, a driver or a device;
    None if nothing is."""
    try:
        call("mx_cuda_available")
    except RuntimeError as why:
        return str(why)
    return None


def is_on_cuda(x: Any) -> bool:
    try:
        return is_exporter(x) and x.__dlpack_device__()[0] in ON_CUDA
    except ValueError:  # a device that DLPack lacks
        return False


def torch_of(x: Any) -> Any:
    """torch, if `x` is its tensor; else None. torch is never imported."""
    torch = sys.modules.get("torch")
    return torch if torch is not None and isinstance(x, torch.Tensor) else None


def _dense_strides(shape: tuple[int, ...]) -> tuple[int, ...]:
    return tuple(prod(shape[k + 1:]) for k in range(len(shape)))


@dataclass(frozen=True)
class DeviceTensor:
    """A tensor's memory on a device, with its owner.

    strides  elements from one to the next along each axis; along axes of one element those of
             dense memory, whatever their owner says
    takes_results  whether its owner lets it be written
    """

    address: int
    shape: tuple[int, ...]
    strides: tuple[int, ...]
    kind: str
    itemsize: int
    takes_results: bool
    owner: Any = field(repr=False)

    @property
    def ndim(self) -> int:
        return len(self.shape)

    @property
    def is_dense(self) -> bool:
        return 0 in self.shape or self.strides == _dense_strides(self.shape)

    @property
    def buffer(self) -> Buffer:
        """From the first element to the last, gaps included."""
        if 0 in self.shape:
            return Buffer(None, 0)
        last = sum((extent - 1) * step for extent, step in zip(self.shape, self.strides))
        return Buffer(self.address, (last + 1) * self.itemsize)

    def dense(self, name: str) -> DeviceTensor:
        """Itself, if it has no gaps."""
        if self.is_dense:
            return self
        raise ValueError(f"`{name}` is on a device and not contiguous; make it contiguous")

    def row_stride(self, name: str) -> int:
        """Elements from a row, along the last axis, to the next; 0 without gaps."""
        if self.is_dense:
            return 0
        rows = self.shape[:-1]
        wide = [k for k in range(len(rows)) if rows[k] > 1]
        step = self.strides[wide[-1]] if wide else 0
        at_one_distance = all(self.strides[k] == step * prod(rows[k + 1:]) for k in wide)
        if self.strides[-1] != 1 or not at_one_distance or step < self.shape[-1]:
            raise ValueError(f"`{name}` is on a device and not contiguous: its rows along the last "
                             "axis must be, at equal distances; make it contiguous")
        return step


def _exported_by(capsule: Any, name: str) -> Exported:
    expect_known_version(capsule, name)
    versioned, plain = (address_in(capsule, kind) for kind in (b"dltensor_versioned", b"dltensor"))
    if versioned is not None:
        found: Exported = VersionedExported.from_address(versioned).tensor
    elif plain is not None:
        found = Exported.from_address(plain)
    else:
        raise unusable(capsule, name, "a CUDA device")
    if found.device[0] not in ON_CUDA:
        raise unusable(capsule, name, "a CUDA device")
    return found


def _tensor_in(capsule: Any, owner: Any, name: str) -> DeviceTensor:
    """The memory that a capsule describes, with any gaps."""
    found = _exported_by(capsule, name)
    kind = DTYPES.get((found.code, found.bits, found.lanes))
    if kind is None:
        raise TypeError(f"`{name}`: DLPack type {found.code} of {found.bits} bits is unsupported")
    shape = tuple(found.shape[: found.ndim])
    dense = _dense_strides(shape)
    strides = dense if not found.strides or 0 in shape else tuple(
        step if extent > 1 else plain
        for extent, step, plain in zip(shape, found.strides[: found.ndim], dense))
    return DeviceTensor((found.data or 0) + found.byte_offset, shape, strides, kind,
                        found.bits * found.lanes // 8, takes_results(capsule), (owner, capsule))


def _made_current(x: Any) -> AbstractContextManager[Any]:
    """Makes the tensor's device the current one, where its package can."""
    torch = torch_of(x)
    made: AbstractContextManager[Any] = nullcontext() if torch is None else torch.cuda.device(
        x.device)
    return made


@dataclass(frozen=True)
class Stream:
    """Where a call runs: the device of its first tensor, and torch's current stream there; for a
    tensor of another package the default one."""

    first: Any
    device: int
    number: int

    @staticmethod
    def of(first: Any) -> Stream:
        torch = torch_of(first)
        number = 0 if torch is None else int(torch.cuda.current_stream(first.device).cuda_stream)
        return Stream(first, first.__dlpack_device__()[1], number)

    def tensor(self, x: Any, name: str) -> DeviceTensor:
        """The memory of a tensor on this device, with any gaps, ready on this stream."""
        _library()
        if not is_on_cuda(x):
            raise ValueError(f"`{name}` is not on a CUDA device, and another tensor of this call is")
        device = x.__dlpack_device__()[1]
        if device != self.device:
            raise ValueError(f"`{name}` is on CUDA device {device}, and another tensor of this call "
                             f"on {self.device}; expected all on one")
        with _made_current(x):  # torch exports no tensors of other devices
            capsule = capsule_of(resolved(x), name, stream=self.number or LEGACY_STREAM)
        return _tensor_in(capsule, x, name)

    def operand(self, x: Any, shape: tuple[int, ...], kind: str, name: str) -> DeviceTensor:
        """The memory of a tensor of this type and shape."""
        made = self.tensor(x, name)
        if made.kind != kind or made.shape != shape:
            raise ValueError(f"`{name}`: expected a {kind} tensor of shape {shape} on the device")
        return made

    def given(self, out: Any, shape: tuple[int, ...], kind: str, name: str) -> DeviceTensor:
        """The caller's memory for a result."""
        expect_settled(out, name)
        made = self.operand(out, shape, kind, name)
        if not made.takes_results:
            raise ValueError(f"`{name}`: what it exports may only be read, or is a copy; expected "
                             "memory for results")
        return made

    def empty(self, shape: tuple[int, ...], kind: str, name: str) -> Any:
        """A tensor beside the first one."""
        torch = torch_of(self.first)
        if torch is None:
            raise TypeError(f"`{name}`: memory on a device is allocated by torch, and the tensor is "
                            "not torch's; give `out`")
        return torch.empty(shape, dtype=getattr(torch, kind), device=self.first.device)

    def call(self, function: str, *arguments: Any) -> None:
        """A function that takes a stream after its arguments."""
        with _made_current(self.first):
            call(function, *arguments, ctypes.c_void_p(self.number))
