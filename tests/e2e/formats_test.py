# SPDX-License-Identifier: Apache-2.0
# tests/e2e/formats_test.py: every format, rule and rounding of the command against exact fractions.

import math
import re
import struct
from fractions import Fraction

import fractions_model as model
import tensor_files
from command_case import command_case, main
from tensors_test import hard_values

E8M0 = model.e8m(0)
MX = {"mxfp4": "e2m1", "mxfp6-e2m3": "e2m3", "mxfp6-e3m2": "e3m2", "mxfp8-e4m3": "e4m3",
      "mxfp8-e5m2": "e5m2", "mxint8": "int8"}
POWER_RULES = ("floor", "ceil", "even", "rceil", "floor6", "midmax", "overflow-aware")
MODES = ("nearest-even", "nearest-away", "nearest-zero", "toward-zero")


def of_power(rule):
    return lambda f, amax, _: max(0, min(254, model.shared_exponent(f, rule, amax) + 127))


def of_quotient(scale):
    return lambda f, amax, _: scale.nearest(amax / f.largest)


def squared_error(f, scale, byte, values):
    s = scale.value(byte)
    return sum((f.values[f.rounded(abs(x) / s, "nearest-even")] * s - abs(x)) ** 2 for x in values)


def mse(f, amax, values):
    base = of_power("rceil")(f, amax, values)
    best = base
    for candidate in (base - 1, base + 1):
        if base != 254 and 0 <= candidate and (
                squared_error(f, E8M0, candidate, values) < squared_error(f, E8M0, best, values)):
            best = candidate
    return best


def blocks_of(values, size):
    return [values[k:k + size] + [0.0] * (size - len(values[k:k + size]))
            for k in range(0, len(values), size)]


