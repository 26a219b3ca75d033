# SPDX-License-Identifier: Apache-2.0
# tests/e2e/gguf_files.py: GGUF files written with the standard library alone, and codes packed and
# unpacked nibble by nibble.
"""A tensor is (type, shape, bytes), its shape with the last axis fastest."""

import struct

TYPES = {"F32": 0, "F16": 1, "Q4_1": 3, "Q8_0": 8, "Q6_K": 14, "BF16": 30, "MXFP4": 39, "NVFP4": 40}
E2M1 = [0.0, 0.5, 1.0, 1.5, 2.0, 3.0, 4.0, 6.0]
E2M1 += [-value for value in E2M1]


def text(words):
    data = words.encode()
    return struct.pack("<Q", len(data)) + data


def write(path, tensors, version=3):
    """Writes notes of three kinds, then the tensors."""
    notes = [text("general.architecture") + struct.pack("<I", 8) + text("test"),
             text("test.block_count") + struct.pack("<II", 4, 7),
             text("tokenizer.ggml.tokens") + struct.pack("<IIQ", 9, 8, 2) + text("a") + text("b")]
    entries, data = b"", b""
    for name, (kind, shape, content) in tensors.items():
        entries += text(name) + struct.pack("<I", len(shape))
        entries += struct.pack(f"<{len(shape)}Q", *reversed(shape))
        entries += struct.pack("<IQ", TYPES[kind], len(data))
        data += content + bytes(-len(content) % 32)
    head = b"GGUF" + struct.pack("<IQQ", version, len(tensors), len(notes))
    head += b"".join(notes) + entries
    with open(path, "wb") as file:
        file.write(head + bytes(-len(head) % 32) + data)


def blocks(codes, scales, block, sub_block):
    """GGUF's blocks of `size` codes: scales, then each sub-block in split halves."""
    result, per_block = b"", block // sub_block
    for first in range(0, len(codes), block):
        result += bytes(scales[first // sub_block:first // sub_block + per_block])
        for begin in range(first, first + block, sub_block):
            half = sub_block // 2
            result += bytes(codes[begin + j] | codes[begin + half + j] << 4 for j in range(half))
    return result


def packed(codes):
    """Pairs, the first in the low bits."""
    return bytes(low | high << 4 for low, high in zip(codes[::2], codes[1::2]))


def e8m0(byte):
    return 2.0 ** (byte - 127)


def e4m3(byte):
    exponent, fraction = byte >> 3 & 15, byte & 7
    size = fraction * 2.0 ** -9 if exponent == 0 else (8 + fraction) * 2.0 ** (exponent - 10)
    return -size if byte >= 128 else size


def values(codes, scales, block, scale_value, above=1.0):
    """Exact in Python's floats for the bytes that the tests use; the command rounds once to FP32."""
    return [E2M1[code] * scale_value(scales[i // block]) * above for i, code in enumerate(codes)]
