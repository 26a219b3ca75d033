# SPDX-License-Identifier: Apache-2.0
# golden/bindings/python/mxprism/_array.py: caller-owned arrays as bytes that the library reads and
# writes.

from __future__ import annotations

import ctypes
from fractions import Fraction
from math import copysign, inf
from numbers import Rational
from operator import index
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from mxprism import _mxprism

Array = NDArray[Any]
# Values of mx_number_fp32 and its siblings.
NUMBERS = ("float32", "float16", "bfloat16")
ON_CPU = 1  # kDLCPU
ON_HOST = frozenset(_mxprism.kinds_of_host())  # pinned memory too
DLPACK_VERSION = (1, 1)
NOT_FOR_RESULTS = 1 | 2  # DLPACK_FLAG_BITMASK_READ_ONLY, DLPACK_FLAG_BITMASK_IS_COPIED
MOST_LINES = 1 << 30
MOST_EXTENT = (1 << 63) - 1
# The exponent of FP32's smallest number, the bits behind the first one of a normal number, the largest number.
LEAST_EXPONENT, FRACTION_BITS, LARGEST = -149, 23, (2 - 2.0**-23) * 2.0**127


class Exporter(Protocol):
    """An array or tensor that exports DLPack: of NumPy, torch, jax."""

    def __dlpack__(self) -> Any: ...

    def __dlpack_device__(self) -> tuple[int, int]: ...


Tensor = Exporter | np.generic


# What torch's views may leave to whoever reads them, which DLPack does not pass on.
PENDING = (("is_conj", "resolve_conj"), ("is_neg", "resolve_neg"))


def resolved(x: Any) -> Any:
    """The tensor with its bits as they count: a copy, if a conjugation or negation is pending."""
    for pending, resolve in PENDING:
        if getattr(x, pending, bool)():
            x = getattr(x, resolve)()
    return x


def expect_settled(out: Any, name: str) -> None:
    """Refuses memory for results whose bits do not count as they are: resolved() would lose the
    results in a copy."""
    for pending, resolve in PENDING:
        if getattr(out, pending, bool)():
            raise ValueError(f"`{name}`: its {pending}() is true, so what is written would be read "
                             f"as another number; expected a tensor as its {resolve}() returns")


def _capsule(x: Any, name: str) -> Any:
    try:
        kind, _ = x.__dlpack_device__()
    except ValueError as refused:  # a device that DLPack lacks
        raise ValueError(f"`{name}`: {refused}") from None
    if kind not in ON_HOST:
        raise ValueError(f"`{name}` is on a device (DLPack kind {int(kind)}); "
                         "move it to the CPU first")
    return capsule_of(x, name)


def capsule_of(x: Any, name: str, **options: Any) -> Any:
    """What a tensor exports with these options, DLPACK_VERSION at most.

    raises  ValueError if its package refuses
    """
    try:
        return _capsule_of_any_version(x, options)
    except BufferError as refused:
        raise ValueError(f"`{name}`: {refused}") from None


def _capsule_of_any_version(x: Any, options: dict[str, Any]) -> Any:
    try:
        return x.__dlpack__(max_version=DLPACK_VERSION, **options)
    except TypeError:  # a version without that parameter
        return x.__dlpack__(**options)


def on_cpu(x: Any) -> Any:
    """The array or tensor itself if it is on the CPU, else a copy there."""
    if not is_exporter(x) or x.__dlpack_device__()[0] in ON_HOST:
        return x
    if hasattr(x, "cpu"):  # torch's, and what imitates it
        return x.cpu()
    return _Exported(x.__dlpack__(max_version=DLPACK_VERSION, dl_device=(ON_CPU, 0), copy=True))


class _Exported:
    """A capsule of CPU memory as an exporter, once."""

    def __init__(self, capsule: Any) -> None:
        self.capsule = capsule

    def __dlpack__(self, **_options: Any) -> Any:
        return self.capsule

    def __dlpack_device__(self) -> tuple[int, int]:
        return ON_CPU, 0


class VersionedHead(ctypes.Structure):
    """DLManagedTensorVersioned of dlpack.h, its members before the tensor."""

    _fields_ = [("major", ctypes.c_uint32), ("minor", ctypes.c_uint32),
                ("context", ctypes.c_void_p), ("deleter", ctypes.c_void_p),
                ("flags", ctypes.c_uint64)]


def address_in(capsule: Any, kind: bytes) -> int | None:
    """The address of a DLPack tensor; None if the capsule holds no such one, or no longer."""
    is_valid, pointer_of = (ctypes.pythonapi.PyCapsule_IsValid,
                            ctypes.pythonapi.PyCapsule_GetPointer)
    pointer_of.restype = ctypes.c_void_p
    is_valid.argtypes = pointer_of.argtypes = [ctypes.py_object, ctypes.c_char_p]
    return pointer_of(capsule, kind) if is_valid(capsule, kind) else None


