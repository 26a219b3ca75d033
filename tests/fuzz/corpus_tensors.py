# SPDX-License-Identifier: Apache-2.0
# tests/fuzz/corpus_tensors.py: tensor files, right and wrong, put together byte by byte.

import struct


def safetensors(header, data=b"", length=None):
    text = header.encode() if isinstance(header, str) else header
    return struct.pack("<Q", len(text) if length is None else length) + text + data


def entry(dtype="F32", shape="[2]", offsets="[0,8]"):
    return f'{{"dtype":"{dtype}","shape":{shape},"data_offsets":{offsets}}}'


def one(data=bytes(8), **fields):
    return safetensors(f'{{"t":{entry(**fields)}}}', data)


def two(first, second, size):
    return safetensors(f'{{"a":{entry("U8", "[4]", first)},"b":{entry("U8", "[4]", second)}}}',
                       bytes(size))


def coded(notes, names=("codes", "scales"), codes="[1,16]", types=("U8", "U8"), above=""):
    return safetensors(f'{{"__metadata__":{notes},"{names[0]}":{entry(types[0], codes, "[0,16]")},'
                       f'"{names[1]}":{entry(types[1], "[1,1]", "[16,17]")}{above}}}',
                       bytes(17 + (4 if above else 0)))


def safetensors_files():
    above = f',"w.weight_scale_2":{entry("F32", "[1]", "[18,22]")}'
    return {
        "good-empty": safetensors("{}"),
        "good-two": safetensors(f'{{"__metadata__":{{"format":"pt"}},"a":{entry()},'
                                f'"\\u00e9":{entry("BF16", "[0,7]", "[8,8]")}}}  ', bytes(8)),
        "good-scalar": one(shape="[]", dtype="F64"),
        "good-zero-extent-and-huge-ones": one(b"", shape="[0,1099511627776,1099511627776]",
                                              offsets="[0,0]"),
        "good-f4": one(bytes(3), dtype="F4", shape="[3,2]", offsets="[0,3]"),
        "good-codes": coded('{"format":"mxfp4","shape":"[1, 30]","axis":"1"}'),
        "good-gpt-oss": coded("{}", ("w_blocks", "w_scales"), "[1,1,16]"),
        "good-modelopt": safetensors(
            f'{{"w.weight":{entry("U8", "[1,16]", "[0,16]")},'
            f'"w.weight_scale":{entry("F8_E4M3", "[1,2]", "[16,18]")}{above}}}', bytes(22)),
        "bad-cut-in-the-length": b"\x10\0\0",
        "bad-length-overflows": safetensors("{}", length=(1 << 64) - 1),
        "bad-length-beyond-the-file": safetensors("{}", length=3),
        "bad-length-100-mb-claimed": safetensors("{}", length=100_000_000),
        "bad-no-json": safetensors("hello"),
        "bad-json-cut": safetensors('{"t":{"dtype":"F32","shape":[2'),
        "bad-json-deep-lists": safetensors("[" * 3000),
        "bad-json-deep-objects": safetensors('{"a":' * 800),
        "bad-json-deep-shape": safetensors('{"t":{"shape":' + "[" * 3000),
        "bad-name-not-utf8": safetensors(b'{"\xff\xfe":' + entry().encode() + b"}", bytes(8)),
        "bad-name-half-a-surrogate": safetensors(f'{{"\\ud800":{entry()}}}', bytes(8)),
        "bad-name-overlong-utf8": safetensors(b'{"\xc0\xaf":' + entry().encode() + b"}", bytes(8)),
        "bad-name-twice": safetensors(f'{{"t":{entry()},"t":{entry()}}}', bytes(8)),
        "bad-field-twice": safetensors('{"t":{"dtype":"F32","dtype":"F32"}}'),
        "bad-dtype-unknown": one(dtype="F99"),
        "bad-dtype-number": safetensors('{"t":{"dtype":4,"shape":[2],"data_offsets":[0,8]}}',
                                        bytes(8)),
        "bad-shape-negative": one(shape="[-2]"),
        "bad-shape-fraction": one(shape="[2.0]"),
        "bad-shape-beyond-64-bits": one(shape="[18446744073709551616]"),
        "bad-shape-exponent": one(shape="[2e0]"),
        "bad-shape-product-overflows": one(shape="[4294967296,4294967296]"),
        "bad-shape-bits-overflow": one(shape="[1152921504606846976]"),
        "bad-shape-33-axes": one(bytes(4), shape="[" + ",".join("1" * 33) + "]", offsets="[0,4]"),
        "bad-shape-other-size": one(shape="[3]"),
        "bad-f4-half-a-byte": one(bytes(2), dtype="F4", shape="[3]", offsets="[0,2]"),
        "bad-offsets-backward": one(offsets="[8,0]"),
        "bad-offsets-outside": one(offsets="[4,12]"),
        "bad-offsets-overflow": one(offsets="[18446744073709551607,18446744073709551615]"),
        "bad-offsets-overlap": two("[0,4]", "[3,7]", 7),
        "bad-offsets-same-bytes-twice": two("[0,4]", "[0,4]", 4),
        "bad-offsets-hole": two("[0,4]", "[5,9]", 9),
        "bad-offsets-hole-at-the-start": two("[1,5]", "[5,9]", 9),
        "bad-bytes-of-nobody": two("[0,4]", "[4,8]", 9),
        "bad-data-cut": two("[0,4]", "[4,8]", 7),
        "bad-note-number": safetensors('{"__metadata__":{"k":1}}'),
        "bad-codes-shape-deep": coded('{"shape":"' + "[" * 500 + '"}'),
        "bad-codes-shape-huge": coded('{"shape":"[18446744073709551615, 18446744073709551615]"}'),
        "bad-codes-axis": coded('{"axis":"18446744073709551615"}'),
        "bad-codes-format": coded('{"format":"mxfp5"}'),
    }


