# SPDX-License-Identifier: Apache-2.0
# tests/e2e/gemm_test.py: whole products against exact fractions: how operands are quantized and how
# elements of D are assembled.

import json
import math
import random
import struct
from fractions import Fraction

import fractions_model
import products_model as model
import tensor_files
from command_case import command_case, main
from formats_test import of_power, of_quotient

E8M0, UE4M3 = fractions_model.e8m(0), fractions_model.ue4m3()
MXFP4 = ("e2m1", E8M0, "e8m0", 32, of_power("floor"), Fraction(1))
ONE = 0x3F800000


def single(x):
    return struct.unpack("<f", struct.pack("<f", x))[0]


def matrix(rows, columns, seed, spread=3):
    draw = random.Random(seed)
    return [[single(draw.choice([draw.gauss(0, 1), 0.0, -0.0, draw.randint(-8, 8)])
                    * 2.0 ** draw.randint(-spread, spread)) for _ in range(columns)]
            for _ in range(rows)]


def transposed(rows):
    return [list(column) for column in zip(*rows)]


def coded_lines(lines, kind):
    """Codes, scale bytes of each line, padded to whole blocks."""
    element, scale, _, block, choose, above = kind
    result = []
    for line in lines:
        codes, scales = [], []
        for first in range(0, len(line), block):
            values = line[first:first + block]
            values += [0.0] * (block - len(values))
            byte, elements = fractions_model.quantize(values, element, scale, choose, above)
            codes += elements
            scales.append(byte)
        result.append((codes, scales))
    return result


def nvfp4_of(rows):
    """NVFP4 with the tensor scale RNE32(amax / 2688)."""
    amax = max(abs(Fraction(v)) for row in rows for v in row)
    above = fractions_model.nearest32(amax / 2688)
    return ("e2m1", UE4M3, "ue4m3", 16, of_quotient(UE4M3), above)


