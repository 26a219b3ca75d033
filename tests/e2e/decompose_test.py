# SPDX-License-Identifier: Apache-2.0
# tests/e2e/decompose_test.py: a whole model decomposed: by kind of tensor, and by the scale's precision.

import random
import struct

import tensor_files
from browser_case import browser_case
from command_case import command_case, main

NAMES = ("model.embed.weight", "model.layers.0.q_proj.weight", "model.layers.0.experts.7.up.weight",
         "model.layers.0.experts.11.up.weight", "model.layers.1.q_proj.weight", "7.q_proj.weight",
         "v2.weight", "blk.10", "")
KINDS = {"model.embed.weight": [0], "model.layers.*.q_proj.weight": [1, 4],
         "model.layers.*.experts.*.up.weight": [2, 3], "*.q_proj.weight": [5], "v2.weight": [6],
         "blk.*": [7], "": [8]}
READ = """
const heads = [...document.querySelectorAll('.explored thead th')].map(head => head.textContent);
found.heads = heads;
found.drawings = [...document.querySelectorAll('main svg')].map(
    svg => svg.getAttribute('aria-label'));
found.links = [...document.querySelectorAll('nav a')].map(link => link.textContent);
found.tensors = [...document.querySelectorAll('.explored tbody tr')].length;
found.wide = document.documentElement.scrollWidth - document.documentElement.clientWidth;
"""


def write_model(path):
    draw = random.Random(3)
    numbers = [[draw.gauss(0, 2.0 ** k) for _ in range(64)] for k in range(len(NAMES))]
    tensor_files.write_safetensors(path, {
        name: ("F32", [2, 32], struct.pack("<64f", *numbers[k])) for k, name in enumerate(NAMES)})


def added(tensors, key):
    total = 0.0
    for t in tensors:
        total += t["sum_sq"][key]
    return total