class formats_test(command_case):
    def write(self, values, name="x.npy"):
        tensor_files.write_npy(self.path(name), (len(values),), values)

    def quantized(self, *words):
        self.run_command("quantize", "x.npy", "-o", "c.safetensors", "--packing", "unpacked",
                         *words)
        return tensor_files.read_safetensors(self.path("c.safetensors"))

    def dequantized(self, *words):
        self.run_command("dequantize", "c.safetensors", "-o", "y.npy", *words)
        return tensor_files.read_npy(self.path("y.npy"))[1]

    def check(self, values, size, words, quantize, scale, name, above=Fraction(1)):
        """Codes, scales and decoded values of the command against those of the model."""
        self.write(values)
        coded, notes = self.quantized(*words)
        codes, scales, decoded = [], [], []
        f = model.ELEMENTS[name]
        for number, block in enumerate(blocks_of(values, size)):
            byte, elements = quantize(number, block)
            scales.append(byte)
            codes += elements
            decoded += [math.nan if byte == scale.nan else
                        model.as_float(f.value(c) * scale.value(byte) * above) for c in elements]
        self.assertEqual(list(coded["codes"][2]), codes)
        width = {"U8": "B", "U16": "H", "U32": "I"}[coded["scales"][0]]
        self.assertEqual(list(struct.unpack(f"<{len(scales)}{width}", coded["scales"][2])), scales)
        got = self.dequantized()
        same = [a == b or (math.isnan(a) and math.isnan(b)) for a, b in zip(got, decoded)]
        self.assertEqual(len(got), len(values))
        self.assertTrue(all(same), [i for i, s in enumerate(same) if not s][:5])
        return coded, notes

    def test_every_mx_format_under_every_rule_of_powers_of_two(self):
        values = hard_values(7 * 32 + 5, 3) + [math.nan] + [1.0] * 31
        for name, element in MX.items():
            for rule in POWER_RULES:
                with self.subTest(format=name, rule=rule):
                    self.check(values, 32, ("--format", name, "--scale-rule", rule),
                               lambda _, b: model.quantize(b, element, E8M0, of_power(rule)),
                               E8M0, element)

    def test_every_rounding(self):
        values = hard_values(256, 4) + [k / 16 for k in range(-112, 112)]
        for name, element in MX.items():
            for mode in MODES:
                with self.subTest(format=name, rounding=mode):
                    self.check(values, 32, ("--format", name, "--rounding", mode),
                               lambda _, b: model.quantize(b, element, E8M0, of_power("floor"),
                                                           mode=mode), E8M0, element)

    def test_rules_that_search_or_divide(self):
        values = hard_values(512, 5)
        for rule, choose in (("mse", mse), ("ideal", of_quotient(E8M0)),
                             ("static-4", of_power("static-4"))):
            with self.subTest(rule=rule):
                self.check(values, 32, ("--scale-rule", rule),
                           lambda _, b: model.quantize(b, "e2m1", E8M0, choose), E8M0, "e2m1")

    def test_formats_of_ones_own(self):
        values = [v for v in hard_values(1000, 6)]
        for element, k, size in (("e2m1", 3, 32), ("e4m3fnuz", 1, 24), ("e5m2fnuz", 12, 7),
                                 ("e3m2", 8, 1), ("int8", 2, 64)):
            scale = model.e8m(k)
            for rule, choose in (("ideal", of_quotient(scale)),
                                 ("rceil", lambda f, amax, _: scale.bracket(amax / f.largest)[1])):
                with self.subTest(element=element, k=k, size=size, rule=rule):
                    _, notes = self.check(
                        values, size,
                        ("--format", f"{element}:e8m{k}:{size}", "--scale-rule", rule),
                        lambda _, b: model.quantize(b, element, scale, choose), scale, element)
                    self.assertEqual(notes["format"], f"{element}:e8m{k}:{size}")
                    self.assertEqual(notes["block"], str(size))

    def test_nvfp4_divides_exactly_and_rounds_once(self):
        values = [v for v in hard_values(640, 7) if abs(v) < 1e30] + [0.0] * 16 + [1e-44] * 16
        amax = max(abs(Fraction(v)) for v in values)
        above = model.nearest32(amax / 2688)
        scale = model.ue4m3()
        coded, _ = self.check(values, 16, ("--format", "nvfp4"),
                              lambda _, b: model.quantize(b, "e2m1", scale, of_quotient(scale),
                                                          above), scale, "e2m1", above)
        self.assertEqual(coded["tensor_scale"], tensor_files.floats([1], [float(above)]))
        self.assertIn(b"\0", coded["scales"][2])

    def test_a_tensor_of_zeros_has_the_tensor_scale_1(self):
        self.write([0.0, -0.0] * 8)
        coded, _ = self.quantized("--format", "nvfp4")
        self.assertEqual(coded["tensor_scale"], tensor_files.floats([1], [1.0]))
        self.assertEqual(coded["scales"][2], b"\0")
        self.assertEqual(coded["codes"][2], b"\0\x08" * 8)

    def test_scales_in_fp32_are_the_nearest_quotients(self):
        values = hard_values(300, 8)
        self.write(values)
        coded, _ = self.quantized("--format", "fp8-1x128")
        self.assertEqual(coded["scales"][:2], ("F32", [3]))
        got = tensor_files.values_of(coded["scales"])
        want = [model.nearest32(max(abs(Fraction(v)) for v in b) / 448)
                for b in blocks_of(values, 128)]
        self.assertEqual([Fraction(v) for v in got], want)

    def test_stochastic_rounding_draws_the_bits_of_the_contract(self):
        values = hard_values(512, 9)
        for bits, byte_map, seed in ((8, "ptx", 0), (8, "te-soft", 7), (3, "ptx", 1 << 40),
                                     (12, "ptx", 3), (24, "te-soft", 5)):
            words = ["--rounding", "stochastic", "--seed", str(seed), "--random-bits", str(bits)]
            if bits <= 8:
                words += ["--byte-map", byte_map]
            with self.subTest(bits=bits, byte_map=byte_map):
                def quantize(number, block):
                    def draw(i):
                        return model.random_bits(seed, bits, byte_map, number * 32 + i), bits
                    return model.quantize(block, "e2m1", E8M0, of_power("rceil"),
                                          mode="stochastic", draw=draw)
                _, notes = self.check(values, 32, [*words, "--scale-rule", "rceil"], quantize,
                                      E8M0, "e2m1")
                self.assertEqual((notes["seed"], notes["random_bits"], notes.get("byte_map")),
                                 (str(seed), str(bits), byte_map if bits <= 8 else None))

    def test_a_byte_map_of_more_than_8_random_bits_is_refused(self):
        self.write(hard_values(64, 9))
        words = ["--rounding", "stochastic", "--random-bits", "16"]
        for command in (("quantize", "x.npy", "-o", "c.safetensors"), ("explain", "1", "2"),
                        ("decompose", "x.npy")):
            self.assert_refused(*command, *words, "--byte-map", "ptx",
                                naming=["--byte-map", "random-bits is 16", "leave the byte map out"])
        text = self.run_command("explain", "1", "2", *words).stdout
        self.assertIn("16 random bits an element from seed 0", text)
        self.assertNotIn("byte map", text)
        with open(self.path("own.toml"), "w", encoding="utf-8") as file:
            file.write('element = "e2m1"\nscale = "e8m0"\nblock = "1x32"\nrounding = "stochastic"\n'
                       'random_bits = 12\nbyte_map = "te-soft"\n')
        self.assert_refused("quantize", "x.npy", "-o", "c.safetensors", "--format", "@own.toml",
                            naming=["own.toml", "key 'byte_map'", "random-bits is 12"])
        coded, notes = self.quantized("--format", "@own.toml", "--random-bits", "16")
        self.assertEqual((notes["random_bits"], "byte_map" in notes), ("16", False))
        # A map beside more bits in a file's metadata orders nothing.
        tensor_files.write_safetensors(self.path("c.safetensors"), coded,
                                       {**notes, "byte_map": "ptx"})
        self.run_command("dequantize", "c.safetensors", "-o", "y.npy")

    def test_a_format_file_says_the_same_as_the_options(self):
        self.write(hard_values(128, 10))
        with open(self.path("own.toml"), "w", encoding="utf-8") as file:
            file.write('element = "e3m2"\nscale = "e8m3"\nblock = "1x16"\nscale_rule = "rceil"\n'
                       'corrections = "mbs=32,8"\nrounding = "stochastic"\nseed = 5\n'
                       'random_bits = 4\nbyte_map = "te-soft"\n')
        by_file = self.quantized("--format", "@own.toml")
        by_words = self.quantized("--format", "e3m2:e8m3:16+mbs=32,8", "--scale-rule", "rceil",
                                  "--rounding", "stochastic", "--seed", "5", "--random-bits", "4",
                                  "--byte-map", "te-soft")
        self.assertEqual(by_file, by_words)
        self.assertEqual(self.quantized("--format", "@own.toml", "--seed", "6")[1]["seed"], "6")
        own = self.quantized("--format", "@own.toml", "--rounding", "nearest-even")
        self.assertNotIn("seed", own[1])

    def test_models_are_listed_with_what_they_rest_on(self):
        models = {m["name"]: m for m in self.run_json("formats")["models"]}
        for name, evidence in (("exact.rne", "specification only"),
                               ("fp32.pairwise", "specification only"),
                               ("ampere.mma.bf16.f32", "recorded hardware"),
                               ("blackwell.mxf4", "two models agree"),
                               ("blackwell.mxf8f6f4.e2m1.e4m3", "one model"),
                               ("volta.mma.f16.f16", "recorded hardware")):
            self.assertEqual(models[name]["evidence"], evidence)
            self.assertTrue(models[name]["source"])
        classes = {"recorded hardware", "two models agree", "one model", "specification only"}
        self.assertEqual({m["evidence"] for m in models.values()}, classes)
        listed = self.run_command("formats", "--models").stdout
        self.assertIn("sparse products and CDNA4 have no model", listed)
        narrow = {"e2m1", "e2m3", "e3m2", "e4m3", "e5m2"}
        for name, m in models.items():
            if m["scale"] == "none" and m["a"] != m["b"]:
                line = name.replace(f".{m['a']}.{m['b']}.", ".A.B.")
                report = [words.split()[1:] for words in listed.splitlines()
                        if words.startswith(f"  {line} ")]
                self.assertEqual(len(report), 1, line)
                self.assertLessEqual({m["a"], m["b"]}, set(report[0]))
                if line.startswith(("blackwell.tcgen05", "rtxblackwell.mma")):
                    self.assertEqual(set(report[0]), narrow)
                continue
            line = [words.split() for words in listed.splitlines() if words.startswith(f"  {name} ")]
            doubt = ["!"] if m["doubts"] else []
            self.assertEqual(line, [[name, *doubt, *m["evidence"].split()]])
        report = self.run_json("formats", "blackwell.mxf4nvf4")["found"]
        self.assertEqual([(m["kind"], m["a"], m["scale"], m["block"], m["result"]) for m in report],
                         [("model", "e2m1", "ue4m3", 16, "f32")])
        text = self.run_command("formats", "cdna3.mfma.bf16.f32").stdout
        for words in ("a model of a dot product", "two models agree", "MMA-Sim", "doubts", "2^-31"):
            self.assertIn(words, text)
        self.assert_refused("formats", "blackwell.mxf5", naming=["did you mean `blackwell.mxf4`?"])

    def scale_of(self, amax, name, rule):
        notes = self.run_json("explain", repr(amax), "--format", name, "--scale-rule", rule)
        return Fraction(notes["scale"]["exact"])

    def test_the_range_of_amax_of_each_rule_is_that_of_a_block_of_scale_one(self):
        for name in ("mxfp4", "e1m2:e8m4:32", "e2m1:ue4m3:16", "e4m3:e8m2:32"):
            lines = self.run_command("formats", name).stdout.splitlines()
            for line in lines[lines.index("  amax of a block whose scale is 1") + 1:]:
                rule, first, low, *_, last, high = line.split()
                low, high = float(low), float(high)
                with self.subTest(name=name, rule=rule):
                    inside = (low if first == "from" else low * 1.0001,
                              high if last == "to" else high * 0.9999)
                    outside = (low if first == "above" else low * 0.9999,
                               high if last == "below" else high * 1.0001)
                    self.assertEqual([self.scale_of(amax, name, rule) for amax in inside], [1, 1])
                    self.assertNotIn(1, [self.scale_of(amax, name, rule) for amax in outside])

    def test_a_format_of_exact_scales_shows_no_rule_that_it_refuses(self):
        text = self.run_command("formats", "e2m1:exact:32").stdout
        self.assertIn("under an exact scale, which is not stored", text)
        self.assertIn("rule      ideal\n", text)
        self.assertNotIn("floor", text)
        self.assert_refused("explain", "1", "--format", "e2m1:exact:32", "--scale-rule", "floor",
                            naming=["ideal"])

    def test_a_format_that_no_command_takes_is_refused_with_its_reason(self):
        for name, why in (("e2m1:e8m0:0", "a block has 1 to 1048576 elements"),
                          ("int2:e8m0:32", "`int2`: expected an element format"),
                          ("e2m1:e8m17:32", "`e8m17`: expected a scale format"),
                          ("mxfp4+mbs=128,99", "its factor has 1 to 16 bits"),
                          ("mxfp4+rotate=5", "`rotate=5`: expected rotate=SIZE")):
            self.assert_refused("formats", name, naming=[name + ": ", why])
            self.assert_refused("explain", "1", "--format", name, naming=[why.split(":")[0]])

    def test_tensor_scales_have_the_words_that_spell_them(self):
        for word in ("none", "tensor", "row", "tensor256", "row256"):
            name = "e2m1:ue4m3:16" + (f":{word}" if word != "none" else "")
            self.assertEqual(self.run_json("formats", name)["found"][0]["tensor_scale"], word)
        self.assertIn("one FP32 scale for each row, under which the largest block scale is 256\n",
                      self.run_command("formats", "e2m1:ue4m3:16:row256").stdout)

    def test_corrections_of_a_format_are_listed_with_what_they_store(self):
        found, = self.run_json("formats", "mxfp4+mbs=64,16+of=1")["found"]
        self.assertEqual((found["corrections"], found["bits_an_element"]),
                         (["mbs=64,16", "of=1"], 2 * (4.25 + 16 / 64)))
        text = self.run_command("formats", "mxfp4+mbs=64,16+of=1").stdout
        self.assertIn("; 9 bits an element", text)
        self.assertIn("corrected mbs=64,16 of=1", text)

    def test_the_page_fits_two_screens_and_leads_to_every_name(self):
        page = self.run_command("formats").stdout
        self.assertLessEqual(len(page.splitlines()), 48)
        self.assertLessEqual(max(map(len, page.splitlines())), 100)
        words, tables = set(re.split(r"[\s,;:]+", page)), self.run_json("formats")
        for group in ("formats", "elements", "scales", "corrections", "scale_rules", "roundings",
                      "byte_maps", "packings", "layouts"):
            self.assertLessEqual({entry["name"] for entry in tables[group]}, words, group)
        families = {re.split(r"(?<!\d)\.|\.(?!\d)", v["name"])[0] for v in tables["variants"]}
        self.assertLessEqual(families, words)
        self.assertLessEqual({m["name"].split(".")[0] for m in tables["models"]}, words)

    def test_each_list_has_its_text_and_its_keys(self):
        help_text = self.run_command("formats", "--help").stdout
        options = re.findall(r"(?m)^  (--[a-z]+) .*List the ", help_text)
        listed = set(re.findall(r"(?m)^  (--[a-z]+) ", self.run_command("formats").stdout))
        self.assertEqual(listed, {*options, "--all"} - {"--formats"})
        everything, keys = self.run_command("formats", "--all").stdout, {}
        for option in options:
            self.assertIn(self.run_command("formats", option).stdout, everything)
            keys.update(self.run_json("formats", option))
        whole = self.run_json("formats")
        self.assertEqual(keys, whole)
        self.assertEqual(self.run_json("formats", "--all"), whole)
        self.assertEqual(whole["file_types"], [".safetensors", ".npy", ".gguf"])
        files = self.run_command("formats", "--files").stdout
        self.assertRegex(files, r"\.gguf \(.*MXFP4.*\)\n  written .*\.npy by .* and explain --save")
        self.assertEqual(list(self.run_json("formats", "--models", "--rules")),
                         ["scale_rules", "models"])
        self.assertEqual(self.run_command("formats", "--models", "--all").stdout, everything)
        self.assert_refused("formats", "mxfp4", "--models", naming=["mxfp4", "--models"])

    def test_a_part_of_a_name_gets_the_names_that_have_it(self):
        for asked, means in (
                ("mxf4nvf4", "did you mean `blackwell.mxf4nvf4`"),
                ("mxf4", "did you mean `blackwell.mxf4`"),
                ("rceil.torchao", "`torchao.rceil` or `torchao-0.18.rceil`?"),
                ("hopper.e4m3.f32", "`hopper.mma.e4m3.f32`, `hopper.wgmma.e4m3.f32`"),
                ("nearest", "`nearest-even`, `nearest-away`, `nearest-zero` or one of"),
                ("nvf4", "did you mean `nvfp4` or `blackwell.mxf4nvf4`")):
            self.assert_refused("formats", asked, naming=[means])

    def test_names_of_fp32_have_one_description_and_make_one_format(self):
        pages = {self.run_command("formats", name).stdout for name in ("f32", "fp32", "binary32")}
        self.assertEqual(len(pages), 1)
        page = pages.pop()
        self.assertIn("f32: a format of numbers\n", page)
        self.assertIn("fp32: a format of scales\n", page)
        self.assertIn("tf32: a format of numbers\n", self.run_command("formats", "TF32").stdout)
        self.write([1.0, -3.0, 0.3] * 30)
        made = [self.quantized("--format", f"e4m3:{scale}:32") for scale in ("fp32", "f32")]
        self.assertEqual(*made)
        self.assertEqual(made[0][1]["format"], "e4m3:fp32:32")

    def test_columns_of_the_lists_do_not_touch(self):
        tables = self.run_json("formats")
        listed = [name["name"] for group in ("formats", "elements", "scales", "scale_rules",
                  "roundings", "byte_maps", "packings", "layouts", "variants") for name in
                  tables[group]] + [entry["theirs"] for entry in tables["crosswalk"]]
        text = self.run_command("formats", "--all").stdout
        for name in listed:
            self.assertRegex(text, rf"(?m)^ +{re.escape(name)}( |$)")
        self.assertLessEqual(max(map(len, text.splitlines())), 100)

    def test_decompose_takes_every_format_and_adds_up(self):
        values = [v if abs(v) < 1e20 else 1.0 for v in hard_values(1024, 11)]
        self.write(values)
        for name in (*MX, "nvfp4", "fp8-1x128", "e2m1:e8m3:32", "e4m3fnuz:ue5m3:16",
                     "e2m1:exact:32"):
            with self.subTest(format=name):
                report = self.run_json("decompose", "x.npy", "--format", name)["tensors"][0]
                self.assertEqual(report["identity_violations"], 0)
                if name.endswith("exact:32"):
                    self.assertEqual(report["sum_sq"]["scale"], 0)
                    continue
                self.quantized("--format", name)
                error = sum((a - b) ** 2 for a, b in zip(self.dequantized(), values))
                self.assertAlmostEqual(report["sum_sq"]["total"] / error, 1, places=6)


if __name__ == "__main__":
    main()
