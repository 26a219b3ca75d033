# SPDX-License-Identifier: Apache-2.0
"""odd_tensors.py: files of tensors that are right and unusual: without elements, scalars, many
axes, special numbers, odd names, more bytes than memory (holes on the disk)."""
import json
import math
import os
import struct

import gguf_files

SHAPES = ([], [0], [1], [0, 32], [32, 0], [2, 0, 3], [1] * 8, [2] * 8, [1] * 32, [31], [33], [1, 1],
          [3, 5, 7], [1, 4097], [4097, 1], [0, 2 ** 32], [2 ** 32, 0], [0, 2 ** 62, 2],
          [2 ** 63, 0], [1, 32], [2, 64], [16, 16])
WIDTHS = {"F32": 4, "F16": 2, "BF16": 2, "F64": 8, "U8": 1, "I32": 4, "BOOL": 1, "U16": 2, "U32": 4,
          "I64": 8, "F8_E4M3": 1, "F8_E8M0": 1}
DESCRIPTIONS = {"F32": "<f4", "F16": "<f2", "F64": "<f8", "U8": "|u1", "I32": "<i4", "BOOL": "|b1",
                "U16": "<u2", "U32": "<u4", "I64": "<i8"}
NAMES = ("", "x", "codes", "scales", "a/b", "..", "../../x", "\u00e9\u4e16", "\U0001F600", "a\nb",
         "\x1b[31m", "\u009b1m", "a.weight", "x" * 3000, "d", "tensor_scale", " ", "%s{}",
         "__metadata__x", "w_blocks", "w_scales", "model.layers.0.x")
FLOATS = (0x00000000, 0x80000000, 0x7F800000, 0xFF800000, 0x7FC00000, 0xFFFFFFFF, 0x7F800001,
          0x00000001, 0x007FFFFF, 0x7F7FFFFF, 0xFF7FFFFF, 0x3F800000, 0x40C00000)
HOLE = 1 << 27  # elements of one byte or more: a command reads them in a second or two


def contents(chance, dtype, count):
    size = WIDTHS[dtype] * count
    how = chance.randrange(4)
    if how == 0:
        return bytes(size)
    if how == 1:
        return bytes([chance.choice((0xFF, 0x7F, 0x80, 0x3F))]) * size
    if how == 2 and dtype == "F32":
        return b"".join(struct.pack("<I", chance.choice(FLOATS)) for _ in range(count))
    return chance.randbytes(size)


def odd_tensor(chance):
    dtype = chance.choice(("F32",) * 6 + ("BF16", "F16") + tuple(WIDTHS))
    shape = list(chance.choice(SHAPES))
    return dtype, shape, contents(chance, dtype, math.prod(shape))


def entries(chance):
    count = chance.choice((0, 1, 1, 1, 2, 3, 500))
    if count == 500:
        return {f"t{i}": ("F32", [1, 32], bytes(128)) for i in range(count)}
    return {chance.choice(NAMES): odd_tensor(chance) for _ in range(count)}


def safetensors(chance, path):
    header, data = {}, b""
    if chance.random() < 0.3:
        header["__metadata__"] = {"format": chance.choice(("pt", "mxfp4", "nvfp4", "", "@x.npy")),
                                  "axis": chance.choice(("0", "-1", "9", "")), "block": "32",
                                  "shape": chance.choice(("[1,32]", "[0]", "[9999999999]"))}
    for name, (dtype, shape, content) in entries(chance).items():
        offsets = [len(data), len(data) + len(content)]
        header[name] = {"dtype": dtype, "shape": shape, "data_offsets": offsets}
        data += content
    text = json.dumps(header, ensure_ascii=chance.random() < 0.5).encode()
    text += b" " * chance.choice((0, 0, 7, 100000))
    with open(path, "wb") as file:
        file.write(struct.pack("<Q", len(text)) + text + data)


def npy(chance, path):
    dtype, shape, content = odd_tensor(chance)
    shape_text = "(" + "".join(f"{extent}, " for extent in shape) + ")"
    described = DESCRIPTIONS.get(dtype, "<f4")
    text = f"{{'descr': '{described}', 'fortran_order': False, 'shape': {shape_text}, }}"
    text = (text + " " * (-(len(text) + 13) % 64) + "\n").encode()
    with open(path, "wb") as file:
        file.write(b"\x93NUMPY\x02\x00" + struct.pack("<I", len(text)) + text + content)


def gguf(chance, path):
    tensors = {}
    for name, (_, shape, _) in entries(chance).items():
        shape = [extent for extent in shape[:4] if extent < 2 ** 31]
        kind = chance.choice(("F32", "F16", "BF16"))
        width = 4 if kind == "F32" else 2
        tensors[name] = (kind, shape, bytes(width * math.prod(shape)))
    gguf_files.write(path, tensors, chance.choice((2, 3)))


def hole(chance, path):
    """A tensor of zeros that takes no disk."""
    count = HOLE // chance.choice((4, 16))
    header = json.dumps({"w": {"dtype": "BF16", "shape": [count // 64, 64],
                               "data_offsets": [0, 2 * count]}}).encode()
    with open(path, "wb") as file:
        file.write(struct.pack("<Q", len(header)) + header)
        file.truncate(8 + len(header) + 2 * count)


def claimed(_chance, path):
    """More bytes than any memory, most of them holes; the header claims half of them."""
    size = 1 << 42
    header = json.dumps(
        {"w": {"dtype": "U8", "shape": [size // 2], "data_offsets": [0, size // 2]}}).encode()
    with open(path, "wb") as file:
        file.write(struct.pack("<Q", len(header)) + header)
        file.truncate(size)


KINDS = {".safetensors": safetensors, ".npy": npy, ".gguf": gguf}


def write(chance, path):
    """Writes an odd file in the place of one of this kind; returns whether there are any."""
    extension = os.path.splitext(path)[1]
    if extension not in KINDS:
        return False
    if extension == ".safetensors" and chance.random() < 0.03:
        chance.choice((hole, claimed))(chance, path)
    else:
        KINDS[extension](chance, path)
    return True