class gemm_test(command_case):
    def write(self, name, rows):
        flat = [v for row in rows for v in row]
        tensor_files.write_safetensors(
            self.path(name), {"w": tensor_files.floats([len(rows), len(rows[0])], flat)})

    def product(self, *words, a="a.safetensors", b="b.safetensors"):
        """D as a list of bits, the command's JSON, and the metadata."""
        report = self.run_json("gemm", a, b, "-o", "d.safetensors", *words)
        tensors, notes = tensor_files.read_safetensors(self.path("d.safetensors"))
        self.assertEqual(set(tensors), {"d"})
        dtype, shape, data = tensors["d"]
        self.assertEqual(shape, [report["m"], report["n"]])
        letter = "I" if dtype == "F32" else "H"
        return list(struct.unpack(f"<{math.prod(shape)}{letter}", data)), report, notes

    def expected(self, name, a_lines, b_lines, kind_a, kind_b, c=None, **plan):
        want = []
        for i, (codes_a, scales_a) in enumerate(a_lines):
            for j, (codes_b, scales_b) in enumerate(b_lines):
                p = model.products(kind_a[0], kind_b[0], codes_a, codes_b, kind_a[2], scales_a,
                                   scales_b, kind_a[3])
                addend = 0 if c is None else c[i * len(b_lines) + j]
                want.append(model.gemm_element(name, p, addend, **plan))
        return want

    def operands(self, m, k, n, seed, kind=MXFP4):
        a, b = matrix(m, k, seed), matrix(k, n, seed + 1)
        self.write("a.safetensors", a)
        self.write("b.safetensors", b)
        return coded_lines(a, kind), coded_lines(transposed(b), kind)

    def test_numbers_are_quantized_along_k_on_both_sides(self):
        for seed, (format_name, element, rule) in enumerate((
                ("mxfp4", "e2m1", "floor"), ("mxfp4", "e2m1", "rceil"),
                ("mxfp8-e4m3", "e4m3", "floor"), ("mxfp6-e3m2", "e3m2", "even"))):
            kind = (element, E8M0, "e8m0", 32, of_power(rule), Fraction(1))
            a, b = self.operands(3, 45, 4, seed, kind)
            for name in ("exact.rne", "fp32.sequential", "fp32.pairwise", "fp32.fma"):
                with self.subTest(format=format_name, rule=rule, model=name):
                    got, report, notes = self.product("--model", name, "--format", format_name,
                                                    "--scale-rule", rule)
                    self.assertEqual(got, self.expected(name, a, b, kind, kind))
                    self.assertEqual((report["k"], report["k_padded"]), (45, 64))
                    self.assertEqual((report["a"]["format"], report["a"]["origin"]),
                                     (format_name, "quantized"))
                    self.assertEqual((notes["model"], notes["evidence"]),
                                     (name, "specification only"))
                    self.assertEqual(json.loads(notes["plan"]), report["plan"])

    def test_models_bring_their_formats_and_a_and_b_may_differ(self):
        a_rows, b_rows = matrix(2, 64, 5), matrix(64, 3, 6)
        self.write("a.safetensors", a_rows)
        self.write("b.safetensors", b_rows)
        kind_a = ("e4m3", E8M0, "e8m0", 32, of_power("floor"), Fraction(1))
        a, b = coded_lines(a_rows, kind_a), coded_lines(transposed(b_rows), MXFP4)
        got, report, _ = self.product("--model", "exact.rne", "--format", "mxfp8-e4m3",
                                    "--b-format", "mxfp4")
        self.assertEqual(got, self.expected("exact.rne", a, b, kind_a, MXFP4))
        got, report, _ = self.product("--model", "blackwell.mxf8f6f4.e4m3.e2m1")
        self.assertEqual((report["a"]["format"], report["b"]["format"]), ("mxfp8-e4m3", "mxfp4"))
        self.assertEqual(report["evidence"], "one model")
        _, report, _ = self.product("--model", "blackwell.mxf4")
        self.assertEqual((report["a"]["format"], report["evidence"]), ("mxfp4", "two models agree"))
        self.assertEqual(self.product("--model", "exact.rne")[1]["a"]["format"], "mxfp4")

    def test_the_elements_are_those_of_dot(self):
        """D of a device model, word by word through the other command."""
        a, b = self.operands(4, 128, 5, 30)
        got, _, _ = self.product("--model", "blackwell.mxf4")
        pairs = [(x, y) for x in a for y in b]
        def flat(side, part):
            return bytes(v for pair in pairs for v in pair[side][part])
        count = len(pairs)
        tensor_files.write_safetensors(self.path("w.safetensors"), {
            "a": ("U8", [count, 128], flat(0, 0)), "b": ("U8", [count, 128], flat(1, 0)),
            "scale_a": ("U8", [count, 4], flat(0, 1)), "scale_b": ("U8", [count, 4], flat(1, 1)),
            "c": ("U32", [count], bytes(4 * count)),
            "d": ("U32", [count], struct.pack(f"<{count}I", *got))})
        report = self.run_json("dot", "w.safetensors", "--model", "blackwell.mxf4")
        self.assertEqual((report["vectors"], report["mismatches"]), (20, 0))

    def test_nvfp4_tensor_scales_go_into_alpha(self):
        a_rows, b_rows = matrix(2, 40, 8), matrix(40, 3, 9)
        self.write("a.safetensors", a_rows)
        self.write("b.safetensors", b_rows)
        kind_a, kind_b = nvfp4_of(a_rows), nvfp4_of(b_rows)
        a, b = coded_lines(a_rows, kind_a), coded_lines(transposed(b_rows), kind_b)
        scales = model.multiply32(*(model.float_bits(float(k[5])) for k in (kind_a, kind_b)))
        # Numbers for which alpha * a, rounded and multiplied by b, differs.
        of_a, of_b = (model.float_bits(float(k[5])) for k in (kind_a, kind_b))
        told_apart = [n / 10 for n in range(1, 40) if model.multiply32(
            model.multiply32(model.float_bits(n / 10), of_a), of_b) != model.multiply32(
                model.float_bits(n / 10), scales)]
        self.assertGreater(len(told_apart), 1)
        for number in (None, -7.0, *told_apart[:3]):
            text, number = str(number) if number else None, number or 1.0
            alpha = model.multiply32(model.float_bits(number), scales)
            words = ["--alpha", text] if text else []
            got, report, _ = self.product("--model", "exact.rne", "--format", "nvfp4", *words)
            self.assertEqual(got, self.expected("exact.rne", a, b, kind_a, kind_b, alpha=alpha))
            self.assertEqual(report["plan"]["alpha_bits"], f"0x{alpha:08X}")
        self.assertEqual(self.product("--model", "blackwell.mxf4nvf4")[1]["a"]["format"], "nvfp4")

    def test_parts_promotions_and_addends(self):
        a, b = self.operands(2, 500, 2, 11)
        draw = random.Random(1)
        c = [model.float_bits(draw.gauss(0, 100)) for _ in range(4)]
        tensor_files.write_safetensors(self.path("c.safetensors"),
                                       {"c": ("F32", [2, 2], struct.pack("<4I", *c))})
        for promote in (0, 32, 96):
            for parts, order in ((1, "ascending"), (3, "ascending"), (5, "pairwise"),
                                 (8, "pairwise")):
                for entry in ("first-step", "epilogue"):
                    with self.subTest(promote=promote, parts=parts, order=order, entry=entry):
                        got, report, _ = self.product(
                            "--model", "fp32.sequential", "--promote", str(promote), "--split-k",
                            str(parts), "--split-order", order, "--c-entry", entry, "--c",
                            "c.safetensors", "--alpha", "1.1")
                        self.assertEqual(got, self.expected(
                            "fp32.sequential", a, b, MXFP4, MXFP4, c, promote=promote, parts=parts,
                            order=order, entry=entry, alpha=model.float_bits(1.1)))
                        self.assertEqual((report["plan"]["split_order"], report["plan"]["c_entry"]),
                                         (order, entry))

    def test_outputs_are_rounded_once_from_fp32(self):
        a, b = self.operands(8, 32, 8, 13)
        sums = self.expected("exact.rne", a, b, MXFP4, MXFP4)
        for out, fields in (("f16", (5, 10)), ("bf16", (8, 7))):
            for mode in ("nearest-even", "nearest-away", "nearest-zero", "toward-zero"):
                for alpha in (1.0, 3000.0):
                    with self.subTest(out=out, mode=mode, alpha=alpha):
                        got, _, _ = self.product("--model", "exact.rne", "--out", out,
                                                 "--out-rounding", mode, "--alpha", str(alpha))
                        scaled = [model.multiply32(x, model.float_bits(alpha)) for x in sums]
                        self.assertEqual(got, [
                            model.bits_of(*fields, model.number32(x), mode, bool(x >> 31),
                                          mode == "toward-zero") for x in scaled])
        for name in ("f32", "fp32"):
            got, report, _ = self.product("--model", "exact.rne", "--out", name)
            self.assertEqual((got, report["plan"]["out"]), (sums, "f32"))

    def test_codes_come_from_quantize_with_k_along_their_blocks(self):
        self.operands(3, 70, 4, 15)
        want = self.product("--model", "blackwell.mxf4", "--scale-rule", "rceil")[0]
        rows = tensor_files.read_safetensors(self.path("b.safetensors"))[0]["w"]
        values = tensor_files.values_of(rows)
        self.write("bt.safetensors", transposed([values[i:i + 4] for i in range(0, 280, 4)]))
        for packing, layout in (("packed", "linear"), ("unpacked", "128x4"),
                                ("split-half", "linear")):
            how = ("--scale-rule", "rceil", "--packing", packing, "--layout", layout)
            self.run_command("quantize", "a.safetensors", "-o", "ca.safetensors", *how)
            self.run_command("quantize", "bt.safetensors", "-o", "cb.safetensors", *how)
            got, report, _ = self.product("--model", "blackwell.mxf4", a="ca.safetensors",
                                        b="cb.safetensors")
            self.assertEqual((got, report["n"], report["k"]), (want, 4, 70))
            self.assertEqual((report["b"]["origin"], report["b"]["shape"]), ("stored", [4, 70]))
        self.run_command("quantize", "b.safetensors", "-o", "cb.safetensors", "--scale-rule",
                         "rceil", "--axis", "0")
        self.assertEqual(self.product("--model", "blackwell.mxf4", "--scale-rule", "rceil",
                                      b="cb.safetensors")[0], want)
        self.run_command("quantize", "a.safetensors", "-o", "ca.safetensors", "--format", "nvfp4")
        self.run_command("quantize", "bt.safetensors", "-o", "cb.safetensors", "--format", "nvfp4")
        self.assertEqual(self.product("--model", "fp32.pairwise", a="ca.safetensors",
                                      b="cb.safetensors")[0],
                         self.product("--model", "fp32.pairwise", "--format", "nvfp4")[0])

    def test_codes_of_six_bits_without_gaps(self):
        self.operands(3, 70, 4, 16)
        model_and_format = ("--model", "blackwell.mxf8f6f4.e2m3.e2m3", "--format", "mxfp6-e2m3")
        want = self.product(*model_and_format)[0]
        for packing in ("packed", "dense"):
            self.run_command("quantize", "a.safetensors", "-o", "ca.safetensors", "--format",
                             "mxfp6-e2m3", "--packing", packing)
            self.assertEqual(self.product(*model_and_format, a="ca.safetensors")[0], want)

    def test_codes_without_metadata_have_the_format_of_the_model(self):
        codes, scales = ("U8", [2, 16], b"\x22" * 32), ("U8", [2, 1], b"\x7f\x80")
        tensor_files.write_safetensors(self.path("a.safetensors"),
                                       {"codes": codes, "scales": scales})
        for name in ("blackwell.mxf4", "exact.rne"):
            got, report, _ = self.product("--model", name, b="a.safetensors")
            self.assertEqual([model.number32(x) for x in got], [32, 64, 64, 128])
            self.assertEqual((report["k"], report["plan"]["alpha"]), (32, 1.0))

    def test_blocks_of_nvfp4_may_lie_under_no_tensor_scale(self):
        stored = {"codes": ("U8", [1, 16], b"\x22" * 16), "scales": ("U8", [1, 2], b"\x38\x40")}
        for notes in (None, {"format": "nvfp4"}):
            tensor_files.write_safetensors(self.path("a.safetensors"), stored, notes)
            got, report, _ = self.product("--model", "blackwell.mxf4nvf4", b="a.safetensors")
            self.assertEqual([model.number32(x) for x in got], [16 + 4 * 16])
            self.assertNotIn("tensor_scale", report["a"])
        stored["tensor_scale"] = ("F32", [1], struct.pack("<f", 0.5))
        tensor_files.write_safetensors(self.path("a.safetensors"), stored)
        got, report, _ = self.product("--model", "blackwell.mxf4nvf4", b="a.safetensors")
        self.assertEqual([model.number32(x) for x in got], [20])

    def test_models_without_scales_take_numbers_in_their_format(self):
        rows, columns = [[1.0, 1 + 2 ** -8, 3.0]], [[1.0], [1.0], [1 + 3 * 2 ** -8]]
        self.write("a.safetensors", rows)
        self.write("b.safetensors", columns)
        # 1 + 2^-8 is a tie of BF16 and becomes 1; 1 + 3 * 2^-8 becomes 1 + 2^-6.
        got, report, _ = self.product("--model", "hopper.mma.bf16.f32")
        self.assertEqual([model.number32(x) for x in got], [1 + 1 + 3 * (1 + Fraction(1, 64))])
        self.assertEqual((report["a"]["format"], report["a"]["origin"], report["a"]["rules"]),
                         ("bf16", "converted", "rounded nearest-even"))
        got, _, _ = self.product("--model", "hopper.mma.bf16.f32", "--rounding", "toward-zero")
        self.assertEqual([model.number32(x) for x in got], [2 + 3 * (1 + Fraction(1, 128))])
        got, report, _ = self.product("--model", "exact.rne", "--format", "none")
        exact = 1 + (1 + Fraction(1, 256)) + 3 * (1 + Fraction(3, 256))
        self.assertEqual(([model.number32(x) for x in got], report["a"]["rules"]),
                         ([exact], "as they are"))
        got, _, _ = self.product("--model", "volta.mma.f16.f16")
        self.assertEqual(got, [model.bits_of(5, 10, exact, "nearest-even")])
        half = struct.pack("<6H", *[0x3C00, 0x4000, 0x4200, 0x4400, 0x4500, 0x4600])
        tensor_files.write_safetensors(self.path("a.safetensors"), {"a": ("F16", [2, 3], half)})
        tensor_files.write_safetensors(self.path("b.safetensors"), {"b": ("F16", [3, 2], half)})
        got, report, _ = self.product("--model", "ampere.mma.f16.f32")
        self.assertEqual([model.number32(x) for x in got], [22, 28, 49, 64])
        eight = ("F8_E4M3", [2, 2], bytes([0x38, 0x40, 0x44, 0x48]))
        tensor_files.write_safetensors(self.path("a.safetensors"), {"a": eight, "b": eight})
        got, _, _ = self.product("--model", "ada.mma.e4m3.f32", b="a.safetensors")
        self.assertEqual([model.number32(x) for x in got], [7, 10, 15, 22])

    def test_vectors_and_empty_products(self):
        tensor_files.write_npy(self.path("x.npy"), (3,), [1.0, 2.0, 3.0])
        got, report, _ = self.product("--model", "exact.rne", a="x.npy", b="x.npy")
        self.assertEqual((got, report["m"], report["n"]), ([model.bits32(Fraction(14))], 1, 1))
        for m, k, n in ((0, 32, 2), (2, 0, 2), (2, 32, 0), (0, 0, 0)):
            for name in ("a", "b"):
                shape = [m, k] if name == "a" else [k, n]
                tensor_files.write_safetensors(
                    self.path(f"{name}.safetensors"),
                    {name: ("F32", shape, bytes(4 * math.prod(shape)))})
            for model_name in ("exact.rne", "blackwell.mxf4", "ampere.mma.bf16.f32"):
                with self.subTest(m=m, k=k, n=n, model=model_name):
                    self.assertEqual(self.product("--model", model_name)[0], [0] * (m * n))

    def test_zeros_that_fill_up_a_block_are_products(self):
        tensor_files.write_safetensors(self.path("c.safetensors"),
                                       {"c": ("U32", [1, 1], struct.pack("<I", 0x80000000))})
        for k, zero in ((32, 0x80000000), (33, 0)):
            self.write("a.safetensors", [[-0.0] * k])
            self.write("b.safetensors", [[1.0]] * k)
            for name in ("exact.rne", "fp32.sequential"):
                got, _, _ = self.product("--model", name, "--c", "c.safetensors")
                self.assertEqual(got, [zero])

    def test_c_is_taken_in_the_bits_of_the_result(self):
        self.operands(1, 32, 1, 17)
        plain = self.product("--model", "exact.rne")[0][0]
        for dtype, data in (("BF16", struct.pack("<H", 0x4280)), ("F16", struct.pack("<H", 0x5400)),
                            ("F32", struct.pack("<f", 64.0)),
                            ("U32", struct.pack("<I", model.float_bits(64.0)))):
            tensor_files.write_safetensors(self.path("c.safetensors"), {"x": (dtype, [1, 1], data)})
            got = self.product("--model", "exact.rne", "--c", "c.safetensors", "--c-entry",
                               "epilogue")[0]
            self.assertEqual(got, [model.add32(plain, model.float_bits(64.0))])

    def test_special_blocks_make_their_lines_nan(self):
        self.write("a.safetensors", [[math.nan] + [1.0] * 31, [1.0] * 32])
        self.write("b.safetensors", [[1.0]] * 32)
        got, report, _ = self.product("--model", "fp32.sequential")
        self.assertEqual(got, [model.NAN, model.bits32(Fraction(32))])
        self.assertEqual((report["a"]["special_blocks"], report["b"]["special_blocks"]), (1, 0))
        text = self.run_command("gemm", "a.safetensors", "b.safetensors", "--model",
                                "fp32.sequential", "-o", "d.safetensors").stdout
        for words in ("specification only", "[2, 32] in mxfp4", "1 block with NaN or Inf",
                      "M = 2, N = 1, K = 32"):
            self.assertIn(words, text)

    def test_bad_input_is_refused_with_its_names(self):
        self.write("a.safetensors", [[1.0] * 32] * 2)
        self.write("b.safetensors", [[1.0] * 3] * 32)
        self.write("k.safetensors", [[1.0] * 3] * 33)
        three = ("F32", [1, 2, 16], bytes(128))
        many = {"x": tensor_files.floats([32, 1], [1.0] * 32), "y": three}
        wide = ("F64", [32, 1], bytes(256))
        tensor_files.write_safetensors(self.path("deep.safetensors"), {"w": three})
        tensor_files.write_safetensors(self.path("many.safetensors"), many)
        tensor_files.write_safetensors(self.path("wide.safetensors"), {"w": wide})
        for name, dtype, size in (("c32", "F32", 24), ("c64", "F64", 48)):
            tensor_files.write_safetensors(self.path(f"{name}.safetensors"),
                                           {"c": (dtype, [2, 3], bytes(size))})
        self.write("c.safetensors", [[1.0] * 2] * 2)
        self.write("inf.safetensors", [[math.inf]] * 32)
        self.run_command("quantize", "a.safetensors", "-o", "mx8.safetensors", "--format",
                         "mxfp8-e4m3")
        self.run_command("quantize", "a.safetensors", "-o", "mbs.safetensors", "--format",
                         "mxfp4+mbs=32,8")
        any_model = ("--model", "exact.rne")
        self.write("k40.safetensors", [[1.0] * 40])
        self.assert_refused("gemm", "k40.safetensors", "k.safetensors", *any_model, "-o",
                            "d.safetensors", naming=["K = 33", "K = 40"])
        self.write("turned.safetensors", [[1.0] * 40])
        self.assert_refused("gemm", "k40.safetensors", "turned.safetensors", *any_model, "-o",
                            "d.safetensors", naming=["K = 1 ", "it fits in the other --b-order"])
        for b, words, naming in (
                ("k.safetensors", any_model, ["k.safetensors", "'w'", "K = 33", "K = 32"]),
                ("deep.safetensors", any_model, ["deep.safetensors", "[1, 2, 16]", "(K, N)"]),
                ("many.safetensors", any_model, ["many.safetensors", "`b`"]),
                ("wide.safetensors", any_model, ["wide.safetensors", "F64", "F32"]),
                ("nowhere.safetensors", any_model, ["nowhere.safetensors"]),
                ("mbs.safetensors", any_model, ["mbs.safetensors", "correction"]),
                ("mx8.safetensors", ("--model", "blackwell.mxf4"), ["mx8.safetensors", "e2m1"]),
                ("mx8.safetensors", ("--model", "ada.mma.e4m3.f32"), ["no scales"]),
                ("mx8.safetensors", (*any_model, "--format", "mxfp4"),
                 ["mx8.safetensors", "mxfp8-e4m3", "--format asks for mxfp4"]),
                ("inf.safetensors", ("--model", "ada.mma.e4m3.f32"),
                 ["inf.safetensors", "element 0", "Inf"]),
                ("wide.safetensors", ("--model", "ampere.mma.bf16.f32"), ["F64"]),
                ("b.safetensors", ("--model", "exact.rn"), ["did you mean `exact.rne`"]),
                ("b.safetensors", (), ["--model"]),
                ("b.safetensors", (*any_model, "--format", "mxpf4"), ["did you mean `mxfp4`"]),
                ("b.safetensors", (*any_model, "--format", "mxfp4+mbs=128,8"), ["correction"]),
                ("b.safetensors", (*any_model, "--format", "e2m1:e8m3:32"), ["one byte"]),
                ("b.safetensors", (*any_model, "--format", "e2m1:e8m0:16x16"), ["along K"]),
                ("b.safetensors", (*any_model, "--format", "e2m1:ue4m3:16:row"), ["`tensor`"]),
                ("b.safetensors", (*any_model, "--b-format", "e2m1:e8m0:16"), ["one block size"]),
                ("b.safetensors", (*any_model, "--b-format", "none"), ["one block size"]),
                ("b.safetensors", ("--model", "blackwell.mxf4", "--format", "none"), ["scale"]),
                ("b.safetensors", ("--model", "blackwell.mxf4", "--format", "mxfp8-e4m3"),
                 ["blackwell.mxf4", "e2m1"]),
                ("b.safetensors", ("--model", "ampere.mma.bf16.f32", "--format", "mxfp4"),
                 ["without scales"]),
                ("b.safetensors", ("--model", "ampere.mma.bf16.f32", "--rounding", "stochastic"),
                 ["stochastic"]),
                ("b.safetensors", (*any_model, "--promote", "33"),
                 ["--promote: promote is 33; expected 0 or a multiple of the block, which is 32"]),
                ("b.safetensors", (*any_model, "--promote", "-1"), ["--promote"]),
                ("b.safetensors", (*any_model, "--split-k", "0"), ["--split-k"]),
                ("b.safetensors", (*any_model, "--split-k", "65537"), ["--split-k"]),
                ("b.safetensors", (*any_model, "--split-order", "pairs"), ["pairwise"]),
                ("b.safetensors", (*any_model, "--c-entry", "last"), ["epilogue"]),
                ("b.safetensors", (*any_model, "--out", "f64"), ["--out", "bf16"]),
                ("b.safetensors", (*any_model, "--out-rounding", "stochastic"),
                 ["--out-rounding", "nearest-even nearest-away nearest-zero toward-zero"]),
                ("b.safetensors", (*any_model, "--alpha", "two"), ["--alpha", "two"]),
                ("b.safetensors", ("--model", "volta.mma.f16.f16", "--split-k", "2"), ["f16"]),
                ("b.safetensors", (*any_model, "--c", "c.safetensors"),
                 ["c.safetensors", "[2, 2]", "[2, 3]"]),
                ("b.safetensors", (*any_model, "--c", "wide.safetensors"), ["wide.safetensors"]),
                ("b.safetensors", (*any_model, "--c", "c64.safetensors"),
                 ["c64.safetensors", "is F64; expected F32 or U32 with codes of f32"]),
                ("b.safetensors", ("--model", "volta.mma.f16.f16", "--c", "c32.safetensors"),
                 ["c32.safetensors", "is F32; expected F16 or U16 with codes of f16"]),
                ("b.safetensors", (*any_model, "-o", "d.npy"), [])):
            with self.subTest(b=b, words=words):
                out = () if "-o" in words else ("-o", "d.safetensors")
                self.assert_refused("gemm", "a.safetensors", b, *words, *out, naming=naming)
        self.assert_refused("gemm", "a.safetensors", "b.safetensors", *any_model,
                            naming=["--output"])


if __name__ == "__main__":
    main()