def npy(dictionary, data=b"", version=(1, 0), length=None):
    text = dictionary.encode()
    size = len(text) if length is None else length
    return (b"\x93NUMPY" + bytes(version) + struct.pack("<H" if version[0] == 1 else "<I", size)
            + text + data)


def described(descr="'<f4'", order="False", shape="(2,)"):
    return f"{{'descr': {descr}, 'fortran_order': {order}, 'shape': {shape}, }}\n"


def npy_files():
    good = {f"good-version-{major}": npy(described(), bytes(8), (major, 0)) for major in (1, 2, 3)}
    return good | {
        "good-scalar": npy(described(shape="()"), bytes(4)),
        "good-zero-extent": npy(described(shape="(0, 99999999999)")),
        "good-python-2": npy(described(shape="(2L,)"), bytes(8)),
        "good-fortran-order-of-one-axis": npy(described(order="True"), bytes(8)),
        "good-bool": npy(described(descr="'|b1'"), bytes(2)),
        "bad-magic": b"\x93NUMPZ\1\0" + bytes(20),
        "bad-version-4": npy(described(), bytes(8), (4, 0)),
        "bad-version-1-1": npy(described(), bytes(8), (1, 1)),
        "bad-cut-in-the-length": b"\x93NUMPY\2\0\x10",
        "bad-length-beyond-the-file": npy("{", length=65535),
        "bad-length-4-gb": npy("{}", version=(2, 0), length=(1 << 32) - 1),
        "bad-data-cut": npy(described(), bytes(7)),
        "bad-data-too-long": npy(described(), bytes(9)),
        "bad-fortran-order": npy(described(order="True", shape="(2, 2)"), bytes(16)),
        "bad-shape-negative": npy(described(shape="(-2,)"), bytes(8)),
        "bad-shape-beyond-64-bits": npy(described(shape="(18446744073709551616,)"), bytes(8)),
        "bad-shape-product-overflows": npy(described(shape="(4294967296, 4294967296)"), bytes(8)),
        "bad-shape-bits-overflow": npy(described(shape="(1152921504606846976,)"), bytes(8)),
        "bad-shape-65-axes": npy(described(shape="(" + "1," * 65 + ")"), bytes(4)),
        "bad-shape-nested": npy(described(shape="(" * 3000)),
        "bad-big-endian": npy(described(descr="'>f4'"), bytes(8)),
        "bad-objects": npy(described(descr="'|O'"), bytes(8)),
        "bad-structures": npy(described(descr="[('a', '<f4')]"), bytes(8)),
        "bad-void": npy(described(descr="'|V2'"), bytes(4)),
        "bad-descr-not-utf8": npy("{'descr': '", b"\xff', }"),
        "bad-no-end": npy("{'descr': '<f4', "),
        "bad-key-twice": npy("{'shape': (), 'shape': ()}"),
        "bad-key-unknown": npy("{'strides': ()}"),
        "bad-pickle": b"\x80\x04\x95\x0a\0\0\0\0\0\0\0}",
    }


