# SPDX-License-Identifier: Apache-2.0
# tests/e2e/product_forms_test.py: operand forms of dot and gemm: A and B of two formats, either
# matrix order, four-bit elements; and options without effect.

import itertools
import random
import struct
from fractions import Fraction

import products_model as model
import tensor_files
from command_case import command_case, main

F8F6F4 = ("e2m1", "e2m3", "e3m2", "e4m3", "e5m2")


def number(text, code):
    return model.value(text, code)


class product_forms_test(command_case):
    def write(self, name, **tensors):
        tensor_files.write_safetensors(self.path(name), tensors)

    def rows(self, name, rows):
        flat = [v for row in rows for v in row]
        self.write(name, w=tensor_files.floats([len(rows), len(rows[0])], flat))

    def product(self, *words, a="a.safetensors", b="b.safetensors"):
        """D as stored in the file, its shape, and the command's JSON."""
        result = self.run_json("gemm", a, b, "-o", "d.safetensors", *words)
        dtype, shape, data = tensor_files.read_safetensors(self.path("d.safetensors"))[0]["d"]
        self.assertEqual(dtype, "F32")
        return list(struct.unpack(f"<{len(data) // 4}f", data)), shape, result

    def small_codes(self, draw, name, count):
        """Codes of small whole numbers and halves, whose sums are exact in every model."""
        fit = [c for c in range(64 if name.startswith("e2") or name == "e3m2" else 256)
               if (name != "e2m1" or c < 16) and number(name, c) != "nan"
               and abs(number(name, c)) <= 6 and (number(name, c) * 2).denominator == 1]
        return [draw.choice(fit) for _ in range(count)]

    def test_every_pair_of_f8f6f4_has_a_name_for_dot_and_gemm(self):
        draw = random.Random(3)
        for a_name, b_name in itertools.product(F8F6F4, F8F6F4):
            pair = a_name if a_name == b_name else f"{a_name}.{b_name}"
            a, b = (self.small_codes(draw, n, 8) for n in (a_name, b_name))
            want = sum(number(a_name, x) * number(b_name, y) for x, y in zip(a, b))
            self.write("w.safetensors", a=("U8", [1, 8], bytes(a)), b=("U8", [1, 8], bytes(b)),
                       c=("U32", [1], bytes(4)),
                       d=("U32", [1], struct.pack("<I", model.bits32(want))))
            self.write("a.safetensors", x=("U8", [1, 8], bytes(a)))
            self.write("b.safetensors", x=("U8", [8, 1], bytes(b)))
            for name in (f"blackwell.tcgen05.{pair}.f32", f"rtxblackwell.mma.{pair}.f32"):
                with self.subTest(name=name):
                    result = self.run_json("dot", "w.safetensors", "--model", name)
                    self.assertEqual((result["mismatches"], result["model"]), (0, name))
                    self.assertEqual((result["a_format"], result["b_format"]), (a_name, b_name))
                    got, _, result = self.product("--model", name)
                    self.assertEqual(got, [float(want)])
                    self.assertEqual((result["a"]["format"], result["b"]["format"]), (a_name, b_name))
                    found = self.run_json("formats", name)["found"][0]
                    self.assertEqual((found["a"], found["b"], found["evidence"]),
                                     (a_name, b_name, result["evidence"]))

    def test_a_pair_of_formats_has_its_own_evidence(self):
        one = {"a": ("U8", [1, 2], b"\x38\x38"), "b": ("U8", [1, 2], b"\x3c\x3c"),
               "c": ("U32", [1], bytes(4))}
        self.write("w.safetensors", **one)
        for requested, told_name, evidence in (
                ("ada.mma.e4m3.f32", "ada.mma.e4m3.e5m2.f32", "two models agree"),
                ("hopper.mma.e4m3.f32", "hopper.mma.e4m3.e5m2.f32", "one model")):
            result = self.run_json("dot", "w.safetensors", "--model", requested, "--b-format", "e5m2")
            self.assertEqual((result["model"], result["evidence"]), (told_name, evidence))
        result = self.run_json("dot", "w.safetensors", "--model", "ada.mma.e4m3.f32")
        self.assertEqual(result["evidence"], "recorded hardware")
        result = self.run_json("dot", "w.safetensors", "--model", "ada.mma.e4m3.f32", "--a-format",
                             "e5m2", "--b-format", "e5m2")
        self.assertEqual((result["model"], result["evidence"]),
                         ("ada.mma.e5m2.f32", "recorded hardware"))
        self.write("a.safetensors", x=("F8_E4M3", [1, 2], b"\x38\x38"))
        self.write("b.safetensors", x=("F8_E5M2", [2, 1], b"\x3c\x3c"))
        got, _, result = self.product("--model", "ada.mma.e4m3.f32")
        self.assertEqual((got, result["model"], result["evidence"]),
                         ([2.0], "ada.mma.e4m3.e5m2.f32", "two models agree"))
        notes = tensor_files.read_safetensors(self.path("d.safetensors"))[1]
        self.assertEqual(notes["model"], "ada.mma.e4m3.e5m2.f32")
        self.assert_refused("dot", "w.safetensors", "--model", "ada.mma.e4m3.f32", "--b-format",
                            "e2m1", naming=["one of e4m3 e5m2"])
        self.assert_refused("dot", "w.safetensors", "--model", "ada.mma.e4m3.e5m2.f33",
                            naming=["did you mean `ada.mma.e4m3.e5m2.f32`"])

    def test_numbers_are_rounded_to_the_format_of_their_side(self):
        # 1.25 is representable in E5M2, and in E2M1 a tie that goes to 1.
        self.rows("a.safetensors", [[1.25, 1.0]])
        self.rows("b.safetensors", [[1.25], [0.0]])
        got, _, result = self.product("--model", "blackwell.tcgen05.e5m2.e2m1.f32")
        self.assertEqual((got, result["a"]["rules"]), ([1.25], "rounded nearest-even"))
        self.rows("b.safetensors", [[1.75], [0.0]])
        got, _, result = self.product("--model", "blackwell.tcgen05.e2m1.e5m2.f32")
        self.assertEqual(got, [1.75])

    def test_an_inf_stays_inf_where_large_numbers_saturate(self):
        inf = float("inf")
        self.rows("a.safetensors", [[-inf], [-1e30], [1e30]])
        self.rows("b.safetensors", [[1.0]])
        for name, large in (("hopper.wgmma.e5m2.f32", 57344.0), ("ampere.mma.f16.f32", inf),
                            ("blackwell.tcgen05.e5m2.e2m1.f32", 57344.0)):
            with self.subTest(name=name):
                self.assertEqual(self.product("--model", name)[0], [-inf, -large, large])
        self.assert_refused("gemm", "a.safetensors", "b.safetensors", "--model",
                            "ada.mma.e4m3.f32", "-o", "d.safetensors", naming=["element 0", "Inf"])

    def test_four_bits_an_element_are_taken_one_by_one(self):
        codes = [draw % 16 for draw in random.Random(9).sample(range(1000), 24)]
        packed = bytes(codes[i] | codes[i + 1] << 4 for i in range(0, 24, 2))
        self.write("a.safetensors", x=("F4", [4, 6], packed))
        self.write("b.safetensors", x=("F4", [6, 4], packed))
        values = [number("e2m1", c) for c in codes]
        want = [float(sum(values[6 * i + k] * values[4 * k + j] for k in range(6)))
                for i in range(4) for j in range(4)]
        for words in (("--model", "blackwell.tcgen05.e2m1.f32"),
                      ("--model", "exact.rne", "--format", "none")):
            got, shape, result = self.product(*words)
            self.assertEqual((got, shape), (want, [4, 4]))
            self.assertEqual((result["a"]["format"], result["a"]["rules"]), ("e2m1", "as they are"))

    def test_matrices_lie_in_either_order(self):
        draw = random.Random(5)
        m, k, n = 3, 37, 5
        a = [[float(draw.randint(-4, 4)) for _ in range(k)] for _ in range(m)]
        b = [[float(draw.randint(-4, 4)) for _ in range(n)] for _ in range(k)]
        c = [[float(draw.randint(-4, 4)) for _ in range(n)] for _ in range(m)]
        turned = lambda rows: [list(column) for column in zip(*rows)]
        flat = lambda rows: [v for row in rows for v in row]
        want = [[sum(a[i][x] * b[x][j] for x in range(k)) + c[i][j] for j in range(n)]
                for i in range(m)]
        orders = ("row-major", "column-major")
        for of_a, of_b, of_d in itertools.product(orders, repeat=3):
            for name, rows, order in (("a", a, of_a), ("b", b, of_b), ("c", c, of_d)):
                self.rows(f"{name}.safetensors", turned(rows) if order != "row-major" else rows)
            for words in (("--model", "exact.rne", "--format", "e4m3:e8m0:16"),
                          ("--model", "exact.rne", "--format", "none"),
                          ("--model", "ampere.mma.bf16.f32")):
                with self.subTest(a=of_a, b=of_b, d=of_d, words=words):
                    got, shape, result = self.product("--a-order", of_a, "--b-order", of_b,
                                                    "--d-order", of_d, "--c", "c.safetensors",
                                                    *words)
                    self.assertEqual(shape, [m, n] if of_d == "row-major" else [n, m])
                    self.assertEqual(got, flat(want if of_d == "row-major" else turned(want)))
                    self.assertEqual((result["m"], result["n"], result["k"], result["order"]),
                                     (m, n, k, of_d))
        self.assert_refused("gemm", "a.safetensors", "b.safetensors", "--model", "exact.rne", "-o",
                            "d.safetensors", "--a-order", "rows", naming=["--a-order", "row-major"])
        self.run_command("quantize", "a.safetensors", "-o", "coded.safetensors")
        self.assert_refused("gemm", "coded.safetensors", "b.safetensors", "--model", "exact.rne",
                            "-o", "d.safetensors", "--a-order", "column-major",
                            naming=["--a-order", "coded.safetensors"])

    def test_parts_begin_with_a_block_whatever_its_size(self):
        """Powers of two: every block has another scale, and every sum is exact."""
        draw = random.Random(6)
        a = [2.0 ** draw.randint(-3, 3) for _ in range(200)]
        b = [2.0 ** draw.randint(-3, 3) for _ in range(200)]
        self.rows("a.safetensors", [a])
        self.rows("b.safetensors", [[v] for v in b])
        want = float(sum(Fraction(x) * Fraction(y) for x, y in zip(a, b)))
        for block in (1, 12, 24, 32, 48, 96, 100):
            for words in ((), ("--split-k", "2"), ("--split-k", "7", "--split-order", "pairwise"),
                          ("--split-k", "3", "--promote", str(2 * block))):
                with self.subTest(block=block, words=words):
                    got, _, _ = self.product("--model", "exact.rne", "--format",
                                             f"e5m2:e8m0:{block}", *words)
                    self.assertEqual(got, [want])

    def test_alpha_that_fp32_does_not_have_is_refused(self):
        self.rows("a.safetensors", [[1.0]])
        self.rows("b.safetensors", [[1.0]])
        for alpha, want in (("0x1p-149", 2.0 ** -149), ("3.4028235e38", 3.4028234663852886e38),
                            ("-inf", float("-inf")), ("-0.5", -0.5)):
            self.assertEqual(self.product("--model", "exact.rne", "--alpha", alpha)[0], [want])
        for alpha, shown in (("1e39", "Inf"), ("-1e400", "Inf"), ("1e-46", "zero"), ("two", "number"),
                             ("", "number"), ("1 2", "number")):
            self.assert_refused("gemm", "a.safetensors", "b.safetensors", "--model", "exact.rne",
                                "-o", "d.safetensors", "--alpha", alpha, naming=["--alpha", shown])

    def test_options_that_would_change_nothing_are_refused(self):
        self.rows("a.safetensors", [[1.0] * 32])
        self.rows("b.safetensors", [[1.0]] * 32)
        self.run_command("quantize", "a.safetensors", "-o", "coded.safetensors")
        coded, plain = ("coded.safetensors",) * 2, ("a.safetensors", "b.safetensors")
        for operands, words, option in (
                (coded, ("--model", "blackwell.mxf4", "--scale-rule", "ceil"), "--scale-rule"),
                (coded, ("--model", "blackwell.mxf4", "--rounding", "toward-zero"), "--rounding"),
                (coded, ("--model", "blackwell.mxf4", "--seed", "1"), "--seed"),
                (coded, ("--model", "blackwell.mxf4", "--random-bits", "4"), "--random-bits"),
                (coded, ("--model", "blackwell.mxf4", "--byte-map", "ptx"), "--byte-map"),
                (plain, ("--model", "ampere.mma.tf32.f32", "--rounding", "toward-zero"),
                 "--rounding"),
                (plain, ("--model", "exact.rne", "--format", "none", "--rounding", "toward-zero"),
                 "--rounding"),
                (plain, ("--model", "ampere.mma.bf16.f32", "--seed", "1"), "--seed")):
            with self.subTest(words=words):
                self.assert_refused("gemm", *operands, *words, "-o", "d.safetensors",
                                    naming=[option])
        # One side is enough.
        self.product("--model", "blackwell.mxf4", "--scale-rule", "ceil", a="coded.safetensors")
        self.product("--model", "ampere.mma.bf16.f32", "--rounding", "toward-zero")
        self.write("w.safetensors", a=("U8", [1, 2], b"\x38\x38"), b=("U8", [1, 2], b"\x38\x38"),
                   c=("U32", [1], bytes(4)))
        both = ("--a-format", "e4m3", "--b-format", "e4m3")
        for words, naming in (
                (("--model", "exact.rne", *both, "--block", "2"), ["--block", "scale_a"]),
                (("--model", "exact.rne", *both, "--scale-format", "e8m0"), ["--scale-format"]),
                (("--model", "ada.mma.e4m3.f32", "--block", "2"), ["--block", "no scales"]),
                (("--model", "ada.mma.e4m3.f32", "-o", ""), ["--output", "expected OUT"]),
                (("--model", "ada.mma.e4m3.f32", "--explain", "-1"), ["--explain", "whole number"]),
                (("--model", "ada.mma.e4m3.f32", "--steps", "2.5"), ["--steps", "whole number"]),
                (("--model", "ada.mma.e4m3.f32", "--steps", "99999999999999999999"), ["--steps"])):
            with self.subTest(words=words):
                self.assert_refused("dot", "w.safetensors", *words, naming=naming)
        tensors = tensor_files.read_safetensors(self.path("w.safetensors"))[0]
        tensor_files.write_safetensors(self.path("w.safetensors"), tensors, {"scale": "ue8m0"})
        self.assert_refused("dot", "w.safetensors", "--model", "exact.rne", *both,
                            naming=["w.safetensors", "`scale`", "missing"])
        tensor_files.write_safetensors(self.path("w.safetensors"), tensors, {"a_format": "\x1b[1m"})
        self.assertNotIn("\x1b", self.run_command("dot", "w.safetensors", "--model", "exact.rne",
                                                  status=2).stderr)

    def test_rules_that_a_file_does_not_tell_are_not_invented(self):
        self.write("a.safetensors", codes=("U8", [1, 16], b"\x22" * 16),
                   scales=("U8", [1, 1], b"\x7f"))
        _, _, result = self.product("--model", "blackwell.mxf4", b="a.safetensors")
        self.assertEqual(result["a"]["rules"], "by rules that the file does not tell")
        self.rows("x.safetensors", [[1.0] * 32])
        self.run_command("quantize", "x.safetensors", "-o", "a.safetensors", "--scale-rule", "ceil")
        _, _, result = self.product("--model", "blackwell.mxf4", b="a.safetensors")
        self.assertEqual(result["a"]["rules"], "ceil, nearest-even")
        self.assert_refused("gemm", "a.safetensors", "a.safetensors", "--model",
                            "ampere.mma.bf16.f32", "-o", "d.safetensors",
                            naming=["a.safetensors", "takes no scales"])


if __name__ == "__main__":
    main()
