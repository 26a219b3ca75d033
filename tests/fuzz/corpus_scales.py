# SPDX-License-Identifier: Apache-2.0
# tests/fuzz/corpus_scales.py: what a kernel may leave where its tensor scale belongs, in the bytes that
# tensor_scales_fuzz.cpp takes apart.

import struct

SCALES = {
    "right-magnitude": 0x3B124925, "zero": 0x00000000, "minus-zero": 0x80000000,
    "inf": 0x7F800000, "minus-inf": 0xFF800000, "nan": 0x7FC00000, "minus-nan": 0xFFC00000,
    "signaling-nan": 0x7F800001, "subnormal": 0x00000001, "largest-subnormal": 0x007FFFFF,
    "minus-subnormal": 0x80000001, "negative": 0xBB124925, "largest": 0x7F7FFFFF,
}
NVFP4, ROWS, UE5M3, OF_256, E8M0, INT8_ROWS, TILES, MXFP4 = range(8)
# Six, the smallest, NaN, Inf and a zero with a sign among numbers of a few binades.
ORDINARY = [6.0, -1.5, 0.75, 3.0, -0.01, 2.0 ** -20, 0.3, -4.7]
SPECIAL = [float("nan"), float("inf"), -0.0, 1.0]


def case(form, scales, values, rows=1, given=0, depth=1, above=0, changes=b""):
    columns = len(values) // rows if rows else 32
    return (bytes([form, rows, columns, above, given, depth]) +
            b"".join(struct.pack("<I", bits) for bits in scales) +
            struct.pack(f"<{len(values)}f", *values) + changes)


def tensor_scale_files():
    files = {}
    for name, bits in SCALES.items():
        files["nvfp4-" + name] = case(NVFP4, [bits], ORDINARY * 2)
        files["given-" + name] = case(UE5M3, [bits], ORDINARY, above=1)
        files["row-" + name] = case(ROWS, [0x3B124925, bits], ORDINARY * 2, rows=2, depth=0)
        files["no-elements-" + name] = case(NVFP4, [bits], [], rows=0)
    for form, name in ((OF_256, "256"), (E8M0, "powers"), (INT8_ROWS, "int8"), (TILES, "tiles"),
                       (MXFP4, "no-tensor-scale")):
        files[name + "-zero"] = case(form, [0, 0], ORDINARY * 2, rows=2)
        files[name + "-nan"] = case(form, [0x7FC00000] * 2, ORDINARY * 2, rows=2, above=1)
    files["special-numbers-nan"] = case(NVFP4, [0x7FC00000], ORDINARY + SPECIAL)
    files["special-numbers-given-inf"] = case(NVFP4, [0x7F800000], ORDINARY + SPECIAL, above=1)
    files["zeros-zero"] = case(NVFP4, [0], [0.0, -0.0] * 8)
    files["changed-codes-zero"] = case(NVFP4, [0], ORDINARY * 2, changes=b"\x11" * 8)
    files["none"] = case(NVFP4, [], ORDINARY, given=1)
    files["one-too-many"] = case(NVFP4, [0, 0], ORDINARY, given=3)
    return files


def corpora():
    return {"tensor_scales": tensor_scale_files()}