def unusable(capsule: Any, name: str, place: str) -> ValueError:
    """The error for what an exporter gave in place of its memory."""
    return ValueError(f"`{name}`: its __dlpack__ gave {capsule!r}; expected a capsule of memory on "
                      f"{place} that nobody took yet")


def _head_of(capsule: Any) -> VersionedHead | None:
    address = address_in(capsule, b"dltensor_versioned")
    return None if address is None else VersionedHead.from_address(address)


def expect_known_version(capsule: Any, name: str) -> None:
    """Refuses a capsule whose members stand elsewhere."""
    head = _head_of(capsule)
    if head is not None and head.major > DLPACK_VERSION[0]:
        raise ValueError(f"`{name}` comes by DLPack {head.major}.{head.minor}; expected version "
                         f"{DLPACK_VERSION[0]}, as `max_version` asks")


def takes_results(capsule: Any) -> bool:
    """Whether its memory may be written, and is no copy, in which results would be lost."""
    head = _head_of(capsule)
    return head is None or not head.flags & NOT_FOR_RESULTS


def _exported(x: Any, name: str) -> tuple[Array, str]:
    """A view of another package's tensor, and the name of its type."""
    capsule = _capsule(resolved(x), name)
    expect_known_version(capsule, name)
    try:
        return _mxprism.words_of(capsule)
    except ValueError as wrong:
        if str(wrong).startswith("DLPack type"):
            raise TypeError(f"`{name}`: {wrong}") from None
        raise
    except TypeError:
        raise unusable(capsule, name, "the CPU") from None


def is_exporter(x: Any) -> bool:
    return hasattr(x, "__dlpack__") and hasattr(x, "__dlpack_device__")


def typed(x: Any, name: str) -> tuple[Array, str]:
    """The array in C order and aligned, copied only if needed, and the name of its type."""
    if isinstance(x, (np.ndarray, np.generic)):
        array = np.asarray(x)
        kind = array.dtype.name if array.dtype.isnative else array.dtype.str
    elif is_exporter(x):
        array, kind = _exported(x, name)
    else:
        raise TypeError(f"`{name}` is a {type(x).__name__}; expected a NumPy array, or a tensor "
                        "that exports DLPack")
    in_place = array.flags.c_contiguous and array.flags.aligned
    return (array if in_place else array.copy(order="C")), kind


def in_own_order(x: Any, name: str) -> tuple[Array, str]:
    """As typed; refuses numbers whose bytes are in the order of other machines."""
    array, kind = typed(x, name)
    if not array.dtype.isnative:
        raise TypeError(f"`{name}` has type {kind}; expected {array.dtype.newbyteorder('=').name}")
    return array, kind


def numbers(x: Any, name: str) -> tuple[Array, int]:
    """Numbers to quantize, and their index in NUMBERS."""
    array, kind = typed(x, name)
    if kind == "uint8":
        raise TypeError(f"`{name}` has type uint8, as codes and scales have; expected numbers in "
                        "float32, float16 or bfloat16")
    if kind not in NUMBERS:
        raise TypeError(f"`{name}` has numbers of type {kind}; expected float32, float16 or "
                        "bfloat16: convert to float32")
    return array, NUMBERS.index(kind)


def whole(number: Any, name: str, least: int, most: int) -> int:
    """The number of an axis, of changes, ..."""
    try:
        if least <= index(number) <= most:
            return index(number)
    except TypeError:
        pass
    kind = ValueError if hasattr(number, "__index__") else TypeError
    raise kind(f"`{name}` is {number!r}; expected a whole number from {least} to {most}")


def rows_and_columns(numbers: Any, name: str) -> tuple[int, int]:
    """Two numbers, each 1 or more."""
    if not isinstance(numbers, (tuple, list)):
        raise TypeError(f"`{name}` is {numbers!r}; expected two numbers, of rows and of columns")
    if len(numbers) != 2:
        raise ValueError(f"`{name}` has {len(numbers)} numbers; expected two, of rows and of columns")
    rows, columns = (whole(number, name, 1, MOST_LINES) for number in numbers)
    return rows, columns


def word_of(word: Any, name: str) -> str:
    """A name of a rule, a model, ..."""
    if not isinstance(word, str):
        raise TypeError(f"`{name}` is {word!r}; expected a name")
    return word


def _exact(number: Any) -> Fraction | None:
    """The number; None for an infinity and a NaN."""
    if isinstance(number, Rational):
        return Fraction(int(number.numerator), int(number.denominator))
    try:
        return Fraction(*number.as_integer_ratio())
    except (OverflowError, ValueError):
        return None


