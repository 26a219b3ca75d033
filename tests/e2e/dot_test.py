# SPDX-License-Identifier: Apache-2.0
# tests/e2e/dot_test.py: dot-product-add words against exact fractions, and against words recorded
# on devices, which are kept beside the project.

import os
import random
import struct
from fractions import Fraction

import products_model as model
import tensor_files
from command_case import SOURCES, command_case, main

GENERIC = ("exact.rne", "exact.rz", "fp32.fma", "fp32.sequential", "fp32.pairwise")
WIDTH = {"f32": 32, "tf32": 32, "f16": 16, "bf16": 16, "e2m1": 4, "e2m3": 6, "e3m2": 6}
# File -> the model that must reproduce its words.
RECORDED = {"v100_fp16_fp32": "volta.mma.f16.f32", "v100_fp16_fp16": "volta.mma.f16.f16",
            "a100_bf16_fp32": "ampere.mma.bf16.f32", "a100_tf32_fp32": "ampere.mma.tf32.f32",
            "ada_e4m3_fp32": "ada.mma.e4m3.f32", "h200_bf16_fp32": "hopper.mma.bf16.f32",
            "h200_e4m3_fp32": "hopper.wgmma.e4m3.f32", "b200_fp16_fp32": "blackwell.mma.f16.f32",
            "b200_e4m3_fp32": "blackwell.mma.e4m3.f32", "model_mxf4": "blackwell.mxf4",
            "model_nvf4": "blackwell.mxf4nvf4",
            "model_mxf8f6f4_e4m3_e4m3": "blackwell.mxf8f6f4.e4m3.e4m3"}
ONE16, ONE32 = 0x3F80, 0x3F800000


def codes(width, shape, values):
    dtype, letter = {8: ("U8", "B"), 16: ("U16", "H"), 32: ("U32", "I")}[max(width, 8)]
    return (dtype, list(shape), struct.pack(f"<{len(values)}{letter}", *values))


def random_code(draw, name):
    """Any code, of numbers of close magnitude: half of the wide ones lie near 1."""
    width = WIDTH.get(name, 8)
    code = draw.getrandbits(width)
    if width < 16 or draw.random() < 0.1:
        return code
    exponent_bits = 5 if name == "f16" else 8
    place = width - 1 - exponent_bits
    field = (1 << (exponent_bits - 1)) - 1 + draw.randint(-9, 9)
    return code & ~(((1 << exponent_bits) - 1) << place) | field << place