def text(words):
    data = words if isinstance(words, bytes) else words.encode()
    return struct.pack("<Q", len(data)) + data


def note(key, kind, value):
    return text(key) + struct.pack("<I", kind) + value


def info(name, extents, kind, offset):
    return (text(name) + struct.pack("<I", len(extents)) + struct.pack(f"<{len(extents)}Q", *extents)
            + struct.pack("<IQ", kind, offset))


def gguf(notes=(), entries=(), data=b"", version=3, counts=None, alignment=32):
    tensors, keys = counts or (len(entries), len(notes))
    head = b"GGUF" + struct.pack("<IQQ", version, tensors, keys) + b"".join((*notes, *entries))
    return head + bytes(-len(head) % alignment) + data


def array(kind, items, values):
    return struct.pack("<IQ", kind, items) + values


def gguf_files():
    x, largest = info("x", [8], 0, 0), (1 << 64) - 1
    deep = b"".join(array(9, 1, b"") for _ in range(300))
    return {
        "good-empty": gguf(),
        "good-f32": gguf([note("general.name", 8, text("a"))], [x], bytes(32)),
        "good-version-2": gguf([], [x], bytes(32), version=2),
        "good-blocks": gguf([], [info("mx", [32, 2], 39, 0), info("nv.weight", [64], 40, 64),
                                 info("nv.scale", [1], 0, 128)], bytes(132)),
        "good-foreign": gguf([], [info("q", [256], 14, 0), info("x", [8], 0, 288)], bytes(320)),
        "good-integer-blocks": gguf([], [info("a", [32, 2], 2, 0), info("b", [32], 3, 64),
                                         info("c", [64], 8, 96)], bytes(range(164))),
        "good-notes": gguf([note(f"k{kind}", kind, value) for kind, value in enumerate(
            (b"\1", b"\xff", b"\1\2", b"\1\2", bytes(4), bytes(4), b"\0\0\xc0\x7f", b"\1", text("s"),
             array(8, 2, text("a") + text("b")), bytes(8), bytes(8), bytes(8)))]),
        "good-alignment-64": gguf([note("general.alignment", 4, struct.pack("<I", 64))], [x],
                                  bytes(32), alignment=64),
        "good-zero-extent": gguf([], [info("e", [0, 1 << 40], 0, 0), x], bytes(32)),
        "bad-magic": b"GGML" + bytes(20),
        "bad-version-1": gguf(version=1),
        "bad-big-endian": gguf(version=3 << 24),
        "bad-cut-in-the-counts": b"GGUF" + struct.pack("<IQ", 3, 0),
        "bad-tensors-2-to-the-63": gguf(counts=(1 << 63, 0)),
        "bad-keys-2-to-the-64": gguf(counts=(0, largest)),
        "bad-key-of-2-to-the-64-bytes": gguf([struct.pack("<Q", largest) + bytes(20)]),
        "bad-string-of-2-to-the-64-bytes": gguf([note("k", 8, struct.pack("<Q", largest))]),
        "bad-name-of-2-to-the-63-bytes": gguf([], [struct.pack("<Q", 1 << 63) + bytes(24)]),
        "bad-array-of-2-to-the-61": gguf([note("k", 9, array(10, 1 << 61, b""))]),
        "bad-arrays-deep": gguf([note("k", 9, deep + array(0, 0, b""))]),
        "bad-array-of-unknown": gguf([note("k", 9, array(99, 0, b""))]),
        "bad-kind-13": gguf([note("k", 13, bytes(8))]),
        "bad-boolean-2": gguf([note("k", 7, b"\2")]),
        "bad-key-twice": gguf([note("k", 0, b"1"), note("k", 0, b"1")]),
        "bad-key-not-utf8": gguf([note(b"k\xff", 0, b"1")]),
        "bad-name-not-utf8": gguf([], [info(b"\xed\xa0\x80", [8], 0, 0)], bytes(32)),
        "bad-name-twice": gguf([], [x, x], bytes(32)),
        "bad-alignment-0": gguf([note("general.alignment", 4, bytes(4))], [x], bytes(32)),
        "bad-alignment-24": gguf([note("general.alignment", 4, struct.pack("<I", 24))], [x],
                                 bytes(32)),
        "bad-alignment-in-words": gguf([note("general.alignment", 8, text("32"))]),
        "bad-alignment-not-utf8": gguf([note("general.alignment", 8, text(b"\xb7"))]),
        "bad-5-axes": gguf([], [info("x", [1] * 5, 0, 0)], bytes(4)),
        "bad-axes-2-to-the-32": gguf([], [text("x") + struct.pack("<I", (1 << 32) - 1) + bytes(20)]),
        "bad-extents-overflow": gguf([], [info("x", [1 << 33, 1 << 33], 0, 0)], bytes(32)),
        "bad-extents-bits-overflow": gguf([], [info("x", [1 << 60], 0, 0)], bytes(32)),
        "bad-row-inside-a-block": gguf([], [info("x", [48, 2], 39, 0)], bytes(64)),
        "bad-scalar-block": gguf([], [info("x", [], 39, 0)], bytes(17)),
        "bad-offset-unaligned": gguf([], [info("x", [8], 0, 4)], bytes(64)),
        "bad-offset-outside": gguf([], [info("x", [8], 0, largest - 31)], bytes(32)),
        "bad-offsets-overlap": gguf([], [info("a", [9], 0, 0), info("b", [8], 0, 32)], bytes(64)),
        "bad-offsets-hole": gguf([], [info("a", [8], 0, 0), info("b", [8], 0, 64)], bytes(96)),
        "bad-data-cut": gguf([], [x], bytes(31)),
        "bad-bytes-of-nobody": gguf([], [x], bytes(96)),
    }