def _nearest(size: Fraction) -> float:
    """The number of FP32 that is nearest to a magnitude, ties to even."""
    exponent = size.numerator.bit_length() - size.denominator.bit_length()
    exponent -= size < Fraction(2) ** exponent
    unit = Fraction(2) ** max(exponent - FRACTION_BITS, LEAST_EXPONENT)
    found = float(round(size / unit) * unit)
    return found if found <= LARGEST else inf


def _in_fp32(number: Any) -> float:
    """Rounded once: FP64 in between may make a tie of a number beside one. On integers: NumPy may take
    subnormals for zero, as the program has chosen."""
    if isinstance(number, np.float32):
        return numbers_in(np.atleast_1d(number))[0]
    if not isinstance(number, (Rational, float, np.floating)):
        number = float(number)
    exact = _exact(number)
    if exact is None:
        return float(number)
    negative = exact < 0 if exact else copysign(1, number) < 0
    return copysign(_nearest(abs(exact)), -1 if negative else 1)


def rounded(number: Any, name: str) -> float:
    """The number in FP32, which is an infinity beyond its range."""
    if isinstance(number, np.ndarray) and number.ndim == 0:
        number = number[()]
    if isinstance(number, (str, bytes, bytearray)):  # of which float() would read digits
        raise TypeError(f"`{name}` is {number!r}; expected a number")
    try:
        return _in_fp32(number)
    except OverflowError:  # beyond FP64
        return float("inf") if number > 0 else float("-inf")
    except (TypeError, ValueError):
        raise TypeError(f"`{name}` is {number!r}; expected a number") from None


def axis_of(axis: Any, axes: int) -> int:
    """The axis of blocks; a number alone has one axis."""
    axes = max(axes, 1)
    return whole(axis, "axis", -axes, axes - 1)


def extents_of(shape: Any) -> tuple[int, ...]:
    """A shape that a caller spells out."""
    try:
        extents = tuple(shape)
    except TypeError:
        raise TypeError(f"`shape` is {shape!r}; expected a sequence of whole numbers") from None
    return tuple(whole(extent, "shape", 0, MOST_EXTENT) for extent in extents)


def as_bytes(array: Array) -> NDArray[np.uint8]:
    """A view of C-contiguous memory."""
    return array.reshape(-1).view(np.uint8)


def numbers_in(array: Array) -> list[float]:
    """The numbers of an array of FP32, subnormal ones too, whatever the program has chosen."""
    return _mxprism.numbers_of(as_bytes(array))


def of_type(x: Any, kind: type, name: str) -> Array:
    """An array of exactly this type, in C order."""
    array, found = typed(x, name)
    if found != np.dtype(kind).name:
        raise TypeError(f"`{name}` has type {found}; expected {np.dtype(kind).name}")
    return array.view(kind)


def _memory_of(out: Any, name: str) -> tuple[Array, str]:
    """The caller's memory, never a copy of it."""
    if isinstance(out, np.ndarray):
        if np.ma.is_masked(out):
            raise ValueError(f"`{name}` has masked entries, which would hide results; give its "
                             "data")
        return np.asarray(out), out.dtype.name if out.dtype.isnative else out.dtype.str
    if not is_exporter(out):
        return np.empty(0), ""
    expect_settled(out, name)
    capsule = _capsule(out, name)
    expect_known_version(capsule, name)
    if not takes_results(capsule):
        return np.empty(0), ""
    try:
        return _mxprism.writable_words_of(capsule)
    except TypeError:  # no tensor of the CPU
        return np.empty(0), ""


def writable(out: Any, shape: tuple[int, ...], name: str = "out", kind: str = "float32") -> Array:
    """The caller's memory for results."""
    array, found = _memory_of(out, name)
    flags = array.flags
    fits = (found == kind and array.shape == shape and flags.c_contiguous and flags.aligned
            and flags.writeable)
    if not fits:
        raise ValueError(f"`{name}`: expected a writable C-contiguous aligned {kind} array of "
                         f"shape {shape}")
    return array.view(kind)


def expect_apart(out: Array, name: str, others: dict[str, Array]) -> None:
    """Refuses contiguous memory for results of which a part is other arrays'."""
    for other, array in others.items():
        if np.may_share_memory(out, array):
            raise ValueError(f"`{name}` overlaps `{other}`; expected memory of its own")


def option_words(**options: object) -> str:
    """Options as the library reads them, without those that are None."""
    words = []
    for name, value in options.items():
        if value is None:
            continue
        if not isinstance(value, (str, int, np.integer)):
            raise TypeError(f"`{name}` is {value!r}; expected a name or a number")
        text = str(value)
        if " " in text:
            raise ValueError(f"{name}={text!r}: expected one word")
        words.append(f"{name.replace('_', '-')}={text}")
    return " ".join(words)
