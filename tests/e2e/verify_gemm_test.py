# SPDX-License-Identifier: Apache-2.0
# tests/e2e/verify_gemm_test.py: the models that a kernel's product is consistent with, and its
# distance from the nearest model if there is none.

import json
import os
import random
import struct
import xml.etree.ElementTree as xml
from fractions import Fraction

import products_model as model
import tensor_files
from command_case import command_case, main

LETTERS = {"F32": "I", "F16": "H", "BF16": "H"}


def exact(text):
    """A figure such as -0x1a3 * 2^-20."""
    digits, _, power = text.partition(" * 2^")
    return int(digits, 16) * Fraction(2) ** int(power or 0)


class verify_gemm_test(command_case):
    def setUp(self):
        super().setUp()
        self.draw = random.Random(7)

    def write_codes(self, name, lines, k, element="mxfp4", spread=12):
        """Codes a byte and scales over 2 * spread binades; returns both."""
        codes = [self.draw.randrange(16) for _ in range(lines * k)]
        scales = [127 + self.draw.randint(-spread, spread) for _ in range(lines * k // 32)]
        tensors = {"codes": ("U8", [lines, k], bytes(codes)),
                   "scales": ("U8", [lines, k // 32], bytes(scales))}
        notes = {"format": element, "packing": "unpacked", "block": "32", "axis": "1",
                 "shape": f"[{lines}, {k}]"}
        tensor_files.write_safetensors(self.path(name), tensors, notes)
        return codes, scales

    def operands(self, m=6, n=7, k=256, spread=12):
        self.k = k
        return self.write_codes("a.safetensors", m, k, spread=spread), self.write_codes(
            "b.safetensors", n, k, spread=spread)

    def numbers(self, name, shape, exponent=9):
        values = [self.draw.gauss(0, 1) * 2.0 ** self.draw.randint(-exponent, exponent)
                  for _ in range(shape[0] * shape[1])]
        halves = struct.pack(f"<{len(values)}e", *values)
        tensor_files.write_safetensors(self.path(name), {"x": ("F16", shape, halves)})

    def gemm(self, name, *words):
        self.run_command("gemm", "a.safetensors", "b.safetensors", "--model", name, "-o",
                         "d.safetensors", *words)

    def verify(self, *words, status=0):
        return self.run_json("verify", "d.safetensors", "--gemm", "a.safetensors",
                             "b.safetensors", *words, status=status)

    def change(self, work):
        """Lets work(words, shape) modify D in place."""
        tensors, notes = tensor_files.read_safetensors(self.path("d.safetensors"))
        dtype, shape, data = tensors["d"]
        words = [word for word, in struct.iter_unpack("<" + LETTERS[dtype], data)]
        work(words, shape)
        data = struct.pack(f"<{len(words)}{LETTERS[dtype]}", *words)
        tensor_files.write_safetensors(self.path("d.safetensors"), {"d": (dtype, shape, data)},
                                       notes)

    def test_the_model_that_computed_d_is_the_one_that_is_left(self):
        self.operands()
        names = ("blackwell.mxf4", "blackwell.mxf8f6f4.e2m1.e2m1", "exact.rne", "exact.rz",
                 "fp32.fma", "fp32.sequential", "fp32.pairwise", "vortex.tfr", "mxdotp.e2m1",
                 "mxdotp.e4m3")
        for name in names:
            with self.subTest(model=name):
                self.gemm(name)
                told = self.verify()
                self.assertEqual(told["verdict"], "exact")
                self.assertEqual(told["consistent_models"], [name])
                self.assertEqual({entry["model"] for entry in told["excluded"]},
                                 set(names) - {name})
                self.assertEqual(told["bound_exceeded"], 0)
                self.assertEqual(self.verify("--model", name)["mismatches"], 0)

    def test_the_first_element_that_excludes_a_model_is_the_first_by_exact_fractions(self):
        (codes_a, scales_a), (codes_b, scales_b) = self.operands(spread=3)
        k, blocks = self.k, self.k // 32
        self.gemm("blackwell.mxf4")
        told = self.verify("--model", "blackwell.mxf4")
        tensors, _ = tensor_files.read_safetensors(self.path("d.safetensors"))
        found = struct.unpack("<42I", tensors["d"][2])
        excluded = {entry["model"]: entry for entry in told["excluded"]}
        for name in ("exact.rne", "exact.rz", "fp32.fma", "fp32.sequential", "fp32.pairwise"):
            first = None
            for i in range(42):
                row, column = divmod(i, 7)
                terms = model.products(
                    "e2m1", "e2m1", codes_a[row * k:][:k], codes_b[column * k:][:k], "e8m0",
                    scales_a[row * blocks:][:blocks], scales_b[column * blocks:][:blocks], 32)
                expected = model.gemm_element(name, terms, 0)
                if first is None and expected != found[i]:
                    first = (row, column, f"0x{expected:08X}", f"0x{found[i]:08X}")
            with self.subTest(model=name):
                entry = excluded.get(name)
                got = entry and tuple(entry[key] for key in ("row", "column", "expected", "found"))
                self.assertEqual(got, first)
                self.assertEqual(name in told["consistent_models"], first is None)

    def test_another_accumulator_explains_d(self):
        self.operands()
        self.gemm("fp32.sequential")
        told = self.verify("--model", "blackwell.mxf4", status=1)
        self.assertEqual(told["verdict"], "explained")
        self.assertEqual(told["explanation"], [{"dimension": "accumulator",
                                                "expected": "blackwell.mxf4",
                                                "found": "fp32.sequential"}])
        self.assertGreater(told["mismatches"], 0)
        self.assertEqual(told["first"]["row"], 0)
        self.assertEqual(told["model"], "blackwell.mxf4")

    def test_another_plan_explains_d(self):
        self.operands(k=512)
        for words, dimension, expected, found in (
                (("--promote", "128"), "operation_order", "no promotion", "promotion every 128"),
                (("--split-k", "4", "--split-order", "pairwise"), "operation_order", "one part",
                 "4 parts in pairs"),
                (("--out", "bf16", "--out-rounding", "toward-zero"), "output_rounding",
                 "nearest-even", "toward-zero")):
            with self.subTest(words=words):
                self.gemm("blackwell.mxf4", *words)
                told = self.verify("--model", "blackwell.mxf4", status=1)
                self.assertEqual(told["verdict"], "explained")
                self.assertEqual(told["explanation"], [{"dimension": dimension,
                                                        "expected": expected, "found": found}])
                self.assertEqual(self.verify("--model", "blackwell.mxf4", *words)["verdict"],
                                 "exact")
        self.gemm("fp32.fma", "--promote", "128")
        told = self.verify("--model", "blackwell.mxf4", status=1)
        self.assertEqual([d["dimension"] for d in told["explanation"]],
                         ["accumulator", "operation_order"])

    def test_without_a_declared_model_every_explanation_names_its_own(self):
        self.operands(k=512)
        plan = {"dimension": "operation_order", "expected": "no promotion",
                "found": "promotion every 128"}
        self.gemm("blackwell.mxf4", "--promote", "128")
        told = self.verify(status=1)
        found = [told["explanation"], *told["ambiguous"]]
        self.assertIn([{"dimension": "accumulator", "expected": "any", "found": "blackwell.mxf4"},
                       plan], found)
        self.assertEqual(len(found), len({json.dumps(explanation) for explanation in found}))
        text = self.run_command("verify", "d.safetensors", "--gemm", "a.safetensors",
                                "b.safetensors", status=1).stdout
        self.assertIn("accumulator: blackwell.mxf4 instead of any; operation_order: promotion "
                      "every 128 instead of no promotion\n", text)

    def test_where_c_enters_and_tensor_scales(self):
        self.operands()
        c = [self.draw.gauss(0, 4096) for _ in range(42)]
        tensor_files.write_safetensors(self.path("c.safetensors"),
                                       {"c": tensor_files.floats([6, 7], c)})
        words = ("--model", "blackwell.mxf4", "--c", "c.safetensors")
        self.gemm("blackwell.mxf4", "--c", "c.safetensors", "--c-entry", "epilogue")
        told = self.verify(*words, status=1)
        self.assertEqual(told["explanation"][0]["found"], "C in the epilogue")
        self.assertEqual(self.verify(*words, "--c-entry", "epilogue")["verdict"], "exact")
        self.gemm("blackwell.mxf4")
        told = self.verify("--model", "blackwell.mxf4", "--alpha", "0.37", status=1)
        self.assertEqual(told["explanation"][0]["dimension"], "tensor_scale")

    def test_a_dropped_alpha_is_seen_beside_tensor_scales(self):
        for side, shape in (("a", [6, 64]), ("b", [64, 7])):
            self.numbers(f"{side}.safetensors", shape)
        self.gemm("blackwell.mxf4nvf4")
        told = self.verify("--model", "blackwell.mxf4nvf4", "--alpha", "0.37", status=1)
        self.assertEqual((told["verdict"], told["explanation"]), ("explained", [
            {"dimension": "tensor_scale", "expected": "alpha and both tensor scales",
             "found": "both tensor scales"}]))

    def test_a_flipped_bit_is_found_and_the_rest_is_within_the_bound(self):
        self.operands()
        self.gemm("blackwell.mxf4")

        def flip(words, _):
            words[3 * 7 + 5] ^= 1
        self.change(flip)
        told = self.verify("--model", "blackwell.mxf4", status=1)
        self.assertEqual((told["verdict"], told["mismatches"]), ("unexplained", 1))
        self.assertEqual((told["first"]["row"], told["first"]["column"]), (3, 5))
        entry = next(e for e in told["excluded"] if e["model"] == "blackwell.mxf4")
        self.assertEqual((entry["row"], entry["column"]), (3, 5))
        self.assertEqual(int(entry["expected"], 16) ^ int(entry["found"], 16), 1)
        self.assertEqual(told["bound_exceeded"], 0)
        self.assertEqual(told["consistent_models"], [])

    def test_a_kernel_that_drops_a_block_is_beyond_the_bound_with_exact_figures(self):
        (codes, scales), (codes_b, scales_b) = self.operands(spread=2)
        k, blocks = self.k, self.k // 32
        right = self.path("a.safetensors")
        with open(right, "rb") as file:
            kept = file.read()
        dropped = [0 if i % k >= k - 32 else code for i, code in enumerate(codes)]
        tensors, notes = tensor_files.read_safetensors(right)
        tensors["codes"] = ("U8", [6, k], bytes(dropped))
        tensor_files.write_safetensors(right, tensors, notes)
        self.gemm("blackwell.mxf4")
        with open(right, "wb") as file:
            file.write(kept)
        for words in (("--model", "blackwell.mxf4"), ()):
            told = self.verify(*words, status=1)
            self.assertEqual(told["verdict"], "unexplained")
            self.assertGreaterEqual(told["bound_exceeded"], 40)
        self.assertEqual(told["bound"]["class"], "fp32.fma")
        for which in ("first", "worst"):
            breach = told["bound"][which]
            row, column = breach["row"], breach["column"]
            value = sum(model.value("e2m1", codes[row * k + i]) *
                        model.value("e2m1", codes_b[column * k + i]) *
                        model.value("e8m0", scales[(row * k + i) // 32]) *
                        model.value("e8m0", scales_b[(column * k + i) // 32]) for i in range(k))
            self.assertEqual(exact(breach["exact"]), value)
            error = abs(Fraction(breach["found_value"]) - value)
            self.assertEqual(exact(breach["error"]), error)
            bound = exact(breach["bound"])
            self.assertEqual(breach["times"], error // bound)
            self.assertGreater(error, bound)

    def test_only_the_code_of_a_nan_differs(self):
        self.operands()
        tensors, notes = tensor_files.read_safetensors(self.path("a.safetensors"))
        scales = bytearray(tensors["scales"][2])
        scales[0] = 255
        tensors["scales"] = ("U8", [6, self.k // 32], bytes(scales))
        tensor_files.write_safetensors(self.path("a.safetensors"), tensors, notes)
        self.gemm("blackwell.mxf4")
        self.assertEqual(self.verify()["consistent_models"], ["blackwell.mxf4"])

        def canonical(words, _):
            for i in range(7):
                words[i] = 0x7FC00000
        self.change(canonical)
        told = self.verify("--model", "blackwell.mxf4", status=1)
        self.assertEqual((told["mismatches"], told["nan_code_mismatches"]), (7, 7))
        entry = next(e for e in told["excluded"] if e["model"] == "blackwell.mxf4")
        self.assertTrue(entry["nan_code_only"])
        self.assertEqual((entry["expected_value"], entry["found_value"]), ("NaN", "NaN"))
        self.assertFalse(next(e for e in told["excluded"] if e["model"] == "fp32.fma")
                         ["nan_code_only"])
        self.assertEqual(told["bound_exceeded"], 0)
        text = self.run_command("verify", "d.safetensors", "--gemm", "a.safetensors",
                                "b.safetensors", "--model", "blackwell.mxf4", status=1).stdout
        self.assertIn("only codes of NaN differ", text)

    def test_numbers_are_read_as_the_declared_model_reads_them_or_as_each_does(self):
        self.numbers("a.safetensors", [4, 128])
        self.numbers("b.safetensors", [128, 5])
        self.gemm("hopper.wgmma.f16.f32")
        same = ["hopper.mma.f16.f32", "hopper.wgmma.f16.f32", "blackwell.mma.f16.f32",
                "blackwell.tcgen05.f16.f32", "rtxblackwell.mma.f16.f32"]
        told = self.verify()
        self.assertEqual(told["consistent_models"], same)
        self.assertIn("blackwell.mxf4", [e["model"] for e in told["excluded"]])
        self.assertIn("ampere.mma.bf16.f32", [e["model"] for e in told["excluded"]])
        self.assertEqual(told["tell_apart"], [])
        told = self.verify("--model", "hopper.mma.f16.f32")
        self.assertEqual(told["consistent_models"], same)
        self.assertIn("fp32.fma", [e["model"] for e in told["excluded"]])
        self.assertNotIn("blackwell.mxf4", [e["model"] for e in told["excluded"]])
        self.gemm("fp32.fma", "--format", "none")
        told = self.verify("--model", "hopper.mma.f16.f32", status=1)
        self.assertEqual(told["explanation"][0]["found"], "fp32.fma")
        # Of two names of one arithmetic the declared one counts every element that differs.
        for name in ("hopper.mma.f16.f32", "hopper.wgmma.f16.f32"):
            counted = self.verify("--model", name, status=1)["mismatches"]
            self.assertGreater(counted, 1)
            self.assertEqual(counted, told["mismatches"])
        self.gemm("volta.mma.f16.f16")
        self.assertEqual(self.verify("--model", "volta.mma.f16.f16")["consistent_models"],
                         ["volta.mma.f16.f16"])

    def test_products_without_rows_are_exact_with_a_c_as_well(self):
        for m, n in ((0, 7), (6, 0), (0, 0)):
            with self.subTest(m=m, n=n):
                self.operands(m, n)
                tensor_files.write_safetensors(self.path("c.safetensors"), {"c": ("F32", [m, n], b"")})
                self.gemm("blackwell.mxf4", "--c", "c.safetensors")
                told = self.verify("--model", "blackwell.mxf4", "--c", "c.safetensors")
                self.assertEqual(told["verdict"], "exact")
                self.verify("--c", "c.safetensors")

    def test_matrices_may_lie_the_other_way_round(self):
        self.numbers("a.safetensors", [128, 4])
        self.numbers("b.safetensors", [5, 128])
        words = ("--a-order", "column-major", "--b-order", "column-major", "--d-order",
                 "column-major")
        self.gemm("ampere.mma.f16.f32", *words)
        told = self.verify("--model", "turing.mma.f16.f32", *words)
        self.assertEqual((told["verdict"], told["m"], told["n"], told["k"]), ("exact", 4, 5, 128))

    def test_people_read_the_same(self):
        self.operands(spread=0)
        self.gemm("blackwell.mxf4")
        words = ("verify", "d.safetensors", "--gemm", "a.safetensors", "b.safetensors")
        text = self.run_command(*words).stdout
        self.assertIn("models agree on these operands", text)
        self.assertIn("blackwell.mxf8f6f4.e2m1.e2m1: terms of one step whose exponents differ", text)
        self.assertTrue(text.endswith("verdict: exact\n"))
        self.change(lambda d, _: d.__setitem__(8, d[8] ^ 0x40000000))
        text = self.run_command(*words, "--model", "blackwell.mxf4", status=1).stdout
        for part in ("(1, 1): the model says 0x", "1 of 42 elements differ", "1 of 42 elements "
                     "exceed it", "first (1, 1)", "verdict: unexplained"):
            self.assertIn(part, text)

    def replay(self, folder, found="found.safetensors", status=1):
        """Runs the command of a bundle's README in its folder."""
        with open(self.path(folder, "README.txt"), encoding="utf-8") as file:
            text = file.read()
        command = next(line.split() for line in text.split("\n")
                       if line.startswith("  mxprism verify"))
        words = [self.path(folder, found if w == "found.safetensors" else w)
                 if w.endswith(".safetensors") else w for w in command[1:]]
        return self.run_json(*words, status=status), text

    def bundle(self, *words, status=1):
        told = self.verify(*words, "--repro", "bundle", status=status)
        again, text = self.replay("bundle")
        self.assertEqual((again["m"], again["n"], again["mismatches"]), (1, 1, 1))
        expected, _ = self.replay("bundle", "expected.safetensors", status=0)
        self.assertEqual(expected["verdict"], "exact")
        return told, again, text

    def test_a_bundle_of_a_wrong_bit_replays_it_without_zeros(self):
        (codes, scales), _ = self.operands(k=512)
        tensors, notes = tensor_files.read_safetensors(self.path("a.safetensors"))
        kept = [0 if 64 <= i % 512 < 448 else code for i, code in enumerate(codes)]
        tensors["codes"] = ("U8", [6, 512], bytes(kept))
        tensor_files.write_safetensors(self.path("a.safetensors"), tensors, notes)
        self.gemm("blackwell.mxf4")
        self.change(lambda d, _: d.__setitem__(2 * 7 + 4, d[2 * 7 + 4] ^ 0x100))
        told, again, text = self.bundle("--model", "blackwell.mxf4")
        self.assertEqual((told["first"]["row"], told["first"]["column"]), (2, 4))
        self.assertEqual(again["k"], 128)
        for key in ("expected", "found"):
            self.assertEqual(again["first"][key], told["first"][key])
            self.assertIn(told["first"][key], text)
        a, _ = tensor_files.read_safetensors(self.path("bundle", "a.safetensors"))
        line = kept[2 * 512:3 * 512]
        self.assertEqual(list(a["codes"][2]), line[:64] + line[448:])
        self.assertEqual(list(a["scales"][2]), scales[32:34] + scales[46:48])
        self.assertIn("128 of 512 elements of K: the others are in parts of zeros", text)
        # The steps are the model's, and dot replays them.
        self.assertIn("mxprism dot words.safetensors --model blackwell.mxf4", text)
        dot = self.run_json("dot", self.path("bundle", "words.safetensors"), "--model",
                            "blackwell.mxf4", status=1)
        self.assertEqual((dot["k"], dot["mismatches"]), (128, 1))

    def test_a_bundle_keeps_the_first_part_that_the_explanation_tells_apart(self):
        self.operands(k=512)
        self.gemm("blackwell.mxf4", "--promote", "128")
        told, again, text = self.bundle("--model", "blackwell.mxf4")
        self.assertEqual(again["explanation"], told["explanation"])
        self.assertGreater(again["k"], 128)
        self.assertEqual(again["k"] % 32, 0)
        self.assertIn(f"the first {again['k']} of 512 elements", text)
        self.assertIn(f"D has {told['first']['found']} (", text)
        # No shorter part does.
        k, row, column = again["k"] - 32, told["first"]["row"], told["first"]["column"]
        for name, line in (("a", row), ("b", column)):
            tensors, notes = tensor_files.read_safetensors(self.path(f"{name}.safetensors"))
            codes = tensors["codes"][2][line * 512:][:k]
            scales = tensors["scales"][2][line * 16:][:k // 32]
            tensor_files.write_safetensors(self.path(f"{name}.safetensors"), {
                "codes": ("U8", [1, k], codes), "scales": ("U8", [1, k // 32], scales)},
                {**notes, "shape": f"[1, {k}]"})
        self.gemm("blackwell.mxf4", "--promote", "128")
        self.assertEqual(self.verify("--model", "blackwell.mxf4")["verdict"], "exact")

    def test_bundles_of_numbers_c_and_alpha_replay_them(self):
        self.numbers("a.safetensors", [4, 128])
        self.numbers("b.safetensors", [128, 5])
        c = [self.draw.gauss(0, 4096) for _ in range(20)]
        tensor_files.write_safetensors(self.path("c.safetensors"),
                                       {"c": tensor_files.floats([4, 5], c)})
        rest = ("--c", "c.safetensors", "--alpha", "0.37", "--out", "f16")
        for model, more in (("hopper.mma.f16.f32", ()), ("fp32.fma", ("--format", "none")),
                            ("ampere.mma.tf32.f32", ())):
            with self.subTest(model=model):
                self.gemm(model, *rest, *more)
                self.change(lambda d, _: d.__setitem__(7, d[7] ^ 2))
                folder = "bundle of " + model
                told = self.verify("--model", model, *rest, *more, "--repro", folder, status=1)
                again, text = self.replay(folder)
                self.assertEqual((again["mismatches"], again["plan"]), (1, told["plan"]))
                for key in ("expected", "found"):
                    self.assertEqual(again["first"][key], told["first"][key])
                self.assertEqual(self.replay(folder, "expected.safetensors", 0)[0]["verdict"],
                                 "exact")
                self.assertIn("all 128 of 128 elements of K", text)

    def test_a_bundle_without_a_declared_model_is_against_what_it_is_told_by(self):
        self.operands()
        self.gemm("exact.rne")
        self.change(lambda d, _: d.__setitem__(0, d[0] ^ 0x40000000))
        self.verify("--repro", "bundle", status=1)
        again, text = self.replay("bundle")
        self.assertEqual((again["model"], again["mismatches"]), ("fp32.fma", 1))
        self.assertIn("by fp32.fma", text)
        # A second bundle replaces it; a D that is exact leaves none; other files are never replaced.
        self.verify("--repro", "bundle", status=1)
        self.assertEqual(self.replay("bundle")[1], text)
        self.gemm("exact.rne")
        for folder in ("nothing", "bundle"):
            self.verify("--repro", folder)
        self.assertFalse(os.path.exists(self.path("nothing")))
        self.assertEqual(os.listdir(self.path("bundle")), [])
        self.write_text("bundle/a.safetensors", "no bundle")
        self.assert_refused("verify", "d.safetensors", "--gemm", "a.safetensors", "b.safetensors",
                            "--model", "fp32.fma", "--repro", "bundle", naming=["--repro bundle"])

    def write_numbers(self, name, lines, k):
        values = [self.draw.gauss(0, 1) for _ in range(lines * k)]
        tensor_files.write_safetensors(self.path(name),
                                       {"x": tensor_files.floats([lines, k], values)})

    def product_of_files(self, a_words=(), b_words=()):
        """D of A and B that a kernel quantizes itself, each by its own rules."""
        for name, words in (("a", a_words), ("b", b_words)):
            self.run_command("quantize", f"{name}.safetensors", "-o", f"{name}_codes.safetensors",
                             "--packing", "unpacked", *words)
        self.run_command("gemm", "a_codes.safetensors", "b_codes.safetensors", "--model",
                         "fp32.sequential", "-o", "d.safetensors")

    def test_operands_that_the_kernel_quantizes_by_other_rules_are_named(self):
        for name, lines in (("a", 12), ("b", 9)):
            self.write_numbers(f"{name}.safetensors", lines, 256)
        words = ("--model", "fp32.sequential", "--b-order", "column-major", "--format", "mxfp4")
        self.product_of_files()
        self.assertEqual(self.verify(*words)["verdict"], "exact")
        ceil, cut = ("--scale-rule", "rceil"), ("--rounding", "toward-zero")
        for of_a, of_b, expected in (
                (ceil, ceil, ("scale_rule", "floor", "rceil in A and B")),
                (ceil, (), ("scale_rule", "floor", "rceil in A")),
                ((), cut, ("element_rounding", "nearest-even", "toward-zero in B")),
                (cut, cut, ("element_rounding", "nearest-even", "toward-zero in A and B"))):
            with self.subTest(found=expected):
                self.product_of_files(of_a, of_b)
                told = self.verify(*words, status=1)
                self.assertEqual(told["verdict"], "explained")
                self.assertEqual([tuple(told["explanation"][0][part] for part in
                                        ("dimension", "expected", "found"))], [expected])
                self.assertEqual((len(told["explanation"]), told["ambiguous"]), (1, []))
        self.product_of_files(ceil, cut)
        self.assertEqual(self.verify(*words, status=1)["verdict"], "unexplained")
        # Without a declared model, those that read A and B alike.
        self.product_of_files(ceil, ceil)
        told = self.verify(*words[2:], status=1)
        found = {tuple(change["found"] for change in one)
                 for one in (told["explanation"], *told["ambiguous"])}
        self.assertIn(("fp32.sequential", "rceil in A and B"), found)
        # What is declared is what is replaced; a preset has rules of its own.
        self.product_of_files()
        told = self.verify(*words, "--scale-rule", "ceil", status=1)
        self.assertEqual((told["explanation"][0]["expected"], told["explanation"][0]["found"]),
                         ("ceil", "floor in A and B"))
        told = self.verify(*words[:4], "--variant", "torchao.rceil", status=1)
        self.assertEqual(told["verdict"], "unexplained")

        told = self.verify(*words, "--rounding", "stochastic", "--seed", "7", status=1)
        self.assertEqual((told["explanation"][0]["expected"], told["explanation"][0]["found"]),
                         ("stochastic", "nearest-even in A and B"))

    def test_operands_by_other_rules_explain_every_element_or_nothing(self):
        for name, lines in (("a", 40), ("b", 30)):
            self.write_numbers(f"{name}.safetensors", lines, 64)
        self.product_of_files(*[("--scale-rule", "rceil")] * 2)
        words = ("--model", "fp32.sequential", "--b-order", "column-major", "--format", "mxfp4")
        self.assertEqual(self.verify(*words, status=1)["verdict"], "explained")
        for place in (371, 618, 1009):  # more than a sample looks at
            self.change(lambda d, shape, at=place: d.__setitem__(at, d[at] ^ 1))
            self.assertEqual(self.verify(*words, status=1)["verdict"], "unexplained")
            self.change(lambda d, shape, at=place: d.__setitem__(at, d[at] ^ 1))

    def test_operands_that_the_kernel_rounds_otherwise_are_named(self):
        for name, lines in (("a", 5), ("b", 6)):
            self.write_numbers(f"{name}.safetensors", lines, 64)
        words = ("--b-order", "column-major")
        self.gemm("hopper.wgmma.e4m3.f32", *words, "--rounding", "toward-zero")
        told = self.verify("--model", "hopper.wgmma.e4m3.f32", *words, status=1)
        self.assertEqual(told["explanation"], [{"dimension": "element_rounding",
                                                "expected": "nearest-even",
                                                "found": "toward-zero in A and B"}])

    def test_junit(self):
        self.operands()
        self.gemm("blackwell.mxf4")
        self.verify("--junit", "out.xml")
        suite = xml.parse(self.path("out.xml")).getroot()
        self.assertEqual((suite.tag, suite.get("tests"), suite.get("failures")),
                         ("testsuite", "1", "0"))
        self.assertEqual(suite.find("testcase").get("name"), "words of any model")
        told = self.verify("--model", "fp32.sequential", "--junit", "out.xml", status=1)
        suite = xml.parse(self.path("out.xml")).getroot()
        self.assertEqual((suite.get("tests"), suite.get("failures")), ("2", "1"))
        failure = suite.find("testcase/failure")
        self.assertEqual(failure.get("type"), "explained")
        self.assertIn(f"{told['mismatches']} of 42 elements differ; accumulator: blackwell.mxf4 "
                      "instead of fp32.sequential", failure.get("message"))
        self.assertIn(told["first"]["found"], failure.text)
        self.change(lambda d, _: d.__setitem__(8, 0x7F000000))
        self.verify("--model", "blackwell.mxf4", "--junit", "out.xml", status=1)
        suite = xml.parse(self.path("out.xml")).getroot()
        self.assertEqual((suite.get("tests"), suite.get("failures")), ("2", "2"))
        cases = suite.findall("testcase")
        self.assertEqual(cases[0].find("failure").get("type"), "unexplained")
        self.assertEqual(cases[1].get("name"), "bound of the class of blackwell.mxf4")
        self.assertIn("1 of 42 elements exceed", cases[1].find("failure").get("message"))
        self.assertIn("(1, 1)", cases[1].find("failure").text)

    def test_junit_without_a_declared_model_names_the_model_of_the_explanation(self):
        self.operands()
        self.gemm("blackwell.mxf4", "--split-k", "4")
        self.verify("--junit", "out.xml", status=1)
        failure = xml.parse(self.path("out.xml")).getroot().find("testcase/failure")
        self.assertEqual(failure.get("type"), "explained")
        self.assertIn("no model computes every element; accumulator: exact.rz instead of any; "
                      "operation_order: ", failure.get("message"))
        # The first model that computes D in four parts; the bound is that of fp32.fma.
        self.assertIn(": exact.rz says ", failure.text)

    def test_options_of_the_other_subject_are_refused(self):
        self.operands()
        self.gemm("blackwell.mxf4")
        gemm = ("verify", "d.safetensors", "--gemm", "a.safetensors", "b.safetensors")
        for words in (("--axis", "0"), ("--packing", "unpacked"), ("--layout", "128x4")):
            self.assert_refused(*gemm, *words, naming=[f"{words[0]}: a product has no codes"])
        self.run_command("explain", "1", "--save", "x.npy")
        self.run_command("quantize", "x.npy", "-o", "coded.safetensors")
        codes = ("verify", "coded.safetensors", "--input", "x.npy")
        self.run_command(*codes)
        for words in (("--model", "blackwell.mxf4"), ("--model", "nothing"),
                      ("--c", "c.safetensors"), ("--alpha", "2"), ("--promote", "32"),
                      ("--split-k", "2"), ("--split-order", "pairwise"), ("--c-entry", "epilogue"),
                      ("--out", "f16"), ("--out-rounding", "toward-zero"),
                      ("--a-order", "column-major"), ("--b-order", "column-major"),
                      ("--d-order", "column-major"), ("--b-format", "mxfp4")):
            self.assert_refused(*codes, *words, naming=[f"{words[0]}: for a product alone"])
        self.assert_refused(*codes, "--b-order", "row-major", "--alpha", "1", naming=[
            "--alpha, --b-order: for a product alone; add --gemm A B, or leave them out"])

    def test_bad_input_is_refused(self):
        self.operands()
        self.gemm("blackwell.mxf4")
        verify = ("verify", "d.safetensors")
        gemm = (*verify, "--gemm", "a.safetensors", "b.safetensors")
        self.assert_refused(*verify, naming=["--gemm"])
        self.assert_refused(*verify, "--gemm", "a.safetensors")
        self.assert_refused(*gemm, "--model", "blackwell.mxf5", naming=["blackwell.mxf4"])
        self.assert_refused(*gemm, "--model", "hopper.mma.f16.f32", naming=["takes no scales"])
        self.assert_refused(*gemm, "--out", "f16", naming=["'d': is F32", "--out says f16"])
        self.assert_refused(*gemm, "--scale-rule", "ceil", "--model", "blackwell.mxf4",
                            naming=["--scale-rule"])
        self.assert_refused("verify", "d.safetensors", "--gemm", "b.safetensors", "a.safetensors",
                            naming=["[6, 7]", "[7, 6]"])
        self.assert_refused("verify", "a.safetensors", "--gemm", "a.safetensors", "b.safetensors",
                            naming=["`d`"])
        self.write_codes("b.safetensors", 7, 128)
        self.assert_refused(*gemm, naming=["K = 128", "K = 256"])


if __name__ == "__main__":
    main()
