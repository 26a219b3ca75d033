# SPDX-License-Identifier: Apache-2.0
# tests/e2e/tensor_files.py: tensor files written and read with the standard library alone.
"""A tensor is (dtype, shape, bytes); a file of tensors is a dictionary by name."""

import json
import math
import struct


def floats(shape, values):
    """An F32 tensor."""
    data = struct.pack(f"<{len(values)}f", *values)
    assert len(values) == math.prod(shape)
    return ("F32", list(shape), data)


def values_of(tensor):
    dtype, shape, data = tensor
    assert dtype == "F32", dtype
    return list(struct.unpack(f"<{math.prod(shape)}f", data))


def safetensors_bytes(tensors, metadata=None):
    header, data = {}, b""
    if metadata is not None:
        header["__metadata__"] = metadata
    for name, (dtype, shape, content) in tensors.items():
        header[name] = {"dtype": dtype, "shape": list(shape),
                        "data_offsets": [len(data), len(data) + len(content)]}
        data += content
    text = json.dumps(header).encode()
    return struct.pack("<Q", len(text)) + text + data


def write_safetensors(path, tensors, metadata=None):
    with open(path, "wb") as file:
        file.write(safetensors_bytes(tensors, metadata))


def read_safetensors(path):
    """Returns tensors by name, and the metadata."""
    with open(path, "rb") as file:
        content = file.read()
    size = struct.unpack("<Q", content[:8])[0]
    header = json.loads(content[8:8 + size])
    metadata = header.pop("__metadata__", {})
    data = content[8 + size:]
    return {name: (entry["dtype"], entry["shape"], data[slice(*entry["data_offsets"])])
            for name, entry in header.items()}, metadata


def write_npy(path, shape, values, descr="<f4", code="f"):
    shape_text = "(" + "".join(f"{extent}, " for extent in shape) + ")"
    text = f"{{'descr': '{descr}', 'fortran_order': False, 'shape': {shape_text}, }}"
    text += " " * (-(len(text) + 11) % 64) + "\n"
    with open(path, "wb") as file:
        file.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(text)) + text.encode())
        file.write(struct.pack(f"<{len(values)}{code}", *values))


def read_npy(path):
    """Returns shape and values of an FP32 array."""
    with open(path, "rb") as file:
        content = file.read()
    size = struct.unpack("<H", content[8:10])[0]
    header = content[10:10 + size].decode()
    shape = [int(n) for n in header.split("(")[1].split(")")[0].split(",") if n.strip()]
    assert "'<f4'" in header, header
    return shape, list(struct.unpack(f"<{math.prod(shape)}f", content[10 + size:]))