def random_words(draw, a_name, b_name, vectors, k, scale=None, block=1):
    blocks = -(-k // block) if scale else 0
    words = []
    for _ in range(vectors):
        a = [random_code(draw, a_name) for _ in range(k)]
        b = [random_code(draw, b_name) for _ in range(k)]
        near = draw.randint(0, 120)
        scales = [[min(255, max(0, near + draw.randint(0, 9))) if draw.random() < 0.97 else
                   draw.choice([0, 255]) for _ in range(blocks)] for _ in range(2)]
        c = draw.choice([0, 0x80000000, 0x7F800000, 0x7FC00000, 1, draw.getrandbits(32)]
                        + [random_code(draw, "f32")] * 9)
        words.append((a, b, c, *scales))
    zeros = [0x80 if a_name.startswith("e4") else 0] * k
    return words + [(zeros, [0] * k, 0x80000000, [60] * blocks, [60] * blocks)]


def tensors_of(words, a_name, b_name, blocks, d=None):
    v, k = len(words), len(words[0][0])
    flat = [[x for w in words for x in w[i]] for i in (0, 1, 3, 4)]
    tensors = {"a": codes(WIDTH.get(a_name, 8), [v, k], flat[0]),
               "b": codes(WIDTH.get(b_name, 8), [v, k], flat[1]),
               "c": codes(32, [v], [w[2] for w in words])}
    if blocks:
        tensors["scale_a"] = codes(8, [v, blocks], flat[2])
        tensors["scale_b"] = codes(8, [v, blocks], flat[3])
    if d is not None:
        tensors["d"] = codes(32, [v], d)
    return tensors


class dot_test(command_case):
    def write(self, tensors, notes=None):
        tensor_files.write_safetensors(self.path("w.safetensors"), tensors, notes)

    def results(self, *words):
        report = self.run_json("dot", "w.safetensors", "-o", "d.safetensors", *words)
        tensors, notes = tensor_files.read_safetensors(self.path("d.safetensors"))
        self.assertEqual(notes, {"model": report["model"], "evidence": report["evidence"]})
        dtype, shape, data = tensors["d"]
        letter = {"U32": "I", "U16": "H", "F32": "I", "F16": "H"}[dtype]
        return list(struct.unpack(f"<{shape[0]}{letter}", data)), report

    def check_generic(self, a_name, b_name, k, seed, scale=None, block=1):
        draw = random.Random(seed)
        words = random_words(draw, a_name, b_name, 60, k, scale, block)
        blocks = -(-k // block) if scale else 0
        self.write(tensors_of(words, a_name, b_name, blocks))
        options = ["--a-format", a_name, "--b-format", b_name]
        if scale:
            options += ["--scale-format", scale, "--block", str(block)]
        for name in GENERIC:
            want = [model.dot(name, model.products(a_name, b_name, w[0], w[1], scale, w[3], w[4],
                                                   block), w[2]) for w in words]
            got, report = self.results("--model", name, *options)
            wrong = [(i, hex(g), hex(w)) for i, (g, w) in enumerate(zip(got, want)) if g != w]
            self.assertEqual(wrong, [], (name, a_name, b_name, scale))
            self.assertEqual((report["evidence"], report["vectors"], report["mismatches"]),
                             ("specification only", len(words), 0))
            self.assertIsNone(report["first"])
            self.assertIs(report["compared"], False)

    def test_generic_models_give_the_fractions_of_every_format(self):
        for seed, (a, b) in enumerate((("e2m1", "e2m1"), ("e4m3", "e5m2"), ("e2m3", "e3m2"),
                                       ("bf16", "bf16"), ("f16", "e4m3"), ("tf32", "tf32"),
                                       ("int8", "int8"))):
            with self.subTest(a=a, b=b):
                self.check_generic(a, b, 13, seed)

    def test_generic_models_give_the_fractions_under_scales(self):
        for seed, (a, b, scale, block) in enumerate((
                ("e2m1", "e2m1", "e8m0", 8), ("e2m1", "e2m1", "ue4m3", 4),
                ("e4m3", "e2m1", "ue8m0", 8), ("e5m2", "e5m2", "e8m0", 5))):
            with self.subTest(a=a, b=b, scale=scale):
                name = scale.replace("ue8m0", "e8m0")
                self.check_generic(a, b, 20, 50 + seed, name, block)
                report = self.run_json("dot", "w.safetensors", "--model", "exact.rne", "--a-format",
                                     a, "--b-format", b, "--scale-format", scale, "--block",
                                     str(block))
                self.assertEqual((report["scale"], report["block"]), (name, block))

    def test_words_beside_the_project_are_reproduced(self):
        folder = os.path.join(SOURCES, "..", "shared", "hardware-words")
        if not os.path.isdir(folder):
            self.skipTest("SKIPPED: hardware words, because ../shared/hardware-words is missing")
        files = [name[:-12] for name in os.listdir(folder) if name.endswith(".safetensors")]
        self.assertTrue(files)
        for name in files:
            with self.subTest(name=name):
                path = os.path.join(folder, name + ".safetensors")
                report = self.run_json("dot", path, "--model", RECORDED[name], "-o", "d.safetensors")
                self.assertEqual((report["mismatches"], report["compared"]), (0, True))
                self.assertGreater(report["vectors"], 0)
                got, _ = tensor_files.read_safetensors(self.path("d.safetensors"))
                recorded, _ = tensor_files.read_safetensors(path)
                self.assertEqual(got["d"], recorded["d"])
        other = os.path.join(folder, "a100_bf16_fp32.safetensors")
        report = self.run_json("dot", other, "--model", "hopper.mma.bf16.f32", status=1)
        self.assertGreater(report["mismatches"], 0)

    def two_words(self, d):
        """1 * 2^-10 + 1 * 1 + 2^-24 + 2^-16 in BF16, C = 2^-23; and zeros."""
        small = [0x3A80, ONE16, 0x3380, 0x3780]
        self.write({"a": codes(16, [2, 4], small + [0] * 4),
                    "b": codes(16, [2, 4], [ONE16] * 8),
                    "c": codes(32, [2], [0x33800000, 0x80000000]), "d": codes(32, [2], d)})

    def test_the_first_word_that_differs_is_told_with_its_intermediates(self):
        right = 0x3F802081
        self.two_words([right, 0])
        self.assertEqual(self.run_json("dot", "w.safetensors", "--model",
                                       "ampere.mma.bf16.f32")["mismatches"], 0)
        self.two_words([right, 1])
        report = self.run_json("dot", "w.safetensors", "--model", "ampere.mma.bf16.f32", status=1)
        self.assertEqual((report["mismatches"], report["first"]["index"]), (1, 1))
        self.two_words([right + 3, 1])
        report = self.run_json("dot", "w.safetensors", "--model", "ampere.mma.bf16.f32", status=1)
        first = report["first"]
        self.assertEqual((report["mismatches"], first["index"]), (2, 0))
        self.assertEqual((first["result"]["bits"], first["expected"]["bits"], first["distance"]),
                         ("0x3F802081", "0x3F802084", "-3 ULP"))
        self.assertEqual((first["a"], first["b"]), ([0x3A80, ONE16, 0x3380, 0x3780], [ONE16] * 4))
        self.assertEqual(first["step_count"], 1)
        step = first["steps"][0]
        self.assertEqual((step["largest_exponent"], step["window_unit"]), (0, -24))
        exponents = [t["exponent"] for t in step["terms"]]
        self.assertEqual(exponents, [-10, 0, -24, -16] + [-132] * 4)
        self.assertEqual([t["k"] for t in step["terms"]], [[k, k] for k in range(8)])
        self.assertEqual(step["sum"], str(sum(model.Fraction(1, 1 << n)
                                              for n in (10, 0, 24, 16, 24))))
        self.assertEqual((step["discarded"], step["why"]), ("0", ""))

    def test_what_is_cut_downward_is_lost_upward_and_no_exponent_is_none(self):
        # FP16, CDNA3: 240 * 240 has its last bit at 2^-10; C = -1.5 * 2^-11 becomes -2^-10.
        self.write({"a": codes(16, [1, 2], [0x5B80, 0]), "b": codes(16, [1, 2], [0x5B80, 0]),
                    "c": codes(32, [1], [0xBA400000])})
        report = self.run_json("dot", "w.safetensors", "--model", "cdna3.mfma.f16.f32",
                               "--explain", "0")
        step = report["explained"]["steps"][0]
        c = step["addend"]
        self.assertEqual((c["exact"], c["aligned"], c["lost"], c["why"]),
                         ("-3/4096", "-1/1024", "1/4096", "its last bits lie below the window"))
        self.assertEqual((step["largest_exponent"], step["terms"][1]["exponent"]), (14, None))
        self.write({"a": codes(8, [1, 2], [0, 0]), "b": codes(8, [1, 2], [0, 0]),
                    "c": codes(32, [1], [0])})
        report = self.run_json("dot", "w.safetensors", "--model", "cdna3.mfma.e4m3fnuz.f32",
                               "--explain", "0")
        step = report["explained"]["steps"][0]
        self.assertEqual((step["largest_exponent"], step["window_unit"]), (None, None))
        text = self.run_command("dot", "w.safetensors", "--model", "cdna3.mfma.e4m3fnuz.f32",
                                "--explain", "0").stdout
        self.assertIn("products from k 0 on; largest exponent none, no window", text)
        self.assertNotIn("-100000", text)

    def test_what_is_cut_off_is_told_with_its_reason(self):
        # 1 + 3 * 2^-25 + 2^-26 with C = 2^-24 in a window of 24 bits, to 23 bits toward zero.
        self.write({"a": codes(16, [1, 3], [ONE16, 0x33C0, 0x3280]),
                    "b": codes(16, [1, 3], [ONE16] * 3), "c": codes(32, [1], [0x33800000])})
        report = self.run_json("dot", "w.safetensors", "--model", "ampere.mma.bf16.f32",
                             "--explain", "0")
        step = report["explained"]["steps"][0]
        self.assertEqual([(t["aligned"], t["lost"], t.get("why", "")) for t in step["terms"][:3]],
                         [("1", "0", ""),
                          ("1/16777216", "1/33554432",
                           "its last bits lie below the window"),
                          ("0", "1/67108864", "all of it lies below the window")])
        self.assertEqual(step["addend"]["aligned"], "1/16777216")
        self.assertEqual((step["sum"], step["discarded"]), ("8388609/8388608", "0"))
        text = self.run_command("dot", "w.safetensors", "--model", "ampere.mma.bf16.f32",
                                "--explain", "0").stdout
        for words in ("recorded hardware", "A100", "word 0", "0x3F800001", "largest exponent 0",
                      "2^-24", "cut off 1/67108864: all of it lies below the window",
                      "zeros that fill the step: 5", "no d to compare with"):
            self.assertIn(words, text)
        self.write({"a": codes(16, [1, 1], [ONE16]), "b": codes(16, [1, 1], [ONE16]),
                    "c": codes(32, [1], [0x33800000])})
        report = self.run_json("dot", "w.safetensors", "--model", "ampere.mma.bf16.f32",
                             "--explain", "0")
        step = report["explained"]["steps"][0]
        self.assertEqual((step["discarded"], step["result"]["bits"]), ("1/16777216", "0x3F800000"))
        self.assertIn("rounded away", step["why"])

    def test_steps_name_their_k_and_special_operands_decide(self):
        ones = [0x38] * 40
        self.write({"a": codes(8, [1, 40], ones), "b": codes(8, [1, 40], ones),
                    "c": codes(32, [1], [ONE32])})
        report = self.run_json("dot", "w.safetensors", "--model", "blackwell.mma.e4m3.f32",
                             "--explain", "0")["explained"]
        self.assertEqual(report["result"]["exact"], "41")
        self.assertEqual([s["adds"] for s in report["steps"]], ["products", "products", "sums"] * 2)
        self.assertEqual([t["k"][0] for t in report["steps"][1]["terms"]],
                         [4 * i + j for i in range(8) for j in (2, 3)])
        kept = self.run_json("dot", "w.safetensors", "--model", "blackwell.mma.e4m3.f32",
                             "--explain", "0", "--steps", "2")["explained"]
        self.assertEqual((kept["step_count"], len(kept["steps"])), (6, 2))
        report = self.run_json("dot", "w.safetensors", "--model", "cdna3.mfma.e4m3fnuz.f32",
                             "--explain", "0")["explained"]
        self.assertEqual([t["k"][0] for t in report["steps"][0]["terms"]],
                         [*range(0, 16, 2), *range(1, 16, 2)])
        self.write({"a": codes(8, [1, 2], [0x38, 0x7F]), "b": codes(8, [1, 2], [0x38, 0x38]),
                    "c": codes(32, [1], [0xFF800000])})
        report = self.run_json("dot", "w.safetensors", "--model", "ada.mma.e4m3.f32",
                             "--explain", "0")["explained"]
        self.assertEqual(report["special_operands"], "a[1] = NaN, c = -Inf")
        self.assertEqual((report["result"]["value"], report["result"]["bits"]), ("NaN", "0x7FFFFFFF"))
        self.assertNotIn("terms", report["steps"][0])

    def test_metadata_name_formats_and_types_do(self):
        one, fp4 = [2] * 32, ("F4", [1, 32], b"\x22" * 16)
        c = codes(32, [1], [0])
        scales = codes(8, [1, 1], [127])
        notes = {"a_format": "e2m1", "b_format": "e2m1", "scale": "ue8m0", "block": "32"}
        self.write({"a": codes(8, [1, 32], one), "b": codes(8, [1, 32], one), "c": c,
                    "scale_a": scales, "scale_b": scales}, notes)
        self.assertEqual(self.results("--model", "exact.rne")[0], [0x42000000])
        self.write({"a": fp4, "b": fp4, "c": ("F32", [1], bytes(4)),
                    "scale_a": ("F8_E8M0", [1, 1], b"\x7f"),
                    "scale_b": ("F8_E8M0", [1, 1], b"\x80")})
        self.assertEqual(self.results("--model", "exact.rne")[0], [0x42800000])
        self.assertEqual(self.results("--model", "blackwell.mxf4")[0], [0x42800000])
        # The low nibble comes first: 16 times 0.5 * 1, not 1 * 1.
        self.write({"a": ("F4", [1, 32], b"\x21" * 16), "b": codes(8, [1, 32], [2, 0] * 16), "c": c,
                    "scale_a": scales, "scale_b": scales})
        self.assertEqual(self.results("--model", "blackwell.mxf4")[0], [0x41000000])
        for dtype, code, name in (("F16", 0x3C00, "f16"), ("BF16", ONE16, "bf16")):
            vector = (dtype, [1, 2], struct.pack("<2H", code, code))
            self.write({"a": vector, "b": vector, "c": c})
            got, report = self.results("--model", "fp32.fma")
            self.assertEqual((got, report["a_format"]), ([0x40000000], name))
        e4, e5 = ("F8_E4M3", [1, 2], b"\x38\x38"), ("F8_E5M2", [1, 2], b"\x3c\x3c")
        self.write({"a": e4, "b": e5, "c": c})
        self.assertEqual(self.results("--model", "fp32.fma")[0], [0x40000000])
        self.assertEqual(self.results("--model", "ada.mma.e4m3.f32", "--b-format", "e5m2")[0],
                         [0x40000000])

    def assert_explained(self, words, chosen):
        """A word printed step by step is computed alone, not by the bulk path."""
        got, _ = self.results(*words)
        for i in chosen:
            report = self.run_json("dot", "w.safetensors", *words, "--explain", str(i))
            self.assertEqual(int(report["explained"]["result"]["bits"], 16), got[i], (words, i))

    def test_many_words_have_the_results_of_each(self):
        draw = random.Random(11)
        words = random_words(draw, "e2m1", "e2m1", 2100, 64, "e8m0", 32)
        chosen = [0, 1023, 1024, 2100, *draw.sample(range(2100), 8)]
        self.write(tensors_of(words, "e2m1", "e2m1", 2))
        self.assert_explained(["--model", "blackwell.mxf4"], chosen)

    def test_words_of_any_length_have_the_results_of_each(self):
        draw = random.Random(13)
        for k, name, scale, block in ((96, "blackwell.mxf4", "e8m0", 32),
                                      (200, "blackwell.mxf4nvf4", "ue4m3", 16)):
            words = random_words(draw, "e2m1", "e2m1", 40, k, scale, block)
            self.write(tensors_of(words, "e2m1", "e2m1", -(-k // block)))
            self.assert_explained(["--model", name], draw.sample(range(40), 6))

    def test_differences_are_counted_over_all_words(self):
        """Words of many tasks; an odd K puts c and d at odd bytes of the file."""
        words = random_words(random.Random(14), "e2m1", "e2m1", 5000, 33, "e8m0", 32)
        self.write(tensors_of(words, "e2m1", "e2m1", 2))
        d, _ = self.results("--model", "blackwell.mxf4")
        wrong = {5000, 2600, 171}
        d = [bits ^ (i in wrong) for i, bits in enumerate(d)]
        self.write(tensors_of(words, "e2m1", "e2m1", 2, d))
        report = self.run_json("dot", "w.safetensors", "--model", "blackwell.mxf4", status=1)
        self.assertEqual((report["mismatches"], report["first"]["index"]), (3, 171))

    def test_the_first_of_several_bad_codes_is_named(self):
        """Several millions of codes, which are checked in pieces."""
        a = bytearray(4 << 20)
        a[3_500_000] = a[2_100_001] = 0x80
        shape = [1 << 17, 32]
        scales = ("U8", [shape[0], 1], bytes(shape[0]))
        self.write({"a": ("U8", shape, bytes(a)), "b": ("U8", shape, bytes(len(a))),
                    "c": ("U32", shape[:1], bytes(4 * shape[0])), "scale_a": scales,
                    "scale_b": scales})
        self.assert_refused("dot", "w.safetensors", "--model", "blackwell.mxf4",
                            naming=["'a'", "element 2100001 is 128"])

    def test_scales_of_more_than_a_byte(self):
        draw = random.Random(12)
        words = random_words(draw, "e4m3", "e4m3", 60, 20)
        tensors = tensors_of(words, "e4m3", "e4m3", 0)
        for name in ("scale_a", "scale_b"):
            scales = [random_code(draw, "f32") for _ in range(61 * 3)]
            tensors[name] = codes(32, [61, 3], scales)
        self.write(tensors)
        self.assert_explained(["--model", "exact.rne", "--a-format", "e4m3", "--b-format", "e4m3",
                               "--scale-format", "fp32", "--block", "8"], range(0, 61, 6))

    def test_results_in_fp16_have_its_bits(self):
        self.write({"a": codes(16, [1, 2], [0x3C00, 0x3C00]),
                    "b": codes(16, [1, 2], [0x3C00, 0x4000]),
                    "c": codes(16, [1], [0x3C00]), "d": codes(16, [1], [0x4400])})
        got, report = self.results("--model", "volta.mma.f16.f16")
        self.assertEqual((got, report["mismatches"]), ([0x4400], 0))

    def test_c_in_fp16_is_read_as_such_under_a_result_in_fp32(self):
        """2^-23 * 2^-24 lies outside the window that the subnormal 2^-24, read at -14, sets."""
        name = "volta.mma.f16.f32_c16"
        words = {"a": codes(16, [1, 1], [2]), "b": codes(16, [1, 1], [1])}
        self.write({**words, "c": codes(16, [1], [1]), "d": codes(32, [1], [0x33800000])})
        got, report = self.results("--model", name)
        self.assertEqual((got, report["mismatches"]), ([0x33800000], 0))
        self.assertEqual(self.run_json("formats", name)["found"][0]["c"], "f16")
        explained = self.run_json("dot", "w.safetensors", "--model", name, "--explain", "0")
        self.assertEqual(explained["explained"]["c"]["bits"], "0x0001")
        self.write({**words, "c": codes(32, [1], [1])})
        self.assert_refused("dot", "w.safetensors", "--model", name, naming=["'c'", "U32", "U16"])
        half = {"x": ("F16", [1, 1], b"\x00\x3c")}
        tensor_files.write_safetensors(self.path("x.safetensors"), half)
        self.assert_refused("gemm", "x.safetensors", "x.safetensors", "--model", name, "-o",
                            "d.safetensors", naming=["--model", "C in FP16", "volta.mma.f16.f32"])

    def doubles(self, shape, values):
        return ("F64", shape, struct.pack(f"<{len(values)}d", *values))

    def test_fp64_is_a_chain_of_fused_multiply_adds(self):
        draw = random.Random(13)
        a, b = ([draw.uniform(-4, 4) * 2.0 ** draw.randint(-30, 30) for _ in range(60)]
                for _ in range(2))
        c, want = [draw.uniform(-9, 9) for _ in range(15)], []
        for i, start in enumerate(c):
            sum_of = start
            for k in range(4 * i, 4 * i + 4):
                sum_of = float(Fraction(a[k]) * Fraction(b[k]) + Fraction(sum_of))
            want.append(sum_of)
        tensors = {"a": self.doubles([15, 4], a), "b": self.doubles([15, 4], b),
                   "c": self.doubles([15], c), "d": self.doubles([15], want)}
        for name in ("ampere.mma.f64.f64", "hopper.mma.f64.f64", "cdna3.mfma.f64.f64"):
            self.write(tensors)
            report = self.run_json("dot", "w.safetensors", "--model", name, "-o", "d.safetensors")
            self.assertEqual((report["vectors"], report["mismatches"]), (15, 0))
            written, notes = tensor_files.read_safetensors(self.path("d.safetensors"))
            self.assertEqual(written["d"], tensors["d"])
            self.assertEqual(notes["model"], name)
        wrong = want[:7] + [-want[7]] + want[8:]
        self.write({**tensors, "d": self.doubles([15], wrong)})
        report = self.run_json("dot", "w.safetensors", "--model", name, status=1)
        self.assertEqual((report["mismatches"], report["first"]["index"]), (1, 7))
        self.assertEqual(report["first"]["steps"][3]["result"], report["first"]["result"])
        text = self.run_command("dot", "w.safetensors", "--model", name, status=1).stdout
        self.assertIn("1 of 15 differ from d\n\nthe first difference\nword 7:", text)

    def test_fp64_is_refused_where_numbers_are_fp32(self):
        name = "ampere.mma.f64.f64"
        one = self.doubles([1, 1], [1.0])
        self.write({"a": one, "b": one, "c": codes(32, [1], [0])})
        self.assert_refused("dot", "w.safetensors", "--model", name, naming=["'c'", "U32", "F64"])
        self.write({"a": one, "b": self.doubles([1, 2], [1.0, 2.0]), "c": self.doubles([1], [0])})
        self.assert_refused("dot", "w.safetensors", "--model", name, naming=["'b'", "[1, 1]"])
        self.write({"a": one, "b": one, "c": self.doubles([1], [0])})
        self.assert_refused("dot", "w.safetensors", "--model", name, "--a-format", "f16",
                            naming=["--a-format", "FP64"])
        self.assert_refused("dot", "w.safetensors", "--model", name, "--explain", "1",
                            naming=["--explain 1", "1 word"])
        half = ("F16", [1, 1], b"\x00\x3c")
        for file in ("x", "d"):
            tensor_files.write_safetensors(self.path(f"{file}.safetensors"), {file: half})
        x = ["x.safetensors", "x.safetensors"]
        for words in (["gemm", *x, "-o", "y.safetensors"],
                      ["verify", "d.safetensors", "--gemm", *x]):
            self.assert_refused(*words, "--model", name, naming=[name, "FP64", "mxprism dot"])

    def test_no_words_and_no_elements_have_a_result(self):
        for shape, c in (([0, 8], []), ([3, 0], [ONE32, 0x80000000, 0x7F800001])):
            self.write({"a": codes(16, shape, []), "b": codes(16, shape, []),
                        "c": codes(32, [shape[0]], c), "d": codes(32, [shape[0]], c)})
            for name in ("ampere.mma.bf16.f32", "hopper.wgmma.bf16.f32"):
                got, report = self.results("--model", name)
                self.assertEqual((got, report["mismatches"]), (c, 0))
        report = self.run_json("dot", "w.safetensors", "--model", "ampere.mma.bf16.f32",
                             "--explain", "1")
        self.assertEqual(report["explained"]["steps"], [])

    def test_the_longest_sum_has_2_to_the_30_products(self):
        for name, code in (("ampere.mma.f64.f64", "F64"), ("ampere.mma.bf16.f32", "BF16")):
            for longer in (0, 1):
                a, c = (code, [0, 2**30 + longer], b""), ("F64" if code == "F64" else "F32", [0], b"")
                self.write({"a": a, "b": a, "c": c})
                words = ["dot", "w.safetensors", "--model", name]
                if longer:
                    self.assert_refused(*words, naming=["'a'", "2^30"])
                else:
                    self.assertEqual(self.run_json(*words)["k"], 2**30)

    def test_bad_words_are_refused_with_their_names(self):
        a, c = codes(8, [2, 32], [1] * 64), codes(32, [2], [0, 0])
        s = codes(8, [2, 1], [127, 127])
        good = {"a": a, "b": a, "c": c, "scale_a": s, "scale_b": s}
        table = [
            ({"b": codes(8, [2, 31], [1] * 62)}, ["'b'", "[2, 31]", "[2, 32]"]),
            ({"b": codes(8, [32], [1] * 32)}, ["'b'"]), ({"a": codes(8, [64], [1] * 64)}, ["'a'"]),
            ({"c": codes(32, [1], [0])}, ["'c'", "[1]", "[2]"]),
            ({"c": codes(16, [2], [0, 0])}, ["'c'", "U16", "U32"]),
            ({"d": codes(32, [2, 1], [0, 0])}, ["'d'"]), ({"d": codes(8, [2], [0, 0])}, ["'d'"]),
            ({"scale_a": codes(8, [2, 2], [1] * 4)}, ["'scale_a'", "[2, 2]", "[2, 1]"]),
            ({"scale_b": codes(8, [2], [1] * 2)}, ["'scale_b'"]),
            ({"scale_b": codes(16, [2, 1], [1] * 2)}, ["'scale_b'", "U16", "U8"]),
            ({"a": codes(8, [2, 32], [1] * 40 + [16] + [1] * 23)}, ["'a'", "element 40", "16"]),
            ({"a": codes(16, [2, 32], [1] * 64)}, ["'a'", "U16", "e2m1"]),
            ({"a": ("F8_E4M3", [2, 32], bytes(64))}, ["'a'", "F8_E4M3"]),
            ({"scale_a": None}, ["scale_a"]), ({"scale_a": None, "scale_b": None}, ["scale_a"]),
            ({"a": None}, ["'a'"]), ({"b": None}, ["'b'"]), ({"c": None}, ["'c'"])]
        for changes, naming in table:
            tensors = {n: t for n, t in {**good, **changes}.items() if t is not None}
            self.write(tensors)
            with self.subTest(naming=naming):
                self.assert_refused("dot", "w.safetensors", "--model", "blackwell.mxf4", "-o",
                                    "d.safetensors", naming=["w.safetensors", *naming])
        for notes, report in (({"a_format": "e4m3"}, "a_format"), ({"scale": "ue4m3"}, "scale"),
                            ({"block": "16"}, "16"), ({"block": "many"}, "block")):
            self.write(good, notes)
            self.assert_refused("dot", "w.safetensors", "--model", "blackwell.mxf4",
                                naming=["w.safetensors", report])

    def test_bad_options_are_refused_with_what_was_expected(self):
        a, s = codes(8, [1, 30], [1] * 30), codes(8, [1, 4], [127] * 4)
        self.write({"a": a, "b": a, "c": codes(32, [1], [0]), "scale_a": s, "scale_b": s})
        both = ("--a-format", "e2m1", "--b-format", "e2m1")
        for words, naming in (
                (("--model", "exact.rn"), ["did you mean `exact.rne`", "formats"]),
                (("--model", "nothing"), ["nothing", "formats"]), ((), ["--model"]),
                (("--model", "exact.rne"), ["tensor a", "--a-format"]),
                (("--model", "exact.rne", *both), ["--scale-format"]),
                (("--model", "exact.rne", *both, "--scale-format", "e8m0"), ["scale_a", "--block"]),
                (("--model", "exact.rne", "--scale-format", "e8m0", "--block", "8"),
                 ["tensor a", "--a-format"]),
                (("--model", "exact.rne", "--a-format", "e9m9"), ["--a-format", "e9m9"]),
                (("--model", "exact.rne", "--a-format", "mxfp4"), ["--a-format", "mxfp4"]),
                (("--model", "exact.rne", *both, "--scale-format", "exact"), ["--scale-format"]),
                (("--model", "exact.rne", *both, "--scale-format", "e8m0", "--block", "7"),
                 ["scale_a", "[1, 5]"]),
                (("--model", "exact.rne", "--block", "0"), ["--block"]),
                (("--model", "ada.mma.e4m3.f32"), ["scale_a", "no scales"]),
                (("--model", "blackwell.mxf4", "--a-format", "e4m3"), ["--a-format", "e2m1"]),
                (("--model", "exact.rne", *both, "--scale-format", "e8m0", "--block", "8",
                  "--explain", "1"), ["--explain", "1 word"]),
                (("--model", "exact.rne", *both, "--scale-format", "e8m0", "--block", "8", "-o",
                  "d.npy"), [".safetensors"])):
            with self.subTest(words=words):
                self.assert_refused("dot", "w.safetensors", *words, naming=naming)
        tf32 = codes(32, [1, 2], [ONE32] * 2)
        self.write({"a": tf32, "b": codes(16, [1, 2], [ONE16] * 2), "c": codes(32, [1], [0])})
        self.assert_refused("dot", "w.safetensors", "--model", "exact.rne", "--a-format", "tf32",
                            "--b-format", "bf16", naming=["tf32"])
        wide = codes(32, [1, 1], [ONE32])
        self.write({"a": wide, "b": wide, "c": codes(32, [1], [0]), "scale_a": wide,
                    "scale_b": wide})
        self.assert_refused("dot", "w.safetensors", "--model", "exact.rne", "--a-format", "f32",
                            "--b-format", "f32", "--scale-format", "fp32", naming=["no room"])

    def test_bad_files_are_refused(self):
        self.assert_refused("dot", "nowhere.safetensors", "--model", "exact.rne",
                            naming=["nowhere.safetensors"])
        with open(self.path("cut.safetensors"), "wb") as file:
            file.write(tensor_files.safetensors_bytes({"a": codes(8, [1, 4], [1] * 4)})[:-1])
        self.assert_refused("dot", "cut.safetensors", "--model", "exact.rne",
                            naming=["cut.safetensors"])


if __name__ == "__main__":
    main()
