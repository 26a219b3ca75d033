# SPDX-License-Identifier: Apache-2.0
# tests/e2e/bad_files_test.py: every command that reads a broken tensor file refuses it, naming the
# byte and the reason, in bounded time and memory.

import json
import os
import resource
import struct
import subprocess

import tensor_files
from command_case import PROGRAM, SOURCES, command_case, main

CORPUS = os.path.join(SOURCES, "tests/fuzz/corpus")
GOOD = tensor_files.safetensors_bytes({"w": tensor_files.floats([1, 32], [1.0] * 32)})
# A file of the corpus, the byte that the message names, and words of the reason.
SAFETENSORS = [
    ("cut-in-the-length", 3, "begins with 8 bytes"),
    ("length-overflows", 0, "claims 18446744073709551615 bytes; expected at most 100000000"),
    ("length-beyond-the-file", 0, "is truncated"),
    ("length-100-mb-claimed", 0, "is truncated: the header claims 100000000"),
    ("no-json", 8, "not valid JSON"),
    ("json-cut", 38, "not valid JSON"),
    ("json-deep-lists", 8, "expected an object of tensors, found a list"),
    ("json-deep-objects", 14, "unknown field 'a'"),
    ("json-deep-shape", 23, "shape: expected a list of non-negative integers, found a list"),
    ("name-not-utf8", 10, "not valid JSON"),
    ("name-half-a-surrogate", 16, "not valid JSON"),
    ("name-overlong-utf8", 10, "not valid JSON"),
    ("name-twice", 62, "tensor 't': the name appears twice"),
    ("field-twice", 28, "dtype appears twice"),
    ("dtype-unknown", 22, "unknown dtype 'F99'; expected one of"),
    ("dtype-number", 22, "dtype: expected a string, found a number"),
    ("shape-negative", 37, "found a negative number"),
    ("shape-fraction", 37, "found a number that is not an integer"),
    ("shape-beyond-64-bits", 37, "found a number that is not an integer below 2^64"),
    ("shape-exponent", 37, "found a number that is not an integer"),
    ("shape-product-overflows", 9, "[4294967296, 4294967296] has too many elements"),
    ("shape-bits-overflow", 9, "has too many elements"),
    ("shape-33-axes", 101, "more than 32 numbers"),
    ("shape-other-size", 9, "has 8 bytes, but F32 of shape [3] takes 12"),
    ("f4-half-a-byte", 9, "ends inside a byte"),
    ("offsets-backward", 9, "the begin is after the end"),
    ("offsets-outside", 9, "outside the data, which has 8 bytes"),
    ("offsets-overflow", 9, "outside the data"),
    ("offsets-overlap", 61, "begins at 3; expected 4"),
    ("offsets-same-bytes-twice", 61, "begins at 0; expected 4"),
    ("offsets-hole", 61, "begins at 5; expected 4"),
    ("offsets-hole-at-the-start", 9, "begins at 1; expected 0"),
    ("bytes-of-nobody", 121, "take 8 bytes, but the file has 9"),
    ("data-cut", 61, "outside the data, which has 7 bytes"),
    ("note-number", 29, "'k': expected a string, found a number"),
]
NPY = [
    ("magic", 0, "is not a .npy file"),
    ("version-4", 6, "version 4.0; expected 1.0, 2.0 or 3.0"),
    ("version-1-1", 6, "version 1.1"),
    ("cut-in-the-length", 8, "is truncated"),
    ("length-beyond-the-file", 8, "claims 65535 bytes"),
    ("length-4-gb", 8, "claims 4294967295 bytes"),
    ("data-cut", 60, "has 7 bytes, but F32 of shape [2] takes 8"),
    ("data-too-long", 60, "has 9 bytes"),
    ("fortran-order", 44, "numpy.ascontiguousarray"),
    ("shape-negative", 61, "expected non-negative integers"),
    ("shape-beyond-64-bits", 61, "expected non-negative integers below 2^64"),
    ("shape-product-overflows", 60, "too many elements"),
    ("shape-bits-overflow", 60, "too many elements"),
    ("shape-65-axes", 189, "more than 64 axes"),
    ("shape-nested", 61, "expected non-negative integers"),
    ("big-endian", 20, "big-endian; save x.astype(x.dtype.newbyteorder('<'))"),
    ("objects", 20, "pickles, which are never loaded"),
    ("structures", 20, "structures"),
    ("void", 20, "BF16"),
    ("descr-not-utf8", 20, "a string in quotes does not end"),
    ("no-end", 27, "expected a key in quotes"),
    ("key-twice", 24, "shape appears twice"),
    ("key-unknown", 11, "unknown key 'strides'"),
    ("pickle", 0, "is a Python pickle"),
]
GGUF = [
    ("magic", 0, "is not a GGUF file"),
    ("version-1", 4, "version 1; expected 2 or 3"),
    ("big-endian", 4, "is big-endian"),
    ("cut-in-the-counts", 16, "the number of keys takes 8 bytes"),
    ("tensors-2-to-the-63", 8, "the number of tensors is 9223372036854775808"),
    ("keys-2-to-the-64", 16, "the number of keys is 18446744073709551615"),
    ("key-of-2-to-the-64-bytes", 32, "a key takes 18446744073709551615 bytes"),
    ("string-of-2-to-the-64-bytes", 45, "a string takes 18446744073709551615 bytes"),
    ("name-of-2-to-the-63-bytes", 32, "the name of a tensor takes 9223372036854775808 bytes"),
    ("array-of-2-to-the-61", 41, "the length of an array is 2305843009213693952"),
    ("arrays-deep", 125, "arrays are nested more than 8 deep"),
    ("array-of-unknown", 37, "a value has the type 99"),
    ("kind-13", 33, "a value has the type 13"),
    ("boolean-2", 37, "a boolean is 2"),
    ("key-twice", 38, "the key 'k' appears twice"),
    ("key-not-utf8", 33, "a key, 'k\\xff', is not UTF-8"),
    ("name-not-utf8", 32, "'\\xed\\xa0\\x80', is not UTF-8"),
    ("name-twice", 57, "tensor 'x': the name appears twice"),
    ("alignment-0", 24, "is 0; expected a power of two"),
    ("alignment-24", 24, "is 24; expected a power of two"),
    ("alignment-in-words", 24, "expected a power of two, as UINT32"),
    ("alignment-not-utf8", 24, "is '\\xb7'"),
    ("5-axes", 33, "has 5 axes; expected at most 4"),
    ("axes-2-to-the-32", 33, "has 4294967295 axes"),
    ("extents-overflow", 24, "too many elements"),
    ("extents-bits-overflow", 24, "too many elements"),
    ("row-inside-a-block", 24, "multiple of 32"),
    ("scalar-block", 24, "multiple of 32"),
    ("offset-unaligned", 24, "begins at 4; expected a multiple of the alignment, 32"),
    ("offset-outside", 24, "outside the data"),
    ("offsets-overlap", 57, "begins at 32; expected 64"),
    ("offsets-hole", 57, "begins at 64; expected 32"),
    ("data-cut", 24, "takes 32 bytes, but the file has 31"),
    ("bytes-of-nobody", 96, "take 32 bytes, but the file has 96"),
]
CODES = [("codes-shape-deep", "metadata `shape`"), ("codes-shape-huge", "too many"),
         ("codes-axis", "metadata `axis`"), ("codes-format", "mxfp5")]
