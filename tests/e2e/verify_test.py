# SPDX-License-Identifier: Apache-2.0
# tests/e2e/verify_test.py: verdicts on output with known differences, made by hand or by the
# command itself.

import os
import random
import resource
import struct
import subprocess
import xml.etree.ElementTree as xml

import blocks
import tensor_files
from command_case import PROGRAM, command_case, main

FORMATS = ("mxfp4", "mxfp6-e2m3", "mxfp6-e3m2", "mxfp8-e4m3", "mxfp8-e5m2", "mxint8", "nvfp4")


def float32(x):
    return struct.unpack("<f", struct.pack("<f", x))[0]


def telling_values(count, seed):
    """Blocks of far exponents, with ties, powers of two, zeros of both signs and blocks of zeros."""
    draw = random.Random(seed)
    values = []
    for block in range(count // 32):
        unit = 2.0 ** draw.randint(-8, 8)
        if block % 16 == 5:
            values += [draw.choice([0.0, -0.0]) for _ in range(32)]
            continue
        if block % 4 == 1:  # the largest is a power of two
            values += [8.0 * unit] + [draw.choice([0.25, -0.75, 2.5, -3.5, 1.25]) * unit
                                      for _ in range(31)]
            continue
        values += [draw.gauss(0, 1) * unit if draw.random() < 0.8 else
                   draw.choice([0.0, -0.0, 2.5, 5.0, 6.0, 0.75, -0.25]) * unit for _ in range(32)]
    return [float32(v) for v in values]


def changed(path, name, change):
    """Replaces the bytes of one tensor of a file."""
    tensors, _ = tensor_files.read_safetensors(path)
    dtype, shape, data = tensors[name]
    data = bytes(change(bytearray(data)))
    tensors[name] = (dtype, shape if len(data) == len(tensors[name][2]) else [len(data)], data)
    tensor_files.write_safetensors(path, tensors)


class verify_test(command_case):
    shape = (64, 256)

    def setUp(self):
        super().setUp()
        self.values = telling_values(self.shape[0] * self.shape[1], 11)
        tensor_files.write_safetensors(self.path("x.safetensors"),
                                       {"x": tensor_files.floats(self.shape, self.values)})

    def quantize(self, *words):
        self.run_command("quantize", "x.safetensors", "-o", "k.safetensors", *words)

    def verify(self, *words, status=1):
        return self.run_json("verify", "k.safetensors", "--input", "x.safetensors", *words,
                             status=status)

    def assert_explained(self, told, dimension, found=None):
        self.assertEqual(told["verdict"], "explained", told)
        self.assertEqual(len(told["explanation"]), 1, told)
        self.assertEqual(told["explanation"][0]["dimension"], dimension, told)
        if found is not None:
            self.assertEqual(told["explanation"][0]["found"], found)
        self.assertEqual(set(told["explanation"][0]), {"dimension", "expected", "found"})
        self.assertGreater(told["mismatches"], 0)
        self.assertLessEqual(told["mismatches"], told["elements"])

    def test_the_command_s_own_output_is_exact(self):
        for form in FORMATS:
            for words in ([], ["--layout", "128x4"], ["--packing", "unpacked"], ["--axis", "0"],
                          ["--rounding", "stochastic", "--seed", "5"]):
                self.quantize("--format", form, *words)
                told = self.verify("--format", form, *words, status=0)
                self.assertEqual((told["verdict"], told["mismatches"], told["elements"],
                                  told["explanation"], told["ambiguous"], told["first"]),
                                 ("exact", 0, 64 * 256, [], [], None), (form, words))

    def test_output_made_by_exact_fractions_is_exact(self):
        codes, scales = bytearray(), bytearray()
        for k in range(0, len(self.values), 32):
            byte, block = blocks.quantize(self.values[k:k + 32], "floor")
            scales.append(byte)
            codes += bytes(block[j] | block[j + 1] << 4 for j in range(0, 32, 2))
        tensor_files.write_safetensors(self.path("k.safetensors"), {
            "codes": ("U8", [64, 128], bytes(codes)), "scales": ("U8", [64, 8], bytes(scales))})
        self.assertEqual(self.verify("--format", "mxfp4", status=0)["verdict"], "exact")

    def test_a_tensor_scale_that_is_written_for_each_row_is_named(self):
        self.quantize("--format", "nvfp4")
        tensors, _ = tensor_files.read_safetensors(self.path("k.safetensors"))
        rows = self.shape[0]
        tensors["tensor_scale"] = ("F32", [rows], tensors["tensor_scale"][2] * rows)
        tensor_files.write_safetensors(self.path("k.safetensors"), tensors)
        self.assert_explained(self.verify("--format", "nvfp4"), "tensor_scale",
                              "as stored; right is amax / 2688 of each row")

    def test_a_wrong_tensor_scale_of_a_row_makes_mismatches_of_that_row(self):
        form = "e2m1:ue4m3:16:row"
        self.quantize("--format", form)
        def wrong_row(data):
            data[4 * 5] ^= 1
            return data
        changed(self.path("k.safetensors"), "tensor_scale", wrong_row)
        told = self.verify("--format", form)
        where = {"tensor": "x", "codes": 0, "scales": 0, "tensor_scales": 1, "rows": [5, 5],
                 "columns": [0, 255], "pattern": "row 5"}
        self.assertEqual((told["mismatches"], told["where"]), (256, where))
        self.assertEqual(told["places"][0]["text"], "tensor scale in row 5")
        def wrong_code(data):
            data[9 * 128 + 3] ^= 1
            return data
        changed(self.path("k.safetensors"), "codes", wrong_code)
        told = self.verify("--format", form)
        self.assertEqual((told["mismatches"], told["where"]),
                         (257, where | {"codes": 1, "rows": [5, 9], "pattern": "scattered"}))
        text = self.run_command("verify", "k.safetensors", "--input", "x.safetensors", "--format",
                                form, status=1).stdout
        self.assertIn("'x': 257 of 16384 elements differ (1 code and 0 block scales, and the tensor "
                      "scale 0x", text)
        self.assertIn("  where: codes in row 9, column 6; tensor scale in row 5\n", text)

    def test_a_wrong_tensor_scale_of_the_tensor_is_everywhere(self):
        self.quantize("--format", "nvfp4")
        for name, places in (("tensor_scale", 0), ("codes", 1)):
            changed(self.path("k.safetensors"), name, lambda data: bytes([data[0] ^ 1]) + data[1:])
            told = self.verify("--format", "nvfp4")
            self.assertEqual((told["mismatches"], told["where"]), (64 * 256, {
                "tensor": "x", "codes": places, "scales": 0, "tensor_scales": 1, "rows": [0, 63],
                "columns": [0, 255], "pattern": "all"}))
            self.assertEqual(len(told.get("places", [])), places)

    def test_a_single_wrong_byte_is_found_and_not_explained(self):
        self.quantize("--format", "mxfp8-e4m3")
        def wrong(data):
            data[5000] ^= 0x10
            return data
        changed(self.path("k.safetensors"), "codes", wrong)
        told = self.verify("--format", "mxfp8-e4m3")
        self.assertEqual((told["verdict"], told["mismatches"]), ("unexplained", 1))
        first = told["first"]
        self.assertEqual((first["tensor"], first["element"], first["index"], first["block"]),
                         ("x", 5000, [19, 136], 156))
        self.assertEqual(first["expected"] ^ first["found"], 0x10)
        bits = struct.unpack("<I", struct.pack("<f", self.values[5000]))[0]
        self.assertEqual(int(first["input_bits"], 16), bits)
        self.assertEqual(int(first["block_bits"][5000 % 32], 16), bits)

    def test_rules_and_roundings(self):
        for rule in ("ceil", "even", "rceil", "floor6", "midmax", "overflow-aware", "mse"):
            self.quantize("--format", "mxfp4", "--scale-rule", rule)
            told = self.verify("--format", "mxfp4")
            self.assert_explained(told, "scale_rule")
            offered = told["explanation"] + told["ambiguous"]
            self.assertIn(("scale_rule", rule), [(c["dimension"], c["found"]) for c in offered])
        for rounding in ("nearest-away", "toward-zero"):
            self.quantize("--format", "mxfp4", "--rounding", rounding)
            self.assert_explained(self.verify("--format", "mxfp4"), "element_rounding", rounding)

    def test_storage(self):
        cases = ((["--packing", "high-first"], "nibble_order", "high-first"),
                 (["--packing", "split-half"], "nibble_order", "split-half"),
                 (["--layout", "8x4"], "scale_layout", "8x4"),
                 (["--layout", "gfx1250"], "scale_layout", "gfx1250"),
                 (["--axis", "0"], "block_axis", "0"))
        for words, dimension, found in cases:
            self.quantize("--format", "mxfp4", *words)
            self.assert_explained(self.verify("--format", "mxfp4"), dimension, found)

    def test_six_bits_without_gaps(self):
        self.quantize("--format", "mxfp6-e2m3", "--packing", "dense")
        self.assertEqual(self.verify("--format", "mxfp6-e2m3", status=0)["verdict"], "exact")
        told = self.verify("--format", "mxfp6-e2m3", "--packing", "unpacked")
        self.assert_explained(told, "nibble_order", "dense")
        self.assert_explained(self.verify("--format", "mxfp6-e3m2"), "element_format", "e2m3")
        changed(self.path("k.safetensors"), "codes",
                lambda data: data[:100] + bytes([data[100] ^ 0x10]) + data[101:])
        told = self.verify("--format", "mxfp6-e2m3")
        self.assertEqual((told["verdict"], told["mismatches"]), ("unexplained", 1))
        self.assertEqual(told["first"]["element"], 134)

    def test_formats_and_block_sizes(self):
        self.quantize("--format", "mxfp8-e5m2")
        self.assert_explained(self.verify("--format", "mxfp8-e4m3"), "element_format", "e5m2")
        self.quantize("--format", "e2m1:e8m0:16")
        self.assert_explained(self.verify("--format", "mxfp4"), "block_size", "16")

    def test_scales_that_are_moved_or_one_off(self):
        columns = 8
        cases = ((lambda s: bytes((b + 1) & 255 for b in s), "scale_offset"),
                 (lambda s: bytes(max(b - 1, 0) for b in s), "scale_offset"),
                 (lambda s: s[-1:] + s[:-1], "scale_layout"),
                 (lambda s: bytes(s[r * columns + (c + 1) % columns] for r in range(64)
                                  for c in range(columns)), "scale_layout"),
                 (lambda s: bytes(s[r * columns + c] for c in range(columns) for r in range(64)),
                  "scale_layout"),
                 (lambda s: bytes(s[k ^ 1] for k in range(len(s))), "scale_layout"))
        for change, dimension in cases:
            self.quantize("--format", "mxfp4")
            changed(self.path("k.safetensors"), "scales", change)
            self.assert_explained(self.verify("--format", "mxfp4"), dimension)

    def test_a_dropped_tail(self):
        for zero_scales in (False, True):
            self.quantize("--format", "mxfp4")
            def drop(data):
                for row in range(64):
                    data[row * 128 + 96:(row + 1) * 128] = bytes(32)
                return data
            def drop_scales(data):
                for row in range(64):
                    data[row * 8 + 6:(row + 1) * 8] = bytes(2)
                return data
            changed(self.path("k.safetensors"), "codes", drop)
            if zero_scales:
                changed(self.path("k.safetensors"), "scales", drop_scales)
            told = self.verify("--format", "mxfp4")
            self.assert_explained(told, "dropped_tail")
            self.assertIn("last 64 elements", told["explanation"][0]["found"])

    def test_rows_that_were_not_written(self):
        for codes, scales in ((0, 0), (0xCD, 0xCD), (0xFF, None)):
            self.quantize("--format", "mxfp8-e4m3")
            changed(self.path("k.safetensors"), "codes",
                    lambda data: data[:60 * 256] + bytes([codes]) * (4 * 256))
            if scales is not None:
                changed(self.path("k.safetensors"), "scales",
                        lambda data: data[:60 * 8] + bytes([scales]) * (4 * 8))
            told = self.verify("--format", "mxfp8-e4m3")
            self.assert_explained(told, "dropped_tail")
            self.assertIn("the last 4 rows", told["explanation"][0]["found"])

    def test_scales_that_blocks_share(self):
        self.quantize("--format", "e2m1:e8m0:64")
        tensors, _ = tensor_files.read_safetensors(self.path("k.safetensors"))
        scales = bytes(byte for byte in tensors["scales"][2] for _ in range(2))
        tensors["scales"] = ("U8", [64, 8], scales)
        tensor_files.write_safetensors(self.path("k.safetensors"), tensors)
        self.assert_explained(self.verify("--format", "mxfp4"), "block_size",
                              "32, a scale for 2 of them, taken from them all and written for each")

    def test_other_random_bits(self):
        drawn = ("--rounding", "stochastic")
        self.quantize(*drawn, "--seed", "2026")
        told = self.verify(*drawn, "--seed", "4")
        self.assert_explained(told, "element_rounding", "stochastic, seed 2026, 8 bits, ptx")
        self.quantize(*drawn, "--seed", str(2 ** 60))
        told = self.verify(*drawn)
        self.assert_explained(told, "element_rounding")
        self.assertIn("seed not found", told["explanation"][0]["found"])
        changed(self.path("k.safetensors"), "scales", lambda data: data[:99] + b"\3" + data[100:])
        self.assertEqual(self.verify(*drawn)["verdict"], "unexplained")

    def write_gaussian(self, rows):
        draw = random.Random(4)
        values = [float32(draw.gauss(0, 1)) for _ in range(rows * 64)]
        tensor_files.write_safetensors(self.path("x.safetensors"),
                                       {"x": tensor_files.floats([rows, 64], values)})
        return values

    def test_a_rule_of_its_own_for_small_numbers_is_no_stochastic_rounding(self):
        values = self.write_gaussian(64)
        self.quantize("--packing", "unpacked")
        tensors, _ = tensor_files.read_safetensors(self.path("k.safetensors"))
        scales, codes = tensors["scales"][2], bytearray(tensors["codes"][2])
        for k, x in enumerate(values):
            if abs(x) / 2.0 ** (scales[k // 32] - 127) < 0.5:
                codes[k] &= 8
        changed(self.path("k.safetensors"), "codes", lambda _: codes)
        self.assertEqual(self.verify()["verdict"], "unexplained")

    def test_one_code_that_differs_is_no_other_seed(self):
        self.write_gaussian(64)
        drawn = ("--rounding", "stochastic", "--seed", "3")
        self.quantize(*drawn, "--packing", "unpacked")
        before, _ = tensor_files.read_safetensors(self.path("k.safetensors"))
        self.quantize(*drawn[:3], "4", "--packing", "unpacked")
        other, _ = tensor_files.read_safetensors(self.path("k.safetensors"))
        codes = bytearray(before["codes"][2])
        place = next(k for k in range(len(codes)) if codes[k] != other["codes"][2][k])
        codes[place] = other["codes"][2][place]  # its other neighbour
        changed(self.path("k.safetensors"), "codes", lambda _: codes)
        self.assertEqual(self.verify(*drawn, "--packing", "unpacked")["verdict"], "unexplained")

    def test_blocks_that_depend_on_their_place_have_no_bundle(self):
        self.quantize()
        for words in (("--rounding", "stochastic"), ("--variant", "te.nvfp4-stochastic"),
                      ("--format", "e2m1:ue4m3:16:row")):
            self.assert_refused("verify", "k.safetensors", "--input", "x.safetensors", *words,
                                "--repro", "bundle", naming=("--repro", "no block alone"))

    def test_input_rounded_early(self):
        bf16 = []
        for v in self.values:
            bits = struct.unpack("<I", struct.pack("<f", v))[0]
            bits = bits + 0x7FFF + (bits >> 16 & 1) & 0xFFFF0000
            bf16.append(struct.unpack("<f", struct.pack("<I", bits))[0])
        tensor_files.write_safetensors(self.path("early.safetensors"),
                                       {"x": tensor_files.floats(self.shape, bf16)})
        self.run_command("quantize", "early.safetensors", "-o", "k.safetensors", "--format",
                         "mxfp8-e4m3")
        self.assert_explained(self.verify("--format", "mxfp8-e4m3"), "input_precision", "bf16")

    def test_zeros_without_a_sign(self):
        self.quantize("--format", "mxfp4", "--packing", "unpacked")
        changed(self.path("k.safetensors"), "codes",
                lambda data: bytes(0 if c == 8 else c for c in data))
        self.assert_explained(self.verify("--format", "mxfp4"), "zero_rule")

    def test_flushed_numbers(self):
        tiny = [float32(v * 2.0 ** -127) for v in telling_values(2048, 4)]
        tensor_files.write_safetensors(self.path("x.safetensors"),
                                       {"x": tensor_files.floats([8, 256], tiny)})
        flushed = [v if abs(v) >= 2.0 ** -126 else struct.unpack("<f", struct.pack(
            "<I", struct.unpack("<I", struct.pack("<f", v))[0] & 0x80000000))[0] for v in tiny]
        tensor_files.write_safetensors(self.path("flushed.safetensors"),
                                       {"x": tensor_files.floats([8, 256], flushed)})
        self.run_command("quantize", "flushed.safetensors", "-o", "k.safetensors")
        self.assert_explained(self.verify(), "subnormals", "inputs flushed")

    def test_nan_rules(self):
        values = list(self.values)
        values[40], values[1000], values[7777] = float("nan"), float("inf"), -float("inf")
        tensor_files.write_safetensors(self.path("x.safetensors"),
                                       {"x": tensor_files.floats(self.shape, values)})
        self.quantize("--format", "mxfp4")
        self.assertEqual(self.verify(status=0)["verdict"], "exact")
        changed(self.path("k.safetensors"), "scales",
                lambda data: bytes(254 if b == 255 else b for b in data))
        self.assert_explained(self.verify(), "nan_rule")

    def test_operation_orders_and_variants(self):
        self.quantize("--variant", "te.nvfp4")
        told = self.verify("--format", "nvfp4")
        self.assertEqual(told["verdict"], "explained")
        offered = told["explanation"] + told["ambiguous"]
        self.assertIn("te.nvfp4", [c["found"] for c in offered])
        self.assertTrue({c["dimension"] for c in offered} <= {"operation_order", "variant"}, offered)
        self.quantize("--variant", "ggml.mxfp4")
        self.assert_explained(self.verify("--format", "mxfp4"), "variant", "ggml.mxfp4")
        self.quantize("--format", "mxfp4")
        self.assert_explained(self.verify("--variant", "torchao.ceil"), "variant")
        self.quantize("--variant", "torchao.ceil")
        self.assertEqual(self.verify("--variant", "torchao.ceil", status=0)["verdict"], "exact")

    def test_flashinfers_four_over_six_is_told_from_transformer_engines(self):
        # BF16 numbers: the largest, then blocks in which the errors of the two candidates almost tie.
        halves = """40ab 0000 0000 0000 0000 0000 0000 0000 0000 0000 0000 0000 0000 0000 0000 0000
                    3f74 3f65 bfef be1e 3fb1 bf26 be26 bd40 beeb 3fb5 3e17 3f8e bfa3 bf1a 4015 bfe0
                    3e10 3ff5 3f6c 401d 3f88 3f86 bf85 3ec7 be12 be42 bfe0 bf38 3fb6 3f51 3ec2 bfe0
                    3f55 3d8c 3f3d beab bf59 c018 3f6e 3f2e 3e90 bf4a 3f96 bf21 bfac be82 3ec7 bde2
                    bf4f bfc0 bf2d bf68 4018 3ffe bf9b 3f29 bfad 3fd3 3f9d bf53 3ee5 bc2e bf6b 3d45
                    bed8 bfc4 3f01 beda bfa5 3c22 bec9 3fd7 bea1 3f6b bf3f 3f8e be97 3da4 beff bd47"""
        numbers = b"".join(int(half, 16).to_bytes(2, "little") for half in halves.split())
        draw = random.Random(4)  # and plain blocks, which tell the two norms apart
        numbers += b"".join(struct.pack("<f", draw.gauss(0, 1))[2:] for _ in range(58 * 16))
        tensor_files.write_safetensors(self.path("x.safetensors"),
                                       {"x": ("BF16", [64, 16], numbers)})
        for norm in ("mae", "mse"):
            for name in (f"flashinfer.4over6-{norm}", f"te.4over6-{norm}",
                         f"te.4over6-{norm}-fast"):
                self.quantize("--variant", name)
                self.assert_explained(self.verify("--format", "nvfp4"), "variant", name)

    def test_two_changes(self):
        self.quantize("--format", "mxfp4", "--scale-rule", "rceil", "--packing", "high-first")
        told = self.verify("--format", "mxfp4")
        self.assertEqual({(c["dimension"], c["found"]) for c in told["explanation"]},
                         {("scale_rule", "rceil"), ("nibble_order", "high-first")})

    def test_what_cannot_be_told_apart_has_a_probe(self):
        plain = [float32(random.Random(2).gauss(0, 1)) for _ in range(64)] * 2
        tensor_files.write_safetensors(self.path("x.safetensors"),
                                       {"x": tensor_files.floats([4, 32], plain)})
        self.quantize("--scale-rule", "ceil")
        told = self.verify()
        self.assert_explained(told, "scale_rule")
        self.assertTrue(told["ambiguous"])
        for other in told["ambiguous"]:
            self.assertEqual(set(other), {"dimension", "expected", "found", "changes", "probe"})
        self.assertTrue(any(other["probe"] for other in told["ambiguous"]))

    def test_several_tensors_share_one_explanation(self):
        tensor_files.write_safetensors(self.path("x.safetensors"), {
            "a": tensor_files.floats([32, 64], self.values[:2048]),
            "b": tensor_files.floats([2048], self.values[2048:4096])})
        self.quantize("--scale-rule", "even")
        told = self.verify()
        self.assert_explained(told, "scale_rule", "even")
        self.assertEqual([t["name"] for t in told["tensors"]], ["a", "b"])
        self.assertEqual(told["mismatches"], sum(t["mismatches"] for t in told["tensors"]))

    def test_half_precision_input(self):
        for dtype, code in (("F16", "e"),):
            data = struct.pack(f"<4096{code}", *[max(-6e4, min(6e4, v)) for v in self.values[:4096]])
            tensor_files.write_safetensors(self.path("x.safetensors"),
                                           {"x": (dtype, [64, 64], data)})
            self.quantize("--scale-rule", "rceil")
            told = self.verify()
            self.assert_explained(told, "scale_rule", "rceil")
            blocks = [other["probe"]["block"] for other in told["ambiguous"] if other["probe"]]
            self.assertTrue(blocks)
            for block in blocks:  # of numbers that the input's type holds
                for bits in block:
                    number, = struct.unpack("<f", struct.pack("<I", int(bits, 16)))
                    if number == number:
                        self.assertEqual(struct.unpack("<e", struct.pack("<e", number)), (number,))

    def test_text(self):
        self.quantize("--scale-rule", "rceil")
        done = self.run_command("verify", "k.safetensors", "--input", "x.safetensors", status=1)
        self.assertIn("because scale_rule: expected floor, found rceil", done.stdout)
        self.assertIn("verdict: explained", done.stdout)

    def test_junit(self):
        self.quantize("--scale-rule", "rceil")
        self.verify("--junit", "out.xml")
        suite = xml.parse(self.path("out.xml")).getroot()
        self.assertEqual((suite.tag, suite.get("tests"), suite.get("failures")),
                         ("testsuite", "1", "1"))
        self.assertIn("rceil", suite.find("testcase/failure").get("message"))
        self.verify("--scale-rule", "rceil", "--junit", "out.xml", status=0)
        suite = xml.parse(self.path("out.xml")).getroot()
        self.assertEqual(suite.get("failures"), "0")
        self.assertIsNone(suite.find("testcase/failure"))

    def test_junit_of_one_element(self):
        self.quantize()
        changed(self.path("k.safetensors"), "codes", lambda data: bytes([data[0] ^ 1]) + data[1:])
        self.verify("--junit", "out.xml")
        failure = xml.parse(self.path("out.xml")).getroot().find("testcase/failure")
        self.assertTrue(failure.get("message").startswith("1 element differs; "))

    def test_junit_of_several_tensors_has_the_first_difference_of_each(self):
        tensors = {name: tensor_files.floats(self.shape, telling_values(self.shape[0] * self.shape[1], seed))
                   for name, seed in (("first", 11), ("second", 12), ("third", 13))}
        tensor_files.write_safetensors(self.path("x.safetensors"), tensors)
        self.quantize()
        for name, element in ("first", 3), ("third", 40):
            changed(self.path("k.safetensors"), f"{name}.codes", lambda data, at=element // 2: (
                data[:at] + bytes([data[at] ^ 0x11]) + data[at + 1:]))
        self.verify("--junit", "out.xml")
        cases = {case.get("name"): case for case in xml.parse(self.path("out.xml")).getroot()}
        self.assertIn("element [0, 2] of 'first', block 0, position 2: code",
                      cases["first"].find("failure").text)
        self.assertIsNone(cases["second"].find("failure"))
        self.assertIn(f"element [{40 // self.shape[1]}, {40 % self.shape[1]}] of 'third', block",
                      cases["third"].find("failure").text)

    def test_every_output_is_looked_at_before_one_is_written(self):
        self.quantize("--scale-rule", "rceil")
        os.mkfifo(self.path("page.html"))
        done = self.run_command("verify", "k.safetensors", "--input", "x.safetensors", "--junit",
                                "out.xml", "--report", "page.html", status=2)
        self.assertIn("page.html: cannot be written: is not a regular file", done.stderr)
        self.assertFalse(os.path.exists(self.path("out.xml")))

    def test_a_tensor_scale_that_is_not_positive_and_finite_is_named_with_both_numbers(self):
        patterns = {"0x00000000": 0.0, "0x80000000": -0.0, "0x7f800000": "Inf",
                    "0xff800000": "-Inf", "0x7fc00000": "NaN", "0xffffffff": "NaN",
                    "0xbf800000": -1.0, "0x80000001": -2.0 ** -149}
        for form in ("nvfp4", "e2m1:ue5m3:16:tensor", "e2m1:ue4m3:16:row", "nvfp4+of=0.5"):
            self.quantize("--format", form)
            tensors, _ = tensor_files.read_safetensors(self.path("k.safetensors"))
            right = tensors["tensor_scale"][2]
            for bits, number in patterns.items():
                with self.subTest(form=form, bits=bits):
                    row = 3 if ":row" in form else 0
                    wrong = bytearray(right)
                    wrong[4 * row:4 * row + 4] = int(bits, 16).to_bytes(4, "little")
                    tensors["tensor_scale"] = (*tensors["tensor_scale"][:2], bytes(wrong))
                    tensor_files.write_safetensors(self.path("k.safetensors"), tensors)
                    told = self.verify("--format", form)
                    expected = struct.unpack_from("<I", right, 4 * row)[0]
                    self.assert_unusable(told, expected, bits, number, row)

    def assert_unusable(self, told, expected, bits, number, row):
        self.assertEqual(told["verdict"], "explained")
        why = told["explanation"][0]
        self.assertEqual(why["dimension"], "tensor_scale")
        self.assertIn(f"0x{expected:08x}", why["expected"])
        self.assertTrue(why["found"].startswith(bits), why)
        self.assertIn("not a positive finite number", why["found"])
        first, listed = told["first"], told["tensors"][0]["unusable_tensor_scale"]
        self.assertEqual(first["what"], "tensor_scale")
        for numbers in (first, listed):
            self.assertEqual((numbers["row"], numbers["found_bits"], numbers["expected_bits"]),
                             (row, bits, f"0x{expected:08x}"))
            self.assertEqual(numbers["found"], number)
            self.assertEqual(struct.pack("<f", numbers["expected"]), struct.pack("<I", expected))
        self.assertIn(bits, first["text"])
        self.assertIn(f"0x{expected:08x}", first["text"])

    def test_unusable_tensor_scales_of_several_tensors_and_beside_other_differences(self):
        tensor_files.write_safetensors(self.path("x.safetensors"), {
            "a": tensor_files.floats([32, 64], self.values[:2048]),
            "b": tensor_files.floats([2048], self.values[2048:4096])})
        self.quantize("--format", "nvfp4")
        changed(self.path("k.safetensors"), "b.tensor_scale", lambda data: bytes([0, 0, 192, 127]))
        told = self.verify("--format", "nvfp4")
        self.assertEqual((told["verdict"], told["first"]["tensor"], told["first"]["what"]),
                         ("explained", "b", "tensor_scale"))
        self.assertTrue(told["explanation"][0]["expected"].endswith(" of b"), told)
        self.assertNotIn("unusable_tensor_scale", told["tensors"][0])
        self.assertEqual(told["tensors"][1]["unusable_tensor_scale"]["found"], "NaN")
        done = self.run_command("verify", "k.safetensors", "--input", "x.safetensors", "--format",
                                "nvfp4", status=1)
        self.assertIn("and the tensor scale 0x7fc00000 (NaN), expected 0x", done.stdout)
        self.assertIn("because tensor_scale: expected amax / 2688, 0x", done.stdout)
        self.assertIn("of b, found 0x7fc00000 (NaN), not a positive finite number", done.stdout)
        self.quantize("--format", "nvfp4", "--packing", "high-first")
        changed(self.path("k.safetensors"), "a.tensor_scale", lambda data: bytes(4))
        told = self.verify("--format", "nvfp4")
        self.assertEqual({c["dimension"] for c in told["explanation"]},
                         {"tensor_scale", "nibble_order"})
        changed(self.path("k.safetensors"), "a.codes", lambda data: bytes(len(data)))
        told = self.verify("--format", "nvfp4")
        self.assertEqual(told["verdict"], "unexplained")
        self.assertEqual(told["tensors"][0]["unusable_tensor_scale"]["found_bits"], "0x00000000")

    def test_the_bundle_of_an_empty_tensor_replays_its_tensor_scale(self):
        tensor_files.write_safetensors(self.path("x.safetensors"),
                                       {"x": tensor_files.floats([0, 32], [])})
        self.quantize("--format", "nvfp4")
        for wrong in (bytes(4), bytes([0, 0, 0, 64])):
            changed(self.path("k.safetensors"), "tensor_scale", lambda data, to=wrong: to)
            folder = "empty" + wrong.hex()
            told = self.verify("--format", "nvfp4", "--repro", folder)
            self.assertEqual(told["first"]["what"], "tensor_scale")
            words = [self.path(folder, name + ".safetensors") for name in ("found", "input")]
            again = self.run_json("verify", words[0], "--input", words[1], "--format", "nvfp4",
                                  "--packing", "unpacked", status=1)
            self.assertEqual(again["first"], told["first"])
            right = self.path(folder, "expected.safetensors")
            self.run_json("verify", right, "--input", words[1], "--format", "nvfp4", "--packing",
                          "unpacked")

    def check_bundle(self, form):
        told = self.verify("--format", form, "--repro", "bundle")
        self.assertEqual(sorted(os.listdir(self.path("bundle"))),
                         ["README.txt", "expected.safetensors", "found.safetensors",
                          "input.safetensors"])
        with open(self.path("bundle", "README.txt"), encoding="utf-8") as file:
            command = next(line.split() for line in file if line.startswith("  mxprism verify"))
        words = [self.path("bundle", w) if w.endswith(".safetensors") else w for w in command[1:]]
        again = self.run_json(*words, status=1)
        for key in ("expected_code", "found_code", "expected_scale", "found_scale", "position"):
            self.assertEqual(again["first"][key], told["first"][key], key)
        words[1] = self.path("bundle", "expected.safetensors")
        self.assertEqual(self.run_json(*words)["verdict"], "exact")

    def test_a_bundle_replays_the_difference(self):
        self.quantize("--format", "mxfp4", "--rounding", "toward-zero")
        self.check_bundle("mxfp4")

    def test_sizes_have_no_smallest_block(self):
        self.quantize("--format", "mxfp4", "--layout", "128x4")
        changed(self.path("k.safetensors"), "scales", lambda data: bytes(data))
        done = self.run_command("verify", "k.safetensors", "--input", "x.safetensors", "--repro",
                                "bundle", status=1)
        self.assertIn("verdict: explained", done.stdout)
        self.assertIn("no block alone shows the difference", done.stderr)
        self.assertFalse(os.path.exists(self.path("bundle")))

    def test_a_second_bundle_replaces_the_first_and_nothing_else(self):
        words = ("verify", "k.safetensors", "--input", "x.safetensors", "--repro", "bundle")
        self.quantize("--rounding", "toward-zero")
        self.run_command(*words, status=1)
        first = self.snapshot()
        self.assertEqual(len(os.listdir(self.path("bundle"))), 4)
        self.assertIn("verdict: explained", self.run_command(*words, status=1).stdout)
        self.assertEqual(self.snapshot(), first)
        self.write_text("bundle/notes.txt", "mine")
        self.assert_refused(*words, naming=["--repro bundle: expected a new or an empty folder"])
        os.remove(self.path("bundle", "notes.txt"))
        self.quantize()  # nothing differs any more
        self.run_command(*words)
        self.assertEqual(os.listdir(self.path("bundle")), [])
        self.write_text("bundle/README.txt", "of something else")
        self.write_text("file", "")
        for folder in ("bundle", "file", "file/bundle"):
            self.assert_refused(*words[:-1], folder, naming=["--repro " + folder])

    def test_the_verdict_is_printed_although_an_extra_cannot_be_written(self):
        self.quantize("--rounding", "toward-zero")

        def limit_files():
            resource.setrlimit(resource.RLIMIT_FSIZE, (10, 10))
        for extra in ("--repro", "bundle"), ("--junit", "v.xml"), ("--report", "v.html"):
            done = subprocess.run([PROGRAM, "verify", "k.safetensors", "--input", "x.safetensors",
                                   *extra], cwd=self.folder, capture_output=True, timeout=120,
                                  check=False, encoding="utf-8", preexec_fn=limit_files)
            self.assertEqual(done.returncode, 2, done.stderr)
            self.assertIn(extra[1], done.stderr)
            self.assertIn("verdict: explained", done.stdout)

    def test_the_page_names_what_differs_in_the_first_block(self):
        self.quantize()
        changed(self.path("k.safetensors"), "scales", lambda data: bytes([data[0] ^ 1]) + data[1:])
        self.verify("--report", "v.html")
        block = self.read_text("v.html").split("The first block")[-1]
        self.assertRegex(block, r"scale 0x[0-9a-f]+ instead of 0x[0-9a-f]+\.")
        self.assertNotIn("code 0x", block.split("<table")[0])
        self.quantize()
        changed(self.path("k.safetensors"), "codes", lambda data: bytes([data[0] ^ 1]) + data[1:])
        self.verify("--report", "v.html")
        block = self.read_text("v.html").split("The first block")[-1]
        self.assertRegex(block, r": at position 0 code 0x[0-9a-f]+ instead of 0x[0-9a-f]+\.")

    def test_names_in_reports_are_readable(self):
        names = {"größe": "größe", "a\x1b[1m": "a\\x1b[1m", "b\ufffe": "b\\xef\\xbf\\xbe"}
        values = tensor_files.floats(self.shape, self.values)
        for name, shown in names.items():
            tensor_files.write_safetensors(self.path("x.safetensors"), {name: values})
            self.quantize("--rounding", "toward-zero")
            self.verify("--junit", "v.xml", "--report", "v.html")
            suite = xml.parse(self.path("v.xml")).getroot()
            self.assertEqual(suite.find("testcase").get("name"), shown)
            page = self.read_text("v.html")
            self.assertIn("<code>" + (name if name[0] == "b" else shown) + "</code>", page)
            self.assertNotIn("\x1b", page)

    def test_a_bundle_of_nvfp4_replays_it(self):
        self.quantize("--format", "nvfp4", "--rounding", "toward-zero")
        self.check_bundle("nvfp4")

    def test_bad_input(self):
        self.quantize()
        verify = ("verify", "k.safetensors", "--input", "x.safetensors")
        self.assert_refused("verify", "no.safetensors", "--input", "x.safetensors")
        self.assert_refused("verify", "k.safetensors", "--input", "no.safetensors")
        self.assert_refused(*verify, "--format", "mxfp5", naming=("mxfp5",))
        self.assert_refused(*verify, "--axis", "7", naming=("--axis",))
        self.assert_refused("verify", "x.safetensors", "--input", "x.safetensors",
                            naming=("codes",))
        changed(self.path("k.safetensors"), "codes", lambda data: data[:-3])
        self.assert_refused(*verify, naming=("8189", "8192"))
        tensors, _ = tensor_files.read_safetensors(self.path("k.safetensors"))
        tensors["tensor_scale"] = ("U8", [4], bytes(4))
        tensor_files.write_safetensors(self.path("k.safetensors"), tensors)
        self.assert_refused(*verify, naming=("'tensor_scale'", "expected F32"))

    def test_an_axis_from_the_front_is_another_one_of_tensors_of_other_ranks(self):
        values = self.values[:2048]
        tensor_files.write_safetensors(self.path("x.safetensors"),
                                       {"a": tensor_files.floats([32, 64], values),
                                        "b": tensor_files.floats([1, 32, 64], values)})
        self.quantize("--axis", "-1")
        self.assertEqual(self.verify("--axis", "-1", status=0)["verdict"], "exact")
        self.assert_refused("verify", "k.safetensors", "--input", "x.safetensors", "--axis", "1",
                            naming=("--axis", "count from the end"))

    def test_empty_tensors(self):
        tensor_files.write_safetensors(self.path("x.safetensors"),
                                       {"x": tensor_files.floats([0, 32], [])})
        self.quantize()
        self.assertEqual(self.verify(status=0)["verdict"], "exact")
        for name in ("torchao.nvfp4", "te.nvfp4-reference", "flashinfer.nvfp4", "vllm.nvfp4"):
            self.quantize("--variant", name)
            told = self.verify("--variant", name, status=0)
            self.assertEqual((name, told["verdict"]), (name, "exact"))


if __name__ == "__main__":
    main()