def pickle_files():
    def archive(name):
        return b"PK\x03\x04" + bytes(22) + struct.pack("<HH", len(name), 0) + name
    return {
        "pickle-protocol-2": b"\x80\x02}q\x01.",
        "pickle-protocol-5": b"\x80\x05}\x94.",
        "pickle-archive": archive(b"archive/data.pkl"),
        "arrays-archive": archive(b"arr_0.npy"),
        "archive-cut": archive(b"archive/data.pkl")[:29],
        "archive-name-beyond-the-file": b"PK\x03\x04" + bytes(22) + b"\xff\xff\0\0abc.npy",
        "no-pickle-safetensors-of-640": safetensors("{}" + " " * 638),
        "no-pickle-protocol-6": b"\x80\x06",
        "no-pickle-text": b"hello",
    }


def shard_indexes():
    def index(entries):
        return b'{"weight_map": {' + entries + b"}}"

    return {
        "good": b'{"metadata": {"total_size": 8, "x": [{}]}, "weight_map": {"a": "s.safetensors"}}',
        "bad-cut": index(b'"a": "s.safetensors"')[:-1],
        "bad-empty": index(b""),
        "bad-folder-above": index(b'"a": "../s.safetensors"'),
        "bad-list": b'{"weight_map": [1]}',
        "bad-map-twice": index(b'"a": "s.safetensors"')[:-1] + b', "weight_map": {}}',
        "bad-deep": b"[" * 5000,
        "bad-not-utf8": index(b'"\xff": "s.safetensors"'),
        "bad-number": index(b'"a": 1'),
        "bad-object": index(b'"a": {"b": "s.safetensors"}'),
        "bad-twice": index(b'"a": "s.safetensors", "a": "s.safetensors"'),
    }


def corpora():
    return {"safetensors": safetensors_files(), "npy": npy_files(), "gguf": gguf_files(),
            "pickle": pickle_files(), "shard_index": shard_indexes()}