SECONDS, MEMORY = 20, 3 << 30


class bad_files_test(command_case):
    def put(self, name, content):
        with open(self.path(name), "wb") as file:
            file.write(content)
        return name

    def copied(self, kind, what):
        with open(os.path.join(CORPUS, kind, f"bad-{what}"), "rb") as file:
            return self.put(f"bad.{kind}", file.read())

    def readers(self, bad):
        good = self.put("good.safetensors", GOOD)
        return (("quantize", bad, "-o", "out.safetensors"), ("decompose", bad),
                ("dequantize", bad, "-o", "out.npy"), ("verify", bad, "--input", good),
                ("verify", good, "--input", bad))

    def assert_kind_is_refused(self, kind, rows):
        listed = {f"bad-{what}" for what, _, _ in rows} | {f"bad-{what}" for what, _ in CODES}
        found = {name for name in os.listdir(os.path.join(CORPUS, kind)) if name.startswith("bad-")}
        self.assertEqual(found - listed, set(), "files without a row")
        for what, byte, reason in rows:
            bad = self.copied(kind, what)
            for words in self.readers(bad):
                with self.subTest(what=what, command=words):
                    self.assert_refused(*words, naming=[f"{bad}: byte {byte}: ", reason])

    def test_safetensors(self):
        self.assert_kind_is_refused("safetensors", SAFETENSORS)

    def test_npy(self):
        self.assert_kind_is_refused("npy", NPY)

    def test_gguf(self):
        self.assert_kind_is_refused("gguf", GGUF)

    def test_notes_of_codes(self):
        for what, reason in CODES:
            bad = self.copied("safetensors", what)
            with self.subTest(what=what):
                self.assert_refused("dequantize", bad, "-o", "out.npy", naming=[bad, reason])

    def test_types_that_are_no_numbers_are_told_with_their_place(self):
        for dtype, width in (("F64", 8), ("I32", 4), ("U8", 1), ("BOOL", 1)):
            content = tensor_files.safetensors_bytes(
                {"w": tensor_files.floats([1], [1.0]), "n": (dtype, [1], bytes(width))})
            bad, byte = self.put("t.safetensors", content), content.index(b'"n"')
            for words in (("quantize", bad, "-o", "out.safetensors"), ("decompose", bad)):
                with self.subTest(dtype=dtype):
                    self.assert_refused(*words, naming=[f"{bad}: byte {byte}: tensor 'n': is {dtype}"])

    def assert_refused_within_bounds(self, *words, naming):
        """Exit status 2, within seconds of processor time and bounded memory."""
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        done = subprocess.run([PROGRAM, *words], cwd=self.folder, capture_output=True,
                              encoding="utf-8", timeout=SECONDS * 12, check=False)
        self.assertEqual(done.returncode, 2, done.stderr[:400])
        self.assertIn(naming, done.stderr)
        if not self.is_sanitized():
            after = resource.getrusage(resource.RUSAGE_CHILDREN)
            self.assertLess(after.ru_utime - before.ru_utime, SECONDS)
            self.assertLess(after.ru_maxrss * 1024, MEMORY)

    def long_header(self, name, begin, piece, end, size=100_000_000):
        """A file whose header has the maximum length, one piece repeated."""
        pieces = (size - len(begin) - len(end)) // len(piece)
        text = begin + piece * pieces + end
        return self.put(name, struct.pack("<Q", len(text)) + text)

    def test_headers_of_100_mb(self):
        rows = [
            ("deep lists", b'{"t":{"shape":', b"[", b"", 23, "found a list"),
            ("deep objects", b"", b'{"a":', b"", 14, "unknown field"),
            ("a long name", b'{"', b"a", b'":1}', 100_000_006, "expected an object of fields"),
            ("many numbers", b'{"t":{"shape":[', b"1,", b"1]}}", 87, "more than 32 numbers"),
            ("many brackets behind", b"{}", b"]", b"", 10, "not valid JSON"),
            ("many notes of one key", b'{"__metadata__":{', b'"k":"",', b'"k":""}}', 36, "'k' appears"),
            ("blanks", b"", b" ", b"", 100_000_008, "not valid JSON"),
        ]
        for what, begin, piece, end, byte, reason in rows:
            bad = self.long_header("long.safetensors", begin, piece, end)
            with self.subTest(what=what):
                self.assert_refused_within_bounds("decompose", bad, naming=f"{bad}: byte {byte}: ")
                self.assert_refused_within_bounds("decompose", bad, naming=reason)

    def test_a_header_of_100_mb_full_of_entries(self):
        entry = b'"%07x":{"dtype":"U8","shape":[0],"data_offsets":[0,0]},'
        text = b"{" + b"".join(entry % i for i in range(100_000_000 // 59)) + b'"":1}'
        bad = self.put("many.safetensors", struct.pack("<Q", len(text)) + text)
        self.assert_refused_within_bounds("decompose", bad, naming="found a number")

    def test_a_header_of_more_than_100_mb(self):
        bad = self.long_header("long.safetensors", b"{}", b" ", b"", 100_000_001)
        self.assert_refused_within_bounds("decompose", bad, naming="byte 0: the header claims")

    def test_files_that_are_mostly_holes(self):
        size, header = 1 << 42, json.dumps({"w": {"dtype": "U8", "shape": [1 << 20],
                                                  "data_offsets": [0, 1 << 20]}}).encode()
        heads = {"h.safetensors": struct.pack("<Q", len(header)) + header, "z.safetensors": b"",
                 "n.npy": b"\x93NUMPY\x02\x00\xff\xff\x0f\x00", "z.npy": b"", "z.gguf": b"",
                 "g.gguf": b"GGUF" + struct.pack("<IQQ", 3, 1 << 36, 0)}
        for name, head in heads.items():
            with open(self.path(self.put(name, head)), "r+b") as file:
                file.truncate(size)
            with self.subTest(name=name):
                self.assert_refused_within_bounds("decompose", name, naming=f"{name}: byte ")

    def test_a_real_number_in_place_of_an_integer_is_shown_as_one(self):
        self.put("f.toml", b'element = "e2m1"\nblock = 32.0\n')
        self.assert_refused_within_bounds(
            "explain", "1", "--format", "@f.toml",
            naming='f.toml:2: key \'block\': expected an integer such as 32, or "16x16", found 32.0')

    def test_deep_toml(self):
        texts = {"dots": "a." * 1_000_000 + "a = 1", "table": "[" + "a." * 1_000_000 + "a]",
                 "lists": "a = " + "[" * 1_000_000, "tables": "a = " + "{a=" * 1_000_000,
                 "beyond ASCII": "a = 1 \u00e9", "a mark": "[!a]", "a brace": "a = [1, }"}
        for what, text in texts.items():
            self.put("bad.toml", text.encode())
            for words in (("train", "bad.toml", "-o", "run"),
                          ("explain", "1", "--format", "@bad.toml")):
                with self.subTest(what=what, command=words[0]):
                    self.assert_refused_within_bounds(*words, naming="bad.toml:1: expected TOML")


if __name__ == "__main__":
    main()
