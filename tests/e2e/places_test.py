# SPDX-License-Identifier: Apache-2.0
# tests/e2e/places_test.py: where a kernel's bytes differ, and causes that hold in a part of a tensor
# alone.

import random
import struct
import time
import xml.etree.ElementTree as xml

import tensor_files
from command_case import command_case, main

ROWS, COLUMNS = 512, 1024
BLOCKS = COLUMNS // 32  # of a row
SWAPPED = bytes(b >> 4 | (b & 15) << 4 for b in range(256))


def numbers(count, seed):
    draw = random.Random(seed)
    return struct.unpack(f"<{count}f", struct.pack(f"<{count}f", *(
        draw.gauss(0, 1) * 2.0 ** draw.randint(-3, 3) for _ in range(count))))


class places_test(command_case):
    values = numbers(ROWS * COLUMNS, 1)

    def setUp(self):
        super().setUp()
        tensor_files.write_safetensors(self.path("x.safetensors"), {
            "x": tensor_files.floats((ROWS, COLUMNS), self.values)})

    def output(self, array, change, *words):
        """A kernel's output under the words, with the bytes of an array changed."""
        self.run_command("quantize", "x.safetensors", "-o", "k.safetensors", *words)
        tensors, _ = tensor_files.read_safetensors(self.path("k.safetensors"))
        for name, (dtype, shape, data) in tensors.items():
            if name.endswith(array):
                data = bytearray(data)
                change(data)
                tensors[name] = (dtype, shape, bytes(data))
        tensor_files.write_safetensors(self.path("k.safetensors"), tensors)

    def verify(self, *words):
        """The verdict as text; generous in time, for builds that check themselves."""
        started = time.monotonic()
        done = self.run_command("verify", "k.safetensors", "--input", "x.safetensors", *words,
                                status=1)
        self.assertLess(time.monotonic() - started, 60)
        return done.stdout

    def assert_says(self, *lines, words=()):
        said = self.verify(*words)
        for line in lines:
            self.assertIn(line + "\n", said)

    def test_nibbles_swapped_in_odd_rows(self):
        def swap(codes):
            for row in range(1, ROWS, 2):
                part = slice(row * COLUMNS // 2, (row + 1) * COLUMNS // 2)
                codes[part] = codes[part].translate(SWAPPED)
        self.output("codes", swap)
        self.assert_says(
            "  where: codes in every 2nd row from 1, all 1024 columns",
            "because nibble_order: expected low-first, found high-first in every 2nd row from 1",
            "verdict: explained")

    def test_scales_of_one_row_block_that_are_zero_or_those_of_another(self):
        def zeros(scales):
            scales[128 * BLOCKS:256 * BLOCKS] = bytes(128 * BLOCKS)
        def repeated(scales):
            scales[128 * BLOCKS:256 * BLOCKS] = scales[:128 * BLOCKS]
        for layout in ("linear", "128x4"):
            for change, found in ((zeros, "0"), (repeated, "repeated from rows 0..127")):
                with self.subTest(layout=layout, found=found):
                    self.output("scales", change, "--layout", layout)
                    self.assert_says(
                        "  where: scales in rows 128..255, all 32 block columns",
                        f"because scales: expected as computed, found {found} in rows 128..255",
                        words=("--layout", layout))

    def test_scales_of_a_column_that_are_zero_are_not_shifted(self):
        for column in (0, BLOCKS - 1):
            def zeros(scales, column=column):
                scales[column::BLOCKS] = bytes(ROWS)
            with self.subTest(column=column):
                self.output("scales", zeros)
                self.assert_says("because scales: expected as computed, found 0 in block column "
                                 f"{column}")

    def test_scales_of_zero_in_one_column_or_row_are_not_shifted(self):
        for rows, columns in ((64, 32), (1, 2048)):
            with self.subTest(rows=rows):
                tensor_files.write_safetensors(self.path("x.safetensors"), {
                    "x": tensor_files.floats((rows, columns), self.values[:2048])})
                self.output("scales", lambda scales: scales.__setitem__(slice(None), bytes(64)))
                self.assert_says("because scales: expected as computed, found 0 everywhere")

    def test_one_tile_of_scales(self):
        def zeros(scales):
            scales[512 * 9:512 * 10] = bytes(512)
        self.output("scales", zeros, "--layout", "128x4")
        self.assert_says(
            "  where: scales in rows 128..255, block columns 4..7 (one 128x4 tile)",
            "because scales: expected as computed, found 0 in rows 128..255, block columns 4..7",
            words=("--layout", "128x4"))

    def test_rows_and_columns_without_tiles_are_not_called_one(self):
        def zeros(scales):
            for row in range(128, 256):
                scales[row * BLOCKS + 4:row * BLOCKS + 8] = bytes(4)
        self.output("scales", zeros)
        self.assert_says("  where: scales in rows 128..255, block columns 4..7")

    def test_positions_in_every_block(self):
        def zeros(codes):
            for block in range(ROWS * BLOCKS):
                codes[block * 16 + 4:block * 16 + 8] = bytes(4)
        self.output("codes", zeros)
        self.assert_says(
            "  where: codes in all 512 rows, codes 8..15 of each block",
            "because codes: expected as computed, found 0 in codes 8..15 of each block")

    def test_every_second_code(self):
        def high(codes):
            for k in range(len(codes)):
                codes[k] ^= 0x70
        self.output("codes", high)
        self.assert_says("  where: codes in all 512 rows, every 2nd column from 1")
        self.assertEqual(self.pattern("codes", high)[0], "every 2nd column from 1")

    def test_the_first_row_is_one_that_differs(self):
        def rows(scales):
            for row in range(9, ROWS):
                if row % 16 >= 8:
                    scales[row * BLOCKS:(row + 1) * BLOCKS] = bytes(BLOCKS)
        self.assertEqual(self.pattern("scales", rows)[1], [9, ROWS - 1])

    def test_a_rule_in_the_tail_columns(self):
        self.output("codes", lambda codes: None, "--rounding", "toward-zero")
        tensors, _ = tensor_files.read_safetensors(self.path("k.safetensors"))
        away = next(t[2] for name, t in tensors.items() if name.endswith("codes"))
        def tail(codes):
            for row in range(ROWS):
                part = slice(row * COLUMNS // 2 + 480, (row + 1) * COLUMNS // 2)
                codes[part] = away[part]
        self.output("codes", tail)
        self.assert_says(
            "because element_rounding: expected nearest-even, found toward-zero in columns "
            "960..1023")

    def test_columns_of_one_block_say_its_positions(self):
        def turn(codes):
            for row in range(ROWS):
                end = (row + 1) * COLUMNS // 2
                codes[end - 16] ^= 0x11
                codes[end - 15] ^= 0x11
        self.assertEqual(self.pattern("codes", turn)[0], "columns 992..995")
        self.assert_says("  where: codes in all 512 rows, columns 992..995")

    def test_all_codes_of_an_axis_shorter_than_a_block(self):
        tensor_files.write_safetensors(self.path("x.safetensors"), {
            "x": tensor_files.floats((3, 8, 32), self.values[:768])})
        def turn(codes):
            codes[:] = bytes(pair ^ 0x11 for pair in codes)
        self.output("codes", turn, "--axis", "0")
        said = self.verify("--axis", "0")
        self.assertIn("  where: codes in all 24 rows, all 32 columns; codes of padding\n", said)

    def test_a_tail_that_was_not_written_is_counted_with_its_padding(self):
        tensor_files.write_safetensors(self.path("x.safetensors"), {
            "x": tensor_files.floats((64, 133), self.values[:64 * 133])})
        def tail(codes):
            for row in range(64):
                codes[row * 80 + 64:row * 80 + 80] = bytes(16)
        self.output("codes", tail)
        self.assert_says("because dropped_tail: expected none, found codes of the last 32 elements, "
                         "padding included, are 0, scales intact")

    def test_bytes_that_no_rule_gives_stay_unexplained(self):
        def spoil(codes):
            draw = random.Random(3)
            for byte in draw.sample(range(len(codes)), 40):
                codes[byte] ^= 0x24
        self.output("codes", spoil)
        self.assert_says("verdict: unexplained")

    def test_no_part_is_everything(self):
        def nothing(data):
            data[:] = bytes(len(data))
        self.output("codes", nothing)
        said = self.verify()
        self.assertIn("because codes: expected as computed, found 0 everywhere\n", said)
        self.assertNotIn("last", said)

    def test_json_and_junit(self):
        def zeros(scales):
            scales[128 * BLOCKS:256 * BLOCKS] = bytes(128 * BLOCKS)
        self.output("scales", zeros)
        words = ("verify", "k.safetensors", "--input", "x.safetensors", "--junit", "out.xml")
        found = self.run_json(*words, status=1)
        self.assertEqual(found["where"], {
            "tensor": "x", "codes": 0, "scales": 128 * BLOCKS, "tensor_scales": 0,
            "rows": [128, 255], "columns": [0, COLUMNS - 1], "pattern": "rows 128..255"})
        change, = found["explanation"]
        self.assertEqual((change["where"], change["found"]), ("rows 128..255", "0 in rows 128..255"))
        where, = found["places"]
        self.assertEqual((where["tensor"], where["blocks"]), ("x", 128 * BLOCKS))
        self.assertEqual(where["codes"], {"count": 0, "padding": 0})
        self.assertEqual(where["scales"], {
            "count": 128 * BLOCKS,
            "rows": {"extent": ROWS, "touched": 128, "first": 128, "last": 255,
                     "text": "rows 128..255"},
            "columns": {"extent": BLOCKS, "touched": BLOCKS, "first": 0, "last": BLOCKS - 1,
                        "text": "all 32 block columns"}})
        failure = xml.parse(self.path("out.xml")).getroot().find("testcase/failure")
        self.assertIn("where: " + where["text"] + "\n", failure.text)
        self.output("scales", lambda scales: None)
        found = self.run_json(*words)
        self.assertIsNone(found["where"])
        self.assertNotIn("places", found)

    def pattern(self, array, change, *words):
        self.output(array, change, *words)
        found = self.run_json("verify", "k.safetensors", "--input", "x.safetensors", *words,
                              status=1)["where"]
        return found["pattern"], found["rows"], found["columns"]

    def test_patterns_in_json(self):
        def high_codes(codes):
            for block in range(ROWS * BLOCKS):
                codes[block * 16 + 4:block * 16 + 8] = bytes(4)
        def two_columns_of_blocks(scales):
            for row in range(ROWS):
                scales[row * BLOCKS + 2:row * BLOCKS + 4] = bytes(2)
        def odd_rows(scales):
            for row in range(1, ROWS, 2):
                scales[row * BLOCKS:(row + 1) * BLOCKS] = bytes(BLOCKS)
        def a_few(codes):
            for byte in random.Random(3).sample(range(len(codes)), 40):
                codes[byte] ^= 0x24
        def everything(scales):
            scales[:] = bytes(len(scales))
        everywhere = [0, ROWS - 1], [0, COLUMNS - 1]
        self.assertEqual(self.pattern("codes", high_codes),
                         ("codes 8..15 of each block", [0, ROWS - 1], [8, COLUMNS - 17]))
        self.assertEqual(self.pattern("scales", two_columns_of_blocks),
                         ("columns 64..127", [0, ROWS - 1], [64, 127]))
        self.assertEqual(self.pattern("scales", odd_rows),
                         ("every 2nd row from 1", [1, ROWS - 1], [0, COLUMNS - 1]))
        self.assertEqual(self.pattern("scales", everything), ("all", *everywhere))
        self.assertEqual(self.pattern("codes", a_few)[0], "scattered")

    def test_a_tensor_without_elements_has_no_rows(self):
        for shape in ([0], [3, 0], [0, 32]):
            tensor_files.write_safetensors(self.path("x.safetensors"), {"x": ("F32", shape, b"")})
            self.output("tensor_scale", lambda scale: scale.__setitem__(3, 0x40), "--format", "nvfp4")
            found = self.run_json("verify", "k.safetensors", "--input", "x.safetensors", "--format",
                                  "nvfp4", status=1)["where"]
            self.assertEqual((found["tensor_scales"], found["rows"], found["pattern"]),
                             (1, None, "all"), shape)

    def test_other_numbers_and_sizes_are_everywhere(self):
        everywhere = {"rows": [0, ROWS - 1], "columns": [0, COLUMNS - 1], "pattern": "all"}
        def double(scale):
            scale[:] = struct.pack("<f", 2 * struct.unpack("<f", scale)[0])
        self.output("tensor_scale", double, "--format", "nvfp4")
        words = ("verify", "k.safetensors", "--input", "x.safetensors", "--format", "nvfp4")
        self.assertEqual(self.run_json(*words, status=1)["where"],
                         {"tensor": "x", "codes": 0, "scales": 0, "tensor_scales": 1, **everywhere})
        self.output("codes", lambda codes: None, "--packing", "unpacked")
        found = self.run_json(*words[:-2], "--packing", "packed", status=1)["where"]
        self.assertEqual(found, {"tensor": "x", "codes": 0, "scales": 0, "tensor_scales": 0,
                                 **everywhere})


main()
