# SPDX-License-Identifier: Apache-2.0
# tests/e2e/storage_test.py: packings, layouts, tiles and corrections, written to files and read
# back.

import json
import math
import random
import struct
from fractions import Fraction

import fractions_model as model
import tensor_files
from command_case import command_case, main
from tensors_test import hard_values

LAYOUTS = ("128x4", "128x4-triton", "8x4", "v-cache-4x4", "gfx950-32x8", "gfx950-32x8-aiter",
           "gfx950-32x8-mfma32", "gfx1250", "gfx1250-block16", "packed-int32")


def normal_values(count, seed):
    draw = random.Random(seed)
    return [struct.unpack("<f", struct.pack("<f", draw.gauss(0, 1)))[0] for _ in range(count)]


class storage_case(command_case):
    def coded(self, *words, name="c.safetensors"):
        self.run_command("quantize", "x.npy", "-o", name, *words)
        return tensor_files.read_safetensors(self.path(name))

    def decoded(self, *words, name="c.safetensors"):
        self.run_command("dequantize", name, "-o", "y.npy", *words)
        return tensor_files.read_npy(self.path("y.npy"))


class packings_test(storage_case):
    def test_orders_of_nibbles(self):
        tensor_files.write_npy(self.path("x.npy"), (3, 40), hard_values(120, 1))
        one_a_byte = self.coded("--packing", "unpacked")[0]["codes"][2]
        plain = self.decoded()
        blocks = [one_a_byte[k:k + 32] for k in range(0, len(one_a_byte), 32)]
        pairs = {"packed": [(b[k], b[k + 1]) for b in blocks for k in range(0, 32, 2)],
                 "high-first": [(b[k + 1], b[k]) for b in blocks for k in range(0, 32, 2)],
                 "split-half": [(b[k], b[k + 16]) for b in blocks for k in range(16)]}
        for packing, nibbles in pairs.items():
            with self.subTest(packing=packing):
                coded, notes = self.coded("--packing", packing)
                self.assertEqual(coded["codes"][1], [3, 32])
                self.assertEqual(coded["codes"][2], bytes(low | high << 4 for low, high in nibbles))
                self.assertEqual(notes["packing"], packing)
                self.assertEqual(repr(self.decoded()), repr(plain))

    def test_pairs_lie_along_the_axis_wherever_it_is(self):
        tensor_files.write_npy(self.path("x.npy"), (2, 33, 3), hard_values(198, 2))
        self.coded("--axis", "1", "--packing", "unpacked")
        plain = self.decoded()
        for packing in ("packed", "high-first", "split-half"):
            with self.subTest(packing=packing):
                coded, _ = self.coded("--axis", "1", "--packing", packing)
                self.assertEqual(coded["codes"][1], [2, 32, 3])
                self.assertEqual(repr(self.decoded()), repr(plain))

    def test_an_odd_axis_ends_in_half_a_byte(self):
        tensor_files.write_npy(self.path("x.npy"), (1, 5), [6.0, -6.0, 1.0, 2.0, 0.5])
        for packing, last in (("packed", 1), ("high-first", 0x10)):
            coded, _ = self.coded("--format", "e2m1:e8m0:5", "--packing", packing)
            self.assertEqual(coded["codes"][1], [1, 3])
            self.assertEqual(coded["codes"][2][2], last)
            self.assertEqual(self.decoded(), ([1, 5], [6.0, -6.0, 1.0, 2.0, 0.5]))
        self.assert_refused("quantize", "x.npy", "-o", "c.safetensors", "--format", "e2m1:e8m0:5",
                            "--packing", "split-half", naming=["split-half", "unpacked"])

    def test_six_bits_without_gaps(self):
        tensor_files.write_npy(self.path("x.npy"), (3, 40), hard_values(120, 5))
        for name in ("mxfp6-e2m3", "mxfp6-e3m2"):
            apart = self.coded("--format", name)[0]["codes"][2]
            plain = self.decoded()
            coded, notes = self.coded("--format", name, "--packing", "dense")
            self.assertEqual(coded["codes"][1], [3, 48])
            self.assertEqual(notes["packing"], "dense")
            self.assertEqual(repr(self.decoded()), repr(plain))
            for row in range(3):
                number = int.from_bytes(coded["codes"][2][48 * row:48 * row + 48], "little")
                self.assertEqual([number >> 6 * k & 63 for k in range(64)],
                                 list(apart[64 * row:64 * row + 64]))
            # Without metadata shapes decide.
            tensor_files.write_safetensors(self.path("bare.safetensors"), coded,
                                           {"format": name, "shape": "[3, 40]"})
            self.assertEqual(repr(self.decoded(name="bare.safetensors")), repr(plain))
        self.assert_refused("quantize", "x.npy", "-o", "d.safetensors", "--packing", "dense",
                            naming=["6 bits", "these have 4", "packed or unpacked"])

    def test_wider_codes_are_one_a_byte_either_way(self):
        tensor_files.write_npy(self.path("x.npy"), (64,), hard_values(64, 3))
        for name in ("mxfp6-e2m3", "mxfp8-e4m3"):
            outputs = {self.coded("--format", name, "--packing", p)[0]["codes"] [2]
                       for p in ("packed", "unpacked", "high-first", "split-half")}
            self.assertEqual(len(outputs), 1)
            self.assertEqual(len(outputs.pop()), 64)


