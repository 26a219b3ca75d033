# SPDX-License-Identifier: Apache-2.0
# tests/bindings/mxprism_library.py: libmxprism through ctypes, as the C headers declare it.
"""MXPRISM_LIBRARY names the library."""

import ctypes
import os
from ctypes import POINTER, Structure, byref, c_char_p, c_double, c_float, c_int32, c_uint32, \
    c_uint64, c_void_p

OK, BAD_ARGUMENT, BAD_NAME, UNSUPPORTED = 0, 1, 2, 3
FP32, FP16, BF16 = 0, 1, 2


class Error(Structure):
    _fields_ = [("text", c_char_p), ("capacity", c_uint64), ("length", c_uint64)]


class Shape(Structure):
    _fields_ = [("extents", POINTER(c_uint64)), ("dimensions", c_uint32), ("axis", c_int32)]


class Buffer(Structure):
    _fields_ = [("data", c_void_p), ("bytes", c_uint64)]


class Numbers(Structure):
    _fields_ = [("data", c_void_p), ("bytes", c_uint64), ("type", c_int32)]


ARRAYS = ("codes", "scales", "tensor_scales", "tensor_amax", "macro_fractions", "residual_codes",
          "residual_scales", "residual_macro_fractions")


class Coded(Structure):
    _fields_ = [("struct_size", c_uint64)] + [(name, Buffer) for name in ARRAYS]


class Energy(Structure):
    _fields_ = [("struct_size", c_uint64)] + [(name, c_double) for name in (
        "total", "scale", "deadzone", "grid", "clip", "scale_dead", "scale_deadzone", "scale_grid",
        "scale_clip", "deadzone_grid", "deadzone_clip", "grid_clip", "x_squared", "x_quantized")
    ] + [(name, c_uint64) for name in ("elements", "dead", "dead_actual", "blocks",
                                       "special_blocks", "identity_violations")]


class Words(Structure):
    _fields_ = [("struct_size", c_uint64), ("count", c_uint64), ("k", c_uint64)] + [
        (name, Buffer) for name in ("a", "b", "scale_a", "scale_b", "c", "d")]


class Factor(Structure):
    _fields_ = [("codes", Buffer), ("line_stride", c_uint64), ("k_stride", c_uint64),
                ("scales", Buffer), ("scale_line_stride", c_uint64), ("scale_stride", c_uint64)]


class Tile(Structure):
    _fields_ = [("struct_size", c_uint64), ("m", c_uint64), ("n", c_uint64), ("k", c_uint64),
                ("a", Factor), ("b", Factor), ("c", Buffer), ("d", Buffer),
                ("c_stride", c_uint64), ("d_stride", c_uint64)]


class Plan(Structure):
    _fields_ = [("struct_size", c_uint64)] + [
        (name, c_float) for name in ("alpha", "tensor_scale_a", "tensor_scale_b")] + [
        (name, c_int32) for name in ("promote", "split_k", "split_order", "c_entry", "output",
                                     "output_rounding")]


class Matrix(Structure):
    _fields_ = [("codes", Buffer), ("storage", c_int32), ("line_bytes", c_uint64),
                ("scales", Buffer)]


class Product(Structure):
    _fields_ = [("struct_size", c_uint64), ("m", c_uint64), ("n", c_uint64), ("k", c_uint64),
                ("a", Matrix), ("b", Matrix), ("c", Buffer), ("d", Buffer)]


def loaded():
    library = ctypes.CDLL(os.environ["MXPRISM_LIBRARY"])
    library.mx_version.restype = c_char_p
    library.mx_format_spelling.restype = c_char_p
    library.mx_format_spelling.argtypes = [c_void_p]
    for name in ("mx_format_destroy", "mx_model_destroy"):
        function = getattr(library, name)
        function.restype, function.argtypes = None, [c_void_p]
    return library


LIBRARY = loaded()


class refused(Exception):
    """A status other than ok, with its message."""

    def __init__(self, status, sentence):
        super().__init__(sentence)
        self.status = status


def call(name, *arguments):
    """Calls a function whose last parameter is the error."""
    text = ctypes.create_string_buffer(4096)
    error = Error(ctypes.cast(text, c_char_p), 4096, 0)
    status = getattr(LIBRARY, name)(*arguments, byref(error))
    if status != OK:
        raise refused(status, text.value.decode())


def sized(structure):
    """A structure with its own size."""
    made = structure()
    made.struct_size = ctypes.sizeof(structure)
    return made


def buffer_of(content):
    """A buffer over a bytearray, which must outlive it."""
    if not content:
        return Buffer(None, 0)
    place = (ctypes.c_char * len(content)).from_buffer(content)
    return Buffer(ctypes.addressof(place), len(content))


class handle:
    """A format or a model, from the command's spelling."""

    def __init__(self, kind, name, options=""):
        self.kind, self.value = kind, c_void_p()
        call(f"mx_{kind}_create", name.encode(), options.encode(), byref(self.value))

    def __del__(self):
        getattr(LIBRARY, f"mx_{self.kind}_destroy")(self.value)


def shape_of(extents, axis):
    return Shape((c_uint64 * len(extents))(*extents), len(extents), axis)


def quantized(made, extents, data, axis=-1, number_type=FP32, given=None):
    """Arrays by name, and the number of blocks with a NaN or an Inf."""
    shape, sizes, special = shape_of(extents, axis), sized(Coded), c_uint64(0)
    call("mx_coded_sizes", made.value, byref(shape), byref(sizes))
    arrays = {name: bytearray(getattr(sizes, name).bytes) for name in ARRAYS}
    arrays.update(given or {})
    coded = coded_of(arrays)
    data = bytearray(data)
    place = buffer_of(data)
    call("mx_tensor_quantize", made.value, byref(shape),
         byref(Numbers(place.data, len(data), number_type)), byref(coded), byref(special))
    return arrays, special.value


def coded_of(arrays):
    coded = sized(Coded)
    for name, content in arrays.items():
        setattr(coded, name, buffer_of(content))
    return coded


def dequantized(made, extents, arrays, axis=-1):
    """Bytes of FP32 numbers."""
    count = 1
    for extent in extents:
        count *= extent
    values = bytearray(4 * count)
    call("mx_tensor_dequantize", made.value, byref(shape_of(extents, axis)),
         byref(coded_of(arrays)), byref(buffer_of(values)))
    return values
