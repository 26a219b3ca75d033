# SPDX-License-Identifier: Apache-2.0
# tests/e2e/tensors_test.py: quantize, dequantize, decompose and explain against exact fractions.

import math
import os
import random
import struct

import blocks
import tensor_files
from command_case import command_case, main

RULES = ("floor", "rceil")


def hard_values(count, seed):
    """FP32 numbers of close and of far exponents, with ties, zeros of both signs and ends."""
    draw = random.Random(seed)
    special = [0.0, -0.0, 6.0, 7.0, 0.25, -0.75, 5.0, 2.5, 1e-45, 3.4028234663852886e38]
    values = []
    for block in range(-(-count // 32)):
        exponent = draw.choice([0, 0, 3, -20, 100, -120, -140])
        for _ in range(32):
            v = draw.gauss(0, 1) * 2.0 ** exponent if draw.random() < 0.8 else draw.choice(special)
            values.append(struct.unpack("<f", struct.pack("<f", v))[0])
    return values[:count]


def lines_along(shape, axis):
    """Flat indices of each line along the axis, in the order of the other axes."""
    inner = math.prod(shape[axis + 1:])
    outer = math.prod(shape[:axis])
    for o in range(outer):
        for i in range(inner):
            yield o, i, [(o * shape[axis] + a) * inner + i for a in range(shape[axis])]


def expected_tensors(shape, values, axis, rule, packed):
    """Bytes of codes and scales, from exact fractions."""
    length = shape[axis]
    count, step = -(-length // 32), 2 if packed else 1
    inner = math.prod(shape[axis + 1:])
    outer = math.prod(shape[:axis])
    codes = bytearray(outer * inner * count * 32 // step)
    scales = bytearray(outer * inner * count)
    for o, i, line in lines_along(shape, axis):
        for b in range(count):
            byte, block = blocks.quantize([values[k] for k in line[32 * b:32 * b + 32]], rule)
            scales[(o * count + b) * inner + i] = byte
            for k in range(0, 32, step):
                code = block[k] | (block[k + 1] << 4 if packed else 0)
                codes[((o * count + b) * (32 // step) + k // step) * inner + i] = code
    return bytes(codes), bytes(scales)


class tensors_test(command_case):
    def test_tensors_chosen_by_their_names(self):
        shape, count = (2, 64), 128
        names = ("layers.0.up", "layers.1.up", "head")
        tensors = {name: tensor_files.floats(shape, hard_values(count, k))
                   for k, name in enumerate(names)}
        tensor_files.write_safetensors(self.path("all.safetensors"), tensors)
        tensors["positions"] = ("I64", [4], bytes(32))  # no numbers to quantize
        tensor_files.write_safetensors(self.path("in.safetensors"), tensors)
        self.run_command("quantize", "all.safetensors", "-o", "all-coded.safetensors")
        every, _ = tensor_files.read_safetensors(self.path("all-coded.safetensors"))
        refused = self.run_command("quantize", "in.safetensors", "-o", "no.safetensors", status=2)
        self.assertIn("positions", refused.stderr)
        for patterns, chosen in ((["*.up"], names[:2]), (["head"], names[2:]),
                                 (["head", "layers.0*"], (names[0], names[2]))):
            words = [word for pattern in patterns for word in ("--tensors", pattern)]
            self.run_command("quantize", *words, "in.safetensors", "-o", "some.safetensors")
            some, _ = tensor_files.read_safetensors(self.path("some.safetensors"))
            self.assertEqual(some, {f"{name}.{array}": every[f"{name}.{array}"]
                                    for name in chosen for array in ("codes", "scales")})
            for kernel_out in ("some.safetensors", "all-coded.safetensors"):
                found = self.run_json("verify", kernel_out, "--input", "in.safetensors", *words)
                self.assertEqual((found["verdict"], [t["name"] for t in found["tensors"]]),
                                 ("exact", sorted(chosen, key=names.index)))
            found = self.run_json("decompose", "in.safetensors", *words)
            self.assertEqual([t["name"] for t in found["tensors"]], sorted(chosen, key=names.index))
        for command in (("quantize", "in.safetensors", "-o", "no.safetensors"),
                        ("decompose", "in.safetensors"),
                        ("verify", "some.safetensors", "--input", "in.safetensors")):
            refused = self.run_command(*command, "--tensors", "*.down", status=2)
            self.assertIn("in.safetensors: has no tensor whose name matches '*.down'; the file "
                          "holds 'layers.0.up' 'layers.1.up' 'head' 'positions'", refused.stderr)
        refused = self.run_command("verify", "some.safetensors", "--input", "in.safetensors",
                                   "--tensors", "layers.1*", status=2)
        self.assertIn("layers.1.up.codes", refused.stderr)
        self.assertFalse(os.path.exists(self.path("no.safetensors")))

    def check_round_trip(self, shape, axis, rule, packing, seed=1, name="w"):
        values = hard_values(math.prod(shape), seed)
        tensor_files.write_safetensors(self.path("in.safetensors"),
                                       {name: tensor_files.floats(shape, values)})
        result = self.run_json("quantize", "in.safetensors", "-o", "coded.safetensors", "--format",
                             "mxfp4", "--scale-rule", rule, "--axis", str(axis), "--packing",
                             packing)
        at = axis % len(shape)
        coded, notes = tensor_files.read_safetensors(self.path("coded.safetensors"))
        codes, scales = expected_tensors(shape, values, at, rule, packing == "packed")
        self.assertEqual(set(coded), {"codes", "scales"})
        count = -(-shape[at] // 32)
        along = count * (16 if packing == "packed" else 32)
        self.assertEqual(coded["codes"],
                         ("U8", [*shape[:at], along, *shape[at + 1:]], codes))
        self.assertEqual(coded["scales"], ("U8", [*shape[:at], count, *shape[at + 1:]], scales))
        self.assertEqual(notes, {"format": "mxfp4", "scale_rule": rule, "layout": "linear",
                                 "rounding": "nearest-even", "packing": packing, "block": "32",
                                 "axis": str(at), "shape": str(list(shape))})
        self.assertEqual(result["tensors"][0]["blocks"], len(scales))

        self.run_command("dequantize", "coded.safetensors", "-o", "out.npy")
        out_shape, got = tensor_files.read_npy(self.path("out.npy"))
        self.assertEqual(out_shape, list(shape))
        for _, _, line in lines_along(shape, at):
            for first in range(0, shape[at], 32):
                part = line[first:first + 32]
                byte, block = blocks.quantize([values[k] for k in part], rule)
                want = [blocks.dequantize(byte, code) for code in block[:len(part)]]
                self.assertEqual([repr(got[k]) for k in part], [repr(v) for v in want])

    def test_every_axis_rule_and_packing_gives_the_bits_of_exact_fractions(self):
        for shape, axis in [((64,), 0), ((3, 64), -1), ((40, 3), 0), ((2, 37, 5), 1), ((1, 1), 1),
                            ((2, 3, 33), -3)]:
            for rule in RULES:
                for packing in ("packed", "unpacked"):
                    with self.subTest(shape=shape, axis=axis, rule=rule, packing=packing):
                        self.check_round_trip(shape, axis, rule, packing)

    def test_more_blocks_than_one_task_takes(self):
        self.check_round_trip((70, 1024), 1, "floor", "packed", seed=2)

    def test_scalars_and_empty_tensors(self):
        tensors = {"scalar": tensor_files.floats([], [4.7]),
                   "none": tensor_files.floats([0, 64], []),
                   "short": tensor_files.floats([4, 0], [])}
        tensor_files.write_safetensors(self.path("in.safetensors"), tensors)
        result = self.run_json("quantize", "in.safetensors", "-o", "coded.safetensors")
        self.assertEqual([t["blocks"] for t in result["tensors"]], [1, 0, 0])
        coded, notes = tensor_files.read_safetensors(self.path("coded.safetensors"))
        self.assertEqual(coded["scalar.scales"], ("U8", [1], bytes([127])))
        self.assertEqual(coded["none.codes"], ("U8", [0, 32], b""))
        self.assertEqual(coded["short.scales"], ("U8", [4, 0], b""))
        self.assertEqual(notes["scalar.shape"], "[]")
        self.run_command("dequantize", "coded.safetensors", "-o", "out.safetensors")
        values, _ = tensor_files.read_safetensors(self.path("out.safetensors"))
        self.assertEqual(values["scalar"], tensor_files.floats([], [4.0]))
        self.assertEqual(values["none"][1], [0, 64])
        self.assertEqual(values["short"][1], [4, 0])
        figures = self.run_json("decompose", "in.safetensors")["tensors"]
        self.assertEqual([t["blocks"] for t in figures], [1, 0, 0])
        self.assertEqual(figures[1]["sqnr_db"], "NaN")

    def test_several_tensors_keep_their_names_and_types_widen(self):
        half = struct.pack("<32e", *[0.5 * k for k in range(32)])
        brain = struct.pack("<32H", *[0x3F80 + k for k in range(32)])
        tensor_files.write_safetensors(
            self.path("in.safetensors"),
            {"a.b": ("F16", [32], half), "c": ("BF16", [1, 32], brain)})
        self.run_command("quantize", "in.safetensors", "-o", "coded.safetensors")
        coded, notes = tensor_files.read_safetensors(self.path("coded.safetensors"))
        self.assertEqual(set(coded), {"a.b.codes", "a.b.scales", "c.codes", "c.scales"})
        self.assertEqual((notes["a.b.shape"], notes["a.b.axis"]), ("[32]", "0"))
        self.assertEqual((notes["c.shape"], notes["c.axis"]), ("[1, 32]", "1"))
        byte, codes = blocks.quantize([0.5 * k for k in range(32)], "floor")
        self.assertEqual(coded["a.b.scales"][2], bytes([byte]))
        self.assertEqual(coded["a.b.codes"][2],
                         bytes(codes[k] | codes[k + 1] << 4 for k in range(0, 32, 2)))
        self.run_command("dequantize", "coded.safetensors", "-o", "out.safetensors")
        values, _ = tensor_files.read_safetensors(self.path("out.safetensors"))
        self.assertEqual(set(values), {"a.b", "c"})

    def test_nan_and_inf_make_nan_blocks_which_are_counted(self):
        values = [1.0] * 32 + [math.inf] + [1.0] * 31 + [2.0] * 31 + [math.nan]
        tensor_files.write_npy(self.path("x.npy"), (96,), values)
        result = self.run_json("quantize", "x.npy", "-o", "coded.safetensors")
        self.assertEqual(result["tensors"][0]["special_blocks"], 2)
        coded, _ = tensor_files.read_safetensors(self.path("coded.safetensors"))
        self.assertEqual(coded["scales"][2], bytes([125, 255, 255]))
        self.assertEqual(coded["codes"][2][16:], bytes(32))
        self.run_command("dequantize", "coded.safetensors", "-o", "y.npy")
        _, got = tensor_files.read_npy(self.path("y.npy"))
        self.assertEqual(got[:32], [1.0] * 32)
        self.assertTrue(all(math.isnan(v) for v in got[32:]))
        figures = self.run_json("decompose", "x.npy")["tensors"][0]
        self.assertEqual((figures["blocks"], figures["special_blocks"]), (3, 2))
        self.assertEqual(figures["sum_sq"]["total"], 0)
        self.assertEqual(figures["sqnr_db"], "Inf")

    def test_dequantize_needs_no_metadata(self):
        byte, codes = blocks.quantize([4.7, -1.2, 0.3], "floor")
        for packed in (True, False):
            content = (bytes(codes[k] | codes[k + 1] << 4 for k in range(0, 32, 2)) if packed
                       else bytes(codes))
            tensor_files.write_safetensors(
                self.path("coded.safetensors"),
                {"codes": ("U8", [1, len(content)], content),
                 "scales": ("U8", [1, 1], bytes([byte]))})
            self.run_command("dequantize", "coded.safetensors", "-o", "y.npy")
            shape, got = tensor_files.read_npy(self.path("y.npy"))
            self.assertEqual(shape, [1, 32])
            self.assertEqual(got[:3], [4.0, -1.0, 0.5])

    def test_decompose_adds_up(self):
        values = hard_values(64 * 32, 5)
        values = [v if abs(v) < 1e20 else 1.0 for v in values]
        tensor_files.write_npy(self.path("x.npy"), (64, 32), values)
        for rule in RULES:
            t = self.run_json("decompose", "x.npy", "--format", "mxfp4", "--scale-rule", rule,
                              "--report", "x.html")["tensors"][0]
            self.assertEqual(t["identity_violations"], 0)
            self.assertEqual((t["name"], t["shape"], t["blocks"]), ("x", [64, 32], 64))
            total, dot, norm = 0.0, 0.0, 0.0
            for first in range(0, len(values), 32):
                block = values[first:first + 32]
                byte, codes = blocks.quantize(block, rule)
                q = [blocks.dequantize(byte, code) for code in codes]
                total += sum((a - b) ** 2 for a, b in zip(q, block))
                dot += sum(a * b for a, b in zip(q, block))
                norm += sum(b * b for b in block)
            self.assertAlmostEqual(t["sum_sq"]["total"] / total, 1, places=12)
            self.assertAlmostEqual(t["gain"], dot / norm, places=12)
            self.assertAlmostEqual(t["sqnr_db"], 10 * math.log10(norm / total), places=9)
            with open(self.path("x.html"), encoding="utf-8") as file:
                page = file.read()
            self.assertNotIn("http", page.replace("http://www.w3.org/2000/svg", ""))
            self.assertIn("</html>", page)
            if rule == "rceil":
                self.assertEqual(t["sum_sq"]["clip"], 0)
                self.assertEqual(t["cosine"]["scale_clip"], "NaN")
                self.assertEqual(t["cosine"]["scale_deadzone"], 0)

    def test_explain_shows_the_bits_of_quantize(self):
        for rule in RULES:
            for values in (["0.3", "-1.2", "4.7"], ["-7", "0.5", "-0"], ["1e-45"], ["0"],
                           ["6.5", "6", "-.5"]):
                result = self.run_json("explain", *values, "--scale-rule", rule, "--format", "mxfp4")
                numbers = struct.unpack(f"<{len(values)}f",
                                        struct.pack(f"<{len(values)}f", *map(float, values)))
                byte, codes = blocks.quantize(numbers, rule)
                self.assertEqual(result["scale"]["byte"], byte)
                self.assertEqual([e["code"] for e in result["elements"]], codes[:len(values)])
        tie = self.run_json("explain", "6", "2.5", "--scale-rule", "rceil")["elements"][1]
        self.assertTrue(tie["tie"])
        self.assertEqual((tie["lower"]["value"], tie["upper"]["value"], tie["value"]), (2, 3, 2))
        self.assertEqual(tie["error"]["total"], "-1/2")
        special = self.run_json("explain", "-inf", "1")
        self.assertTrue(special["special"])
        self.assertEqual(special["elements"][0]["x"], "-Inf")
        self.assertIn("NaN", self.run_command("explain", "nan").stdout)

    def test_explained_parts_add_up_as_fractions(self):
        from fractions import Fraction
        result = self.run_json("explain", "5.3", "0.21", "-0.4", "-1.9", "0.9")
        for e in result["elements"]:
            parts = {name: Fraction(text) for name, text in e["error"].items()
                     if name != "scale_dead"}
            self.assertEqual(parts.pop("total"), sum(parts.values()))
            self.assertEqual(Fraction(e["value"]) - Fraction(e["x_exact"]),
                             Fraction(e["error"]["total"]))

    def test_saved_values_come_back(self):
        self.run_command("explain", "0.5", "-3", "--save", "x.npy")
        self.assertEqual(tensor_files.read_npy(self.path("x.npy")), ([2], [0.5, -3.0]))

    def test_the_same_input_gives_the_same_bytes(self):
        tensor_files.write_npy(self.path("x.npy"), (4096, 32), hard_values(4096 * 32, 9))
        outputs = set()
        for name in ("a", "b"):
            self.run_command("quantize", "x.npy", "-o", f"{name}.safetensors")
            with open(self.path(f"{name}.safetensors"), "rb") as file:
                outputs.add(file.read())
        self.assertEqual(len(outputs), 1)
        figures = {self.run_command("decompose", "x.npy", "--json").stdout for _ in range(3)}
        self.assertEqual(len(figures), 1)


if __name__ == "__main__":
    main()