class layouts_test(storage_case):
    def test_128x4_is_flat_and_has_the_printed_order(self):
        rows, columns = 130, 5
        tensor_files.write_npy(self.path("x.npy"), (rows, 160), normal_values(rows * 160, 4))
        linear = self.coded()[0]["scales"][2]
        coded, notes = self.coded("--layout", "128x4")
        want = bytearray(512 * 2 * 2)
        for r in range(rows):
            for c in range(columns):
                at = ((r // 128 * 2 + c // 4) * 512 + r % 32 * 16 + r % 128 // 32 * 4 + c % 4)
                want[at] = linear[r * columns + c]
        self.assertEqual(coded["scales"], ("U8", [2048], bytes(want)))
        self.assertEqual(notes["layout"], "128x4")

    def test_every_layout_comes_back(self):
        for shape in ((37, 100), (2, 3, 65), (64,), (0, 64), (4, 0)):
            count = math.prod(shape)
            tensor_files.write_npy(self.path("x.npy"), shape, normal_values(count, 5))
            self.coded("--format", "nvfp4")
            plain = self.decoded()
            for layout in LAYOUTS:
                with self.subTest(shape=shape, layout=layout):
                    coded, _ = self.coded("--format", "nvfp4", "--layout", layout)
                    self.assertEqual(coded["scales"][1][:-1], list(shape[:-2]))
                    self.assertEqual(self.decoded(), plain)

    def bare(self, *words):
        """The same codes and scales without metadata; returns the values and those of bare codes."""
        coded, _ = self.coded(*words)
        plain = self.decoded()
        tensor_files.write_safetensors(self.path("bare.safetensors"), coded)
        return plain, self.decoded(*words, name="bare.safetensors")

    def test_without_metadata_codes_have_the_shape_padded_to_whole_blocks(self):
        tensor_files.write_npy(self.path("x.npy"), (37, 100), normal_values(3700, 8))
        for layout in LAYOUTS:
            for packing in ("packed", "unpacked"):
                with self.subTest(layout=layout, packing=packing):
                    plain, bare = self.bare("--layout", layout, "--packing", packing)
                    self.assertEqual(bare[0], [37, 128])
                    rows = [bare[1][128 * r:128 * r + 128] for r in range(37)]
                    self.assertEqual([v for row in rows for v in row[:100]], plain[1])
                    self.assertEqual({v for row in rows for v in row[100:]}, {0})
        plain, bare = self.bare("--format", "mxfp6-e2m3", "--layout", "128x4", "--packing", "dense")
        self.assertEqual(bare[0], [37, 128])

    def test_without_metadata_padding_may_hide_how_codes_are_packed(self):
        tensor_files.write_npy(self.path("x.npy"), (3, 512), normal_values(1536, 9))
        plain, bare = self.bare("--layout", "128x4")
        self.assertEqual(bare, plain)
        tensor_files.write_npy(self.path("x.npy"), (3, 64), normal_values(192, 9))
        tensor_files.write_safetensors(self.path("bare.safetensors"),
                                       self.coded("--layout", "128x4")[0])
        words = ("dequantize", "bare.safetensors", "-o", "y.npy", "--layout")
        self.assert_refused(*words, "128x4", naming=[
            "codes [3, 32]", "scales [512]", "[3, 64] or [3, 32]", "--packing says which"])
        self.assert_refused(*words, "8x4", naming=["scales [512]", "no tensor in mxfp4, layout 8x4"])
        self.assertEqual(self.decoded("--layout", "128x4", "--packing", "packed",
                                      name="bare.safetensors")[0], [3, 64])

    def test_what_no_layout_can_hold_is_refused_with_the_remedy(self):
        tensor_files.write_npy(self.path("x.npy"), (32, 32), normal_values(1024, 6))
        out = ("quantize", "x.npy", "-o", "c.safetensors", "--layout", "128x4")
        self.assert_refused(*out, "--axis", "0", naming=["transpose", "linear"])
        self.assert_refused(*out, "--format", "fp8-1x128", naming=["one byte", "linear"])


class tiles_test(storage_case):
    def test_without_metadata_codes_have_the_shape(self):
        tensor_files.write_npy(self.path("x.npy"), (2, 20, 48), normal_values(1920, 10))
        coded, _ = self.coded("--format", "e2m1:e8m0:16x16")
        plain = self.decoded()
        tensor_files.write_safetensors(self.path("bare.safetensors"), coded)
        self.assertEqual(self.decoded("--format", "e2m1:e8m0:16x16", name="bare.safetensors"), plain)

    def test_tiles_share_a_scale(self):
        shape, values = (2, 20, 40), normal_values(1600, 7)
        tensor_files.write_npy(self.path("x.npy"), shape, values)
        coded, notes = self.coded("--format", "e2m1:e8m0:16x16", "--packing", "unpacked")
        self.assertEqual(notes["block"], "16x16")
        self.assertEqual(coded["scales"][1], [2, 2, 3])
        self.assertEqual(coded["codes"][1], [2, 20, 48])
        got = self.decoded()[1]
        f, scale = model.ELEMENTS["e2m1"], model.e8m(0)
        for o in range(2):
            for r in range(20):
                for c in range(40):
                    tile = [values[(o * 20 + i) * 40 + j]
                            for i in range(r // 16 * 16, min(20, r // 16 * 16 + 16))
                            for j in range(c // 16 * 16, min(40, c // 16 * 16 + 16))]
                    amax = max(abs(Fraction(v)) for v in tile)
                    byte = model.shared_exponent(f, "floor", amax) + 127
                    self.assertEqual(coded["scales"][2][(o * 2 + r // 16) * 3 + c // 16], byte)
                    x = Fraction(values[(o * 20 + r) * 40 + c])
                    q = f.values[f.rounded(abs(x) / scale.value(byte), "nearest-even")]
                    self.assertEqual(abs(got[(o * 20 + r) * 40 + c]), q * scale.value(byte))

    def test_named_tiles_and_scales_of_rows(self):
        values = normal_values(40 * 300, 8)
        tensor_files.write_npy(self.path("x.npy"), (40, 300), values)
        for name, scales, kind in (("fp8-128x128", [1, 3], "F32"), ("nvfp4-2d", [3, 19], "U8"),
                                   ("e2m1:ue4m3:16:row", [40, 19], "U8")):
            with self.subTest(format=name):
                coded, _ = self.coded("--format", name)
                self.assertEqual(coded["scales"][:2], (kind, scales))
                error = max(abs(a - b) for a, b in zip(self.decoded()[1], values))
                self.assertLess(error, 0.9)
                if name.endswith("row"):
                    self.assertEqual(coded["tensor_scale"][1], [40, 1])
                    amax = [max(map(abs, values[300 * r:300 * r + 300])) for r in range(40)]
                    want = [float(model.nearest32(Fraction(a) / 2688)) for a in amax]
                    self.assertEqual(tensor_files.values_of(coded["tensor_scale"]), want)

    def test_tiles_need_two_axes(self):
        tensor_files.write_npy(self.path("x.npy"), (64,), normal_values(64, 9))
        words = ("quantize", "x.npy", "-o", "c.safetensors", "--format", "nvfp4-2d")
        self.assert_refused(*words, naming=["x.npy", "16x16", "last two axes"])
        tensor_files.write_npy(self.path("x.npy"), (8, 8), normal_values(64, 9))
        self.assert_refused(*words, "--axis", "0", naming=["x.npy", "--axis"])
        self.assert_refused(*words[:-1], "e2m1:ue4m3:16x16:row", naming=["tensor"])


class corrections_test(storage_case):
    def read(self, shape, seed, *words):
        self.values = normal_values(math.prod(shape), seed)
        tensor_files.write_npy(self.path("x.npy"), shape, self.values)
        return self.coded("--packing", "unpacked", *words)

    def stored_values(self, coded, prefix, span, bits, columns=128):
        """Values of codes, scales and macro-block factors, rounded once."""
        f, scale = model.ELEMENTS["e2m1"], model.e8m(0)
        codes, scales = coded[prefix + "codes"][2], coded[prefix + "scales"][2]
        dtype, _, data = coded[prefix + "macro_fractions"]
        fractions = struct.unpack(f"<{len(data) // (1 if dtype == 'U8' else 2)}"
                                  f"{'B' if dtype == 'U8' else 'H'}", data)
        per_row = -(-columns // span)
        return [model.nearest32(f.value(code) * scale.value(scales[i // 32]) /
                                (1 + Fraction(fractions[i // columns * per_row +
                                                        i % columns // span], 1 << bits)))
                for i, code in enumerate(codes)]

    def test_macro_blocks_and_residuals_are_all_in_the_file(self):
        for bits, dtype in ((8, "U8"), (10, "U16")):
            with self.subTest(bits=bits):
                coded, notes = self.read((4, 128), 10, "--format", f"mxfp4+mbs=64,{bits}+of=0.5")
                self.assertEqual(notes["format"], f"mxfp4+mbs=64,{bits}+of=0.5")
                self.assertEqual(set(coded), {
                    "codes", "scales", "macro_fractions", "residual.codes", "residual.scales",
                    "residual.macro_fractions"})
                self.assertEqual(coded["macro_fractions"][:2], (dtype, [4, 2]))
                first = self.stored_values(coded, "", 64, bits)
                second = self.stored_values(coded, "residual.", 64, bits)
                want = [float(model.nearest32(a + b / 2)) for a, b in zip(first, second)]
                self.assertEqual(self.decoded()[1], want)

    def test_selective_fallback_is_counted(self):
        self.read((8, 64), 11)
        result = self.run_json("quantize", "x.npy", "-o", "c.safetensors", "--format",
                             "mxfp4+of=0.5,amax:2.5")["tensors"][0]
        over = sum(max(map(abs, self.values[k:k + 32])) > 2.5 for k in range(0, 512, 32))
        self.assertEqual((result["granules"], result["fallen_back"]), (16, over))
        self.assertGreater(over, 0)
        self.assertLess(over, 16)
        coded, _ = tensor_files.read_safetensors(self.path("c.safetensors"))
        for b in range(16):
            kept = max(map(abs, self.values[32 * b:32 * b + 32])) > 2.5
            self.assertEqual(any(coded["residual.codes"][2][16 * b:16 * b + 16]), kept)
        self.assertIn("of 16 granules", self.run_command(
            "quantize", "x.npy", "-o", "c.safetensors", "--format",
            "mxfp4+of=0.5,amax:2.5").stdout)

    def test_rotations_gains_and_double_quantization_come_back(self):
        for words in (["mxfp4+rotate=32,random:7"], ["mxfp4+gain=3/4", "--rounding", "stochastic"],
                      ["nvfp4+rotate=16,fixed+of=1"], ["mxfp4+double"],
                      ["mxfp4+double+mbs=32,4", "--axis", "0"]):
            for packing in ("unpacked", "packed", "split-half"):
                with self.subTest(words=words, packing=packing):
                    self.values = normal_values(33 * 70, 12)
                    tensor_files.write_npy(self.path("x.npy"), (33, 70), self.values)
                    self.coded("--format", *words, "--packing", packing)
                    shape, got = self.decoded()
                    self.assertEqual(shape, [33, 70])
                    norm = sum(v * v for v in self.values)
                    error = sum((a - b) ** 2 for a, b in zip(got, self.values))
                    self.assertLess(error / norm, 0.05)
                    self.assertGreater(error, 0)

    def test_double_quantization_quantizes_the_other_axis_first(self):
        self.read((32, 64), 13, "--axis", "0")
        _, across = self.decoded()
        self.coded("--format", "mxfp4+double")
        twice = self.decoded()
        tensor_files.write_npy(self.path("x.npy"), (32, 64), across)
        self.coded()
        self.assertEqual(self.decoded(), twice)

    def test_corrections_that_do_not_fit(self):
        self.read((64,), 14)
        for name, why in (("mxfp4+mbs=48", "multiple"), ("nvfp4+mbs=64", "tensor scale"),
                          ("nvfp4-2d+of=0.5", "one row"), ("mxfp4+double", "two axes"),
                          ("e2m1:exact:32+of=1", "exact"), ("mxfp4+mbs=", "mbs=128"),
                          ("mxfp4+rotate=48", "16, 32, 64 or 128"), ("mxfp4+of=", "of=0.5"),
                          ("mxfp4+mb=128", "mbs"), ("mxfp4+gain=2", "3/4")):
            with self.subTest(format=name):
                self.assert_refused("quantize", "x.npy", "-o", "c.safetensors", "--format", name,
                                    naming=[why])
        for name in ("mxfp4+of=1", "mxfp4+double"):
            self.assert_refused("decompose", "x.npy", "--format", name, naming=["decompose"])
            self.assert_refused("explain", "1", "--format", name, naming=["one block"])

    def test_a_tensor_called_residual_is_not_taken_for_one(self):
        values = tensor_files.floats([32], normal_values(32, 15))
        tensor_files.write_safetensors(self.path("in.safetensors"),
                                       {"residual": values, "w": values})
        for name in ("mxfp4", "mxfp4+of=1"):
            self.run_command("quantize", "in.safetensors", "-o", "c.safetensors", "--format", name)
            self.run_command("dequantize", "c.safetensors", "-o", "y.safetensors")
            got, _ = tensor_files.read_safetensors(self.path("y.safetensors"))
            self.assertEqual(set(got), {"residual", "w"})
            self.assertEqual(got["residual"], got["w"])


class metadata_test(storage_case):
    def test_options_stand_in_for_missing_metadata(self):
        tensor_files.write_npy(self.path("x.npy"), (4, 96), normal_values(384, 16))
        for words in (["--format", "nvfp4"], ["--format", "mxfp8-e5m2"], ["--format", "mxint8"],
                      ["--format", "e2m1:e8m4:16", "--packing", "unpacked"],
                      ["--format", "mxfp4", "--packing", "split-half"]):
            with self.subTest(words=words):
                coded, _ = self.coded(*words)
                want = self.decoded()
                tensor_files.write_safetensors(self.path("bare.safetensors"), coded)
                self.assertEqual(self.decoded(*words, name="bare.safetensors"), want)

    def test_metadata_that_lie_are_refused(self):
        tensor_files.write_npy(self.path("x.npy"), (4, 64), normal_values(256, 17))
        coded, notes = self.coded("--format", "nvfp4", "--layout", "128x4")
        for key, value in (("format", "mxfp4"), ("format", "nvfp5"), ("format", "@x.npy"),
                           ("scale_rule", "flor"), ("rounding", "up"), ("layout", "linear"),
                           ("layout", "8x4"), ("packing", "unpacked"), ("axis", "0"),
                           ("axis", "9223372036854775807"), ("shape", "[4, 65]"),
                           ("shape", "[4, 9223372036854775807]"), ("shape", "[4, -64]"),
                           ("variant", "te.nvfp4"), ("variant", "te.nvfp5"), ("seed", "x"),
                           ("format", "nvfp4+of=1"), ("format", "e2m1:ue4m3:16:row")):
            with self.subTest(key=key, value=value):
                tensor_files.write_safetensors(self.path("bad.safetensors"), coded,
                                               {**notes, key: value})
                self.assert_refused("dequantize", "bad.safetensors", "-o", "y.npy",
                                    naming=["bad.safetensors"])
        tensor_files.write_safetensors(self.path("bad.safetensors"), coded,
                                       {k: v for k, v in notes.items() if k != "format"})
        self.assert_refused("dequantize", "bad.safetensors", "-o", "y.npy",
                            naming=["bad.safetensors"])

    def test_arrays_that_the_format_has_not_are_refused(self):
        tensor_files.write_npy(self.path("x.npy"), (4, 64), normal_values(256, 17))
        coded, notes = self.coded("--format", "nvfp4")
        self.assert_refused("dequantize", "c.safetensors", "-o", "y.npy", "--format",
                            "e2m1:ue4m3:16", naming=["has the tensor scale"])
        coded["more"] = coded["scales"]
        tensor_files.write_safetensors(self.path("bad.safetensors"), coded, notes)
        self.assert_refused("dequantize", "bad.safetensors", "-o", "y.npy",
                            naming=["'more'", "does not belong"])

    def test_codes_with_too_many_bits_are_refused(self):
        tensor_files.write_npy(self.path("x.npy"), (32,), normal_values(32, 18))
        for name, limit in (("mxfp4", 15), ("mxfp6-e3m2", 63)):
            coded, notes = self.coded("--format", name, "--packing", "unpacked")
            dtype, shape, _ = coded["codes"]
            coded["codes"] = (dtype, shape, bytes([limit + 1]) * 32)
            tensor_files.write_safetensors(self.path("bad.safetensors"), coded, notes)
            self.assert_refused("dequantize", "bad.safetensors", "-o", "y.npy",
                                naming=["element 0", str(limit)])

    def test_macro_factors_with_too_many_bits_are_refused(self):
        values = [3.0, -1.5] * 128
        tensor_files.write_safetensors(self.path("x.safetensors"),
                                       {"x": tensor_files.floats([2, 128], values)})
        for form, array, wrong, most in (
                ("mxfp4+mbs=128,4", "macro_fractions", bytes([3, 200]), 15),
                ("mxfp4+mbs=128,4+of=0.5", "residual.macro_fractions", bytes([3, 16]), 15),
                ("mxfp4+mbs=128,12", "macro_fractions", bytes([255, 15, 0, 16]), 4095)):
            self.run_command("quantize", "x.safetensors", "-o", "c.safetensors", "--format", form)
            tensors, notes = tensor_files.read_safetensors(self.path("c.safetensors"))
            tensors[array] = (*tensors[array][:2], wrong)
            tensor_files.write_safetensors(self.path("c.safetensors"), tensors, notes)
            number = int.from_bytes(wrong[len(wrong) // 2:], "little")
            self.assert_refused("dequantize", "c.safetensors", "-o", "y.safetensors",
                                naming=("c.safetensors", array, f"element 1 is {number}",
                                        f"0 to {most}"))
            result = self.run_json("verify", "c.safetensors", "--input", "x.safetensors", "--format",
                                 form, status=1)
            self.assertEqual(result["first"]["what"], array)
            self.assertEqual(result["verdict"], "unexplained")

    def test_json_tells_the_canonical_spelling(self):
        tensor_files.write_npy(self.path("x.npy"), (32,), normal_values(32, 19))
        result = self.run_json("quantize", "x.npy", "-o", "c.safetensors", "--format",
                             "e2m1:e8m0:32+of=0.50+mbs=128")
        self.assertEqual(result["format"], "mxfp4+mbs=128,8+of=0.5")
        self.assertEqual(json.loads(json.dumps(result)), result)


if __name__ == "__main__":
    main()