class decompose_test(command_case):
    def decomposed(self, *words):
        write_model(self.path("m.safetensors"))
        return self.run_json("decompose", "m.safetensors", *words)

    def test_kinds_are_sums_of_tensors_whose_names_differ_in_numbers(self):
        found = self.decomposed()
        self.assertEqual([t["name"] for t in found["tensors"]], list(NAMES))
        self.assertEqual([k["name"] for k in found["kinds"]], list(KINDS))
        for kind in [*found["kinds"], found["whole"]]:
            parts = [found["tensors"][i] for i in KINDS.get(kind["name"], range(len(NAMES)))]
            self.assertEqual(kind["tensors"], len(parts))
            self.assertEqual(kind["blocks"], sum(t["blocks"] for t in parts))
            for key in parts[0]["sum_sq"]:
                self.assertEqual(kind["sum_sq"][key], added(parts, key))
            self.assertEqual(kind["ratio"]["grid"], added(parts, "grid") / added(parts, "total"))
        self.assertEqual(found["whole"]["name"], "all")
        self.assertNotIn("scale_precision", found)

    def test_each_precision_is_the_decomposition_under_its_scale(self):
        rule = ("--scale-rule", "rceil")
        found = self.decomposed(*rule, "--scale-precision", "8")["scale_precision"]
        self.assertEqual([p["fraction_bits"] for p in found], list(range(9)))
        for bits in (0, 1, 5, 8):
            one = self.decomposed("--format", f"e2m1:e8m{bits}:32", *rule)
            pairs = zip([*found[bits]["kinds"], found[bits]["whole"]], [*one["kinds"], one["whole"]])
            for mine, other in pairs:
                self.assertEqual(mine["name"], other["name"])
                self.assertEqual(mine["total"], other["sum_sq"]["total"])
                self.assertEqual(mine["sqnr_db"], other["sqnr_db"])
                floor = other["sum_sq"]["deadzone"] + other["sum_sq"]["grid"]
                self.assertEqual(mine["over_floor"], mine["total"] / floor)
        for kind in found[8]["kinds"]:
            self.assertLess(abs(kind["over_floor"] - 1), 0.01)

    def test_the_terminal_shows_both_tables(self):
        write_model(self.path("m.safetensors"))
        lines = self.run_command("decompose", "m.safetensors", "--scale-rule", "rceil",
                                 "--scale-precision", "3").stdout.splitlines()
        kinds = lines.index(next(line for line in lines if line.startswith("kinds: ")))
        self.assertEqual(len({len(line) for line in lines[kinds:kinds + 9]}), 1, "columns")
        self.assertEqual([line.split()[0] for line in lines[kinds + 1:kinds + 9]],
                         [f"'{name}'" for name in [*KINDS, "all"]])
        self.assertEqual([line.split()[0] for line in lines[-4:]], ["0", "1", "2", "3"])

    def test_without_a_rule_scales_with_fraction_bits_are_ideal(self):
        found = self.decomposed("--scale-precision", "2")["scale_precision"]
        self.write_text("f.toml", "element = 'e2m1'\n")
        for form in ("mxfp4", "@f.toml"):
            self.assertEqual(self.decomposed("--scale-precision", "2", "--format", form)
                             ["scale_precision"], found)
        for bits, rule in enumerate(("floor", "ideal", "ideal")):
            one = self.decomposed("--format", f"e2m1:e8m{bits}:32", "--scale-rule", rule)
            self.assertEqual(found[bits]["whole"]["total"], one["whole"]["sum_sq"]["total"])

    def test_rules_of_powers_of_two_do_not_use_fraction_bits(self):
        write_model(self.path("m.safetensors"))
        words = ("decompose", "m.safetensors", "--scale-precision", "4")
        for rule in ("floor", "ceil", "even", "midmax", "overflow-aware", "quest"):
            self.assert_refused(*words, "--scale-rule", rule,
                                naming=["--scale-precision", f"scale rule {rule} ", "rceil or ideal"])
            self.write_text("f.toml", f"element = 'e2m1'\nscale_rule = '{rule}'\n")
            self.assert_refused(*words, "--format", "@f.toml", naming=[f"scale rule {rule} "])
        for rule in ("rceil", "floor6", "static-4", "ideal", "mse"):
            found = self.run_json(*words, "--scale-rule", rule)["scale_precision"]
            self.assertEqual(len({p["whole"]["total"] for p in found}), 5, rule)

    def test_figures_of_no_error_and_of_no_numbers_are_a_dash_and_inf(self):
        zeros, exact = struct.pack("<32f", *[0.0] * 32), struct.pack("<32f", *[1.0, 4.0] * 16)
        tensor_files.write_safetensors(self.path("m.safetensors"), {
            "zeros": ("F32", [1, 32], zeros), "exact": ("F32", [1, 32], exact)})
        text = self.run_command("decompose", "m.safetensors", "--scale-precision", "1",
                                "--report", "p.html").stdout
        with open(self.path("p.html"), encoding="utf-8") as file:
            self.assertIn("<td>Inf</td><td>1.0000</td>", file.read())
        self.assertNotIn("nan", text)
        self.assertIn("SQNR - dB, gain -\n", text)
        self.assertIn("SQNR inf dB, gain 1.00000\n", text)
        kinds = {line.split()[0]: line.split()[2:] for line in text.splitlines()
                 if line.startswith("  '")}
        self.assertEqual(kinds["'zeros'"], ["-"] * 6)
        self.assertEqual(kinds["'exact'"], ["inf"] + ["-"] * 5)

    def test_the_page_measures_by_the_largest_number_of_the_format(self):
        tensor_files.write_safetensors(self.path("m.safetensors"), {
            "one": ("F32", [1, 32], struct.pack("<32f", *range(32)))})
        for form, largest in (("mxfp4", "6, the largest number of e2m1."),
                              ("e1m2:e8m0:32", "3.5, the largest number of e1m2."),
                              ("mxfp8-e4m3", "448, the largest number of e4m3.")):
            self.run_command("decompose", "m.safetensors", "--format", form, "--report", "p.html",
                             "--scale-precision", "1")
            with open(self.path("p.html"), encoding="utf-8") as file:
                page = file.read()
            self.assertIn("s* = amax / " + largest, page)
            self.assertNotIn(">all<", page)  # of one tensor the whole is no line of its own

    def test_a_preset_is_refused_by_its_name(self):
        write_model(self.path("m.safetensors"))
        self.assert_refused("decompose", "m.safetensors", "--variant", "torchao.rceil",
                            naming=["--variant torchao.rceil has no single quantizer"])

    def test_other_scales_than_e8m0_have_no_precision_to_add(self):
        write_model(self.path("m.safetensors"))
        for form in ("nvfp4", "e2m1:e8m2:32", "e2m1:exact:32", "fp8-1x128"):
            self.assert_refused("decompose", "m.safetensors", "--format", form,
                                "--scale-precision", "2", naming=["--scale-precision", form])
        for bits in ("0", "9", "-1", "x"):
            self.assert_refused("decompose", "m.safetensors", "--scale-precision", bits,
                                naming=["--scale-precision"])


class decompose_page_test(browser_case):
    def test_a_model_is_drawn(self):
        write_model(self.path("m.safetensors"))
        self.run_command("decompose", "m.safetensors", "--scale-rule", "rceil",
                         "--scale-precision", "4", "--report", "p.html")
        found = self.opened(self.path("p.html"), READ)
        self.assertEqual(found["links"], ["Shares of the error's energy", "Cosines of the parts",
                                          "Precision of the scale", "Tensors"])
        self.assertEqual(len(found["drawings"]), 3)
        self.assertEqual(found["tensors"], len(NAMES))
        self.assertIn("SQNR, dB", found["heads"])
        narrow = self.opened(self.path("p.html"), READ, "--window-size=500,900")
        self.assertLessEqual(narrow["wide"], 0, "wider than the screen")


if __name__ == "__main__":
    main()
